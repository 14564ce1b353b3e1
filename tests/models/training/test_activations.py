"""Activation memory by the published formulas."""

from __future__ import annotations

import pytest

from models.llms import llm_named
from models.training.activations import activations_gb, gpu_memory_needed_gb

GPT3 = llm_named("GPT-3 175B")  # 96 layers, 12,288 wide, 2,048 positions, 96 heads


def test_a_layer_of_gpt3_as_korthikanti_counts_it():
    # s b h (34 + 5 a s / h) bytes: the scores make up 80/114 of a layer of GPT-3
    kept = activations_gb(GPT3, recomputation="none", heads=96)
    selective = activations_gb(GPT3, recomputation="selective")
    assert 5 * 96 * 2048 / 12288 == 80
    assert kept / selective == pytest.approx((34 + 80) / 34)
    assert selective == pytest.approx(96 * 34 * 2048 * 12288 / 1e9)
    assert activations_gb(GPT3, recomputation="full") == pytest.approx(selective * 2 / 34)


def test_they_grow_with_the_batch_and_are_divided_among_gpus():
    one = activations_gb(GPT3)
    assert activations_gb(GPT3, micro_batch=4) == pytest.approx(4 * one)
    assert activations_gb(GPT3, tensor_parallel=8) == pytest.approx(one / 8)


def test_a_70b_on_twenty_cards_of_80_gb():
    # 1,120 GB of state: 18 to 20 cards where the activations are recomputed
    llama = llm_named("70B")
    activations = activations_gb(llama, recomputation="full")
    assert gpu_memory_needed_gb(70 * 16, 20, activations) < 80
    assert gpu_memory_needed_gb(70 * 16, 14, activations) > 80


def test_what_is_not_known_is_asked_for():
    with pytest.raises(ValueError, match="layers, width"):
        activations_gb(llm_named("GPT-4"))
    with pytest.raises(ValueError, match="number of heads"):
        activations_gb(GPT3, recomputation="none")
    with pytest.raises(ValueError, match="at least 1"):
        activations_gb(GPT3, micro_batch=0)
