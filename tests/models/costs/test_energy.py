"""Electricity and CO2 of owned hardware, against the published constants and model cards."""

from __future__ import annotations

import pytest

from models.costs.energy import electricity_usd_per_kwh, energy, grid_kg_co2_per_kwh, kwh_per_gpu_hour
from models.gpus import gpus

H100 = gpus()["h100_sxm"]


def test_an_h100_hour_takes_1_05_to_1_19_kwh():
    assert kwh_per_gpu_hour(H100) == pytest.approx(1.05, abs=0.005)
    assert kwh_per_gpu_hour(H100, hyperscaler=False) == pytest.approx(1.19, abs=0.005)


def test_electricity_is_about_five_percent_of_a_two_dollar_rental():
    hour = energy(1, H100, 2025, hyperscaler=False)
    assert hour.usd == pytest.approx(0.10, abs=0.005)
    assert hour.usd / 2 == pytest.approx(0.05, abs=0.003)


def test_prices_of_years():
    assert electricity_usd_per_kwh(2020) == 0.0667
    assert electricity_usd_per_kwh(2031) == electricity_usd_per_kwh(2025) == 0.0826
    with pytest.raises(ValueError, match="first is of 2019"):
        electricity_usd_per_kwh(1999)


def test_tpus_draw_less_than_their_servers_could():
    tpu = gpus()["tpu_v3"]
    assert kwh_per_gpu_hour(tpu) == pytest.approx(0.220 * 1.47 * 0.43 * 1.1)


def test_llama_405b_at_the_intensity_of_its_model_card():
    # 30.84M GPU-hours x 0.7 kW = 21.6 GWh and 8,930 t: 0.41 kg per kWh of chip power
    chips = 30.84e6 * 0.7
    assert 8_930e3 / chips == pytest.approx(0.41, abs=0.005)
    assert grid_kg_co2_per_kwh("US") == pytest.approx(8_930e3 / chips, rel=0.12)


def test_location_and_market_based_co2_are_apart():
    run = energy(1_000, H100, 2025, country="fr", market_g_co2_per_kwh=0)
    assert run.kg_co2_location == pytest.approx(run.kwh * 0.05)
    assert run.kg_co2_market == 0
    assert energy(1_000, H100, 2025).kg_co2_market is None
    assert energy(1_000, H100, 2025, country="XX").kg_co2_location is None
