"""What a plan comes to: hours, price, experiments, fees, terms and blocks that are paid whole, and the budget."""

from __future__ import annotations

import math
from dataclasses import astuple, replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from plan_offers import offer, only

from models.costs.run_bill import paid_hours
from models.costs.wishes import Wishes
from models.gpus import gpus
from models.llms import llm_named
from models.training.estimate import Range
from models.training.requirement import requirement
from models.training.uncertainty import closed_form, requirement_factors

SEVEN_B, THIRTEEN_B, SEVENTY_B, BIG = (llm_named(name) for name in ("7B", "13B", "70B", "405B"))
MODELS = st.sampled_from(["1B", "7B", "13B", "70B", "405B", "DeepSeek-V3"])


def test_a_fee_is_paid_once_however_long_the_run():
    # Hetzner's GEX131 of 8 October 2026 without its currency: 2.05 an hour and 1,499 once
    plain = offer(gpu_count=Decimal(1), fabric="single_node", usd="2.05")
    fee = replace(plain, setup_usd=Decimal(1499))
    without, with_fee = (only(llm_named("1B"), one) for one in (plain, fee))
    assert with_fee.total_usd.mid - without.total_usd.mid == pytest.approx(1499)
    assert next(term.usd.mid for term in with_fee.bill.terms if term.name == "setup") == 1499


def test_a_budget_is_asked_last_and_the_cost_is_shown():
    over = only(SEVENTY_B, offer(usd="4.00", cluster_gpus=8192), Wishes(budget_usd=1e6))
    assert not over.feasible
    assert over.why_not.endswith("the budget is 1,000,000")
    assert over.total_usd.mid > 1e6
    assert over.risk_over_budget > 0.5
    assert only(SEVEN_B, offer(), Wishes(budget_usd=1e7)).risk_over_budget < 0.01


def test_p10_and_p90_are_those_of_an_estimate_and_of_the_chance_over_budget():
    plan = only(SEVEN_B, offer(setup_usd=Decimal(1_500)))
    need = requirement(SEVEN_B, gpus()["h100_sxm"], gpus=plan.gpus)
    spread = closed_form(requirement_factors(need, (2.0,)))  # hours x the price that is listed x overhead
    fixed = sum(term.usd.mid for term in plan.bill.terms if term.name not in ("compute", "experiments"))
    assert fixed > 1_500
    total = plan.total_usd
    assert (total.low, total.mid, total.high) == pytest.approx([fixed + usd for usd in astuple(spread)[:3]])
    for budget, over in ((total.low, 0.9), (total.mid, 0.5), (total.high, 0.1)):
        assert only(SEVEN_B, plan.offer, Wishes(budget_usd=budget)).risk_over_budget == pytest.approx(over)


def test_a_term_that_costs_more_than_the_budget_is_surely_over_it():
    year = offer(pricing="reserved", usd="1.20", term_months=12)
    term = only(SEVEN_B, year).total_usd
    assert term.low == term.mid == term.high  # fast or not, the term is paid
    assert only(SEVEN_B, year, Wishes(budget_usd=term.mid - 1)).risk_over_budget == 1
    assert only(SEVEN_B, year, Wishes(budget_usd=term.mid + 1)).risk_over_budget < 0.5


def test_the_cost_is_hours_times_price_times_experiments_and_what_is_stored():
    plan = only(SEVEN_B, offer(), Wishes(experiments=1.4))
    need = requirement(SEVEN_B, gpus()["h100_sxm"])
    lines = {term.name: term.usd.mid for term in plan.bill.terms}
    assert lines["compute"] == pytest.approx(need.gpu_hours_p50 * 2.00)
    assert lines["experiments"] == pytest.approx(need.gpu_hours_p50 * 0.4 * 2.00)
    assert plan.total_usd.mid == pytest.approx(sum(term.usd.mid for term in plan.bill.terms))
    # 10 checkpoints of 98 GB and 14 GB of weights that leave: small beside the compute
    assert plan.bill.share("storage") + plan.bill.share("egress") < 0.01


def test_spot_pays_for_its_interruptions_in_money_and_days():
    steady, spot = (only(THIRTEEN_B, offer(pricing=kind)) for kind in ("on_demand", "spot"))
    assert spot.gpu_hours.mid > steady.gpu_hours.mid
    assert spot.wall_days.mid / steady.wall_days.mid > spot.gpu_hours.mid / steady.gpu_hours.mid
    assert "lost" in spot.notes[0]
    calm = only(THIRTEEN_B, offer(pricing="spot"), Wishes(monthly_interruption=0))
    assert calm.total_usd == steady.total_usd


def test_a_run_longer_than_the_term_pays_a_further_whole_term():
    # 4.346M GPU-hours on 1,760 GPUs are 3.38 months, so four terms of a month
    monthly = offer(pricing="reserved", usd="2.00", term_months=1)
    paid, multiplier, notes = paid_hours(monthly, Range(1e6, 4.346e6, 4.346e6), 1760, 103, 1.0)
    assert (paid.low, paid.mid) == (1760 * 730, 4 * 1760 * 730)
    assert (multiplier, notes) == (1.0, ("4 terms of 1 month are paid, 85% of them used",))


def test_a_commitment_is_paid_to_its_end():
    year = offer(pricing="reserved", usd="1.20", term_months=12)
    whole = only(SEVEN_B, year)
    shared = only(SEVEN_B, year, Wishes(rest_of_term_used=True))
    assert whole.total_usd.mid >= 8 * 8_760 * 1.20
    assert shared.total_usd.mid < whole.total_usd.mid
    assert "12 months is paid" in whole.notes[0]


def test_a_capacity_block_is_paid_whole_and_holds_no_long_run():
    block = only(SEVEN_B, offer(pricing="capacity_block"), Wishes(deadline_days=30, experiments=1))
    paid = next(term for term in block.bill.terms if term.name == "compute").usd
    for usd in (paid.low, paid.mid, paid.high):  # a run that takes longer needs further whole days, or weeks
        days = usd / 2.00 / (block.gpus * 24)
        assert days == pytest.approx(round(days))
        assert days <= 14 or round(days) % 7 == 0
    long = only(SEVEN_B, offer(pricing="capacity_block", cluster_gpus=8), Wishes(deadline_days=270))
    assert "ends after 182 days" in long.why_not


@given(
    MODELS,
    st.decimals("0.10", "50", places=2),
    st.decimals("0.10", "50", places=2),
    st.sampled_from(["on_demand", "spot"]),
)
def test_a_higher_price_never_costs_less(name, one, other, pricing):
    big = offer(cluster_gpus=100_000, pricing=pricing)
    name = "13B" if pricing == "spot" else name  # the largest that a gang on spot holds
    low, high = (
        only(llm_named(name), replace(big, usd_per_gpu_hour=usd)) for usd in (min(one, other), max(one, other))
    )
    assert low.total_usd.mid <= high.total_usd.mid
    assert math.isfinite(high.total_usd.mid)


@given(st.integers(1, 10**13), st.integers(1, 10**13))
def test_more_tokens_never_cost_less(one, other):
    few, many = (
        only(replace(SEVEN_B, tokens=tokens), offer(cluster_gpus=100_000))
        for tokens in (min(one, other), max(one, other))
    )
    assert few.total_usd.mid <= many.total_usd.mid * (1 + 1e-9)
