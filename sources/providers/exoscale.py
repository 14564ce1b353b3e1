"""Exoscale: the price list of compute behind the pricing page, one JSON object per currency, no key.

A section holds names of things with the price of an hour as text, among them `running_<family>_<size>` for each
instance type, without its disk. The three sections (CHF, EUR, USD) have had the same figures; the USD one is read.
The list names neither card nor number of GPUs nor zone: exoscale.csv knows them by instance type. Families have been
written with and without an underscore (gpu_a5000, gpua5000). A family is sold in one to three zones, at one price:
an offer stands in each (zones of October 2026, github.com/e-minguez/suse-ai-factory-cloud-providers, notes on the
platform; where the P100 stands is not known).
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from decimal import Decimal
from functools import cache
from pathlib import Path

from models.offers import Quote, Unreadable
from sources.http import json_of
from sources.reading import decimal_of, field_of
from sources.source import LayoutChanged, Page, Source

URL = "https://portal.exoscale.com/api/pricing/opencompute"
GPU = "running_gpu"


def parse(pages: Sequence[Page]) -> Iterator[Quote | Unreadable]:
    for page in pages:
        prices = field_of(json_of(page), "usd", page)
        if not isinstance(prices, dict) or not any(name.startswith(GPU) for name in prices):
            raise LayoutChanged(f"{page.name}: no price is that of a GPU instance")
        for name, value in prices.items():
            if name.startswith(GPU):
                yield from _read(name, value)


def _read(name: str, value: object) -> Iterator[Quote | Unreadable]:
    """The price in each zone of the family, or why it is none."""
    family, _, size = name.removeprefix("running_").rpartition("_")
    sku = f"{family.replace('_', '')}.{size}"
    known = _types().get(sku)
    if known is None:
        yield Unreadable("unknown_sku", f"{name}: no instance type {sku} is known", sku)
        return
    price = decimal_of(value)
    if price is None or price <= 0:
        yield Unreadable("not_a_price", f"{name} is {str(value)[:40]}", sku, known["gpu"])
        return
    for zone in known["zones"].split() or [""]:
        yield Quote(
            sku=sku,
            gpu=known["gpu"],
            gpu_count=Decimal(known["gpus"]),
            amount=price,
            unit="per_instance_hour",
            pricing="on_demand",
            region=zone,
            vcpus=decimal_of(known["vcpus"]),
            memory_gb=decimal_of(known["memory_gb"]),
            fabric="single_node",
        )


@cache
def _types() -> Mapping[str, Mapping[str, str]]:
    """Instance type -> card, number of GPUs, host and zones. An empty source repeats the one above it."""
    with Path(__file__).with_suffix(".csv").open(encoding="utf-8", newline="") as file:
        return {row["type"]: row for row in csv.DictReader(file)}


SOURCE = Source(
    name="exoscale",
    title="Exoscale",
    homepage="https://www.exoscale.com/pricing/",
    kind="hyperscaler",
    access="api",
    every=timedelta(days=1),
    urls=(URL,),
    parse=parse,
    unit_note="USD per instance-hour of 1 to 8 GPUs, disk apart; the same in every zone that has the family",
    traps="no card, number or zone in the list; gpu3 is the A40; sizes of one name have 2, 3 or 4 GPUs by family; "
    "the same figures stand for francs, euros and dollars",
)
