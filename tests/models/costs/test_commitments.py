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
    capacity_block_usd,
    commitment,
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


@pytest.mark.parametrize(("wall_days", "block"), [(0.2, 1), (3.1, 4), (14, 14), (14.5, 21), (182, 182)])
def test_blocks_come_in_days_and_weeks(wall_days, block):
    assert capacity_block_days(wall_days) == block


def test_a_block_is_paid_whole_and_ends():
    assert capacity_block_usd(64, 3.1, Decimal("4.00")) == 64 * 4 * 24 * 4
    with pytest.raises(ValueError, match="ends after 182 days"):
        capacity_block_days(183)
