"""What each cost question takes of every model on every chip, as frames without a price: SQL multiplies them.

Formulas are in models/; here they are asked for every pair. Chips whose form a site left open count with the least
memory of their family, as in training_requirement.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from models.constants import constant
from models.costs.hosting import GIGA, Served, on_chip, replica, replica_gpus, served
from models.gpu_table import Gpu
from models.llms import BILLION, Llm
from models.training.finetuning import METHODS, Method, fine_tune, group_of
from models.training.memory import least_memory_gb
from models.training.scaling_laws import (
    COEFFICIENT_SETS,
    Size,
    best_for_inference,
    by_tokens_per_parameter,
    coefficients,
    compute_optimal,
)
from models.training.what_if import what_if

JOB_TOKENS = BILLION
BATCH, CONTEXT = 64, 2048
BUDGETS_FLOP = tuple(mantissa * 10.0**exponent for exponent in range(19, 27) for mantissa in (1, 3))
SERVED_PER_TRAINED = (0.0, 0.1, 1.0, 10.0)  # tokens served for each token of training
MIXTURE = "DeepSeek-V3"  # whose share of active parameters a mixture is told with


def fine_tuning_requirement(llms: Iterable[Llm], gpus: Sequence[Gpu]) -> pl.DataFrame:
    """One row a model, method and GPU that can train: the job of a billion tokens."""
    models = tuple(llms)
    return pl.DataFrame([_job(llm, gpu, method) for gpu in _with_memory(gpus) for llm in models for method in METHODS])


def hosting_requirement(llms: Iterable[Llm], gpus: Sequence[Gpu]) -> pl.DataFrame:
    """One row a model whose KV heads are known and a GPU whose bandwidth and peak are: a replica, in FP8 if it can."""
    models = [(llm, served(llm)) for llm in llms if llm.layers and llm.kv_heads]
    chips = [gpu for gpu in _with_memory(gpus) if gpu.mem_bw_gb_s and (gpu.bf16_dense_tflops or gpu.fp16_dense_tflops)]
    return pl.DataFrame([_replica(llm, model, gpu) for gpu in chips for llm, model in models])


def what_if_requirement(llms: Sequence[Llm], gpus: Sequence[Gpu]) -> pl.DataFrame:
    """One row a size class, GPU and telling: lower precision, a mixture of experts, a student of the next class."""
    classes = sorted((llm for llm in llms if llm.kind == "size_class"), key=lambda llm: llm.params_total)
    mixture = next(llm for llm in llms if llm.llm == MIXTURE)
    smaller = [None, *(llm.params_total for llm in classes)]
    rows = []
    for gpu in _with_memory(gpus):
        for llm, student in zip(classes, smaller, strict=False):
            active = round(llm.params_total * mixture.params_active / mixture.params_total)
            for one in what_if(llm, gpu, active_params=active, student_params=student):
                hours = {f"gpu_hours_{end}": getattr(one.gpu_hours, end) for end in ("low", "mid", "high")}
                rest = {"hours_ratio": one.hours_ratio, "min_gpus": one.min_gpus, "note": one.note}
                rows.append({"llm": llm.llm, "gpu": gpu.gpu, "variant": one.name, **hours, **rest})
    return pl.DataFrame(rows)


def model_sizing() -> pl.DataFrame:
    """One row a compute budget, fit and use in service; the plain ratio knows no loss, so nothing of service."""
    rows: list[dict[str, Any]] = []
    for flop in BUDGETS_FLOP:
        usual = by_tokens_per_parameter(flop)
        rows.append(_sizing(flop, f"{usual.tokens_per_parameter:g} tokens per parameter", 0.0, usual))
        for name in COEFFICIENT_SETS:
            optimum = compute_optimal(flop, name)
            loss = coefficients(name).loss(optimum.params, optimum.tokens)
            rows.append(_sizing(flop, name, 0.0, optimum, loss))
            for served_share in SERVED_PER_TRAINED[1:]:
                one = best_for_inference(optimum.params, served_share * optimum.tokens, name, tokens=optimum.tokens)
                rows.append(_sizing(flop, name, served_share, one.best, loss, one.saving_share))
    return pl.DataFrame(rows, infer_schema_length=None)


def _sizing(
    flop: float, name: str, served_share: float, size: Size, loss: float | None = None, saved: float = 0.0
) -> dict[str, Any]:
    return {
        "flop": flop,
        "coefficients": name,
        "tokens_served_per_training_token": served_share,
        "params": size.params,
        "tokens": size.tokens,
        "tokens_per_parameter": size.tokens_per_parameter,
        "loss": loss,
        "saved_share": saved,
    }


def _job(llm: Llm, gpu: Gpu, method: Method) -> dict[str, Any]:
    job = fine_tune(llm, gpu, JOB_TOKENS, method)
    return {
        "llm": llm.llm,
        "llm_kind": llm.kind,
        "method": method,
        "gpu": gpu.gpu,
        "tokens": job.tokens,
        "flop": job.flop,
        "gpu_hours_low": job.gpu_hours.low,
        "gpu_hours_mid": job.gpu_hours.mid,
        "gpu_hours_high": job.gpu_hours.high,
        "setup_hours": constant("finetune_setup_hours"),
        "state_gb": job.state_gb,
        "min_gpus": job.min_gpus,
        "gpus": job.gpus,
    }


def _replica(llm: Llm, model: Served, gpu: Gpu) -> dict[str, Any]:
    memory, model = float(gpu.usable_memory_gb or gpu.memory_gb or 0), on_chip(model, gpu)
    count = group_of(replica_gpus(model, BATCH, CONTEXT, memory), gpu.gpus_per_node_typical or 1)
    one = replica(model, gpu, batch=BATCH, context=CONTEXT, gpus=count)
    return {
        "llm": llm.llm,
        "llm_kind": llm.kind,
        "gpu": gpu.gpu,
        "precision": model.precision,
        "batch": BATCH,
        "context": CONTEXT,
        "weights_gb": model.weights_bytes / GIGA,
        "kv_gb": model.kv_bytes_per_token * BATCH * CONTEXT / GIGA,
        "gpus": count,
        "decode_tokens_per_second": one.decode_tokens_per_second,
        "decode_bound": one.decode_bound,
        "prefill_tokens_per_second": one.prefill_tokens_per_second,
    }


def _with_memory(gpus: Sequence[Gpu]) -> Iterator[Gpu]:
    for gpu in gpus:
        if memory := least_memory_gb(gpu, gpus):
            yield replace(gpu, memory_gb=memory)
