"""Reading numbers, prices and dates off pages: what every parser does, in one place; tables are in `sources.tables`.

Nothing here knows a provider or a GPU; a value that is no number is None, never a guess.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Any, Literal, Protocol

from bs4 import BeautifulSoup, Tag
from bs4.element import CData, NavigableString
from lxml import etree

from models.naming.conditions import names_commitment
from sources.source import EmptyAnswer, ErrorAnswer, LayoutChanged, Page

# Dollars only: no source whose prices are read off text has another currency, and another sign is never read as one.
_MONEY = re.compile(r"^\$?\s*(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)\s*(?:USD)?$")
_SIGNS = {"$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "₹": "INR", "₩": "KRW"}
_SIGN = re.compile(r"[$€£¥₹₩]|\b(?:USD|EUR|GBP|CHF|JPY|INR|KRW|CAD|AUD)\b")
_PRICE = re.compile(
    r"(?P<lowest>(?:from|starting (?:at|from)|as low as)\s+)?"
    r"(?P<money>\$?\s*[\d,.]+\s*(?:USD)?)"
    r"(?P<gpu>\s*(?:/|per)\s*GPU)?"
    r"(?:\s*(?:/|-|per)\s*(?P<period>s|sec|second|min|minute|h|hr|hour|mo|month)s?)?",
    re.IGNORECASE,
)
Period = Literal["second", "minute", "hour", "month", ""]
_PERIODS: dict[str, Period] = {"s": "second", "mi": "minute", "h": "hour", "mo": "month"}
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_EFFECTIVE = re.compile(
    r"\b(?:effective|valid|appl(?:y|ies)|start(?:s|ing)?) (?:(?:as of|from|on|starting) )?"
    r"(?:(\d{4})-(\d\d)-(\d\d)|([a-z]{3,9})\.? (\d{1,2}),? (\d{4})|(\d{1,2})\.? ([a-z]{3,9})\.?,? (\d{4}))\b",
    re.IGNORECASE,
)

_PUSHED = re.compile(r'self\.__next_f\.push\(\[1,\s*("[^"\\]*(?:\\.[^"\\]*)*")\]\)')


@dataclass(frozen=True, slots=True)
class PrintedPrice:
    """One price as a cell prints it. What the cell leaves out, the column's title has to say."""

    amount: Decimal
    period: Period  # "" where the cell names none
    per_gpu: bool  # the cell says "/ GPU"
    lowest: bool  # "from", "starting at": the lowest of several prices, under a condition told elsewhere


