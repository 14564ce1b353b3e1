"""Epoch's method, rebuilt from its rules, against what it published for public runs."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.costs.bases import hired, owned
from models.costs.ownership import (
    amortised_usd_per_gpu_hour,
    bought_chip,
    owned_hour,
    price_in_term,
    public_runs,
    published_gpu_hours,
    purchase,
    rented_on,
    restated_usd,
    server_value_usd,
    servers,
    training_start,
)
from models.gpus import gpus
from models.training.estimate import Range

RUNS = {run.run: run for run in public_runs()}
ANCHORS = ["GPT-3 175B", "PaLM 540B", "GPT-4", "Gemini 1.0 Ultra", "Llama 3.1 405B"]
H100 = gpus()["h100_sxm"]


@pytest.mark.parametrize("name", ANCHORS)
def test_public_anchors_within_five_percent_of_what_was_published(name):
    assert RUNS[name].cloud_usd == pytest.approx(RUNS[name].published_cloud_usd, rel=0.05)


@pytest.mark.parametrize(
    ("name", "million"),
    [
        ("GPT-4", 77.5),
        ("PaLM 540B", 12.2),
        ("Gemini 1.0 Ultra", 191.4),
        ("GPT-3 175B", 4.12),
        ("Llama 3.1 405B", 170.6),
    ],
)
def test_cloud_cost_of_the_anchors_to_the_digit(name, million):
    assert RUNS[name].cloud_usd / 1e6 == pytest.approx(million, abs=0.05)


@pytest.mark.parametrize(("name", "million"), [("GPT-4", 40.2), ("Gemini 1.0 Ultra", 28)])
def test_amortised_cost_of_the_anchors(name, million):
    assert RUNS[name].amortised_usd / 1e6 == pytest.approx(million, rel=0.01)
    assert RUNS[name].amortised_usd == pytest.approx(RUNS[name].published_amortised_usd, rel=0.05)


def test_parts_of_an_hour():
    # means over Epoch's 48 models: chips 44.5%, rest of the server 29.0%, network 17.2%, energy 9.2%
    hour = RUNS["GPT-4"].owned_hour()
    parts = [hour.chip_usd, hour.server_usd, hour.interconnect_usd, hour.energy_usd]
    assert sum(parts) == pytest.approx(hour.usd)
    assert [part / hour.usd for part in parts] == pytest.approx([0.445, 0.29, 0.172, 0.092], abs=0.01)


def test_an_h100_of_llamas_run():
    assert amortised_usd_per_gpu_hour(30_386) == pytest.approx(1.38, abs=0.005)
    assert RUNS["Llama 3.1 405B"].owned_hour().server_value_usd == pytest.approx(30_386, abs=1)
    assert RUNS["Llama 3.1 405B"].owned_hour().capital_usd == pytest.approx(1.38, abs=0.005)


def test_hours_by_what_is_known():
    assert published_gpu_hours(reported=57e6, gpus=10, hours=3) == 57e6
    assert published_gpu_hours(gpus=25_000, hours=95 * 24) == 57e6
    # 6 x 280e9 x 13e12 FLOP on A100 at 34%: 57.2M hours, and not the 24M of 10,000 GPUs for 100 days
    assert published_gpu_hours(flop=2.184e25, peak_tflops=312, mfu=0.34) == pytest.approx(57.2e6, abs=0.05e6)
    assert published_gpu_hours(flop=1e24, peak_tflops=312) == pytest.approx(1e24 / (312e12 * 0.375 * 3600))
    with pytest.raises(ValueError, match="take the hours reported"):
        published_gpu_hours(gpus=8)


def test_dates_follow_from_the_publication():
    assert training_start(date(2024, 7, 23), 2_142) == date(2024, 2, 24)
    assert (date(2024, 7, 23) - training_start(date(2024, 7, 23))).days == 94  # 60 d and 793.5 h
    assert rented_on(date(2024, 2, 25)) == date(2023, 12, 27)


def test_terms_convert_by_the_usual_discounts():
    assert price_in_term(Decimal("4.10"), "aws", "on_demand", "3y") == pytest.approx(4.10 * 0.36)
    assert price_in_term(Decimal("2.40"), "gcp", "1y", "3y") == pytest.approx(2.40 * 0.44 / 0.63)
    assert price_in_term(Decimal("1.45"), "aws", "3y", "3y") == pytest.approx(1.45)


def test_inflation_is_a_ratio_of_two_months():
    assert restated_usd(100, 80, 84) == 105


def test_a_server_is_worth_its_price_until_it_can_be_had():
    assert server_value_usd("h100", date(2020, 1, 1)) == 44_489.88
    assert server_value_usd("a100", date(2030, 1, 1)) < 2_000
    with pytest.raises(KeyError, match="no purchase price of rtx_4090"):
        server_value_usd("rtx_4090", date(2026, 1, 1))


@given(st.sampled_from(sorted(servers())), st.dates(date(2018, 1, 1), date(2032, 1, 1)), st.integers(0, 2_000))
def test_hardware_never_gains_value(family, on, days):
    later = date.fromordinal(on.toordinal() + days)
    assert server_value_usd(family, later) <= server_value_usd(family, on)


@pytest.mark.parametrize(
    ("asked", "bought"),
    [
        ("h100", "h100_sxm"),  # the price is of a DGX H100, whose cards are SXM
        ("a100", "a100_sxm_40"),
        ("a100_80", "a100_sxm_80"),
        ("a100_sxm_80", "a100_sxm_80"),
        ("v100_sxm", "v100_sxm_16"),
        ("gh200_144", "gh200_144"),
        ("tpu_v4", "tpu_v4"),
    ],
)
def test_what_is_bought_is_the_card_that_the_price_is_of(asked, bought):
    assert bought_chip(gpus()[asked]).gpu == bought


@pytest.mark.parametrize("asked", ["h100_pcie", "h100_nvl", "a100_pcie", "rtx_4090"])
def test_no_card_is_bought_at_the_price_of_another_form(asked):
    with pytest.raises(KeyError, match="no purchase price"):
        bought_chip(gpus()[asked])


def test_every_priced_card_is_a_card_of_its_family():
    for family, server in servers().items():
        card = gpus()[server.gpu]
        assert (card.gpu_family, card.level) == (family, "card")
        for chip in gpus().values():
            if chip.gpu_family == family and chip.form_factor in (None, card.form_factor):
                assert bought_chip(chip).form_factor == card.form_factor


def test_three_bases_side_by_side():
    hours = Range(900, 1_000, 1_100)
    rented = hired("rented", hours, Decimal("2.50"))
    reserved = hired("reserved", hours, Decimal("1.50"), used=0.75)
    own = owned(hours, H100, date(2026, 1, 1))
    assert rented.usd == Range(2_250, 2_500, 2_750)
    assert reserved.usd_per_gpu_hour == pytest.approx(2.00)
    hour = owned_hour(H100, date(2026, 1, 1), hyperscaler=False)
    assert own.usd.mid == pytest.approx(1_000 * hour.usd)
    assert hour.energy_usd > 0
    assert "electricity included" in rented.detail


def test_a_basis_without_a_price_says_so():
    rented = hired("rented", Range(1, 1, 1), None)
    assert rented.usd is None
    assert rented.detail == "no price given"
    assert "no purchase price" in owned(Range(1, 1, 1), gpus()["rtx_4090"], date(2026, 1, 1)).detail


def test_a_value_leads_back_to_what_was_paid_and_when():
    told = purchase("h100").line(date(2024, 9, 29))  # 650 days: 44,489.88 x 10^(-0.14 x 650 / 365.25)
    assert "44,489.88 USD a GPU (server) on 2022-09-29" in told
    assert "worth 25,068 on 2024-09-29" in told
    assert "0.14 ln 10 / 8,766 / (1 - 0.19)" in told
