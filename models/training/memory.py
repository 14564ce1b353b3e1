"""How much GPU memory a training state takes, and the fewest GPUs that hold it.

All parameters count, also those of experts that a token does not visit. Activations are covered by the share of
memory that is left free. Which clusters a provider has does not belong here.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import ROUND_CEILING, Decimal

from models.constants import constant
from models.peak import Chip

GB = 10**9


def least_memory_gb(chip: Chip, chips: Iterable[Chip]) -> Decimal | None:
    """Nominal memory of a chip; where a site left that open the least of its family, None where none is known."""
    family = (other.memory_gb for other in chips if other.gpu_family == chip.gpu_family and other.memory_gb)
    return chip.memory_gb or min(family, default=None)


def state_bytes_per_parameter(optimizer: str = "mixed_adam") -> Decimal:
    """Weights, gradients, master weights and moments of one parameter, in bytes.

    `optimizer`: mixed_adam (16), fp8_adam (12), adam_8bit (10) or muon (12); ValueError for another.
    """
    try:
        return Decimal(str(constant(f"state_bytes_{optimizer}")))
    except KeyError:
        raise ValueError(f"optimizer {optimizer!r} is unknown: mixed_adam, fp8_adam, adam_8bit or muon") from None


def training_state_gb(params_total: int, bytes_per_parameter: Decimal) -> Decimal:
    """Training state in GB (10**9 bytes); checkpoints hold 12-14 of the 16 bytes."""
    return params_total * bytes_per_parameter / GB


def min_gpus(state_gb: Decimal, gpu_memory_gb: Decimal) -> int:
    """Fewest GPUs whose memory, less the share for activations and fragmentation, holds the state.

    The state must be fully sharded for it (ZeRO-3, FSDP, or tensor and pipeline parallelism).
    """
    return max(1, int((state_gb / _usable_gb(gpu_memory_gb)).to_integral_value(rounding=ROUND_CEILING)))


def most_params(gpus: int, gpu_memory_gb: Decimal, bytes_per_parameter: Decimal) -> int:
    """The most parameters whose training state `gpus` hold: `min_gpus` turned round."""
    return int(gpus * _usable_gb(gpu_memory_gb) * GB / bytes_per_parameter)


def _usable_gb(gpu_memory_gb: Decimal) -> Decimal:
    if gpu_memory_gb <= 0:
        raise ValueError(f"GPU memory must be positive, not {gpu_memory_gb} GB")
    return gpu_memory_gb * Decimal(str(constant("memory_usable_for_state")))


def whole_nodes(gpus: int, gpus_per_node: int) -> int:
    """`gpus` rounded up to full nodes."""
    return -(-gpus // gpus_per_node) * gpus_per_node
