"""Voltage Park: two lists of its API, open without a key: bare metal by location, and virtual machines.

Bare metal is printed in USD per GPU-hour, of whole nodes, once for nodes on Ethernet and once for nodes on
InfiniBand; a count of 0 beside a price means that none is free, and the price stands. InfiniBand joins 8 to 1016
GPUs, says the pricing page, which prints no price itself. Locations have an id and no name.

A virtual machine prints a rate for the machine and one for its disk, which cannot be left out: eight H100 at 15.12
and 0.80 are the 1.99 per GPU of bare metal.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from models.offers import Quote, Unreadable
from sources.http import Http, json_of
from sources.reading import decimal_of, field_of, require_fields, rows_of, text_of, whole_of
from sources.source import ErrorAnswer, LayoutChanged, Page, Source, TruncatedAnswer

API = "https://cloud-api.voltagepark.com/api/v1"
LOCATIONS, PRESETS = f"{API}/bare-metal/locations", f"{API}/instant-deploy-presets/"
BARE_METAL, MACHINES = "bare-metal", "virtual-machines"
MOST_PAGES = 20
JOINED, SMALLEST_JOINED, LARGEST_JOINED = "infiniband", 8, 1016
NETWORKS = ("ethernet", JOINED)


def _bare_metal(http: Http) -> Iterator[Page]:
    seen = 0
    for number in range(1, MOST_PAGES + 1):
        paging = {"offset": seen} if seen else None
        page = http.get(LOCATIONS, params=paging, name=f"locations-{number}.json", book=BARE_METAL)
        yield page
        answer = _answer(page)
        seen += len(list(rows_of(field_of(answer, "results", page))))
        if not answer.get("has_next"):
            return
    raise TruncatedAnswer(f"the locations go on after {MOST_PAGES} pages")


def _machines(http: Http) -> Iterator[Page]:
    yield http.get(PRESETS, name="instant-deploy-presets.json", book=MACHINES)


def parse(pages: Sequence[Page]) -> Iterator[Quote | Unreadable]:
    if pages and pages[0].book == MACHINES:
        for page in pages:
            answer = json_of(page)
            if not isinstance(answer, list):
                raise LayoutChanged(f"{page.name}: not a list of machines")
            presets = list(rows_of(answer))
            require_fields(presets, ("resources", "compute_rate_hourly", "storage_rate_hourly"), page)
            for preset in presets:
                yield from _machine(preset)
        return
    rows = 0
    for page in pages:
        answer = _answer(page)
        locations = list(rows_of(field_of(answer, "results", page)))
        require_fields(locations, ("specs_per_node", *(f"gpu_price_{network}" for network in NETWORKS)), page)
        rows += len(locations)
        for location in locations:
            yield from (replace(row, page_sha256=page.sha256) for row in _nodes(location))
    total = whole_of(_answer(pages[-1]).get("total_result_count")) if pages else 0
    if total != rows:
        raise TruncatedAnswer(f"{rows} of {total} locations were read")


def _answer(page: Page) -> Mapping[str, Any]:
    answer = json_of(page)
    if not isinstance(answer, dict):
        raise LayoutChanged(f"{page.name}: not an object")
    if "results" not in answer and ("detail" in answer or "error" in answer):
        raise ErrorAnswer(f"Voltage Park answered an error: {str(answer.get('detail', answer.get('error')))[:120]}")
    return answer


def _nodes(location: Mapping[str, Any]) -> Iterator[Quote | Unreadable]:
    node = location.get("specs_per_node")
    node = node if isinstance(node, dict) else {}
    place, gpu, count = text_of(location.get("id")), text_of(node.get("gpu_model")), decimal_of(node.get("gpu_count"))
    for network in (field.removeprefix("gpu_price_") for field in location if field.startswith("gpu_price_")):
        price, free = decimal_of(location.get(f"gpu_price_{network}")), whole_of(location.get(f"gpu_count_{network}"))
        sku = f"bare-metal {network}"
        if network not in NETWORKS:
            yield Unreadable("unknown_sku", f"a price of a network {network!r} that is not known", sku, gpu, place)
        elif not gpu or count is None or count <= 0 or price is None or price <= 0:
            said = f"{str(count)[:20]} of {gpu!r} at {str(location.get(f'gpu_price_{network}'))[:40]}"
            yield Unreadable("not_a_price", f"{sku}: {said}", sku, gpu, place)
        else:
            yield Quote(
                sku=sku,
                gpu=gpu,
                gpu_count=count,
                amount=price,
                unit="per_gpu_hour",
                pricing="on_demand",
                region=place,
                vcpus=decimal_of(node.get("cpu_count")),
                memory_gb=decimal_of(node.get("ram_gb")),
                available=None if free is None else free > 0,
                minimum_gpus=SMALLEST_JOINED if network == JOINED else None,
                fabric="multi_node" if network == JOINED else "single_node",
                cluster_gpus=LARGEST_JOINED if network == JOINED else None,
            )


def _machine(preset: Mapping[str, Any]) -> Iterator[Quote | Unreadable]:
    size = preset.get("resources")
    size = size if isinstance(size, dict) else {}
    cards = size.get("gpus")
    if not isinstance(cards, dict) or len(cards) != 1:
        yield Unreadable("unreadable", f"a machine with the GPUs {str(cards)[:60]}", text_of(preset.get("id")))
        return
    gpu, told = next(iter(cards.items()))
    count = decimal_of(told.get("count")) if isinstance(told, dict) else None
    machine, disk = decimal_of(preset.get("compute_rate_hourly")), decimal_of(preset.get("storage_rate_hourly"))
    sku = f"vm {count}x {gpu}"
    if count is None or count <= 0 or machine is None or machine <= 0 or disk is None or disk < 0:
        said = f"{preset.get('compute_rate_hourly')!r} and {preset.get('storage_rate_hourly')!r}"
        yield Unreadable("not_a_price", f"{sku}: {said[:80]}", sku, gpu)
        return
    listed = preset.get("location_ids_with_availability")
    places = [text_of(place) for place in listed if text_of(place)] if isinstance(listed, list) else []
    for place in places or [""]:
        yield Quote(
            sku=sku,
            gpu=gpu,
            gpu_count=count,
            amount=machine + disk,
            unit="per_instance_hour",
            pricing="on_demand",
            region=place,
            vcpus=decimal_of(size.get("vcpu_count")),
            memory_gb=decimal_of(size.get("ram_gb")),
            available=bool(places) if isinstance(listed, list) else None,
            fabric="single_node",
        )


SOURCE = Source(
    name="voltagepark",
    title="Voltage Park",
    homepage="https://voltagepark.com",
    kind="gpu_cloud",
    access="api",
    every=timedelta(hours=6),
    unit_note="USD per GPU-hour of whole nodes; per hour of a virtual machine, its disk added",
    urls=(LOCATIONS, PRESETS),
    parts={BARE_METAL: _bare_metal, MACHINES: _machines},
    parse=parse,
    traps="prices are text; InfiniBand costs more than Ethernet; a free count of 0 does not take the price away; the "
    "rate of a virtual machine leaves out its disk, which is charged too",
)
