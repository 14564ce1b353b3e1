"""A table as wide as the terminal it is shown in. What its cells say is data; what values look like is printing.

No figure or name is broken. What does not fit goes in this order: notes move under the table, numbered; the columns
that a table can do without are left out, and a line under it names them; sentences wrap.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass

WIDEST = 100_000  # of a table that no terminal bounds, in characters
SENTENCE = 30  # characters: a text of several words that is longer may wrap, and gets no less
CAPTION = 80  # characters: a narrower table has captions as wide as that
NOTE = "note"  # the column of their numbers


@dataclass(frozen=True, slots=True)
class Column:
    """What stands below one heading, as it is shown."""

    name: str
    cells: Sequence[str]
    number: bool = False
    verbatim: bool = False  # headed by its name as it is, which a query may use

    @property
    def width(self) -> int:
        from rich.cells import cell_len

        return max(map(cell_len, (self.heading, *self.cells)))

    @property
    def wraps(self) -> bool:
        """Whether it holds sentences: what is long and of several words."""
        return not self.number and any(len(cell) > SENTENCE and len(cell.split()) > 3 for cell in self.cells)

    @property
    def least(self) -> int:
        if not self.wraps:
            return self.width
        words = (word for cell in self.cells for word in cell.split() if "://" not in word)
        return max(SENTENCE, *map(len, words))

    @property
    def heading(self) -> str:
        return self.name if self.verbatim else self.name.replace("_", " ")


def print_table(
    columns: Sequence[Column],
    title: str,
    *,
    notes: Sequence[str] = (),
    spare: Sequence[str] = (),
    keys: Sequence[str] = (),
) -> None:
    """Print a table; `notes` may go under it, it can do without its `spare` columns: by their names, the first first.

    After those it can do without the last ones. One that begins with its `keys` leaves out none: it becomes several,
    one under the other, each with its keys.
    """
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console()
    room = console.width if sys.stdout.isatty() else WIDEST
    begins = [one for one in columns if one.name in keys]
    if begins and _least(columns) > room:
        for block in _blocks(begins, [one for one in columns if one.name not in keys], room):
            print_table(block, title)
            title = ""
        return
    whole, under = columns, list[str]()
    notes = [name for name in notes if any(one.name == name for one in columns)]
    for several in range(1, len(notes) + 1):
        if _width(columns) <= room:
            break
        columns, under = _numbered(whole, notes[:several])
    columns, left_out = _fitting(columns, room, [*spare, *(one.name for one in columns[:0:-1] if one.name != NOTE)])
    # Text and not str: rich reads [red] and :smile: in a str as its own words
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for one in columns:
        table.add_column(
            Text(one.heading), justify="right" if one.number else "left", overflow="fold", no_wrap=not one.wraps
        )
    for cells in zip(*(one.cells for one in columns), strict=True):
        table.add_row(*map(Text, cells))
    console.width = min(room, _width(columns)) if _least(columns) <= room else _least(columns)
    wide = min(room, max(CAPTION, console.width))
    if title:
        console.print(Text(_wrapped(title, wide)), soft_wrap=True)
    console.print(table)
    if under:
        beneath = Table.grid(padding=(0, 1))
        for number, note in enumerate(under, 1):
            beneath.add_row(Text(f"({number})"), Text(note, overflow="fold"))
        console.width = room
        console.print(beneath)
    if left_out:
        told = f"Left out at {room} characters: {', '.join(left_out)}; --format json has all."
        console.print(Text(_wrapped(told, wide)), soft_wrap=True)
    if under or left_out:
        console.print()


def _wrapped(caption: str, width: int) -> str:
    """The caption in lines of that width, each at a blank: an address is not broken."""
    from textwrap import TextWrapper

    lines = TextWrapper(width, break_long_words=False, break_on_hyphens=False)
    return "\n".join(part for line in caption.split("\n") for part in lines.wrap(line) or [""])


def _fitting(columns: Sequence[Column], room: int, spare: Sequence[str]) -> tuple[list[Column], list[str]]:
    """The columns that fit, and the headings of those left out, in the order of the table.

    Where a wide column had to go after narrow ones, those of them that fit in its place stay.
    """
    kept, gone = list(columns), list[str]()
    for name in spare:
        if _least(kept) <= room:
            break
        kept, gone = [one for one in kept if one.name != name], [*gone, name]
    for name in reversed(gone):
        more = [one for one in columns if one in kept or one.name == name]
        if _least(more) <= room:
            kept = more
    return kept, [one.heading for one in columns if one not in kept]


def _blocks(keys: Sequence[Column], columns: Sequence[Column], room: int) -> list[list[Column]]:
    """The columns in as few tables as fit, of much the same number of columns, each after the keys."""
    for several in range(2, len(columns) + 1):
        each = -(-len(columns) // several)
        blocks = [[*keys, *columns[start : start + each]] for start in range(0, len(columns), each)]
        if all(_least(block) <= room for block in blocks):
            return blocks
    return [[*keys, one] for one in columns]


def _numbered(columns: Sequence[Column], notes: Sequence[str]) -> tuple[list[Column], list[str]]:
    """The columns with one of numbers in place of the notes, and each note that there is, once."""
    noted = [one for one in columns if one.name in notes]
    named = [[f"{one.heading}: {text}" if text and len(noted) > 1 else text for text in one.cells] for one in noted]
    texts = ["; ".join(filter(None, cells)) for cells in zip(*named, strict=True)]
    each = list(dict.fromkeys(filter(None, texts)))
    numbers = [f"({each.index(text) + 1})" if text else "" for text in texts]
    return [*(one for one in columns if one.name not in notes), Column(NOTE, numbers)], each


def _width(columns: Sequence[Column]) -> int:
    return sum(one.width for one in columns) + _between(columns)


def _least(columns: Sequence[Column]) -> int:
    return sum(one.least for one in columns) + _between(columns)


def _between(columns: Sequence[Column]) -> int:
    return 3 * len(columns) - 1  # a space on either side of a column, and one of the box
