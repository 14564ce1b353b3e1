"""Where to train: every offer judged for one LLM, the feasible ones ranked by their whole cost.

Checked before the price: country and kind, memory, the largest joined cluster, stock, deadline. Then the bill
with its experiments, and the budget. Each infeasible plan says why in one line. The hours hold the failures of
billed runs; only what spot adds to them is added.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from statistics import NormalDist

from models.constants import constant, constants
from models.costs.bill import Bill, Experiments, Term, bill, experiments_multiplier
from models.costs.commitments import capacity_block_days
from models.costs.storage import checkpoint_gb, egress_usd, storage_usd
from models.llms import Llm
from models.peak import Chip, NoPeak
from models.training.clusters import Cluster, RentalOffer, cluster, out_of_stock, too_small
from models.training.estimate import Range
from models.training.requirement import HOURS_PER_DAY, Requirement, requirement, why_no_requirement
from models.training.spot import gang_interruptions_per_hour, per_node_hour, spot_loss

P90 = NormalDist().inv_cdf(0.9)
ROUNDS = 8


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the plan has to keep to; None where it does not matter."""

    budget_usd: float | None = None
    deadline_days: float | None = None
    countries: Collection[str] | None = None  # ISO 3166 alpha-2
    pricings: Collection[str] | None = None  # on_demand, spot, reserved, ...
    provider_kinds: Collection[str] | None = None  # hyperscaler, gpu_cloud, marketplace, ...
    experiments: Experiments | float | None = None
    rest_of_term_used: bool = False  # a commitment's idle rest serves something else
    monthly_interruption: float | None = None  # of one spot node; None: 10%


@dataclass(frozen=True, slots=True)
class Plan:
    """One offer for one LLM. Figures after the check that failed are None."""

    offer: RentalOffer
    llm: str
    feasible: bool
    why_not: str | None
    gpus: int | None
    gpu_hours: Range | None  # paid for the final run
    wall_days: Range | None
    usd_per_gpu_hour: float  # as listed
    bill: Bill | None
    risk_late: float | None  # chance to miss the deadline, or the longest sensible run where there is none
    risk_over_budget: float | None  # chance that the hours take more than the budget
    notes: tuple[str, ...]

    @property
    def total_usd(self) -> Range | None:
        return None if self.bill is None else self.bill.total


def plans(
    llm: Llm, offers: Iterable[RentalOffer], chips: Mapping[str, Chip], wishes: Wishes | None = None
) -> list[Plan]:
    """A plan for every offer, feasible ones first and cheapest first, then the others with their reason.

    `chips` are the accelerators by slug (models.gpus.gpus()). ValueError for an impossible budget or deadline.
    """
    wishes = wishes or Wishes()
    if wishes.deadline_days is not None and wishes.deadline_days <= 0:
        raise ValueError(f"the deadline must be a positive number of days, not {wishes.deadline_days:g}")
    if wishes.budget_usd is not None and wishes.budget_usd <= 0:
        raise ValueError(f"the budget must be positive, not {wishes.budget_usd:g}")
    needs: dict[tuple[str, Decimal | None], Requirement | str] = {}
    found = []
    for offer in offers:
        key = (offer.gpu, offer.gpu_memory_gb)
        if key not in needs:
            needs[key] = _need(llm, offer, chips, wishes)
        found.append(_plan(llm, offer, needs[key], wishes))
    return sorted(found, key=_rank)


def _need(llm: Llm, offer: RentalOffer, chips: Mapping[str, Chip], wishes: Wishes) -> Requirement | str:
    """The requirement on the chip of an offer, or why there is none."""
    chip = chips.get(offer.gpu)
    if chip is None:
        return f"{offer.gpu} is not a known accelerator"
    reason = why_no_requirement(chip)
    if reason is not None:
        return reason
    family = [other.memory_gb for other in chips.values() if other.gpu_family == chip.gpu_family and other.memory_gb]
    memory = chip.usable_memory_gb or chip.memory_gb or offer.gpu_memory_gb or min(family, default=None)
    try:
        return requirement(llm, chip, deadline_days=wishes.deadline_days, gpu_memory_gb=memory)
    except NoPeak as unknown:
        return str(unknown)


