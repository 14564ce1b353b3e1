"""CloudRift: the list of instance types of its API, open without a key: US cents per hour of the whole instance.

It is asked by POST with a version and a selector. A type names the card (`brand_short`) and holds its sizes as
`variants`; `dram` and `disk` are in bytes, `vram` in bytes of one GPU. A variant lists the data centres that have
such nodes, and how many are free in each; many have none at the moment, and their price stands. CPU types have no
GPUs. Nodes belong to partners and are rented one by one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from models.offers import Quote, Unreadable
from sources.http import json_of
from sources.reading import decimal_of, field_of, require_fields, rows_of, text_of, whole_of
from sources.source import ErrorAnswer, LayoutChanged, Page, Source

if TYPE_CHECKING:
    from sources.http import Http

URL = "https://api.cloudrift.ai/api/v1/instance-types/list"
QUESTION = {"version": "2026-09-08", "data": {"selector": "All"}}
GIB = 2**30


def fetch(http: Http) -> Iterator[Page]:
    yield http.post(URL, json=QUESTION, name="instance-types.json")


def parse(pages: Sequence[Page]) -> Iterator[Quote | Unreadable]:
    for page in pages:
        answer = json_of(page)
        if isinstance(answer, str) or (isinstance(answer, dict) and "data" not in answer and "error" in answer):
            said = answer if isinstance(answer, str) else answer["error"]
            raise ErrorAnswer(f"CloudRift answered an error: {str(said)[:120]}")
        listed = field_of(field_of(answer, "data", page), "instance_types", page)
        if not isinstance(listed, list):
            raise LayoutChanged(f"{page.name}: 'instance_types' is not a list")
        types = list(rows_of(listed))
        require_fields(types, ("brand_short", "variants"), page)
        sizes = [(text_of(kind.get("brand_short")), size) for kind in types for size in rows_of(kind.get("variants"))]
        require_fields([size for _, size in sizes], ("name", "gpu_count", "cost_per_hour", "nodes_per_dc"), page)
        for card, size in sizes:
            yield from _variant(card, size)


def _variant(card: str, size: Mapping[str, Any]) -> Iterator[Quote | Unreadable]:
    sku, gpus = text_of(size.get("name")), decimal_of(size.get("gpu_count"))
    cents = decimal_of(size.get("cost_per_hour"))
    if gpus == 0:
        return
    if not sku or not card or gpus is None or gpus < 0:
        yield Unreadable("bad_count", f"{sku}: {str(size.get('gpu_count'))[:20]} of {card!r}", sku, card)
        return
    if cents is None or cents <= 0:
        yield Unreadable("not_a_price", f"{sku}: {str(size.get('cost_per_hour'))[:40]} cents", sku, card)
        return
    centres, free = size.get("nodes_per_dc"), size.get("available_nodes_per_dc")
    if not isinstance(centres, dict) or not centres:
        centres, free = {"": None}, {"": size.get("available_nodes")}
    for centre in centres:
        left = whole_of(free.get(centre, 0)) if isinstance(free, dict) else None
        yield Quote(
            sku=sku,
            gpu=card,
            gpu_count=gpus,
            amount=cents.scaleb(-2),
            unit="per_instance_hour",
            pricing="on_demand",
            region=centre,
            gpu_memory_gb=_gib(size.get("vram")),
            vcpus=decimal_of(size.get("cpu_count")),
            memory_gb=_gib(size.get("dram")),
            available=None if left is None else left > 0,
            quantity=left,
            fabric="single_node",
        )


def _gib(size: object) -> Decimal | None:
    number = decimal_of(size)
    return None if number is None else number / GIB


SOURCE = Source(
    name="cloudrift",
    title="CloudRift",
    homepage="https://www.cloudrift.ai",
    kind="gpu_cloud",
    access="api",
    every=timedelta(hours=1),
    unit_note="US cents per hour of the whole instance, host included",
    urls=(URL,),
    fetch=fetch,
    parse=parse,
    traps="cents, and of all GPUs of the instance; memory in bytes; a type without a free node keeps its price",
)
