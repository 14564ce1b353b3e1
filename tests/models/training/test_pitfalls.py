"""The twenty ways in which training costs are commonly got wrong, one test each."""

from __future__ import annotations

import csv
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from inspect import signature
from pathlib import Path

import pytest

from models.claims.prices import month_at, premium_percent, saving_percent
from models.claims.table import claims
from models.costs.bill import bill, experiments_multiplier
from models.costs.plan import plans
from models.currencies import Rates
from models.gpus import gpus
from models.llms import llm_named
from models.normalise import normalise
from models.offers import Quote
from models.peak import refuse_sparse_peak
from models.quantities import parse_count
from models.training.clusters import RentalOffer
from models.training.estimate import Range, estimate
from models.training.flop import training_flop
from models.training.memory import training_state_gb
from models.training.plausibility import doubts
from models.training.reliability import exact_interval_hours, interruption_loss, young_interval_hours
from models.training.requirement import requirement
from models.training.scaling_laws import compute_optimal
from models.training.utilisation import restated

H100 = gpus()["h100_sxm"]
CLAIMS = {claim.claim_id: claim for claim in claims()}


def test_01_a_thousandfold_between_42e18_and_42e21():
    assert training_flop(llm_named("7B"), "none").total == 42 * 10**21


def test_02_a_sparse_peak_taken_as_dense():
    with pytest.raises(ValueError, match="sparse BF16 rate"):
        refuse_sparse_peak(H100, "bf16", 1979)


def test_03_an_fp8_utilisation_on_the_bf16_peak():
    # DeepSeek-V3's 38.9% is of the BF16 peak: half as much of the FP8 peak, for the same hours
    assert restated(0.389, 989.4, 1978.9) == pytest.approx(0.1945, abs=0.0001)
    eight_bit = requirement(llm_named("7B"), H100, precision="fp8")
    assert eight_bit.gpu_hours_p50 > requirement(llm_named("7B"), H100).gpu_hours_p50 / 1.5


@pytest.mark.parametrize(("gpu", "tflops"), [("rtx_4090", 165), ("rtx_5090", 210), ("rtx_3090", 71)])
def test_04_rates_of_consumer_cards_that_accumulate_in_fp16(gpu, tflops):
    assert float(gpus()[gpu].bf16_dense_tflops) == pytest.approx(tflops, abs=1)


def test_05_forms_of_the_h100_taken_for_one():
    peaks = {float(gpus()[gpu].bf16_dense_tflops) for gpu in ("h100_sxm", "h100_nvl", "h100_pcie")}
    assert len(peaks) == 3


def test_06_the_price_of_an_instance_taken_for_that_of_a_gpu():
    quote = Quote("eight", "H100 SXM", Decimal(8), Decimal("98.00"), "per_instance_hour", "on_demand")
    offers, _ = normalise(
        [quote],
        provider="somewhere",
        book="",
        observed_at=datetime(2026, 1, 1, tzinfo=UTC),
        origin="live",
        rates=Rates.of([]),
        page_sha256="",
    )
    assert offers[0].usd_per_gpu_hour == Decimal("12.25")


def test_07_all_parameters_for_the_flop_or_active_ones_for_the_memory():
    deepseek = llm_named("DeepSeek-V3")
    assert training_flop(deepseek, "none").per_token == 6 * 37 * 10**9
    assert training_state_gb(deepseek.params_total, Decimal(16)) == 671 * 16


def test_08_words_for_tokens():
    palm = replace(llm_named("PaLM 540B"), tokens=585 * 10**9)  # words, as a database lists them
    found = doubts(palm, 8_404_992, 275, stated_flop=2.53e24)
    assert any("words" in doubt.detail for doubt in found)


def test_09_hours_per_trillion_tokens_taken_for_the_total():
    found = doubts(llm_named("DeepSeek-V3"), 180_000, 989.4)  # 180,000 a trillion, 2,664,000 in all
    assert any("per trillion" in doubt.detail for doubt in found)


def test_10_months_of_720_730_or_744_hours():
    assert month_at(1) == (730, 730)
    monthly = Quote("m", "H100 SXM", Decimal(1), Decimal("2160"), "per_instance_month", "on_demand")
    for quote, hours in ((monthly, 730), (replace(monthly, hours_per_month=Decimal(720)), 720)):
        offers, _ = normalise(
            [quote],
            provider="somewhere",
            book="",
            observed_at=datetime(2026, 1, 1, tzinfo=UTC),
            origin="live",
            rates=Rates.of([]),
            page_sha256="",
        )
        assert float(offers[0].usd_per_gpu_hour) == pytest.approx(2160 / hours)


def test_11_electricity_added_to_a_rent():
    with pytest.raises(ValueError, match="electricity already"):
        bill(Range(1, 1, 1), basis="rented", energy_usd=Range(1, 1, 1))


def test_12_two_multipliers_for_the_same_experiments():
    assert [name for name in signature(bill).parameters if "experiment" in name or "overhead" in name] == [
        "experiments"
    ]
    assert experiments_multiplier(2) == 2
    once = estimate(params=7 * 10**9, tokens=10**12, gpu=H100, price=Decimal(2), overhead=2)
    assert once.total_usd.mid == pytest.approx(once.compute_usd.mid * 2)


def test_13_an_observation_window_taken_for_the_run():
    window = CLAIMS["frontier.llama405b.duration"]
    assert window.verdict == "contradiction"
    assert window.published_low == 54
    assert window.ours_low == pytest.approx(78.4, abs=0.05)


def test_14_reinforcement_learning_shown_as_the_cost_of_the_model():
    assert CLAIMS["C-27"].verdict == "contradiction"
    assert "base model" in CLAIMS["frontier.r1.training_cost"].reason


def test_15_rounded_exponents():
    rounded, replicated = (compute_optimal(4e25, name) for name in ("hoffmann_printed", "epoch_2024"))
    assert rounded.tokens_per_parameter > 8 * replicated.tokens_per_parameter


def test_16_premium_and_saving_confused():
    saving, premium = saving_percent(2800, 1700, 1150), premium_percent(2800, 1700, 1150)
    for saved, dearer in zip(saving, premium, strict=True):
        assert dearer / 100 == pytest.approx(1 / (1 - saved / 100) - 1)


def test_17_dutch_numbers():
    assert parse_count("15 biljoen") == 15 * 10**12
    assert parse_count("1,4 miljard") == 1_400_000_000
    with pytest.raises(ValueError, match="two ways"):
        parse_count("50.000")


def test_18_single_machines_for_a_run_of_many():
    machine = RentalOffer("k", "market", "h100_sxm", Decimal(8), Decimal("0.90"), "on_demand", fabric="single_node")
    assert "single node" in plans(llm_named("70B"), [machine], gpus())[0].why_not


def test_19_youngs_formula_where_the_interval_nears_the_time_between_failures():
    loss = interruption_loss(0.5, 0.1, 0.1)
    assert loss.interval_hours == exact_interval_hours(0.1, 0.5) != young_interval_hours(0.1, 0.5)


def test_20_hours_that_cover_several_models():
    # the 39.3M hours of Meta's Llama 3.1 card are the sum of its three models
    with Path(__file__).with_name("published_runs.csv").open(newline="", encoding="utf-8") as rows:
        hours = {run["llm"]: float(run["gpu_hours"]) for run in csv.DictReader(rows)}
    family = [hours[f"Llama 3.1 {size}"] for size in ("8B", "70B", "405B")]
    assert sum(family) == pytest.approx(39.3e6)
    assert max(family) < 31e6
