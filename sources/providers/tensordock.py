"""TensorDock: a marketplace of hosts by location; the price of a GPU is its part only, host parts are priced beside it.

A machine is put together from GPUs, vCPUs, memory and disk, each at its own USD per hour. A GPU alone would look 10
to 40 percent cheaper than a machine elsewhere, so what is quoted here is a machine of a stated shape: for each GPU 8
vCPUs and as much host memory as the card has, and 100 GB of disk, the least that is sold. It is quoted for one GPU and
for as many as the location has together; where its host parts run out first, the machine is not available. `v0Name`
ends in the memory of the card: geforcertx4090-pcie-24gb. The list answers without a key; several locations may be of
one town.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from decimal import Decimal
from typing import Any

from models.offers import COMPOSED, Quote, Unreadable
from sources.http import Http, json_of
from sources.reading import at, decimal_of, field_of, require_fields, rows_of, text_of, whole_of
from sources.source import ErrorAnswer, LayoutChanged, Page, Source

URL = "https://dashboard.tensordock.com/api/v2/locations"
KEY = "TENSORDOCK_API_KEY"
VCPUS_PER_GPU, DISK_GB = 8, 100
PARTS = ("per_vcpu_hr", "per_gb_ram_hr", "per_gb_storage_hr")
MEMORY = re.compile(r".*-(\d+)gb", re.IGNORECASE)


def fetch(http: Http) -> Iterator[Page]:
    key = http.secret(KEY)
    yield http.get(URL, secret_headers={"Authorization": f"Bearer {key}"} if key else None, name="locations.json")


def parse(pages: Sequence[Page]) -> Iterator[Quote | Unreadable]:
    for page in pages:
        body = json_of(page)
        if isinstance(body, dict) and "data" not in body and ("error" in body or "errors" in body):
            raise ErrorAnswer(f"TensorDock answered an error: {str(body.get('error') or body.get('errors'))[:120]}")
        listed = field_of(field_of(body, "data", page), "locations", page)
        if not isinstance(listed, list):
            raise LayoutChanged(f"{page.name}: 'locations' is not a list")
        locations = list(rows_of(listed))
        require_fields(locations, ("id", "city", "country", "gpus"), page)
        gpus = [(location, gpu) for location in locations for gpu in rows_of(location.get("gpus"))]
        require_fields([gpu for _, gpu in gpus], ("v0Name", "max_count", "price_per_hr", "pricing"), page)
        for location, gpu in gpus:
            yield from _machines(location, gpu)


def _machines(location: Mapping[str, Any], gpu: Mapping[str, Any]) -> Iterator[Quote | Unreadable]:
    """A machine of one GPU and one of all that are free together, at this location."""
    name, at_once = text_of(gpu.get("v0Name")), whole_of(gpu.get("max_count"))
    sku = f"{name}@{text_of(location.get('id'))[:8]}"
    region = ", ".join(filter(None, (text_of(location.get(part)) for part in ("city", "stateprovince", "country"))))
    size, price = MEMORY.fullmatch(name), decimal_of(gpu.get("price_per_hr"))
    parts = [decimal_of(at(gpu, "pricing", part)) for part in PARTS]
    vcpu, ram_gb, disk_gb = (part if part is not None and part >= 0 else None for part in parts)
    if size is None or at_once is None or not 0 <= at_once <= 64:
        yield Unreadable(
            "unknown_sku", f"up to {str(at_once)[:20]} of {name[:60]!r}, without the card's memory", sku, name
        )
    elif price is None or price <= 0:
        yield Unreadable("not_a_price", f"{name} at {str(gpu.get('price_per_hr'))[:40]}", sku, name, region)
    elif vcpu is None or ram_gb is None or disk_gb is None:
        yield Unreadable("gpu_part", f"{name} at {price}, and what its host costs is not said", sku, name, region)
    else:
        for count in sorted({1, at_once or 1}):
            vcpus, memory = VCPUS_PER_GPU * count, int(size[1]) * count
            left = [decimal_of(at(gpu, "resources", part)) for part in ("max_vcpus", "max_ram_gb", "max_storage_gb")]
            needed = zip(left, (vcpus, memory, DISK_GB), strict=True)
            yield Quote(
                sku=sku,
                gpu=name,
                gpu_count=Decimal(count),
                amount=price * count + vcpu * vcpus + ram_gb * memory + disk_gb * DISK_GB,
                unit="per_instance_hour",
                pricing="on_demand",
                region=region,
                gpu_memory_gb=Decimal(size[1]),
                vcpus=Decimal(vcpus),
                memory_gb=Decimal(memory),
                tier=COMPOSED,
                available=count <= at_once and all(has is None or has >= wanted for has, wanted in needed),
                fabric="single_node",
            )


SOURCE = Source(
    name="tensordock",
    title="TensorDock",
    homepage="https://www.tensordock.com",
    kind="marketplace",
    access="api",
    every=timedelta(hours=1),
    urls=(URL,),
    fetch=fetch,
    parse=parse,
    optional_secret=KEY,
    unit_note="USD per hour of a machine put together here: for each GPU 8 vCPUs and as much memory as the card has, "
    "and 100 GB of disk",
    traps="price_per_hr is the GPU alone; vCPU, memory and disk are priced apart; several locations in one town; "
    "max_ram_gb may be nonsense; free GPUs whose host has no vCPUs left cannot be started",
)
