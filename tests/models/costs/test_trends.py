"""Trends from a price series, and the fan of a projection."""

from __future__ import annotations

import math
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.costs.trends import algorithmic_trend, later_days, price_trend, project, published_trend, theil_sen

START = date(2023, 1, 1)


def falling(per_year, points=24, step=30, wobble=0.0):
    return [
        (START + timedelta(days=step * i), 4.0 * per_year ** (step * i / 365.25) * math.exp(wobble * (-1) ** i))
        for i in range(points)
    ]


def test_a_steady_fall_is_found():
    trend = theil_sen(falling(0.75))
    assert trend.per_year.mid == pytest.approx(0.75)
    assert trend.scatter == pytest.approx(0, abs=1e-9)


def test_one_mistaken_price_moves_nothing():
    series = falling(0.75)
    series[5] = (series[5][0], series[5][1] * 100)
    assert theil_sen(series).per_year.mid == pytest.approx(0.75, rel=0.02)


def test_the_published_median_of_h100_prices():
    # on demand: 4.76 (2023), 3.49 (2024), 2.99 (2025 Q1), a fall of about a quarter a year
    series = [
        (date(2023, 7, 1), 4.76),
        (date(2024, 1, 29), 3.49),
        (date(2024, 7, 11), 3.49),
        (date(2024, 9, 1), 2.99),
        (date(2025, 3, 3), 2.99),
    ]
    assert 0.65 < theil_sen(series).per_year.mid < 0.85


def test_a_short_series_falls_back_on_the_published_rate():
    short = falling(0.5, points=3)
    with pytest.raises(ValueError, match="5 prices over a year"):
        theil_sen(short)
    trend = price_trend(short)
    assert trend.per_year.mid == pytest.approx(1 / 1.30)
    assert "Epoch" in trend.basis


def test_five_months_are_projected_by_the_longer_series_of_the_family():
    # a card that was listed in summer and rose: no reason to see it rise for five years
    months = [(date(2026, month, 1), 1.0 * 1.05**month) for month in range(5, 11)]
    family = falling(0.75)
    assert price_trend(months, family).per_year.mid == pytest.approx(0.75)
    assert price_trend(months).per_year.mid == pytest.approx(1 / 1.30)


def test_the_fan_opens():
    trend = theil_sen(falling(0.75, wobble=0.05))
    now = date(2026, 1, 1)
    near, far = project(2.0, now, [date(2026, 7, 1), date(2029, 1, 1)], trend)
    assert near.value.low < near.value.mid < near.value.high
    assert far.value.high / far.value.low > near.value.high / near.value.low
    assert project(2.0, now, [now], trend)[0].value.high == 2.0


def test_frontier_cost_by_2028_is_the_right_order():
    # 79M in 2023 at 2.4x a year: 6.3bn in five years
    found = project(79e6, date(2023, 1, 1), [date(2028, 1, 1)], published_trend("growth_frontier_cost"))[0]
    assert found.value.mid == pytest.approx(6.3e9, rel=0.01)
    assert found.value.low < 10e9 < found.value.high


def test_compute_for_a_capability_falls_threefold_a_year():
    trend = algorithmic_trend()
    assert 1 / trend.per_year.mid == pytest.approx(2.83, abs=0.01)
    assert trend.per_year.low < trend.per_year.mid < trend.per_year.high < 1


def test_a_projection_does_not_look_back():
    with pytest.raises(ValueError, match="looks forward"):
        project(1.0, date(2026, 1, 1), [date(2025, 1, 1)], algorithmic_trend())


@pytest.mark.parametrize(
    ("today", "later"),
    [
        (date(2026, 11, 30), [date(2027, 11, 30), date(2028, 11, 30), date(2029, 11, 30)]),
        (date(2027, 2, 28), [date(2028, 2, 28), date(2029, 2, 28)]),
        (date(2028, 2, 29), [date(2029, 2, 28), date(2030, 2, 28), date(2031, 2, 28)]),
    ],
)
def test_a_year_later_is_the_same_day(today, later):
    assert later_days(today, len(later)) == later


def test_two_prices_of_one_day_are_refused():
    series = falling(0.75)
    with pytest.raises(ValueError, match="median of the day"):
        theil_sen([*series, series[0]])


@given(st.floats(0.2, 3), st.floats(0.01, 100))
def test_the_trend_does_not_depend_on_the_unit_of_the_price(per_year, unit):
    series = falling(per_year, wobble=0.02)
    scaled = [(day, value * unit) for day, value in series]
    assert theil_sen(scaled).per_year.mid == pytest.approx(theil_sen(series).per_year.mid)
