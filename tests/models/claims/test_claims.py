"""Every published figure has a verdict, and the verdict is what the figures say."""

from __future__ import annotations

import csv
from collections import Counter
from itertools import chain
from pathlib import Path

import pytest

import models.claims.table
from models.claims.table import CALCULATIONS, claims

CLAIMS = {claim.claim_id: claim for claim in claims()}
AUDITED = [f"C-{n}" for n in range(1, 42)] + [f"B-{n}" for n in range(1, 20)] + [f"A-{n}" for n in range(1, 6)]
CELLS = {"frontier": 30, "split": 4, "sizes": 18, "providers": 11, "figures": 56}

# pairs of an audit stand in one line: the price of C-12 contradicts C-11, the split of C-18 the shares of C-19
FOURTEEN = [
    ["C-2"],
    ["C-8"],
    ["C-9"],
    ["C-12"],
    ["C-16"],
    ["C-18", "C-19"],
    ["C-21"],
    ["C-23"],
    ["C-25"],
    ["C-27"],
    ["C-32"],
    ["B-5"],
    ["B-7"],
    ["B-9"],
]


def numbers(claim):
    return None not in (claim.published_low, claim.ours_low)


def test_every_cell_and_every_audited_claim_is_there():
    assert Counter(name.split(".")[0] for name in CLAIMS if "." in name) == CELLS
    assert sum(CELLS.values()) == 119
    assert [name for name in CLAIMS if "." not in name] == [*AUDITED, "H-730"]
    assert len(claims()) == len(CLAIMS)


def test_the_fourteen_contradictions_are_contradictions():
    assert len(FOURTEEN) == 14
    for group in FOURTEEN:
        assert {CLAIMS[name].verdict for name in group} == {"contradiction"}
    beside = {name for name in AUDITED if CLAIMS[name].verdict == "contradiction"} - {*chain(*FOURTEEN)}
    assert beside == {"B-18"}  # the cited paper contradicts itself


@pytest.mark.parametrize(
    "claim", [c for c in claims() if c.verdict == "contradiction" and numbers(c)], ids=lambda c: c.claim_id
)
def test_the_engine_is_not_bent_to_a_wrong_figure(claim):
    apart = claim.ours_low > claim.published_high or claim.ours_high < claim.published_low
    assert apart


@pytest.mark.parametrize(
    "claim", [c for c in claims() if c.verdict == "match" and numbers(c)], ids=lambda c: c.claim_id
)
def test_a_match_agrees_within_the_rounding_of_its_text(claim):
    assert claim.ours_low <= claim.published_high * 1.15
    assert claim.ours_high >= claim.published_low / 1.15


@pytest.mark.parametrize(
    ("claim_id", "low", "high"),
    [
        ("C-2", 4.2e22, 4.2e22),
        ("C-4", 11_785, 11_785),
        ("C-5", 17_700, 17_700),
        ("C-12", 2_920, 5_110),
        ("C-16", 65, 143),
        ("C-18", 121.5e6, 121.5e6),
        ("C-21", 3.115e6, 3.115e6),
        ("C-23", 57.2e6, 57.2e6),
        ("C-25", 132e6, 132e6),
        ("C-27", 147_336, 147_336),
        ("C-28", 5_576_000, 5_576_000),
        ("C-32", 1.7, 2.2),
        ("C-35", 6.3e9, 6.3e9),
        ("B-2", 44_000, 66_000),
        ("B-3", 22_000, 22_000),
        ("B-7", 1.21e6, 3.85e6),
        ("B-8", 6, 36),
        ("B-9", 40.2e6, 77.5e6),
        ("B-13", 1.692e22, 1.692e22),
        ("B-17", 52_560, 490_560),
        ("B-18", 40.8, 42.7),
        ("A-1", 5, 6),
    ],
)
def test_our_figures_of_the_audit(claim_id, low, high):
    assert CLAIMS[claim_id].ours_low == pytest.approx(low, rel=0.02)
    assert CLAIMS[claim_id].ours_high == pytest.approx(high, rel=0.02)


def test_every_claim_gives_its_document_and_its_reason():
    for claim in claims():
        assert claim.source in {
            "training-run explainer",
            "20B-120B cost overview",
            "frontier numbers and provider guide",
        }
        assert claim.statement.endswith(".")
        assert claim.reason.endswith(".")
        assert claim.unit, claim.claim_id
        assert claim.place, claim.claim_id
        assert (claim.ours_low is None) == (claim.calculation == ""), claim.claim_id


@pytest.mark.parametrize("size", ["1B", "7B", "13B", "70B", "405B", "1T"])
def test_a_cost_of_too_few_hours_is_no_match(size):
    """The product of a wrong number of hours and a price is right and no answer to what the model costs."""
    hours, *costs = (CLAIMS[f"sizes.{size}.{column}"] for column in ("gpu_hours", "cost_marketplace", "cost_aws"))
    for cost in costs:
        assert cost.verdict == hours.verdict
        assert cost.ours_low / cost.published_low == pytest.approx(hours.ours_low / hours.published_low, rel=0.03)
        assert cost.place == f"table of sizes, row {size}, column {cost.place.rpartition('column ')[2]}"


def test_a_place_names_its_cell_alone():
    cells = [
        claim.place for claim in claims() if claim.claim_id.split(".")[0] in ("frontier", "split", "sizes", "providers")
    ]
    assert len(cells) == len(set(cells)) == 63


def test_our_figures_are_computed_and_not_typed():
    with Path(models.claims.table.__file__).with_name("claims.csv").open(newline="", encoding="utf-8") as rows:
        columns = csv.DictReader(rows).fieldnames
    assert not any(column.startswith("ours") for column in columns)
    used = {claim.calculation.split("(")[0] for claim in claims()} - {""}
    assert used == CALCULATIONS.keys()


def test_a_bad_row_is_named():
    row = dict.fromkeys(("claim_id", "verdict", "calculation", "inputs"), "")
    with pytest.raises(ValueError, match="X-1: verdict"):
        models.claims.table._claim({**row, "claim_id": "X-1", "verdict": "maybe"})
    with pytest.raises(ValueError, match="X-1: no calculation"):
        models.claims.table._ours({**row, "claim_id": "X-1", "calculation": "guess"})
