"""Thunder Compute: the second version of its API, open without a key: prices, configurations and their availability.

All three answers are objects by configuration, "a100xl_x4" for four A100 of 80 GB. A price is USD per hour of the whole
configuration with its smallest number of vCPUs and 100 GB of disk; more are billed apart. The list of prices also holds
disks, vCPUs and names of the old modes (prototyping, production, native), so the configurations tell what is sold. Up
to two GPUs may be virtualised and cost less for each GPU than four or eight, which are whole machines.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from models.offers import Quote, Unreadable
from sources.http import Http, json_of
from sources.reading import decimal_of, field_of, text_of
from sources.source import ErrorAnswer, LayoutChanged, Page, Source

API = "https://api.thundercompute.com:8443/v2"
LISTS = {"pricing": "pricing", "specs": "specs", "status": "specs"}  # an answer's name, and the field of its list


def fetch(http: Http) -> Iterator[Page]:
    for name in LISTS:
        yield http.get(f"{API}/{name}", name=f"{name}.json")


def parse(pages: Sequence[Page]) -> Iterator[Quote | Unreadable]:
    lists = {name: _list(name, page) for name in LISTS for page in pages if page.name == f"{name}.json"}
    if "pricing" not in lists or "specs" not in lists:
        raise LayoutChanged("the answers of prices and of configurations belong together, and one is missing")
    prices, status = lists["pricing"], lists.get("status", {})
    priced = next(page.sha256 for page in pages if page.name == "pricing.json")
    for sku, spec in lists["specs"].items():
        if isinstance(spec, dict) and not text_of(spec.get("mode")):
            said = _configuration(sku, spec, prices.get(sku), text_of(status.get(sku)))
            yield replace(said, page_sha256=priced)


def _list(name: str, page: Page) -> Mapping[str, Any]:
    answer = json_of(page)
    if isinstance(answer, dict) and LISTS[name] not in answer and ("message" in answer or "error" in answer):
        raise ErrorAnswer(f"Thunder Compute answered an error: {str(answer.get('message', answer.get('error')))[:120]}")
    listed = field_of(answer, LISTS[name], page)
    if not isinstance(listed, dict):
        raise LayoutChanged(f"{page.name}: {LISTS[name]!r} is not an object")
    return listed


def _configuration(sku: str, spec: Mapping[str, Any], printed: object, status: str) -> Quote | Unreadable:
    gpu, gpus, price = text_of(spec.get("displayName")), decimal_of(spec.get("gpuCount")), decimal_of(printed)
    if not gpu or gpus is None or gpus <= 0 or not sku.endswith(f"_x{gpus}"):
        said = f"{str(spec.get('gpuCount'))[:20]} of {gpu[:60]!r}"
        return Unreadable("unknown_sku", f"configuration {sku[:60]}: {said}", sku, gpu)
    if price is None or price <= 0:
        return Unreadable("not_a_price", f"configuration {sku[:60]} at {str(printed)[:40]}", sku, gpu)
    options = spec.get("vcpuOptions")
    sizes = [size for size in map(decimal_of, options if isinstance(options, list) else ()) if size is not None]
    vcpus, per_vcpu = min(sizes, default=None), decimal_of(spec.get("ramPerVCPUGiB"))
    capped = spec.get("ramCapGiB") is not None  # and then less than so much for each vCPU, we are not told how much
    return Quote(
        sku=sku,
        gpu=gpu,
        gpu_count=gpus,
        amount=price,
        unit="per_instance_hour",
        pricing="on_demand",
        gpu_memory_gb=decimal_of(spec.get("vramGB")),
        vcpus=vcpus,
        memory_gb=None if capped or vcpus is None or per_vcpu is None else vcpus * per_vcpu,
        available={"available": True, "unavailable": False}.get(status),
        fabric="single_node",
    )


SOURCE = Source(
    name="thundercompute",
    title="Thunder Compute",
    homepage="https://www.thundercompute.com/pricing",
    kind="gpu_cloud",
    access="api",
    every=timedelta(hours=6),
    urls=tuple(f"{API}/{name}" for name in LISTS),
    fetch=fetch,
    parse=parse,
    unit_note="USD per hour of a whole configuration of 1 to 8 GPUs with its fewest vCPUs and 100 GB of disk",
    traps="disks, vCPUs and old modes stand among the prices; four A100 cost more for each GPU than two; the a100xl is "
    "the A100 of 80 GB",
)
