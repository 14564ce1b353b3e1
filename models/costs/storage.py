"""What a run has to keep and move: checkpoints, the data set, the weights that leave. GB are 10**9 bytes.

Traffic inside a cluster is free as a rule, between zones it is not. How often to save is models.training.reliability.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from models.constants import constant
from models.training.memory import GB

Content = Literal["weights", "resumable"]


@dataclass(frozen=True, slots=True)
class Kept:
    """Checkpoints of a run that stay: the last ones at hand, one a day in cold storage."""

    hot_gb: float
    cold_gb: float


def checkpoint_gb(params_total: int, content: Content = "resumable", bytes_per_parameter: float | None = None) -> float:
    """Size of one checkpoint: 2 bytes a parameter for the weights, 12 to 14 to go on from it. All experts count."""
    size = constant(f"checkpoint_bytes_{content}") if bytes_per_parameter is None else bytes_per_parameter
    return params_total * size / GB


def write_seconds(size_gb: float, gb_per_second: float) -> float:
    """Time to write one checkpoint at the aggregate bandwidth; the GPUs wait for it unless saves are asynchronous."""
    if gb_per_second <= 0:
        raise ValueError(f"the bandwidth must be positive, not {gb_per_second:g} GB/s")
    return size_gb / gb_per_second


def checkpoints_written(wall_days: float, every_hours: float) -> int:
    """How many checkpoints a run writes."""
    if every_hours <= 0:
        raise ValueError(f"the interval must be positive, not {every_hours:g} h")
    return math.floor(wall_days * 24 / every_hours)


def kept_in_tiers(size_gb: float, wall_days: float, every_hours: float, hot: int = 10) -> Kept:
    """The last `hot` checkpoints at hand and one of each full day cold; nothing is kept twice."""
    at_hand = min(hot, checkpoints_written(wall_days, every_hours))
    covered_days = at_hand * every_hours / 24
    return Kept(hot_gb=at_hand * size_gb, cold_gb=max(0, math.floor(wall_days - covered_days)) * size_gb)


def storage_usd(size_gb: float, months: float = 1, usd_per_gb_month: Decimal | None = None) -> float:
    """Rent of `size_gb` for `months`."""
    price = constant("storage_usd_per_gb_month") if usd_per_gb_month is None else float(usd_per_gb_month)
    return size_gb * months * price


def dataset_gb(tokens: int, raw: bool = False) -> float:
    """The tokenised data set, 2 bytes a token; with `raw` the text it was made from beside it."""
    size = tokens * constant("bytes_per_token") / GB
    return size * (1 + constant("raw_text_factor")) if raw else size


def egress_usd(size_gb: float, usd_per_gb: Decimal | None = None) -> float:
    """Price of moving `size_gb` out of the provider."""
    price = constant("egress_usd_per_gb") if usd_per_gb is None else float(usd_per_gb)
    return size_gb * price
