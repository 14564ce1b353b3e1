"""Small ledgers made by hand: offers, looks kept as offer files, and reference tables with only what is needed."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import polars as pl

from models.offers import CurrencyRate, Offer, Rejected
from pipelines.frames.priced import priced_frames
from warehouse.database import opened_to_write, rows
from warehouse.laying import load_reference, recompute
from warehouse.load import load
from warehouse.offer_files import OfferFiles, Scrape, ScrapedPage

H100 = Offer(
    offer_key="",
    provider="acme",
    book="",
    sku="8xh100",
    region="us-1",
    country="US",
    gpu="h100_sxm",
    gpu_family="h100",
    form_factor="SXM",
    gpu_memory_gb=Decimal(80),
    gpu_count=Decimal(8),
    vcpus=Decimal(192),
    memory_gb=Decimal(2048),
    pricing="on_demand",
    term_months=None,
    tier="",
    list_price=Decimal("24.00"),
    upfront=None,
    currency="USD",
    unit="per_instance_hour",
    usd_per_hour=Decimal("24.00"),
    usd_per_gpu_hour=Decimal("3.00"),
    fx_rate=Decimal(1),
    fx_date=None,
    available=True,
    quantity=None,
    minimum_gpus=None,
    fabric=None,
    cluster_gpus=None,
    effective_from=None,
    minimum_hours=None,
    offered_until=None,
    broker_of="",
    machine="",
    gpu_text="H100 SXM",
    observed_at=datetime(2026, 8, 1, tzinfo=UTC),
    origin="live",
    page_sha256="aa" * 32,
)


def moment(day: int, hour: int = 0) -> datetime:
    """A time in August 2026."""
    return datetime(2026, 8, day, hour, tzinfo=UTC)


def offer(sku: str, per_hour: str, usd_per_unit: str = "1", **said: Any) -> Offer:
    """An offer of 8 H100 at a list price per hour, converted at `usd_per_unit`."""
    count = Decimal(said.get("gpu_count", 8))
    usd = Decimal(per_hour) * Decimal(usd_per_unit)
    made = replace(
        H100,
        sku=sku,
        list_price=Decimal(per_hour),
        fx_rate=Decimal(usd_per_unit),
        usd_per_hour=usd,
        usd_per_gpu_hour=usd / count,
        **said,
    )
    identity = (made.provider, made.sku, made.gpu, made.region, made.pricing, made.currency, str(made.term_months))
    return replace(made, offer_key="|".join(identity))


def refused(sku: str, reason: str, amount: str | None = None, **said: Any) -> Rejected:
    """A row of acme's list that is no price."""
    values = {"provider": "acme", "book": "", "observed_at": moment(1), "region": "us-1", "page_sha256": "aa" * 32}
    values |= {"gpu_text": "H100 SXM", "currency": "USD", "unit": "per_instance_hour", "pricing": "on_demand"} | said
    return Rejected(reason=reason, detail=f"{reason} of {sku}", sku=sku, amount=amount and Decimal(amount), **values)


def keep_look(
    files: OfferFiles,
    at: datetime,
    offers: Sequence[Offer] = (),
    *,
    provider: str = "acme",
    books: Sequence[str] = ("",),
    failure: str = "",
    origin: str = "live",
    rejected: Sequence[Rejected] = (),
    rates: Sequence[CurrencyRate] = (),
    **more: Any,
) -> None:
    """A look that read `books` whole and found these offers in them. Without books it failed."""
    status = "failed" if not books else "partial" if failure else "ok"
    page = ScrapedPage("", "https://prices.example/list", "list", "aa" * 32, 1000, False)
    scrape = Scrape(
        provider, at, origin, status, failure and "unreachable", failure, books, len(offers), len(offers),
        len(rejected), [page] if books else [],
    )  # fmt: skip
    dated = [replace(one, observed_at=at, provider=provider, origin=origin) for one in offers]
    files.write(scrape, dated, [replace(row, observed_at=at, provider=provider) for row in rejected], rates, **more)


def rate(on: date, currency: str, per_eur: str) -> CurrencyRate:
    """A rate as the European Central Bank prints it."""
    return CurrencyRate(on, currency, Decimal(per_eur), "ec" * 32)


@dataclass(frozen=True)
class Ledger:
    """A warehouse in a folder of its own with its offer files."""

    root: Path

    @property
    def files(self) -> OfferFiles:
        return OfferFiles(self.root / "offers")

    @property
    def path(self) -> Path:
        return self.root / "warehouse.duckdb"

    def look(self, at: datetime, *offers: Offer, **more: Any) -> None:
        keep_look(self.files, at, offers, **more)

    def load(self) -> None:
        self._begin()
        load(self.path, self.files)

    def refer(self, **frames: pl.DataFrame) -> None:
        """Lay the reference tables and with them the views people query."""
        self._begin()
        load_reference(self.path, {**no_reference(), **frames})

    def _begin(self) -> None:
        if not self.path.exists():
            self.path.write_bytes(_laid())

    def recompute(self) -> None:
        recompute(self.path, priced_frames)

    def rows(self, query: str, *parameters: Any) -> list[dict[str, Any]]:
        with self.opened() as connection:
            return rows(connection, query, list(parameters) or None)

    @contextmanager
    def opened(self) -> Iterator[duckdb.DuckDBPyConnection]:
        with opened_to_write(self.path) as connection:
            yield connection


@cache
def _laid() -> bytes:
    """A warehouse without a look: to lay tables, views and macros takes a second."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "warehouse.duckdb"
        load_reference(path, no_reference())
        return path.read_bytes()


HISTORY = "SELECT * FROM core.observation ORDER BY offer_key, observed_at"


def no_reference() -> Mapping[str, pl.DataFrame]:
    """Reference tables with nothing in them but the one GPU."""
    return {
        "gpu": pl.DataFrame({"gpu": ["h100_sxm"], "gpu_family": ["h100"], "trains": [True]}),
        "llm": pl.DataFrame({"llm": []}, schema={"llm": pl.String}),
        "constant": pl.DataFrame({"name": []}, schema={"name": pl.String}),
        "source": pl.DataFrame({"provider": []}, schema={"provider": pl.String}),
        **{
            name: pl.DataFrame({"llm": []}, schema={"llm": pl.String})
            for name in ("training_requirement", "fine_tuning_requirement", "hosting_requirement", "api_price")
        },
        "what_if_requirement": pl.DataFrame({"llm": []}, schema={"llm": pl.String}),
        "model_sizing": pl.DataFrame({"flop": []}, schema={"flop": pl.Float64}),
        "spot_gang": pl.DataFrame({"nodes": []}, schema={"nodes": pl.Int64}),
        "claim": pl.DataFrame({"claim_id": []}, schema={"claim_id": pl.String}),
    }
