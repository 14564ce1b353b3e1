"""A total leads back to its inputs, and the steps multiply to it."""

from __future__ import annotations

from decimal import Decimal

import pytest

from models.costs.bill import bill
from models.costs.explanation import explain, explain_bill
from models.gpus import gpus
from models.training.estimate import Range, estimate

RUN = {"params": 7 * 10**9, "tokens": 10**12, "gpu": gpus()["h100_sxm"]}


def test_the_steps_multiply_to_the_total():
    steps = {step.name: step for step in explain(estimate(**RUN, price=Decimal("2.00")), "page abc")}
    hours = steps["flop"].value / (steps["peak"].value * 1e12 * steps["utilisation"].value * 3600)
    assert hours == pytest.approx(steps["gpu_hours"].value)
    total = hours * steps["price"].value * steps["overhead"].value
    assert total == pytest.approx(steps["total_usd"].value)
    assert steps["price"].source == "page abc"


def test_every_step_has_a_unit_a_formula_and_a_source():
    for step in explain(estimate(**RUN, price=Decimal("2.00"))):
        assert step.unit, step.name
        assert step.formula, step.name
        assert step.source, step.name
        assert step.low <= step.value <= step.high, step.name


def test_without_a_price_it_ends_with_the_days():
    assert explain(estimate(**RUN))[-1].name == "wall_days"


def test_a_bill_ends_with_the_sum_of_its_lines():
    steps = explain_bill(bill(Range(90, 100, 120), compute_source="page abc", extras={"people": 50}))
    assert sum(step.value for step in steps[:-1]) == pytest.approx(steps[-1].value)
    assert steps[-1].formula == "compute + experiments + people"
