"""Memory of the activations of one micro-batch, and whether state and activations fit one GPU.

models.training.memory leaves a fifth of the memory to them, which is what a run needs as a rule; this is for a shape
that is known. Sizes are GB of 10**9 bytes.
"""

from __future__ import annotations

from dataclasses import dataclass

from models.constants import constant
from models.llms import Llm
from models.training.memory import GB
from models.training.phases import Recomputation


def activations_gb(
    llm: Llm,
    *,
    micro_batch: int = 1,
    recomputation: Recomputation = "selective",
    heads: int | None = None,
    tensor_parallel: int = 1,
) -> float:
    """Activations of `micro_batch` sequences on one GPU (Korthikanti et al. 2022), all layers.

    Per layer s b d (34 + 5 a s/d) bytes as they come, 34 s b d with flash attention or selective
    recomputation, 2 s b d with full; divided by the tensor-parallel size where the sequence is parallel too.
    ValueError where the shape, or without recomputation the number of heads, is not known.
    """
    if llm.layers is None or llm.width is None or llm.seq_len is None:
        raise ValueError(f"{llm.llm}: activations take layers, width and sequence length")
    if micro_batch < 1 or tensor_parallel < 1:
        raise ValueError(f"micro-batch and tensor parallelism are at least 1, not {micro_batch} and {tensor_parallel}")
    tokens = llm.seq_len * micro_batch
    if recomputation == "full":
        per_layer = constant("activation_bytes_recomputed") * tokens * llm.width
    else:
        per_layer = constant("activation_bytes_stored") * tokens * llm.width
    if recomputation == "none":
        if heads is None:
            raise ValueError(f"{llm.llm}: without recomputation the number of heads is needed")
        per_layer += constant("activation_bytes_scores") * heads * llm.seq_len * tokens
    return llm.layers * per_layer / tensor_parallel / GB


def gpu_memory_needed_gb(state_gb: float, gpus: int, activations: float) -> float:
    """Memory one GPU needs: its part of the fully sharded state, activations, and 5-10% of fragmentation."""
    return (state_gb / gpus + activations) * (1 + constant("memory_fragmentation"))


@dataclass(frozen=True, slots=True)
class MemoryCheck:
    """What one GPU of a fully sharded run holds beside what it has, in GB."""

    state_gb: float
    activations_gb: float
    needed_gb: float  # both, with fragmentation
    gpu_memory_gb: float
    fits: bool
    recomputation: Recomputation
    tensor_parallel: int
    line: str  # one line for people


def memory_check(
    *,
    layers: int,
    width: int,
    seq_len: int,
    state_gb: float,
    gpus: int,
    gpus_per_node: int,
    gpu_memory_gb: float,
    micro_batch: int = 1,
) -> MemoryCheck:
    """Whether state and activations of `micro_batch` sequences fit one of `gpus` GPUs.

    The cheapest way that fits is taken: selective before full recomputation, each alone before tensor parallelism
    over the GPUs of a node. Where none fits, the one that needs least.
    """
    shape = Llm("a model", "custom", 1, 1, 1, layers, width, seq_len, "dense")
    together = min(gpus, gpus_per_node)
    ways: list[tuple[Recomputation, int]] = [("selective", 1), ("selective", together), ("full", 1), ("full", together)]
    checks = []
    for recomputation, parallel in ways:
        kept = activations_gb(shape, micro_batch=micro_batch, recomputation=recomputation, tensor_parallel=parallel)
        needed = gpu_memory_needed_gb(state_gb, gpus, kept)
        how = f"{recomputation} recomputation" + (f", tensor parallel over {parallel}" if parallel > 1 else "")
        parts = f"{state_gb / gpus:,.1f} GB state + {kept:,.1f} GB activations"
        line = f"{parts}, {needed:,.1f} of {gpu_memory_gb:,.0f} GB with {how}"
        fits = needed <= gpu_memory_gb
        checks.append(MemoryCheck(state_gb / gpus, kept, needed, gpu_memory_gb, fits, recomputation, parallel, line))
    return next((check for check in checks if check.fits), min(checks, key=lambda check: check.needed_gb))
