"""How many GPUs of an offer can be joined for one run, and how many to take: whole instances, whole nodes.

A price per GPU-hour says nothing of that: the cheapest offers are single machines. What a run needs is
models.training.requirement; which offer is best is models.costs.plan. The view training_cost follows the same
rules in SQL.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal

from models.constants import constant
from models.offers import Fabric, Pricing
from models.peak import Chip
from models.quantities import counted
from models.training.memory import least_memory_gb

_SIZED = ("hyperscaler", "gpu_cloud")


@dataclass(frozen=True, slots=True)
class RentalOffer:
    """One offer as a plan needs it: the columns of the ledger's current prices that bear on a run."""

    offer_key: str
    provider: str
    gpu: str  # slug of models/gpus.csv
    gpu_count: Decimal  # of one instance
    usd_per_gpu_hour: Decimal
    pricing: Pricing
    sku: str = ""
    region: str = ""
    country: str | None = None
    provider_kind: str = ""  # hyperscaler, gpu_cloud, marketplace, ...
    tier: str = ""
    term_months: int | None = None
    fabric: Fabric | None = None
    cluster_gpus: int | None = None
    minimum_gpus: int | None = None
    minimum_hours: Decimal | None = None  # shortest rental, paid to its end
    offered_until: date | None = None  # last whole day on which it can be had
    asked_on: date | None = None  # the day that is asked about, in UTC
    available: bool | None = None
    quantity: int | None = None  # free instances, where said
    machine: str = ""  # of a marketplace: the one machine that the offer is
    gpu_memory_gb: Decimal | None = None
    page_sha256: str = ""  # the page the price was read from
    page_url: str = ""
    observed_at: datetime | None = None  # the last look that saw it
    origin: str = ""  # live or recorded
    setup_usd: Decimal | None = None  # one-off fee of an instance
    list_price: Decimal | None = None  # as printed, in `currency` per `unit`
    currency: str = ""
    unit: str = ""

    @property
    def offered_days(self) -> int | None:
        """Whole days from the day asked about, or a later look, to the last it can be had on; None: no end is said.

        A block has an end of its own, by the rule of its provider.
        """
        if self.offered_until is None or self.observed_at is None or self.pricing == "capacity_block":
            return None
        since = max(self.observed_at.astimezone(UTC).date(), self.asked_on or date.min)
        return max(0, (self.offered_until - since).days)

    @property
    def sold_out(self) -> bool:
        """Nothing was free at a look that is not too old to tell."""
        return self.available is False or self.quantity == 0


@dataclass(frozen=True, slots=True)
class Cluster:
    """GPUs of one offer for one run."""

    gpus: int
    joinable: int  # the most that one run can use
    stated: bool  # the provider says so, or says the opposite


def joinable_gpus(offer: RentalOffer) -> int:
    """GPUs one run can use: whole instances up to the cluster stated, or assumed for its kind of provider; or one.

    On spot at most the gang that is known to be had: a stated size says what is wired, not what is free.
    """
    count = int(offer.gpu_count)
    if offer.fabric != "multi_node" or count < 1:  # part of a card joins nothing
        return count
    largest = offer.cluster_gpus or int(constant(_unstated(offer)))
    if offer.pricing == "spot":
        largest = min(largest, int(constant("spot_gang_gpus")))
    return max(count, largest // count * count)


def assumption(offer: RentalOffer, gpus: int) -> str | None:
    """What a run on `gpus` takes for granted, with the constant behind it; None where the provider states it."""
    if gpus <= offer.gpu_count or offer.fabric != "multi_node":
        return None
    if offer.pricing == "spot":
        return f"that up to {joinable_gpus(offer):,} are free on spot at once (spot_gang_gpus)"
    if offer.cluster_gpus:
        return None
    return f"a cluster of {int(constant(_unstated(offer))):,}, whose size is not stated ({_unstated(offer)})"


def _unstated(offer: RentalOffer) -> str:
    return f"cluster_unstated_{offer.provider_kind if offer.provider_kind in _SIZED else 'other'}"


def cluster(offer: RentalOffer, wanted: int, gpus_per_node: int) -> Cluster:
    """`wanted` GPUs in whole instances, beyond one in whole nodes, as far as they are free and can be joined."""
    count, joinable = int(offer.gpu_count), joinable_gpus(offer)
    if offer.quantity is not None:
        joinable = min(joinable, max(1, offer.quantity) * count)
    needed = max(wanted, offer.minimum_gpus or 1)
    block = count
    if needed > count and offer.fabric == "multi_node":
        block = math.ceil(gpus_per_node / count) * count
    gpus = min(math.ceil(needed / block) * block, joinable)
    return Cluster(gpus, joinable, offer.fabric is not None)


def memory_gb(offer: RentalOffer, chip: Chip, chips: Mapping[str, Chip]) -> Decimal | None:
    """Memory of a GPU of the offer; the least of its family where nobody states it."""
    stated = chip.usable_memory_gb or chip.memory_gb or offer.gpu_memory_gb
    return stated or least_memory_gb(chip, chips.values())


def too_small(offer: RentalOffer, min_gpus: int) -> str | None:
    """Why `min_gpus` cannot be had in one piece; None where they can."""
    joinable = joinable_gpus(offer)
    if min_gpus <= joinable:
        return None
    needs = f"memory needs {counted(min_gpus, 'GPU')}"
    if offer.fabric == "multi_node":
        return f"{needs}; the largest cluster here has {joinable:,}"
    if offer.fabric == "single_node":
        return f"{needs}; this is a single node of {joinable:,}"
    return f"{needs}; no fast network between nodes of {joinable:,} is stated"


def too_long(days: float, gpus: int, deadline_days: float | None = None) -> str | None:
    """Why a run of so many days is none: it misses its deadline, or later ones outrun it; None where it is in time."""
    longest = constant("longest_run_days") if deadline_days is None else deadline_days
    if days <= longest:
        return None
    limit = f"the longest sensible run is {longest:g}" if deadline_days is None else f"the deadline is {longest:g}"
    return f"takes {counted(days, 'day')} on {counted(gpus, 'GPU')}; {limit}"


def not_of_size(offer: RentalOffer, min_gpus: int, gpus: int | None) -> str | None:
    """Why memory, or a cluster of just `gpus`, cannot be had there in one piece; None where it can."""
    small = too_small(offer, min_gpus)
    if small is not None or gpus is None:
        return small
    if gpus < min_gpus:
        return f"memory needs {counted(min_gpus, 'GPU')}; {gpus:,} are asked for"
    joinable = joinable_gpus(offer)
    return f"{counted(gpus, 'GPU')} are asked for; {joinable:,} can be joined there" if gpus > joinable else None


def out_of_stock(offer: RentalOffer, gpus: int) -> str | None:
    """Why `gpus` cannot be had now, by its stock and its end as the offer says them; None where they allow it."""
    if offer.offered_days == 0:
        return f"no whole day of the offer is left: it is to {offer.offered_until}"
    if offer.available is False:
        return "nothing is free now"
    if offer.quantity is not None and offer.quantity * offer.gpu_count < gpus:
        return f"it takes {counted(gpus, 'GPU')}; free: {counted(offer.quantity, 'instance')} of {offer.gpu_count:g}"
    return None
