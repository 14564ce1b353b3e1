"""A bank's page with a wrong rate converts no price until three looks and a day have said so.

The page is the ECB's of 7 October 2026 with the dollar multiplied.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from pipelines.home import Home
from pipelines.looks.keeping import take_in
from pipelines.refreshing import doubts
from sources.pages import Look, PageStore, recorded_pages
from sources.source import all_sources
from warehouse.offer_files import OfferFiles, Scrape

DAY = datetime(2026, 10, 8, 17, tzinfo=UTC)
SOURCES = [all_sources()[name] for name in ("ecb", "hetzner")]
See = Callable[[int, str], tuple[Scrape, set[Decimal]]]


@pytest.fixture
def see(new_home: Home) -> See:
    """What a look at the bank came to, and the dollars per euro that a price is converted with then."""
    store, files = PageStore(new_home.raw), OfferFiles(new_home.offers)

    def look(name: str, at: datetime, times: str) -> Look:
        pages = [recorded.page for recorded in list(recorded_pages(name).values())[-1] if not recorded.page.excerpt]
        if name == "ecb":
            dollar = re.compile(r"""(?<=currency=["']USD["'] rate=["'])[\d.]+""")
            texts = [dollar.sub(lambda rate: str(Decimal(rate[0]) * Decimal(times)), page.text) for page in pages]
            assert times == "1" or texts != [page.text for page in pages]
            pages = [replace(page, body=text.encode()) for page, text in zip(pages, texts, strict=True)]
        return Look(name, at, "live", [replace(page, observed_at=at) for page in pages])

    def seen(hours: int, times: str) -> tuple[Scrape, set[Decimal]]:
        at = DAY + timedelta(hours=hours)
        _, (scrape, _) = take_in(look("ecb", at, times), store, files, SOURCES)
        _, (_, offers) = take_in(look("hetzner", at + timedelta(minutes=5), ""), store, files, SOURCES)
        return scrape, {offer.fx_rate for offer in offers if offer.currency == "EUR"}

    return seen


@pytest.mark.parametrize("times", ["0.72", "10"])
def test_a_rate_that_leapt_is_named_and_not_taken_until_it_is_confirmed(new_home: Home, see: See, times: str):
    before, rates = see(0, "1")
    assert (before.status, len(rates)) == ("ok", 1)
    for hours in (2, 14):
        scrape, now = see(hours, times)
        assert (scrape.status, scrape.code) == ("partial", "rate_leapt")
        assert 0 < scrape.offers < before.offers
        assert doubts(new_home, ["ecb"]) == {"ecb": scrape.reason}
        assert now == rates
    scrape, now = see(26, times)
    assert (scrape.status, scrape.reason) == ("ok", "")
    assert now == {rate * Decimal(times) for rate in rates}


def test_a_rate_that_is_right_again_is_taken_at_once(new_home: Home, see: See):
    _, rates = see(0, "1")
    see(2, "0.72")
    see(14, "10")  # another error: it waits anew
    scrape, now = see(26, "10")
    assert (scrape.code, now) == ("rate_leapt", rates)
    scrape, now = see(28, "1")
    assert (scrape.status, now, doubts(new_home, ["ecb"])) == ("ok", rates, {})
