"""Shadeform: one list of the machines of some twenty clouds that it resells, in cents per hour of a whole machine.

The list answers without a key; with SHADEFORM_API_KEY it is asked as its documentation says. A machine is `cloud`
and `shade_instance_type`, which holds the card, its form and the count: "A100" is the card of 40 GB and "A100_80G"
the other, "H100x8_NVLINK" eight PCIe cards with a bridge. `interconnect` says pcie of many SXM machines and is left
alone. `availability` tells each region, and since autumn 2026 once for each `rental_type`: whether a spot machine is
free says nothing of the on-demand one, and its price is not in the list. CPU machines have no GPUs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from decimal import Decimal
from typing import Any

from models.offers import Quote, Unreadable
from sources.brokers import count_named, provider_named
from sources.http import Http, json_of
from sources.reading import at, decimal_of, field_of, flag_of, require_fields, rows_of, text_of, whole_of
from sources.source import ErrorAnswer, LayoutChanged, Page, Source

URL = "https://api.shadeform.ai/v1/instances/types"
KEY = "SHADEFORM_API_KEY"
FIELDS = ("cloud", "shade_instance_type", "configuration", "hourly_price", "availability")
SHAPE = ("num_gpus", "vram_per_gpu_in_gb", "gpu_type")


def fetch(http: Http) -> Iterator[Page]:
    key = http.secret(KEY)
    yield http.get(URL, secret_headers={"X-API-KEY": key} if key else None, name="instance-types.json")


def parse(pages: Sequence[Page]) -> Iterator[Quote | Unreadable]:
    for page in pages:
        body = json_of(page)
        if isinstance(body, dict) and "instance_types" not in body and ("error" in body or "message" in body):
            said = text_of(body.get("error")) or text_of(body.get("message"))
            raise ErrorAnswer(f"Shadeform answered an error: {said[:120] or 'without a message'}")
        listed = field_of(body, "instance_types", page)
        if not isinstance(listed, list):
            raise LayoutChanged(f"{page.name}: 'instance_types' is not a list")
        rows = list(rows_of(listed))
        require_fields(rows, FIELDS, page)
        require_fields(rows_of([row.get("configuration") for row in rows]), SHAPE, page)
        for row in rows:
            yield from _machine(row)


def _machine(row: Mapping[str, Any]) -> Iterator[Quote | Unreadable]:
    """A machine in each of its regions."""
    sku, cloud = text_of(row.get("shade_instance_type")), text_of(row.get("cloud"))
    count, price = whole_of(at(row, "configuration", "num_gpus")), decimal_of(row.get("hourly_price"))
    if count == 0 or at(row, "configuration", "gpu_type") == "CPU":
        return
    if not sku or not cloud or count is None or count < 0:
        yield Unreadable("unreadable", f"machine {sku!r} of {cloud!r} with {str(count)[:20]} GPUs", sku, sku)
        return
    if count_named(sku) not in (None, count):
        yield Unreadable("bad_count", f"{sku} of {cloud} with {count} GPUs", sku, sku)
        return
    if price is None or price <= 0:
        yield Unreadable("not_a_price", f"{sku} of {cloud} at {str(row.get('hourly_price'))[:40]} cents", sku, sku)
        return
    memory = decimal_of(at(row, "configuration", "vram_per_gpu_in_gb"))
    regions = list(rows_of(row.get("availability"))) or [{}]
    for region in regions:
        kind = text_of(region.get("rental_type", "on_demand"))
        if kind != "on_demand":
            if kind != "spot":
                said = f"{sku} of {cloud} as {str(region.get('rental_type'))[:40]}"
                yield Unreadable("unknown_pricing", said, sku, sku, text_of(region.get("region")))
            continue
        yield Quote(
            sku=sku,
            gpu=sku,
            gpu_count=Decimal(count),
            amount=price / 100,
            unit="per_instance_hour",
            pricing="on_demand",
            region=text_of(region.get("region")),
            gpu_memory_gb=memory or None,  # 0 where it is not known
            vcpus=decimal_of(at(row, "configuration", "vcpus")),
            memory_gb=decimal_of(at(row, "configuration", "memory_in_gb")),
            available=flag_of(region.get("available")),
            fabric="single_node",
            broker_of=provider_named(cloud),
        )


SOURCE = Source(
    name="shadeform",
    title="Shadeform",
    homepage="https://www.shadeform.ai",
    kind="marketplace",
    access="api",
    every=timedelta(hours=1),
    urls=(URL,),
    fetch=fetch,
    parse=parse,
    optional_secret=KEY,
    unit_note="US cents per hour of a whole machine of the cloud it is resold for",
    traps="prices are cents, and of all GPUs; A100 is the card of 40 GB; interconnect says pcie of SXM machines; "
    "H100 with NVLINK are PCIe cards; a spot region that is free is not an on-demand one; memory may be 0",
)
