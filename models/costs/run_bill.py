"""What a run on one offer is billed: the hours to be paid, checkpoints, the weights that leave, set-up fees.

Which offer can do the run at all is models.costs.plan; the lines of a whole project are models.costs.bill.
"""

from __future__ import annotations

import math

from models.constants import constant, constants
from models.costs.bill import Bill, Experiments, Term, bill, experiments_multiplier
from models.costs.commitments import ROUNDING, block_days, capacity_block_days, days_within, longest_block_days
from models.costs.storage import checkpoint_gb, egress_usd, storage_usd
from models.llms import Llm
from models.quantities import counted
from models.training.clusters import RentalOffer
from models.training.estimate import Range
from models.training.requirement import HOURS_PER_DAY


def paid_hours(
    offer: RentalOffer,
    hours: Range,
    gpus: int,
    days: float,
    experiments: Experiments | float | None,
    *,
    rest_of_term_used: bool = False,
) -> tuple[Range, Experiments | float | None, tuple[str, ...]]:
    """GPU-hours to pay, the multiplier that is left to apply, and what to say of it.

    A commitment or a capacity block is paid whole, in as many as the run and its experiments need, and the shortest
    rental to its end. `days` is how long the run may take. ValueError where the longest block is too short for it, or
    the offer ends before it.
    """
    multiplier = experiments_multiplier(experiments)
    used = hours.times(multiplier)
    if (left := offer.offered_days) is not None and math.ceil(days * multiplier - ROUNDING) > left:
        takes = "and its experiments take" if multiplier > 1 else "takes"
        raise ValueError(f"the offer ends after {counted(left, 'day')}; the run {takes} {days * multiplier:,.0f}")
    if offer.pricing == "capacity_block":
        bought = capacity_block_days(days, offer.provider, multiplier)
        per_day = gpus * HOURS_PER_DAY
        low, mid, high = (
            float(per_day * max(bought, block_days(end / per_day, offer.provider)))
            for end in (used.low, used.mid, used.high)
        )
        note = f"a block of {counted(bought, 'day')}, paid before it begins"
        if bought > (longest := longest_block_days(offer.provider)):
            note = f"blocks of {counted(bought, 'day')} in all, each of {longest} at most, paid before they begin"
        return Range(low, mid, high), 1.0, (note,)
    if offer.term_months and not rest_of_term_used:
        term = gpus * term_hours(offer.term_months)
        terms = Range(*(max(1, math.ceil(end / term - ROUNDING)) for end in (used.low, used.mid, used.high)))
        length = counted(offer.term_months, "month")
        what = f"the whole term of {length} is" if terms.mid == 1 else f"{terms.mid:,} terms of {length} are"
        note = f"{what} paid, {used.mid / (terms.mid * term):.0%} of {'it' if terms.mid == 1 else 'them'} used"
        return Range(terms.low * term, terms.mid * term, terms.high * term), 1.0, (note,)
    least = gpus * float(offer.minimum_hours or 0)
    if used.low < least and not offer.term_months and not rest_of_term_used:
        note = f"{offer.minimum_hours:,.0f} hours are paid at least, {min(1, used.mid / least):.0%} of them used"
        return Range(max(used.low, least), max(used.mid, least), max(used.high, least)), 1.0, (note,)
    return hours, experiments, ()


def commitment(
    offer: RentalOffer, gpus: int, days: float, experiments: Experiments | float | None
) -> tuple[float, str] | None:
    """USD of the terms, blocks or shortest rental to take for a run of `days` on `gpus` and its experiments; in words.

    None where it is by the hour, for longer than it has to be. The macro core.commitment_usd is the same in SQL.
    ValueError where the longest block is too short for the run, or the offer ends before it.
    """
    used = gpus * days * HOURS_PER_DAY
    paid, _, told = paid_hours(offer, Range(used, used, used), gpus, days, experiments)
    return (paid.mid * float(offer.usd_per_gpu_hour), told[0]) if told else None


