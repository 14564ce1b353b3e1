"""How prices and costs move over the years, and what they may be later: a fan, never a line.

The trend of a price is taken from the ledger's own series (Theil-Sen on its logarithm), else from the published
rates in constants.csv. What a run cost in the past is models.costs.past.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from statistics import NormalDist, median

from models.constants import constant, constants
from models.training.estimate import Range

DAYS_PER_YEAR = 365.25
P90 = NormalDist().inv_cdf(0.9)
LEAST_POINTS = 5
LEAST_YEARS = 1.0  # a shorter series says nothing of the years to come


@dataclass(frozen=True, slots=True)
class Trend:
    """Growth per year as a factor (0.8 is a fall of 20%), P10, median, P90, and the scatter around it."""

    per_year: Range
    scatter: float  # log-sd of the points around the line; 0 for a published rate
    drift: float  # log-sd that a year adds beyond the line, growing with the square root of the time
    points: int
    basis: str  # one line for people


@dataclass(frozen=True, slots=True)
class Forecast:
    """A quantity at a later date."""

    on: date
    value: Range


def theil_sen(series: Sequence[tuple[date, float]]) -> Trend:
    """Median of all slopes of the logarithm, with Sen's interval from P10 to P90; no outlier moves it.

    `series` holds dates and positive values, in any order, one value a date (a month's median, say).
    ValueError for fewer than 5 points or less than a year.
    """
    points = sorted((day, math.log(value)) for day, value in series)
    if len(points) < LEAST_POINTS or years_between(points[0][0], points[-1][0]) < LEAST_YEARS:
        raise ValueError(f"a trend takes {LEAST_POINTS} prices over a year, not {len(points)}")
    if any(earlier[0] == later[0] for earlier, later in pairwise(points)):
        raise ValueError("a trend takes one value a date: take the median of the day")
    slopes = sorted(
        (later[1] - earlier[1]) / years_between(earlier[0], later[0])
        for at, earlier in enumerate(points)
        for later in points[at + 1 :]
    )
    slope = median(slopes)
    n = len(points)
    spread = P90 * math.sqrt(n * (n - 1) * (2 * n + 5) / 18)  # of Kendall's score
    low = slopes[max(0, math.floor((len(slopes) - spread) / 2))]
    high = slopes[min(len(slopes) - 1, math.ceil((len(slopes) + spread) / 2))]
    left = [value - slope * years_between(points[0][0], day) for day, value in points]
    centre = median(left)
    scatter = 1.4826 * median(abs(value - centre) for value in left)  # the sd of a normal distribution
    return Trend(
        per_year=Range(math.exp(low), math.exp(slope), math.exp(high)),
        scatter=scatter,
        drift=constant("sigma_price_drift"),
        points=n,
        basis=f"{n} prices from {points[0][0]} to {points[-1][0]}, Theil-Sen on the logarithm",
    )


def published_trend(name: str, falling: bool = False, drift: float = 0.0) -> Trend:
    """A rate of constants.csv (`growth_...`); `falling` turns a growth per dollar into a fall of the price."""
    rate = constants()[name]
    values = (rate.low, rate.value, rate.high)
    low, mid, high = sorted(1 / value for value in values) if falling else values
    return Trend(per_year=Range(low, mid, high), scatter=0.0, drift=drift, points=0, basis=rate.source)


def price_trend(*series: Sequence[tuple[date, float]]) -> Trend:
    """The trend of the first series that is long enough, else the published fall of the price of a FLOP.

    Give a card's own series and then its family's: relatives fall together, a FLOP falls with each generation.
    """
    for one in series:
        with suppress(ValueError):
            return theil_sen(one)
    return published_trend("growth_price_performance", falling=True, drift=constant("sigma_price_drift"))


def algorithmic_trend() -> Trend:
    """Yearly factor on the compute a fixed capability takes: it halves every 8 months (5 to 14)."""
    months = constants()["algorithm_halving_months"]
    factors = [0.5 ** (12 / value) for value in (months.low, months.value, months.high)]
    return Trend(Range(*factors), 0.0, 0.0, 0, months.source)


def project(value: float, today: date, dates: Sequence[date], trend: Trend) -> list[Forecast]:
    """`value` of `today` on later dates, P10 to P90: the fan opens with the years.

    ValueError for a date before today.
    """
    if any(day < today for day in dates):
        raise ValueError("a projection looks forward; models.costs.past is for earlier dates")
    return [Forecast(day, _at(value, years_between(today, day), trend)) for day in dates]


def independent_product(one: Range, other: Range) -> Range:
    """The product of two quantities that vary apart: medians multiply, distances to P10 and P90 add in squares."""
    mid = one.mid * other.mid
    down = math.hypot(math.log(one.mid / one.low), math.log(other.mid / other.low))
    up = math.hypot(math.log(one.high / one.mid), math.log(other.high / other.mid))
    return Range(mid * math.exp(-down), mid, mid * math.exp(up))


def later_days(today: date, years: int) -> list[date]:
    """The same day of the next `years` years, for 29 February the 28th."""
    day = today.replace(day=28) if (today.month, today.day) == (2, 29) else today
    return [day.replace(year=today.year + year) for year in range(1, years + 1)]


def years_between(earlier: date, later: date) -> float:
    return (later - earlier).days / DAYS_PER_YEAR


def _at(value: float, years: float, trend: Trend) -> Range:
    mid = value * trend.per_year.mid**years
    down = math.log(trend.per_year.mid / trend.per_year.low) * years
    up = math.log(trend.per_year.high / trend.per_year.mid) * years
    beside = P90 * math.hypot(trend.scatter if years else 0.0, trend.drift * math.sqrt(years))
    return Range(mid * math.exp(-math.hypot(down, beside)), mid, mid * math.exp(math.hypot(up, beside)))
