"""Prices judged against the last accepted ones: which moves are believed, which are held back.

Prices do jump, in both directions, so a large move is accepted and marked. Held back is only what looks like
a broken page: a factor of fifty, or a price that moved by exactly the number of GPUs (a per-GPU price where
the instance price stood, or the other way round). Rows of one look against each other: `models.rivals`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Context, Decimal

from models.normalise import HIGHEST_USD_PER_GPU_HOUR, LOWEST_USD_PER_GPU_HOUR
from models.offers import Offer, Rejected

HELD_FROM = Decimal(50)  # times up or down: slipped decimal points and cents read as dollars are 100
MARKED_FROM = Decimal("0.25")  # of the last price
SAME = Decimal("0.000001")  # relative: two figures printed from one number

_EXACT = Context(prec=34, traps=[])


@dataclass(frozen=True, slots=True)
class Move:
    """What is remarkable about one price after the last: held back, or accepted with a mark."""

    hold: bool
    reason: str  # suspicious_move (held), currency_rate or large_move (accepted)
    detail: str  # one line for people


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
        return _held(f"{usd_per_hour} is not a price")
    per_gpu = _EXACT.divide(usd_per_hour, gpu_count)
    if not LOWEST_USD_PER_GPU_HOUR <= per_gpu <= HIGHEST_USD_PER_GPU_HOUR:
        return _held(f"{per_gpu:.6g} USD per GPU-hour is outside what any GPU costs")
    if not (last_usd_per_hour.is_finite() and last_usd_per_hour > 0):
        return None
    times = _EXACT.divide(usd_per_hour, last_usd_per_hour)
    moved = f"from {last_usd_per_hour.normalize():f} to {usd_per_hour.normalize():f} USD per hour"
    if times >= HELD_FROM or times * HELD_FROM <= 1:
        return _held(f"{moved}: {times:.4g} times the last price")
    if gpu_count != 1 and _is_or_inverts(times, gpu_count):
        return _held(f"{moved}: exactly the {gpu_count.normalize():f} GPUs, as when a per-GPU price is misread")
    for currency, rate in usd_per_unit.items():
        if rate != 1 and _is_or_inverts(times, rate):
            return Move(False, "currency_rate", f"{moved}: exactly the {currency} rate, perhaps another currency")
    if abs(times - 1) >= MARKED_FROM:
        return Move(False, "large_move", f"{moved}: {(times - 1) * 100:+.0f} %")
    return None


def sift(
    offers: Iterable[Offer],
    last_usd_per_hour: Mapping[str, Decimal],
    usd_per_unit: Mapping[str, Decimal],
) -> tuple[list[Offer], list[Rejected], list[tuple[Offer, Move]]]:
    """(accepted, held back, the accepted ones that are marked with their move).

    `last_usd_per_hour` is the last accepted price by offer_key; an offer seen for the first time has none.
    """
    accepted: list[Offer] = []
    held: list[Rejected] = []
    marked: list[tuple[Offer, Move]] = []
    for offer in offers:
        last = last_usd_per_hour.get(offer.offer_key)
        move = None if last is None else judge(last, offer.usd_per_hour, offer.gpu_count, usd_per_unit)
        if move is not None and move.hold:
            held.append(_rejection(offer, move))
            continue
        accepted.append(offer)
        if move is not None:
            marked.append((offer, move))
    return accepted, held, marked


def _is_or_inverts(times: Decimal, factor: Decimal) -> bool:
    return abs(times / factor - 1) <= SAME or abs(times * factor - 1) <= SAME


def _held(detail: str) -> Move:
    return Move(True, "suspicious_move", detail)


def _rejection(offer: Offer, move: Move) -> Rejected:
    return Rejected(
        provider=offer.provider,
        book=offer.book,
        observed_at=offer.observed_at,
        reason=move.reason,
        detail=move.detail,
        sku=offer.sku,
        region=offer.region,
        gpu_text=offer.gpu_text,
        amount=offer.list_price,
        currency=offer.currency,
        unit=offer.unit,
        pricing=offer.pricing,
        page_sha256=offer.page_sha256,
    )
