"""What one SKU of Google's catalogue says: which part of which machine, how it is bought, and what it costs an hour.

The accelerators by name are in accelerators.csv. Putting parts together, and fetching, is the package's business.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal, cast

from models.moments import is_ahead_of_clocks, parse_moment
from models.offers import Unreadable
from sources.reading import decimal_of, rows_of, text_of, whole_of
from sources.source import Page

Purchase = Literal["on_demand", "spot", "commit_1y", "commit_3y", "flex_start", "calendar"]

HOURS_PER_MONTH = 730  # cloud.google.com/compute/all-pricing
NANO = Decimal("1e-9")
UNITS = {"GPU": ("h",), "TPU": ("h",), "CPU": ("h",), "RAM": ("GiBy.h",), "LocalSSD": ("GiBy.mo", "GiBy.h")}

_DESCRIPTION = re.compile(
    r"(?P<before>(?:(?:Commitment v1:|Spot Preemptible|DWS Calendar Mode|DWS Defined Duration|Reserved"
    r"|Capacity Optimized) )*)"
    r"(?P<name>.+?)"
    r"(?P<attached> attached to .+? VMs)?"
    r"(?: (?:running )?in .+?)?"
    r"(?P<calendar> in Calendar Mode)?"
    r"(?: for (?P<years>\d) Years?)?",
    re.IGNORECASE,
)
_HOST = re.compile(r"(?P<family>[A-Z]\d[A-Za-z]*) (?:Instance )?(?P<part>Core|Cpu|Ram)", re.IGNORECASE)
_SSD_NAMES = ("ssd backed local storage", "local ssd")


@dataclass(frozen=True, slots=True)
class Accelerator:
    """An accelerator by one of the names that descriptions give it."""

    name: str
    component: str  # one key for all names of one part
    kind: str  # machine, slice, chip; alone: no machine of a fixed size is sold with it
    gpu: str
    gpu_memory_gb: Decimal | None


@dataclass(frozen=True, slots=True)
class Rate:
    """What one unit of a part costs an hour: a GPU, a chip, a vCPU, a GiB."""

    amount: Decimal
    currency: str
    page_sha256: str


Rates = dict[str, dict[tuple[Purchase, str], Rate]]  # by part, then by purchase and region


class _NoRate(Exception):
    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.reason, self.detail = reason, detail


def table(name: str) -> list[dict[str, str]]:
    """The rows of a CSV of this folder."""
    with (Path(__file__).parent / name).open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


ACCELERATORS = {
    row["name"].lower(): Accelerator(
        row["name"], row["component"], row["kind"], row["gpu"], decimal_of(row["gpu_memory_gb"])
    )
    for row in table("accelerators.csv")
}
FAMILIES = {row["family"].lower() for row in table("machines.csv")} - {""}  # whose cores and RAM matter here


def file_rate(sku: Mapping[str, Any], page: Page, kinds: Sequence[str], rates: Rates) -> Iterator[Unreadable]:
    """File the rate of one SKU under its part ("h100", "a3 core", "a3 ram", "ssd"), purchase and regions.

    Only accelerators of the given `kinds` are filed; hosts and local SSD always. Yields the SKUs that look like
    an accelerator's price and are none.
    """
    category = sku.get("category")
    category = category if isinstance(category, dict) else {}
    group, usage = text_of(category.get("resourceGroup")), text_of(category.get("usageType"))
    description = " ".join(text_of(sku.get("description")).split())
    words = _DESCRIPTION.fullmatch(description)
    if words is None or group not in UNITS:
        return
    name, purchase = words["name"], _purchase(words, usage)
    known = ACCELERATORS.get(name.lower()) if group in ("GPU", "TPU") else None

    def unreadable(reason: str, detail: str) -> Unreadable:
        return Unreadable(reason, detail, name, known.gpu if known else "", "", page.sha256)

    if group not in ("GPU", "TPU"):
        part = _host_part(name)
        if not part or purchase is None:
            return
    elif known is None:
        if ("chip" if group == "TPU" else "machine") in kinds:
            yield unreadable("unknown_sku", f"{name} is not in accelerators.csv")
        return
    elif known.kind not in kinds:
        return
    elif purchase is None:
        yield unreadable("other_purchase_kind", f"{name} as {_bought(words) or usage or 'nothing said'} is not rented")
        return
    else:
        part = known.component
    try:
        rate = _rate(sku, UNITS[group], page)
    except _NoRate as problem:
        yield unreadable(problem.reason, f"{description}: {problem.detail}")
        return

    filed = rates.setdefault(part, {})
    places = sku.get("serviceRegions")
    for region in {text_of(place) for place in places} - {""} if isinstance(places, list) else ():
        other = filed.get((purchase, region), rate)
        if other.amount != rate.amount:
            yield unreadable("duplicate", f"{description}: {region} also at {other.amount}; the higher one is used")
        # the higher one, whatever the order of the rows: no machine may look cheaper than it is
        filed[purchase, region] = max(other, rate, key=lambda either: either.amount)


def _host_part(name: str) -> str:
    """The part of an accelerator machine that a CPU, RAM or disk SKU may be; "" for anything else."""
    if name.lower() in _SSD_NAMES:
        return "ssd"
    host = _HOST.fullmatch(name)
    if host is None or host["family"].lower() not in FAMILIES:
        return ""
    return f"{host['family'].lower()} {'ram' if host['part'].lower() == 'ram' else 'core'}"


def _purchase(words: re.Match[str], usage: str) -> Purchase | None:
    """How the SKU is bought, by its words before its usage type; None for ways that are not a machine's price."""
    said = _bought(words).lower()
    if words["years"] or "commitment" in said or usage.startswith("Commit"):
        years = {"Commit1Yr": "1", "Commit3Yr": "3"}.get(usage)
        return cast("Purchase", f"commit_{years}y") if years and words["years"] == years else None
    if words["calendar"] or "calendar mode" in said:
        return "calendar"
    if "dws defined duration" in said:
        return "flex_start"
    if "spot preemptible" in said or (usage == "Preemptible" and not said):
        return "spot"
    return "on_demand" if usage == "OnDemand" and not said else None


