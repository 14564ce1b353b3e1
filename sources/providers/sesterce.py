"""Sesterce: the console's public list of machines that can be rented, in USD per hour of the whole machine.

The page is one of Next.js; the offers stand in its scripts as the JSON array "filteredOffers". Each is a machine of
a cloud that Sesterce resells under a number ("AZ_02"), which is all that is said of who runs it, with its regions and
whether it is free in each. `vRamGB` is of all its GPUs. The name of the card is in `instanceId`, with the form where
it is SXM ("H100_sxm5", "A100" is the card of 40 GB); `interconnect` says pcie of SXM machines as well and is left
alone. The page prints no currency: its dollar signs come from the program. CPU machines have no GPUs; a spot price of
0 is none.

The home page shows a table "from / GPU / hr" of the same goods. It does not add up with the offers (in August 2026
H100 from 1.83, where none was below 2.19), and a strip beside it shows a third set of prices: both are left alone.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from decimal import Decimal
from typing import Any

from models.offers import Pricing, Quote, Unreadable
from sources.brokers import count_named, provider_named
from sources.markup import pushed_text
from sources.reading import at, decimal_of, flag_of, require_fields, rows_of, text_of
from sources.source import LayoutChanged, Page, Source

URL = "https://cloud.sesterce.com/compute"

OFFERS = '"filteredOffers":'
FIELDS = ("instanceId", "gpuCount", "hourlyPrice", "configuration", "availability", "cloud")


def parse(pages: Sequence[Page]) -> Iterator[Quote | Unreadable]:
    for page in pages:
        offers = list(rows_of(_offers(page)))
        require_fields(offers, FIELDS, page)
        for offer in offers:
            yield from _machine(offer)


def _offers(page: Page) -> Any:
    text = pushed_text(page)
    if text.count(OFFERS) != 1:
        raise LayoutChanged(f"{page.name}: {OFFERS} stands there {text.count(OFFERS)} times, not once")
    try:
        offers, _ = json.JSONDecoder(parse_float=Decimal).raw_decode(text, text.index(OFFERS) + len(OFFERS))
    except (ValueError, RecursionError) as error:
        raise LayoutChanged(f"{page.name}: the offers are cut short") from error
    return offers


def _machine(offer: Mapping[str, Any]) -> Iterator[Quote | Unreadable]:
    card, cloud, count = text_of(offer.get("instanceId")), text_of(at(offer, "cloud", "name")), offer.get("gpuCount")
    sku, gpus = f"{card} {cloud}".strip(), decimal_of(count)
    if gpus == 0:
        return  # CPUs alone
    if not card or gpus is None or gpus < 0 or count_named(card) not in (None, gpus):
        yield Unreadable("bad_count", f"{sku}: {str(count)[:20]} GPUs", sku, card)
        return
    memory = decimal_of(at(offer, "configuration", "vRamGB"))
    prices: dict[Pricing, object] = {"on_demand": offer.get("hourlyPrice")}
    if flag_of(offer.get("spotOfferAvailable")):
        prices["spot"] = offer.get("hourlySpotPrice")
    for pricing, printed in prices.items():
        price = decimal_of(printed)
        if price is None or price <= 0:
            yield Unreadable("not_a_price", f"{sku}, {pricing}: {str(printed)[:40]}", sku, card)
            continue
        for place in list(rows_of(offer.get("availability"))) or [{"available": False}]:
            free = place.get("available")
            yield Quote(
                sku=sku,
                gpu=card,
                gpu_count=gpus,
                amount=price,
                unit="per_instance_hour",
                pricing=pricing,
                region=text_of(place.get("region")),
                gpu_memory_gb=memory / gpus if memory else None,
                vcpus=decimal_of(at(offer, "configuration", "vCpu")),
                memory_gb=decimal_of(at(offer, "configuration", "ramGB")),
                available=free if isinstance(free, bool) else None,
                fabric="single_node",
                broker_of=provider_named(cloud),
            )


SOURCE = Source(
    name="sesterce",
    title="Sesterce",
    homepage="https://www.sesterce.com",
    kind="marketplace",
    access="page",
    every=timedelta(hours=6),
    unit_note="USD per hour of a whole machine of the cloud it is resold for",
    urls=(URL,),
    parse=parse,
    traps="the home page's table prints lower prices from which nothing can be rented; memory is that of all GPUs; "
    "A100 is the card of 40 GB; interconnect says pcie of SXM machines",
)
