"""SF Compute: an average of a day's trades, days without one, a month of days of which one is today's."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from exchanges import Replay, http_for

from models.currencies import Rates
from models.normalise import normalise
from models.offers import Offer, Rejected
from sources.pages import recorded_pages
from sources.providers.sfcompute import SOURCE, URL
from sources.source import LayoutChanged, Page

NOW = datetime(2026, 7, 15, 18, tzinfo=UTC)


def day(on: str, average: Any) -> dict[str, Any]:
    return {"date": f"$D{on}T23:59:59.000Z", "avg": average, "top": 2.6, "bottom": 0.01}


def html(prices: object) -> str:
    """The page's scripts, the prices cut in two pieces as Next.js cuts them."""
    text = f'2d:["$","$L2d",null,{{"pricesByHardwareType":{json.dumps(prices)}}}]\n'
    pieces = (text[: len(text) // 2], text[len(text) // 2 :])
    return "".join(f"<script>self.__next_f.push([1,{json.dumps(piece)}])</script>" for piece in pieces)


def answer(**series: list[dict[str, Any]]) -> Page:
    return Page(URL, html(series).encode(), NOW, "index.html")


def read(page: Page) -> tuple[list[Offer], list[Rejected]]:
    rows = SOURCE.parse([page])
    return normalise(
        rows, provider="sfcompute", book="", observed_at=NOW, origin="live", rates=Rates.of([]), page_sha256=""
    )


def test_recorded_averages_are_the_days():
    # The page of 2026-07-15 (github.com/ewyluda/macrogauge) and readings of August and September by three others;
    # 1.81 is what github.com/adriannutiu/gpu-rental-prices has for 2026-08-22
    found = {f"{moment:%F}": read(kept[0].page)[0] for moment, kept in recorded_pages("sfcompute").items()}
    assert {on: [(o.gpu, o.usd_per_gpu_hour) for o in offers] for on, offers in found.items()} == {
        "2026-07-15": [("h100", Decimal("2.12"))],
        "2026-08-16": [("h100", Decimal("1.96"))],
        "2026-08-22": [("h100", Decimal("1.81"))],
        "2026-09-22": [("h100", Decimal("2.04"))],
    }


def test_a_card_that_nobody_trades_has_no_price():
    page = next(kept[0].page for moment, kept in recorded_pages("sfcompute").items() if f"{moment:%F}" == "2026-07-15")
    _, rejected = read(page)
    assert [(row.gpu_text, row.reason) for row in rejected] == [("H200", "not_a_price"), ("B200", "not_a_price")]


@pytest.mark.parametrize("newest_first", [True, False])
def test_the_newest_day_counts_in_either_order(newest_first: bool):
    days = [day("2026-07-15", 2.12), day("2026-07-14", 2.11), day("2026-07-13", 1.94)]
    ((offer,), _) = read(answer(H100=days if newest_first else days[::-1]))
    assert (offer.usd_per_gpu_hour, offer.usd_per_hour) == (Decimal("2.12"), Decimal("16.96"))
    assert (offer.pricing, offer.tier, offer.minimum_gpus) == ("spot", "market_average", 8)


def test_a_day_that_has_no_trade_yet_leaves_the_day_before():
    ((offer,), _) = read(answer(H100=[day("2026-07-15", 0), day("2026-07-14", 2.11)]))
    assert offer.usd_per_gpu_hour == Decimal("2.11")


def test_an_average_of_last_week_is_no_price_of_today():
    offers, rejected = read(answer(H100=[day("2026-07-08", 2.04)], H200=[day("2026-07-15", 2.5)]))
    assert [offer.gpu_family for offer in offers] == ["h200"]
    assert [(row.reason, "2026-07-08" in row.detail) for row in rejected] == [("not_a_price", True)]


def test_a_redesigned_page_is_named():
    for body, said in (
        ("<html><h1>Prices</h1></html>", "pricesByHardwareType"),
        (html({"H100": [{"day": "2026-07-15", "avg": 2}]}), "date"),
        (html({"H100": [{"date": "$D2026-07-15", "mean": 2}]}), "avg"),
        (html([1]), "not by card"),
    ):
        with pytest.raises(LayoutChanged, match=said):
            read(Page(URL, body.encode(), NOW, "index.html"))
    twice = html({"H100": [day("2026-07-15", 2.12)]}) + html({"H100": [day("2026-07-15", 1.12)]})
    with pytest.raises(LayoutChanged, match="more than once"):
        read(Page(URL, twice.encode(), NOW, "index.html"))
    cut = html({"H100": [day("2026-07-15", 2.12)]}).replace("}]}}]", "}")
    with pytest.raises(LayoutChanged, match="cut short"):
        read(Page(URL, cut.encode(), NOW, "index.html"))


def test_it_is_one_page():
    replay = Replay([{"request": {"url": URL}, "response": {"body": html({"H100": [day("2026-07-15", 2.12)]})}}])
    (page,) = SOURCE.fetchers()[""](http_for(SOURCE, replay, now=NOW))
    assert [offer.gpu for offer in read(page)[0]] == ["h100"]
