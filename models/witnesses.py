"""What aggregators say that a provider charges, brought to the same terms as our offers so that both can be compared.

Witnessed prices never become offers: no index, no cost table and no cheapest price is made of them. The comparison
itself is a view of the ledger (price_agreement).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from typing import Literal

from models.currencies import Rates
from models.normalise import normalise
from models.offers import Offer, Pricing, Quote, Rejected, Unreadable, Witness


@dataclass(frozen=True, slots=True)
class WitnessedPrice:
    """The lowest price that a witness gives for a series of instances with a card, of one kind, in one region."""

    witness: str
    book: str
    provider: str  # whose price it is, by our name
    gpu: str  # slug of models/gpus.csv, at the level the witness states
    gpu_family: str
    form_factor: str | None
    gpu_memory_gb: Decimal | None
    gpu_count: Decimal  # of the instance with that price
    pricing: Pricing
    term_months: int | None
    tier: str
    region: str
    country: str | None
    usd_per_gpu_hour: Decimal
    sku: str
    gpu_text: str
    as_of: datetime | None  # when the witness read it; None where it does not say
    observed_at: datetime  # UTC: when the witness was asked
    origin: Literal["live", "recorded"]
    page_sha256: str


def witnessed(
    rows: Iterable[Witness | Unreadable],
    *,
    witness: str,
    book: str,
    observed_at: datetime,
    origin: Literal["live", "recorded"],
    rates: Rates,
    page_sha256: str,
) -> tuple[list[WitnessedPrice], list[Rejected]]:
    """The lowest witnessed price per provider, card, kind of price, region and series, and the rows that are none.

    A row goes through the same rules as a quote (`models.normalise`): units, GPU names, bounds. Dearer instances of
    the same card and rows that repeat one say nothing new and are left out; so are slices, which are not compared.
    """
    told: dict[tuple[str, datetime | None], list[Quote | Unreadable]] = {}
    for row in rows:
        if isinstance(row, Unreadable):
            told.setdefault(("", None), []).append(row)
        else:
            # broker_of keeps what two providers sell under one name apart
            told.setdefault((row.of, row.as_of), []).append(replace(row.says, broker_of=row.of))
    lowest: dict[tuple[object, ...], WitnessedPrice] = {}
    rejected: list[Rejected] = []
    for (_, as_of), said in told.items():
        offers, refused = normalise(
            said,
            provider=witness,
            book=book,
            observed_at=observed_at,
            origin=origin,
            rates=rates,
            page_sha256=page_sha256,
        )
        rejected += (row for row in refused if row.reason != "duplicate")
        for offer in offers:
            if offer.gpu_count < 1 or offer.form_factor in ("MIG", "vGPU"):
                continue
            price = _price(offer, as_of)
            key = (
                price.provider,
                price.gpu,
                price.pricing,
                price.term_months,
                price.tier,
                price.region,
                series(price.sku),
            )
            if key not in lowest or _rank(price) < _rank(lowest[key]):
                lowest[key] = price
    return [lowest[key] for key in sorted(lowest, key=str)], rejected


def series(sku: str) -> str:
    """The name of an instance without its last part, which tells its size (core.series_of); "" without parts."""
    parts = re.fullmatch(r"(.*)[-.][^-.]*", sku)
    return parts[1] if parts else ""


def _rank(price: WitnessedPrice) -> tuple[Decimal, Decimal, str]:
    return price.usd_per_gpu_hour, price.gpu_count, price.sku


def _price(offer: Offer, as_of: datetime | None) -> WitnessedPrice:
    return WitnessedPrice(
        witness=offer.provider,
        book=offer.book,
        provider=offer.broker_of,
        gpu=offer.gpu,
        gpu_family=offer.gpu_family,
        form_factor=offer.form_factor,
        gpu_memory_gb=offer.gpu_memory_gb,
        gpu_count=offer.gpu_count,
        pricing=offer.pricing,
        term_months=offer.term_months,
        tier=offer.tier,
        region=offer.region,
        country=offer.country,
        usd_per_gpu_hour=offer.usd_per_gpu_hour,
        sku=offer.sku,
        gpu_text=offer.gpu_text,
        as_of=as_of,
        observed_at=offer.observed_at,
        origin=offer.origin,
        page_sha256=offer.page_sha256,
    )
