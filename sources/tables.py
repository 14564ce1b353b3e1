"""Reading tables by the whole titles of their columns, never by position or by a word of a title.

A table that lacks a column it was read by, has it twice, or has prices or their conditions where nobody knew of any is
LayoutChanged.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from bs4 import Tag

from models.naming.conditions import names_commitment, names_condition, names_interruptible
from sources.markup import cell_text
from sources.reading import currencies_of, effective_date
from sources.source import LayoutChanged, Page

# What a column of prices is called, whatever their condition, and what one of a condition is; a title of sizes has
# none of these words.
_OF_PRICES = re.compile(
    r"\b(?:pric\w*|costs?|hourly|monthly|yearly|hours?|hr|months?|years?|spot|preemptible|on[- ]demand|usd|eur)\b"
    r"|\b(?:reserv\w*|commit\w*|contract\w*|discount\w*|savings?|starting (?:at|from)|as low as|promo\w*|rates?)\b"
    r"|[$€£]|\b(?:terms?|durations?|tenures?|leases?|billing|billed)\b",  # a condition of the prices beside it
    re.IGNORECASE,
)
_OF_COUNTS = re.compile(r"\b(?:gpus|gpu count|count|qty|quantity|nodes?|min(?:imum)?)\b", re.IGNORECASE)
_SEVERAL = re.compile(r"x? ?0*(?:[2-9]|[1-9]\d+) ?(?:x|\+|gpus|nodes)?", re.IGNORECASE)
_HEADINGS = frozenset({"h2", "h3", "h4", "h5", "h6"})
_CELL_ROLES = frozenset({"columnheader", "rowheader", "cell", "gridcell"})


def check_row(header: Sequence[str], cells: Sequence[str], known: Iterable[str], page: Page) -> None:
    """Raises LayoutChanged for a row that does not fit its header, and for what stands under a title that is not known.

    A title of prices is that: "Price with commitment" is not "Price", and beside it "Price" may mean something else
    than it did. Under any other title a price or a commitment is ("Now", "Notes"), and a count of several ("GPUs").
    """
    read = {_folded(title) for title in known}
    if len(cells) != len(header):
        raise LayoutChanged(f"{page.name}: a row of {len(cells)} cells under {len(header)} titles")
    for title, cell in zip(header, cells, strict=True):
        if _folded(title) not in read:
            if _OF_PRICES.search(title):
                raise LayoutChanged(f"{page.name}: a column of prices {title[:60]!r} that is not known")
            several = _OF_COUNTS.search(title) and _SEVERAL.fullmatch(cell)
            if several or currencies_of(cell) or names_commitment(cell) or names_interruptible(cell):
                raise LayoutChanged(f"{page.name}: {cell[:60]!r} under the unknown title {title[:60]!r}")


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
    for a row that `check_row` refuses.
    """
    check_row(header, cells, (*wanted, *unread), page)
    folded = [_folded(title) for title in header]
    _check_one_each(folded, wanted, page)
    found: dict[str, str] = {}
    for title in wanted:
        if _folded(title) not in folded:
            raise LayoutChanged(f"{page.name}: no column {title!r} among {', '.join(header) or 'none'}")
        found[title] = cells[folded.index(_folded(title))]
    return found


def tables_with(soup: Tag, titles: Sequence[str], page: Page) -> list[list[dict[str, Tag]]]:
    """The rows of every table, or grid with table roles, that has all these columns: cells by title.

    Raises LayoutChanged when no table has them all, one has one twice, and for a row that `check_row` refuses.
    """
    wanted = {_folded(title): title for title in titles}
    found = []
    for header, *lines in filter(None, table_lines(soup)):
        texts = [cell_text(cell) for cell in header]
        folded = [_folded(text) for text in texts]
        if wanted.keys() <= set(folded):
            _check_one_each(folded, titles, page)
            rows = []
            for line in without_notes(lines, page):
                check_row(texts, [cell_text(cell) for cell in line], titles, page)
                rows.append({title: line[folded.index(known)] for known, title in wanted.items()})
            found.append(rows)
    if not found:
        raise LayoutChanged(f"{page.name}: no table has the columns {', '.join(titles)}")
    return found


def without_notes(lines: Iterable[Sequence[Tag]], page: Page) -> Iterator[Sequence[Tag]]:
    """The rows of more than one cell. Raises LayoutChanged where a note that makes another price stands above one."""
    note = ""
    for line in lines:
        if len(line) == 1:
            note = cell_text(line[0])
        elif names_condition(note):
            raise LayoutChanged(f"{page.name}: rows of prices below the note {note[:60]!r}")
        else:
            yield line


def check_heading(prices: Tag, headings: Mapping[int, Sequence[str]], page: Page, *, spot: bool = False) -> None:
    """Raises LayoutChanged where a heading above, or the caption, makes another price or names a day that is to come.

    `headings` are those of `headings_above`; `spot`: some of these are spot prices.
    """
    table = prices.find_parent("table") or prices
    caption = [cell_text(table.caption)] if table.caption else []
    for said in (*caption, *headings[id(prices)]):
        from_when = effective_date(said)
        if names_condition(said, spot=spot) or (from_when and from_when > page.observed_at.date()):
            raise LayoutChanged(f"{page.name}: prices under the heading {said[:60]!r}")


def headings_above(soup: Tag) -> dict[int, tuple[str, ...]]:
    """By the id of every element the headings that it stands below, the highest first, but for the title of the page.

    What names a product is the heading of a row.
    """
    above: dict[int, tuple[str, ...]] = {}
    open_ones: list[tuple[str, str]] = []  # level, text
    now: tuple[str, ...] = ()
    for tag in soup.find_all(True):
        if tag.name in _HEADINGS and not tag.has_attr("data-product"):
            open_ones = [one for one in open_ones if one[0] < tag.name] + [(tag.name, cell_text(tag))]
            now = tuple(text for _, text in open_ones)
        above[id(tag)] = now
    return above


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
