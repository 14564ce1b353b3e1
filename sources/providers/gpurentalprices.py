"""GPU Rental Prices (gpurentalprices.com): one JSON file a day with what 34 providers print, per GPU-hour in USD.

A witness: what it says is set beside our own reading and never becomes an offer. It keeps one figure per provider,
card and kind, the lowest of all sizes, without the size it is of (`min_gpus` now and then); "h100" without a form
where it did not tell SXM from PCIe; RunPod's two clouds as kinds "secure" and "community". `fetched_at` is when it
read the page, also of a provider that has failed since. Published under CC BY 4.0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal

from models.offers import Pricing, Quote, Unreadable, Witness
from sources.brokers import provider_named
from sources.http import json_of
from sources.reading import decimal_of, field_of, require_fields, rows_of, text_of, whole_of
from sources.source import Page, Source

URL = "https://raw.githubusercontent.com/adriannutiu/gpu-rental-prices/main/data/latest.json"
KINDS: dict[str, tuple[Pricing, str]] = {
    "on-demand": ("on_demand", ""),
    "secure": ("on_demand", "secure"),
    "community": ("on_demand", "community"),
    "spot": ("spot", ""),
    "serverless": ("serverless", ""),
}


def parse(pages: Sequence[Page]) -> Iterator[Witness | Unreadable]:
    for page in pages:
        offers = list(rows_of(field_of(json_of(page), "offers", page)))
        require_fields(offers, ("provider", "gpu", "usd_hr", "kind", "fetched_at"), page)
        for row in offers:
            provider, gpu, kind = (text_of(row.get(name)) for name in ("provider", "gpu", "kind"))
            amount = decimal_of(row.get("usd_hr"))
            sku = f"{provider} {gpu} {kind}"
            if not provider or amount is None or kind not in KINDS:
                reason = "not_a_price" if kind in KINDS else "unknown_pricing"
                yield Unreadable(reason, f"{sku} at {str(row.get('usd_hr'))[:40]!r}", sku, gpu)
                continue
            pricing, tier = KINDS[kind]
            yield Witness(
                of=provider_named(provider),
                says=Quote(
                    sku=gpu,
                    gpu=gpu,
                    gpu_count=Decimal(1),
                    amount=amount,
                    unit="per_gpu_hour",
                    pricing=pricing,
                    gpu_memory_gb=decimal_of(row.get("vram_gb")),
                    tier=tier,
                    minimum_gpus=whole_of(row.get("min_gpus")),
                ),
                as_of=_moment(text_of(row.get("fetched_at"))),
            )


def _moment(text: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text)
        return moment.astimezone(UTC) if moment.tzinfo else None
    except (ValueError, OverflowError):
        return None


SOURCE = Source(
    name="gpurentalprices",
    title="GPU Rental Prices",
    homepage="https://gpurentalprices.com",
    kind="aggregator",
    access="catalogue",
    every=timedelta(days=1),
    unit_note="USD per GPU-hour, the lowest of a provider's sizes",
    urls=(URL,),
    parse=parse,
    traps="the size with the lowest price is not named (Lambda's is of 8 GPUs); forms of H100 are often not told "
    "apart; a provider that fails keeps its last figures with their own date",
)
