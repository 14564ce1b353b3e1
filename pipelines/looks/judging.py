"""What the summary of a look says of its prices once they are laid beside those of the looks before.

Which moves are believed is in models.weighing, how far a list drifted in models.drift; what a page says in reading.py.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from models.drift import Drift
from models.moves import PriceMove, Standing
from models.offers import CurrencyRate, Offer, Rejected
from models.quantities import counted
from models.weighing import NOT_SHOWN
from pipelines.looks.reading import Reading
from sources.source import LayoutChanged
from warehouse.offer_files import Scrape

DRIFTED = "drifted"
RATE_LEAPT = "rate_leapt"  # code of a look at a bank whose rates are not taken until they are confirmed
FEWER = 0.5  # of the offers that stood: a redesigned page that gives less was not read whole
# Reasons of rows that state a price which is not understood; of a list that is mostly that, the rest is doubtful too.
DOUBTED = frozenset(
    {
        "out_of_bounds",
        "bad_count",
        "missing_term",
        "no_rate",
        "spot_above_on_demand",
        "unknown_currency",
        "unknown_unit",
    }
)


def cut_by_redesign(read: Reading, standing: Mapping[str, Standing]) -> dict[str, str]:
    """By book, what a redesigned page lost of what stood there, where it gives less than half of it."""
    stood = Counter(one.book for one in standing.values())
    found = Counter(offer.book for offer in read.offers)
    return {
        book: f"{page} was redesigned: {found[book]} offers where {stood[book]} stood"
        for book, page in read.reframed.items()
        if book in read.scrape.books and found[book] < FEWER * stood[book]
    }


def judged(
    read: Reading,
    offers: Sequence[Offer],
    held_back: Sequence[Rejected],
    moves: Iterable[PriceMove],
    cut: Mapping[str, str],
) -> Scrape:
    """The summary of a look of which `offers` were believed and `held_back` not, beside rows refused in themselves.

    A list that lost most of its prices to a redesign, or of which more was held back or refused than believed, was not
    read whole: the look is partial.
    """
    scrape = replace(read.scrape, offers=read.scrape.offers - len(held_back))
    scrape = replace(scrape, rejected=scrape.rejected + len(held_back))
    if cut:
        scrape = _partial(scrape, True, LayoutChanged.code, "; ".join(cut.values()))
    held = [move for move in moves if move.held and move.reason != NOT_SHOWN]
    if held:
        line = f"{counted(len(held), 'price')} held back, for example {held[0].sku} {held[0].detail}"
        return _partial(scrape, len(held) > len(offers), held[0].reason, line)
    doubted = [row for row in read.rejected if row.reason in DOUBTED]
    if len(doubted) > len(offers) > 0:
        line = f"{counted(len(doubted), 'row')} refused, for example {doubted[0].sku} {doubted[0].detail}"
        return _partial(scrape, True, doubted[0].reason, line)
    return scrape


def with_drift(scrape: Scrape, found: Drift | None) -> Scrape:
    """The summary, which names how far a live look drifted from the last good one; recordings are cut by hand."""
    if found is None or not found.flags or scrape.origin == "recorded":
        return scrape
    reason = "; ".join(filter(None, [scrape.reason, *found.flags]))
    return replace(scrape, code=scrape.code or DRIFTED, reason=reason, drift=found.flags)


def with_leaps(scrape: Scrape, far: Sequence[CurrencyRate]) -> Scrape:
    """The summary of a look at a bank of which these rates are not taken; it is partial, and no measure for others."""
    if not far:
        return scrape
    newest = max(far, key=lambda row: row.on)
    line = (
        f"{counted(len(far), 'rate')} too far from the last known, for example {newest.currency} at"
        f" {newest.per_eur.normalize():f} per EUR on {newest.on}: the rates before stay in use"
    )
    partial = _partial(scrape, True, RATE_LEAPT, line)
    return replace(partial, offers=scrape.offers - len(far), drift=[line])


def _partial(scrape: Scrape, partial: bool, code: str, reason: str) -> Scrape:
    status = "partial" if partial else scrape.status
    return replace(scrape, status=status, code=scrape.code or code, reason=scrape.reason or reason)
