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


def hired(basis: Basis, gpu_hours: Range, price: Decimal | None, used: float = 1.0) -> CostBasis:
    """Rented or reserved: `used` is the share of the term that anything runs in; the rest is paid as well."""
    if not 0 < used <= 1:
        raise ValueError(f"the used share of a term lies above 0 and up to 1, not {used:g}")
    if price is None:
        return CostBasis(basis, None, None, "no price given")
    usd = float(price) / used
    how = f"priced as if {used:.0%} of the term is used" if basis == "reserved" else "price by the hour"
    return CostBasis(basis, usd, _times(gpu_hours, usd), f"{how}, electricity included")


def owned(
    gpu_hours: Range, chip: PoweredChip, on: date, *, hyperscaler: bool = False, usd_per_kwh: float | None = None
) -> CostBasis:
    """Hardware of one's own that is put to use on a day, with its electricity."""
    try:
        hour = owned_hour(chip, on, hyperscaler, usd_per_kwh=usd_per_kwh)
    except (KeyError, ValueError) as unknown:
        return CostBasis("owned", None, None, str(unknown.args[0]))
    detail = f"capital {hour.capital_usd:.2f} + electricity {hour.energy_usd:.2f}; no people, no building"
    return CostBasis("owned", hour.usd, _times(gpu_hours, hour.usd), detail)


def _times(hours: Range, usd: float) -> Range:
    return Range(hours.low * usd, hours.mid * usd, hours.high * usd)