def commitment_usd(offer: RentalOffer, gpus: int, days: float, experiments: Experiments | float | None) -> float | None:
    """The USD of `commitment`, used or not."""
    taken = commitment(offer, gpus, days, experiments)
    return None if taken is None else taken[0]


def committed(offer: RentalOffer) -> bool:
    """Whether a term, a block or a shortest rental has to be taken, beyond the hours that are used."""
    return least_hours(offer) > 0


def whole_hours(offer: RentalOffer, gpus: int, gpu_hours: float) -> float:
    """The most of `gpu_hours` that can be bought on `gpus`: whole terms or blocks where they are, 0 if not one."""
    if offer.pricing == "capacity_block":
        per_day = gpus * HOURS_PER_DAY
        return float(per_day * days_within(gpu_hours / per_day, offer.provider))
    if offer.term_months:
        term = gpus * term_hours(offer.term_months)
        return math.floor(gpu_hours / term + ROUNDING) * term
    return gpu_hours if gpu_hours >= gpus * least_hours(offer) * (1 - ROUNDING) else 0.0


def least_hours(offer: RentalOffer) -> float:
    """Hours of a GPU that have to be bought at least: one term, a day of a block, the shortest rental, or nothing."""
    if offer.pricing == "capacity_block":
        return HOURS_PER_DAY
    return term_hours(offer.term_months) if offer.term_months else float(offer.minimum_hours or 0)


def longest_days(offer: RentalOffer, experiments: float = 1.0) -> float:
    """Days of the longest run there: later ones outrun it, a block ends, and so does an offer, experiments included."""
    longest = constant("longest_run_days")
    if offer.pricing == "capacity_block":
        longest = min(longest, longest_block_days(offer.provider))
    return longest if offer.offered_days is None else min(longest, offer.offered_days / experiments)


def term_hours(months: int) -> float:
    """Hours of a term of so many months."""
    return months * constant("hours_per_month")


def run_bill(
    llm: Llm, offer: RentalOffer, gpus: int, paid: Range, experiments: Experiments | float | None, days: Range
) -> Bill:
    """The lines of a run on `gpus` of an offer: hours, experiments, what is stored and leaves, set-up fees once."""
    price = float(offer.usd_per_gpu_hour)
    months = days.mid * HOURS_PER_DAY / constant("hours_per_month")
    kept, leaving = (
        constant("checkpoints_kept") * checkpoint_gb(llm.params_total),
        checkpoint_gb(llm.params_total, "weights"),
    )
    lines = [
        _line("storage", storage_usd(kept, months), f"{kept:,.0f} GB of checkpoints", "storage_usd_per_gb_month"),
        _line("egress", egress_usd(leaving), f"{leaving:,.0f} GB of weights", "egress_usd_per_gb"),
    ]
    if offer.setup_usd:
        lines.append(setup_term(offer, gpus))
    return bill(
        Range(paid.low * price, paid.mid * price, paid.high * price),
        basis="reserved" if offer.term_months else "rented",
        compute_formula=f"{paid.mid:,.0f} GPU-hours x {price:g} USD",
        compute_source=offer.page_sha256 or offer.offer_key,
        experiments=experiments,
        lines=lines,
    )


def setup_term(offer: RentalOffer, gpus: int) -> Term:
    """The one-off fees of the instances that make up `gpus`, due once however long the run."""
    instances, fee = math.ceil(gpus / offer.gpu_count), float(offer.setup_usd or 0)
    usd = instances * fee
    formula = f"{counted(instances, 'instance')} x {fee:,.2f} USD, once"
    return Term("setup", Range(usd, usd, usd), formula, offer.page_sha256 or offer.offer_key)


def _line(name: str, usd: float, formula: str, price: str) -> Term:
    return Term(name, Range(usd, usd, usd), formula, constants()[price].source)
