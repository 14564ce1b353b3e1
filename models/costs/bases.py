"""One run on three bases side by side: rented by the hour, reserved, owned.

Rented and reserved prices hold the electricity already; it is added to owned hardware only. Prices come from
the ledger, the owned basis from models.costs.ownership.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Literal

from models.costs.energy import PoweredChip
from models.costs.ownership import owned_hour
from models.training.estimate import Range

Basis = Literal["rented", "reserved", "owned"]


@dataclass(frozen=True, slots=True)
class CostBasis:
    """The compute of a run on one basis; `usd` is None where it has no price."""

    basis: Basis
    usd_per_gpu_hour: float | None
    usd: Range | None
    detail: str  # one line for people: what is in the price, or why there is none


def three_bases(
    gpu_hours: Range,
    chip: PoweredChip,
    on: date,
    *,
    on_demand_usd: Decimal | None = None,
    reserved_usd: Decimal | None = None,
    used: float = 1.0,
    hyperscaler: bool = False,
    usd_per_kwh: float | None = None,
) -> tuple[CostBasis, CostBasis, CostBasis]:
    """Rented, reserved and owned cost of `gpu_hours` that begin on a day.

    `used` is the share of the reserved term that anything runs in; the rest is paid as well.
    """
    if not 0 < used <= 1:
        raise ValueError(f"the used share of a term lies above 0 and up to 1, not {used:g}")
    rented = _basis("rented", gpu_hours, on_demand_usd, 1.0, "price by the hour, electricity included")
    reserved = _basis("reserved", gpu_hours, reserved_usd, used, f"{used:.0%} of the term used, electricity included")
    try:
        hour = owned_hour(chip, on, hyperscaler, usd_per_kwh=usd_per_kwh)
    except (KeyError, ValueError) as unknown:
        return rented, reserved, CostBasis("owned", None, None, str(unknown.args[0]))
    detail = f"capital {hour.capital_usd:.2f} + electricity {hour.energy_usd:.2f}; no people, no building"
    return rented, reserved, CostBasis("owned", hour.usd, _times(gpu_hours, hour.usd), detail)


def _basis(name: Basis, gpu_hours: Range, price: Decimal | None, used: float, detail: str) -> CostBasis:
    if price is None:
        return CostBasis(name, None, None, "no price given")
    usd = float(price) / used
    return CostBasis(name, usd, _times(gpu_hours, usd), detail)


def _times(hours: Range, usd: float) -> Range:
    return Range(hours.low * usd, hours.mid * usd, hours.high * usd)
