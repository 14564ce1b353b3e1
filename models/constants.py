"""The constants of the cost models: value, range, unit and source, one row each in constants.csv.

A number that a formula needs and a reader may doubt belongs there, not in code. Facts about one GPU are in
gpus.csv, facts about one LLM in llms.csv.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Constant:
    """One row of constants.csv; `low` and `high` are the range its source gives, equal to `value` if none."""

    name: str
    value: float
    low: float
    high: float
    unit: str
    source: str
    note: str


@cache
def constants() -> dict[str, Constant]:
    """Every constant by name."""
    with Path(__file__).with_name("constants.csv").open(newline="", encoding="utf-8") as rows:
        return {row["name"]: _constant(row) for row in csv.DictReader(rows)}


@cache
def constant(name: str) -> float:
    """The value of one constant; KeyError with the name where there is none."""
    return constants()[name].value


def _constant(row: dict[str, str]) -> Constant:
    value = float(row["value"])
    return Constant(
        name=row["name"],
        value=value,
        low=float(row["low"] or value),
        high=float(row["high"] or value),
        unit=row["unit"],
        source=row["source"],
        note=row["note"],
    )
