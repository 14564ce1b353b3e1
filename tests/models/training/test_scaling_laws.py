"""Optimal sizes against the papers the coefficients come from."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.training.scaling_laws import (
    best_for_inference,
    by_tokens_per_parameter,
    coefficients,
    compute_optimal,
    optimal_tokens,
)

B, T = 1e9, 1e12
SETS = st.sampled_from(["hoffmann_printed", "hoffmann_unrounded", "epoch_2024"])


def test_a_13b_that_serves_two_trillion_tokens():
    # Sardana et al.: about 17% and 1.7e22 FLOP
    found = best_for_inference(13 * B, 2 * T, "hoffmann_unrounded")
    assert found.best.params == pytest.approx(6.97 * B, abs=0.005 * B)
    assert found.best.tokens == pytest.approx(1.247 * T, abs=0.001 * T)
    assert found.saving == pytest.approx(1.692e22, abs=0.0005e22)
    assert found.saving_share == pytest.approx(0.174, abs=0.0005)


@pytest.mark.parametrize(
    ("name", "saving", "share"),
    [("hoffmann_printed", 1.31e22, 0.101), ("hoffmann_unrounded", 1.69e22, 0.174), ("epoch_2024", 2.09e22, 0.290)],
)
def test_the_answer_hangs_on_the_coefficients(name, saving, share):
    # rounded exponents more than halve the saving that is quoted
    found = best_for_inference(13 * B, 2 * T, name)
    assert found.saving == pytest.approx(saving, abs=0.005e22)
    assert found.saving_share == pytest.approx(share, abs=0.0006)


def test_tokens_per_parameter_at_chinchillas_budget():
    assert compute_optimal(5.8e23, "hoffmann_printed").tokens_per_parameter == pytest.approx(93, abs=0.5)
    assert compute_optimal(5.8e23, "epoch_2024").tokens_per_parameter == pytest.approx(18, abs=0.5)


def test_the_rounded_exponents_drift_and_the_replication_does_not():
    def ratio(flop, name):
        return compute_optimal(flop, name).tokens_per_parameter

    assert ratio(1e20, "hoffmann_printed") == pytest.approx(40, abs=0.5)
    assert ratio(4e25, "hoffmann_printed") == pytest.approx(139, abs=1)
    assert 16 < ratio(4e25, "epoch_2024") < ratio(1e20, "epoch_2024") < 23


def test_twenty_tokens_per_parameter():
    # Chinchilla: 70B on 1.4T
    size = by_tokens_per_parameter(6 * 70 * B * 1.4 * T)
    assert size.params == pytest.approx(70 * B)
    assert size.tokens == pytest.approx(1.4 * T)


def test_in_money_cheap_serving_makes_a_larger_model_right():
    dear = best_for_inference(13 * B, 2 * T, training_usd_per_flop=1e-18, serving_usd_per_flop=4e-18)
    even = best_for_inference(13 * B, 2 * T, training_usd_per_flop=1e-18, serving_usd_per_flop=1e-18)
    in_flop = best_for_inference(13 * B, 2 * T)
    assert dear.best.params < even.best.params
    assert even.best.params == pytest.approx(in_flop.best.params)
    assert even.saving == pytest.approx(in_flop.saving * 1e-18)


def test_wrong_names_and_half_prices_are_refused():
    with pytest.raises(ValueError, match="hoffmann_printed, hoffmann_unrounded, epoch_2024"):
        coefficients("chinchilla")
    with pytest.raises(ValueError, match="both training and serving"):
        best_for_inference(13 * B, T, training_usd_per_flop=1e-18)


@given(st.floats(1e19, 1e27), SETS)
def test_the_optimum_spends_the_budget_and_no_neighbour_is_better(flop, name):
    best = compute_optimal(flop, name)
    assert best.flop == pytest.approx(flop)
    assert optimal_tokens(best.params, name).tokens == pytest.approx(best.tokens)
    fit = coefficients(name)
    for shift in (0.9, 1.1):
        assert fit.loss(best.params * shift, best.tokens / shift) >= fit.loss(best.params, best.tokens)


@given(st.floats(1e9, 1e12), st.floats(0, 1e14), SETS)
def test_serving_only_ever_makes_the_model_smaller_and_keeps_its_loss(params, served, name):
    found = best_for_inference(params, served, name)
    fit = coefficients(name)
    assert found.best.params <= params * (1 + 1e-4)
    assert fit.loss(found.best.params, found.best.tokens) == pytest.approx(
        fit.loss(params, found.replaced.tokens), rel=1e-6
    )
    assert found.saving_share >= -1e-9
