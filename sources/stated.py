"""What an answer states of all its prices, held against what was read: its currency, its end, conditions of all.

A field or a sentence that was not there before can make euros of every figure, or half a list of a whole one, and no
parser looks for it. Converting is models.normalise; what a single row says is the parser's business.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any
from urllib.parse import urlsplit

from models.naming.conditions import names_commitment, names_condition
from models.offers import Quote, Unreadable
from sources.http import json_of
from sources.pages import recorded_pages
from sources.reading import currencies_of
from sources.source import LayoutChanged, Page, Row, Source, TruncatedAnswer

_CURRENCY = re.compile(
    rb'"\w{0,30}currency(?:_?(?:code|iso))?"\s{0,9}:\s{0,9}(?:\{\s{0,9}"code"\s{0,9}:\s{0,9})?"([a-z]{3})"',
    re.IGNORECASE,
)
_GOES_ON = re.compile(
    r"has_?(?:more|next(?:_?page)?)|next(?:_?(?:page|cursor|token|url|link|page_?token|page_?link))?|is_?truncated"
    r"|continuation_?token",
    re.IGNORECASE,
)
_IN_ALL = re.compile(r"total(?:_?(?:count|results?|items|offers|rows|records|elements|size))?", re.IGNORECASE)
_MAY_GO_ON = re.compile(
    rf'"(?:{_GOES_ON.pattern}|{_IN_ALL.pattern})"\s*:\s*(?!\s|false|null|""|0\b|\[\]|\{{\}})'.encode(), re.IGNORECASE
)
_ENVELOPES = frozenset({"data", "meta", "pagination", "paging", "page_info", "pageInfo", "links", "result", "response"})
_OF_ALL_PRICES = re.compile(
    r"\b(?:prices?|pricing|rates)\b[^.<>\"\\]{0,40}\b(?:requires?|reflects?|assumes?|shown (?:with|for|in)"
    r"|(?:is|are)(?: \w+)? (?:with|for|based on|in))\b([^.<>\"\\]{0,60})",
    re.IGNORECASE,
)
_FIELD = re.compile(rb'"([A-Za-z]\w{2,40})"\s*:')
_SET = re.compile(_FIELD.pattern + rb'\s*(?!\s|false|null|""|0\b|\[\]|\{\})')
_CONDITIONAL = re.compile(
    rb"(?:is_?)?(?:spot|interruptible|pre-?emptible)|coming_?soon|sold_?out|hidden"
    rb"|(?!\w*id$)\w*(?:commit|reserv|contract|pre_?paid|billing|discount|promo|deprecat|original_?price)\w*"
    rb"|\w*(?:min(?:imum)?_?(?:hours|months|days|term|rental|duration)|price_?(?:unit|type|period|per))\w*",
    re.IGNORECASE,
)
_CHOSEN = re.compile(r"""aria-(?:selected|current|pressed)=["']true["'][^<>]*>(?:\s*<[^<>]*>)*\s*([^<>]{1,80})<""")
_NOTE = re.compile(
    r">\s*([*\u2020\u2021\u00b9\u00b2\u00b3]{1,3})\s*([^<*]{4,200})<"
)  # of a mark that a title may carry
_DOLLARS_OF_OTHERS = re.compile(r"\b(?:canadian|australian|singapore|hong kong|new zealand) dollars", re.IGNORECASE)


def refuse_other_currencies(rows: Iterable[Row], pages: Sequence[Page]) -> None:
    """Raises LayoutChanged where an answer in JSON names a currency in which none of its prices was read."""
    read = {row.currency for row in rows if isinstance(row, Quote)}
    for page in pages if read else ():
        if _is_json(page):
            for code in {found.decode().upper() for found in _CURRENCY.findall(page.body)} - read:
                raise LayoutChanged(f"{page.name} names {code}, where prices were read as {', '.join(sorted(read))}")


def refuse_cut_lists(pages: Sequence[Page]) -> None:
    """Raises TruncatedAnswer where the last answer of an address says that it goes on, or counts more than it holds."""
    of_address: dict[str, list[Page]] = {}
    for page in pages:
        of_address.setdefault(urlsplit(page.url).path, []).append(page)
    for same in of_address.values():
        page = same[-1]
        if _is_json(page) and _MAY_GO_ON.search(page.body):
            answer = json_of(page)
            held = _longest_list(answer, 0) if len(same) == 1 else 0
            for name, value in _envelope(answer, 0):
                if _GOES_ON.fullmatch(name) and value:
                    raise TruncatedAnswer(f"{page.name} goes on after what was read: {name} is {str(value)[:60]}")
                if _IN_ALL.fullmatch(name) and held and isinstance(value, int) and value > held:
                    raise TruncatedAnswer(f"{page.name} holds {held} of the {value} that it counts as {name}")


def refuse_conditions_of_all(pages: Sequence[Page]) -> None:
    """Raises LayoutChanged where a sentence of a page binds all its prices, or gives them another currency."""
    for page in pages:
        if not _is_json(page):
            for tab in _CHOSEN.findall(page.text):
                if names_condition(tab):
                    raise LayoutChanged(f"{page.name} shows the prices of {tab.strip()[:60]!r}")
            for sentence in _OF_ALL_PRICES.finditer(page.text):
                said = sentence[1]
                if names_commitment(said) or currencies_of(said) - {"USD"} or _DOLLARS_OF_OTHERS.search(said):
                    raise LayoutChanged(f"{page.name} says of its prices: {' '.join(sentence[0].split())[:120]!r}")
            bound = {mark: note for mark, note in _NOTE.findall(page.text) if names_condition(note)}
            for mark, note in bound.items():
                if re.search(rf"[A-Za-z)]\s?{re.escape(mark)}\s?<", page.text):
                    raise LayoutChanged(f"{page.name} says of its prices: {mark} {' '.join(note.split())[:120]!r}")


def unread_conditions(source: Source, pages: Sequence[Page]) -> Iterator[Unreadable]:
    """A row for each field of an answer in JSON that may change its prices and that no recording of the source has.

    What the field means nobody can say, so its prices stand; what nobody reads is told.
    """
    new: dict[str, Page] = {}
    for page in pages:
        if _is_json(page):
            new |= {field.decode(): page for field in _SET.findall(page.body) if _CONDITIONAL.fullmatch(field)}
    for field in sorted(new.keys() - _recorded_fields(source.name) - {*source.passed_over} if new else ()):
        yield Unreadable("unread_field", f"{new[field].name}: nobody reads {field!r}", page_sha256=new[field].sha256)


@cache
def _recorded_fields(name: str) -> frozenset[str]:
    bodies = [one.page.body for looks in recorded_pages(name).values() for one in looks]
    return frozenset(field.decode() for body in bodies for field in _FIELD.findall(body))


def _is_json(page: Page) -> bool:
    return page.body.lstrip()[:1] in (b"{", b"[")


def _envelope(answer: Any, depth: int) -> Iterator[tuple[str, Any]]:
    """The fields around the rows of an answer."""
    if isinstance(answer, Mapping):
        for name, value in answer.items():
            yield name, value
            if depth < 3 and name in _ENVELOPES:
                yield from _envelope(value, depth + 1)


def _longest_list(answer: Any, depth: int) -> int:
    if isinstance(answer, list):
        return len(answer)
    if isinstance(answer, Mapping) and depth < 3:
        return max((_longest_list(value, depth + 1) for value in answer.values()), default=0)
    return 0
