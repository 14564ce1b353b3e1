"""Whether a published training run can be true: the utilisation it implies, and the FLOP it states.

It catches unit errors: tokens a thousandfold off, words in a token field, hours per trillion tokens taken as the
total, a sparse peak. What a run should take is models.training.requirement.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from models.constants import constant
from models.llms import TRILLION, Llm
from models.training.flop import training_flop

Code = Literal["utilisation_impossible", "utilisation_needs_evidence", "utilisation_unheard_of", "flop_disagrees"]


@dataclass(frozen=True, slots=True)
class Doubt:
    """One reason not to believe the figures of a run."""

    code: Code
    detail: str  # one line for people, with the likely cause where one fits


def implied_utilisation(flop: float, gpu_hours: float, peak_tflops: float) -> float:
    """Share of the peak that a run of `flop` reached over its billed `gpu_hours`."""
    if gpu_hours <= 0 or peak_tflops <= 0:
        raise ValueError("GPU-hours and peak must be positive")
    return flop / (gpu_hours * 3600 * peak_tflops * 1e12)


def doubts(llm: Llm, gpu_hours: float, peak_tflops: float, stated_flop: float | None = None) -> list[Doubt]:
    """Every reason to doubt that training `llm` took `gpu_hours` on chips of `peak_tflops` (dense).

    The utilisation is judged in 6ND: above 0.70 it is impossible, above 0.60 it needs evidence, below 0.03
    no run is known. `stated_flop` may count attention or not; beyond 15% off both, a field is wrong.
    """
    found = []
    parameters_only = float(training_flop(llm, "none").total)
    share = implied_utilisation(parameters_only, gpu_hours, peak_tflops)
    if share > constant("utilisation_impossible_above"):
        cause = _cause(share, llm.tokens)
        found.append(Doubt("utilisation_impossible", f"{share:.3g} of the peak cannot be reached{cause}"))
    elif share > constant("utilisation_needs_evidence_above"):
        found.append(Doubt("utilisation_needs_evidence", f"{share:.2f} of the peak is above most benchmarks"))
    elif share < constant("utilisation_unheard_below"):
        cause = "; are the tokens a thousandfold too few?" if _usual(share * 1000) else ""
        found.append(Doubt("utilisation_unheard_of", f"{share:.2g} of the peak is below any known run{cause}"))
    if stated_flop is not None:
        found.extend(_flop_doubt(llm, parameters_only, stated_flop))
    return found


def _flop_doubt(llm: Llm, parameters_only: float, stated_flop: float) -> list[Doubt]:
    with_attention = float(training_flop(llm).total)
    tolerance = constant("flop_disagreement")
    if parameters_only * (1 - tolerance) <= stated_flop <= with_attention * (1 + tolerance):
        return []
    ratio = parameters_only / stated_flop
    words = abs(ratio / constant("words_per_token") - 1) < 0.1
    cause = "; are the tokens words?" if words else ""
    return [Doubt("flop_disagrees", f"6ND is {ratio:.3g} of the stated {stated_flop:.3g} FLOP{cause}")]


def _cause(share: float, tokens: int) -> str:
    if _usual(share / 1000):
        return "; are the tokens a thousandfold too many?"
    if _usual(share / (tokens / TRILLION)):
        return "; are the GPU-hours per trillion tokens?"
    return ""


def _usual(share: float) -> bool:
    """Within what published runs reach."""
    return constant("utilisation_unheard_below") <= share <= constant("utilisation_needs_evidence_above")
