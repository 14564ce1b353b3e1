"""The language models whose training is priced: size classes (1B to 1T) and published models, from llms.csv.

How the tokens of a size class are chosen: 7B on 1T tokens is the worked example everyone quotes; every other
class takes the tokens of a published dense model of that class, named in `source`; 1T, which nobody has
published, takes 20 tokens per parameter. Published hours and costs are not here: they are claims, not inputs.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Literal, cast, get_args

Kind = Literal["size_class", "named", "custom"]
Architecture = Literal["dense", "moe"]

BILLION = 10**9
TRILLION = 10**12


@dataclass(frozen=True, slots=True)
class Llm:
    """A model and the tokens it is trained on.

    `params_active` is what one token passes through: it sets the FLOP. `params_total` is what has to be kept:
    it sets the memory. They differ only for a mixture of experts. Any part of the shape (layers, width,
    seq_len, heads) may be unknown. Latent attention caches 512 + 64 values a layer: written as 1 head of 288,
    keys and values counted; where keys and values differ in size, `attention_width` takes their mean.
    """

    llm: str
    kind: Kind
    params_total: int
    params_active: int
    tokens: int
    layers: int | None
    width: int | None  # of the hidden state
    seq_len: int | None  # tokens, during pre-training
    architecture: Architecture
    source: str = ""
    confidence: str = ""  # high, medium, low; definition for a size class
    notes: str = ""
    kv_heads: int | None = None  # heads whose keys and values a served model caches
    head_size: int | None = None
    kv_source: str = ""
    attention_width: int | None = None  # heads x head size, where that is not the width

    def __post_init__(self) -> None:
        if self.architecture not in get_args(Architecture):
            raise ValueError(f"{self.llm}: architecture {self.architecture!r} is not dense or moe")
        if not 0 < self.params_active <= self.params_total:
            raise ValueError(
                f"{self.llm}: {self.params_active:,} active of {self.params_total:,} parameters: "
                "both must be positive and active at most the total"
            )
        if self.architecture == "dense" and self.params_active != self.params_total:
            raise ValueError(f"{self.llm}: a dense model uses all its parameters for every token")
        if self.tokens <= 0:
            raise ValueError(f"{self.llm}: training tokens must be positive, not {self.tokens:,}")
        shape = (self.layers, self.width, self.seq_len, self.attention_width)
        if any(part is not None and part <= 0 for part in shape):
            raise ValueError(f"{self.llm}: layers, width and sequence length must be positive")
        if (self.kv_heads is None) != (self.head_size is None) or min(self.kv_heads or 1, self.head_size or 1) <= 0:
            raise ValueError(f"{self.llm}: KV heads and their size are known together, and positive, or not at all")

    @property
    def has_shape(self) -> bool:
        """Whether layers, width and sequence length are known, so that attention can be counted."""
        return None not in (self.layers, self.width, self.seq_len)


@cache
def llms() -> tuple[Llm, ...]:
    """Every model of llms.csv, size classes first; ValueError names the row that cannot be read."""
    with Path(__file__).with_name("llms.csv").open(newline="", encoding="utf-8") as rows:
        return tuple(_llm(row) for row in csv.DictReader(rows))


def llm_named(name: str) -> Llm:
    """The model called `name`, whatever its case, hyphens for spaces too; KeyError lists the nearest names."""
    by_name = {_spelt(model.llm): model for model in llms()}
    found = by_name.get(_spelt(name))
    if found is None:
        from difflib import get_close_matches

        near = get_close_matches(_spelt(name), by_name, n=3, cutoff=0.4)
        hint = ", ".join(by_name[key].llm for key in near) or ", ".join(m.llm for m in llms()[:6])
        raise KeyError(f"no model is called {name!r}; did you mean {hint}?")
    return found


def _spelt(name: str) -> str:
    return name.strip().casefold().replace("-", " ")


def _llm(row: dict[str, str]) -> Llm:
    kind = row["kind"]
    if kind not in get_args(Kind):
        raise ValueError(f"{row['llm']}: kind {kind!r} is not size_class or named")
    return Llm(
        llm=row["llm"],
        kind=cast(Kind, kind),
        params_total=_exact(row["params_total_b"], BILLION),
        params_active=_exact(row["params_active_b"], BILLION),
        tokens=_exact(row["tokens_t"], TRILLION),
        layers=_count(row["layers"]),
        width=_count(row["width"]),
        attention_width=_count(row["attention_width"]),
        seq_len=_count(row["seq_len"]),
        architecture=cast(Architecture, row["architecture"]),
        source=row["source"],
        confidence=row["confidence"],
        notes=row["notes"],
        kv_heads=_count(row["kv_heads"]),
        head_size=_count(row["head_size"]),
        kv_source=row["kv_source"],
    )


def _count(text: str) -> int | None:
    return int(text) if text else None


def _exact(text: str, unit: int) -> int:
    """A decimal text in billions or trillions as a whole number; 0.78 x 10**12 has no exact float."""
    value = Decimal(text) * unit
    if value != value.to_integral_value():
        raise ValueError(f"{text} x {unit:,} is not a whole number")
    return int(value)
