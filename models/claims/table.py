"""Published figures of training cost, each beside ours: match, contradiction, plausible or input.

claims.csv holds what was published, in our words, and which calculation answers it; our figure is computed here
and never typed in. A contradiction stays one: the engine is not bent to reproduce a wrong figure. `input` is a
figure we take as given.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal, cast, get_args

from models.claims import prices, runs

Verdict = Literal["match", "contradiction", "plausible", "input"]
CALCULATIONS = runs.CALCULATIONS | prices.CALCULATIONS


@dataclass(frozen=True, slots=True)
class Claim:
    """One published figure and ours; None where a claim is no number or takes no arithmetic."""

    claim_id: str
    source: str  # the document it stands in
    place: str  # table, row and column, or what its text is on
    statement: str
    published_low: float | None
    published_high: float | None
    unit: str
    ours_low: float | None
    ours_high: float | None
    verdict: Verdict
    reason: str
    calculation: str  # the function and the inputs our figure comes from


@cache
def claims() -> tuple[Claim, ...]:
    """Every claim of claims.csv with our figure; ValueError names the row that cannot be read."""
    with Path(__file__).with_name("claims.csv").open(newline="", encoding="utf-8") as rows:
        return tuple(_claim(row) for row in csv.DictReader(rows))


def _claim(row: dict[str, str]) -> Claim:
    if row["verdict"] not in get_args(Verdict):
        raise ValueError(f"{row['claim_id']}: verdict {row['verdict']!r} is not one of {', '.join(get_args(Verdict))}")
    low, high = _ours(row)
    published_low = float(row["published_low"]) if row["published_low"] else None
    return Claim(
        claim_id=row["claim_id"],
        source=row["source"],
        place=row["place"],
        statement=row["statement"],
        published_low=published_low,
        published_high=float(row["published_high"]) if row["published_high"] else published_low,
        unit=row["unit"],
        ours_low=low,
        ours_high=high,
        verdict=cast(Verdict, row["verdict"]),
        reason=row["reason"],
        calculation=f"{row['calculation']}({row['inputs']})" if row["calculation"] else "",
    )


def _ours(row: dict[str, str]) -> tuple[float | None, float | None]:
    """Our figure: the calculation of the row with its inputs, written `name=value; name=value`."""
    if not row["calculation"]:
        return None, None
    if row["calculation"] not in CALCULATIONS:
        raise ValueError(f"{row['claim_id']}: no calculation is called {row['calculation']!r}")
    given = dict(part.strip().split("=", 1) for part in row["inputs"].split(";") if part.strip())
    one, other = CALCULATIONS[row["calculation"]](**{name: _value(text) for name, text in given.items()})
    return min(one, other), max(one, other)


def _value(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text
