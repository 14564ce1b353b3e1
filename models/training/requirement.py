"""What training an LLM on a GPU takes: FLOP, GPU-hours with their spread, GPUs, days. No price.

    GPU-hours = FLOP / (dense peak x effective utilisation x 3600)

Each step is a module of its own: flop, memory and utilisation beside this one, models.peak. This one puts them
together, for one pair (`requirement`) and for every pair (`training_requirement`, a polars frame that is
joined to prices in SQL).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from decimal import Decimal
from typing import TYPE_CHECKING

from models.constants import constant
from models.llms import Llm
from models.peak import Chip, NoPeak, Peak, Precision, refuse_sparse_peak
from models.training.flop import Attention, Flop, training_flop
from models.training.memory import least_memory_gb, min_gpus, state_bytes_per_parameter, training_state_gb, whole_nodes
from models.training.utilisation import (
    Utilisation,
    counting_attention,
    effective_utilisation,
    given_utilisation,
    scale_efficiency,
)

if TYPE_CHECKING:
    import polars as pl

SECONDS_PER_HOUR = 3600
HOURS_PER_DAY = 24
TERA = 1e12


@dataclass(frozen=True, slots=True)
class Requirement:
    """One LLM on one GPU, with every intermediate.

    `gpus` is the cluster the hours and days are for. Three figures are there for choosing another, say whole
    instances of an offer: `min_gpus` (memory), `gpus_for_deadline` (time), and
    `wall_days = gpu_hours_p50 / gpus / 24`. The hours depend on the cluster only by the loss of scale beyond
    1,024 GPUs, a few percent, so they may be kept when rounding `gpus` to the instances of an offer.
    """

    llm: str
    kind: str
    architecture: str
    gpu: str
    gpu_family: str
    params_total: int
    params_active: int
    tokens: int
    attention: str  # convention counted: full, causal, none
    flop_per_token: float
    attention_share: float  # of 6 N_active
    flop: float
    precision: str  # of the peak that was used
    peak_tflops: float  # dense
    utilisation_low: float  # P10, loss of scale included
    utilisation_mid: float
    utilisation_high: float  # P90
    scale_efficiency: float  # part of the utilisation that the cluster size leaves, 1 up to 1,024 GPUs
    gpu_hours_p10: float
    gpu_hours_p50: float
    gpu_hours_p90: float
    state_gb: float  # training state of all parameters
    gpu_memory_gb: float
    min_gpus: int  # by memory alone
    gpus_for_deadline: int  # to finish within the deadline, memory aside
    gpus_per_node: int
    gpus: int  # whole nodes
    wall_days: float  # at the median hours
    basis: str  # one line for people


def requirement(
    llm: Llm,
    gpu: Chip,
    *,
    precision: Precision = "bf16",
    attention: Attention | None = None,
    utilisation: float | None = None,
    peak_tflops: float | None = None,
    gpus: int | None = None,
    deadline_days: float | None = None,
    optimizer: str = "mixed_adam",
    gpu_memory_gb: Decimal | None = None,
) -> Requirement:
    """What training `llm` on `gpu` takes.

    `precision` bf16 uses FP16 on chips without BF16. `attention` None takes the default of
    flop.counted_attention. `utilisation` (a share of the peak, not percent) replaces the prior and has no
    spread and no loss of scale: it is taken as the share of the billed hours. `peak_tflops` replaces the
    datasheet's dense peak. `gpus` None takes the smallest cluster of whole nodes that holds the state and ends
    within `deadline_days` (None: 90), at most 100,000 GPUs unless memory asks for more. `gpu_memory_gb` is for a
    chip whose memory is not known.

    NoPeak where the chip has no rate for the precision; ValueError for an impossible input.
    """
    if gpus is not None and gpus < 1:
        raise ValueError(f"a cluster has at least one GPU, not {gpus}")
    memory_gb = gpu_memory_gb or gpu.usable_memory_gb or gpu.memory_gb
    if not memory_gb:
        raise NoPeak(f"{gpu.gpu}: its memory is not known; name one of its forms, or give the memory")
    flop = training_flop(llm, attention)
    prior = _utilisation(llm, gpu, flop, precision, utilisation, peak_tflops)
    return _requirement(
        llm, gpu, flop, prior, memory_gb, gpus, deadline_days, optimizer, loses_scale=utilisation is None
    )


def training_requirement(llms: Iterable[Llm], gpus: Iterable[Chip]) -> pl.DataFrame:
    """The requirement of every LLM on every GPU that can train: one row a pair, the columns of Requirement.

    Chips that do not train, or have no dense BF16 or FP16 rate, have no rows: `why_no_requirement` says why.
    Where a form of a chip does not say its memory, the least memory of its family counts.
    """
    import polars as pl

    models, chips = tuple(llms), tuple(gpus)
    flops = [training_flop(llm) for llm in models]
    rows: list[Requirement] = []
    for gpu in chips:
        memory_gb = least_memory_gb(gpu, chips)
        if why_no_requirement(gpu) is not None or not memory_gb:
            continue
        priors = {kind: effective_utilisation(gpu, kind) for kind in {llm.architecture for llm in models}}
        for llm, flop in zip(models, flops, strict=True):
            prior = counting_attention(priors[llm.architecture], flop.attention_share, llm.seq_len)
            rows.append(_requirement(llm, gpu, flop, prior, gpu.usable_memory_gb or memory_gb))
    types = {"str": pl.String, "int": pl.Int64, "float": pl.Float64}
    schema = {column.name: types[str(column.type)] for column in fields(Requirement)}
    return pl.DataFrame({name: [getattr(row, name) for row in rows] for name in schema}, schema=schema)


def why_no_requirement(gpu: Chip) -> str | None:
    """Why `gpu` has no rows in the table, in one line; None where it has."""
    if not (gpu.bf16_dense_tflops or gpu.fp16_dense_tflops):
        return "no dense BF16 or FP16 rate is known"
    if not gpu.trains:
        return "it is not used for training LLMs"
    return None


def _requirement(
    llm: Llm,
    gpu: Chip,
    flop: Flop,
    prior: Utilisation,
    memory_gb: Decimal,
    gpus: int | None = None,
    deadline_days: float | None = None,
    optimizer: str = "mixed_adam",
    loses_scale: bool = True,
) -> Requirement:
    """The requirement once FLOP and utilisation are known: the table works them out once for many pairs."""
    total = flop.total
    at_full_scale = _gpu_hours(total, prior.peak, prior.mid)
    deadline_h = (constant("default_deadline_days") if deadline_days is None else deadline_days) * HOURS_PER_DAY
    if deadline_h <= 0:
        raise ValueError(f"the deadline must be a positive number of days, not {deadline_days:g}")
    in_time = gpus_for_deadline(at_full_scale, deadline_h, loses_scale)
    state_gb = training_state_gb(llm.params_total, state_bytes_per_parameter(optimizer))
    by_memory = min_gpus(state_gb, memory_gb)
    node = gpu.gpus_per_node_typical or 1
    cluster = gpus or default_cluster(by_memory, in_time, node)

    efficiency = _efficiency(cluster) if loses_scale else 1.0
    reached = prior.scaled(efficiency)
    hours = _gpu_hours(total, prior.peak, reached.mid)
    return Requirement(
        llm=llm.llm,
        kind=llm.kind,
        architecture=llm.architecture,
        gpu=gpu.gpu,
        gpu_family=gpu.gpu_family,
        params_total=llm.params_total,
        params_active=llm.params_active,
        tokens=llm.tokens,
        attention=flop.attention,
        flop_per_token=float(flop.per_token),
        attention_share=flop.attention_share,
        flop=float(total),
        precision=prior.peak.precision,
        peak_tflops=prior.peak.tflops,
        utilisation_low=reached.low,
        utilisation_mid=reached.mid,
        utilisation_high=reached.high,
        scale_efficiency=efficiency,
        gpu_hours_p10=_gpu_hours(total, prior.peak, reached.high),
        gpu_hours_p50=hours,
        gpu_hours_p90=_gpu_hours(total, prior.peak, reached.low),
        state_gb=float(state_gb),
        gpu_memory_gb=float(memory_gb),
        min_gpus=by_memory,
        gpus_for_deadline=in_time,
        gpus_per_node=node,
        gpus=cluster,
        wall_days=hours / cluster / HOURS_PER_DAY,
        basis=prior.basis,
    )


def gpus_for_deadline(gpu_hours: float, deadline_hours: float, loses_scale: bool = True) -> int:
    """Fewest GPUs that end `gpu_hours` of work within the deadline, the loss of scale they bring included."""
    gpus = max(1, math.ceil(gpu_hours / deadline_hours))
    while loses_scale:
        enough = math.ceil(gpu_hours / _efficiency(gpus) / deadline_hours)
        if enough <= gpus:
            break
        gpus = enough  # a larger cluster loses a little more: settles, as the loss has a floor
    return gpus


def default_cluster(by_memory: int, in_time: int, gpus_per_node: int) -> int:
    """The smallest cluster of whole nodes that holds the state and is in time, as far as 100,000 GPUs reach."""
    largest = int(constant("largest_cluster_gpus"))
    return whole_nodes(max(by_memory, min(in_time, largest)), gpus_per_node)


def _utilisation(
    llm: Llm,
    gpu: Chip,
    flop: Flop,
    precision: Precision,
    given: float | None,
    peak_tflops: float | None,
) -> Utilisation:
    of_6nd = effective_utilisation(gpu, llm.architecture, precision)
    prior = counting_attention(of_6nd, flop.attention_share, llm.seq_len)
    if peak_tflops is None:
        return prior if given is None else given_utilisation(given, prior.peak)
    if peak_tflops <= 0:
        raise ValueError(f"the peak must be positive, not {peak_tflops:g} TFLOPS")
    refuse_sparse_peak(gpu, precision, peak_tflops)
    own = Peak(peak_tflops, prior.peak.precision)
    return replace(prior, peak=own) if given is None else given_utilisation(given, own)


def _gpu_hours(flop: int, peak: Peak, utilisation: float) -> float:
    return flop / (peak.tflops * TERA * utilisation * SECONDS_PER_HOUR)


def _efficiency(gpus: int) -> float:
    return scale_efficiency(gpus, int(constant("scale_loss_from_gpus_effective")))
