"""When a reserved price or a block of capacity pays."""

from __future__ import annotations

import math
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.costs.commitments import (
    break_even_use,
    capacity_block_days,
    commitment,
    days_within,
    lock_in_ceiling,
    median_discount,
)


@pytest.mark.parametrize(
    ("cloud", "years", "use"),
    [("aws", 1, 59), ("gcp", 1, 63), ("azure", 1, 74), ("aws", 3, 35), ("gcp", 3, 45), ("azure", 3, 53)],
)
def test_break_even_use_of_the_published_discounts(cloud, years, use):
    assert break_even_use(median_discount(cloud, years)) * 100 == pytest.approx(use)


def test_a_falling_market_caps_the_price_to_lock():
    assert lock_in_ceiling(0.20, 3) == pytest.approx(0.73, abs=0.005)
    assert lock_in_ceiling(0, 3) == 1


def test_a_discount_is_no_gain_when_half_the_term_is_idle():
    half = commitment(Decimal(4), Decimal("2.40"), 1, used=0.5, decline_per_year=0.2)
    assert half.discount == pytest.approx(0.40)
    assert half.effective_usd == pytest.approx(4.80)
    assert not half.pays_by_use
    full = commitment(Decimal(4), Decimal("2.40"), 1, used=1, decline_per_year=0.2)
    assert full.pays_by_use
    assert full.pays_against_decline


def test_three_years_can_pay_today_and_lose_to_the_market():
    held = commitment(Decimal(4), Decimal("3.20"), 3, used=1, decline_per_year=0.2)
    assert held.pays_by_use
    assert not held.pays_against_decline
    assert held.highest_price_to_lock_usd == pytest.approx(4 * 0.73, abs=0.02)


def test_nothing_used_costs_without_end():
    assert commitment(Decimal(4), Decimal(2), 1, used=0, decline_per_year=0.1).effective_usd == math.inf


@given(st.floats(0, 0.9), st.floats(0, 0.9), st.floats(0.1, 5))
def test_the_faster_the_market_falls_the_less_may_be_locked(one, other, years):
    assert lock_in_ceiling(max(one, other), years) <= lock_in_ceiling(min(one, other), years) + 1e-12


@pytest.mark.parametrize(
    ("provider", "wall_days", "experiments", "days"),
    [
        ("aws", 0.2, 1, 1), ("aws", 3.1, 1, 4), ("aws", 14, 1, 14), ("aws", 14.5, 1, 21), ("aws", 182, 1, 182),
        ("aws", 10, 1.4, 14), ("aws", 11, 1.4, 21),  # 15.4 days with the experiments
        ("aws", 140, 1.4, 182 + 14), ("gcp", 14.5, 1, 15), ("gcp", 90, 1.4, 90 + 36),  # 196 and 126 days, in two blocks
    ],
)  # fmt: skip
def test_blocks_hold_the_run_and_its_experiments_by_the_rule_of_the_provider(provider, wall_days, experiments, days):
    assert capacity_block_days(wall_days, provider, experiments) == days


@pytest.mark.parametrize(("provider", "longest"), [("aws", 182), ("gcp", 90)])
def test_a_run_ends_with_the_longest_block_of_its_provider(provider, longest):
    capacity_block_days(longest, provider)
    with pytest.raises(ValueError, match=f"ends after {longest} days; the run takes {longest + 1}"):
        capacity_block_days(longest + 1, provider)


@given(st.sampled_from(["aws", "gcp"]), st.floats(1, 2000))
def test_what_a_budget_buys_of_blocks_can_be_bought(provider, days):
    bought = days_within(days, provider)
    assert 1 <= bought <= days + 1e-6
    assert capacity_block_days(1, provider, bought) == bought
