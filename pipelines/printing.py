"""Rows for people and for programs: a table, JSON or CSV. Stable column names; numbers stay numbers."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import click

FORMATS = ("table", "json", "csv")
format_option = click.option(
    "--format", "style", type=click.Choice(FORMATS), default="table", show_default=True, help="How to print rows."
)


def print_rows(rows: Sequence[dict[str, Any]], style: str, *, title: str = "", empty: str = "no rows") -> None:
    """Print rows on standard output; JSON is a list of objects, CSV has a header line also without rows."""
    if style == "json":
        click.echo(as_json(list(rows)))
    elif style == "csv":
        text = io.StringIO()
        if rows:
            writer = csv.DictWriter(text, fieldnames=list(rows[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows({key: _cell(value) for key, value in row.items()} for row in rows)
        click.echo(text.getvalue(), nl=False)
    elif rows:
        _print_table(rows, title)
    else:
        click.echo(empty, err=True)


def print_lines(
    rows: Sequence[dict[str, Any]],
    style: str,
    lines: Mapping[str, Callable[[dict[str, Any]], Any]],
    *,
    title: str = "",
    empty: str = "no rows",
) -> None:
    """Rows as they are for programs; for people the columns of `lines`, each made of a row."""
    if style == "table":
        rows = [{name: value(row) for name, value in lines.items()} for row in rows]
    print_rows(rows, style, title=title, empty=empty)


def short(amount: float) -> str:
    """An amount or count with three digits: 1.12K, 621M, 2.5B."""
    for size, letter in ((1e9, "B"), (1e6, "M"), (1e3, "K")):
        if amount >= size:
            return f"{amount / size:.3g}{letter}" if amount < 999.5 * size else f"{amount / size:,.0f}{letter}"
    return f"{amount:.0f}"


def as_json(value: Any) -> str:
    """Indented JSON; decimals as numbers, times as ISO 8601 in UTC."""
    return json.dumps(value, indent=2, ensure_ascii=False, default=_plain, allow_nan=False)


def _print_table(rows: Sequence[dict[str, Any]], title: str) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    console = Console(width=None if sys.stdout.isatty() else 200)
    table = Table(title=title or None, box=box.SIMPLE_HEAD, title_justify="left", pad_edge=False)
    for name in rows[0]:
        number = any(isinstance(row[name], (int, float, Decimal)) and not isinstance(row[name], bool) for row in rows)
        table.add_column(name.replace("_", " "), justify="right" if number else "left", overflow="fold")
    for row in rows:
        table.add_row(*(_shown(value) for value in row.values()))
    console.print(table)


def _shown(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Decimal):
        value = float(value)
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:,.4f}".rstrip("0").rstrip(".")
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M}"
    return str(value)


def _cell(value: Any) -> Any:
    return "" if value is None else _plain(value) if isinstance(value, (Decimal, date)) else value


def _plain(value: Any) -> Any:
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, date):
        return value.isoformat()
    raise TypeError(f"no JSON for {type(value).__name__}")
