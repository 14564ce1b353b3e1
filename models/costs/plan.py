"""Where to train: every offer judged for one LLM, the feasible ones ranked by their whole cost.

Checked before the price: country and kind, memory, the largest joined cluster, stock, deadline. Then the bill
with its experiments, and the budget. Each infeasible plan says why in one line. The hours hold the failures of
billed runs; only what spot adds to them is added. A deadline is to be met in nine runs of ten unless asked
otherwise: the cluster is sized for the days that the spread of the hours leaves. Totals are P10, median and P90 by
the spread of the hours, as the closed form of models.training.uncertainty: the experiments count by their median.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from statistics import NormalDist
from typing import Protocol

from models.constants import constant
from models.costs.bill import Bill, experiments_multiplier
from models.costs.run_bill import longest_days, paid_hours, run_bill
from models.costs.wishes import Wishes, not_asked_for, refuse_impossible
from models.llms import Llm
from models.peak import Chip, NoPeak
from models.quantities import counted
from models.training.clusters import (
    Cluster,
    RentalOffer,
    assumption,
    cluster,
    joinable_gpus,
    memory_gb,
    not_of_size,
    out_of_stock,
)
from models.training.estimate import Range
from models.training.requirement import HOURS_PER_DAY, Requirement, requirement, why_no_requirement
from models.training.spot import gang_interruptions_per_hour, per_node_hour, spot_loss
from models.training.uncertainty import P90, chance_above
from models.training.utilisation import scale_efficiency

ROUNDS = 8
ROUNDING = 1e-9
NO_HOURS = Range(0.0, 0.0, 0.0)


class Need(Protocol):
    """What a run takes on a chip: models.training.requirement.requirement, or that of several phases."""

    def __call__(
        self,
        llm: Llm,
        gpu: Chip,
        /,
        *,
        gpus: int | None = None,
        deadline_days: float | None = None,
        gpu_memory_gb: Decimal | None = None,
    ) -> Requirement: ...


@dataclass(frozen=True, slots=True)
class Plan:
    """One offer for one LLM. Figures after the check that failed are None."""

    offer: RentalOffer
    llm: str
    feasible: bool
    why_not: str | None
    gpus: int | None
    assumption: str | None  # what the size of the cluster takes for granted; None where it is stated
    gpu_hours: Range | None  # paid for the final run
    wall_days: Range | None
    usd_per_gpu_hour: float  # as listed
    bill: Bill | None
    risk_late: float | None  # chance to miss the deadline, or the longest sensible run where there is none
    risk_over_budget: float | None  # chance that the hours take more than the budget: a tenth where P90 is the budget
    notes: tuple[str, ...]

    @property
    def total_usd(self) -> Range | None:
        """P10, median and P90 by the spread of the hours."""
        return None if self.bill is None else self.bill.total


def plans(
    llm: Llm,
    offers: Iterable[RentalOffer],
    chips: Mapping[str, Chip],
    wishes: Wishes | None = None,
    need: Need = requirement,
) -> list[Plan]:
    """A plan for every offer, feasible ones first and cheapest first, then the others with their reason.

    `chips` are the accelerators by slug (models.gpus.gpus()); `need` says what the run takes on one. ValueError for
    an impossible budget or deadline, and for a deadline beyond the longest run: runs that long are outside what the
    hours were measured on.
    """
    wishes = wishes or Wishes()
    refuse_impossible(wishes)
    needs: dict[tuple[str, Decimal | None], Requirement | str] = {}
    found = []
    for offer in offers:
        key = (offer.gpu, offer.gpu_memory_gb)
        if key not in needs:
            needs[key] = _need(llm, offer, chips, wishes, need)
        found.append(_plan(llm, offer, needs[key], wishes))
    return sorted(found, key=_rank)


def _need(llm: Llm, offer: RentalOffer, chips: Mapping[str, Chip], wishes: Wishes, need: Need) -> Requirement | str:
    """The requirement on the chip of an offer, or why there is none."""
    chip = chips.get(offer.gpu)
    if chip is None:
        return f"{offer.gpu} is not a known accelerator"
    reason = why_no_requirement(chip)
    if reason is not None:
        return reason
    memory = memory_gb(offer, chip, chips)
    try:
        found = need(llm, chip, gpus=wishes.gpus, gpu_memory_gb=memory)
        if wishes.deadline_days is None:
            return found
        at_median = wishes.deadline_days / _stretch(found, wishes)
        return need(llm, chip, gpus=wishes.gpus, deadline_days=at_median, gpu_memory_gb=memory)
    except NoPeak as unknown:
        return str(unknown)


def _sigma(need: Requirement) -> float:
    """Spread of the hours: standard deviation of their logarithm."""
    return math.log(need.gpu_hours_p90 / need.gpu_hours_p50) / P90


def _stretch(need: Requirement, wishes: Wishes) -> float:
    """Days that are kept in the share `sure` of runs, over the median days; 1 where there is no deadline."""
    return 1.0 if wishes.deadline_days is None else math.exp(NormalDist().inv_cdf(wishes.sure) * _sigma(need))


def _plan(llm: Llm, offer: RentalOffer, need: Requirement | str, wishes: Wishes) -> Plan:
    reason = not_asked_for(offer, wishes)
    if reason is None and offer.pricing == "serverless":
        reason = "serverless GPUs do not train"
    if reason is None and (offer.gpu_count < 1 or offer.gpu_count != int(offer.gpu_count)):
        reason = f"{offer.gpu_count:g} of a card does not train"
    if reason is None and isinstance(need, str):
        reason = need
    if reason is not None or isinstance(need, str):
        return _infeasible(llm, offer, reason or "")
    least = max(need.min_gpus, wishes.gpus or 1)
    reason = not_of_size(offer, need.min_gpus, wishes.gpus)
    if reason is not None:
        return _infeasible(llm, offer, reason)
    reason = out_of_stock(offer, max(least, offer.minimum_gpus or 1))
    if reason is not None:
        return _infeasible(llm, offer, reason)
    longest = longest_days(offer, experiments_multiplier(wishes.experiments))
    limit = longest if wishes.deadline_days is None else min(longest, wishes.deadline_days)
    stretch = _stretch(need, wishes)
    held, hours, days, notes = _held(offer, need, limit / stretch, wishes)
    sigma, safe_days = _sigma(need), days.mid * stretch
    late = chance_above(days.mid, limit, sigma)
    factor, shared = experiments_multiplier(wishes.experiments), wishes.rest_of_term_used
    try:
        paid, experiments, more = paid_hours(offer, hours, held.gpus, safe_days, factor, rest_of_term_used=shared)
        least_paid, _, _ = paid_hours(offer, NO_HOURS, held.gpus, safe_days, factor, rest_of_term_used=shared)
    except ValueError as too_long:
        return _infeasible(llm, offer, str(too_long), held.gpus, hours, days, late, notes)
    if safe_days > limit * (1 + ROUNDING):
        reason = f"takes {counted(days.mid, 'day')} on {counted(held.gpus, 'GPU')}"
        if wishes.deadline_days is None:
            reason += f"; the longest sensible run is {limit:g}"
        else:
            safe = f", {counted(safe_days, 'day')} to be {wishes.sure:.0%} sure" if stretch > 1 else ""
            reason += f"{safe}; the deadline is {limit:g}"
        return _infeasible(llm, offer, reason, held.gpus, hours, days, late, notes)

    whole = run_bill(llm, offer, held.gpus, paid, experiments, days)
    over = None
    if wishes.budget_usd is not None:
        fixed = sum(term.usd.mid for term in whole.terms if term.name not in ("compute", "experiments"))
        left, term = (wishes.budget_usd - fixed) / float(offer.usd_per_gpu_hour), least_paid.mid  # GPU-hours
        if term and offer.term_months:
            left = math.floor(left / term) * term  # whole terms
        over = 1.0 if left < term else chance_above(hours.mid * factor, left, sigma)
    if wishes.budget_usd is not None and whole.total.mid > wishes.budget_usd:
        reason = f"costs {whole.total.mid:,.0f} USD; the budget is {wishes.budget_usd:,.0f}"
    return Plan(
        offer=offer,
        llm=llm.llm,
        feasible=reason is None,
        why_not=reason,
        gpus=held.gpus,
        assumption=assumption(offer, held.gpus),
        gpu_hours=hours,
        wall_days=days,
        usd_per_gpu_hour=float(offer.usd_per_gpu_hour),
        bill=whole,
        risk_late=late,
        risk_over_budget=over,
        notes=(*notes, *more),
    )


def _held(
    offer: RentalOffer, need: Requirement, limit_days: float, wishes: Wishes
) -> tuple[Cluster, Range, Range, tuple[str, ...]]:
    """The cluster to rent, the GPU-hours it is paid for, the days it takes, and what to say of it.

    Spot takes more GPUs to be in time, and they are interrupted more often: a few rounds settle it, or the
    run is not in time.
    """
    wanted = wishes.gpus or max(need.min_gpus, min(need.gpus_for_deadline, int(constant("largest_cluster_gpus"))))
    given = need.utilisation_low == need.utilisation_high  # by hand: it holds the loss of scale
    for _ in range(ROUNDS):
        held = cluster(offer, wanted, need.gpus_per_node)
        goodput, waits, notes = _spot(offer, held.gpus, need.gpus_per_node, wishes)
        # the requirement's own cluster may be larger
        share = goodput * (1.0 if given else _efficiency(held.gpus) / need.scale_efficiency)
        hours = Range(need.gpu_hours_p10 / share, need.gpu_hours_p50 / share, need.gpu_hours_p90 / share)
        calendar = waits / held.gpus / HOURS_PER_DAY
        days = Range(hours.low * calendar, hours.mid * calendar, hours.high * calendar)
        if days.mid <= limit_days or offer.pricing != "spot" or held.gpus == held.joinable or wishes.gpus:
            break
        wanted = min(math.ceil(held.gpus * days.mid / limit_days), held.joinable)
    return held, hours, days, notes


def _efficiency(gpus: int) -> float:
    return scale_efficiency(gpus, int(constant("scale_loss_from_gpus_effective")))


def _spot(offer: RentalOffer, gpus: int, gpus_per_node: int, wishes: Wishes) -> tuple[float, float, tuple[str, ...]]:
    """Share of the paid time that counts, stretch of the calendar by waiting, and what to say of it."""
    if offer.pricing != "spot":
        return 1.0, 1.0, ()
    monthly = wishes.monthly_interruption
    usual = constant("spot_monthly_interruption") if monthly is None else monthly
    rate = gang_interruptions_per_hour(math.ceil(gpus / gpus_per_node), per_node_hour(usual))
    loss = spot_loss(rate)
    waits = 1 + rate * constant("spot_wait_hours")
    note = f"interrupted every {1 / rate:,.0f} h, {loss.share:.1%} lost" if rate else "never interrupted"
    return max(loss.goodput, 1e-12), waits, (note,)


def _infeasible(
    llm: Llm,
    offer: RentalOffer,
    reason: str,
    gpus: int | None = None,
    hours: Range | None = None,
    days: Range | None = None,
    late: float | None = None,
    notes: tuple[str, ...] = (),
) -> Plan:
    rests_on = None if gpus is None else assumption(offer, gpus)
    price = float(offer.usd_per_gpu_hour)
    return Plan(offer, llm.llm, False, reason, gpus, rests_on, hours, days, price, None, late, None, notes)


def _rank(plan: Plan) -> tuple[bool, float, float, int, str]:
    total, days = plan.total_usd, plan.wall_days
    return (
        not plan.feasible,
        math.inf if total is None else total.mid,
        math.inf if days is None else days.mid,
        -joinable_gpus(plan.offer),  # what is too small is told by the largest
        plan.offer.offer_key,
    )
