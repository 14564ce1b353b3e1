"""Reading tables by the whole titles of their columns, never by position or by a word of a title.

A table that lacks a column it was read by, has it twice, or has a column of prices that nobody knows is LayoutChanged.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from bs4 import Tag

from sources.reading import cell_text
from sources.source import LayoutChanged, Page

# What a column of prices is called, whatever their condition, and what one of a condition is; a title of sizes has
# none of these words.
_OF_PRICES = re.compile(
    r"\b(?:pric\w*|costs?|hourly|monthly|yearly|hours?|hr|months?|years?|spot|preemptible|on[- ]demand|usd|eur)\b"
    r"|\b(?:reserv\w*|commit\w*|contract\w*|discount\w*|savings?|starting (?:at|from)|as low as)\b|[$€£]"
    r"|\b(?:terms?|durations?|tenures?|leases?|billing|billed)\b",  # a condition of the prices beside it
    re.IGNORECASE,
)
_CELL_ROLES = frozenset({"columnheader", "rowheader", "cell", "gridcell"})


def check_prices(header: Iterable[str], known: Iterable[str], page: Page) -> None:
    """Raises LayoutChanged for a column of prices that is not known by its whole title.

    "Price with commitment" is not "Price"; and beside it "Price" may mean something else than it did.
    """
    read = {_folded(title) for title in known}
    for title in header:
        if _folded(title) not in read and _OF_PRICES.search(title):
            raise LayoutChanged(f"{page.name}: a column of prices {title[:60]!r} that is not known")


def _check_one_each(folded: Sequence[str], wanted: Iterable[str], page: Page) -> None:
    """Raises LayoutChanged where a wanted title stands twice: which of the two is meant cannot be told."""
    for title in wanted:
        if folded.count(_folded(title)) > 1:
            raise LayoutChanged(f"{page.name}: two columns are called {title!r}")


def _folded(title: str) -> str:
    """Without case, further blanks and the marks of footnotes, which come and go."""
    return " ".join(title.lower().split()).rstrip("*\u2020\u2021\u00b9\u00b2\u00b3\u2074\u2075\u2076 ")


def by_header(
    header: Sequence[str], cells: Sequence[str], wanted: Sequence[str], page: Page, unread: Sequence[str] = ()
) -> dict[str, str]:
    """The wanted cells of a row by header text (case, blanks and footnote marks folded).

    `unread` are columns of prices that are left alone. Raises LayoutChanged when a header is gone or stands twice, and
    for another column of prices.
    """
    check_prices(header, (*wanted, *unread), page)
    folded = [_folded(title) for title in header]
    _check_one_each(folded, wanted, page)
    found: dict[str, str] = {}
    for title in wanted:
        if _folded(title) not in folded:
            raise LayoutChanged(f"{page.name}: no column {title!r} among {', '.join(header) or 'none'}")
        place = folded.index(_folded(title))
        if place < len(cells):
            found[title] = cells[place]
    return found


def tables_with(soup: Tag, titles: Sequence[str], page: Page) -> list[list[dict[str, Tag]]]:
    """The rows of every table, or grid with table roles, that has all these columns: cells by lower-case title.

    Raises LayoutChanged when no table has them all, one has one twice, or a row is longer or shorter than the header;
    a row of a single cell is a note and passed over.
    """
    wanted = {title.lower() for title in titles}
    found = []
    for header, *lines in filter(None, table_lines(soup)):
        folded = [cell_text(cell).lower() for cell in header]
        if wanted <= set(folded):
            _check_one_each(folded, wanted, page)
            if any(len(line) not in (1, len(folded)) for line in lines):
                raise LayoutChanged(f"{page.name}: a row does not fit the columns {', '.join(folded)}")
            found.append([dict(zip(folded, line, strict=True)) for line in lines if len(line) == len(folded)])
    if not found:
        raise LayoutChanged(f"{page.name}: no table has the columns {', '.join(titles)}")
    return found


def table_lines(soup: Tag) -> list[list[list[Tag]]]:
    """The cells of every row of every table, or grid with table roles; what a table in a cell holds is its own."""
    tables: list[list[list[Tag]]] = []
    inside: dict[int, tuple[list[list[Tag]] | None, list[Tag] | None]] = {}  # of an element: its table, its row
    for tag in soup.find_all(True):
        table, row = inside.get(id(tag.parent), (None, None))
        role = tag.get("role")
        if tag.name == "table" or role in ("table", "grid"):
            table, row = [], None
            tables.append(table)
        elif table is not None and (tag.name == "tr" or role == "row"):
            row = []
            table.append(row)
        elif row is not None and (tag.name in ("th", "td") or role in _CELL_ROLES):
            row.append(tag)
        inside[id(tag)] = table, row
    return [[row for row in table if row] for table in tables]
