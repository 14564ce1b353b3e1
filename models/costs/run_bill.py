"""What a run on one offer is billed: the hours to be paid, checkpoints, the weights that leave, set-up fees.

Which offer can do the run at all is models.costs.plan; the lines of a whole project are models.costs.bill.
"""

from __future__ import annotations

import math

from models.constants import constant, constants
from models.costs.bill import Bill, Experiments, Term, bill, experiments_multiplier
from models.costs.commitments import capacity_block_days
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

    A commitment or a capacity block is paid whole, in as many terms as the run needs, and holds the experiments too, as
    far as it reaches. `days` is how long the run may take. ValueError where a block is too short for it.
    """
    used = hours.times(experiments_multiplier(experiments))
    if offer.pricing == "capacity_block":
        bought = capacity_block_days(days)
        least = float(gpus * bought * HOURS_PER_DAY)
        note = f"a block of {counted(bought, 'day')}, paid before it begins"
        return Range(max(used.low, least), max(used.mid, least), max(used.high, least)), 1.0, (note,)
    if offer.term_months and not rest_of_term_used:
        term = gpus * offer.term_months * constant("hours_per_month")
        terms = Range(*(max(1, math.ceil(end / term)) for end in (used.low, used.mid, used.high)))
        length = counted(offer.term_months, "month")
        what = f"the whole term of {length} is" if terms.mid == 1 else f"{terms.mid:,} terms of {length} are"
        note = f"{what} paid, {used.mid / (terms.mid * term):.0%} of {'it' if terms.mid == 1 else 'them'} used"
        return Range(terms.low * term, terms.mid * term, terms.high * term), 1.0, (note,)
    return hours, experiments, ()


def commitment(offer: RentalOffer, gpus: int, days: float) -> tuple[float, str] | None:
    """USD of the terms or the block to be taken for `days` on `gpus`, and how many; None where it is by the hour.

    The macro core.commitment_usd is the same in SQL. ValueError where a block is too short for it.
    """
    if not offer.term_months and offer.pricing != "capacity_block":
        return None
    used = gpus * days * HOURS_PER_DAY
    paid, _, (told,) = paid_hours(offer, Range(used, used, used), gpus, days, 1.0)
    return paid.mid * float(offer.usd_per_gpu_hour), told


def commitment_usd(offer: RentalOffer, gpus: int, days: float) -> float | None:
    """The USD of `commitment`, used or not."""
    taken = commitment(offer, gpus, days)
    return None if taken is None else taken[0]


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
