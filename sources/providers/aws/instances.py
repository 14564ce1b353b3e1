"""What is in an EC2 instance type (instances.csv), and where a region is found (regions.csv).

No price list of AWS names the GPU; what its lists and its API say of GPU memory is what the driver sees (22 of an
L4's 24 GB), at times the total over all cards, and 0 GPUs for a fraction of one. So a person keeps the table, from
AWS's own pages, with nominal memory per whole card and the count as it is sold (an eighth of an L4 is 0.125).
`fabric` is multi_node where AWS documents the Elastic Fabric Adapter for the size, empty where nothing is said.
Prices do not belong here.
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import cast

from models.offers import Fabric, Pricing, Quote, Unreadable
from sources.reading import decimal_of

# Families of accelerated machines as AWS names them: p, g, trn, inf, dl and a generation.
ACCELERATED_NAME = re.compile(r"(?:u-)?(?:p|g|gr|trn|inf|dl)\d")


@dataclass(frozen=True, slots=True)
class Instance:
    """One instance type."""

    gpu: str
    gpu_count: Decimal
    gpu_memory_gb: Decimal  # nominal, of one whole card
    vcpus: Decimal | None
    memory_gb: Decimal | None
    fabric: Fabric | None


@cache
def instances() -> dict[str, Instance]:
    """The known accelerated instance types by name."""
    return {
        row["instance_type"]: Instance(
            gpu=row["gpu"],
            gpu_count=Decimal(row["gpu_count"]),
            gpu_memory_gb=Decimal(row["gpu_memory_gb"]),
            vcpus=decimal_of(row["vcpus"]),
            memory_gb=decimal_of(row["memory_gb"]),
            fabric=cast("Fabric | None", row["fabric"] or None),
        )
        for row in _table("instances.csv")
    }


@cache
def locations() -> dict[str, str]:
    """The name of each region on AWS's price pages, by region code; only regions that have accelerators."""
    return {row["region"]: row["location"] for row in _table("regions.csv")}


def quote(
    instance_type: str,
    region: str,
    amount: Decimal | None,
    pricing: Pricing,
    *,
    currency: str = "USD",
    term_months: int | None = None,
    upfront: Decimal | None = None,
    tier: str = "",
) -> Quote | Unreadable:
    """The hourly price of a whole instance; Unreadable for a type the table lacks and for what is no number."""
    machine = instances().get(instance_type)
    if machine is None:
        return Unreadable("unknown_sku", f"{instance_type} is not in instances.csv", sku=instance_type, region=region)
    if amount is None:
        detail = f"{instance_type}, {pricing}: the price is no number"
        return Unreadable("not_a_price", detail, sku=instance_type, gpu=machine.gpu, region=region)
    return Quote(
        sku=instance_type,
        gpu=machine.gpu,
        gpu_count=machine.gpu_count,
        amount=amount,
        unit="per_instance_hour",
        pricing=pricing,
        currency=currency,
        region=region,
        gpu_memory_gb=machine.gpu_memory_gb,
        vcpus=machine.vcpus,
        memory_gb=machine.memory_gb,
        term_months=term_months,
        upfront=upfront,
        tier=tier,
        fabric=machine.fabric,
    )


def _table(name: str) -> list[dict[str, str]]:
    with (Path(__file__).parent / name).open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))
