"""Sizes and rents of checkpoints against published ones."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.costs.storage import (
    checkpoint_gb,
    checkpoints_written,
    dataset_gb,
    egress_usd,
    kept_in_tiers,
    storage_usd,
    write_seconds,
)


def test_a_70b_checkpoint_and_its_rent():
    assert checkpoint_gb(70 * 10**9) == pytest.approx(980)
    assert storage_usd(10 * 980) == pytest.approx(225, abs=0.5)


def test_never_deleting_is_dear():
    written = checkpoints_written(30, 3)
    assert written * 980 / 1000 == pytest.approx(235, abs=0.5)  # TB
    assert storage_usd(written * 980) == pytest.approx(5_410, abs=1)


@pytest.mark.parametrize(("bytes_per_parameter", "gb"), [(4, 480), (12, 1_440), (14, 1_680), (16, 1_920)])
def test_sizes_of_a_120b_checkpoint(bytes_per_parameter, gb):
    assert checkpoint_gb(120 * 10**9, bytes_per_parameter=bytes_per_parameter) == gb


def test_bloom_lies_within_the_range():
    # 2.3 TB for 176.2B parameters, written in 40 s
    assert 12 <= 2_300 / 176.2 <= 14
    assert write_seconds(2_300, 57.5) == pytest.approx(40)


def test_tiers_keep_the_last_ones_and_one_a_day():
    kept = kept_in_tiers(980, wall_days=30, every_hours=3)
    assert kept.hot_gb == 9_800
    assert kept.cold_gb == 28 * 980  # the last 30 hours are at hand
    assert kept_in_tiers(980, wall_days=0.1, every_hours=3).hot_gb == 0


def test_data_and_what_leaves():
    assert dataset_gb(10**12) == 2_000
    assert dataset_gb(10**12, raw=True) == 14_000
    weights = checkpoint_gb(70 * 10**9, "weights")
    assert weights == 140
    # 50 TB out of a cloud at 0.05 to 0.09
    assert egress_usd(50_000, Decimal("0.05")) == 2_500
    assert egress_usd(50_000) == 4_500


@given(st.integers(1, 10**13), st.floats(0.1, 24))
def test_tiers_never_keep_more_than_was_written(params, every_hours):
    size = checkpoint_gb(params)
    kept = kept_in_tiers(size, 30, every_hours)
    assert kept.hot_gb + kept.cold_gb <= size * max(checkpoints_written(30, every_hours), 30) + 1e-6
