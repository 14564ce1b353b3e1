"""UpCloud: the price list of the API, hundredths of a euro per server-hour in every zone; needs a token.

A zone is an object of prices by name, each for an `amount` of something; those of servers are called
`server_plan_<plan>`. The name of a GPU plan says cores, GB of memory, GPUs and the card
(GPU-12xCPU-240GB-1xH100), and SPOT where it can be taken back. Prices are in credits, of which a hundred are a euro.
The bill of a month stops after 672 hours. The plans that are out of stock keep their price.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import timedelta
from decimal import Decimal

from models.offers import Quote, Unreadable
from sources.http import Http, json_of
from sources.reading import at, decimal_of, rows_of, stated_currency, text_of
from sources.source import ErrorAnswer, LayoutChanged, Page, Source

URL = "https://api.upcloud.com/1.3/price"
TOKEN = "UPCLOUD_TOKEN"
GPU_PLAN = "server_plan_GPU-"
PLAN = re.compile(r"GPU-(SPOT-)?(\d{1,4})xCPU-(\d{1,5})GB-(\d{1,2})x(\w+)")


def fetch(http: Http) -> Iterator[Page]:
    yield http.get(URL, secret_headers={"Authorization": f"Bearer {http.secret(TOKEN)}"}, name="price.json")


def parse(pages: Sequence[Page]) -> Iterator[Quote | Unreadable]:
    for page in pages:
        body = json_of(page)
        if at(body, "error") is not None:
            raise ErrorAnswer(f"UpCloud answered an error: {text_of(at(body, 'error', 'error_message'))[:120]}")
        zones = list(rows_of(at(body, "prices", "zone")))
        found = [
            (text_of(zone.get("name")), name.removeprefix("server_plan_"), price)
            for zone in zones
            for name, price in zone.items()
            if name.startswith(GPU_PLAN)
        ]
        if not found:
            raise LayoutChanged(f"{page.name}: none of {len(zones)} zones has the price of a GPU plan")
        for zone_name, plan, price in found:
            yield _read(zone_name, plan, price)


def _read(zone: str, plan: str, price: object) -> Quote | Unreadable:
    said = PLAN.fullmatch(plan)
    if said is None or int(said[4]) == 0:
        return Unreadable("unknown_sku", f"plan {plan} does not say its GPUs", plan, plan, zone)
    spot, cores, memory, gpus, gpu = said.groups()
    cents, amount = decimal_of(at(price, "price")), decimal_of(at(price, "amount"))
    if cents is None or cents <= 0 or amount != 1:
        return Unreadable("not_a_price", f"plan {plan}: {str(price)[:60]}", plan, gpu, zone)
    return Quote(
        sku=plan,
        gpu=gpu,
        gpu_count=Decimal(gpus),
        amount=cents / 100,
        currency=stated_currency("EUR", price),
        unit="per_instance_hour",
        pricing="spot" if spot else "on_demand",
        region=zone,
        vcpus=Decimal(cores),
        memory_gb=Decimal(memory),
        fabric="single_node",
    )


SOURCE = Source(
    name="upcloud",
    title="UpCloud",
    homepage="https://upcloud.com/pricing/",
    kind="hyperscaler",
    access="api",
    every=timedelta(days=1),
    urls=(URL,),
    fetch=fetch,
    parse=parse,
    secret=TOKEN,
    unit_note="EUR per server-hour of 1 to 8 GPUs, by zone; printed in hundredths",
    traps="prices are in hundredths of a euro; zones differ; a spot price may equal the other one; the bill of a month "
    "stops after 672 hours",
)
