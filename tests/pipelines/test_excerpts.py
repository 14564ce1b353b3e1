"""A recorded page that shows a part of its book: what it says counts from its day, what it leaves out is not gone."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date
from decimal import Decimal
from pathlib import Path

from models.currencies import Rates
from pipelines.home import Home
from pipelines.looks.reading import read_look
from pipelines.runs.rebuilding import rebuild
from sources.pages import Look, PageStore, recorded_looks
from sources.source import all_sources
from warehouse.database import opened_to_read, rows

BLACKWELL, ADA = "g3-gpu-rtxpro6000-blackwell-1", "g2-gpu-rtx4000a1-s"


def linode() -> list[Look]:
    """The looks of 2024, of June 2026 and the excerpt of 30 September 2026."""
    return list(recorded_looks("linode"))


def test_a_book_shown_in_part_is_read_and_not_read_whole() -> None:
    *_, june, september = (read_look(look, all_sources()["linode"], Rates.of([]), {}) for look in linode())
    assert (june.scrape.status, june.scrape.books) == ("ok", [""])
    assert (september.scrape.status, september.scrape.books, september.scrape.offers) == ("ok", [], 1)


def test_an_excerpt_is_kept_as_one(tmp_path: Path) -> None:
    store = PageStore(tmp_path)
    store.keep(linode()[-1])
    assert [page.excerpt for page in store.look("linode", linode()[-1].observed_at).pages] == [True]


def test_what_an_excerpt_leaves_out_stands_as_it_was(tmp_path: Path) -> None:
    found = standing(tmp_path, linode())
    assert found[BLACKWELL] == (Decimal(3), date(2026, 9, 30))
    assert found[ADA] == (Decimal("0.52"), date(2026, 6, 6))
    assert len(found) == 4


def test_what_a_whole_look_leaves_out_is_gone(tmp_path: Path) -> None:
    *earlier, last = linode()
    whole = replace(last, pages=[replace(page, excerpt=False) for page in last.pages])
    assert standing(tmp_path, [*earlier, whole]) == {BLACKWELL: (Decimal(3), date(2026, 9, 30))}


def standing(root: Path, looks: list[Look]) -> dict[str, tuple[Decimal, date]]:
    """USD per hour and the day it was read, by plan, in a ledger of these looks."""
    home = Home(root / "home")
    store = PageStore(home.raw)
    for look in looks:
        store.keep(look)
    rebuild(home, say=lambda line: None)
    with opened_to_read(home.ledger) as ledger:
        said = rows(ledger, "SELECT sku, usd_per_hour, observed_at FROM price_now WHERE provider = 'linode'")
    return {row["sku"]: (Decimal(str(row["usd_per_hour"])), row["observed_at"].astimezone(UTC).date()) for row in said}
