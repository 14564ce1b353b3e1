"""Reading numbers and tables off pages: what every parser does, in one place.

Nothing here knows a provider, a unit or a GPU; a value that is no number is None, never a guess.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any

from bs4 import BeautifulSoup, Tag

from sources.source import LayoutChanged, Page

_MONEY = re.compile(r"^[$€£]?\s*(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)\s*(?:USD|EUR)?$")


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


def money_of(text: str) -> Decimal | None:
    """The amount of a cell that holds one price and nothing else ("$2.49", "€ 1,940.00"); None otherwise.

    "from $2", "Contact us", "N/A", a dash or two prices are not a price; units are the caller's to strip.
    """
    match = _MONEY.match(" ".join(text.replace("\u00a0", " ").split()))
    return decimal_of(match.group(1).replace(",", "")) if match else None


def text_of(value: object) -> str:
    """A string field stripped; "" for null or another type."""
    return value.strip() if isinstance(value, str) else ""


def rows_of(value: object) -> Iterator[Mapping[str, Any]]:
    """The objects of a JSON array; anything else in it is passed over."""
    if isinstance(value, list):
        yield from (row for row in value if isinstance(row, dict))


def field_of(record: object, name: str, page: Page) -> Any:
    """A field that must be there. Raises LayoutChanged naming it."""
    if not isinstance(record, dict) or name not in record:
        raise LayoutChanged(f"{page.name}: the field {name!r} is missing")
    return record[name]


def soup_of(page: Page) -> BeautifulSoup:
    """The page as a tree."""
    return BeautifulSoup(page.body, "lxml")


def cell_text(cell: Tag) -> str:
    """The words of a cell on one line, without struck-out text and footnote marks."""
    for dropped in cell.find_all(["del", "s", "strike", "sup"]):
        dropped.decompose()
    return " ".join(cell.get_text(" ").replace("\u00a0", " ").split())


def by_header(header: Sequence[str], cells: Sequence[str], wanted: Sequence[str], page: Page) -> dict[str, str]:
    """The wanted cells of a row by header text (case and blanks folded). Raises LayoutChanged when a header is gone."""
    folded = [" ".join(title.lower().split()) for title in header]
    found: dict[str, str] = {}
    for title in wanted:
        if title.lower() not in folded:
            raise LayoutChanged(f"{page.name}: no column {title!r} among {', '.join(header) or 'none'}")
        place = folded.index(title.lower())
        if place < len(cells):
            found[title] = cells[place]
    return found
