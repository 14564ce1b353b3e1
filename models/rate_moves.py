"""Exchange rates judged against the last known ones: which lie further away than a currency goes in the days between.

What becomes of them is decided where looks are kept; prices have models.moves.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from decimal import Decimal

from models.offers import CurrencyRate

FAR = Decimal("0.10")  # of the last known rate, within FAR_DAYS; in longer gaps proportionally more
FAR_DAYS = 7  # a weekend and holidays


def leaps(known: Iterable[CurrencyRate], rates: Iterable[CurrencyRate]) -> list[CurrencyRate]:
    """Those of `rates` that lie FAR or more, up or down, from the known one of the nearest day.

    A currency that nobody knows yet has nothing to be compared with.
    """
    days: dict[str, dict[date, Decimal]] = {}
    for row in known:
        if row.per_eur > 0:
            days.setdefault(row.currency, {})[row.on] = row.per_eur
    return [row for row in rates if row.currency in days and _is_far(row, days[row.currency])]


def _is_far(row: CurrencyRate, known: dict[date, Decimal]) -> bool:
    nearest = min(known, key=lambda on: abs(on - row.on))
    between, last = abs((row.on - nearest).days), known[nearest]
    further = max(row.per_eur, last) / min(row.per_eur, last) - 1
    return further * FAR_DAYS >= FAR * max(between, FAR_DAYS)
