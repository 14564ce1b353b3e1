"""The questions turned round: what a budget trains, and what a number of GPU-hours can have trained.

    FLOP = budget / overhead / price x 3600 x peak x utilisation        tokens = hours x 3600 x peak x u / (6 N)

How a budget is divided between parameters and tokens is models.training.scaling_laws; what a run
costs is models.training.estimate.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal

from models.constants import constant
from models.costs.bill import Experiments, experiments_multiplier
from models.costs.commitments import ROUNDING
from models.peak import Chip
from models.training.estimate import Range
from models.training.memory import min_gpus, most_params, state_bytes_per_parameter, training_state_gb
from models.training.requirement import HOURS_PER_DAY, SECONDS_PER_HOUR, TERA
from models.training.scaling_laws import CoefficientSet, Size, by_tokens_per_parameter, compute_optimal, optimal_tokens
from models.training.spot import per_node_hour, spot_loss
from models.training.utilisation import effective_utilisation, given_utilisation, scale_efficiency


@dataclass(frozen=True, slots=True)
class LargestModel:
    """The largest sensible dense model that a budget trains; low goes with a low utilisation."""

    budget_usd: float
    gpu: str
    usd_per_gpu_hour: float
    gpu_hours: float  # of the final run
    flop: Range
    params: Range
    tokens: Range
    tokens_per_parameter: float
    sizing: str  # how parameters and tokens were divided
    min_gpus: int  # that hold the middle one
    gpus: int  # that hold it and end it within the longest run, part of an instance perhaps; or those given
    scale_efficiency: float  # part of the utilisation that so many GPUs leave
    goodput: float  # part of the hours that spot leaves; 1 where nothing is reclaimed
    wall_days: float


def largest_model(
    budget_usd: float,
    gpu: Chip,
    price: Decimal,
    *,
    sizing: CoefficientSet | None = None,
    tokens_per_parameter: float | None = None,
    experiments: Experiments | float | None = None,
    utilisation: float | None = None,
    gpus: int | None = None,
    spot: bool = False,
) -> LargestModel:
    """The dense model and tokens that `budget_usd` trains on `gpu` at `price` USD per GPU-hour.

    20 tokens per parameter unless another ratio, or a set of coefficients to be optimal by, is given. The
    budget pays the experiments too, and what is lost to the scale of the cluster and to interruptions on `spot`: it
    buys hours, and so many GPUs make less of them. A utilisation that is given holds the loss of scale. ValueError
    for a budget, price or ratio that is not positive.
    """
    if budget_usd <= 0 or price <= 0:
        raise ValueError(f"budget and price must be positive, not {budget_usd:g} and {price}")
    if sizing is not None and tokens_per_parameter is not None:
        raise ValueError("give tokens per parameter or a set of coefficients, not both")
    hours = affordable_hours(budget_usd, price, experiments)
    prior = effective_utilisation(gpu, "dense")
    share = prior if utilisation is None else given_utilisation(utilisation, prior.peak)
    in_time = gpus_in_time(hours)
    cluster = in_time if gpus is None else gpus
    efficiency, goodput = 1.0, 1.0
    if utilisation is None:
        efficiency = scale_efficiency(cluster, int(constant("scale_loss_from_gpus_effective")))
    if spot:
        nodes = max(1.0, cluster / (gpu.gpus_per_node_typical or 1))
        reclaimed = per_node_hour(constant("spot_monthly_interruption"))
        goodput = spot_loss(nodes * reclaimed).goodput
    reached = share.scaled(efficiency * goodput)
    flops = [_flop(hours, prior.peak.tflops, u) for u in (reached.low, reached.mid, reached.high)]
    low, mid, high = (_size(flop, sizing, tokens_per_parameter) for flop in flops)
    memory = gpu.usable_memory_gb or gpu.memory_gb
    state_gb = training_state_gb(round(mid.params), state_bytes_per_parameter())
    held = min_gpus(state_gb, memory) if memory else 1
    rented = max(held, math.ceil(in_time)) if gpus is None else gpus
    return LargestModel(
        budget_usd=budget_usd,
        gpu=gpu.gpu,
        usd_per_gpu_hour=float(price),
        gpu_hours=hours,
        flop=Range(*flops),
        params=Range(low.params, mid.params, high.params),
        tokens=Range(low.tokens, mid.tokens, high.tokens),
        tokens_per_parameter=mid.tokens_per_parameter,
        sizing=sizing or f"{mid.tokens_per_parameter:g} tokens per parameter",
        min_gpus=held,
        gpus=rented,
        scale_efficiency=efficiency,
        goodput=goodput,
        wall_days=hours / rented / HOURS_PER_DAY,
    )


def budget_held(found: LargestModel, gpu: Chip, sizing: CoefficientSet | None = None) -> float:
    """USD of the largest model of the same kind whose training state the GPUs of `found` hold, up to its own budget.

    On the same GPUs FLOP grow as the budget does.
    """
    memory = gpu.usable_memory_gb or gpu.memory_gb
    if not memory or found.min_gpus <= found.gpus:
        return found.budget_usd
    params = most_params(found.gpus, memory, state_bytes_per_parameter())
    most = optimal_tokens(params, sizing) if sizing else Size(params, params * found.tokens_per_parameter)
    return found.budget_usd * most.flop / found.flop.mid * (1 - ROUNDING)


def affordable_hours(budget_usd: float, price: Decimal, experiments: Experiments | float | None = None) -> float:
    """GPU-hours of the final run that a budget buys at `price` USD per GPU-hour, beside its experiments."""
    return budget_usd / experiments_multiplier(experiments) / float(price)


def gpus_in_time(gpu_hours: float) -> float:
    """GPUs on which so many hours end within the longest run; a part of one counts."""
    return gpu_hours / (constant("longest_run_days") * HOURS_PER_DAY)


def implied_tokens(gpu_hours: float, params_active: float, peak_tflops: float, utilisation: float) -> float:
    """Tokens that `gpu_hours` can have trained a model on; T = h 3600 P u / 6 N."""
    if min(gpu_hours, params_active, peak_tflops, utilisation) <= 0:
        raise ValueError("hours, parameters, peak and utilisation must be positive")
    return _flop(gpu_hours, peak_tflops, utilisation) / (constant("flop_per_parameter_token") * params_active)


def _flop(gpu_hours: float, peak_tflops: float, utilisation: float) -> float:
    return gpu_hours * SECONDS_PER_HOUR * peak_tflops * TERA * utilisation


def _size(flop: float, sizing: CoefficientSet | None, ratio: float | None) -> Size:
    return by_tokens_per_parameter(flop, ratio) if sizing is None else compute_optimal(flop, sizing)
