"""Prices of the published ledger as the cost models want them: rental offers, now or at a moment, and their page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from models.gpu_table import meant_by
from models.offer_names import offer_named
from models.quantities import counted
from models.training.clusters import RentalOffer
from pipelines.answers import READ_FROM, NothingFits

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_OFFERS = """
SELECT offer_key, price.provider, gpu, gpu_count, usd_per_gpu_hour, pricing, sku, region, country,
    coalesce(source.kind, '') AS provider_kind, tier, term_months, fabric, cluster_gpus, minimum_gpus, minimum_hours,
    offered_until, available, quantity, machine, gpu_memory_gb, price.page_sha256, coalesce(page.url, '') AS page_url,
    observed_at, origin, setup_usd, list_price, currency, unit
FROM {prices} AS price LEFT JOIN ref.source AS source USING (provider)
LEFT JOIN price_page AS page ON page.provider = price.provider AND page.page_sha256 = price.page_sha256
WHERE gpu_count >= 1 AND gpu_count = floor(gpu_count) AND pricing <> 'serverless'
    AND coalesce(form_factor, '') NOT IN ('MIG', 'vGPU') AND core.to_be_had(tier)
    AND ($gpus IS NULL OR list_contains($gpus, gpu))
    AND ($provider IS NULL OR price.provider = $provider)
    AND ($offer_key IS NULL OR offer_key = $offer_key)
    AND ($pricings IS NULL OR list_contains($pricings, pricing))
    AND ($countries IS NULL OR list_contains($countries, country))
ORDER BY available IS NOT DISTINCT FROM false OR quantity IS NOT DISTINCT FROM 0, usd_per_gpu_hour, offer_key
"""
# Each month's price of each on-demand offer of a GPU, and the month before: what did not change hands is compared
# with itself, so that a cheap newcomer is no fall of the price.
_SERIES = """
WITH month AS (
    SELECT unnest(generate_series(
        (SELECT date_trunc('month', min(valid_from)) FROM price_history),
        (SELECT date_trunc('month', max(observed_at)) FROM core.scrape), INTERVAL 1 MONTH)) AS month
), standing AS (
    SELECT month, offer_key, CAST(usd_per_gpu_hour AS DOUBLE) AS usd, unnest(list_distinct([gpu, gpu_family])) AS chip
    FROM month JOIN price_history AS price
        ON valid_from < month + INTERVAL 1 MONTH AND coalesce(valid_to, 'infinity') >= month + INTERVAL 1 MONTH
    JOIN (SELECT provider, max(observed_at) AS looked_at FROM core.scrape WHERE status <> 'failed' GROUP BY ALL)
        USING (provider)
    WHERE pricing = 'on_demand' AND looked_at >= month
        AND ($provider IS NULL OR provider = $provider)
)
-- the mean, added up in whole parts of 1e-15: a sum of doubles depends on the order in which threads add them
SELECT chip, CAST(later.month AS DATE) AS month,
    CAST(sum(CAST(ln(later.usd / earlier.usd) * 1e15 AS BIGINT)) AS DOUBLE) / 1e15 / count(*) AS step
FROM standing AS later JOIN standing AS earlier USING (chip, offer_key)
WHERE earlier.month = later.month - INTERVAL 1 MONTH
GROUP BY ALL ORDER BY chip, month
"""


def rental_offers(
    ledger: DuckDBPyConnection,
    *,
    gpu: str | None = None,
    provider: str | None = None,
    offer_key: str | None = None,
    pricings: Sequence[str] | None = None,
    countries: Sequence[str] | None = None,
    on: date | None = None,
) -> list[RentalOffer]:
    """Offers of whole cards, cheapest per GPU-hour first, sold out ones last; now or at the end of the UTC day `on`.

    The days that are left of an offer that ends count from today, or from `on`: however old its look, one that has
    ended is not to be had.

    `gpu` is a card, or a group of cards (models.gpu_table.meant_by). `countries` are ISO 3166 codes; an offer of an
    unknown country stands in none of them.
    """
    prices = "price_now" if on is None else "price_asof($moment)"
    wanted: dict[str, Any] = {"gpus": gpu and list(meant_by(gpu)), "provider": provider, "offer_key": offer_key}
    wanted |= {"pricings": pricings and list(pricings), "countries": countries and list(countries)}
    if on is not None:
        wanted["moment"] = f"{on:%Y-%m-%d} 23:59:59.999999"
    from warehouse.database import rows  # brings DuckDB, which a price of one's own does not need

    asked_on = on or datetime.now(UTC).date()
    return [RentalOffer(**row, asked_on=asked_on) for row in rows(ledger, _OFFERS.replace("{prices}", prices), wanted)]


def cheapest(offers: Sequence[RentalOffer], what: str) -> RentalOffer:
    """The first of offers sorted by price; NothingFits says what there is none of."""
    if not offers:
        raise NothingFits(
            f"no offer of {what} that can be had, which averages and least bids cannot; `gpuledger offers` lists all, "
            "or give --price"
        )
    return offers[0]


@dataclass(frozen=True, slots=True)
class HourPrice:
    """What a GPU-hour costs and the offer it rests on; no offer where the price was given by hand."""

    usd_per_gpu_hour: Decimal
    offer: RentalOffer | None = None
    source: str = "given"  # one line: provider, offer, USD per GPU-hour, day of the look, page

    @property
    def line(self) -> str:
        """The same for people, a price given by hand with its amount."""
        return self.source if self.offer else f"{self.usd_per_gpu_hour.normalize():f} USD per GPU-hour, given"

    def columns(self) -> dict[str, Any]:
        """The columns that say what a row's price rests on."""
        names = ("provider", "sku", "region", *READ_FROM)
        return {"price_source": self.source} | {name: getattr(self.offer, name, None) for name in names}


def hour_price(offer: RentalOffer) -> HourPrice:
    """The price of an offer with the line that every command tells it by."""
    named = offer_named(offer.gpu_count, offer.gpu, offer.sku, offer.region)
    term = f" for {counted(offer.term_months, 'month')}" if offer.term_months else ""
    usd = f"{offer.usd_per_gpu_hour.normalize():f} USD per GPU-hour {offer.pricing.replace('_', ' ')}{term}"
    seen = f"seen {offer.observed_at:%Y-%m-%d}" if offer.observed_at else "no day of a look"
    recorded = (" (recorded)" if offer.origin == "recorded" else "") + (", sold out" if offer.sold_out else "")
    where = f"{offer.page_url or 'its page'} (page {offer.page_sha256[:12]})"
    return HourPrice(offer.usd_per_gpu_hour, offer, f"{offer.provider}, {named}: {usd}, {seen}{recorded}, {where}")


def price_indices(ledger: DuckDBPyConnection, provider: str | None = None) -> dict[str, list[tuple[date, float]]]:
    """On-demand price by month of each GPU and family, 1 in the first: each offer beside itself (Jevons index)."""
    import math

    from warehouse.database import rows

    level, series = dict[str, float](), dict[str, list[tuple[date, float]]]()
    for row in rows(ledger, _SERIES, {"provider": provider}):
        level[row["chip"]] = level.get(row["chip"], 0.0) + row["step"]
        series.setdefault(row["chip"], []).append((row["month"], math.exp(level[row["chip"]])))
    return series


def one_each(rows_: Iterable[dict[str, Any]], *keys: str) -> list[dict[str, Any]]:
    """The first row of each combination of `keys`, in their order."""
    first: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in rows_:
        first.setdefault(tuple(row[key] for key in keys), row)
    return list(first.values())
