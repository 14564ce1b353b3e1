"""What a budget trains and what hours imply; variants of one estimate; costs of the past."""

from __future__ import annotations

import math
from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.costs.inverse import implied_tokens, largest_model
from models.costs.past import effects, fixed_capability_usd, run_then
from models.gpus import gpus
from models.llms import llm_named
from models.training.estimate import estimate
from models.training.requirement import requirement
from models.training.what_if import what_if

H100, A100 = gpus()["h100_sxm"], gpus()["a100_sxm_80"]


@pytest.mark.parametrize(
    ("size", "hours", "trillion", "per_parameter"),
    [
        (1e9, 1_000, 0.237, 237.5),
        (7e9, 10_000, 0.339, 48.5),
        (13e9, 25_000, 0.457, 35.1),
        (70e9, 200_000, 0.678, 9.7),
        (405e9, 1.5e6, 0.879, 2.2),
        (1e12, 1e7, 2.375, 2.4),
    ],
)
def test_tokens_that_a_published_table_of_hours_implies(size, hours, trillion, per_parameter):
    # H100 at 40%
    tokens = implied_tokens(hours, size, 989.4, 0.4)
    assert tokens / 1e12 == pytest.approx(trillion, abs=0.0006)
    assert tokens / size == pytest.approx(per_parameter, abs=0.06)


@pytest.mark.parametrize(("budget", "billion_tokens"), [(1_000, 158), (5_000, 791)])
def test_a_small_budget_spent_on_a_1b(budget, billion_tokens):
    assert implied_tokens(budget / 1.50, 1e9, 989.4, 0.4) / 1e9 == pytest.approx(billion_tokens, abs=0.7)


@given(st.floats(1_000, 1e9), st.sampled_from([None, "epoch_2024"]), st.floats(0.1, 0.6))
def test_the_model_a_budget_trains_costs_that_budget(budget, sizing, share):
    found = largest_model(budget, H100, Decimal("2.00"), sizing=sizing, utilisation=share)
    bill = estimate(
        params=round(found.params.mid),
        tokens=round(found.tokens.mid),
        gpu=H100,
        utilisation=share,
        price=Decimal("2.00"),
    )
    assert bill.total_usd.mid == pytest.approx(budget, rel=1e-4)


@given(st.floats(1_000, 1e9), st.floats(1_000, 1e9), st.floats(0.2, 20), st.floats(0.2, 20))
def test_more_money_and_a_lower_price_never_train_less(one, other, price, other_price):
    def params(budget, usd):
        return largest_model(budget, H100, Decimal(usd)).params.mid

    assert params(max(one, other), price) >= params(min(one, other), price)
    assert params(one, min(price, other_price)) >= params(one, max(price, other_price))


def test_a_budget_of_a_million():
    found = largest_model(1e6, H100, Decimal("2.00"), gpus=512)
    assert found.params.low < found.params.mid < found.params.high
    assert found.tokens_per_parameter == pytest.approx(20)
    assert found.wall_days == pytest.approx(found.gpu_hours / 512 / 24)
    assert found.gpu_hours == pytest.approx(1e6 / 1.4 / 2)


def test_a_large_cluster_loses_part_of_a_budget():
    """1e9 USD at 2.00 are 55,115 H100 for nine months: 2.5% a doubling beyond 1,024 leave 86% of the utilisation."""
    found = largest_model(1e9, H100, Decimal("2.00"))
    assert found.gpus == pytest.approx(1e9 / 1.4 / 2 / 24 / 270, abs=1)
    assert found.scale_efficiency == pytest.approx(1 - 0.025 * math.log2(55_115 / 1024), abs=1e-4)
    run = estimate(
        params=round(found.params.mid),
        tokens=round(found.tokens.mid),
        gpu=H100,
        gpus=found.gpus,
        price=Decimal("2.00"),
    )
    assert run.total_usd.mid == pytest.approx(1e9, rel=1e-4)
    assert largest_model(1e6, H100, Decimal("2.00")).scale_efficiency == 1


def test_a_budget_on_spot_pays_the_interruptions():
    rented, reclaimed = (largest_model(1e6, H100, Decimal("2.00"), spot=spot) for spot in (False, True))
    assert rented.goodput == 1
    assert reclaimed.flop.mid == pytest.approx(rented.flop.mid * reclaimed.goodput)
    assert largest_model(1e8, H100, Decimal("2.00"), spot=True).goodput < reclaimed.goodput < 1


