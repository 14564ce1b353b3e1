"""Unit errors in published runs are caught by what they imply."""

from __future__ import annotations

from dataclasses import replace

import pytest

from models.llms import llm_named
from models.training.plausibility import doubts, implied_utilisation

H100, TPU_V4 = 989.4, 275.0  # dense BF16 TFLOPS


def codes(*args):
    return [doubt.code for doubt in doubts(*args)]


def test_published_runs_raise_no_doubt():
    # DeepSeek-V3: 2,664,000 + 119,000 + 5,000 H800-hours; PaLM: 8.405M TPU v4-hours, 2.5272e24 FLOP
    assert codes(llm_named("DeepSeek-V3"), 2_788_000, H100) == []
    assert codes(llm_named("PaLM 540B"), 8_404_992, TPU_V4, 2.5272e24) == []
    assert implied_utilisation(6 * 37e9 * 14.8e12, 2_788_000, H100) == pytest.approx(0.331, abs=0.0005)


def test_tokens_a_thousandfold_too_many():
    deepseek = llm_named("DeepSeek-V3")
    (doubt,) = doubts(replace(deepseek, tokens=deepseek.tokens * 1000), 2_788_000, H100)
    assert doubt.code == "utilisation_impossible"
    assert "thousandfold too many" in doubt.detail


def test_tokens_a_thousandfold_too_few():
    # the worked example with 42e18 FLOP in place of 42e21
    (doubt,) = doubts(replace(llm_named("7B"), tokens=10**9), 42_113, H100)
    assert doubt.code == "utilisation_unheard_of"
    assert "thousandfold too few" in doubt.detail


def test_hours_per_trillion_tokens_taken_as_the_total():
    # DeepSeek-V3 states 180,000 hours per trillion tokens
    (doubt,) = doubts(llm_named("DeepSeek-V3"), 180_000, H100)
    assert doubt.code == "utilisation_impossible"
    assert "per trillion tokens" in doubt.detail


def test_words_in_the_token_field():
    # databases list PaLM with 0.585T, which are words: 780B tokens
    words = replace(llm_named("PaLM 540B"), tokens=585_000_000_000)
    (doubt,) = doubts(words, 8_404_992, TPU_V4, 2.5272e24)
    assert doubt.code == "flop_disagrees"
    assert "words" in doubt.detail


def test_full_utilisation_is_impossible_and_more_than_sixty_percent_needs_evidence():
    # 11,800 H100-hours for 7B on 1T tokens is 100% of the peak; 65% was reached once, on TPU v5p
    assert codes(llm_named("7B"), 11_800, H100) == ["utilisation_impossible"]
    assert codes(llm_named("7B"), 11_785 / 0.65, H100) == ["utilisation_needs_evidence"]
    assert codes(llm_named("7B"), 11_785 / 0.40, H100) == []


def test_the_sizes_of_a_public_table_do_not_hold_up():
    # "405B: 1.5M H100-hours" against 30.84M on the model card
    assert codes(llm_named("405B"), 1_500_000, H100) == ["utilisation_impossible"]
    assert codes(llm_named("Llama 3.1 405B"), 30_840_000, H100) == []


def test_hours_and_peaks_must_be_positive():
    with pytest.raises(ValueError, match="positive"):
        implied_utilisation(1e21, 0, H100)
