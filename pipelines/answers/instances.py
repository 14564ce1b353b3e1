"""What can be rented for a job of some GPUs: whole instances of offers, largest models, replicas."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Any

from models.constants import constant
from models.costs.bill import experiments_multiplier
from models.costs.commitments import ROUNDING
from models.costs.hosting import Replica, Served, on_chip, replica, replica_gpus
from models.costs.inverse import LargestModel, budget_held, largest_model
from models.costs.run_bill import commitment_usd, committed, least_hours, longest_days, whole_hours
from models.gpu_table import Gpu
from models.peak import NoPeak
from models.training.clusters import RentalOffer, cluster, joinable_gpus, out_of_stock
from models.training.finetuning import group_of
from models.training.requirement import HOURS_PER_DAY


@dataclass(frozen=True, slots=True)
class Hosting:
    """The fewest whole instances of one offer that hold so many replicas of a model, and no fewer than are sold."""

    offer: RentalOffer
    one: Replica
    replicas: int
    rented_gpus: int

    @property
    def usd_per_hour(self) -> float:
        return float(self.rented_gpus * self.offer.usd_per_gpu_hour)

    @property
    def monthly_usd(self) -> float:
        return self.usd_per_hour * constant("hours_per_month")

    @property
    def commitment_usd(self) -> float | None:
        """What has to be taken to serve for a month; None where it is rented by the hour."""
        return commitment_usd(self.offer, self.rented_gpus, constant("hours_per_month") / HOURS_PER_DAY, 1.0)

    @property
    def due_usd(self) -> float:
        """What has to be paid to serve for a month: the month, or the term where that is more."""
        return max(self.monthly_usd, self.commitment_usd or 0)

    @property
    def sold_out(self) -> bool:
        """Not so many were free at a look that is not too old to tell."""
        return out_of_stock(self.offer, self.rented_gpus) is not None

    @property
    def output_tokens_per_second(self) -> float:
        return self.replicas * self.one.decode_tokens_per_second


def whole_instances(offer: RentalOffer, wanted: int) -> int:
    """GPUs to rent for `wanted`: whole instances, as many as are sold at least (core.whole_instances in SQL)."""
    return ceil(max(wanted, offer.minimum_gpus or 1) / offer.gpu_count) * int(offer.gpu_count)


def hosting(offer: RentalOffer, one: Replica, replicas: int = 1) -> Hosting | None:
    """So many replicas, or what more of them the instances hold; None where the GPUs of one cannot be joined, where the
    offer is one machine that has too few, and where the offer ends within a month."""
    count = int(offer.gpu_count)
    joined, together = ceil(one.gpus / count) * count, max(1, count // one.gpus)
    ends = offer.offered_days is not None and offer.offered_days * HOURS_PER_DAY < constant("hours_per_month")
    if joined > joinable_gpus(offer) or ends:
        return None
    rented = whole_instances(offer, ceil(replicas / together) * joined)
    if offer.machine and offer.fabric != "multi_node" and rented > count:  # of one machine
        return None
    return Hosting(offer, one, rented // joined * together, rented)


def largest_on(
    chip: Gpu, offers: Sequence[RentalOffer], budget_usd: float, **sized: Any
) -> tuple[RentalOffer, LargestModel] | None:
    """The most that a budget trains on one of `offers`: on whole instances that can be joined, ended in time.

    Sold out offers come last. `sized` are the options of models.costs.inverse.largest_model. None where no offer can.
    """
    by_price = sorted(offers, key=lambda offer: (offer.usd_per_gpu_hour, offer.offer_key))
    free = [(told, told) for told in by_price if not told.sold_out]
    counted_out = [told for told in by_price if told.sold_out or told.quantity is not None]
    whatever_is_free = [(told, replace(told, available=None, quantity=None)) for told in counted_out]
    for among in (free, whatever_is_free):
        best: tuple[RentalOffer, LargestModel] | None = None
        sizes = set[tuple[object, ...]]()
        for told, offer in among:
            lease = (offer.pricing, offer.term_months, offer.minimum_hours, offer.offered_days, offer.setup_usd)
            size = (offer.gpu_count, joinable_gpus(offer), offer.minimum_gpus, offer.quantity, *lease)
            if size in sizes:  # the same, dearer
                continue
            sizes.add(size)
            try:
                found = _largest_on(chip, offer, budget_usd, **sized)
            except NoPeak:
                return None
            if found is not None and (best is None or found.params.mid > best[1].params.mid):
                best = told, found
        if best is not None:
            return best
    return None


def _largest_on(chip: Gpu, offer: RentalOffer, budget_usd: float, **sized: Any) -> LargestModel | None:
    """The largest model on whole instances of one offer; None where the budget does not pay for them.

    What the GPUs that can be joined do not hold, or do not end in time, is left of the budget. Of an offer with a term,
    or a block, the budget pays whole ones that hold the run and its experiments.
    """
    price, node = float(offer.usd_per_gpu_hour), chip.gpus_per_node_typical or 1
    multiplier = experiments_multiplier(sized.get("experiments"))
    longest_hours = longest_days(offer, multiplier) * HOURS_PER_DAY
    most = cluster(offer, joinable_gpus(offer), node).gpus
    if not longest_hours or most < (offer.minimum_gpus or 1):  # it ends on the day of the look, or has too few
        return None

    def trained(usd: float, rented: int) -> LargestModel:
        asked = {**sized, "spot": offer.pricing == "spot", "gpus": rented}
        in_time = price * rented * longest_hours * multiplier * (1 - ROUNDING)
        found = largest_model(min(usd, in_time), chip, offer.usd_per_gpu_hour, **asked)
        held = budget_held(found, chip, sized.get("sizing"))
        return found if held == found.budget_usd else largest_model(held, chip, offer.usd_per_gpu_hour, **asked)

    largest = trained(budget_usd, most)
    wanted = max(largest.min_gpus, ceil(largest.gpu_hours / longest_hours))
    rented = cluster(offer, wanted, node).gpus
    left = budget_usd - fees_usd(offer, rented)
    if left > 0 and committed(offer):
        rented = min(rented, _whole(offer, int(left / price / least_hours(offer)), node))
        if rented < (offer.minimum_gpus or 1):
            return None
        left = price * whole_hours(offer, rented, left / price)
    return replace(trained(left, rented), budget_usd=budget_usd) if left > 0 else None


def spent_usd(offer: RentalOffer, best: LargestModel, experiments: Any = None) -> float:
    """What is paid for the largest model, its experiments, what has to be taken and the fees included."""
    run = best.gpu_hours * float(offer.usd_per_gpu_hour) * experiments_multiplier(experiments)
    taken = commitment_usd(offer, best.gpus, best.wall_days, experiments)
    return max(run, taken or 0.0) + fees_usd(offer, best.gpus)


def _whole(offer: RentalOffer, most: int, node: int) -> int:
    """The most GPUs up to `most` that can be taken: whole instances, beyond one whole nodes; 0 if not one."""
    count = int(offer.gpu_count)
    block = ceil(node / count) * count
    return most // block * block or (count if most >= count else 0)


def fees_usd(offer: RentalOffer, rented: int) -> float:
    """The one-off fees of the instances that make up `rented` GPUs."""
    return float(offer.setup_usd or 0) * ceil(rented / offer.gpu_count)


def hostings(
    model: Served,
    *,
    batch: int,
    context: int,
    gpus_of_replica: int | None,
    offers: Sequence[tuple[Gpu, list[RentalOffer]]],
    replicas: Callable[[Replica], int],
) -> Iterator[Hosting]:
    """Every offer that can serve the model, with as many `replicas` of it as that takes, or the instances hold."""
    for chip, of_chip in offers:
        needed = _replica_gpus(model, chip, batch, context)
        if needed is None or needed > (gpus_of_replica or needed):
            continue
        count = gpus_of_replica or group_of(needed, chip.gpus_per_node_typical or 1)
        one = replica(model, chip, batch=batch, context=context, gpus=count)
        yield from filter(None, (hosting(offer, one, replicas(one)) for offer in of_chip))


def why_not_hosted(
    model: Served,
    *,
    batch: int,
    context: int,
    gpus_of_replica: int | None,
    offers: Sequence[tuple[Gpu, list[RentalOffer]]],
) -> str:
    """Why `hostings` is empty: what a replica takes on the chip that comes nearest."""
    misses = []
    for chip, of_chip in offers:
        needed = _replica_gpus(model, chip, batch, context)
        if needed is not None:
            joined = max(joinable_gpus(offer) for offer in of_chip)
            misses.append((needed / min(joined, gpus_of_replica or joined), needed, chip.gpu, joined))
    if not misses:
        return "there are no offers of GPUs whose memory, bandwidth and rates are known"
    short, needed, gpu, joined = min(misses)
    if short <= 1:
        return "all are single machines with too few GPUs, or end within a month"
    had = f"{gpus_of_replica:,} are given" if needed > (gpus_of_replica or needed) else f"{joined:,} can be joined"
    return f"a replica with its KV cache takes {needed:,} x {gpu} at least, {had}"


def _replica_gpus(model: Served, chip: Gpu, batch: int, context: int) -> int | None:
    """The fewest GPUs of a replica; None where the chip is not known well enough."""
    memory = chip.usable_memory_gb or chip.memory_gb
    if not memory or not chip.mem_bw_gb_s or not (chip.bf16_dense_tflops or chip.fp16_dense_tflops):
        return None
    return replica_gpus(on_chip(model, chip), batch, context, float(memory))
