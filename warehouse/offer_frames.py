"""What a look came to as frames with the ledger's exact column types, ready for Parquet.

Where the files lie is in offer_files.py; what the columns mean is said in sql/migrations.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from datetime import date, datetime
from decimal import ROUND_HALF_EVEN, Decimal
from hashlib import blake2b
from typing import Any

import polars as pl

from models.moves import PriceMove
from models.offers import CurrencyRate, Offer, Rejected
from models.witnesses import WitnessedPrice

_TYPES: Mapping[str, pl.DataType] = {
    "gpu_memory_gb": pl.Decimal(9, 2),
    "gpu_count": pl.Decimal(18, 8),
    "vcpus": pl.Decimal(12, 3),
    "memory_gb": pl.Decimal(14, 3),
    "list_price": pl.Decimal(18, 8),
    "upfront": pl.Decimal(18, 8),
    "usd_per_hour": pl.Decimal(18, 8),
    "usd_per_gpu_hour": pl.Decimal(18, 8),
    "fx_rate": pl.Decimal(18, 10),
    "fx_date": pl.Date(),
    "effective_from": pl.Date(),
    "minimum_hours": pl.Decimal(12, 3),
    "offered_until": pl.Date(),
    "available": pl.Boolean(),
    "term_months": pl.Int32(),
    "quantity": pl.Int64(),
    "minimum_gpus": pl.Int64(),
    "cluster_gpus": pl.Int64(),
    "as_of": pl.Datetime("us", "UTC"),
    "observed_at": pl.Datetime("us", "UTC"),
}
_OFFER_COLUMNS = {field.name: _TYPES.get(field.name, pl.String()) for field in fields(Offer)}
_WITNESS_COLUMNS = {field.name: _TYPES.get(field.name, pl.String()) for field in fields(WitnessedPrice)}
_REJECTED_COLUMNS: dict[str, pl.DataType] = {"reject_key": pl.String()} | {
    field.name: pl.Datetime("us", "UTC") if field.name == "observed_at" else pl.String() for field in fields(Rejected)
}
_MOVE_COLUMNS: dict[str, pl.DataType] = {field.name: pl.String() for field in fields(PriceMove)} | {
    "observed_at": pl.Datetime("us", "UTC"),
    "held": pl.Boolean(),
    "usd_per_hour": pl.Decimal(18, 8),
    "last_usd_per_hour": pl.Decimal(18, 8),
    "last_fx_rate": pl.Decimal(18, 10),
    "last_seen_at": pl.Datetime("us", "UTC"),
    "held_since": pl.Datetime("us", "UTC"),
    "held_looks": pl.Int64(),
}
_RATE_COLUMNS: dict[str, pl.DataType] = {
    "currency": pl.String(),
    "rate_date": pl.Date(),
    "per_eur": pl.Decimal(18, 8),
    "page_sha256": pl.String(),
    "observed_at": pl.Datetime("us", "UTC"),
}

COLUMNS: Mapping[str, Mapping[str, pl.DataType]] = {
    "offers": _OFFER_COLUMNS,
    "rejected": _REJECTED_COLUMNS,
    "moves": _MOVE_COLUMNS,
    "rates": _RATE_COLUMNS,
    "witnesses": _WITNESS_COLUMNS,
}  # by kind of file


def offers_frame(offers: Sequence[Offer]) -> pl.DataFrame:
    """Offers as a frame with the ledger's exact column types."""
    return _frame(offers, _OFFER_COLUMNS)


def moves_frame(moves: Sequence[PriceMove]) -> pl.DataFrame:
    """Remarkable moves of prices, likewise."""
    return _frame(moves, _MOVE_COLUMNS)


def witnesses_frame(witnesses: Sequence[WitnessedPrice]) -> pl.DataFrame:
    """What an aggregator says that others charge, likewise."""
    return _frame(witnesses, _WITNESS_COLUMNS)


def rejected_frame(rejected: Sequence[Rejected]) -> pl.DataFrame:
    """Quarantined rows with the key that tells distinct ones."""
    rows = [_rejected_row(row) for row in rejected]
    return pl.DataFrame(rows, schema=_REJECTED_COLUMNS)


def rates_frame(rates: Sequence[CurrencyRate], observed_at: datetime) -> pl.DataFrame:
    """Reference rates as one look saw them."""
    rows = [
        {
            "currency": rate.currency,
            "rate_date": rate.on,
            "per_eur": _exact(rate.per_eur, _RATE_COLUMNS["per_eur"]),
            "page_sha256": rate.page_sha256,
            "observed_at": observed_at,
        }
        for rate in rates
    ]
    return pl.DataFrame(rows, schema=_RATE_COLUMNS)


def parquet(frame: pl.DataFrame) -> bytes:
    """A frame as Parquet."""
    buffer = io.BytesIO()
    frame.write_parquet(buffer, compression="zstd")
    return buffer.getvalue()


def _frame(records: Sequence[Offer | PriceMove | WitnessedPrice], columns: Mapping[str, pl.DataType]) -> pl.DataFrame:
    return pl.DataFrame(
        {
            name: pl.Series(name, [_exact(getattr(record, name), kind) for record in records], dtype=kind)
            for name, kind in columns.items()
        }
    )


def _rejected_row(row: Rejected) -> dict[str, Any]:
    shown = asdict(row) | {"amount": "" if row.amount is None else str(row.amount)}
    identity = "\x1f".join(
        str(value) for name, value in shown.items() if name not in ("observed_at", "page_sha256", "detail")
    )
    return {"reject_key": blake2b(identity.encode(errors="replace"), digest_size=16).hexdigest(), **shown}


def _exact(value: Any, kind: pl.DataType) -> Any:
    """A value as its column stores it: decimals rounded half even to the column's places."""
    if isinstance(value, Decimal) and isinstance(kind, pl.Decimal):
        return value.quantize(Decimal(1).scaleb(-kind.scale), rounding=ROUND_HALF_EVEN)
    if isinstance(value, datetime) and isinstance(kind, pl.Date):
        return date(value.year, value.month, value.day)
    return value
