"""What fine-tuning takes: full, LoRA, QLoRA and DPO. Reinforcement learning is a phase (models.training.phases).

    GPU-hours = tokens x epochs x FLOP per token / (dense peak x utilisation x 3600)

Adapters save memory first (fewer or smaller GPUs), FLOP only by a third. A fine-tune's cost is not the cost of
the model: its base was trained before.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import Literal, get_args

from models.constants import constant, constants
from models.llms import Llm
from models.peak import Chip, NoPeak, peak
from models.training.estimate import Range, rental_usd
from models.training.memory import GB
from models.training.requirement import SECONDS_PER_HOUR, TERA

Method = Literal["full", "lora", "qlora", "dpo"]
METHODS: tuple[Method, ...] = get_args(Method)


@dataclass(frozen=True, slots=True)
class FineTune:
    """One fine-tune of one model on one kind of GPU."""

    llm: str
    method: Method
    gpu: str
    tokens: int  # all epochs
    flop: float
    gpu_hours: Range  # of computing
    state_gb: float
    min_gpus: int
    gpus: int  # 1, 2, 4, 8 or whole nodes
    billed_gpu_hours: Range  # with the set-up of every GPU and the least time that is billed
    wall_hours: float
    usd: Range | None


def flop_per_token(llm: Llm, method: Method) -> float:
    """FLOP of one token: 6 N full, 4 N with adapters, 8 N for DPO (N active parameters)."""
    if method not in METHODS:
        raise ValueError(f"fine-tuning method {method!r} is not one of {', '.join(METHODS)}")
    return constant(f"finetune_flop_{method}") * llm.params_active


def state_gb(llm: Llm, method: Method) -> float:
    """Weights and what is trained of them, in GB; all experts count. DPO keeps a frozen reference beside."""
    full = constant("state_bytes_mixed_adam")
    if method == "full":
        per_parameter = full
    elif method == "dpo":
        per_parameter = full + constant("frozen_bytes_lora")
    else:
        # QLoRA trains its adapters with a paged 8-bit Adam
        trained = constant("state_bytes_adam_8bit") if method == "qlora" else full
        per_parameter = constant(f"frozen_bytes_{method}") + constant("adapter_share") * trained
    return llm.params_total * per_parameter / GB


def min_gpus(llm: Llm, method: Method, gpu_memory_gb: float) -> int:
    """Fewest GPUs that hold the state; adapters leave less to activations than a full fine-tune needs."""
    return _holding(state_gb(llm, method), method, gpu_memory_gb)


def _holding(state: float, method: Method, gpu_memory_gb: float) -> int:
    share = constant("memory_usable_adapters" if method in ("lora", "qlora") else "memory_usable_for_state")
    return max(1, -int(-state // (gpu_memory_gb * share)))


def fine_tune(
    llm: Llm,
    gpu: Chip,
    tokens: int,
    method: Method = "full",
    *,
    epochs: float = 1,
    utilisation: float | None = None,
    gpus: int | None = None,
    price: Decimal | None = None,
    least_billed_hours: float = 0,
) -> FineTune:
    """Fine-tune `llm` on `tokens` tokens, `epochs` times.

    `utilisation` (a share, without spread) replaces the range 0.25 to 0.40; small batches reach 0.1 to 0.2.
    `price` is USD per GPU-hour; `least_billed_hours` is what a provider bills at least. ValueError for an
    impossible input, NoPeak where the chip's rate or memory is not known.
    """
    if tokens <= 0 or epochs <= 0:
        raise ValueError(f"a fine-tune takes tokens and epochs, not {tokens:,} and {epochs:g}")
    if utilisation is not None and not 0 < utilisation <= 1:
        raise ValueError(f"utilisation is a share of the peak, above 0 and at most 1, not {utilisation:g}")
    memory = gpu.usable_memory_gb or gpu.memory_gb
    if not memory:
        raise NoPeak(f"{gpu.gpu}: its memory is not known; name one of its forms")
    flop = flop_per_token(llm, method) * tokens * epochs
    state = state_gb(llm, method)
    needed = _holding(state, method, float(memory))
    cluster = group_of(needed, gpu.gpus_per_node_typical or 1) if gpus is None else gpus
    if cluster < needed:
        raise ValueError(f"{cluster} x {gpu.gpu} do not hold {state:,.0f} GB: {needed} are needed")
    ideal = flop / (peak(gpu).tflops * TERA * SECONDS_PER_HOUR)
    hours = Range(*[ideal * times for times in _times_ideal(method, utilisation)])
    set_up, ends = constant("finetune_setup_hours"), (hours.low, hours.mid, hours.high)
    billed = Range(*[cluster * max(h / cluster + set_up, least_billed_hours) for h in ends])
    usd = None
    if price is not None:
        usd = Range(*[rental_usd(h, price) for h in (billed.low, billed.mid, billed.high)])
    return FineTune(
        llm=llm.llm,
        method=method,
        gpu=gpu.gpu,
        tokens=round(tokens * epochs),
        flop=flop,
        gpu_hours=hours,
        state_gb=state,
        min_gpus=needed,
        gpus=cluster,
        billed_gpu_hours=billed,
        wall_hours=billed.mid / cluster,
        usd=usd,
    )


def group_of(gpus: int, gpus_per_node: int) -> int:
    """Rounded up to how GPUs are joined: 1, 2, 4, 8 ... within a node, whole nodes beyond."""
    if gpus > gpus_per_node:
        return -(-gpus // gpus_per_node) * gpus_per_node
    return min(gpus_per_node, 1 << (gpus - 1).bit_length())


@cache
def _times_ideal(method: Method, utilisation: float | None) -> tuple[float, float, float]:
    """How many times the hours at full peak it takes: low, mid, high."""
    usual, slow = constants()["utilisation_finetune"], constants()["qlora_slowdown"]
    factors = (slow.low, slow.value, slow.high) if method == "qlora" else (1.0, 1.0, 1.0)
    shares = (usual.high, usual.value, usual.low) if utilisation is None else (utilisation,) * 3
    low, mid, high = (factor / share for factor, share in zip(factors, shares, strict=True))
    return low, mid, high
