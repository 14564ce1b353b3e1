"""Prices judged against the last believed ones: which moves are believed, which are held back, and for how long.

Prices do jump, in both directions, so a large move is accepted and marked. Held back is only what looks like
a broken page: a factor of fifty, a price that moved by exactly the number of GPUs (a per-GPU price where
the instance price stood, or the other way round), or a whole list that moved fivefold (days read as hours, a slipped
decimal point). Rows of one look against each other: `models.rivals`.

An offer held back keeps its last good price under the date of that price. So does one whose row states an amount
that was refused. When the page has said the same for RELEASED_LOOKS looks in a row and RELEASED_AFTER, a new
price is believed, and an offer that still has none we can stand behind is gone. An offer that a list which was not
read whole does not show is held as long, while it is cut.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Context, Decimal
from statistics import median

from models.normalise import HIGHEST_USD_PER_GPU_HOUR, LOWEST_USD_PER_GPU_HOUR
from models.offers import Offer, Rejected

HELD_FROM = Decimal(50)  # times up or down: slipped decimal points and cents read as dollars are 100
LIST_HELD_FROM = Decimal(5)  # times, in the median of a list: one price may move so far, no market does
SHORTEST_LIST = 3  # offers that stood before, of one book and kind of price
MARKED_FROM = Decimal("0.25")  # of the last price
SAME = Decimal("0.000001")  # relative: two figures printed from one number
RELEASED_LOOKS = 3
RELEASED_AFTER = timedelta(hours=24)  # three hourly looks may all see the same broken page
NOT_SHOWN = "not_shown"  # reason of an offer held because its list was not read whole
BEATEN = ("duplicate", "superseded")  # refused only because another row of the same offer stands

_EXACT = Context(prec=34, traps=[])


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
    held_usd_per_hour: Decimal | None = None  # what the row says instead; None where that was refused


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


def weigh(
    offers: Iterable[Offer],
    refused: Iterable[Rejected],
    standing: Mapping[str, Standing],
    usd_per_unit: Mapping[str, Decimal],
    observed_at: datetime,
    cut: Mapping[str, str] | None = None,
    good: Mapping[str, Standing] | None = None,
) -> tuple[list[Offer], list[Rejected], list[PriceMove]]:
    """(offers believed, offers held back, remarkable moves) of one look at `observed_at`.

    `refused` are the rows of the look that are no offers; `standing` is what stood before, by offer_key, in the
    books that the look read. An offer seen for the first time is only bound by what its GPU can cost, and held back
    in a list that moved as a whole. `cut` says by book why it was not read whole: what it does not show is held back.
    `good` is what stood before the list drifted, while nothing has confirmed that: a price that comes back to it is
    believed at once.
    """
    offers = list(offers)
    back = _back(offers, good or {}, usd_per_unit)
    moved = _moved_lists(offers, {**standing, **back})
    believed: list[Offer] = []
    held_back: list[Rejected] = []
    moves: list[PriceMove] = []
    unseen = dict(standing)
    for offer in offers:
        last = unseen.pop(offer.offer_key, None)
        times = None if offer.offer_key in back else moved.get((offer.book, offer.pricing))
        if last is None and times is not None:
            seen = f"first seen at {offer.usd_per_hour.normalize():f} USD per hour"
            held_back.append(_rejection(offer, _held(f"{seen} in a list that moved {times:.4g} times")))
            continue
        move = None if last is None else _move(last, offer, usd_per_unit, times)
        if last is None or move is None:
            believed.append(offer)
            continue
        if move.hold and offer.offer_key in back:
            move = Move(False, "large_move", f"{move.detail}; so it was before the list drifted")
        since, looks = _held_in_a_row(last, offer, usd_per_unit, observed_at) if move.hold else (None, 0)
        if since is not None and waited_enough(since, looks, observed_at):
            move = Move(False, "confirmed_move", f"{move.detail}; said by {looks} looks since {since:%Y-%m-%d %H:%M}")
        moves.append(_price_move(last, move, offer.usd_per_hour, observed_at, since, looks))
        if move.hold:
            held_back.append(_rejection(offer, move))
        else:
            believed.append(offer)
    moves += _refused(refused, unseen.values(), observed_at, cut or {})
    return believed, held_back, moves


def _move(last: Standing, offer: Offer, usd_per_unit: Mapping[str, Decimal], list_times: Decimal | None) -> Move | None:
    move = judge(_restated(last, offer), offer.usd_per_hour, offer.gpu_count, usd_per_unit)
    if move is None or move.hold or list_times is None or not _far(_times(last, offer)):
        return move
    return _held(f"{move.detail}; the whole list moved so: {list_times:.4g} times the last prices")


def _back(
    offers: Iterable[Offer], good: Mapping[str, Standing], usd_per_unit: Mapping[str, Decimal]
) -> dict[str, Standing]:
    """Of `good` the prices that the offers say again."""
    return {
        offer.offer_key: before
        for offer in offers
        if (before := good.get(offer.offer_key))
        and judge(_restated(before, offer), offer.usd_per_hour, offer.gpu_count, usd_per_unit) is None
    }


def _moved_lists(offers: Iterable[Offer], standing: Mapping[str, Standing]) -> dict[tuple[str, str], Decimal]:
    """By book and pricing how many times the last price the median is, where that is further than a market goes."""
    times: dict[tuple[str, str], list[Decimal]] = {}
    for offer in offers:
        last = standing.get(offer.offer_key)
        if last is not None and last.usd_per_hour > 0:
            times.setdefault((offer.book, offer.pricing), []).append(_times(last, offer))
    medians = {of: median(found) for of, found in times.items() if len(found) >= SHORTEST_LIST}
    return {of: middle for of, middle in medians.items() if _far(middle)}


def _restated(last: Standing, offer: Offer) -> Decimal:
    """The last price at the rate of now: a moved exchange rate is no move of the price."""
    return _EXACT.divide(_EXACT.multiply(last.usd_per_hour, offer.fx_rate), last.fx_rate)


def _times(last: Standing, offer: Offer) -> Decimal:
    return _EXACT.divide(offer.usd_per_hour, _restated(last, offer))


def _far(times: Decimal) -> bool:
    return times >= LIST_HELD_FROM or times * LIST_HELD_FROM <= 1


def _held_in_a_row(
    last: Standing, offer: Offer, usd_per_unit: Mapping[str, Decimal], observed_at: datetime
) -> tuple[datetime, int]:
    """Since when and in how many looks, this one included, the row has been at the level it is at now."""
    level = last.held_usd_per_hour
    if last.held_since and level and _says_the_same(level, last, offer, usd_per_unit):
        return last.held_since, last.held_looks + 1
    return observed_at, 1


def _says_the_same(level: Decimal, last: Standing, offer: Offer, usd_per_unit: Mapping[str, Decimal]) -> bool:
    """Whether a held price is the one held before, or lies beside it, still as far on the same side of the last."""
    if judge(level, offer.usd_per_hour, offer.gpu_count, usd_per_unit) is None:
        return True
    before, now = _EXACT.divide(level, _restated(last, offer)), _times(last, offer)
    return _far(before) and _far(now) and not _far(_EXACT.divide(now, before))


def _refused(
    rows: Iterable[Rejected], unseen: Iterable[Standing], observed_at: datetime, cut: Mapping[str, str]
) -> Iterable[PriceMove]:
    """The offers that are gone only because the amount in their row was refused, or their list was cut."""
    stated = {
        (row.book, row.sku, row.region, row.pricing): row
        for row in rows
        if row.amount and row.reason not in BEATEN  # null and 0 say that there is no price
    }
    for last in unseen:
        row = stated.get((last.book, last.sku, last.region, last.pricing))
        since, looks = last.held_since or observed_at, last.held_looks + 1
        if waited_enough(since, looks, observed_at):
            continue
        if row is None and last.book in cut:
            yield _price_move(last, Move(True, NOT_SHOWN, cut[last.book]), None, observed_at, since, looks)
        elif row is not None:
            yield _price_move(last, Move(True, row.reason, row.detail), None, observed_at, since, looks)


def waited_enough(since: datetime, looks: int, observed_at: datetime) -> bool:
    """Whether what `looks` in a row have said since then, this one at `observed_at` included, is to be believed."""
    return looks >= RELEASED_LOOKS and observed_at - since >= RELEASED_AFTER


def _price_move(
    last: Standing,
    move: Move,
    usd_per_hour: Decimal | None,
    observed_at: datetime,
    held_since: datetime | None,
    held_looks: int,
) -> PriceMove:
    return PriceMove(
        offer_key=last.offer_key,
        observed_at=observed_at,
        provider=last.provider,
        book=last.book,
        sku=last.sku,
        region=last.region,
        gpu=last.gpu,
        pricing=last.pricing,
        held=move.hold,
        reason=move.reason,
        detail=move.detail,
        usd_per_hour=usd_per_hour,
        last_usd_per_hour=last.usd_per_hour,
        last_fx_rate=last.fx_rate,
        last_seen_at=last.seen_at,
        held_since=held_since,
        held_looks=held_looks,
    )


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
