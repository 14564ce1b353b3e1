"""The accelerators that are rented: gpus.csv.

A row of `level` card is one product. A row of `level` group is what a site left open: `h100` is an H100 whose
form factor is not said, `a100_80` one of 80 GB; the row named as its family heads it. Figures of a group are
the least of its cards. `named_apart` marks a card that the plain family name never means (H100 NVL).

Rates are dense TFLOPS (TOPS for INT8), with FP32 accumulation on GeForce; memory is nominal GB; bandwidths are
GB/s. `trains`: at least 16 GB, a BF16 matrix rate or the FP16 tensor cores of Volta and Turing, on sale, and
not an inference part (Inferentia, T4, A2, A16). Every row gives its source; the price bounds are ours: wide
enough for every price seen (spot in one region, on demand in another), too narrow for a slip of 100x.

Which row a text names is models.gpus; what a price may be is models.normalise.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass, fields
from decimal import Decimal
from functools import cache
from pathlib import Path
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Gpu:
    """One row of gpus.csv."""

    gpu: str
    gpu_family: str
    level: str  # card, or group: what a site left open
    name: str
    vendor: str
    architecture: str
    form_factor: str | None  # SXM, PCIe, NVL, OAM, Superchip; of a slice MIG or vGPU
    edition: str | None  # server, workstation, max_q
    named_apart: bool
    kind: str  # datacenter, workstation, consumer, tpu, npu
    release_date: str
    memory_gb: Decimal | None  # nominal
    usable_memory_gb: Decimal | None  # least that is printed for it, where that is far below nominal
    memory_type: str
    mem_bw_gb_s: Decimal | None
    fp16_dense_tflops: Decimal | None
    bf16_dense_tflops: Decimal | None
    fp8_dense_tflops: Decimal | None
    fp4_dense_tflops: Decimal | None
    int8_dense_tops: Decimal | None
    sparse_16bit_tflops: Decimal | None  # as advertised: to recognise it, never to compute with it
    tdp_w: Decimal | None
    scaleup_bw_gb_s: Decimal | None  # NVLink, Infinity Fabric or PCIe, per GPU
    gpus_per_node_typical: int | None
    bf16_matmul_achieved_tflops: Decimal | None
    trains: bool
    usd_per_gpu_hour_low: Decimal  # outside these bounds a price is a unit error
    usd_per_gpu_hour_high: Decimal
    source_confidence: str  # high, medium, low
    source: str
    note: str


@cache
def gpus() -> Mapping[str, Gpu]:
    """Every row by its slug, in the order of the file."""
    with Path(__file__).with_name("gpus.csv").open(encoding="utf-8", newline="") as lines:
        rows = [_gpu(row) for row in csv.DictReader(lines)]
    return MappingProxyType({row.gpu: row for row in rows})


@cache
def meant_by(gpu: str) -> tuple[str, ...]:
    """What a slug asks for: a family all of its rows, a group what it leaves open (`A100 80GB`), a card itself.

    KeyError for a slug that is not in the table.
    """
    asked = gpus()[gpu]
    family = [one for one in gpus().values() if one.gpu_family == asked.gpu_family]
    if gpu == asked.gpu_family:
        return tuple(one.gpu for one in family)
    if asked.level == "card":
        return (gpu,)
    form, memory = asked.form_factor, asked.memory_gb
    return tuple(
        one.gpu
        for one in family
        if one.form_factor == (form or one.form_factor) and one.memory_gb == (memory or one.memory_gb)
    )


@cache
def families() -> tuple[str, ...]:
    """The slugs of the families, in the order of the file."""
    return tuple(dict.fromkeys(row.gpu_family for row in gpus().values()))


@cache
def cards(family: str) -> tuple[Gpu, ...]:
    """The products of a family, without the group rows."""
    return tuple(row for row in gpus().values() if row.gpu_family == family and row.level == "card")


@cache
def groups() -> Mapping[tuple[str, str | None, Decimal | None, str | None], Gpu]:
    """The group rows by what they do say: family, form factor, memory, edition."""
    return {
        (row.gpu_family, row.form_factor, row.memory_gb, row.edition): row
        for row in gpus().values()
        if row.level == "group"
    }


def _gpu(row: Mapping[str, str]) -> Gpu:
    values: dict[str, object] = {}
    for column in fields(Gpu):
        text, kind = row[column.name], str(column.type)
        if kind == "bool":
            values[column.name] = text == "true"
        elif kind.endswith("None") and not text:
            values[column.name] = None
        elif kind.startswith("Decimal"):
            values[column.name] = Decimal(text)
        elif kind.startswith("int"):
            values[column.name] = int(text)
        else:
            values[column.name] = text
    return Gpu(**values)  # type: ignore[arg-type]