def _bought(words: re.Match[str]) -> str:
    """The words of a description that say how it is bought; empty for the plain price."""
    return f"{words['before']}{words['attached'] or ''}".strip()


def _in_force(infos: Sequence[Mapping[str, Any]], page: Page) -> Mapping[str, Any]:
    """Of a timeline of prices the last that had begun at the time of the look. Raises _NoRate.

    Of one alone the time is that of the answer, and none where it was kept without.
    """
    if len(infos) < 2:
        return infos[0] if infos else {}
    try:
        timeline = [(_moment(info.get("effectiveTime")), info) for info in infos]
    except (ValueError, OverflowError):
        raise _NoRate("unreadable", f"one of {len(infos)} prices does not say from when it counts") from None
    begun = [(since, info) for since, info in timeline if not is_ahead_of_clocks(since, page.observed_at)]
    if not begun:
        raise _NoRate("future_price", f"none of {len(infos)} prices counts yet")
    return sorted(begun, key=lambda timed: timed[0])[-1][1]


def _moment(value: object) -> datetime:
    moment = parse_moment(text_of(value))
    if not isinstance(moment, datetime):
        raise ValueError(f"{moment} is a day, which may have begun or not")
    return moment


def _rate(sku: Mapping[str, Any], units: Sequence[str], page: Page) -> Rate:
    """The hourly rate that is in force: units + nanos / 1e9 of the first tier that costs. Raises _NoRate."""
    expression = _in_force(list(rows_of(sku.get("pricingInfo"))), page).get("pricingExpression")
    if not isinstance(expression, dict) or not {"usageUnit", "tieredRates"} <= expression.keys():
        raise _NoRate("missing_field", "pricingExpression, usageUnit or tieredRates is missing")
    unit = expression["usageUnit"]
    if unit not in units:
        raise _NoRate("unknown_unit", f"priced per {unit!r}")
    for tier in rows_of(expression["tieredRates"]):
        price = tier.get("unitPrice")
        if not isinstance(price, dict) or not {"units", "nanos", "currencyCode"} <= price.keys():
            raise _NoRate("missing_field", "unitPrice, its units, nanos or currencyCode is missing")
        whole, nanos = whole_of(price["units"]), whole_of(price["nanos"])
        if whole is None or nanos is None or whole < 0 or not 0 <= nanos < 10**9:
            raise _NoRate("not_a_price", f"{price['units']!r} units and {price['nanos']!r} nanos")
        amount = whole + nanos * NANO
        if amount > 0:  # a first tier at 0 is a free allowance
            hourly = amount / HOURS_PER_MONTH if unit == "GiBy.mo" else amount
            return Rate(hourly, text_of(price["currencyCode"]), page.sha256)
    raise _NoRate("not_a_price", "at 0")
