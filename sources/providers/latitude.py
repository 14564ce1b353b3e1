"""Latitude.sh: the price page, a list of bare-metal plans by country, per hour, month and year of the whole server.

The plans stand in the scripts of a Next.js page as the JSON object "plansData". A plan without a GPU has an empty
`gpu`. Prices by the month and by the year are totals of a commitment, at about half and a third of the hourly rate.
Every region prints them in USD and in BRL; the BRL list is one of its own for customers in Brazil, no conversion,
and is left alone. A plan that is not sold in a country has null there; one that is out of stock keeps its price.
`interconnect` names the network between servers where there is a fast one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import Any

from models.offers import Quote, Unreadable
from sources.markup import pushed_text
from sources.reading import at, decimal_of, flag_of, require_fields, rows_of, text_of
from sources.source import LayoutChanged, Page, Source

URL = "https://www.latitude.sh/pricing"

PLANS = re.compile(r'"plansData":(?=\{"servers":)')
FAST = re.compile(r"\b(RoCE|InfiniBand)\b", re.IGNORECASE)
IN_STOCK = {"unavailable": False, "low": True, "medium": True, "high": True}


def parse(pages: Sequence[Page]) -> Iterator[Quote | Unreadable]:
    for page in pages:
        plans = list(rows_of([plan.get("attributes") for plan in rows_of(_servers(page))]))
        require_fields(plans, ("slug", "specs", "regions"), page)
        require_fields(rows_of([plan.get("specs") for plan in plans]), ("gpu", "memory"), page)
        for plan in plans:
            if gpu := at(plan, "specs", "gpu"):
                yield from _plan(plan, gpu)


def _servers(page: Page) -> Any:
    text = pushed_text(page)
    found = PLANS.search(text)
    if found is None:
        raise LayoutChanged(f"{page.name}: no script holds 'plansData' with servers")
    try:
        data, _ = json.JSONDecoder(parse_float=Decimal).raw_decode(text, found.end())
    except (ValueError, RecursionError) as error:
        raise LayoutChanged(f"{page.name}: the plans are cut short") from error
    return data["servers"]


def _plan(plan: Mapping[str, Any], gpu: object) -> Iterator[Quote | Unreadable]:
    sku, card = text_of(plan.get("slug")), text_of(at(gpu, "type"))
    count, link = decimal_of(at(gpu, "count")), text_of(at(gpu, "interconnect"))
    if not sku or not card or count is None or count <= 0:
        yield Unreadable("unknown_sku", f"plan {sku!r} with the GPUs {str(gpu)[:80]}", sku, card)
        return
    for place in rows_of(plan.get("regions")):
        region, prices = text_of(place.get("name")), at(place, "pricing", "USD")
        hour, month, year = (decimal_of(at(prices, period)) for period in ("hour", "month", "year"))
        if hour is None or hour <= 0:
            said = str(prices)[:80]
            yield Unreadable("not_a_price", f"{sku} in {region}: {said}", sku, card, region)
            continue
        server = Quote(
            sku=sku,
            gpu=card,
            gpu_count=count,
            amount=hour,
            unit="per_instance_hour",
            pricing="on_demand",
            region=region,
            gpu_memory_gb=decimal_of(at(gpu, "vram_per_gpu")),
            memory_gb=decimal_of(at(plan, "specs", "memory", "total")),
            available=IN_STOCK.get(text_of(stock := place.get("stock_level")).lower(), flag_of(stock)),
            fabric="multi_node" if FAST.search(link) else "single_node",
        )
        yield server
        if month is not None and month > 0:
            yield replace(server, amount=month, unit="per_instance_month", pricing="reserved", term_months=1)
        if year is not None and year > 0:
            yield replace(server, amount=year, unit="per_term", pricing="reserved", term_months=12)


SOURCE = Source(
    name="latitude",
    title="Latitude.sh",
    homepage="https://www.latitude.sh",
    kind="gpu_cloud",
    access="page",
    every=timedelta(hours=6),
    unit_note="USD per hour, month or year of the whole server",
    urls=(URL,),
    hosts=("latitude.sh",),
    parse=parse,
    traps="whole servers; a month and a year are totals, half and a third of the hourly rate; BRL is a list of its "
    "own; null or 0 where a plan is not sold",
)
