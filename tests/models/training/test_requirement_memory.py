"""The fewest GPUs that hold a training state."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.training.memory import min_gpus, state_bytes_per_parameter, training_state_gb, whole_nodes

BILLION = 10**9


def fewest(params_b, memory_gb, bytes_per_parameter):
    return min_gpus(training_state_gb(params_b * BILLION, Decimal(bytes_per_parameter)), Decimal(memory_gb))


@pytest.mark.parametrize(
    ("params_b", "memory_gb", "with_16", "with_18"),
    [
        (7, 80, 2, 2),
        (13, 80, 4, 4),
        (20, 80, 5, 6),
        (70, 80, 18, 20),
        (120, 80, 30, 34),
        (405, 80, 102, 114),
        (671, 80, 168, 189),
        (1000, 80, 250, 282),
        (70, 180, 8, 9),
        (405, 180, 45, 51),
    ],
)
def test_fewest_gpus_with_adam(params_b, memory_gb, with_16, with_18):
    # 16 bytes a parameter, 18 with FP32 gradients, in 0.8 of the memory
    assert fewest(params_b, memory_gb, 16) == with_16
    assert fewest(params_b, memory_gb, 18) == with_18


def test_a_checkpoint_sized_state():
    assert training_state_gb(7 * BILLION, state_bytes_per_parameter()) == 112
    assert training_state_gb(7 * BILLION, state_bytes_per_parameter("adam_8bit")) == 70


def test_an_unknown_optimizer_is_named():
    with pytest.raises(ValueError, match="lion"):
        state_bytes_per_parameter("lion")


def test_memory_must_be_positive():
    with pytest.raises(ValueError, match="positive"):
        min_gpus(Decimal(112), Decimal(0))


def test_whole_nodes():
    assert [whole_nodes(gpus, 8) for gpus in (1, 8, 9, 102)] == [8, 8, 16, 104]
    assert whole_nodes(13, 1) == 13


sizes = st.integers(min_value=1, max_value=10**13)
memories = st.decimals(min_value=1, max_value=500, places=1)


@given(sizes, memories, memories)
def test_less_memory_never_takes_fewer_gpus(params, one, other):
    state = training_state_gb(params, Decimal(16))
    small, large = sorted((one, other))
    assert min_gpus(state, small) >= min_gpus(state, large)


@given(sizes, memories)
def test_the_state_fits_and_one_gpu_fewer_is_too_few(params, memory):
    state = training_state_gb(params, Decimal(16))
    fewest_gpus = min_gpus(state, memory)
    usable = memory * Decimal("0.8")
    assert fewest_gpus * usable >= state
    assert fewest_gpus == 1 or (fewest_gpus - 1) * usable < state
