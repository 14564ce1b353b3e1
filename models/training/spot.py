"""What spot capacity really costs a training run: a run is one gang, and one reclaimed node stops all of it.

    effective price = spot price / (1 - loss(lambda)),    lambda = nodes x interruptions per node and hour

The loss is models.training.reliability's, with the saves and restarts of spot. Which offers are spot is in the ledger.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal

from models.constants import constant
from models.training.reliability import Loss, interruption_loss

MINUTES = 60
LEAST_GOODPUT = 1e-12  # of a run that does not get on: its days become endless


@dataclass(frozen=True, slots=True)
class SpotPrice:
    """A spot price per GPU-hour beside what an hour of progress costs with it."""

    interruptions_per_hour: float  # of the whole gang
    loss: Loss
    usd_per_gpu_hour: Decimal
    effective_usd_per_gpu_hour: float  # per hour that moves the run on; infinite where none does
    saving: float | None  # against the on-demand price; negative where spot is dearer


@dataclass(frozen=True, slots=True)
class SpotGang:
    """What interruptions do to a run on so many spot nodes, each reclaimed as often as is usual."""

    nodes: int
    interruptions_per_hour: float  # of the whole gang
    goodput: float  # share of the paid time that moves the run on
    calendar: float  # stretch of the calendar by waiting for capacity


def spot_gangs(largest_nodes: int) -> list[SpotGang]:
    """Gangs of 1 to 256 nodes one by one, then each 1% larger, up to `largest_nodes` at least."""
    sizes = list(range(1, 257))
    while sizes[-1] < largest_nodes:
        sizes.append(math.ceil(sizes[-1] * 1.01))
    return [_gang(nodes) for nodes in sizes]


def _gang(nodes: int) -> SpotGang:
    rate = gang_interruptions_per_hour(nodes, per_node_hour(constant("spot_monthly_interruption")))
    goodput = max(spot_loss(rate).goodput, LEAST_GOODPUT)
    return SpotGang(nodes, rate, goodput, 1 + rate * constant("spot_wait_hours"))


def gang_interruptions_per_hour(nodes: int, per_node_hour: float) -> float:
    """Interruptions of a run on `nodes` nodes, of which each is reclaimed `per_node_hour` times an hour."""
    if nodes < 1 or per_node_hour < 0:
        raise ValueError(f"a gang has nodes and a rate that is not negative, not {nodes} and {per_node_hour:g}")
    return nodes * per_node_hour


def per_node_hour(monthly_share: float) -> float:
    """The rate behind an advisor's bucket: `monthly_share` of instances reclaimed within a month of 730 h."""
    if not 0 <= monthly_share < 1:
        raise ValueError(f"the share reclaimed in a month lies in 0 to 1, not {monthly_share:g}")
    return -math.log(1 - monthly_share) / constant("hours_per_month")


def spot_loss(interruptions_per_hour: float) -> Loss:
    """Loss with the saves and restarts of spot: 2 minutes of notice, 15 to have the gang again."""
    return interruption_loss(
        math.inf if interruptions_per_hour == 0 else 1 / interruptions_per_hour,
        constant("spot_save_minutes") / MINUTES,
        constant("spot_restart_minutes") / MINUTES,
    )


def spot_price(usd: Decimal, interruptions_per_hour: float, on_demand_usd: Decimal | None = None) -> SpotPrice:
    """The price of an hour of progress on spot, and the saving against on-demand where that is given."""
    loss = spot_loss(interruptions_per_hour)
    effective = float(usd) / loss.goodput if loss.goodput > 0 else math.inf
    saving = None if on_demand_usd is None else 1 - effective / float(on_demand_usd)
    return SpotPrice(interruptions_per_hour, loss, usd, effective, saving)


def break_even_interruptions_per_hour(discount: float) -> float:
    """Interruptions of the gang per hour beyond which spot at `discount` (0.4 is 40% off) saves nothing."""
    if not 0 <= discount < 1:
        raise ValueError(f"a discount is a share from 0 to 1, not {discount:g}")
    low, high = 0.0, 1.0
    while spot_loss(high).share < discount:
        high *= 2
    for _ in range(60):
        middle = (low + high) / 2
        if spot_loss(middle).share < discount:
            low = middle
        else:
            high = middle
    return low


def calendar_days(wall_days: float, interruptions_per_hour: float, wait_hours: float = 0.0) -> float:
    """Days until the run ends: `wall_days` of progress, the loss, and `wait_hours` for capacity each time."""
    goodput = spot_loss(interruptions_per_hour).goodput
    if goodput <= 0:
        return math.inf
    running = wall_days / goodput
    return running * (1 + interruptions_per_hour * wait_hours)
