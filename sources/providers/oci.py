"""Oracle Cloud: the public price list behind the cost estimator, one JSON answer in USD, no key.

A row is a part number with a price per GPU-hour, CPU and memory of the host included, the same in every
commercial region. The list names neither shape nor size: oci.csv says which shapes a part is sold as, and one
quote comes out for each, named by the shape, with the part's price per GPU. Parts are known by number, because
display names carry uneven prefixes and blanks; `says` in the CSV must still stand in the name, so that a number
given to another card is noticed. The same metric is used for licences (NVIDIA AI Enterprise) and for machines in
a customer's own building (Cloud@Customer), which are passed over. Preemptible instances cost half of this, but
no list prints that price, so it is not quoted.
"""

from __future__ import annotations

import csv
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any, Literal

from models.offers import Quote, Unreadable
from sources.http import json_of
from sources.reading import decimal_of, field_of, rows_of, text_of
from sources.source import LayoutChanged, Page, Source

URL = "https://apexapps.oracle.com/pls/apex/cetools/api/v1/products/?currencyCode=USD"
METRIC = "GPU Per Hour"
NO_RENTED_GPU = re.compile(r"NVIDIA AI Enterprise|Cloud@Customer")
FABRICS: Mapping[str, Literal["multi_node", "single_node"]] = {
    "multi_node": "multi_node",
    "single_node": "single_node",
}


def parse(pages: Sequence[Page]) -> Iterator[Quote | Unreadable]:
    for page in pages:
        items = list(rows_of(field_of(json_of(page), "items", page)))
        if not any(item.get("metricName") == METRIC for item in items):
            raise LayoutChanged(f"{page.name}: none of {len(items)} products is priced by {METRIC!r}")
        for item in items:
            if item.get("metricName") == METRIC and not NO_RENTED_GPU.search(_name(item)):
                yield from _quotes(item)


def _quotes(item: Mapping[str, Any]) -> Iterator[Quote | Unreadable]:
    part, name = text_of(item.get("partNumber")), _name(item)
    shapes = _shapes().get(part)
    if shapes is None:
        yield Unreadable("unknown_sku", f"part {part or 'without a number'}: {name}", sku=part, gpu=name)
        return
    if not re.search(rf"\b{re.escape(shapes[0]['says'])}\b", name):
        yield Unreadable("unknown_sku", f"part {part} was {shapes[0]['says']} and is now {name}", sku=part, gpu=name)
        return
    if not shapes[0]["shape"]:
        yield Unreadable("unknown_sku", f"part {part}, {name}: no shape of it is published", sku=part, gpu=name)
        return
    price = _pay_as_you_go(item)
    if price is None:
        yield Unreadable(
            "not_a_price",
            f"part {part}, {name}: no single pay-as-you-go price in USD from the first hour on",
            sku=part,
            gpu=name,
        )
        return
    for shape in shapes:
        yield Quote(
            sku=shape["shape"],
            gpu=shape["gpu"],
            gpu_count=Decimal(shape["gpus"]),
            amount=price,
            unit="per_gpu_hour",
            pricing="on_demand",
            gpu_memory_gb=decimal_of(shape["gpu_memory_gb"]),
            vcpus=decimal_of(shape["vcpus"]),
            memory_gb=decimal_of(shape["memory_gb"]),
            fabric=FABRICS.get(shape["fabric"]),
        )


def _pay_as_you_go(item: Mapping[str, Any]) -> Decimal | None:
    """The one positive USD price of the item; None where there is none, or several, or it begins at a volume."""
    rows = [
        price
        for local in rows_of(item.get("currencyCodeLocalizations"))
        if local.get("currencyCode") == "USD"
        for price in rows_of(local.get("prices"))
        if price.get("model") == "PAY_AS_YOU_GO"
    ]
    if all(decimal_of(price.get("rangeMin") or 0) != 0 for price in rows):
        return None
    prices = {decimal_of(price.get("value")) for price in rows}
    price = prices.pop() if len(prices) == 1 else None
    return price if price is not None and price > 0 else None


def _name(item: Mapping[str, Any]) -> str:
    return " ".join(text_of(item.get("displayName")).split())


@cache
def _shapes() -> Mapping[str, Sequence[Mapping[str, str]]]:
    """part number -> the shapes it is sold as, smallest first. vCPUs are two a core on x86, one on Arm."""
    shapes = defaultdict(list)
    with Path(__file__).with_suffix(".csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            shapes[row["part"]].append(row)
    return dict(shapes)


SOURCE = Source(
    name="oci",
    title="Oracle Cloud",
    homepage="https://www.oracle.com/cloud/price-list/",
    kind="hyperscaler",
    access="api",
    every=timedelta(days=1),
    urls=(URL,),
    parse=parse,
    unit_note="USD per GPU-hour of a shape of 1 to 8 GPUs, host included; the same in every commercial region",
    one_of_several_currencies=True,
    traps=(
        "NVIDIA AI Enterprise licences and Cloud@Customer machines carry the same metric; E3 is the A100 40 GB and "
        "V2 the V100; shapes are not in the list; preemptible is half price for some shapes and not listed"
    ),
)
