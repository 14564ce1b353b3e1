"""Publishing: readers and the pipeline never wait for each other, and only a sound and whole ledger is handed out."""

from __future__ import annotations

import shutil
import subprocess
import sys
from datetime import timedelta

import duckdb
import polars as pl
import pytest
from ledgers import HISTORY, Ledger, moment, offer

from warehouse.database import opened_to_read, rows, value
from warehouse.publish import NotPublishable, export, failed_checks, publish

READER = """
import sys, duckdb
ledger = duckdb.connect(sys.argv[1], read_only=True)
for line in sys.stdin:
    print(*ledger.execute("SELECT count(*) FROM price_now").fetchone(), flush=True)
"""


@pytest.fixture(scope="module")
def laid(tmp_path_factory):
    made = Ledger(tmp_path_factory.mktemp("laid"))
    made.look(moment(1), offer("box", "24.00"))
    made.load()
    made.refer()
    made.recompute()
    return made


@pytest.fixture
def ledger(laid, tmp_path):
    shutil.copytree(laid.root, tmp_path, dirs_exist_ok=True)
    return Ledger(tmp_path)


def add_offers(ledger, day):
    ledger.look(moment(day), *(offer(f"box{number}", "24.00") for number in range(day)))
    ledger.load()


def bytes_under(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_an_open_reader_in_another_process_neither_waits_nor_holds_up_publishing(ledger):
    folder = ledger.root / "published"
    target = publish(ledger.path, folder).path
    with subprocess.Popen(
        [sys.executable, "-c", READER, str(target)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as reader:

        def asked_again():
            reader.stdin.write("count\n")
            reader.stdin.flush()
            return int(reader.stdout.readline())

        assert asked_again() == 1
        for day in range(2, 7):
            add_offers(ledger, day)
            assert publish(ledger.path, folder, wait_seconds=0).offers == day
            assert asked_again() == 1  # its snapshot stays
            with opened_to_read(target) as new_reader:
                assert value(new_reader, "SELECT count(*) FROM price_now") == day
        reader.stdin.close()
        assert reader.wait() == 0


def test_a_process_reads_a_ledger_twice_at_once_and_the_one_that_takes_its_place(ledger):
    target = publish(ledger.path, ledger.root / "published").path
    with opened_to_read(target) as first, opened_to_read(target) as second:
        add_offers(ledger, 2)
        publish(ledger.path, target.parent)
        with opened_to_read(target) as third:
            asked = [value(one, "SELECT count(*) FROM price_now") for one in (first, second, third)]
    assert asked == [1, 1, 2]


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        ("offers_have_a_known_gpu", "DELETE FROM ref.gpu"),
        (
            "prices_are_plausible",
            "INSERT INTO core.standing SELECT * REPLACE ('x' AS offer_key, 1001 AS usd_per_gpu_hour)"
            " FROM core.standing LIMIT 1",
        ),
        ("standing_offers_are_those_of_the_history", "DELETE FROM core.standing"),
        ("closing_prices_are_those_of_the_history", "DELETE FROM core.closing_week"),
        ("closing_prices_are_those_of_the_history", "UPDATE core.closing_week SET said_0 = 0"),
    ],
)
def test_a_failed_check_leaves_all_that_is_published_byte_for_byte(ledger, name, damage):
    folder = ledger.root / "published"
    publish(ledger.path, folder)
    before = bytes_under(folder)
    add_offers(ledger, 2)
    with ledger.opened() as connection:
        connection.execute(damage)
        assert name in failed_checks(connection)
    with pytest.raises(NotPublishable, match=f"check {name} failed, for example provider acme"):
        publish(ledger.path, folder)
    assert bytes_under(folder) == before


def test_a_ledger_that_is_not_laid_yet_says_what_to_do(tmp_path):
    ledger = Ledger(tmp_path)
    ledger.load()
    with pytest.raises(NotPublishable, match="run `gpuledger refresh`"):
        publish(ledger.path, tmp_path / "published")
    assert list((tmp_path / "published").iterdir()) == []
    with pytest.raises(FileNotFoundError, match="run `gpuledger refresh` first"), opened_to_read(tmp_path / "none"):
        pass


def test_parquet_beside_the_ledger_says_the_same(ledger):
    folder = ledger.root / "published"
    add_offers(ledger, 3)
    publish(ledger.path, folder)
    written = pl.read_parquet(folder / "price_now.parquet")
    with opened_to_read(folder / "gpuledger.duckdb") as published:
        asked = [row["usd_per_gpu_hour"] for row in rows(published, "FROM price_now ORDER BY sku")]
    assert written.sort("sku")["usd_per_gpu_hour"].to_list() == asked
    assert written.schema["usd_per_gpu_hour"] == pl.Decimal(20, 8)
    assert written.schema["observed_at"] == pl.Datetime("us", "UTC")
    taken = export(folder / "gpuledger.duckdb", ledger.root / "taken")
    assert {path.name for path in taken} == {path.name for path in folder.glob("*.parquet")} | {"price_history.parquet"}
    assert {path.name for path in (ledger.root / "taken").iterdir()} == {path.name for path in taken}
    assert pl.read_parquet(ledger.root / "taken" / "price_history.parquet").height == 4


def test_history_leaves_as_files_that_are_never_rewritten(ledger):
    folder = ledger.root / "published" / "history"
    for day in (2, 3):
        publish(ledger.path, folder.parent)
        before = bytes_under(folder)
        publish(ledger.path, folder.parent)  # nothing new: no file
        assert bytes_under(folder) == before
        add_offers(ledger, day)
        publish(ledger.path, folder.parent)
        after = bytes_under(folder)
        assert len(after) == len(before) + 1
        assert before.items() <= after.items()
    kept = duckdb.connect().execute(f"SELECT offer_key, observed_at, listed FROM '{folder}/*.parquet'").fetchall()
    assert sorted(kept) == [(row["offer_key"], row["observed_at"], row["listed"]) for row in ledger.rows(HISTORY)]


def test_the_last_seven_days_are_kept(ledger):
    folder = ledger.root / "published"
    for at in (*(moment(day) for day in range(1, 10)), moment(9, 18)):
        publish(ledger.path, folder, now=at)
    kept = sorted((folder / "daily").iterdir())
    assert [path.name for path in kept] == [f"gpuledger-2026-08-{day:02d}.duckdb" for day in range(3, 10)]
    assert kept[-1].samefile(folder / "gpuledger.duckdb")
    with opened_to_read(kept[0]) as old:
        assert value(old, "SELECT count(*) FROM price_now") == 1


def test_what_a_killed_run_left_is_cleaned_away(ledger):
    folder = ledger.root / "published"
    for place in (folder, folder / "history", folder / "daily"):
        place.mkdir(exist_ok=True)
        (place / ".gpuledger.duckdb.publishing").write_bytes(b"half")
    publish(ledger.path, folder)
    assert list(folder.rglob("*.publishing")) == []


def test_the_files_stay_readable_by_duckdb_1_5(ledger):
    """Storage version 68 is what DuckDB 1.5 reads at most; the version stands at byte 12 of the file."""
    folder = ledger.root / "published"
    for day in range(2, 5):
        add_offers(ledger, day)
        ledger.recompute()
        publish(ledger.path, folder, now=moment(1) + timedelta(days=day))
        for file in (ledger.path, *folder.rglob("*.duckdb")):
            header = file.read_bytes()[:20]
            assert header[8:12] == b"DUCK"
            assert int.from_bytes(header[12:20], "little") <= 68


@pytest.mark.parametrize("kept_bytes", [0, 60])
def test_a_damaged_history_file_is_set_aside_and_what_it_held_is_written_again(ledger, kept_bytes):
    folder = ledger.root / "published"
    publish(ledger.path, folder)
    (file,) = (folder / "history").glob("*.parquet")
    whole = file.read_bytes()
    file.write_bytes(whole[:kept_bytes] + bytes(1000) + whole[len(whole) - kept_bytes :])
    add_offers(ledger, 2)
    publish(ledger.path, folder)
    assert file.with_name(f"{file.name}.damaged").exists()
    held = duckdb.connect().execute(f"SELECT offer_key, observed_at FROM '{folder}/history/*.parquet'").fetchall()
    assert sorted(held) == [(row["offer_key"], row["observed_at"]) for row in ledger.rows(HISTORY)]
