"""Electricity and CO2 of a run on hardware one owns.

    kWh = GPU-hours x TDP x server factor x mean draw x PUE

The method and its factors are Epoch's (training-cost-trends, CC-BY). A rental price already holds the
electricity: about $0.10 of an H100-hour. Never add it there (models.costs.bill refuses it).
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Protocol

from models.constants import constant, constants

KWH_PER_GWH = 1e6


class PoweredChip(Protocol):
    """What is read of a chip."""

    @property
    def gpu(self) -> str: ...
    @property
    def gpu_family(self) -> str: ...
    @property
    def tdp_w(self) -> Decimal | None: ...


@dataclass(frozen=True, slots=True)
class Energy:
    """Electricity of a run. CO2 is None where the grid of the country is not known."""

    kwh: float
    usd: float
    kg_co2_location: float | None  # by the grid the site stands on
    kg_co2_market: float | None  # by the contract, where its intensity is given


def kwh_per_gpu_hour(chip: PoweredChip, hyperscaler: bool = True) -> float:
    """Electricity of one hour of one chip, its share of server, cooling and distribution included."""
    if not chip.tdp_w:
        raise ValueError(f"{chip.gpu}: its power is not known")
    return float(chip.tdp_w) / 1000 * _server_factor(chip.gpu_family) * _draw(chip.gpu_family) * _pue(hyperscaler)


def electricity_usd_per_kwh(year: int) -> float:
    """US industrial average of a year; the last known one for later years. ValueError before 2019."""
    known = sorted(int(name[-4:]) for name in constants() if name.startswith("electricity_usd_"))
    if year < known[0]:
        raise ValueError(f"no electricity price is known for {year}: the first is of {known[0]}")
    return constant(f"electricity_usd_{min(year, known[-1])}")


def grid_kg_co2_per_kwh(country: str) -> float | None:
    """Location-based intensity of the grid of a country (ISO 3166 alpha-2); None where it is not in the table."""
    found = constants().get(f"grid_g_co2_{country.casefold()}")
    return None if found is None else found.value / 1000


def energy(
    gpu_hours: float,
    chip: PoweredChip,
    year: int,
    *,
    hyperscaler: bool = True,
    usd_per_kwh: float | None = None,
    country: str = "US",
    market_g_co2_per_kwh: float | None = None,
) -> Energy:
    """Electricity, its price and its CO2 for `gpu_hours` of `chip` in `year`."""
    kwh = gpu_hours * kwh_per_gpu_hour(chip, hyperscaler)
    grid = grid_kg_co2_per_kwh(country)
    return Energy(
        kwh=kwh,
        usd=kwh * (electricity_usd_per_kwh(year) if usd_per_kwh is None else usd_per_kwh),
        kg_co2_location=None if grid is None else kwh * grid,
        kg_co2_market=None if market_g_co2_per_kwh is None else kwh * market_g_co2_per_kwh / 1000,
    )


def _server_factor(family: str) -> float:
    specific = constants().get(f"server_power_{family}")
    if specific is not None:
        return specific.value
    return constant("server_power_tpu" if _is_tpu(family) else "server_power_other")


def _draw(family: str) -> float:
    return constant("power_draw_tpu" if _is_tpu(family) else "power_draw_gpu")


def _pue(hyperscaler: bool) -> float:
    return constant("pue_hyperscaler" if hyperscaler else "pue_other")


def _is_tpu(family: str) -> bool:
    return family.startswith("tpu")
