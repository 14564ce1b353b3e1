"""Fine-tunes against published hours, memory and prices."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.gpus import gpus
from models.llms import Llm, llm_named
from models.training.finetuning import METHODS, fine_tune, flop_per_token, group_of, min_gpus, state_gb

SEVEN_B, SEVENTY_B = llm_named("7B"), llm_named("70B")
H100 = gpus()["h100_sxm"]
SIXTY_FIVE_B = Llm("65B", "custom", 65 * 10**9, 65 * 10**9, 1, None, None, None, "dense")


def test_a_full_fine_tune_of_7b_on_a_billion_tokens():
    run = fine_tune(SEVEN_B, H100, 10**9, utilisation=0.35)
    assert run.gpu_hours.mid == pytest.approx(33.7, abs=0.05)
    assert run.gpu_hours.mid * 1.50 == pytest.approx(50.6, rel=0.002)


@pytest.mark.parametrize(("tokens", "usd"), [(10**9, 506), (10**10, 5_056)])
def test_a_full_fine_tune_of_70b(tokens, usd):
    run = fine_tune(SEVENTY_B, H100, tokens, utilisation=0.35)
    assert run.gpu_hours.mid * 1.50 == pytest.approx(usd, rel=0.002)  # published at a peak of 989


def test_adapters_save_a_third_of_the_flop_and_most_of_the_memory():
    assert flop_per_token(SEVENTY_B, "full") / flop_per_token(SEVENTY_B, "lora") == 1.5
    assert flop_per_token(SEVENTY_B, "dpo") / flop_per_token(SEVENTY_B, "full") == pytest.approx(8 / 6)
    assert min_gpus(SEVENTY_B, "full", 80) == 18
    assert fine_tune(SEVENTY_B, H100, 10**8, "lora").gpus == 4
    assert min_gpus(SIXTY_FIVE_B, "qlora", 48) == 1  # one 48 GB card
    assert state_gb(SIXTY_FIVE_B, "full") > 780  # against more than 780 GB


def test_all_experts_must_be_held_and_only_the_active_ones_computed():
    deepseek = llm_named("DeepSeek-V3")
    assert flop_per_token(deepseek, "lora") == 4 * 37 * 10**9
    assert state_gb(deepseek, "full") == 671 * 16


def test_a_small_job_pays_for_its_set_up():
    run = fine_tune(SEVEN_B, H100, 10**6, "lora", price=Decimal("2.00"))
    assert run.gpu_hours.mid < 0.05
    assert run.billed_gpu_hours.mid > 5 * run.gpu_hours.mid
    whole_hour = fine_tune(SEVEN_B, H100, 10**6, "lora", price=Decimal("2.00"), least_billed_hours=1)
    assert whole_hour.usd.mid == 2.00


def test_too_few_gpus_are_refused():
    with pytest.raises(ValueError, match="18 are needed"):
        fine_tune(SEVENTY_B, H100, 10**9, gpus=8)


@pytest.mark.parametrize(("gpus_needed", "joined"), [(1, 1), (3, 4), (5, 8), (8, 8), (9, 16), (18, 24)])
def test_gpus_are_joined_in_pairs_and_nodes(gpus_needed, joined):
    assert group_of(gpus_needed, 8) == joined


@pytest.mark.parametrize("wrong", [{"tokens": 0}, {"epochs": 0}, {"utilisation": 35}, {"method": "prefix"}])
def test_impossible_fine_tunes_are_refused(wrong):
    with pytest.raises(ValueError, match=r"takes tokens|share of the peak|not one of"):
        fine_tune(SEVEN_B, H100, **{"tokens": 10**9, **wrong})


@given(st.integers(10**6, 10**12), st.floats(0.5, 5), st.sampled_from(METHODS), st.integers(1, 10))
def test_cost_grows_with_tokens_price_and_epochs(tokens, usd, method, epochs):
    def cost(tokens=tokens, usd=usd, epochs=epochs):
        return fine_tune(SEVEN_B, H100, tokens, method, epochs=epochs, price=Decimal(usd)).usd

    assert cost().low <= cost().mid <= cost().high
    assert cost(tokens=tokens * 2).mid > cost().mid
    assert cost(usd=usd * 2).mid == pytest.approx(cost().mid * 2)
    assert cost(epochs=epochs + 1).mid > cost().mid


@given(st.floats(8, 200), st.floats(8, 200), st.sampled_from(METHODS))
def test_less_memory_never_takes_fewer_gpus(one, other, method):
    assert min_gpus(SEVENTY_B, method, min(one, other)) >= min_gpus(SEVENTY_B, method, max(one, other))
