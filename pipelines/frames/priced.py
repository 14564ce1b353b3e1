"""Cost questions that need both prices and a formula of models/, as frames: what a budget trains, prices to come.

What SQL can multiply is in warehouse/sql/tables; what needs no price is in cost_frames.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING

import polars as pl

from models.costs.trends import later_days, price_trend, project
from models.gpus import gpus
from models.training.clusters import RentalOffer
from pipelines.answers.instances import fees_usd, largest_on, spent_usd
from pipelines.answers.prices import price_indices, rental_offers
from pipelines.frames.reference import frame_of
from warehouse.database import value

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

BUDGETS_USD = (10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000)
YEARS = 5
_NEWEST = "SELECT max(CAST(observed_at AT TIME ZONE 'UTC' AS DATE)) FROM core.scrape WHERE status <> 'failed'"


@dataclass(frozen=True, slots=True)
class AffordableModel:
    """A row of affordable_model."""

    budget_usd: float
    spent_usd: float
    provider: str
    gpu: str
    usd_per_gpu_hour: float
    gpu_hours: float
    params_low: float
    params_mid: float
    params_high: float
    tokens_low: float
    tokens_mid: float
    tokens_high: float
    flop_mid: float
    min_gpus: int
    gpus: int
    sizing: str
    setup_usd: float
    sku: str
    region: str
    in_stock: bool | None
    observed_at: datetime | None
    page_sha256: str
    offer_key: str


@dataclass(frozen=True, slots=True)
class PriceProjection:
    """A row of price_projection."""

    gpu: str
    day: date
    provider: str
    usd_per_gpu_hour_low: float
    usd_per_gpu_hour_mid: float
    usd_per_gpu_hour_high: float
    per_year_low: float
    per_year_mid: float
    per_year_high: float
    basis: str
    sku: str
    region: str
    observed_at: datetime | None
    page_sha256: str
    offer_key: str


def priced_frames(ledger: DuckDBPyConnection) -> Mapping[str, pl.DataFrame]:
    """Frames by the name of their file in warehouse/sql/questions, from the on-demand prices that stand."""
    offers: dict[str, list[RentalOffer]] = {}  # of each GPU, cheapest first
    for offer in rental_offers(ledger, pricings=["on_demand"]):
        chip = gpus().get(offer.gpu)  # a ledger that names another is refused by its checks
        if chip and chip.trains:
            offers.setdefault(offer.gpu, []).append(offer)
    return {
        "affordable_model": frame_of(AffordableModel, list(_affordable(offers))),
        "price_projection": frame_of(PriceProjection, list(_projections(ledger, offers))),
    }


def _affordable(offers: Mapping[str, list[RentalOffer]]) -> Iterator[AffordableModel]:
    """One a budget and GPU, on its cheapest offer that can train what the budget pays."""
    for gpu, alike in offers.items():
        for budget in BUDGETS_USD:
            if found := largest_on(gpus()[gpu], alike, budget):
                offer, best = found
                yield AffordableModel(
                    budget_usd=best.budget_usd,
                    spent_usd=spent_usd(offer, best),
                    provider=offer.provider,
                    gpu=offer.gpu,
                    usd_per_gpu_hour=best.usd_per_gpu_hour,
                    gpu_hours=best.gpu_hours,
                    params_low=best.params.low,
                    params_mid=best.params.mid,
                    params_high=best.params.high,
                    tokens_low=best.tokens.low,
                    tokens_mid=best.tokens.mid,
                    tokens_high=best.tokens.high,
                    flop_mid=best.flop.mid,
                    min_gpus=best.min_gpus,
                    gpus=best.gpus,
                    sizing=best.sizing,
                    setup_usd=fees_usd(offer, best.gpus),
                    sku=offer.sku,
                    region=offer.region,
                    in_stock=False if offer.sold_out else offer.available,
                    observed_at=offer.observed_at,
                    page_sha256=offer.page_sha256,
                    offer_key=offer.offer_key,
                )


def _projections(ledger: DuckDBPyConnection, offers: Mapping[str, list[RentalOffer]]) -> Iterator[PriceProjection]:
    """One a GPU and year from the newest look on, so that the same looks give the same table on any day."""
    day: date | None = value(ledger, _NEWEST)
    if day is None:
        return
    series = price_indices(ledger)
    for gpu, alike in offers.items():
        standing = [offer for offer in alike if offer.offered_until is None or offer.offered_until >= day]
        offer, trend = (standing or alike)[0], price_trend(series.get(gpu, []), series.get(gpus()[gpu].gpu_family, []))
        for rent in project(float(offer.usd_per_gpu_hour), day, [day, *later_days(day, YEARS)], trend):
            yield PriceProjection(
                gpu=gpu,
                day=rent.on,
                provider=offer.provider,
                usd_per_gpu_hour_low=rent.value.low,
                usd_per_gpu_hour_mid=rent.value.mid,
                usd_per_gpu_hour_high=rent.value.high,
                per_year_low=trend.per_year.low,
                per_year_mid=trend.per_year.mid,
                per_year_high=trend.per_year.high,
                basis=trend.basis,
                sku=offer.sku,
                region=offer.region,
                observed_at=offer.observed_at,
                page_sha256=offer.page_sha256,
                offer_key=offer.offer_key,
            )
