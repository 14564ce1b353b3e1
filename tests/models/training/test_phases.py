"""Runs of several phases, and recomputation kept out of their FLOP."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.gpus import gpus
from models.llms import llm_named
from models.training.estimate import rental_usd
from models.training.flop import training_flop
from models.training.phases import (
    Phase,
    hardware_flop,
    mfu_from_hfu,
    phase_flop,
    phase_needs,
    pretraining,
    run_flop,
    total_hours,
)

SEVEN_B, LLAMA = llm_named("7B"), llm_named("Llama 3.1 405B")
DEEPSEEK = llm_named("DeepSeek-V3")
H100 = gpus()["h100_sxm"]
TOKENS = st.integers(1, 10**14)


def test_pretraining_is_the_run_the_model_describes():
    assert run_flop(SEVEN_B, [pretraining(SEVEN_B)]) == 42 * 10**21
    assert run_flop(LLAMA, [pretraining(LLAMA)]) == training_flop(LLAMA).total


def test_a_context_extension_has_its_own_context():
    # attention adds 133% at 128k and 8.3% at 8k
    extension = Phase("context_extension", 800 * 10**9, seq_len=131_072)
    per_token = phase_flop(LLAMA, extension) / extension.tokens
    assert per_token / (6 * LLAMA.params_active) == pytest.approx(2.33, abs=0.005)


def test_a_reinforcement_phase_pays_for_rollouts_scores_and_updates():
    # 2 N a generated token and for each of two scorings, 6 N a trained token
    n = DEEPSEEK.params_active
    phase = Phase("rl", tokens=10, generated_tokens=100)
    assert phase_flop(DEEPSEEK, phase, "none") == (6 * 10 + 3 * 2 * 100) * n


def test_a_reinforcement_phase_is_not_the_cost_of_the_model():
    # DeepSeek-R1: 147,336 H800-hours of RL on top of the 2,788,000 of its base
    rl = rental_usd(512 * (198 + 80) + 5_000, Decimal(2))
    assert rl == pytest.approx(294_700, abs=50)
    whole = rl + rental_usd(2_664_000 + 119_000 + 5_000, Decimal(2))
    assert whole == pytest.approx(5.87e6, abs=0.005e6)
    base = Phase("pretrain", DEEPSEEK.tokens)
    rollouts = Phase("rl", tokens=10**9, generated_tokens=10**10)
    needs = phase_needs(DEEPSEEK, gpus()["h800_sxm"], [base, rollouts])
    assert needs[1].gpu_hours.mid < needs[0].gpu_hours.mid / 10
    assert total_hours(needs).mid == pytest.approx(needs[0].gpu_hours.mid + needs[1].gpu_hours.mid)


@given(TOKENS, TOKENS)
def test_flop_are_additive_over_phases(first, second):
    split = [Phase("pretrain", first), Phase("pretrain", second)]
    assert run_flop(LLAMA, split) == run_flop(LLAMA, [Phase("pretrain", first + second)])


@given(st.integers(10**9, 10**13), st.integers(10**9, 10**13))
def test_hours_are_additive_over_phases(first, second):
    split = total_hours(phase_needs(SEVEN_B, H100, [Phase("pretrain", t) for t in (first, second)], gpus=8))
    whole = total_hours(phase_needs(SEVEN_B, H100, [Phase("pretrain", first + second)], gpus=8))
    assert (split.low, split.mid, split.high) == pytest.approx((whole.low, whole.mid, whole.high))


def test_hours_of_pretraining_are_those_of_the_requirement():
    need = phase_needs(SEVEN_B, H100, [pretraining(SEVEN_B)], utilisation=0.28)[0]
    assert need.gpu_hours.mid == pytest.approx(42_113, abs=1)


def test_recomputation_lowers_the_utilisation_and_not_the_flop():
    assert hardware_flop(6, "full") == pytest.approx(8, rel=1e-5)
    assert hardware_flop(6, "none") == 6
    # 1T GPT of Korthikanti et al.: HFU 57.0, MFU 56.3
    assert 0.57 / 1.05 < mfu_from_hfu(0.57, "selective") < 0.57 / 1.01
    # Megatron-LM's 2021 throughput counted recomputation: 52% of the peak is 39%
    assert mfu_from_hfu(0.52, "full") == pytest.approx(0.39, abs=0.0001)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"kind": "warmup", "tokens": 1}, "not one of pretrain"),
        ({"kind": "rl", "tokens": 0}, "takes tokens"),
        ({"kind": "finetune", "tokens": 1, "generated_tokens": 5}, "only an rl phase"),
    ],
)
def test_impossible_phases_are_refused(wrong, said):
    with pytest.raises(ValueError, match=said):
        Phase(**wrong)


def test_attention_of_an_unknown_shape_is_not_made_up():
    bare = replace(LLAMA, layers=None)
    assert phase_flop(bare, Phase("context_extension", 10, seq_len=131_072)) == 6 * bare.params_active * 10