def _plan(llm: Llm, offer: RentalOffer, need: Requirement | str, wishes: Wishes) -> Plan:
    reason = _unwanted(offer, wishes)
    if reason is None and isinstance(need, str):
        reason = need
    if reason is not None or isinstance(need, str):
        return _infeasible(llm, offer, reason or "")
    reason = too_small(offer, need.min_gpus)
    if reason is not None:
        return _infeasible(llm, offer, reason)
    reason = out_of_stock(offer, max(need.min_gpus, offer.minimum_gpus or 1))
    if reason is not None:
        return _infeasible(llm, offer, reason)
    limit = constant("longest_run_days") if wishes.deadline_days is None else wishes.deadline_days
    held, hours, days, notes = _held(offer, need, limit, wishes)
    sigma = math.log(need.gpu_hours_p90 / need.gpu_hours_p50) / P90
    late = chance_above(days.mid, limit, sigma)
    try:
        paid, experiments, more = _paid_hours(offer, hours, held.gpus, days, wishes)
    except ValueError as too_long:
        return _infeasible(llm, offer, str(too_long), held.gpus, hours, days, late, notes)
    if days.mid > limit:
        what = "the deadline" if wishes.deadline_days is not None else "the longest sensible run"
        reason = f"takes {days.mid:,.0f} days on {held.gpus:,} GPUs; {what} is {limit:,.0f}"
        return _infeasible(llm, offer, reason, held.gpus, hours, days, late, notes)

    whole = _bill(llm, offer, paid, experiments, days)
    over = None if wishes.budget_usd is None else chance_above(whole.total.mid, wishes.budget_usd, sigma)
    if wishes.budget_usd is not None and whole.total.mid > wishes.budget_usd:
        reason = f"costs {whole.total.mid:,.0f} USD; the budget is {wishes.budget_usd:,.0f}"
    return Plan(
        offer=offer,
        llm=llm.llm,
        feasible=reason is None,
        why_not=reason,
        gpus=held.gpus,
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
    wanted = max(need.min_gpus, min(need.gpus_for_deadline, int(constant("largest_cluster_gpus"))))
    for _ in range(ROUNDS):
        held = cluster(offer, wanted, need.gpus_per_node)
        goodput, waits, notes = _spot(offer, held.gpus, need.gpus_per_node, wishes)
        hours = Range(need.gpu_hours_p10 / goodput, need.gpu_hours_p50 / goodput, need.gpu_hours_p90 / goodput)
        calendar = waits / held.gpus / HOURS_PER_DAY
        days = Range(hours.low * calendar, hours.mid * calendar, hours.high * calendar)
        if days.mid <= limit_days or offer.pricing != "spot" or held.gpus == held.joinable:
            break
        wanted = min(math.ceil(held.gpus * days.mid / limit_days), held.joinable)
    return held, hours, days, notes


def _unwanted(offer: RentalOffer, wishes: Wishes) -> str | None:
    if wishes.pricings is not None and offer.pricing not in wishes.pricings:
        return f"{offer.pricing} is not among the kinds allowed"
    if wishes.provider_kinds is not None and offer.provider_kind not in wishes.provider_kinds:
        return f"a {offer.provider_kind or 'provider of unknown kind'} is not among the kinds allowed"
    if wishes.countries is not None and offer.country not in wishes.countries:
        return f"it stands in {offer.country or 'an unknown country'}"
    if offer.pricing == "serverless":
        return "serverless GPUs do not train"
    if offer.gpu_count < 1 or offer.gpu_count != int(offer.gpu_count):
        return f"{offer.gpu_count:g} of a card does not train"
    return None


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


def _paid_hours(
    offer: RentalOffer, hours: Range, gpus: int, days: Range, wishes: Wishes
) -> tuple[Range, Experiments | float | None, tuple[str, ...]]:
    """GPU-hours to pay, the multiplier that is left to apply, and what to say of it.

    A commitment or a capacity block is paid whole and holds the experiments too, as far as it reaches.
    """
    used = hours.times(experiments_multiplier(wishes.experiments))
    if offer.pricing == "capacity_block":
        bought = capacity_block_days(days.mid)
        least, note = float(gpus * bought * HOURS_PER_DAY), f"a block of {bought} days, paid before it begins"
    elif offer.term_months and not wishes.rest_of_term_used:
        least = gpus * offer.term_months * constant("hours_per_month")
        note = f"the whole term of {offer.term_months} months is paid, {min(1.0, used.mid / least):.0%} of it used"
    else:
        return hours, wishes.experiments, ()
    return Range(max(used.low, least), max(used.mid, least), max(used.high, least)), 1.0, (note,)


def _bill(llm: Llm, offer: RentalOffer, paid: Range, experiments: Experiments | float | None, days: Range) -> Bill:
    price = float(offer.usd_per_gpu_hour)
    months = days.mid * HOURS_PER_DAY / constant("hours_per_month")
    kept, leaving = (
        constant("checkpoints_kept") * checkpoint_gb(llm.params_total),
        checkpoint_gb(llm.params_total, "weights"),
    )
    return bill(
        Range(paid.low * price, paid.mid * price, paid.high * price),
        basis="reserved" if offer.term_months else "rented",
        compute_formula=f"{paid.mid:,.0f} GPU-hours x {price:g} USD",
        compute_source=offer.page_sha256 or offer.offer_key,
        experiments=experiments,
        lines=[
            _line("storage", storage_usd(kept, months), f"{kept:,.0f} GB of checkpoints", "storage_usd_per_gb_month"),
            _line("egress", egress_usd(leaving), f"{leaving:,.0f} GB of weights", "egress_usd_per_gb"),
        ],
    )


def _line(name: str, usd: float, formula: str, price: str) -> Term:
    return Term(name, Range(usd, usd, usd), formula, constants()[price].source)


def chance_above(median: float, limit: float, sigma: float) -> float:
    """Chance that a lognormal of this median exceeds the limit."""
    if sigma == 0:
        return float(median > limit)
    return 1 - NormalDist().cdf(math.log(limit / median) / sigma)


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
    return Plan(
        offer, llm.llm, False, reason, gpus, hours, days, float(offer.usd_per_gpu_hour), None, late, None, notes
    )


def _rank(plan: Plan) -> tuple[bool, float, float, str]:
    total, days = plan.total_usd, plan.wall_days
    return (
        not plan.feasible,
        math.inf if total is None else total.mid,
        math.inf if days is None else days.mid,
        plan.offer.offer_key,
    )
