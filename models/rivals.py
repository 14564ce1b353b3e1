"""Rows of one look judged against each other: two prices for one offer, and spot beside on-demand.

What a single row means is decided in `models.normalise`, what changed since the last look in `models.weighing`.
Every function takes pairs of a quote and the offer made of it, and returns the pairs that stay and the quotes
that go, each with a reason code and one line for people. No result depends on the order of the pairs.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from decimal import Decimal

from models.offers import Offer, Quote

Pair = tuple[Quote, Offer]
Loser = tuple[Quote, str, str]  # quote, reason code, line for people


def one_price_each(pairs: Iterable[Pair], *, one_seller: bool = False) -> tuple[list[Pair], list[Loser]]:
    """At most one pair per offer_key: the latest effective date, then the cheapest, then one in stock.

    The others go as superseded (an older effective date) or duplicate (the same date again). Where all are prices of
    one seller, two of the same date contradict each other: one of them is another product that was not told apart,
    the cheaper as likely as not one under a condition, so all of them go as ambiguous.
    A price without an effective date is older than any with one.
    """
    rivals: dict[str, list[Pair]] = {}
    for pair in pairs:
        rivals.setdefault(pair[1].offer_key, []).append(pair)
    kept: list[Pair] = []
    lost: list[Loser] = []
    for group in rivals.values():
        if len(group) > 1:
            latest = max(_effective(quote) for quote, _ in group)
            for quote, _ in group:
                if _effective(quote) < latest:
                    lost.append((quote, "superseded", f"replaced by the price effective from {latest:%Y-%m-%d}"))
            group = sorted((pair for pair in group if _effective(pair[0]) == latest), key=_preference)
            prices = sorted({offer.usd_per_hour for _, offer in group})
            if one_seller and len(prices) > 1:
                figures = " and ".join(f"{price.normalize():f}" for price in prices)
                lost += ((quote, "ambiguous", f"one offer at {figures} USD per hour") for quote, _ in group)
                continue
        winner, *others = group
        kept.append(winner)
        lost += ((quote, "duplicate", _repeats(offer, winner[1])) for quote, offer in others)
    return kept, lost


def without_one_total(pairs: Iterable[Pair]) -> tuple[list[Pair], list[Loser]]:
    """Without the pairs of one seller whose machines of several sizes cost the same in all.

    A price of one GPU stands where that of the machine is expected, or the other way round: all of them go.
    """
    pairs = list(pairs)
    sizes: dict[tuple[object, ...], set[Decimal]] = {}
    for quote, offer in pairs:
        sizes.setdefault(_total(quote, offer), set()).add(offer.gpu_count)
    kept: list[Pair] = []
    lost: list[Loser] = []
    for quote, offer in pairs:
        several = sizes[_total(quote, offer)]
        if len(several) > 1 and offer.unit.startswith("per_instance_"):
            said = " and ".join(f"{count.normalize():f}" for count in sorted(several))
            lost.append((quote, "unknown_unit", f"{said} GPUs at {offer.list_price.normalize():f} all the same"))
        else:
            kept.append((quote, offer))
    return kept, lost


def _total(quote: Quote, offer: Offer) -> tuple[object, ...]:
    return (
        *(offer.gpu, offer.region, offer.pricing, offer.term_months, offer.tier, offer.broker_of, offer.currency),
        *(offer.unit, offer.list_price, offer.upfront, quote.effective_from),
    )


def without_swapped_spot(pairs: Iterable[Pair]) -> tuple[list[Pair], list[Loser]]:
    """Without the pairs whose spot price is above the on-demand price of the same machine.

    Both rows go: such columns are usually swapped, and which of the two is right cannot be told.
    Equal prices are legal: some providers sell spot at the list price.
    """
    pairs = list(pairs)
    machines: dict[tuple[str, ...], dict[str, Decimal]] = {}
    for _, offer in pairs:
        if offer.pricing in ("spot", "on_demand"):
            seen = machines.setdefault(_machine(offer), {})
            # of several terms of one machine, the two prices that are least likely to look swapped
            further = min if offer.pricing == "spot" else max
            seen[offer.pricing] = further(offer.usd_per_hour, seen.get(offer.pricing, offer.usd_per_hour))
    swapped = {
        machine: prices
        for machine, prices in machines.items()
        if len(prices) == 2 and prices["spot"] > prices["on_demand"]
    }
    if not swapped:
        return pairs, []
    kept: list[Pair] = []
    lost: list[Loser] = []
    for quote, offer in pairs:
        prices = swapped.get(_machine(offer)) if offer.pricing in ("spot", "on_demand") else None
        if prices is None:
            kept.append((quote, offer))
            continue
        figures = f"spot {prices['spot'].normalize():f} above on-demand {prices['on_demand'].normalize():f}"
        lost.append((quote, "spot_above_on_demand", f"{figures} USD per hour; the columns look swapped"))
    return kept, lost


def _effective(quote: Quote) -> datetime:
    """When the price began, as an instant; a bare day begins at midnight UTC."""
    since = quote.effective_from
    if since is None:
        return datetime.min.replace(tzinfo=UTC)
    if not isinstance(since, datetime):
        return datetime(since.year, since.month, since.day, tzinfo=UTC)
    return since if since.tzinfo is not None else since.replace(tzinfo=UTC)


def _preference(pair: Pair) -> tuple[Decimal, bool, bool, str]:
    """Cheapest, then in stock, then not sold out, then whatever order is stable."""
    quote, offer = pair
    return offer.usd_per_gpu_hour, quote.available is not True, quote.available is False, repr(quote)


def _repeats(offer: Offer, winner: Offer) -> str:
    if offer.usd_per_hour == winner.usd_per_hour:
        return "the same offer at the same price again"
    return f"the same offer also at {winner.usd_per_hour.normalize():f} USD per hour, the lower price, which is kept"


def _machine(offer: Offer) -> tuple[str, ...]:
    """What spot and on-demand prices of one machine have in common."""
    by_month = "month" if offer.unit.endswith("_month") else ""
    count = str(offer.gpu_count.normalize())
    return offer.sku, offer.region, offer.gpu, count, offer.tier, offer.broker_of, offer.currency, by_month
