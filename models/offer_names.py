"""What an offer is called for people: its SKU and region without the ids that only a machine tells apart.

The names themselves stay in the ledger as the provider gives them (models.offers).
"""

from __future__ import annotations

import re
from decimal import Decimal

_UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_ID = r"(?=[a-f]*[0-9])(?=[0-9]*[a-f])[0-9a-f]{8,}"  # letters and digits, so that neither a word nor a year is one
_WITHIN = re.compile(rf"(?:^|[@_-])(?:{_UUID}|{_ID})(?=[@_-]|$)")
_WHOLE = re.compile(rf"\d+|m?{_ID}(?:-\d+x)?")  # the number of a machine, with how many of its cards


def readable(name: str) -> str:
    """A SKU or region without ids; empty where it is nothing else."""
    return "" if _WHOLE.fullmatch(name) else _WITHIN.sub("", name)


def offer_named(gpu_count: Decimal, gpu: str, sku: str, region: str) -> str:
    """SKU and region as people know them; the GPUs where the SKU is an id."""
    named = readable(sku) or f"{gpu_count.normalize():f} x {gpu}"
    return " in ".join(part for part in (named, readable(region)) if part)
