"""A look weighed against what was believed: which prices stand from now on, which are held back, and for how long.

What one move is worth is models.moves. Beyond it, a whole list that moved fivefold is held back (days read as hours, a
slipped decimal point). An offer held back keeps its last good price under the date of that price. So does one whose row
states an amount that was refused. When the page has said the same for RELEASED_LOOKS looks in a row and RELEASED_AFTER,
a new price is believed, and an offer that still has none we can stand behind is gone. An offer that a list which was
not read whole does not show is held as long, while it is cut.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from decimal import Decimal
from statistics import median

from models.moves import EXACT, Move, PriceMove, Standing, held, judge, waited_enough
from models.offers import Offer, Rejected

LIST_HELD_FROM = Decimal(5)  # times, in the median of a list: one price may move so far, no market does
SHORTEST_LIST = 3  # offers that stood before, of one book and kind of price
NOT_SHOWN = "not_shown"  # reason of an offer held because its list was not read whole
BEATEN = ("duplicate", "superseded")  # refused only because another row of the same offer stands


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
            held_back.append(_rejection(offer, held(f"{seen} in a list that moved {times:.4g} times")))
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
    return held(f"{move.detail}; the whole list moved so: {list_times:.4g} times the last prices")


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
    return EXACT.divide(EXACT.multiply(last.usd_per_hour, offer.fx_rate), last.fx_rate)


def _times(last: Standing, offer: Offer) -> Decimal:
    return EXACT.divide(offer.usd_per_hour, _restated(last, offer))


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
    before, now = EXACT.divide(level, _restated(last, offer)), _times(last, offer)
    return _far(before) and _far(now) and not _far(EXACT.divide(now, before))


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
            move = Move(True, NOT_SHOWN, cut[last.book])
        elif row is not None:
            move = Move(True, row.reason, row.detail)
        else:
            continue
        yield _price_move(last, move, last.held_usd_per_hour, observed_at, since, looks)


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
