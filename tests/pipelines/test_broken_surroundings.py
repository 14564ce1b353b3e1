"""What is wrong around the program is one line that says what to do: streams, files, folders, ledgers of old."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import UTC, datetime
from itertools import product
from pathlib import Path

import duckdb
import pytest
from click.testing import CliRunner
from recorded_site import publish_ledger

from pipelines.cli import cli, main
from pipelines.home import CHECKOUT, Home
from pipelines.looks.parsing import parse_files
from pipelines.refreshing import RefreshFailed, _with_remedy, refresh
from pipelines.runs.rebuilding import rebuild
from sources.pages import RECORDED
from warehouse.database import WarehouseDamaged, damaged_set_aside, opened_to_read, opened_to_write

PROGRAM = "from pipelines.cli import main; main()"


def told(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *arguments: str) -> tuple[int, str]:
    """The exit code of the program, and what it says on standard error."""
    monkeypatch.setattr(sys, "argv", ["gpuledger", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    assert isinstance(ended.value.code, int)
    return ended.value.code, capsys.readouterr().err


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&- <&-"])
def test_a_closed_stream_is_no_fault(recorded_home: Home, closed: str) -> None:
    said = subprocess.run(
        ["/bin/sh", "-c", f'exec "$@" {closed}', "sh", sys.executable, "-c", PROGRAM, "status"],
        env={**os.environ, "GPULEDGER_HOME": str(recorded_home.root)}, cwd=CHECKOUT, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert (said.returncode, said.stderr) == (0, "")


@pytest.mark.parametrize(
    "rates",
    ["", "EUR 1.1", "[]", '{"usd_per_unit": []}', '{"usd_per_unit": {"EUR": "x"}}', '{"usd_per_unit": {"EUR": null}}',
     '{"usd_per_unit": {"EUR": true}}', '{"usd_per_unit": {"EUR": -1}}', '{"usd_per_unit": {"EUR": 1}, "as_of": 5}',
     '{"usd_per_unit": {"EUR": 1}, "as_of": "today"}', '{"EUR": 1.1}', "\udcff"],
)  # fmt: skip
def test_rates_that_are_none_are_named_with_their_file(tmp_path: Path, rates: str) -> None:
    file, page = tmp_path / "fx.json", next(RECORDED.glob("oci/*/*.json"))
    file.write_bytes(rates.encode("utf-8", "surrogateescape"))
    with pytest.raises(ValueError, match=r"fx\.json.*(usd_per_unit|positive number)"):
        parse_files("oci", [page], datetime.now(UTC), file)


def test_a_ledger_of_an_older_version_says_to_refresh(
    recorded_home: Home, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    at = Home(tmp_path)
    at.published.mkdir()
    shutil.copyfile(recorded_home.ledger, at.ledger)
    with duckdb.connect(str(at.ledger)) as ledger:
        ledger.execute("CREATE OR REPLACE VIEW price_now AS SELECT 'oci' AS provider")
    monkeypatch.setenv("GPULEDGER_HOME", str(tmp_path))
    code, line = told(capsys, monkeypatch, "offers")
    assert (code, line.count("\n")) == (1, 1)
    assert "the published ledger is of an older version" in line
    assert "run `gpuledger refresh`" in line
    code, line = told(capsys, monkeypatch, "sql", "SELECT no_column FROM price_now")
    assert (code, "older version" in line) == (1, False)


def test_a_damaged_ledger_is_named_with_what_makes_it_again(recorded_home: Home, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "other kind")) as database:
        database.execute("CREATE TABLE price_now (usd)")
    for name, content in {"noise": b"\x01" * 9000, "cut short": recorded_home.ledger.read_bytes()[:300_000]}.items():
        (tmp_path / name).write_bytes(content)
    for name, alone in product(("noise", "cut short", "other kind"), (False, True)):
        damaged = pytest.raises(WarehouseDamaged, match=f"{name} is damaged .*`gpuledger publish`")
        with damaged, opened_to_read(tmp_path / name, engine_of_its_own=alone) as ledger:
            ledger.execute("FROM price_now").fetchall()


def test_a_folder_in_the_place_of_a_ledger_is_named(tmp_path: Path) -> None:
    for opened in (opened_to_read, opened_to_write):
        with pytest.raises(WarehouseDamaged, match="is a folder: move it away"), opened(tmp_path):
            pass
    ledger = tmp_path / "warehouse.duckdb"
    ledger.mkdir()
    refused = pytest.raises(WarehouseDamaged, match=r"is damaged \(a folder is no ledger\) and is set aside")
    with refused, damaged_set_aside(ledger), opened_to_write(ledger):
        pass
    assert ledger.with_name("warehouse.duckdb.damaged").is_dir()


def test_without_kept_pages_nothing_is_rebuilt(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"no page is kept under .*run `gpuledger refresh`"):
        rebuild(Home(tmp_path), lambda line: None)
    assert not list(tmp_path.iterdir())


def test_a_ledger_without_offers_plans_nothing(new_home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    publish_ledger(new_home, [])
    monkeypatch.setenv("GPULEDGER_HOME", str(new_home.root))
    result = CliRunner().invoke(cli, ["plan", "7B"])
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "no offer there to plan with\n")


def test_what_is_no_text_is_refused_before_it_breaks_something(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    code, line = told(capsys, monkeypatch, "sql", "SELECT '\udcff'")
    assert (code, line.count("\n")) == (2, 1)
    assert "LC_ALL=C.UTF-8" in line
    monkeypatch.setenv("GPULEDGER_HOME", str(tmp_path / "\udcff"))
    code, line = told(capsys, monkeypatch, "status")
    assert (code, line.count("\n")) == (1, 1)
    assert "GPULEDGER_HOME" in line


@pytest.mark.parametrize("fault", ["[Errno 28] No space left on device: '/x'", "(sqlite3) database or disk is full"])
def test_a_full_disk_says_to_free_space(tmp_path: Path, fault: str) -> None:
    assert _with_remedy(fault, Home(tmp_path)).startswith("the disk is full: free space")


@pytest.mark.parametrize("name", ["dagster", "running"])
def test_a_file_where_a_folder_should_be_is_named(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"")
    with pytest.raises(RefreshFailed, match=f"{name} is a file where a folder should be: move it away"):
        refresh(Home(tmp_path), ["oci"], recorded=True)


def test_a_run_history_that_lacks_a_table_is_named_with_what_to_do(new_home: Home) -> None:
    with closing(sqlite3.connect(new_home.dagster / "history" / "runs" / "index.db")) as database:
        database.execute("DROP TABLE asset_keys")
    with pytest.raises(RefreshFailed, match=r"asset_keys.*move .*/dagster/history away, which loses the list of runs"):
        refresh(new_home, ["oci"], recorded=True)