LARGEST_HTML_BYTES = 12 << 20  # the largest price pages have 2 MB
MOST_TAGS = 250_000  # the longest price pages have a tenth
DEEPEST_HTML = 100  # elements inside elements; price pages have about 40, and the work per element grows with it
MARKUP_PIECE_BYTES = 1 << 14
_NOT_SHOWN = re.compile(r"(?:^|;|\s)(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)
_HIDING = frozenset({"hidden", "d-none", "w-hidden"})  # classes of Tailwind, Bootstrap and Webflow
_SHOWN_ON_LARGER = re.compile(r"(?:\w+:|d-\w+-)(?:block|flex|grid|contents|table[\w-]*|inline[\w-]*)")
_STRUCK = frozenset({"del", "s", "strike"})
_STRUCK_BY_CLASS = re.compile(
    r"line-?through|strike(?:-?through)?|(?:old|former|previous|was|original|regular)-?price", re.I
)
_FOOTNOTE = re.compile(r"\W*(?:\d|[a-z]|tm)?\W*", re.IGNORECASE)  # a raised mark; cents have a point or two digits


def decimal_of(value: object) -> Decimal | None:
    """A finite Decimal from a JSON number or numeric text; None for anything else (null, bool, NaN, words).

    Figures beyond 10**±40 are None too: no page means them, and arithmetic with them can overflow.
    """
    if isinstance(value, bool) or not isinstance(value, (int, str, Decimal)):
        return None
    try:
        number = Decimal(value.strip() if isinstance(value, str) else value)
    except InvalidOperation:
        return None
    return number if number.is_finite() and (not number or abs(number.adjusted()) <= 40) else None


def whole_of(value: object) -> int | None:
    """A whole number from JSON or text; None for anything else, and for absurd sizes."""
    number = decimal_of(value)
    if number is None or number != number.to_integral_value() or abs(number) > 10**15:
        return None
    return int(number)


def flag_of(value: object) -> bool | None:
    """A yes or no from JSON: true, "true" in any case, or 1, and their contraries; None for anything else."""
    return {"true": True, "1": True, "false": False, "0": False}.get(str(value).strip().lower())


def money_of(text: str) -> Decimal | None:
    """The US dollars of a cell that holds one price and nothing else ("$2.49", "1,940.00 USD"); None otherwise.

    "from $2", "€2.49", "Contact us", "N/A", a dash or two prices are none; units are the caller's to strip.
    """
    match = _MONEY.match(" ".join(text.replace("\u00a0", " ").split()))
    return decimal_of(match.group(1).replace(",", "")) if match else None


def price_of(text: str) -> PrintedPrice | None:
    """The price in US dollars of a cell with its unit ("$3.59 / GPU / hr", "From $0.79/hr", "$355.00 / mo").

    None for words, and for another currency.
    """
    match = _PRICE.fullmatch(" ".join(text.replace("\u00a0", " ").split()))
    amount = money_of(match["money"]) if match else None
    if match is None or amount is None:
        return None
    period = (match["period"] or "").lower()
    named: Period = next((name for start, name in _PERIODS.items() if period.startswith(start)), "")
    return PrintedPrice(amount, named, match["gpu"] is not None, match["lowest"] is not None)


def currencies_of(text: str) -> set[str]:
    """The currencies whose sign or code stands in a text: {"USD"} of "$1.56 USD"; empty where it names none."""
    return {_SIGNS.get(sign, sign) for sign in _SIGN.findall(text)}


def stated_currency(usual: str, *records: object) -> str:
    """The currency that the first of these records to name one names, as a code; else the usual one of the site."""
    return next(filter(None, (text_of(at(record, "currency")).upper() for record in records)), usual)


def term_of(hours: int) -> tuple[int | None, Decimal | None] | None:
    """A shortest rental as (None, hours), or from 30 days on, when it is a commitment, as (months, None).

    None for zero, and for days that are no whole months of 30 or 31: 45 days are neither one month nor two.
    """
    if hours < 30 * 24:
        return (None, Decimal(hours)) if hours > 0 else None
    months = hours // (30 * 24)
    return (months, None) if hours <= months * 31 * 24 else None


def effective_date(text: str) -> date | None:
    """The day of a notice such as "effective November 16, 2026" or "effective from 2026-11-16"; None without one."""
    match = _EFFECTIVE.search(" ".join(text.split()))
    if match is None:
        return None
    year, month, day = match[1], match[2], match[3]
    if year is None:
        named = (match[4] or match[8])[:3].lower()
        month = str(_MONTHS.index(named) + 1) if named in _MONTHS else "0"
        year, day = match[6] or match[9], match[5] or match[7]
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        return None


def text_of(value: object) -> str:
    """A string field stripped; "" for null or another type."""
    return value.strip() if isinstance(value, str) else ""


def rows_of(value: object) -> Iterator[Mapping[str, Any]]:
    """The objects of a JSON array; anything else in it is passed over."""
    if isinstance(value, list):
        yield from (row for row in value if isinstance(row, dict))


def at(record: object, *names: str) -> Any:
    """A field inside fields; None where a step is missing."""
    for name in names:
        record = record.get(name) if isinstance(record, dict) else None
    return record


def field_of(record: object, name: str, page: Page) -> Any:
    """A field that must be there. Raises LayoutChanged naming it."""
    if not isinstance(record, dict) or name not in record:
        raise LayoutChanged(f"{page.name}: the field {name!r} is missing")
    return record[name]


def require_fields(rows: Iterable[Mapping[str, Any]], fields: Iterable[str], page: Page) -> None:
    """Raises LayoutChanged for a field that no row has: then the format changed; EmptyAnswer without rows."""
    rows = list(rows)
    if not rows:
        raise EmptyAnswer(f"{page.name} holds no price: it lists nothing")
    for name in fields:
        if not any(name in row for row in rows):
            raise LayoutChanged(f"{page.name}: no row has the field {name!r}")


def pushed_text(page: Page) -> str:
    """The text that a page of Next.js hands to its scripts in pieces, put together; "" where there is none.

    It holds what the page shows as JSON. Raises LayoutChanged for a piece that is no JSON string.
    """
    try:
        return "".join(json.loads(piece) for piece in _PUSHED.findall(page.text))
    except ValueError as error:
        raise LayoutChanged(f"{page.name}: a hydration script does not hold a JSON string") from error


def soup_of(page: Page) -> BeautifulSoup:
    """What the page shows as a tree, as UTF-8 whatever it declares: a broken declaration stops lxml.

    Raises ErrorAnswer for a page no site would print, larger or deeper: its tree takes a kilobyte an element.
    """
    if len(page.body) > LARGEST_HTML_BYTES:
        raise ErrorAnswer(f"{page.name} has {len(page.body) >> 20} MB; no price page in HTML is that large")
    if (tags := page.body.count(b"<")) > MOST_TAGS:
        raise ErrorAnswer(f"{page.name} has {tags} tags; no price page in HTML has that many")
    try:
        feed_markup(page.text, _Depth())
    except TooDeep as error:
        raise ErrorAnswer(f"{page.name} has {error}; no price page in HTML is that deep") from None
    soup = BeautifulSoup(page.text, "lxml")
    for hidden in soup.find_all(_is_hidden):
        hidden.extract()
    _write_out_footnotes(soup)
    return soup


def _write_out_footnotes(soup: BeautifulSoup) -> None:
    """In place of the mark of a footnote that binds the buyer its words: the price beside it is not for everybody."""
    marks: dict[str, list[Tag]] = {}
    for mark in soup.find_all("sup"):
        marks.setdefault(cell_text(mark), []).append(mark)
    for same in marks.values():
        notes = [mark.parent for mark in same if mark.parent and not "".join(map(str, mark.previous_siblings)).strip()]
        said = next((text for note in notes if names_commitment(text := cell_text(note))), "")
        for mark in same if said else ():
            mark.string = said


def _is_hidden(tag: Tag) -> bool:
    """Whether nobody sees it, whatever they choose: old rows and drafts are, the panel of another tab is not."""
    classes = tag.get("class") or ()
    if _NOT_SHOWN.search(str(tag.get("style", ""))) or "w-condition-invisible" in classes:  # of Webflow
        return True
    if not _HIDING.isdisjoint(classes) and not any(map(_SHOWN_ON_LARGER.fullmatch, classes)):
        return tag.get("role") != "tabpanel"
    streamed = str(tag.get("id", "")).startswith("S:")  # React puts it in its place
    return tag.get("hidden", "until-found") != "until-found" and tag.get("role") != "tabpanel" and not streamed


class Elements(Protocol):
    """What is told of the elements of a page one after the other; every start has its end."""

    def start(self, tag: str, attributes: Mapping[str, str]) -> None: ...
    def end(self, tag: str) -> None: ...
    def data(self, text: str) -> None: ...
    def close(self) -> None: ...


class TooDeep(Exception):
    """Elements inside more than DEEPEST_HTML others."""


def feed_markup(text: str, elements: Elements) -> None:
    """Tell of the elements of a page, if any, without its tree. Raises whatever `elements` raises, at once."""
    parser = etree.HTMLParser(target=elements, encoding="utf-8", recover=True)
    body = text.encode("utf-8", "replace")
    for start in range(0, len(body), MARKUP_PIECE_BYTES):
        parser.feed(body[start : start + MARKUP_PIECE_BYTES])
    with suppress(etree.XMLSyntaxError):  # a page without a single element
        parser.close()


class _Depth:
    """Raises TooDeep where too many elements stand inside each other."""

    def __init__(self) -> None:
        self._open = 0

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        self._open += 1
        if self._open > DEEPEST_HTML:
            raise TooDeep(f"more than {DEEPEST_HTML} elements inside each other")

    def end(self, tag: str) -> None:
        self._open -= 1

    def data(self, text: str) -> None: ...
    def close(self) -> None: ...


def _is_struck(tag: Tag) -> bool:
    """Whether its text is struck out, by its element, its style or the name of its class: a former price."""
    return (
        tag.name in _STRUCK
        or "line-through" in str(tag.get("style", ""))
        or any(_STRUCK_BY_CLASS.fullmatch(name) for name in tag.get("class") or ())
    )


def cell_text(cell: Tag) -> str:
    """The words of a cell on one line, without struck-out text and footnote marks; what else is raised stands apart."""
    words: list[str] = []
    left = cell.contents[::-1]
    while left:
        part = left.pop()
        if isinstance(part, Tag):
            mark = part.name == "sup" and _FOOTNOTE.fullmatch(part.get_text().strip())
            left += [] if mark or _is_struck(part) else part.contents[::-1]
        elif type(part) in (NavigableString, CData):  # not its kinds: comments, scripts, styles
            words.append(str(part))
    return " ".join(" ".join(words).replace("\u00a0", " ").split())
