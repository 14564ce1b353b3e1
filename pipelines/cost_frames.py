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
from models.costs.hosting import GIGA, Served, replica, replica_gpus, served
from models.gpu_table import Gpu
from models.llms import BILLION, Llm
from models.training.finetuning import METHODS, Method, fine_tune, group_of

JOB_TOKENS = BILLION
BATCH, CONTEXT = 64, 2048


def fine_tuning_requirement(llms: Iterable[Llm], gpus: Sequence[Gpu]) -> pl.DataFrame:
    """One row a model, method and GPU that can train: the job of a billion tokens."""
    models = tuple(llms)
    return pl.DataFrame([_job(llm, gpu, method) for gpu in _with_memory(gpus) for llm in models for method in METHODS])


def hosting_requirement(llms: Iterable[Llm], gpus: Sequence[Gpu]) -> pl.DataFrame:
    """One row a model whose KV heads are known and a GPU whose bandwidth and peak are: a replica in FP8."""
    models = [(llm, served(llm)) for llm in llms if llm.layers and llm.kv_heads]
    chips = [gpu for gpu in _with_memory(gpus) if gpu.mem_bw_gb_s and (gpu.bf16_dense_tflops or gpu.fp16_dense_tflops)]
    return pl.DataFrame([_replica(llm, model, gpu) for gpu in chips for llm, model in models])


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
    memory = float(gpu.usable_memory_gb or gpu.memory_gb or 0)
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
        alike = [other.memory_gb for other in gpus if other.gpu_family == gpu.gpu_family and other.memory_gb]
        if gpu.memory_gb:
            yield gpu
        elif alike:
            yield replace(gpu, memory_gb=min(alike))
