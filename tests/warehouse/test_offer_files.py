"""What looks came to, as files: exact figures, what stood before a look, and looks that are read again."""

import os
from datetime import date
from decimal import Decimal

import pytest
from ledgers import HISTORY, Ledger, moment, offer

from models.moves import PriceMove
from warehouse.load import load


@pytest.fixture
def ledger(tmp_path):
    return Ledger(tmp_path)


def held(one, at, price, since, looks):
    return PriceMove(
        one.offer_key, at, one.provider, one.book, one.sku, one.region, one.gpu, one.pricing, True, "suspicious_move",
        "moved", Decimal(price), one.usd_per_hour, one.fx_rate, since, since, looks,
    )  # fmt: skip


def test_figures_come_through_the_files_and_the_ledger_exactly(ledger):
    euros = offer(
        "euros",
        "0.12345678",
        "1.0987654321",
        currency="EUR",
        fx_date=date(2026, 7, 31),
        gpu_count=Decimal("0.16666667"),
    )
    large = offer("large", "9999999999.00000001", quantity=2**40, cluster_gpus=2**33, minimum_gpus=2**32)
    ledger.look(moment(1), euros, large)
    ledger.load()
    found = {row["sku"]: row for row in ledger.rows(HISTORY)}
    assert found["euros"]["list_price"] == Decimal("0.12345678")
    assert found["euros"]["fx_rate"] == Decimal("1.0987654321")
    assert found["euros"]["gpu_count"] == Decimal("0.16666667")
    assert found["euros"]["usd_per_hour"] == Decimal("0.13565004")  # 0.135650041..., half even at eight places
    assert found["large"]["list_price"] == Decimal("9999999999.00000001")
    assert (found["large"]["quantity"], found["large"]["cluster_gpus"]) == (2**40, 2**33)
    assert found["large"]["minimum_gpus"] == 2**32


def test_what_stood_is_read_from_the_newest_earlier_look_that_read_the_book(ledger):
    demand, spot = offer("box", "24.00", book="demand"), offer("box", "9.00", book="spot", pricing="spot")
    ledger.look(moment(1), demand, spot, books=["demand", "spot"])
    ledger.look(moment(2), offer("box", "8.00", book="spot", pricing="spot"), books=["spot"], failure="demand: gone")
    ledger.look(moment(3), books=[], failure="no answer")
    ledger.look(moment(4), offer("box", "7.00", book="demand"), books=["demand", "spot"], origin="recorded")
    ledger.look(moment(6), offer("box", "6.00", book="demand"), books=["demand", "spot"])

    def standing(*books, before=moment(5)):  # noqa: B008
        found = ledger.files.standing("acme", "live", books, before)
        return {(one.book, one.usd_per_hour, one.seen_at.day) for one in found.values()}

    assert standing("demand", "spot") == {("demand", Decimal(24), 1), ("spot", Decimal(8), 2)}
    assert standing("demand", before=moment(1)) == set()  # strictly before
    assert standing("demand", "spot", before=moment(7)) == {("demand", Decimal(6), 6)}  # the spot offer was gone
    assert ledger.files.standing("bolt", "live", ["demand"], moment(5)) == {}


def test_an_offer_that_was_held_back_still_stands_at_its_last_good_price(ledger):
    box = offer("box", "18.32")
    ledger.look(moment(1), box)
    ledger.look(moment(2), moves=[held(box, moment(2), "2.29", moment(1), 1)])
    (stands,) = ledger.files.standing("acme", "live", [""], moment(3)).values()
    assert (stands.usd_per_hour, stands.seen_at, stands.held_usd_per_hour) == (
        Decimal("18.32"),
        moment(1),
        Decimal("2.29"),
    )
    ledger.load()
    ledger.refer()
    (row,) = ledger.rows("FROM price_now")
    assert (row["usd_per_hour"], row["observed_at"], row["changed_at"]) == (Decimal("18.32"), moment(1), moment(1))
    assert ledger.rows("FROM price_asof('2026-08-02')")[0]["observed_at"] == moment(1)
    ledger.look(moment(3))
    ledger.load()
    assert ledger.rows("FROM price_now") == []
    assert [row["observed_at"].day for row in ledger.rows(HISTORY)] == [1, 3]


def test_a_look_read_again_to_the_same_result_changes_nothing(ledger):
    ledger.look(moment(1), offer("box", "24.00"))
    ledger.load()
    before = {path: path.stat().st_mtime_ns for path in ledger.files.root.rglob("*")}
    ledger.look(moment(1), offer("box", "24.00"))
    assert {path: path.stat().st_mtime_ns for path in ledger.files.root.rglob("*")} == before
    assert not load(ledger.path, ledger.files).rebuilt


@pytest.mark.parametrize("note", [".read-again", ".laying-anew"])
def test_a_look_read_again_to_another_result_lays_the_ledger_anew_also_after_a_crash(ledger, note):
    ledger.look(moment(1), offer("box", "24.00"), offer("gone", "1.00"))
    ledger.look(moment(2), offer("box", "24.00"))
    ledger.load()
    ledger.look(moment(1), offer("box", "12.00"))  # a corrected parser
    (ledger.files.root / ".read-again").rename(ledger.files.root / note)  # a load was killed after it took the note
    assert load(ledger.path, ledger.files).rebuilt
    assert [(row["sku"], row["list_price"]) for row in ledger.rows(HISTORY)] == [("box", 12), ("box", 24)]
    assert not load(ledger.path, ledger.files).rebuilt
    assert [path.name for path in ledger.files.root.glob(".*")] == [".writing"]


def test_half_written_files_of_killed_processes_are_cleared_a_day_later(ledger):
    ledger.look(moment(1), offer("box", "24.00"))
    old, new = (ledger.files.root / ".writing" / name for name in ("1-acme-old.parquet", "2-acme-new.scrape.json"))
    for draft, age_hours in ((old, 25), (new, 23)):
        draft.write_bytes(b"half")
        then = draft.stat().st_mtime - age_hours * 3600
        os.utime(draft, (then, then))
    ledger.load()
    assert (old.exists(), new.exists()) == (False, True)


def test_files_of_an_older_version_without_a_column_still_load(ledger):
    import polars as pl

    ledger.look(moment(1), offer("old", "24.00"))
    ledger.look(moment(2), offer("old", "24.00"), offer("new", "24.00", cluster_gpus=64))
    (old,) = ledger.files.root.rglob("20260801*.offers.parquet")
    pl.read_parquet(old).drop("cluster_gpus").write_parquet(old)
    ledger.load()
    assert {row["sku"]: row["cluster_gpus"] for row in ledger.rows(HISTORY)} == {"old": None, "new": 64}
