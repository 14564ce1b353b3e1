"""Rows for people and for programs: a table, JSON, CSV or Markdown. Stable column names; numbers stay numbers.

What a page or a query says is data: no markup is read in it, and nothing in it steers the terminal.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
import sys
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, time
from decimal import Decimal
from functools import wraps
from itertools import chain, islice
from typing import Any

import click

from pipelines import markdown
from pipelines.answers import NothingFits
from pipelines.commands.layout import Column, print_table

FORMATS = ("table", "json", "csv", "md")
_INFINITE = {  # moments as DuckDB hands them over
    datetime.max.replace(tzinfo=UTC): "infinity",
    datetime.min.replace(tzinfo=UTC): "-infinity",
}
ROWS_AT_ONCE = 2000  # held in memory while they are printed
_STEERING = ("Cc", "Cf", "Cs", "Zl", "Zp")  # Unicode categories: control, format, surrogate, line, paragraph


def formats(default: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Add --format to a command; where nothing fits it prints no rows, and why on standard error."""

    def add(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def answered(*arguments: Any, **given: Any) -> None:
            try:
                command(*arguments, **given)
            except NothingFits as reason:
                print_rows([], given["style"], empty=str(reason))

        style = click.Choice(FORMATS)
        return click.option(
            "--format", "style", type=style, default=default, show_default=True, help="How to print rows."
        )(answered)

    return add


format_option = formats("table")


def print_rows(
    rows: Iterable[Mapping[str, Any]],
    style: str,
    *,
    columns: Sequence[str] = (),
    title: str = "",
    empty: str = "no rows",
    most: int | None = None,
    notes: Sequence[str] = (),
    spare: Sequence[str] = (),
    keys: Sequence[str] = (),
    verbatim: bool = False,
) -> None:
    """Print rows on standard output as they come, and `empty` on standard error where there are none.

    JSON is a list of objects; CSV has a header line also without rows, for which `columns` names what rows have. A
    table shows `most` rows and says on standard error that there are more. In a narrow terminal its `notes` go under it
    and columns are left out: `spare` names the first of them, in their order. With the column named in `keys` none is:
    the table is told in several, one under the other, each beginning with it.

    Headings have blanks for underscores unless they are `verbatim`.
    """
    left = iter(rows)
    batch = list(islice(left, ROWS_AT_ONCE))
    if not batch:
        click.echo(empty, err=True)
    columns = list(batch[0]) if batch else columns
    if style == "json":
        before = "["
        while batch:
            click.echo(before + ",".join(f"\n  {as_json(row, indent='  ')}" for row in batch), nl=False)
            before, batch = ",", list(islice(left, ROWS_AT_ONCE))
        click.echo("[]" if before == "[" else "\n]")
    elif style == "csv":
        text = _as_csv([columns] if columns else [])
        while batch:
            text += _as_csv([as_text(row[name]) for name in columns] for row in batch)
            click.echo(printable(text, keep="\n") if sys.stdout.isatty() else text, nl=False)
            text, batch = "", list(islice(left, ROWS_AT_ONCE))
        click.echo(text, nl=False)
    elif style == "md" and batch:
        cells = ([printable(_shown(row[name])) for name in columns] for row in chain(batch, left))
        click.echo(markdown.table(columns, cells))
    elif batch:
        shown = [*batch, *islice(left, None if most is None else max(most + 1 - len(batch), 0))]
        print_table(
            _columns(columns, shown[:most], verbatim), printable(title, keep="\n"), notes=notes, spare=spare, keys=keys
        )
        if most is not None and len(shown) > most:
            click.echo(f"the first {most:,} rows; --format csv or json gives all", err=True)


def print_lines(
    rows: Sequence[dict[str, Any]],
    style: str,
    lines: Mapping[str, Callable[[dict[str, Any]], Any]],
    *,
    columns: Sequence[str] = (),
    title: str = "",
    empty: str = "no rows",
    notes: Sequence[str] = (),
    spare: Sequence[str] = (),
) -> None:
    """Rows as they are for programs; for people the columns of `lines`, each made of a row."""
    if style == "table":
        rows = [{name: value(row) for name, value in lines.items()} for row in rows]
    print_rows(rows, style, columns=columns, title=title, empty=empty, notes=notes, spare=spare)


def short(amount: float) -> str:
    """An amount or count with three digits: 0.0125, 12.5, 1.12K, 621M, 2.5B, 15T."""
    for size, letter in ((1e12, "T"), (1e9, "B"), (1e6, "M"), (1e3, "K")):
        if abs(amount) >= 0.9995 * size:
            return f"{amount / size:,.0f}{letter}" if abs(amount) >= 999.5 * size else f"{amount / size:.3g}{letter}"
    return f"{amount:.0f}" if abs(amount) >= 100 else f"{amount:.3g}"


def shown_days(days: float) -> float:
    """Days as tables show them: below ten with a decimal."""
    return round(days, 1) if days < 10 else round(days)


def printable(text: str, keep: str = "") -> str:
    """The text with what would steer a terminal (escape sequences, line ends, direction marks) written out."""
    if text.isprintable():
        return text
    return "".join(
        one if one in keep or unicodedata.category(one) not in _STEERING else ascii(one)[1:-1] for one in text
    )


def as_json(value: Any, indent: str = "") -> str:
    """Indented JSON; decimals as exact numbers, times as ISO 8601, what JSON has no word for as text or null.

    `indent` goes before each line but the first.
    """
    text = json.dumps(_plain(value), indent=2, ensure_ascii=False).replace("\n", f"\n{indent}")
    # JSON writes only the first controls out by itself; all that are left stand inside strings
    return re.sub(r"[^\n -~]", lambda found: _json_escape(found[0]), text)


def as_text(value: Any) -> str:
    """A value of a row as one exact text, as CSV holds it."""
    if value is None:
        return ""
    if isinstance(value, Decimal) and value.is_finite():
        return f"{value.normalize():f}"
    if isinstance(value, float):
        return _infinite(value) or repr(value)
    plain = _plain(value)
    return json.dumps(plain, ensure_ascii=False) if isinstance(plain, (dict, list)) else str(plain)


def _as_csv(lines: Iterable[Sequence[str]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(lines)
    return text.getvalue()


def _columns(names: Sequence[str], rows: Sequence[Mapping[str, Any]], verbatim: bool) -> list[Column]:
    def number(name: str) -> bool:
        return any(isinstance(row[name], (int, float, Decimal)) and not isinstance(row[name], bool) for row in rows)

    def column(name: str) -> Column:
        return Column(printable(name), [printable(_shown(row[name])) for row in rows], number(name), verbatim)

    return [column(name) for name in names]


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (float, Decimal)):
        return _figure(value)
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M}"
    return as_text(value)


def _figure(value: float | Decimal) -> str:
    """A number with four decimals, and below 1 with four digits: what is not 0 is never shown as 0."""
    if not math.isfinite(value):
        return str(value)
    size = abs(float(value))
    if size >= 1000:
        return f"{value:,.0f}" if size < 1e15 else f"{float(value):.4g}"
    if size >= 1 or size == 0:
        return f"{value:.4f}".rstrip("0").rstrip(".")
    return f"{float(value):.4g}"


def _plain(value: Any) -> Any:
    """The value in the words of JSON. A decimal that no double holds exactly, and infinity, are text; NaN is null."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else _infinite(value)
    if isinstance(value, Decimal):
        if not value.is_finite():
            return None
        number = float(value)
        return number if Decimal(repr(number)) == value else f"{value.normalize():f}"
    if isinstance(value, datetime) and value.replace(tzinfo=UTC) in _INFINITE:
        return _INFINITE[value.replace(tzinfo=UTC)]
    if isinstance(value, (date, time)):
        return value.isoformat()
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value).hex()
    if isinstance(value, Mapping):
        return {as_text(key): _plain(part) for key, part in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_plain(part) for part in value]
    return str(value)


def _infinite(value: float) -> str | None:
    """The word for an infinite number, which Python, SQL and spreadsheets read back; None for any other."""
    return ("Infinity" if value > 0 else "-Infinity") if math.isinf(value) else None


def _json_escape(character: str) -> str:
    if unicodedata.category(character) not in _STEERING:
        return character
    return json.dumps(character)[1:-1] if character != "\x7f" else "\\u007f"
