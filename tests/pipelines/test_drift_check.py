"""Drift of real looks: numbers that plot, and a check that warns and never drops."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

import dagster as dg
import pytest

from models.drift import Drift
from pipelines.assets.drifting import drift_numbers, drift_result
from pipelines.looks.drifting import drift_of
from pipelines.looks.keeping import keep_reading
from sources.pages import Look, PageStore, recorded_pages
from sources.source import Page, all_sources
from warehouse.offer_files import OfferFiles

DAY = datetime(2026, 10, 1, tzinfo=UTC)
ASSET = dg.AssetKey(["offers", "crusoe"])
GOOD = list(recorded_pages("crusoe").values())[-1][0].page
See = Callable[..., Drift | None]


@pytest.fixture
def see(tmp_path: Path) -> See:
    """Keeps a look at Crusoe with these pages by book, and returns its drift."""
    store, files = PageStore(tmp_path / "raw"), OfferFiles(tmp_path / "offers")
    sources = list(all_sources().values())

    def look(day: int, books: Mapping[str, str]) -> Drift | None:
        at = DAY + timedelta(days=day)
        pages = [Page(GOOD.url, text.encode(), at, "pricing.html", book) for book, text in books.items()]
        kept = Look("crusoe", at, "live", pages)
        store.keep(kept)
        return drift_of(files, keep_reading(kept, store, files, sources)[0])

    return look


def without(*gpus: str) -> str:
    return "\n".join(line for line in GOOD.text.splitlines() if not any(f">{gpu}<" in line for gpu in gpus))


def test_the_first_look_has_nothing_to_compare_with(see: See):
    found = see(0, {"": GOOD.text})
    assert found is None
    assert drift_numbers(found) == {}
    assert drift_result(found, ASSET).passed


def test_the_same_list_again_moves_nothing(see: See):
    see(0, {"": GOOD.text})
    found = see(1, {"": GOOD.text})
    numbers = drift_numbers(found)
    assert (numbers["rows_against_last_look"], numbers["largest_median_move"]) == (1.0, 1.0)
    assert (numbers["new_skus"], numbers["vanished_skus"], numbers["new_unknown_names"]) == (0, 0, 0)
    assert numbers["median_usd_h200"] == 4.29
    assert drift_result(found, ASSET).passed


def test_half_of_the_list_gone_is_a_warning_and_the_rest_stands(see: See):
    see(0, {"": GOOD.text})
    result = drift_result(see(1, {"": without("NVIDIA A100", "NVIDIA H200", "NVIDIA H100")}), ASSET)
    assert not result.passed
    assert result.severity == dg.AssetCheckSeverity.WARN
    assert result.description == "2 rows where there were 6"
    assert "NVIDIA H200" in str(result.metadata["vanished_skus"].value)


def test_a_median_that_fell_to_a_third_is_a_warning(see: See):
    see(0, {"": GOOD.text})
    found = see(1, {"": GOOD.text.replace("$4.29/GPU-hr", "$1.29/GPU-hr")})
    assert drift_result(found, ASSET).description == (
        "the median of h200 on_demand went from 4.29 to 1.29 USD per GPU-hour"
    )


def test_a_name_that_nobody_has_mapped_is_counted_as_new_once(see: See):
    see(0, {"": GOOD.text})
    renamed = re.sub(r">NVIDIA H200<", ">NVIDIA Z900<", GOOD.text)
    numbers = drift_numbers(see(1, {"": renamed}))
    assert (numbers["unknown_names"], numbers["new_unknown_names"]) == (1, 1)
    again = see(2, {"": renamed})
    assert (drift_numbers(again)["unknown_names"], drift_numbers(again)["new_unknown_names"]) == (1, 0)
    assert "Z900" in str(drift_result(again, ASSET).metadata["unknown_names"].value)


def test_only_books_that_both_looks_read_are_compared(see: See):
    see(0, {"east": GOOD.text, "west": GOOD.text})
    found = see(1, {"east": GOOD.text})
    assert found is not None
    assert (found.before.rows, found.now.rows, found.flags) == (6, 6, [])
    later = see(2, {"west": without("NVIDIA A100", "NVIDIA H200", "NVIDIA H100")})
    assert later is not None
    assert later.flags == ["2 rows where there were 6"]


def test_a_witness_drifts_too(tmp_path: Path):
    store, files = PageStore(tmp_path / "raw"), OfferFiles(tmp_path / "offers")
    sources = list(all_sources().values())
    looks = recorded_pages("gpurentalprices")
    for moment, pages in looks.items():
        look = Look("gpurentalprices", moment, "recorded", [recorded.page for recorded in pages])
        store.keep(look)
        scrape, offers = keep_reading(look, store, files, sources)
        assert offers == []
        found = drift_of(files, scrape)
    assert found is not None
    assert found.now.rows > 5 * found.before.rows
    assert drift_numbers(found)["median_usd_h100"] > 1
