"""Lium: the whole book of a marketplace in one answer, machines of many owners in USD per GPU-hour; no key.

`price_per_gpu` is one GPU's already, whatever the machine's size, with the residue of an owner's float arithmetic.
`tier` says secure or spot, and `specs.is_spot` says it again. `pending_price_per_hour` is a price to come, never the
present one. A machine is free as a whole when all its GPUs are; where fewer are, they can be rented, at the same price,
down to `min_gpu_count_for_rental`. `machine_name` is the driver's name of the card. A few machines stand on an
InfiniBand fabric that can be rented with them and say so.

Owners are people. The answer is reduced before it is kept: no address, key or street, and machines as hashes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from hashlib import blake2b
from typing import Any

from models.offers import Pricing, Quote, Unreadable
from sources.http import Http, json_of
from sources.reading import at, decimal_of, flag_of, require_fields, rows_of, text_of, whole_of
from sources.source import ErrorAnswer, LayoutChanged, Page, Source

URL = "https://lium.io/api/executors"
# What is kept of a machine, in this order; of objects, the fields named.
KEPT: Mapping[str, tuple[str, ...]] = {
    "id": (), "machine_name": (), "gpu_count": (), "available_gpu_count": (), "min_gpu_count_for_rental": (),
    "price_per_gpu": (), "pending_price_per_hour": (), "price_change_effective_date": (), "tier": (),
    "specs": ("is_spot",), "location": ("country", "country_code", "region_name"), "reliability_score": (),
    "on_infiniband_fabric": (), "infiniband_fabric_rentable": (),
}  # fmt: skip
TIERS: Mapping[str, Pricing] = {"secure": "on_demand", "spot": "spot"}
HASHED = re.compile(r"m[0-9a-f]{10}")


def fetch(http: Http) -> Iterator[Page]:
    page = http.get(URL, name="executors.json")
    yield replace(page, body=reduced(_machines(page)))


def reduced(machines: Sequence[Mapping[str, Any]]) -> bytes:
    """A kept answer: only the plain fields of KEPT, and machines as hashes."""
    lines = []
    for machine in machines:
        kept: dict[str, Any] = {}
        for field, inner in KEPT.items():
            value = machine.get(field)
            if inner and isinstance(value, dict):
                kept[field] = {name: value[name] for name in inner if name in value and _plain(value[name])}
            elif field in machine and _plain(value):
                kept[field] = value
        if "id" in kept:
            kept["id"] = _hashed(kept["id"])
        # float() restores the printed digits: they are the shortest that name the double the API holds
        lines.append(json.dumps(kept, default=float, separators=(",", ":")))
    return b"[\n" + ",\n".join(lines).encode() + b"\n]\n"


def _plain(value: object) -> bool:
    return not isinstance(value, (dict, list))


def _hashed(identity: object) -> str:
    """A pseudonym, stable over time so that a machine can be followed."""
    text = text_of(identity)
    if not text or HASHED.fullmatch(text):
        return text
    return "m" + blake2b(text.encode("utf-8", "replace"), digest_size=5, person=b"lium").hexdigest()


def parse(pages: Sequence[Page]) -> Iterator[Quote | Unreadable]:
    for page in pages:
        for machine in _machines(page):
            yield from _machine(machine)


def _machines(page: Page) -> list[Mapping[str, Any]]:
    """The machines of the answer. Raises ErrorAnswer, and LayoutChanged when a field is gone from all of them."""
    body = json_of(page)
    if isinstance(body, dict) and (said := text_of(body.get("detail") or body.get("error") or body.get("message"))):
        raise ErrorAnswer(f"Lium answered an error: {said[:120]}")
    if not isinstance(body, list):
        raise LayoutChanged(f"{page.name}: not a list of machines")
    machines = list(rows_of(body))
    require_fields(machines, ("id", "machine_name", "price_per_gpu", "gpu_count", "tier"), page)
    return machines


def _machine(machine: Mapping[str, Any]) -> Iterator[Quote | Unreadable]:
    gpu, tier, count = (
        text_of(machine.get("machine_name")),
        text_of(machine.get("tier")),
        whole_of(machine.get("gpu_count")),
    )
    name = _hashed(machine.get("id"))
    if not gpu or not name or count is None or count < 1:
        yield Unreadable("unreadable", f"{str(machine.get('gpu_count'))[:20]} GPUs named {gpu[:60]!r}", name, gpu)
        return
    sku, price, free = (
        f"{name}-{count}x",
        decimal_of(machine.get("price_per_gpu")),
        whole_of(machine.get("available_gpu_count")),
    )
    pricing, is_spot = TIERS.get(tier), at(machine, "specs", "is_spot")
    if pricing is None or flag_of(is_spot) is not (pricing == "spot"):
        yield Unreadable("unknown_pricing", f"tier {tier[:40]!r} beside is_spot {str(is_spot)[:40]}", sku, gpu)
    elif price is None or price <= 0:
        yield Unreadable("not_a_price", f"{str(machine.get('price_per_gpu'))[:40]} per GPU", sku, gpu)
    else:
        place = text_of(at(machine, "location", "region_name")), text_of(at(machine, "location", "country"))
        yield Quote(
            sku=sku,
            gpu=gpu,
            gpu_count=Decimal(count),
            amount=price,
            unit="per_gpu_hour",
            pricing=pricing,
            region=", ".join(filter(None, place)),
            tier=tier,
            available=None if free is None else free >= count,
            minimum_gpus=whole_of(machine.get("min_gpu_count_for_rental")),
            machine=name,
            fabric="multi_node" if flag_of(machine.get("infiniband_fabric_rentable")) else "single_node",
        )
    if (to_come := machine.get("pending_price_per_hour")) is not None:
        since = str(machine.get("price_change_effective_date"))[:40]
        yield Unreadable("future_price", f"{str(to_come)[:40]} from {since}, of a GPU or of all is not said", sku, gpu)


SOURCE = Source(
    name="lium",
    title="Lium",
    homepage="https://lium.io",
    kind="marketplace",
    access="api",
    every=timedelta(hours=1),
    urls=(URL,),
    fetch=fetch,
    parse=parse,
    unit_note="USD per GPU-hour of a machine with its host, set by its owner",
    traps="the price is one GPU's, not to be divided; a pending price is one to come; a machine may be free in part; "
    "server and workstation cards of one name differ; addresses and keys of owners are not kept",
)
