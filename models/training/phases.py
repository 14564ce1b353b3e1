"""A run of several phases: pre-training, context extension, fine-tuning, reinforcement learning.

Each phase has its own tokens and context; FLOP and hours are their sums. A context that is given counts attention, also
of a size class, whose own pre-training is that of every other estimate. Recomputation of activations is no
part of the FLOP: it is kept here only to turn hardware utilisation (HFU) into model utilisation (MFU).
Adapters (LoRA, QLoRA) and DPO are in models.training.finetuning.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Literal, get_args

from models.constants import constant, constants
from models.llms import Llm
from models.peak import Chip, peak
from models.training.estimate import Range
from models.training.flop import Attention, training_flop
from models.training.requirement import (
    HOURS_PER_DAY,
    SECONDS_PER_HOUR,
    TERA,
    Requirement,
    default_cluster,
    gpus_for_deadline,
    requirement,
)
from models.training.utilisation import scale_efficiency

PhaseKind = Literal["pretrain", "context_extension", "finetune", "rl"]
Recomputation = Literal["none", "selective", "full"]


@dataclass(frozen=True, slots=True)
class Phase:
    """One phase. `tokens` are those the weights are updated on; `generated_tokens` are an RL phase's rollouts."""

    kind: PhaseKind
    tokens: int
    seq_len: int | None = None  # None: that of the model
    generated_tokens: int = 0

    def __post_init__(self) -> None:
        if self.kind not in get_args(PhaseKind):
            raise ValueError(f"phase {self.kind!r} is not one of {', '.join(get_args(PhaseKind))}")
        if self.tokens < 0 or self.generated_tokens < 0 or self.tokens + self.generated_tokens == 0:
            raise ValueError(f"a {self.kind} phase takes tokens")
        if self.generated_tokens and self.kind != "rl":
            raise ValueError(f"only an rl phase generates tokens, not {self.kind}")


@dataclass(frozen=True, slots=True)
class PhaseNeed:
    """FLOP and GPU-hours of one phase."""

    kind: PhaseKind
    tokens: int
    flop: int
    gpu_hours: Range
    basis: str


def pretraining(llm: Llm) -> Phase:
    """The phase that `llm` itself describes."""
    return Phase("pretrain", llm.tokens)


def phase_flop(llm: Llm, phase: Phase, attention: Attention | None = None) -> int:
    """FLOP of one phase of `llm`.

    RL: 2 N a rolled-out token, 2 N for each scoring of it (reward and reference), 6 N a trained token.
    """
    updates = 0
    if phase.tokens:
        updates = training_flop(_as_trained(llm, phase), attention).total
    if phase.kind != "rl":
        return updates
    passes = 1 + int(constant("rl_scoring_passes"))
    forward = int(constant("flop_per_parameter_token_inference"))
    return updates + forward * llm.params_active * phase.generated_tokens * passes


def run_flop(llm: Llm, phases: Sequence[Phase], attention: Attention | None = None) -> int:
    """FLOP of all phases; exact."""
    return sum(phase_flop(llm, phase, attention) for phase in phases)


def phase_needs(
    llm: Llm, gpu: Chip, phases: Sequence[Phase], *, gpus: int | None = None, utilisation: float | None = None
) -> list[PhaseNeed]:
    """FLOP and GPU-hours of each phase on `gpu`.

    Pre-training and context extension take the effective utilisation of models.training.requirement; the shorter
    fine-tuning and RL phases the range of fine-tunes, less what so many `gpus` lose. `utilisation` replaces both.
    """
    return [_need(llm, gpu, phase, gpus, utilisation) for phase in phases]


def phases_requirement(
    llm: Llm,
    gpu: Chip,
    phases: Sequence[Phase],
    *,
    utilisation: float | None = None,
    gpus: int | None = None,
    deadline_days: float | None = None,
    gpu_memory_gb: Decimal | None = None,
) -> Requirement:
    """What all phases take, one after the other on one cluster; arguments as of models.training.requirement."""
    one = requirement(llm, gpu, utilisation=utilisation, deadline_days=deadline_days, gpu_memory_gb=gpu_memory_gb)
    at_full_scale = total_hours(phase_needs(llm, gpu, phases, gpus=1, utilisation=utilisation)).mid
    days = constant("default_deadline_days") if deadline_days is None else deadline_days
    in_time = gpus_for_deadline(at_full_scale, days * HOURS_PER_DAY, utilisation is None)
    cluster = gpus or default_cluster(one.min_gpus, in_time, one.gpus_per_node)
    needs = phase_needs(llm, gpu, phases, gpus=cluster, utilisation=utilisation)
    hours = total_hours(needs)
    return replace(
        one,
        tokens=sum(need.tokens for need in needs),
        flop=float(sum(need.flop for need in needs)),
        scale_efficiency=at_full_scale / hours.mid,
        gpu_hours_p10=hours.low,
        gpu_hours_p50=hours.mid,
        gpu_hours_p90=hours.high,
        gpus_for_deadline=in_time,
        gpus=cluster,
        wall_days=hours.mid / cluster / HOURS_PER_DAY,
    )


def total_hours(needs: Sequence[PhaseNeed]) -> Range:
    """GPU-hours of all phases; the phases of one run are slow or fast together, so their quantiles add."""
    return Range(
        sum(need.gpu_hours.low for need in needs),
        sum(need.gpu_hours.mid for need in needs),
        sum(need.gpu_hours.high for need in needs),
    )


def hardware_flop(flop: float, recomputation: Recomputation) -> float:
    """FLOP the chips execute: a third more with full recomputation, 1 to 5% more with selective."""
    return flop * _recomputation(recomputation)


def mfu_from_hfu(hfu: float, recomputation: Recomputation) -> float:
    """Model utilisation behind a hardware utilisation: only the FLOP of the model move it on."""
    return hfu / _recomputation(recomputation)


def _as_trained(llm: Llm, phase: Phase) -> Llm:
    if phase.seq_len is None:
        return replace(llm, tokens=phase.tokens)
    return replace(llm, tokens=phase.tokens, seq_len=phase.seq_len, kind="custom")  # attention is most of a long one


def _need(llm: Llm, gpu: Chip, phase: Phase, gpus: int | None, utilisation: float | None) -> PhaseNeed:
    flop = phase_flop(llm, phase)
    if phase.kind in ("pretrain", "context_extension"):
        need = requirement(_as_trained(llm, phase), gpu, gpus=gpus, utilisation=utilisation)
        hours = Range(need.gpu_hours_p10, need.gpu_hours_p50, need.gpu_hours_p90)
        return PhaseNeed(phase.kind, phase.tokens, flop, hours, need.basis)
    usual = constants()["utilisation_finetune"]
    shares = (usual.high, usual.value, usual.low) if utilisation is None else (utilisation,) * 3
    rate = peak(gpu)
    if gpus is not None and utilisation is None:
        kept = scale_efficiency(gpus, int(constant("scale_loss_from_gpus_effective")))
        shares = (shares[0] * kept, shares[1] * kept, shares[2] * kept)
    hours = Range(*(flop / (rate.tflops * TERA * share * SECONDS_PER_HOUR) for share in shares))
    basis = f"{shares[1]:g} of the {rate.precision.upper()} dense peak"
    return PhaseNeed(phase.kind, phase.tokens, flop, hours, basis)


def _recomputation(kind: Recomputation) -> float:
    if kind not in get_args(Recomputation):
        raise ValueError(f"recomputation {kind!r} is not one of {', '.join(get_args(Recomputation))}")
    return 1.0 if kind == "none" else constant(f"recomputation_{kind}")
