"""Which peak rate of a chip counts for a run: dense, of the stated precision, in TFLOPS.

Sparse (2:4) figures are twice the dense ones and never a peak here. What share of the peak a run reaches is
models.training.utilisation.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Literal, Protocol, get_args

Precision = Literal["bf16", "fp16", "fp8", "fp4"]
PRECISIONS: tuple[str, ...] = get_args(Precision)


class Chip(Protocol):
    """What the cost models read of a GPU, a TPU or another accelerator."""

    @property
    def gpu(self) -> str: ...
    @property
    def gpu_family(self) -> str: ...
    @property
    def trains(self) -> bool: ...
    @property
    def memory_gb(self) -> Decimal | None: ...
    @property
    def usable_memory_gb(self) -> Decimal | None: ...
    @property
    def fp16_dense_tflops(self) -> Decimal | None: ...
    @property
    def bf16_dense_tflops(self) -> Decimal | None: ...
    @property
    def fp8_dense_tflops(self) -> Decimal | None: ...
    @property
    def fp4_dense_tflops(self) -> Decimal | None: ...
    @property
    def gpus_per_node_typical(self) -> int | None: ...
    @property
    def bf16_matmul_achieved_tflops(self) -> Decimal | None: ...


class NoPeak(ValueError):
    """The chip has no rate for the precision asked: it cannot be priced for this run."""


@dataclass(frozen=True, slots=True)
class Peak:
    """A dense peak and the precision it belongs to."""

    tflops: float
    precision: Precision


def sixteen_bit_peak(chip: Chip) -> Peak:
    """The BF16 peak, or FP16 on chips older than BF16 (V100, T4); NoPeak where a chip has neither."""
    if chip.bf16_dense_tflops:
        return Peak(float(chip.bf16_dense_tflops), "bf16")
    if chip.fp16_dense_tflops:
        return Peak(float(chip.fp16_dense_tflops), "fp16")
    raise NoPeak(f"{chip.gpu}: no dense BF16 or FP16 rate is known")


def peak(chip: Chip, precision: Precision = "bf16") -> Peak:
    """The dense peak of `precision`; `bf16` falls back to FP16 on chips without it, nothing else falls back."""
    if precision not in PRECISIONS:
        raise ValueError(f"precision {precision!r} is not one of {', '.join(PRECISIONS)}")
    if precision == "bf16":
        return sixteen_bit_peak(chip)
    rate = {
        "fp16": chip.fp16_dense_tflops,
        "fp8": chip.fp8_dense_tflops,
        "fp4": chip.fp4_dense_tflops,
    }[precision]
    if not rate:
        raise NoPeak(f"{chip.gpu}: no dense {precision.upper()} rate is known")
    return Peak(float(rate), precision)


def refuse_sparse_peak(chip: Chip, precision: Precision, tflops: float) -> None:
    """ValueError when a rate given by hand is the chip's sparse one: twice the dense peak, within 1%."""
    dense = peak(chip, precision).tflops
    if abs(tflops / dense - 2) < 0.02:
        raise ValueError(
            f"{tflops:g} TFLOPS is the sparse {precision.upper()} rate of {chip.gpu}; "
            f"training runs on the dense {dense:g}"
        )
