"""One price against the last believed one of its offer: what is remarkable about the move, and whether it is believed.

Prices do jump, in both directions, so a large move is accepted and marked. Held back is only what looks like
a broken page: a factor of fifty, or a price that moved by exactly the number of GPUs (a per-GPU price where
the instance price stood, or the other way round). A look as a whole is judged in models.weighing; rows of one look
against each other in models.rivals.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Context, Decimal

from models.normalise import HIGHEST_USD_PER_GPU_HOUR, LOWEST_USD_PER_GPU_HOUR

HELD_FROM = Decimal(50)  # times up or down: slipped decimal points and cents read as dollars are 100
MARKED_FROM = Decimal("0.25")  # of the last price
SAME = Decimal("0.000001")  # relative: two figures printed from one number
RELEASED_LOOKS = 3
RELEASED_AFTER = timedelta(hours=24)  # three hourly looks may all see the same broken page

EXACT = Context(prec=34, traps=[])


@dataclass(frozen=True, slots=True)
class Move:
    """What is remarkable about one price after the last: held back, or accepted with a mark."""

    hold: bool
    reason: str  # suspicious_move (held), currency_rate or large_move (accepted)
    detail: str  # one line for people


@dataclass(frozen=True, slots=True)
class Standing:
    """The price of an offer that was believed last, and since when its row has said something else."""

    offer_key: str
    provider: str
    book: str
    sku: str
    region: str
    gpu: str
    pricing: str
    usd_per_hour: Decimal  # of the whole instance, at fx_rate
    fx_rate: Decimal
    seen_at: datetime  # the look that last saw this price
    held_since: datetime | None = None
    held_looks: int = 0
    held_usd_per_hour: Decimal | None = None  # what the row says instead, or said before it was refused; else None


@dataclass(frozen=True, slots=True)
class PriceMove:
    """A remarkable move of one offer at one look, as the ledger keeps it."""

    offer_key: str
    observed_at: datetime
    provider: str
    book: str
    sku: str
    region: str
    gpu: str
    pricing: str
    held: bool
    reason: str  # of Move; confirmed_move: held before, believed now; of a refused row its reason
    detail: str
    usd_per_hour: Decimal | None
    last_usd_per_hour: Decimal
    last_fx_rate: Decimal
    last_seen_at: datetime
    held_since: datetime | None
    held_looks: int


def judge(
    last_usd_per_hour: Decimal,
    usd_per_hour: Decimal,
    gpu_count: Decimal,
    usd_per_unit: Mapping[str, Decimal],
) -> Move | None:
    """The move from the last accepted price of an offer to the new one; None when it is unremarkable.

    Both prices are of the whole instance. `usd_per_unit` are the day's exchange rates: a move by exactly
    one of them is accepted with a warning, because another currency is as likely as a change of price
    (`Rates.usd_per_unit`).
    """
    if not (usd_per_hour.is_finite() and usd_per_hour > 0):
        return held(f"{usd_per_hour} is not a price")
    per_gpu = EXACT.divide(usd_per_hour, gpu_count)
    if not LOWEST_USD_PER_GPU_HOUR <= per_gpu <= HIGHEST_USD_PER_GPU_HOUR:
        return held(f"{per_gpu:.6g} USD per GPU-hour is outside what any GPU costs")
    if not (last_usd_per_hour.is_finite() and last_usd_per_hour > 0):
        return None
    times = EXACT.divide(usd_per_hour, last_usd_per_hour)
    moved = f"from {last_usd_per_hour.normalize():f} to {usd_per_hour.normalize():f} USD per hour"
    if times >= HELD_FROM or times * HELD_FROM <= 1:
        return held(f"{moved}: {times:.4g} times the last price")
    if gpu_count != 1 and _is_or_inverts(times, gpu_count):
        return held(f"{moved}: exactly the {gpu_count.normalize():f} GPUs, as when a per-GPU price is misread")
    for currency, rate in usd_per_unit.items():
        if rate != 1 and _is_or_inverts(times, rate):
            return Move(False, "currency_rate", f"{moved}: exactly the {currency} rate, perhaps another currency")
    if abs(times - 1) >= MARKED_FROM:
        return Move(False, "large_move", f"{moved}: {(times - 1) * 100:+.0f} %")
    return None


def waited_enough(since: datetime, looks: int, observed_at: datetime) -> bool:
    """Whether what `looks` in a row have said since then, this one at `observed_at` included, is to be believed."""
    return looks >= RELEASED_LOOKS and observed_at - since >= RELEASED_AFTER


def _is_or_inverts(times: Decimal, factor: Decimal) -> bool:
    return abs(times / factor - 1) <= SAME or abs(times * factor - 1) <= SAME


def held(detail: str) -> Move:
    """A move that is not believed, and why."""
    return Move(True, "suspicious_move", detail)
