"""How the program ends when it cannot go on: wrong usage, failing queries, readers that leave, what is no ledger."""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest
from installed import GPULEDGER, process

from pipelines.cli import main
from pipelines.home import Home

Ended = Callable[..., tuple[int, str, str]]


@pytest.fixture
def ended(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Ended:
    """The exit code of the program in this process, and what it says on standard output and standard error."""

    def call(*arguments: str, home: Path) -> tuple[int, str, str]:
        monkeypatch.setenv("GPULEDGER_HOME", str(home))
        monkeypatch.setattr(sys, "argv", ["gpuledger", *arguments])
        with pytest.raises(SystemExit) as end:
            main()
        assert isinstance(end.value.code, int)
        return end.value.code, *capsys.readouterr()

    return call


@pytest.mark.parametrize(
    ("command", "nearest"),
    [
        ("offers --provider awz", "there are aws, "),
        ("offers --pricing on-demand", "there are on_demand, "),
        ("offers --gpu h1000", "there are h100"),
        ("offers --country UU", "there are "),
        ("offers --country UK", "did you mean GB? there are AE"),
        ("cost 7B --country germany", "did you mean DE? there are AE"),
        ("cost 7B --gpu ''", "'--gpu': it names none"),
        ("buy Llama-3.1-70B --gpu ' '", "'--gpu': it names none"),
        ("offers --provider ''", "'--provider': "),
        ("offers --country ,", "'--country': it names none"),
        ("bill 7B --offer-key ''", "'--offer-key': it names none"),
        ("cost 70BB", "did you mean 70B"),
        ("plan 3B", "13B, 70B, 405B, 1T; `gpuledger estimate --params 3e9 --tokens 60e9` does any other"),
        ("cost --provider azur", "there are azure, "),
        ("plan 7B --country UU", "there are "),
        ("plan 7B --provider-kinds hyperscalar", "there are hyperscaler, "),
        ("parse lamda README.md", "there are lambda, "),
        ("offers --max-price nan", "not an amount"),
        ("offers --limit -1", "-1"),
        ("sql ''", "nothing was asked"),
        ("page ''", "it names none"),
        ("export ''", "it names none"),
    ],
)
def test_what_is_not_known_is_wrong_usage_in_one_line(
    recorded_home: Home, ended: Ended, command: str, nearest: str
) -> None:
    code, printed, told = ended(*shlex.split(command), home=recorded_home.root)
    assert (code, printed) == (2, "")
    assert told.startswith("gpuledger: ")
    assert told.count("\n") == 1
    assert nearest in told


@pytest.mark.parametrize(
    "query",
    [
        "DROP TABLE core.scrape",
        "SELEC 1",
        "SELECT nothing FROM price_now",
        "SELECT 1/'a'",
        "SELECT 1; SELECT 2",
        "SET threads = 1",
        "PRAGMA enable_profiling",
        "CALL enable_logging(storage = 'file', storage_path = '{home}')",
        "FROM enable_logging(storage = 'file', storage_path = '{home}')",
        "ATTACH '{home}/other.duckdb'",
        "COPY (SELECT 1) TO '{home}/one.csv'",
        "INSTALL httpfs",
        "FROM '{home}/published/price_now.parquet'",
        "FROM read_text('/etc/hostname')",
    ],
)
def test_a_query_that_fails_ends_in_one_line_and_writes_nothing(recorded_home: Home, ended: Ended, query: str) -> None:
    before = sorted(recorded_home.root.rglob("*"))
    code, printed, told = ended("sql", query.format(home=recorded_home.root), home=recorded_home.root)
    assert (code, printed) == (1, "")
    assert told.startswith("gpuledger: ")
    assert told.count("\n") == 1
    assert sorted(recorded_home.root.rglob("*")) == before


def test_a_reader_that_leaves_and_a_full_disk_end_without_a_traceback(recorded_home: Home) -> None:
    command = ["offers", "--format", "csv"]
    with Path("/dev/full").open("w") as full:
        done = process(*command, home=recorded_home.root, stdout=full)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "No space left" in done.stderr
    head = subprocess.run(
        f"'{GPULEDGER}' offers --format csv | head -n 1; exit ${{PIPESTATUS[0]}}",
        shell=True,
        executable="/bin/bash",
        env={"GPULEDGER_HOME": str(recorded_home.root), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
    )
    assert head.stdout.startswith("provider,gpu,")
    assert (head.returncode, head.stderr) == (1, "")


def test_a_ledger_that_is_not_one_ends_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "published").mkdir()
    (tmp_path / "published" / "gpuledger.duckdb").write_bytes(b"not a database" * 1000)
    done = process("status", home=tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith("gpuledger: ")
    assert done.stderr.count("\n") == 1


def test_a_terminal_of_another_encoding_shows_the_rest(recorded_home: Home) -> None:
    done = process("sql", "SELECT 'Zürich €' AS region", home=recorded_home.root, env={"PYTHONIOENCODING": "ascii"})
    assert done.returncode == 0
    assert "rich" in done.stdout


@pytest.mark.parametrize("name", ["a*b", "a?b", "a[1]b", "a{b"])
def test_a_home_that_would_be_taken_for_a_pattern_is_refused_before_anything_is_written(
    tmp_path: Path, ended: Ended, name: str
) -> None:
    code, _, told = ended("refresh", "--recorded", home=tmp_path / name)
    assert code == 1
    assert told.startswith("gpuledger: GPULEDGER_HOME is ")
    assert not (tmp_path / name).exists()


def test_a_ledger_of_an_older_version_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "published").mkdir()
    duckdb.connect(str(tmp_path / "published" / "gpuledger.duckdb")).close()
    done = process("offers", home=tmp_path)
    assert done.returncode == 1
    assert "older version" in done.stderr
    assert "run `gpuledger refresh`" in done.stderr
    assert done.stderr.count("\n") == 1
