"""What a look came to, as files: offers, quarantined rows and rates in Parquet, the summary in JSON.

    <root>/<provider>/<moment>.offers.parquet | .rejected.parquet | .rates.parquet | .scrape.json

The summary is written last: a look without one was not finished. Files are never rewritten, and the ledger can
be loaded from them alone. Making offers out of pages is not done here.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import UTC, date, datetime
from decimal import ROUND_HALF_EVEN, Decimal
from hashlib import blake2b
from pathlib import Path
from typing import Any, Literal

import polars as pl

from models.offers import CurrencyRate, Offer, Rejected

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
    "available": pl.Boolean(),
    "term_months": pl.Int32(),
    "quantity": pl.Int64(),
    "minimum_gpus": pl.Int64(),
    "cluster_gpus": pl.Int64(),
    "observed_at": pl.Datetime("us", "UTC"),
}
_OFFER_COLUMNS = {field.name: _TYPES.get(field.name, pl.String()) for field in fields(Offer)}
_REJECTED_COLUMNS: dict[str, pl.DataType] = {"reject_key": pl.String()} | {
    field.name: pl.Datetime("us", "UTC") if field.name == "observed_at" else pl.String() for field in fields(Rejected)
}
_RATE_COLUMNS: dict[str, pl.DataType] = {
    "currency": pl.String(),
    "rate_date": pl.Date(),
    "per_eur": pl.Decimal(18, 8),
    "page_sha256": pl.String(),
    "observed_at": pl.Datetime("us", "UTC"),
}


@dataclass(frozen=True, slots=True)
class ScrapedPage:
    """A page of a look, as the ledger names it."""

    book: str
    url: str
    name: str
    sha256: str
    bytes: int
    unchanged: bool


@dataclass(frozen=True, slots=True)
class Scrape:
    """The summary of one look: what core.scrape and core.scrape_page hold."""

    provider: str
    observed_at: datetime
    origin: Literal["live", "recorded"]
    status: Literal["ok", "partial", "failed"]
    code: str
    reason: str
    books: Sequence[str]
    quotes: int
    offers: int
    rejected: int
    pages: Sequence[ScrapedPage]


class OfferFiles:
    """The folder of what every look came to."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def write(
        self, scrape: Scrape, offers: Sequence[Offer], rejected: Sequence[Rejected], rates: Sequence[CurrencyRate] = ()
    ) -> None:
        """Keep what a look came to; empty kinds leave no file."""
        stem = f"{scrape.observed_at.astimezone(UTC):%Y%m%dT%H%M%S.%fZ}"
        folder = self.root / scrape.provider
        folder.mkdir(parents=True, exist_ok=True)
        for kind, frame in (
            ("offers", offers_frame(offers)),
            ("rejected", _rejected_frame(rejected)),
            ("rates", _rates_frame(rates, scrape.observed_at)),
        ):
            target = folder / f"{stem}.{kind}.parquet"
            if frame.height:
                draft = target.with_name(f".writing-{os.getpid()}-{target.name}")
                frame.write_parquet(draft, compression="zstd")
                draft.replace(target)
            else:
                target.unlink(missing_ok=True)  # an earlier, unfinished write of the same look
        summary = asdict(scrape) | {"observed_at": scrape.observed_at.isoformat()}
        draft = folder / f".writing-{os.getpid()}-{stem}.json"
        draft.write_text(json.dumps(summary, ensure_ascii=False))
        draft.replace(folder / f"{stem}.scrape.json")

    def summaries(self) -> list[Path]:
        """The summary files of all finished looks, by provider and time."""
        return sorted(self.root.glob("*/*.scrape.json"))

    def last(self, provider: str) -> Scrape | None:
        """The summary of the newest look at a provider; None when there is none."""
        newest = max((self.root / provider).glob("*.scrape.json"), default=None)
        return None if newest is None else read_summary(newest)


def read_summary(path: Path) -> Scrape:
    """A summary file."""
    record = json.loads(path.read_bytes())
    record["observed_at"] = datetime.fromisoformat(record["observed_at"])
    record["pages"] = [ScrapedPage(**page) for page in record["pages"]]
    return Scrape(**record)


def companions(summaries: Iterable[Path], kind: Literal["offers", "rejected", "rates"]) -> list[str]:
    """The Parquet files of one kind that belong to these summaries and exist."""
    paths = (path.with_name(path.name.replace(".scrape.json", f".{kind}.parquet")) for path in summaries)
    return [str(path) for path in paths if path.exists()]


def offers_frame(offers: Sequence[Offer]) -> pl.DataFrame:
    """Offers as a frame with the ledger's exact column types."""
    return pl.DataFrame(
        {
            name: pl.Series(name, [_exact(getattr(offer, name), kind) for offer in offers], dtype=kind)
            for name, kind in _OFFER_COLUMNS.items()
        }
    )


def _rejected_frame(rejected: Sequence[Rejected]) -> pl.DataFrame:
    rows = [_rejected_row(row) for row in rejected]
    return pl.DataFrame(rows, schema=_REJECTED_COLUMNS)


def _rejected_row(row: Rejected) -> dict[str, Any]:
    shown = asdict(row) | {"amount": "" if row.amount is None else str(row.amount)}
    identity = "\x1f".join(
        str(value) for name, value in shown.items() if name not in ("observed_at", "page_sha256", "detail")
    )
    return {"reject_key": blake2b(identity.encode(errors="replace"), digest_size=16).hexdigest(), **shown}


def _rates_frame(rates: Sequence[CurrencyRate], observed_at: datetime) -> pl.DataFrame:
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


def _exact(value: Any, kind: pl.DataType) -> Any:
    """A value as its column stores it: decimals rounded half even to the column's places."""
    if isinstance(value, Decimal) and isinstance(kind, pl.Decimal):
        return value.quantize(Decimal(1).scaleb(-kind.scale), rounding=ROUND_HALF_EVEN)
    if isinstance(value, datetime) and isinstance(kind, pl.Date):
        return date(value.year, value.month, value.day)
    return value
