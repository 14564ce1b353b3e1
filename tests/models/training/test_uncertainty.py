"""The spread of a total: closed form, Monte Carlo and what drives it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.gpus import gpus
from models.llms import llm_named
from models.training.requirement import requirement
from models.training.uncertainty import (
    Lognormal,
    Observed,
    Triangular,
    closed_form,
    monte_carlo,
    requirement_factors,
    run_factors,
    tornado,
)

# 7B on 1T tokens, H100, 28%: 42,113 h at $2 and 1.4
WORKED_EXAMPLE = run_factors(42_113, 2.0)


def test_the_worked_example_in_closed_form():
    found = closed_form(WORKED_EXAMPLE)
    assert found.p50 == pytest.approx(117_900, abs=50)
    assert found.p10 == pytest.approx(65_800, abs=50)
    assert found.p90 == pytest.approx(211_200, abs=50)


def test_the_sampler_agrees_within_two_percent():
    drawn, exact = monte_carlo(WORKED_EXAMPLE), closed_form(WORKED_EXAMPLE)
    for share in ("p10", "p50", "p90"):
        assert getattr(drawn, share) == pytest.approx(getattr(exact, share), rel=0.02), share
    assert drawn.mean > drawn.p50  # skewed to the dear side


def test_the_same_seed_gives_the_same_figures():
    assert monte_carlo(WORKED_EXAMPLE, seed=3) == monte_carlo(WORKED_EXAMPLE, seed=3)
    assert monte_carlo(WORKED_EXAMPLE, seed=3) != monte_carlo(WORKED_EXAMPLE, seed=4)


def test_utilisation_drives_seventy_percent_and_price_thirty():
    drivers = tornado(WORKED_EXAMPLE)
    assert [driver.name for driver in drivers] == ["utilisation", "price", "overhead"]
    assert drivers[0].share == pytest.approx(0.70, abs=0.01)
    assert drivers[1].share == pytest.approx(0.30, abs=0.01)
    assert sum(driver.share for driver in drivers) == pytest.approx(1)
    assert drivers[0].p10_factor < 1 < drivers[0].p90_factor


def test_known_framework_and_scale_narrow_it():
    known = closed_form(run_factors(42_113, 2.0, utilisation_log_sd=0.25))
    assert known.p90 / known.p10 < closed_form(WORKED_EXAMPLE).p90 / closed_form(WORKED_EXAMPLE).p10


def test_the_spread_of_a_requirement_is_that_of_its_prior():
    need = requirement(llm_named("7B"), gpus()["h100_sxm"])
    hours, price, _ = requirement_factors(need, 2.0, overhead=1)
    assert hours.log_sd == pytest.approx(0.32)
    assert closed_form([hours]).p90 == pytest.approx(need.gpu_hours_p90)
    assert closed_form([hours, price]).p50 == pytest.approx(need.gpu_hours_p50 * 2)


def test_prices_of_real_offers_replace_the_assumed_spread():
    offers = [1.49, 1.99, 2.29, 2.99, 3.29]
    factors = run_factors(1_000, offers, utilisation_log_sd=0, overhead=1)
    drawn = monte_carlo(factors)
    assert drawn.p50 == pytest.approx(2_290)
    assert drawn.p10 == pytest.approx(1_490)


def test_a_triangular_factor():
    overhead = Triangular("overhead", 1.3, 1.4, 1.5)
    assert overhead.median == pytest.approx(1.4)
    assert Triangular("x", 0, 1, 4).median == pytest.approx(4 - 6**0.5)
    assert Triangular("x", 0, 3, 4).median == pytest.approx(6**0.5)
    assert Triangular("x", 2, 2, 2).median == 2
    drawn = monte_carlo([Triangular("x", 0, 1, 4)])
    assert drawn.p50 == pytest.approx(4 - 6**0.5, rel=0.02)


@given(st.floats(1, 1e9), st.floats(0.01, 100), st.floats(0.0, 1))
def test_cost_is_monotone_in_price_and_invariant_to_units(hours, price, sigma):
    cost = closed_form(run_factors(hours, price, utilisation_log_sd=sigma))
    dearer = closed_form(run_factors(hours, price * 1.5, utilisation_log_sd=sigma))
    in_cents = closed_form(run_factors(hours, price * 100, utilisation_log_sd=sigma))
    assert dearer.p10 > cost.p10
    assert in_cents.p90 == pytest.approx(cost.p90 * 100)
    assert cost.p10 < cost.p50 < cost.p90


@given(st.lists(st.floats(0.5, 5), min_size=1, max_size=8))
def test_nothing_uncertain_has_no_spread(values):
    certain = [Observed("price", (value,)) for value in values] + [Lognormal("hours", 10, 0)]
    drawn = monte_carlo(certain, draws=10)
    assert drawn.p10 == pytest.approx(drawn.p90)
    assert tornado(certain)[0].share == 0


def test_too_few_draws_are_refused():
    with pytest.raises(ValueError, match="at least 10"):
        monte_carlo(WORKED_EXAMPLE, draws=1)


@pytest.mark.parametrize("overhead", [1.1, 1.3, 1.4, 1.7, 2.3])
def test_an_overhead_given_by_hand_adds_no_spread(overhead):
    # 1.4 * 1.4 three times, less the same: rounds below zero
    factors = run_factors(42_113, 2.0, overhead=overhead)
    assert factors[2].log_sd == pytest.approx(0, abs=1e-7)
    assert closed_form(factors).p50 == pytest.approx(42_113 * 2 * overhead)
