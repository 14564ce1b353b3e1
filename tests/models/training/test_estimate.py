"""The bill of one run, to the cent where a figure is known."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.costs.explanation import explain
from models.gpus import gpus
from models.training.estimate import estimate, rental_usd, with_setup

SEVEN_B = {"params": 7 * 10**9, "tokens": 10**12}


def h100(**given_):
    return estimate(**{**SEVEN_B, "gpu": gpus()["h100_sxm"], **given_})


def test_a_dense_7b_on_140b_tokens_on_eight_gpu_nodes():
    # 6ND, 989 TFLOPS dense, 40%, $23.92 an hour for 8 GPUs, 64 of them
    bill = h100(tokens=140 * 10**9, utilisation=0.40, peak_tflops=989, gpus=64, price=Decimal("23.92") / 8, overhead=1)
    assert bill.flop == 5.88e21
    assert bill.gpu_hours.mid == pytest.approx(4128.7496, abs=5e-5)
    assert bill.compute_usd.mid == pytest.approx(12344.96, abs=0.005)
    assert bill.wall_days.mid == pytest.approx(2.688, abs=0.0005)
    assert bill.total_usd == bill.compute_usd
    # a larger cluster changes the days and not the bill
    larger = h100(
        tokens=140 * 10**9,
        utilisation=0.40,
        peak_tflops=989,
        gpus=512,
        price=Decimal("23.92") / 8,
        overhead=1,
    )
    assert larger.compute_usd == bill.compute_usd
    assert larger.wall_days.mid == pytest.approx(bill.wall_days.mid / 8)


def test_gpu_hours_at_a_price():
    assert rental_usd(16 * 500, Decimal("2.75")) == 22_000
    # DeepSeek-V3: pre-training, context extension, post-training at $2.00 per H800-hour
    assert rental_usd(2_664_000 + 119_000 + 5_000, Decimal("2.00")) == 5_576_000


def test_the_worked_example_with_overhead():
    # 42,113 hours at 28%, $2, x 1.4
    bill = h100(utilisation=0.28, price=Decimal(2), overhead=1.4)
    assert bill.total_usd.mid == pytest.approx(117_900, abs=50)


def test_overhead_is_applied_once():
    bill = h100(price=Decimal(2))
    assert (bill.overhead.low, bill.overhead.mid, bill.overhead.high) == (1.3, 1.4, 1.5)
    assert bill.total_usd.low == pytest.approx(bill.compute_usd.low * 1.4)
    assert bill.total_usd.mid == pytest.approx(bill.compute_usd.mid * 1.4)
    assert bill.total_usd.high == pytest.approx(bill.compute_usd.high * 1.4)
    doubled = h100(price=Decimal(2), overhead=2)  # in place of the 1.4, not on top
    assert doubled.total_usd.mid == pytest.approx(bill.compute_usd.mid * 2)


@pytest.mark.parametrize("overhead", [0, 0.4, 40, -1])
def test_an_overhead_that_is_no_multiplier_is_refused(overhead):
    with pytest.raises(ValueError, match="multiplier of at least 1"):
        h100(overhead=overhead)


def test_forty_percent_given_as_40_is_refused():
    with pytest.raises(ValueError, match=r"40% is 0.4"):
        h100(utilisation=40)


def test_the_json_has_the_documented_keys():
    printed = json.loads(json.dumps(h100(price=Decimal("2.99")).as_dict()))
    for key in ("utilisation", "gpu_hours", "wall_days", "compute_usd", "total_usd"):
        assert list(printed[key]) == ["low", "mid", "high"], key
        assert printed[key]["low"] < printed[key]["mid"] < printed[key]["high"], key
    assert printed["flop"] == 4.2e22
    assert printed["flop_per_token"] == 4.2e10
    assert printed["min_gpus"] == 2


def test_without_a_price_there_is_no_bill():
    bill = h100()
    assert bill.compute_usd is None
    assert bill.total_usd is None


def test_attention_is_counted_when_the_shape_is_given():
    bill = h100(layers=32, width=4096, seq_len=4096)
    assert bill.flop == float((42 * 10**9 + 12 * 32 * 4096 * 4096) * 10**12)
    causal = h100(layers=32, width=4096, seq_len=4096, attention="causal")
    assert causal.flop == float((42 * 10**9 + 6 * 32 * 4096 * 4096) * 10**12)


def test_half_a_shape_is_refused():
    with pytest.raises(ValueError, match="seq-len missing"):
        h100(layers=32, width=4096)


def test_active_parameters_set_the_flop_and_all_parameters_the_memory():
    bill = estimate(params=671 * 10**9, active_params=37 * 10**9, tokens=14_800 * 10**9, gpu=gpus()["h800_sxm"])
    assert bill.flop == float(6 * 37 * 10**9 * 14_800 * 10**9)
    assert bill.min_gpus == 168


def test_too_few_gpus_are_said():
    bill = estimate(params=70 * 10**9, tokens=10**12, gpu=gpus()["h100_sxm"], gpus=8)
    assert not bill.fits_memory
    assert "18 are needed" in bill.notes[0]


def test_what_a_careful_reader_would_ask():
    assert "no published run" in h100(utilisation=1.0).notes[0]
    assert "one token per parameter" in h100(tokens=10**9).notes[0]
    assert "no BF16" in estimate(**SEVEN_B, gpu=gpus()["t4"]).notes[0]
    assert h100(utilisation=0.4).notes == ()


@pytest.mark.parametrize(
    "wrong",
    [
        {"params": 0},
        {"tokens": -1},
        {"active_params": 8 * 10**9},
        {"gpus": 0},
        {"price": Decimal(0)},
        {"peak_tflops": 0},
        {"deadline_days": 0},
    ],
)
def test_impossible_inputs_are_refused(wrong):
    with pytest.raises(ValueError, match=r"positive|at least|at most"):
        h100(**wrong)


@given(st.floats(min_value=0.01, max_value=1), st.integers(min_value=1, max_value=10**5))
def test_the_bill_does_not_depend_on_the_cluster_when_utilisation_is_given(share, cluster):
    one = h100(utilisation=share, price=Decimal("2.5"))
    other = h100(utilisation=share, price=Decimal("2.5"), gpus=cluster)
    assert one.compute_usd == other.compute_usd
    assert other.wall_days.mid * cluster * 24 == pytest.approx(other.gpu_hours.mid)


def test_a_fee_to_set_up_is_in_the_total_once_and_explained():
    plain = estimate(params=10**9, tokens=3 * 10**11, gpu=gpus()["h100_sxm"], price=Decimal(2))
    result = with_setup(plain, 1_117)
    assert result.total_usd.mid - plain.total_usd.mid == pytest.approx(1_117)
    assert result.compute_usd == plain.compute_usd
    steps = {step.name: step for step in explain(result)}
    assert steps["setup_usd"].value == 1_117
    assert steps["total_usd"].formula == "compute_usd x overhead (by its middle) + setup_usd"
    assert "setup_usd" not in {step.name for step in explain(plain)}
