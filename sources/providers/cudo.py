"""CUDO Compute: machine types by data centre; the price of a GPU is its part only, host parts are priced beside it.

A machine is put together from GPUs, vCPUs and memory, each at its own USD per hour as text. A GPU alone would look
cheaper than a machine elsewhere, so what is quoted is a machine of a stated shape: 8 vCPUs and 16 GiB for each GPU,
within the limits that the type states. Disk, by the GiB, and a public address are extra. It is quoted for one GPU and
for as many as are free in one host. The list has answered without a key; with one it is asked in its name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from decimal import Decimal
from typing import Any

from models.offers import COMPOSED, Quote, Unreadable
from sources.http import Http, json_of
from sources.reading import at, decimal_of, field_of, require_fields, rows_of, text_of, whole_of
from sources.source import ErrorAnswer, LayoutChanged, Page, Source

URL = "https://rest.compute.cudo.org/v1/vms/machine-types-2"
KEY = "CUDO_API_KEY"
VCPUS_PER_GPU, GIB_PER_GPU = 8, 16
PRICES = ("gpuPriceHr", "vcpuPriceHr", "memoryGibPriceHr")


def fetch(http: Http) -> Iterator[Page]:
    key = http.secret(KEY)
    headers = {"Authorization": f"Bearer {key}"} if key else None
    yield http.get(URL, secret_headers=headers, name="machine-types.json")


def parse(pages: Sequence[Page]) -> Iterator[Quote | Unreadable]:
    for page in pages:
        answer = json_of(page)
        if isinstance(answer, dict) and "machineTypes" not in answer and "message" in answer:
            raise ErrorAnswer(f"CUDO Compute answered an error: {str(answer['message'])[:120]}")
        listed = field_of(answer, "machineTypes", page)
        if not isinstance(listed, list):
            raise LayoutChanged(f"{page.name}: 'machineTypes' is not a list")
        types = list(rows_of(listed))
        require_fields(types, ("dataCenterId", "machineType", "gpuModel", *PRICES), page)
        for machine_type in types:
            if text_of(machine_type.get("gpuModel")):
                yield from _machines(machine_type)


def _machines(machine_type: Mapping[str, Any]) -> Iterator[Quote | Unreadable]:
    """A machine of one GPU and one of all that are free in a host, at this data centre."""
    sku, gpu, centre = (text_of(machine_type.get(field)) for field in ("machineType", "gpuModel", "dataCenterId"))
    gpu_hour, vcpu_hour, gib_hour = (decimal_of(at(machine_type, price, "value")) for price in PRICES)
    free = whole_of(machine_type.get("maxGpuFree"))
    least, most = (decimal_of(machine_type.get(field)) for field in ("minVcpuPerGpu", "maxVcpuPerGpu"))
    if gpu_hour is None or gpu_hour <= 0:
        yield Unreadable("not_a_price", f"{sku}: {str(machine_type.get(PRICES[0]))[:40]}", sku, gpu, centre)
    elif vcpu_hour is None or gib_hour is None or vcpu_hour < 0 or gib_hour < 0:
        yield Unreadable("gpu_part", f"{sku} at {gpu_hour}, and what its host costs is not said", sku, gpu, centre)
    elif (least or 0) > VCPUS_PER_GPU or (most is not None and most < VCPUS_PER_GPU):
        detail = f"{sku} takes {least} to {most} vCPUs for each GPU, not {VCPUS_PER_GPU}"
        yield Unreadable("gpu_part", detail, sku, gpu, centre)
    elif free is not None and not 0 <= free <= 64:
        yield Unreadable("bad_count", f"{sku}: {free} are free in one host", sku, gpu, centre)
    else:
        for count in sorted({1, free or 1}):
            vcpus, memory = VCPUS_PER_GPU * count, GIB_PER_GPU * count
            yield Quote(
                sku=sku,
                gpu=gpu,
                gpu_count=Decimal(count),
                amount=gpu_hour * count + vcpu_hour * vcpus + gib_hour * memory,
                unit="per_instance_hour",
                pricing="on_demand",
                region=centre,
                vcpus=Decimal(vcpus),
                memory_gb=Decimal(memory),
                tier=COMPOSED,
                available=None if free is None else count <= free,
                fabric="single_node",
            )


SOURCE = Source(
    name="cudo",
    title="CUDO Compute",
    homepage="https://www.cudocompute.com/pricing",
    kind="marketplace",
    access="api",
    every=timedelta(hours=1),
    urls=(URL,),
    fetch=fetch,
    parse=parse,
    optional_secret=KEY,
    unit_note="USD per hour of a machine put together here, for each GPU 8 vCPUs and 16 GiB; disk and address extra",
    traps="gpuPriceHr is the GPU alone; vCPU, memory, disk and address are priced apart; prices are text; maxGpuFree "
    "is what one host has free, totalGpuFree what the data centre has",
)
