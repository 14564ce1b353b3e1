"""What an answer in JSON states of the currency of its prices, held against the one they were read in.

A field that was not there before can make euros of every figure. Converting is models.normalise; exchange rates are a
source like any other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from models.offers import Quote
from sources.source import LayoutChanged, Page, Row

_STATED = re.compile(rb'"\w{0,30}currency(?:_?code)?"\s{0,9}:\s{0,9}"([a-z]{3})"', re.IGNORECASE)


def refuse_other_currencies(rows: Iterable[Row], pages: Sequence[Page]) -> None:
    """Raises LayoutChanged where an answer names a currency in which none of its prices was read."""
    read = {row.currency for row in rows if isinstance(row, Quote)}
    for page in pages if read else ():
        if page.body.lstrip()[:1] in (b"{", b"["):
            for code in {found.decode().upper() for found in _STATED.findall(page.body)} - read:
                raise LayoutChanged(f"{page.name} names {code}, where prices were read as {', '.join(sorted(read))}")
