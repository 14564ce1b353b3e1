"""A ledger laid by other migrations than today's: it is never loaded into, and laid anew from what is kept."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import polars as pl
import pytest
from ledgers import HISTORY, Ledger, moment, offer
from recorded_site import keep_good_look, publish_ledger

from models.moments import ClockIsWrong
from pipelines.home import Home
from pipelines.runs.rebuilding import load_mended
from sources.pages import recorded_pages
from sources.source import all_sources
from warehouse.database import (
    LedgerOfAnotherVersion,
    WarehouseDamaged,
    opened_to_read,
    opened_to_write,
    rows,
)
from warehouse.load import load
from warehouse.offer_files import OfferFiles

OTHER_VERSIONS = [
    "ALTER TABLE core.migration DROP COLUMN digest",  # as before there were digests
    "UPDATE core.migration SET digest = 'of another text' WHERE version = 1",
    "INSERT INTO core.migration VALUES (9999, '9999_of_a_later_version', 'x')",
]


@pytest.mark.parametrize("other", OTHER_VERSIONS)
def test_a_ledger_of_other_migrations_is_not_loaded_into(tmp_path: Path, other: str) -> None:
    ledger = Ledger(tmp_path)
    ledger.look(moment(1), offer("box", "24.00"))
    ledger.load()
    with ledger.opened() as connection:
        connection.execute(other)
    with pytest.raises(
        LedgerOfAnotherVersion, match=r"warehouse.duckdb was laid by another version; run `gpuledger reb"
    ):
        ledger.load()


def test_a_ledger_from_before_closing_prices_were_kept_has_those_of_all_its_looks(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    for day, price in ((1, "24.00"), (9, "20.00"), (23, None)):
        ledger.look(moment(day), *([offer("box", price)] if price else []))
    ledger.load()
    query = "SELECT week, COLUMNS('said_') FROM core.closing_week ORDER BY week"
    kept = ledger.rows(query)
    assert [[said for said in row.values() if said is not None][1:] for row in kept] == [
        [Decimal(3)],
        [Decimal("2.5")],
        [0],
    ]
    with ledger.opened() as connection:
        connection.execute("DROP TABLE core.closing_week; DROP MACRO TABLE core.said_by_week")
        connection.execute("DELETE FROM core.migration WHERE name = '0010_closing_week'")
    ledger.load()
    assert ledger.rows(query) == kept


def test_a_view_or_macro_that_there_is_no_more_leaves_with_the_next_laying(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    ledger.look(moment(1), offer("box", "24.00"))
    ledger.load()
    ledger.refer()
    names = """SELECT view_name AS name FROM duckdb_views() WHERE NOT internal
        UNION ALL SELECT function_name FROM duckdb_functions() WHERE NOT internal"""
    before = [row["name"] for row in ledger.rows(names)]
    with ledger.opened() as connection:
        connection.execute("CREATE VIEW of_old AS FROM price_now; CREATE MACRO core.of_old(x) AS x + 1")
        for name in ("of_old", "core.of_old", "rows_of_old"):
            connection.execute(f"INSERT INTO core.definition VALUES ('view or macro {name}', '')")
        connection.execute("""CREATE VIEW "some""body's; own" AS FROM price_now""")  # which nobody of us laid
        connection.execute("CREATE MACRO rows_of_old(x) AS TABLE SELECT x")
        connection.execute("CREATE OR REPLACE VIEW price_now AS SELECT 1")
        connection.execute("UPDATE core.definition SET digest = 'of other files' WHERE name = 'views'")
    ledger.refer()
    assert sorted(row["name"] for row in ledger.rows(names)) == sorted([*before, "some\"body's; own"])
    assert not ledger.rows("FROM core.definition WHERE name LIKE '%of_old'")
    assert ledger.rows("SELECT sku FROM price_now") == [{"sku": "box"}]


def test_it_is_laid_anew_from_the_kept_pages_also_where_the_offer_files_lack_a_column(tmp_path: Path) -> None:
    home, source = Home(tmp_path), all_sources()["oci"]
    keep_good_look(home, source, datetime.now(UTC) - timedelta(hours=1), [source])
    publish_ledger(home, [source])
    query = "FROM core.observation ORDER BY ALL"
    with opened_to_write(home.warehouse) as connection:
        before = rows(connection, query)
        connection.execute("UPDATE core.migration SET digest = NULL")
    (offers,) = (home.offers / "oci").glob("*.offers.parquet")
    pl.read_parquet(offers).drop("machine").write_parquet(offers)
    said: list[str] = []
    assert load_mended(home, [source], said.append).rebuilt
    assert said == ["the ledger was laid by another version: every kept look is read again and the ledger laid anew"]
    with opened_to_write(home.warehouse) as connection:
        assert rows(connection, query) == before


def test_an_offer_file_of_another_version_is_made_again(tmp_path: Path) -> None:
    home, source = Home(tmp_path), all_sources()["oci"]
    keep_good_look(home, source, datetime.now(UTC) - timedelta(hours=1), [source])
    (offers,) = (home.offers / "oci").glob("*.offers.parquet")
    pl.read_parquet(offers).drop("machine").write_parquet(offers)
    load_mended(home, [source], lambda line: None)
    assert "machine" in pl.read_parquet(offers).columns
    with opened_to_write(home.warehouse) as connection:
        assert len(rows(connection, "FROM core.observation")) == 21  # as the page sells
    assert OfferFiles(home.offers).moments("oci")


def test_a_recorded_page_tells_whether_it_is_a_capture(recorded_home: Home) -> None:
    with opened_to_read(recorded_home.ledger) as ledger:
        told = {(row["provider"], row["page_sha256"]): row["form"] for row in rows(ledger, "FROM price_page")}
    listed = {
        (name, recorded.page.sha256): recorded.form
        for name in all_sources()
        for look in recorded_pages(name).values()
        for recorded in look
    }
    assert told == listed


@pytest.mark.parametrize("kept_bytes", [0, 5_000])
def test_a_damaged_warehouse_is_set_aside_and_laid_anew(tmp_path: Path, kept_bytes: int) -> None:
    ledger = Ledger(tmp_path)
    ledger.look(moment(1), offer("box", "24.00"))
    ledger.load()
    before = ledger.rows(HISTORY)
    damaged = ledger.path.read_bytes()[:kept_bytes] + b"\xff" * 300_000
    ledger.path.write_bytes(damaged)
    assert load(ledger.path, ledger.files).set_aside == (str(ledger.path),)
    assert ledger.rows(HISTORY) == before
    assert ledger.path.with_name("warehouse.duckdb.damaged").read_bytes() == damaged


def test_a_damaged_block_that_is_found_later_names_what_mends_it(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    ledger.look(moment(1), offer("box", "24.00"))
    ledger.load()
    ledger.refer()
    content = bytearray(ledger.path.read_bytes())
    for block in range(12_288, len(content), 262_144):  # after the headers, every block
        content[block + 64 : block + 96] = b"\x5a" * 32
    ledger.path.write_bytes(content)
    with pytest.raises(WarehouseDamaged, match=r"is damaged \(.*is set aside: `gpuledger refresh` lays it anew"):
        ledger.recompute()


def test_a_copied_summary_is_no_look(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    ledger.look(moment(1), offer("box", "24.00"))
    (summary,) = ledger.files.summaries()
    for copy in ("{} (1).scrape.json", "{} copy.scrape.json"):
        name = copy.format(summary.name.removesuffix(".scrape.json"))
        summary.with_name(name).write_bytes(summary.read_bytes())
    ledger.load()
    assert len(ledger.rows("FROM core.scrape")) == 1


def test_nothing_is_loaded_by_a_clock_that_cannot_be_right(tmp_path: Path) -> None:
    """Or all that is known would lie in the future and be left out of what is published."""
    ledger = Ledger(tmp_path)
    ledger.look(moment(1), offer("box", "24.00"))
    ledger.load()
    without_battery = OfferFiles(ledger.files.root, now=lambda: datetime(1970, 1, 1, tzinfo=UTC))
    with pytest.raises(ClockIsWrong, match="shows 1970-01-01"):
        load(ledger.path, without_battery)
    assert len(ledger.rows(HISTORY)) == 1


def test_a_look_that_is_in_the_ledger_and_dated_in_the_future_leaves_it(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    ledger.look(moment(1), offer("box", "24.00"))
    ledger.look(moment(9), offer("box", "1.00"))
    ledger.load()
    corrected = OfferFiles(ledger.files.root, now=lambda: datetime(2026, 11, 2, tzinfo=UTC))
    ledger.look(datetime(2026, 11, 28, tzinfo=UTC), offer("box", "99.00"))
    ledger.load()
    load(ledger.path, corrected)
    assert [str(row["list_price"]) for row in ledger.rows(HISTORY)] == ["24.00000000", "1.00000000"]
