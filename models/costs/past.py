"""What a run would have cost on an earlier date, and why it costs less now: price, hardware, algorithms.

The three effects multiply to the whole change. Price is the rent of the same GPU, hardware the step to a better
one at the later prices, algorithms the FLOP that the same capability takes. Prices of a date come from the
ledger (price_asof); trends and projections are models.costs.trends.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from models.training.requirement import SECONDS_PER_HOUR, TERA, Requirement


@dataclass(frozen=True, slots=True)
class RunThen:
    """A run on a date: its FLOP, the chip it ran on and the rent of that day."""

    on: date
    gpu: str
    flop: float
    peak_tflops: float
    utilisation: float
    usd_per_gpu_hour: Decimal
    goodput: float = 1.0  # share of the paid time that counts: on spot less than 1

    @property
    def gpu_hours(self) -> float:
        return self.flop / (self.peak_tflops * TERA * self.utilisation * SECONDS_PER_HOUR) / self.goodput

    @property
    def usd(self) -> float:
        """Compute of the final run."""
        return self.gpu_hours * float(self.usd_per_gpu_hour)


@dataclass(frozen=True, slots=True)
class Effects:
    """Factors on the cost from the earlier run to the later; below 1 it became cheaper. They multiply to total."""

    price: float
    hardware: float
    algorithm: float

    @property
    def total(self) -> float:
        return self.price * self.hardware * self.algorithm

    def shares(self) -> dict[str, float]:
        """Part of each effect in the logarithm of the change; they sum to 1. Empty where nothing changed."""
        logs = {"price": self.price, "hardware": self.hardware, "algorithm": self.algorithm}
        whole = math.log(self.total)
        return {name: math.log(factor) / whole for name, factor in logs.items()} if whole else {}


def run_then(need: Requirement, on: date, usd_per_gpu_hour: Decimal, goodput: float = 1.0) -> RunThen:
    """A requirement at the rent of a date; on spot its `goodput` leaves more hours to pay."""
    if usd_per_gpu_hour <= 0:
        raise ValueError(f"the price per GPU-hour must be positive, not {usd_per_gpu_hour}")
    return RunThen(on, need.gpu, need.flop, need.peak_tflops, need.utilisation_mid, usd_per_gpu_hour, goodput)


def effects(earlier: RunThen, later: RunThen, earlier_gpu_later_usd: Decimal | None = None) -> Effects:
    """Split the change of cost between two runs.

    With another GPU the later rent of the earlier one is needed, to tell the fall of its price from the step
    to the better chip: ValueError without it.
    """
    if later.on < earlier.on:
        raise ValueError(f"the runs are the wrong way round: {later.on} is before {earlier.on}")
    if earlier_gpu_later_usd is None:
        if earlier.gpu != later.gpu:
            raise ValueError(f"give the price of {earlier.gpu} on {later.on}, to tell price from hardware")
        earlier_gpu_later_usd = later.usd_per_gpu_hour
    stayed = _usd_per_flop(earlier, earlier_gpu_later_usd)
    return Effects(
        price=float(earlier_gpu_later_usd / earlier.usd_per_gpu_hour),
        hardware=_usd_per_flop(later, later.usd_per_gpu_hour) / stayed,
        algorithm=later.flop / earlier.flop,
    )


def fixed_capability_usd(usd: float, years: float, hardware_per_year: float, algorithms_per_year: float) -> float:
    """Cost of the same capability `years` later, where hardware and algorithms gain these factors a year."""
    return usd * math.pow(hardware_per_year * algorithms_per_year, -years)


def _usd_per_flop(run: RunThen, usd_per_gpu_hour: Decimal) -> float:
    return float(usd_per_gpu_hour) / (run.peak_tflops * TERA * run.utilisation * run.goodput * SECONDS_PER_HOUR)
