"""When a commitment pays: reserved terms and capacity blocks against paying by the hour.

Two questions are apart: is enough of the term used (break-even use), and does the market price fall below the
price that was locked in (price risk). Prices come from the ledger.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal

from models.constants import constants

DAYS_PER_WEEK = 7
ROUNDING = 1e-9  # of a length in floating point that is a whole number


@dataclass(frozen=True, slots=True)
class Commitment:
    """A reserved price beside the on-demand price of the same machine, per GPU-hour."""

    on_demand_usd: Decimal
    reserved_usd: Decimal
    years: float
    discount: float  # share of the on-demand price
    break_even_use: float  # share of the term that must be used
    effective_usd: float  # per used hour; infinite if none is used
    pays_by_use: bool
    highest_price_to_lock_usd: float  # with the market falling as assumed
    pays_against_decline: bool


def break_even_use(discount: float) -> float:
    """Share of the term that has to be used for a commitment at `discount` to pay: 1 - discount."""
    if not 0 <= discount <= 1:
        raise ValueError(f"a discount is a share from 0 to 1, not {discount:g}")
    return 1 - discount


def lock_in_ceiling(decline_per_year: float, years: float) -> float:
    """Highest locked price, as a share of today's on-demand price, that beats repricing every moment.

    The mean of (1 - g)^t over T years: (1 - (1-g)^T) / (-T ln(1-g)). 20% a year over 3 years: 0.73.
    """
    if not 0 <= decline_per_year < 1 or years <= 0:
        raise ValueError(f"a yearly decline is a share from 0 to 1 over some years, not {decline_per_year:g}")
    fall = -math.log1p(-decline_per_year) * years  # of the logarithm of the price, over the term
    return 1.0 if fall == 0 else -math.expm1(-fall) / fall


def median_discount(cloud: str, years: int) -> float:
    """Median published discount of aws, gcp or azure for 1 or 3 years; KeyError for another."""
    return constants()[f"median_discount_{cloud}_{years}y"].value


def commitment(
    on_demand_usd: Decimal, reserved_usd: Decimal, years: float, used: float, decline_per_year: float
) -> Commitment:
    """Judge a reserved price for a term of which the share `used` is used, in a market falling by g a year."""
    if not 0 <= used <= 1:
        raise ValueError(f"the used share of a term lies in 0 to 1, not {used:g}")
    if on_demand_usd <= 0 or reserved_usd <= 0:
        raise ValueError(f"prices must be positive, not {on_demand_usd} and {reserved_usd}")
    discount = max(0.0, 1 - float(reserved_usd / on_demand_usd))
    effective = float(reserved_usd) / used if used else math.inf
    ceiling = float(on_demand_usd) * lock_in_ceiling(decline_per_year, years)
    return Commitment(
        on_demand_usd=on_demand_usd,
        reserved_usd=reserved_usd,
        years=years,
        discount=discount,
        break_even_use=break_even_use(discount),
        effective_usd=effective,
        pays_by_use=effective < float(on_demand_usd),
        highest_price_to_lock_usd=ceiling,
        pays_against_decline=effective < ceiling,
    )


def longest_block_days(provider: str) -> int:
    """Days of the longest capacity block of a provider: as it states, else as AWS does."""
    return _block_rule("capacity_block_days", provider)


def capacity_block_days(wall_days: float, provider: str, experiments: float = 1.0) -> int:
    """Days of the blocks to buy for a run of `wall_days` and its `experiments` (a multiplier), by the provider's rule.

    AWS sells whole days up to 14 and whole weeks up to 182. The experiments may have blocks of their own. ValueError
    for a run that no block holds: it ends when its block ends.
    """
    longest = longest_block_days(provider)
    if math.ceil(wall_days - ROUNDING) > longest:
        raise ValueError(f"a capacity block ends after {longest} days; the run takes {wall_days:,.0f}")
    return block_days(wall_days * experiments, provider)


def block_days(days: float, provider: str) -> int:
    """Days of the blocks that hold so many days, a day at least; core.block_days is the same in SQL."""
    longest, single = longest_block_days(provider), _block_rule("capacity_block_single_days", provider)
    whole, rest = divmod(math.ceil(max(1, days) - ROUNDING), longest)
    if rest > single:
        rest = math.ceil(rest / DAYS_PER_WEEK) * DAYS_PER_WEEK
    return whole * longest + rest


def days_within(days: float, provider: str) -> int:
    """The most days of blocks within so many days: what `capacity_block_days` may buy."""
    longest, single = longest_block_days(provider), _block_rule("capacity_block_single_days", provider)
    whole, rest = divmod(math.floor(days + ROUNDING), longest)
    if rest > single:
        rest = max(single, rest // DAYS_PER_WEEK * DAYS_PER_WEEK)
    return whole * longest + rest


def _block_rule(rule: str, provider: str) -> int:
    known = constants()
    return int(known.get(f"{rule}_{provider}", known[rule]).value)
