"""What can be rented for a job of some GPUs: whole instances of offers, largest models, replicas."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Any

from models.constants import constant
from models.costs.hosting import Replica, Served, replica, replica_gpus
from models.costs.inverse import LargestModel, largest_model
from models.gpu_table import Gpu
from models.peak import NoPeak
from models.training.clusters import RentalOffer, joinable_gpus
from models.training.finetuning import group_of
from models.training.requirement import HOURS_PER_DAY


@dataclass(frozen=True, slots=True)
class Hosting:
    """The fewest whole instances of one offer that serve a model."""

    offer: RentalOffer
    one: Replica
    replicas: int
    rented_gpus: int

    @property
    def usd_per_hour(self) -> float:
        return float(self.rented_gpus * self.offer.usd_per_gpu_hour)

    @property
    def output_tokens_per_second(self) -> float:
        return self.replicas * self.one.decode_tokens_per_second


def whole_instances(offer: RentalOffer, wanted: int) -> int | None:
    """GPUs to rent for a job of `wanted`: whole instances; None where they cannot be joined."""
    count = int(offer.gpu_count)
    rented = -(-wanted // count) * count
    return rented if rented <= joinable_gpus(offer) else None


def largest_on(
    chip: Gpu, offers: Sequence[RentalOffer], budget_usd: float, **sized: Any
) -> tuple[RentalOffer, LargestModel] | None:
    """What a budget trains on the cheapest of `offers` whose GPUs can be joined to hold it and end in time.

    Sold out offers come last. `sized` are the options of models.costs.inverse.largest_model. None where no offer can.
    """
    longest_hours = constant("longest_run_days") * HOURS_PER_DAY
    for offer in sorted(offers, key=lambda offer: (offer.sold_out, offer.usd_per_gpu_hour, offer.offer_key)):
        try:
            best = largest_model(budget_usd, chip, offer.usd_per_gpu_hour, **sized)
            if fees := setup_usd(offer, best):
                if fees >= budget_usd:
                    continue
                best = replace(
                    largest_model(budget_usd - fees, chip, offer.usd_per_gpu_hour, **sized), budget_usd=budget_usd
                )
        except NoPeak:
            return None
        if whole_instances(offer, best.min_gpus) and best.gpu_hours <= joinable_gpus(offer) * longest_hours:
            return offer, best  # else the next dearer offer may be a larger cluster
    return None


def gpus_rented(best: LargestModel) -> int:
    """GPUs that hold it and end it within the longest run."""
    return max(best.min_gpus, ceil(best.gpu_hours / (constant("longest_run_days") * HOURS_PER_DAY)))


def setup_usd(offer: RentalOffer, best: LargestModel) -> float:
    """The one-off fees of the instances it is trained on."""
    return float(offer.setup_usd or 0) * ceil(gpus_rented(best) / offer.gpu_count)


def hostings(
    model: Served,
    *,
    batch: int,
    context: int,
    gpus_of_replica: int | None,
    offers: Sequence[tuple[Gpu, list[RentalOffer]]],
) -> Iterator[Hosting]:
    """Every offer that can serve the model, with the replicas its instances hold."""
    for chip, of_chip in offers:
        memory = chip.usable_memory_gb or chip.memory_gb
        if not memory:
            continue
        node = chip.gpus_per_node_typical or 1
        count = gpus_of_replica or group_of(replica_gpus(model, batch, context, float(memory)), node)
        try:
            one = replica(model, chip, batch=batch, context=context, gpus=count)
        except NoPeak:
            continue
        for offer in of_chip:
            rented = whole_instances(offer, count)
            if rented is not None:
                yield Hosting(offer, one, max(1, int(offer.gpu_count) // count), rented)
