"""What failures cost: the published projections, the loss table, and where Young's formula ends."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.training.reliability import (
    availability_interval_hours,
    exact_interval_hours,
    interruption_loss,
    mtbf_hours,
    spare_nodes,
    young_interval_hours,
)

SECONDS, MINUTES = 1 / 3600, 1 / 60


@pytest.mark.parametrize(
    ("gpus", "mtbf", "interval_minutes", "loss_percent"),
    [(512, 98.9, 77, 1.5), (2_048, 24.7, 38, 3.3), (8_192, 6.2, 19, 7.9), (16_384, 3.1, 14, 12.7)],
)
def test_the_loss_table(gpus, mtbf, interval_minutes, loss_percent):
    # 3.79 failures per 1,000 node-days, 30 s to save, 10 minutes to restart, 8 GPUs a node
    loss = interruption_loss(mtbf_hours(gpus / 8, 3.79), 30 * SECONDS, 10 * MINUTES)
    assert loss.mtbf_hours == pytest.approx(mtbf, abs=0.05)
    assert loss.interval_hours * 60 == pytest.approx(interval_minutes, abs=0.55)
    assert loss.share * 100 == pytest.approx(loss_percent, abs=0.05)
    assert loss.share == loss.first_order
    assert interruption_loss(mtbf_hours(gpus / 8)) == loss  # these are the defaults


@pytest.mark.parametrize(("gpus", "rate", "hours"), [(16_384, 6.5, 1.8), (131_072, 6.5, 0.23), (16_384, 3.79, 3.09)])
def test_published_times_between_failures(gpus, rate, hours):
    assert mtbf_hours(gpus / 8, rate) == pytest.approx(hours, abs=0.005 if hours != 1.8 else 0.05)


def test_asynchronous_saves_reach_the_ninety_percent_that_meta_and_megascale_state():
    fast = interruption_loss(mtbf_hours(16_384 / 8), 10 * SECONDS, 5 * MINUTES)
    assert fast.goodput == pytest.approx(0.93, abs=0.005)


def test_the_interval_is_the_exact_one_where_it_nears_the_time_between_failures():
    # 6 minutes to save, a failure every half hour: Young would save every 24.5 minutes
    loss = interruption_loss(0.5, 0.1, 0.1)
    assert not loss.young_holds
    assert loss.interval_hours == pytest.approx(exact_interval_hours(0.1, 0.5))
    assert loss.interval_hours < young_interval_hours(0.1, 0.5)
    assert loss.share < 1  # a run goes on, however slowly; the first-order loss would say it cannot at 4x the rate
    assert interruption_loss(0.12, 0.1, 0.1).first_order > 1 > interruption_loss(0.12, 0.1, 0.1).share


def test_the_exact_interval_is_the_best_one():
    save, restart, mtbf = 0.1, 0.2, 0.7

    def time_per_hour_of_progress(interval):  # Daly 2006
        return mtbf * math.exp(restart / mtbf) * math.expm1((interval + save) / mtbf) / interval

    best = exact_interval_hours(save, mtbf)
    assert time_per_hour_of_progress(best) <= min(time_per_hour_of_progress(best * f) for f in (0.9, 0.99, 1.01, 1.1))
    assert interruption_loss(mtbf, save, restart).exact == pytest.approx(1 - 1 / time_per_hour_of_progress(best))


@given(st.floats(1e-3, 1e5), st.floats(1e-4, 1), st.floats(0, 2))
def test_the_exact_loss_is_a_share_and_the_forms_agree_where_failures_are_rare(mtbf, save, restart):
    loss = interruption_loss(mtbf, save, restart)
    assert 0 <= loss.exact <= 1
    assert loss.exact <= loss.first_order + 1e-12
    if loss.first_order < 0.05:
        assert loss.exact == pytest.approx(loss.first_order, rel=0.05)


@given(st.floats(1e-2, 1e4), st.floats(1e-2, 1e4), st.floats(1e-3, 1), st.floats(0, 2))
def test_more_failures_never_lose_less(one, other, save, restart):
    rarely, often = max(one, other), min(one, other)
    assert interruption_loss(rarely, save, restart).share <= interruption_loss(often, save, restart).share + 1e-12


def test_intervals_with_the_save_counted_are_a_little_longer():
    young = young_interval_hours(30 * SECONDS, 24)
    assert young < availability_interval_hours(30 * SECONDS, 24, 10 * MINUTES) < young * 1.05


def test_spare_nodes_are_whole():
    assert spare_nodes(2_048) == 103
    assert spare_nodes(1) == 1


def test_without_failures_nothing_is_lost():
    assert interruption_loss(math.inf).share == 0


@pytest.mark.parametrize(("nodes", "rate"), [(0, 3.79), (8, 0), (-1, 3)])
def test_impossible_rates_are_refused(nodes, rate):
    with pytest.raises(ValueError, match="must be positive"):
        mtbf_hours(nodes, rate)
