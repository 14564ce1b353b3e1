"""A redesign is named as that, before anything is said of rows."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from pipelines.looks.keeping import keep_reading
from sources.pages import Look, PageStore, recorded_pages
from sources.providers.crusoe import SOURCE, URL
from sources.source import Page
from warehouse.offer_files import OfferFiles, Scrape

DAY = datetime(2026, 10, 1, tzinfo=UTC)
GOOD = list(recorded_pages("crusoe").values())[-1][0].page.text
See = Callable[..., Scrape]


@pytest.fixture
def see(tmp_path: Path) -> See:
    store, files = PageStore(tmp_path / "raw"), OfferFiles(tmp_path / "offers")

    def look(day: int, *texts: str) -> Scrape:
        at = DAY + timedelta(days=day)
        pages = [Page(URL, text.encode(), at, "pricing.html") for text in texts]
        kept = Look("crusoe", at, "live", pages, {} if pages else {"": ("unreachable", "no answer in time")})
        store.keep(kept)
        return keep_reading(kept, store, files, [SOURCE])[0]

    return look


def without(text: str, *gpus: str) -> str:
    return "\n".join(line for line in text.splitlines() if not any(f">{gpu}<" in line for gpu in gpus))


def test_a_page_that_is_redesigned_and_unreadable(see: See):
    assert see(0, GOOD).status == "ok"
    seen = see(1, GOOD.replace("pricing-gap", "plans-grid"))
    assert (seen.status, seen.code) == ("failed", "layout_changed")
    assert seen.reason.startswith("pricing.html was redesigned: pricing.html: no section with a column 'GPU model'")


def test_zero_rows_of_a_redesigned_page_are_a_changed_layout(see: See):
    see(0, GOOD)
    bare = GOOD.replace("/GPU-hr", "").replace('class="divider is-pricing"', 'class="band"')
    seen = see(1, bare)
    assert (seen.status, seen.code) == ("failed", "layout_changed")
    assert seen.reason.startswith("pricing.html was redesigned: none of the")


def test_zero_rows_of_the_page_as_it_was_are_not(see: See):
    see(0, GOOD)
    seen = see(1, GOOD.replace("/GPU-hr", ""))
    assert (seen.status, seen.code) == ("failed", "empty_answer")
    assert "redesigned" not in seen.reason


def test_the_first_look_and_a_look_after_a_silence_know_no_redesign_or_the_last_layout(see: See):
    assert "redesigned" not in see(0, GOOD.replace("pricing-gap", "plans-grid")).reason
    see(1, GOOD)
    see(2)
    assert "redesigned" in see(3, GOOD.replace("pricing-gap", "plans-grid")).reason


def test_a_redesigned_page_with_less_than_half_of_the_offers_is_not_whole(see: See):
    before = see(0, GOOD).offers
    fewer = without(GOOD, "NVIDIA A100", "NVIDIA H200", "NVIDIA H100")
    seen = see(1, fewer.replace('class="divider is-pricing"', 'class="band"'))
    assert 0 < seen.offers < before / 2
    assert (seen.status, seen.code) == ("partial", "layout_changed")
    assert seen.reason == f"pricing.html was redesigned: {seen.offers} offers where {before} stood"
    assert see(2, fewer.replace('class="divider is-pricing"', 'class="band"')).status == "ok"


def test_half_of_the_offers_gone_from_the_page_as_it_was_is_believed(see: See):
    see(0, GOOD)
    fewer = without(GOOD, "NVIDIA A100", "NVIDIA H200", "NVIDIA H100")
    assert see(1, fewer).status == "ok"


def test_a_redesign_that_is_read_as_before_is_no_fault(see: See):
    see(0, GOOD)
    assert see(1, GOOD.replace('class="divider is-pricing"', 'class="band"')).reason == ""
