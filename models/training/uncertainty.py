"""How sure a total is: P10, median and P90 of a product of uncertain factors, and which factor drives them.

Two ways stand beside each other: the closed form (a product of lognormals is one) and a seeded Monte Carlo
that takes any distribution. What the factors are is for the caller: hours, price, overhead.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist, fmean, median, pstdev
from typing import Protocol

from models.constants import constant, constants
from models.training.estimate import Range
from models.training.requirement import Requirement

P90 = NormalDist().inv_cdf(0.9)  # 1.2816 standard deviations
DRAWS = 20_000
SEED = 7


class Factor(Protocol):
    """One uncertain input of a product."""

    @property
    def name(self) -> str: ...
    @property
    def median(self) -> float: ...
    @property
    def log_sd(self) -> float:
        """Standard deviation of the natural logarithm."""
        ...

    def draw(self, chance: random.Random) -> float: ...


@dataclass(frozen=True, slots=True)
class Lognormal:
    """A factor known by its median and the spread of its logarithm."""

    name: str
    median: float
    log_sd: float

    def draw(self, chance: random.Random) -> float:
        return self.median * math.exp(self.log_sd * chance.gauss(0, 1))


@dataclass(frozen=True, slots=True)
class Triangular:
    """A factor between two bounds with a most likely value."""

    name: str
    low: float
    mode: float
    high: float

    @property
    def median(self) -> float:
        width, rise = self.high - self.low, self.mode - self.low
        if width == 0:
            return self.low
        if rise >= width / 2:
            return self.low + math.sqrt(width * rise / 2)
        return self.high - math.sqrt(width * (width - rise) / 2)

    @property
    def log_sd(self) -> float:
        """To first order, sd over mean: the bounds are close."""
        a, b, c = self.low, self.mode, self.high
        variance = max(0.0, a * a + b * b + c * c - a * b - a * c - b * c) / 18  # equal bounds may round below 0
        return math.sqrt(variance) / ((a + b + c) / 3)

    def draw(self, chance: random.Random) -> float:
        return chance.triangular(self.low, self.high, self.mode)


@dataclass(frozen=True, slots=True)
class Observed:
    """A factor that takes the values seen, each as likely: the prices of the offers, say."""

    name: str
    values: tuple[float, ...]

    @property
    def median(self) -> float:
        return median(self.values)

    @property
    def log_sd(self) -> float:
        return pstdev(math.log(value) for value in self.values)

    def draw(self, chance: random.Random) -> float:
        return chance.choice(self.values)


@dataclass(frozen=True, slots=True)
class Spread:
    """Distribution of a product."""

    p10: float
    p50: float
    p90: float
    mean: float

    @property
    def range(self) -> Range:
        return Range(self.p10, self.p50, self.p90)


@dataclass(frozen=True, slots=True)
class Driver:
    """How much one factor contributes to the spread of the product."""

    name: str
    share: float  # of the variance of the logarithm
    p10_factor: float  # the product over its median when this factor alone is at its P10
    p90_factor: float


def closed_form(factors: Sequence[Factor]) -> Spread:
    """The product as a lognormal: sigma^2 is the sum over the lognormal and observed factors.

    A triangular factor counts by its median: its bounds are narrow beside the rest, and the Monte Carlo shows
    what that leaves out.
    """
    centre = math.prod(factor.median for factor in factors)
    sigma = math.hypot(*(factor.log_sd for factor in factors if not isinstance(factor, Triangular)))
    spread = math.exp(P90 * sigma)
    return Spread(centre / spread, centre, centre * spread, centre * math.exp(sigma**2 / 2))


def chance_above(median: float, limit: float, sigma: float) -> float:
    """Chance that a lognormal of this median exceeds the limit."""
    if limit <= 0:
        return 1.0
    if sigma == 0:
        return float(median > limit)
    return 1 - NormalDist().cdf(math.log(limit / median) / sigma)


def monte_carlo(factors: Sequence[Factor], draws: int = DRAWS, seed: int = SEED) -> Spread:
    """The product by `draws` independent draws; the same seed gives the same figures."""
    if draws < 10:
        raise ValueError(f"a Monte Carlo takes at least 10 draws, not {draws}")
    chance = random.Random(seed)
    products = sorted(math.prod(factor.draw(chance) for factor in factors) for _ in range(draws))
    p10, p50, p90 = (_quantile(products, share) for share in (0.1, 0.5, 0.9))
    return Spread(p10, p50, p90, fmean(products))


def tornado(factors: Sequence[Factor]) -> list[Driver]:
    """The factors by their share of the variance of the logarithm, the widest first; the shares sum to 1."""
    total = sum(factor.log_sd**2 for factor in factors)
    drivers = [
        Driver(
            factor.name,
            factor.log_sd**2 / total if total else 0.0,
            math.exp(-P90 * factor.log_sd),
            math.exp(P90 * factor.log_sd),
        )
        for factor in factors
    ]
    return sorted(drivers, key=lambda driver: -driver.share)


def run_factors(
    gpu_hours: float,
    usd_per_gpu_hour: float | Sequence[float],
    *,
    utilisation_log_sd: float | None = None,
    overhead: float | None = None,
) -> tuple[Factor, Factor, Factor]:
    """The three factors of a run's cost: utilisation (as the hours it leads to), price and overhead.

    A sequence of prices is taken as observed offers; one price has a log-sd of 0.25. An overhead given by hand
    is certain, else it lies between 1.3 and 1.5 with 1.4 the most likely.
    """
    sigma = constant("utilisation_sigma_all") if utilisation_log_sd is None else utilisation_log_sd
    price: Factor
    if isinstance(usd_per_gpu_hour, (int, float)):
        price = Lognormal("price", usd_per_gpu_hour, constant("sigma_price"))
    else:
        price = Observed("price", tuple(usd_per_gpu_hour))
    preset = constants()["overhead"]
    low, mode, high = (preset.low, preset.value, preset.high) if overhead is None else (overhead,) * 3
    return Lognormal("utilisation", gpu_hours, sigma), price, Triangular("overhead", low, mode, high)


def requirement_factors(
    need: Requirement, usd_per_gpu_hour: float | Sequence[float], overhead: float | None = None
) -> tuple[Factor, Factor, Factor]:
    """The same from a requirement, whose P50 and P90 hours carry the spread of its own prior."""
    sigma = math.log(need.gpu_hours_p90 / need.gpu_hours_p50) / P90
    return run_factors(need.gpu_hours_p50, usd_per_gpu_hour, utilisation_log_sd=sigma, overhead=overhead)


def _quantile(ordered: Sequence[float], share: float) -> float:
    at = share * (len(ordered) - 1)
    below = math.floor(at)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (at - below) * (ordered[above] - ordered[below])
