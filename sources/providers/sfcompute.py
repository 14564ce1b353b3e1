"""SF Compute: a market of blocks of GPU time; the home page prints what a GPU-hour went for on average each day.

There is no list price: a block of 8-GPU nodes for some hours costs what a seller takes for it, and the API gives a
price only for one block that is asked for, to customers. What is taken here is the page's daily average of all blocks
that changed hands. The page, of Next.js, holds a month of days by card in its scripts; lowest and highest stand beside
them, and the lowest may be an order of one cent. A day without a trade is 0: two of the three cards have none for
weeks. The newest day is still running and is revised until it ends.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from models.offers import MARKET_AVERAGE, Quote, Unreadable
from sources.markup import pushed_text
from sources.reading import decimal_of, require_fields, rows_of, text_of
from sources.source import LayoutChanged, Page, Source

URL = "https://sfcompute.com/"
SERIES = '"pricesByHardwareType":'
NODE_GPUS = 8
OLDEST = timedelta(days=3)  # before the look: an older average is no price of today


def parse(pages: Sequence[Page]) -> Iterator[Quote | Unreadable]:
    for page in pages:
        series = _series(page)
        days = [day for listed in series.values() for day in rows_of(listed)]
        require_fields(days, ("date", "avg"), page)
        for card, listed in series.items():
            yield _latest(card, dict(filter(None, map(_traded, rows_of(listed)))), page.observed_at.date())


def _series(page: Page) -> Mapping[str, Any]:
    """The days of each card. Raises LayoutChanged when the page does not hold them."""
    text = pushed_text(page)
    starts = [match.end() for match in re.finditer(SERIES, text)]
    if not starts:
        raise LayoutChanged(f"{page.name}: the scripts hold no {SERIES.strip(':')}")
    try:
        series, *others = [json.JSONDecoder(parse_float=Decimal).raw_decode(text, start)[0] for start in starts]
    except (ValueError, RecursionError) as error:
        raise LayoutChanged(f"{page.name}: the prices by card are cut short") from error
    if any(other != series for other in others):
        raise LayoutChanged(f"{page.name}: the scripts hold the prices by card more than once, and not the same")
    if not isinstance(series, dict):
        raise LayoutChanged(f"{page.name}: the prices are not by card")
    return series


def _traded(day: Mapping[str, Any]) -> tuple[date, Decimal] | None:
    """A day and its average; None without a trade. Dates are written "$D2026-07-15T23:59:59.000Z"."""
    average = decimal_of(day.get("avg"))
    try:
        on = date.fromisoformat(text_of(day.get("date")).removeprefix("$D")[:10])
    except ValueError:
        return None
    return (on, average) if average is not None and average > 0 else None


def _latest(card: str, averages: Mapping[date, Decimal], today: date) -> Quote | Unreadable:
    newest = max(averages, default=date.min)
    if not today - OLDEST <= newest <= today + timedelta(days=1):
        since = f"since {newest}" if averages else "in the days shown"
        return Unreadable("not_a_price", f"{card[:60]}: no trade {since}", card, card)
    return Quote(
        sku=card,
        gpu=card,
        gpu_count=Decimal(NODE_GPUS),
        amount=averages[newest],
        unit="per_gpu_hour",
        pricing="spot",
        tier=MARKET_AVERAGE,
        minimum_gpus=NODE_GPUS,
    )


SOURCE = Source(
    name="sfcompute",
    title="SF Compute",
    homepage="https://sfcompute.com",
    kind="marketplace",
    access="page",
    every=timedelta(hours=6),
    urls=(URL,),
    parse=parse,
    unit_note="USD per GPU-hour, the average of the day's trades of 8-GPU nodes, of any length and start",
    traps="an average of trades, not an offer; days without a trade are 0; the lowest of a day may be a cent; "
    "the price of a block depends on its length and start and is quoted to customers only",
)