@pytest.mark.parametrize("wrong", [{"budget_usd": 0}, {"price": Decimal(0)}, {"tokens_per_parameter": -1}])
def test_impossible_budgets_are_refused(wrong):
    with pytest.raises(ValueError, match="must be positive"):
        largest_model(**{"budget_usd": 1e6, "gpu": H100, "price": Decimal(2), **wrong})


# the same estimate told otherwise


def test_low_precision_never_halves_the_hours_by_itself():
    llama = llm_named("Llama 3.1 70B")
    told = {variant.name: variant for variant in what_if(llama, gpus()["b200"], price=Decimal(3))}
    assert 0.5 < told["in FP8"].hours_ratio < 1
    assert 0.5 < told["in FP4"].hours_ratio < told["in FP8"].hours_ratio
    assert [v.name for v in what_if(llama, A100)] == ["as it is"]  # A100 has neither


def test_what_a_precision_saves_is_the_same_whatever_the_cluster():
    """The table sized a cluster for each telling: a smaller one for FP8 lost less to its size, 0.8275 for 0.8333."""
    for gpus_given in (None, 3288):
        told = {variant.name: variant for variant in what_if(llm_named("70B"), H100, gpus=gpus_given)}
        assert told["in FP8"].hours_ratio == pytest.approx(1 / 1.2)


def test_a_mixture_saves_hours_and_no_memory():
    gpt4 = llm_named("GPT-4")
    dense_1800b = requirement(llm_named("1T"), H100)
    told = what_if(llm_named("1T"), H100, active_params=100 * 10**9, price=Decimal(2))
    mixture = told[-1]
    assert mixture.name == "as a mixture"
    assert mixture.hours_ratio < 0.15
    assert mixture.min_gpus == dense_1800b.min_gpus
    assert gpt4.params_total / gpt4.params_active == pytest.approx(6.4, abs=0.05)


def test_a_distilled_student_pays_for_its_teacher():
    student = what_if(llm_named("70B"), H100, student_params=7 * 10**9, gpus=512)[-1]
    # 6 x 7 for the student and 2 x 70 for the teacher's pass, of 6 x 70
    assert student.hours_ratio == pytest.approx((6 * 7 + 2 * 70) / (6 * 70), rel=0.01)
    assert "teacher" in student.note


# costs of the past


def test_price_hardware_and_algorithms_multiply_to_the_whole_change():
    seven_b = llm_named("7B")
    then = run_then(requirement(seven_b, A100), date(2022, 8, 1), Decimal("3.67"))
    now = run_then(requirement(seven_b, H100), date(2025, 3, 1), Decimal("2.99"))
    split = effects(then, now, earlier_gpu_later_usd=Decimal("1.89"))
    assert split.total == pytest.approx(now.usd / then.usd)
    assert split.price == pytest.approx(1.89 / 3.67)
    assert split.algorithm == 1
    assert sum(split.shares().values()) == pytest.approx(1)


def test_the_same_chip_differs_by_its_price_alone():
    need = requirement(llm_named("7B"), H100)
    then, now = run_then(need, date(2023, 7, 1), Decimal("4.76")), run_then(need, date(2025, 3, 1), Decimal("2.99"))
    split = effects(then, now)
    assert (split.hardware, split.algorithm) == (1, 1)
    assert split.total == pytest.approx(2.99 / 4.76)


def test_another_chip_needs_the_later_price_of_the_first():
    then = run_then(requirement(llm_named("7B"), A100), date(2022, 8, 1), Decimal("3.67"))
    now = run_then(requirement(llm_named("7B"), H100), date(2025, 3, 1), Decimal("2.99"))
    with pytest.raises(ValueError, match="price of a100_sxm_80 on 2025-03-01"):
        effects(then, now)
    with pytest.raises(ValueError, match="wrong way round"):
        effects(now, then)


def test_a_gpt4_three_years_later():
    # hardware 1.38 and algorithms 3.0 a year: 79M become 1.1M
    assert fixed_capability_usd(79e6, 3, 1.38, 3.0) == pytest.approx(1.1e6, abs=0.05e6)
