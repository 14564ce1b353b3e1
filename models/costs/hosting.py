"""What serving a model takes and costs: GPUs of a replica, prefill and decode speed, USD per million tokens.

Decoding reads the weights and the KV cache for every step of the whole batch, so it is bound by memory
bandwidth; prefill is bound by arithmetic. Renting against buying tokens is models.costs.build_or_buy.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Literal, Protocol

from models.constants import constant
from models.llms import Llm
from models.peak import Chip, NoPeak, peak, sixteen_bit_peak

BYTES = {"bf16": 2.0, "fp16": 2.0, "fp8": 1.0, "fp4": 0.5}
ServingPrecision = Literal["bf16", "fp16", "fp8", "fp4"]
MILLION = 1_000_000
GIGA = 1e9
TERA = 1e12


class ServingChip(Chip, Protocol):
    """A chip whose memory bandwidth is known."""

    @property
    def mem_bw_gb_s(self) -> Decimal | None: ...


@dataclass(frozen=True, slots=True)
class Served:
    """What is read of a model that is served. The KV cache is kept in the precision of the weights, FP8 at least."""

    params_total: int
    params_active: int
    layers: int
    kv_heads: int
    head_size: int
    precision: ServingPrecision = "fp8"

    @property
    def weights_bytes(self) -> float:
        return self.params_total * BYTES[self.precision]

    @property
    def kv_bytes_per_token(self) -> float:
        """2 L n_kv d_h bytes: keys and values of all layers."""
        return 2 * self.layers * self.kv_heads * self.head_size * max(1.0, BYTES[self.precision])

    def weights_read_bytes(self, batch: int) -> float:
        """Weights that one decoding step of `batch` sequences touches: all of a dense model.

        A mixture of experts touches 1 - (1 - a)^batch of them, a being the active share; this takes every
        parameter for an expert's.
        """
        return self.weights_bytes * -math.expm1(batch * _log1m(self.params_active / self.params_total))


@dataclass(frozen=True, slots=True)
class Replica:
    """One copy of the model on its GPUs, at one batch size and context."""

    gpu: str
    gpus: int
    precision: ServingPrecision  # of weights and arithmetic: the one asked, or what the chip has instead
    batch: int
    context: int
    decode_tokens_per_second: float  # output tokens, whole batch
    decode_bound: Literal["bandwidth", "compute"]
    prefill_tokens_per_second: float  # input tokens
    usd_per_hour: float | None
    usd_per_million_output: float | None  # fully used
    usd_per_million_input: float | None


def served(llm: Llm, precision: ServingPrecision = "fp8") -> Served:
    """What is read of a model of llms.csv; ValueError where its layers or its KV heads are not known."""
    if llm.layers is None or llm.kv_heads is None or llm.head_size is None:
        raise ValueError(f"{llm.llm}: serving takes layers, KV heads and head size, which are not known")
    return Served(llm.params_total, llm.params_active, llm.layers, llm.kv_heads, llm.head_size, precision)


def on_chip(model: Served, gpu: Chip) -> Served:
    """The model in its precision, or in the next that the chip computes in: FP4, FP8, then 16 bits.

    A V100 or an A100 has no FP8, so weights and cache take twice the memory. NoPeak where no rate is known.
    """
    finer: dict[str, ServingPrecision] = {"fp4": "fp8", "fp8": "bf16"}
    precision = model.precision
    while precision in finer:
        try:
            peak(gpu, precision)
            break
        except NoPeak:
            precision = finer[precision]
    if precision == "bf16":
        precision = sixteen_bit_peak(gpu).precision
    return model if precision == model.precision else replace(model, precision=precision)


def replica_gpus(model: Served, batch: int, context: int, gpu_memory_gb: float) -> int:
    """GPUs whose memory holds weights and KV cache: ceil((W + KV x batch x context) x 1.1 / M)."""
    held = model.weights_bytes + model.kv_bytes_per_token * batch * context
    return math.ceil(held * constant("serving_memory_overhead") / (gpu_memory_gb * GIGA))


def replica(
    model: Served,
    gpu: ServingChip,
    *,
    batch: int = 64,
    context: int = 2048,
    gpus: int | None = None,
    price: Decimal | None = None,
) -> Replica:
    """Speed and cost of one replica; `price` is USD per GPU-hour.

    Decode: batch / max((W_read + batch KV) / (bandwidth x 0.6), 2 N_active batch / (peak x 0.5)).
    A precision the chip does not have is replaced by the next it has (`on_chip`). NoPeak where memory or bandwidth
    is not known, ValueError where the GPUs given do not hold it.
    """
    if batch < 1 or context < 1:
        raise ValueError(f"batch and context must be positive, not {batch} and {context}")
    memory = gpu.usable_memory_gb or gpu.memory_gb
    if not memory or not gpu.mem_bw_gb_s:
        raise NoPeak(f"{gpu.gpu}: its memory or bandwidth is not known")
    model = on_chip(model, gpu)
    needed = replica_gpus(model, batch, context, float(memory))
    count = needed if gpus is None else gpus
    if count < needed:
        raise ValueError(f"{count} x {gpu.gpu} do not hold the model with its KV cache: {needed} are needed")
    flops = peak(gpu, model.precision).tflops * TERA * count
    bandwidth = float(gpu.mem_bw_gb_s) * GIGA * count * constant("decode_bandwidth_share")
    forward = constant("flop_per_parameter_token_inference") * model.params_active
    read = model.weights_read_bytes(batch) + batch * model.kv_bytes_per_token * context
    by_bandwidth, by_compute = read / bandwidth, forward * batch / (flops * constant("decode_compute_share"))
    decode = batch / max(by_bandwidth, by_compute)
    prefill = flops * constant("prefill_utilisation") / forward
    hourly = None if price is None else float(price * count)
    return Replica(
        gpu=gpu.gpu,
        gpus=count,
        precision=model.precision,
        batch=batch,
        context=context,
        decode_tokens_per_second=decode,
        decode_bound="bandwidth" if by_bandwidth >= by_compute else "compute",
        prefill_tokens_per_second=prefill,
        usd_per_hour=hourly,
        usd_per_million_output=None if hourly is None else usd_per_million(hourly, decode),
        usd_per_million_input=None if hourly is None else usd_per_million(hourly, prefill),
    )


def usd_per_million(usd_per_hour: float, tokens_per_second: float, utilisation: float = 1.0) -> float:
    """USD per million tokens of a replica that is used for the share `utilisation` of its capacity."""
    if not 0 < utilisation <= 1:
        raise ValueError(f"utilisation is a share of the capacity, above 0 and at most 1, not {utilisation:g}")
    return usd_per_hour / (tokens_per_second * 3600 * utilisation) * MILLION


def capacity_per_month(one: Replica, input_per_output: float = 0, utilisation: float = 1.0) -> float:
    """Output tokens a replica generates in a month at `utilisation` when each takes the time of its input as well."""
    seconds = 1 / one.decode_tokens_per_second + input_per_output / one.prefill_tokens_per_second
    return 3600 * constant("hours_per_month") * utilisation / seconds


def replicas_for(
    tokens_per_month: float, one: Replica, input_per_output: float = 0, utilisation: float | None = None
) -> int:
    """Replicas that generate `tokens_per_month` output tokens, with their input, at the usual 40% of their capacity."""
    share = constant("serving_utilisation") if utilisation is None else utilisation
    return max(1, math.ceil(tokens_per_month / capacity_per_month(one, input_per_output, share)))


def annual_usd(gpus: int, usd_per_gpu_hour: Decimal, spare_gpus: int = 0) -> float:
    """A year of `gpus` GPUs day and night (8,760 h), with spare ones for a replica that fails."""
    return float((gpus + spare_gpus) * usd_per_gpu_hour) * constant("hours_per_year")


def _log1m(share: float) -> float:
    """ln(1 - share); a dense model has no share left."""
    return -math.inf if share >= 1 else math.log1p(-share)
