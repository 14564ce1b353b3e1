"""IBM Cloud: the pricing plans of its GPU server profiles in the global catalogue, in USD per server-hour, no key.

The catalogue answers for one plan at a time, so the plans are pinned by id here, a part of the look each. An answer
has a resource for every region, with meters named by profile: `instance-hours` is on demand, `spot` is spot. Meters of
dedicated hosts (at price 0), of reservations, operating systems and software stand beside and are passed over. Every
meter is priced for each country a customer pays from: the USA's row in USD is the list price. The name of a profile
says vCPUs, GB of memory, GPUs and the card. H100 servers can be joined by a cluster network of 3.2 Tbit/s with RDMA,
H200 servers have none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import Any

from models.offers import Fabric, Pricing, Quote, Unreadable
from sources.http import Http, json_of
from sources.reading import at, decimal_of, effective_date, field_of, require_fields, rows_of, text_of, whole_of
from sources.source import LayoutChanged, Page, Source, TruncatedAnswer

URL = "https://globalcatalog.cloud.ibm.com/api/v1/{plan}/pricing/deployment"
PLANS = {
    "gx3d-160x1792x8h100": "99548819-fcbc-486c-8eeb-0355a56b035e",
    "gx3d-160x1792x8h200": "473375e7-f226-4deb-9214-dd68607b3d99",
}
LIMIT, MOST_PAGES = 200, 10
CARDS: dict[str, tuple[str, Decimal, Fabric]] = {
    "h100": ("H100 SXM", Decimal(80), "multi_node"),
    "h200": ("H200 SXM", Decimal(141), "single_node"),
}
METER = re.compile(r"part-is\.(instance-hours|spot)-(gx\w+-(\d+)x(\d+)x(\d+)([a-z]\w*))")
UNIT = re.compile(r"(?:\w+_)?INSTANCE_HOURS(?:_\w+)?")  # spot meters may name none
PRICINGS: dict[str, Pricing] = {"instance-hours": "on_demand", "spot": "spot"}


def _fetcher(profile: str) -> Callable[[Http], Iterator[Page]]:
    def fetch(http: Http) -> Iterator[Page]:
        url = URL.format(plan=PLANS[profile])
        for number in range(MOST_PAGES):
            asked = {"_limit": LIMIT, "_offset": number * LIMIT}
            page = http.get(url, params=asked, name=f"{profile}-{number + 1}.json", book=profile)
            yield page
            if (whole_of(at(json_of(page), "resource_count")) or 0) < LIMIT:
                return
        raise TruncatedAnswer(f"{profile}: the regions go on after {MOST_PAGES} pages")

    return fetch


def parse(pages: Sequence[Page]) -> Iterator[Quote | Unreadable]:
    """Raises TruncatedAnswer when the pages hold fewer regions than the plan counts."""
    regions = [(page, row) for page in pages for row in rows_of(field_of(json_of(page), "resources", page))]
    for page in pages:
        count = whole_of(at(json_of(page), "count"))
        if count is not None and count > len(regions):
            raise TruncatedAnswer(f"{page.name}: {len(regions)} of {count} regions")
        require_fields((row for _, row in regions), ("deployment_region", "metrics"), page)
    found = False
    for page, row in regions:
        region = text_of(row.get("deployment_region"))
        for metric in rows_of(row.get("metrics")):
            meter = METER.fullmatch(text_of(metric.get("metric_id")))
            if meter and region and region != "DEFAULT":
                found = True
                yield replace(_read(meter, metric, region), page_sha256=page.sha256)
    if not found:
        raise LayoutChanged("no meter of a GPU profile among those of the plan")


def _read(meter: re.Match[str], metric: Mapping[str, Any], region: str) -> Quote | Unreadable:
    kind, profile, vcpus, memory, count, card = meter.groups()
    if card not in CARDS:
        return Unreadable("unknown_sku", f"profile {profile} of a card that is not known", profile, card, region)
    gpu, gpu_memory, fabric = CARDS[card]
    amounts = [row for row in rows_of(metric.get("amounts")) if row.get("country") == "USA"]
    prices = [price for row in amounts if row.get("currency") == "USD" for price in rows_of(row.get("prices"))]
    price = decimal_of(prices[0].get("price")) if len(prices) == 1 else None
    if price is None or price <= 0:
        detail = f"{profile}, {kind}: no single price in USD, but {str([row.get('price') for row in prices])[:60]}"
        return Unreadable("not_a_price", detail, profile, gpu, region)
    quantity, unit = metric.get("charge_unit_quantity", 1), metric.get("charge_unit_name")
    if decimal_of(quantity) != 1 or not (unit is None or UNIT.fullmatch(text_of(unit))):
        detail = f"{profile}, {kind}: a price for {str(quantity)[:20]} {str(unit)[:40]}"
        return Unreadable("unknown_unit", detail, profile, gpu, region)
    return Quote(
        sku=profile,
        gpu=gpu,
        gpu_count=Decimal(count),
        amount=price,
        unit="per_instance_hour",
        pricing=PRICINGS[kind],
        region=region,
        gpu_memory_gb=gpu_memory,
        vcpus=Decimal(vcpus),
        memory_gb=Decimal(memory),
        fabric=fabric,
        effective_from=effective_date(f"effective {text_of(metric.get('effective_from'))[:10]}"),
    )


SOURCE = Source(
    name="ibm",
    title="IBM Cloud",
    homepage="https://www.ibm.com/cloud/gpu",
    kind="hyperscaler",
    access="catalogue",
    every=timedelta(days=1),
    urls=tuple(URL.format(plan=plan) for plan in PLANS.values()),
    parts={profile: _fetcher(profile) for profile in PLANS},
    parse=parse,
    unit_note="USD per hour of a server of 8 GPUs, by region; the list price for customers in the USA",
    one_of_several_currencies=True,
    traps="meters of dedicated hosts stand at 0; operating systems are billed apart; every price is repeated for each "
    "country in its currency; plans of other GPU profiles are not listed by name and have to be pinned by id",
)
