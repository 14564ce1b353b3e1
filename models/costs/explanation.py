"""From a total back to every term: value, range, unit, formula and source, in the order they are computed.

It explains an Estimate and a Bill; the page a price was read from is given by whoever has the ledger.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from models.constants import constants
from models.costs.bill import Bill
from models.quantities import counted
from models.training.estimate import Estimate, Range
from models.training.requirement import HOURS_PER_DAY


@dataclass(frozen=True, slots=True)
class Step:
    """One term of a result; low and high equal the value where it is certain."""

    name: str
    value: float
    low: float
    high: float
    unit: str
    formula: str  # how it follows from the steps above; `given` for an input
    source: str


def explain(result: Estimate, price_source: str = "given") -> list[Step]:
    """Every step of an estimate, inputs first. `price_source` is the page or offer of the price."""
    paused, over, waits = [], "", ""
    if result.goodput < 1:
        spot = _source("spot_monthly_interruption")
        paused = [_sure("goodput", result.goodput, "share of the paid time", "less what interruptions lose", spot)]
        over = " / goodput"
        stretch = result.wall_days.mid * result.gpus * HOURS_PER_DAY / result.gpu_hours.mid
        waits = f" x {stretch:.3f} of waiting for machines anew"
    steps = [
        _sure("parameters", result.params_active, "active parameters", "given", "given"),
        _sure("tokens", result.tokens, "tokens", "given", "given"),
        _sure(
            "flop_per_token",
            result.flop_per_token,
            "FLOP",
            "6 x parameters"
            + (f", {result.attention} attention adds {result.attention_share:.1%}" if result.attention_share else ""),
            _source("flop_per_parameter_token"),
        ),
        _sure("flop", result.flop, "FLOP", "flop_per_token x tokens", "computed"),
        _sure("peak", result.peak_tflops, f"dense {result.precision.upper()} TFLOPS", result.gpu, "models/gpus.csv"),
        _step("utilisation", result.utilisation, "share of the peak", result.utilisation_basis, "models/constants.csv"),
        _sure(
            "scale_efficiency",
            result.scale_efficiency,
            "part of the utilisation",
            counted(result.gpus, "GPU"),
            _source("scale_loss_per_doubling"),
        ),
        *paused,
        _step("gpu_hours", result.gpu_hours, "GPU-hours", f"flop / (peak x utilisation x 3600){over}", "computed"),
        _sure("state", result.state_gb, "GB", "all parameters x bytes of state", _source("state_bytes_mixed_adam")),
        _sure("gpus", result.gpus, "GPUs", f"whole nodes; memory needs {result.min_gpus:,}", "computed"),
        _step("wall_days", result.wall_days, "days", f"gpu_hours / gpus / 24{waits}", "computed"),
    ]
    if result.usd_per_gpu_hour is None or result.compute_usd is None or result.total_usd is None:
        return steps
    once, plus = [], ""
    if result.setup_usd:
        once = [_sure("setup_usd", result.setup_usd, "USD", "one-off fees of the instances", price_source)]
        plus = " + setup_usd"
    taken = []
    if result.commitment_usd is not None:
        how = f"{result.commitment}, for wall_days x overhead on {counted(result.gpus, 'GPU')} x price"
        taken = [_sure("commitment_usd", result.commitment_usd, "USD", how, "computed")]
    return [
        *steps,
        _sure("price", result.usd_per_gpu_hour, "USD per GPU-hour", "given", price_source),
        _step("compute_usd", result.compute_usd, "USD", "gpu_hours x price", "computed"),
        _step("overhead", result.overhead, "x compute", "failed runs and experiments", _source("overhead")),
        *once,
        _step("total_usd", result.total_usd, "USD", f"compute_usd x overhead (by its middle){plus}", "computed"),
        *taken,
    ]


def explain_bill(whole: Bill) -> list[Step]:
    """The lines of a bill and their sum."""
    lines = [_step(term.name, term.usd, "USD", term.formula, term.source or "computed") for term in whole.terms]
    return [*lines, _step("total", whole.total, "USD", _plus(term.name for term in whole.terms), "computed")]


def _step(name: str, value: Range, unit: str, formula: str, source: str) -> Step:
    return Step(name, value.mid, value.low, value.high, unit, formula, source)


def _sure(name: str, value: float, unit: str, formula: str, source: str) -> Step:
    return Step(name, value, value, value, unit, formula, source)


def _source(name: str) -> str:
    return constants()[name].source


def _plus(names: Iterable[str]) -> str:
    return " + ".join(names)
