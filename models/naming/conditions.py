"""Words beside a price that make another of it: a commitment, a machine that may be taken back, nothing for sale.

They stand in names, in headings and in cells; what a commitment costs is models.costs.commitments.
"""

from __future__ import annotations

import re

_SPAN = r"(?:\d{1,2}|one|two|three|six|nine|twelve)"
_COMMITMENT = re.compile(
    r"\b(?:commit(?:s|ted|ments?)?|contracts?|contracted|pre-?paid|pre-?payments?|paid upfront|annual(?:ly)?|yearly"
    r"|quarterly|billed monthly|leases?|(?<!rights )reserved|reserve|reservations?|long-?\s?term"
    r"|min(?:imum|\.)? (?:rental|term|period|duration)"
    rf"|{_SPAN}[- ](?:weeks?|wks?|months?|mos?|years?|yrs?)"
    r"|(?:minimum|min\.|at least)(?: of)? \d+[- ]days?|\d+[- ]days? (?:term|minimum|rental|commit))\b",
    re.IGNORECASE,
)
_FREE_OF_IT = re.compile(
    r"\b(?:no|without(?: any| an?)?|zero)(?:[- ](?:long[- ]?term|minimum|upfront|annual|yearly))*"
    r"[- ](?:commitments?|contracts?|reservations?|leases?|(?:rental )?(?:term|period|duration)s?)\b",
    re.IGNORECASE,
)
_INTERRUPTIBLE = re.compile(
    r"\b(?:spots?|pre-?empt(?:s|ed|ible|able|ibles)?|interruptible|interruptable|low[- ]priority)\b", re.IGNORECASE
)
_FOR_SOME = re.compile(
    r"\b(?:(?:existing|enterprise|selected|new) customers|start-?ups?|students|academi[ac]\w*|promotional|introductory"
    r"|legacy|\d+ ?% off)(?![\w-])",
    re.IGNORECASE,
)
_NOT_YET_OR_NO_MORE = re.compile(
    r"\b(?:coming (?:soon|in|q[1-4])|available (?:soon|from|(?:in )?q[1-4])|upcoming|pre-?orders?|wait-?list(?:ed)?"
    r"|notify me|to be announced|tb[ad]|retired|discontinued|deprecated|end of (?:life|sale)"
    r"|no longer (?:available|offered|sold))\b",
    re.IGNORECASE,
)
_SOLD_OUT = re.compile(
    r"\b(?:sold[- ]out|out of (?:stock|capacity)|(?:currently |temporarily )?unavailable|not (?:currently )?available"
    r"|no (?:capacity|availability|stock))\b",
    re.IGNORECASE,
)


def names_commitment(text: str) -> bool:
    """Whether words beside a price bind the buyer ("1-month commitment", "with a 12-month contract").

    "No commitment" and "without a contract" do not.
    """
    return _COMMITMENT.search(_FREE_OF_IT.sub(" ", text)) is not None


def names_interruptible(text: str) -> bool:
    """Whether words beside a price say that the machine may be taken back ("spot", "preemptible")."""
    return _INTERRUPTIBLE.search(text) is not None


def not_to_be_had(text: str) -> bool:
    """Whether a text says that what it names is not sold yet or no more ("coming soon", "discontinued")."""
    return _NOT_YET_OR_NO_MORE.search(text) is not None


def names_condition(text: str, *, spot: bool = False) -> bool:
    """Whether a text says anything that makes another price than that of everybody on demand, or at `spot` prices."""
    return (
        names_commitment(text)
        or not_to_be_had(text)
        or _FOR_SOME.search(text) is not None
        or (not spot and names_interruptible(text))
    )


def sold_out(text: str) -> bool:
    """Whether a text says that nothing is left of what it names; its price stands."""
    return _SOLD_OUT.search(text) is not None
