"""Hyperbolic: the rental options of its API, open without a key: USD cents per hour of the whole option.

The list holds what can be rented, and changes with the stock; `totalAvailable` is rarely there, and its absence
says nothing. Card and form stand in two fields, price and count in two more. `providerCostPerHourCents` is what
the machine costs Hyperbolic, no price. Options on InfiniBand, or on Ethernet of the variant RoCE v2, can be joined.
The same option is sold by several data centres at different prices, so the region is part of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any

from models.offers import Quote, Unreadable
from sources.http import json_of
from sources.reading import decimal_of, flag_of, require_fields, rows_of, text_of, whole_of
from sources.source import ErrorAnswer, LayoutChanged, Page, Source

URL = "https://api.hyperbolic.ai/v2/alpha/on-demand/rental-options"

FIELDS = ("costPerHourCents", "gpuCount", "gpuType", "gpuFormFactor", "connectionType", "machineType", "region")


def parse(pages: Sequence[Page]) -> Iterator[Quote | Unreadable]:
    for page in pages:
        answer = json_of(page)
        if isinstance(answer, dict) and ("error" in answer or "message" in answer):
            said = answer.get("message", answer.get("error"))
            raise ErrorAnswer(f"Hyperbolic answered an error under HTTP 200: {str(said)[:120]}")
        if not isinstance(answer, list):
            raise LayoutChanged(f"{page.name}: not a list of options")
        options = list(rows_of(answer))
        require_fields(options, FIELDS, page)
        for option in options:
            yield _option(option)


def _option(option: Mapping[str, Any]) -> Quote | Unreadable:
    card, form = text_of(option.get("gpuType")), text_of(option.get("gpuFormFactor"))
    network, variant = text_of(option.get("connectionType")), text_of(option.get("ethernetVariant"))
    machine, region = text_of(option.get("machineType")), text_of(option.get("region"))
    count, cents = decimal_of(option.get("gpuCount")), decimal_of(option.get("costPerHourCents"))
    nodes = list(rows_of(option.get("nodes")))
    joined = network == "infiniband" or variant == "rocev2"
    link = variant if joined and variant else network
    gpu = f"{card} {form}".strip()
    sku = f"{machine} {str(count)[:9]}x {gpu} {link}"
    if not card or count is None or count <= 0:
        return Unreadable("bad_count", f"{sku}: {str(option.get('gpuCount'))[:20]} of {gpu!r}", sku, gpu, region)
    if cents is None or cents <= 0:
        said = str(option.get("costPerHourCents"))[:40]
        return Unreadable("not_a_price", f"{sku}: {said} cents", sku, gpu, region)
    node = nodes[0] if len(nodes) == 1 else {}  # of an option of several nodes the shape is not that of one
    stock, enabled = whole_of(option.get("totalAvailable")), flag_of(option.get("enabled", True))
    return Quote(
        sku=sku,
        gpu=gpu,
        gpu_count=count,
        amount=cents.scaleb(-2),
        unit="per_instance_hour",
        pricing="on_demand",
        region=region,
        vcpus=decimal_of(node.get("vcpuCount", node.get("cpuCount"))),
        memory_gb=decimal_of(node.get("ramGb")),
        available=enabled and (None if stock is None else stock > 0),
        quantity=stock,
        fabric="multi_node" if joined else "single_node",
    )


SOURCE = Source(
    name="hyperbolic",
    title="Hyperbolic",
    homepage="https://www.hyperbolic.ai",
    kind="marketplace",
    access="api",
    every=timedelta(hours=1),
    unit_note="USD cents per hour of the whole option, host included",
    urls=(URL,),
    parse=parse,
    traps="cents of the whole option, not of a GPU; card and form in two fields; the field beside the price is what "
    "the machine costs Hyperbolic; no count means unknown, not none",
)
