"""quotes.json: the reviewed reading of a recording, by the date of the look and the book, one row a line.

The one place that knows how a row is written there. A price is sku, gpu, gpu_count, amount, currency, unit, pricing,
region, term_months, upfront, tier, available; what a witness says starts with whose price it is and when it was read;
a rate is its day, currency and units for one euro. GPU texts that are rightly unknown stand in `unknown_gpus`.
Which rows a page holds is the parser's word; whether they are right is for the reviewer.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from models.offers import CurrencyRate, Quote, Unreadable, Witness
from sources.source import Row

Cells = list[str | int | bool | None]
UNKNOWN_GPUS = "unknown_gpus"


def cells(row: Quote | Witness | CurrencyRate) -> Cells:
    """A row as quotes.json holds it: decimals as text, dates in ISO 8601."""
    if isinstance(row, CurrencyRate):
        return [row.on.isoformat(), row.currency, _figure(row.per_eur)]
    if isinstance(row, Witness):
        return [row.of, row.as_of.isoformat() if row.as_of else None, *cells(row.says)]
    return [
        row.sku,
        row.gpu,
        _figure(row.gpu_count),
        _figure(row.amount),
        row.currency,
        row.unit,
        row.pricing,
        row.region,
        row.term_months,
        _figure(row.upfront),
        row.tier,
        row.available,
    ]


def priced(rows: Sequence[Row]) -> list[Quote | Witness | CurrencyRate]:
    """The rows of a reading that quotes.json holds: all but those that are no price."""
    return [row for row in rows if not isinstance(row, Unreadable)]


def same(written: Sequence[Any]) -> tuple[str, ...]:
    """A row to compare by value: "8" is 8.0."""
    figures = {3: {2}, 12: {2, 3, 9}, 14: {4, 5, 11}}.get(len(written), set())
    return tuple(
        f"{Decimal(cell).normalize():f}" if place in figures and cell is not None else repr(cell)
        for place, cell in enumerate(written)
    )


def quotes_json(
    looks: Mapping[str, Mapping[str, Sequence[Quote | Witness | CurrencyRate]]], held: Mapping[str, Any] | None = None
) -> bytes:
    """quotes.json of these looks, by date and book, beside those that it `held` of other dates; rows sorted."""
    written: dict[str, Any] = {name: value for name, value in (held or {}).items() if name not in looks}
    unknown = written.pop(UNKNOWN_GPUS, None)
    for moment, books in looks.items():
        written[moment] = {book: sorted((cells(row) for row in rows), key=json.dumps) for book, rows in books.items()}
    parts = [f"{json.dumps(moment)}: {_books(books)}" for moment, books in sorted(written.items())]
    if unknown:
        parts.append(f"{json.dumps(UNKNOWN_GPUS)}: {json.dumps(unknown, ensure_ascii=False)}")
    return ("{\n" + ",\n".join(parts) + "\n}\n").encode()


def _books(books: Mapping[str, Sequence[Any]]) -> str:
    parts = []
    for book, rows in books.items():
        lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
        parts.append(f"{json.dumps(book, ensure_ascii=False)}: [\n{lines}\n]")
    return "{\n" + ",\n".join(parts) + "\n}"


def _figure(value: Decimal | None) -> str | None:
    return None if value is None else str(value)
