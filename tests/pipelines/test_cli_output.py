"""What the terminal and programs are shown of hostile, tiny, nested and absent values, and of offers and costs."""

from __future__ import annotations

import csv
import io
import json
import shlex
import subprocess
from decimal import Decimal
from pathlib import Path

import click
import pytest
from installed import GPULEDGER, process

from pipelines.cli import cli
from pipelines.commands.printing import short
from pipelines.home import Home
from warehouse.database import opened_to_read, rows


@pytest.mark.parametrize("text", ["[/red]", "[bold]H100[/bold]", ":smile:", "[link=http://x]"])
def test_markup_in_a_cell_a_heading_and_an_error_is_only_text(run, text: str) -> None:
    result = run("sql", f"SELECT '{text}' AS sku, 1 AS \"{text}\"")
    assert result.exit_code == 0
    assert result.stdout.count(text) == 2


@pytest.mark.parametrize("style", ["table", "json"])
def test_nothing_of_a_page_steers_the_terminal(run, style: str) -> None:
    query = "SELECT 'a' || chr(27) || '[2J' || chr(155) || chr(8238) || chr(127) || chr(13) AS sku"
    printed = run("sql", query, "--format", style).stdout
    assert not {"\x1b", "\x9b", "\u202e", "\x7f", "\r"} & set(printed)
    if style == "json":
        assert json.loads(printed) == [{"sku": "a\x1b[2J\x9b\u202e\x7f\r"}]
    else:
        assert "a\\x1b[2J" in printed


def test_columns_of_one_name_are_all_there(run) -> None:
    printed = run("sql", "SELECT 1 AS a, 2 AS a, 3 AS a_1, 4 AS a", "--format", "csv").stdout
    heading, figures = list(csv.reader(io.StringIO(printed)))
    assert figures == ["1", "2", "3", "4"]
    assert len(set(heading)) == 4


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("0.000164", "0.000164"),
        ("1e-8::DECIMAL(18,8)", "1e-08"),
        ("2.99::DECIMAL(18,8)", "2.99"),
        ("0.0267", "0.0267"),
        ("0.00", "0"),
        ("1234567.5", "1,234,568"),
        ("'nan'::DOUBLE", "nan"),
    ],
)
def test_a_small_number_is_never_shown_as_nothing(run, value: str, shown: str) -> None:
    assert run("sql", f"SELECT {value} AS price").stdout.split()[-1] == shown


@pytest.mark.parametrize(
    ("amount", "text"), [(0.0125, "0.0125"), (999.6, "1K"), (999_600, "1M"), (15e12, "15T"), (0, "0"), (-2500, "-2.5K")]
)
def test_short_amounts_keep_three_digits(amount: float, text: str) -> None:
    assert short(amount) == text


MONEY = """
SELECT table_name, column_name FROM information_schema.columns
WHERE table_schema = 'main' AND data_type LIKE 'DECIMAL%'
    AND (regexp_matches(lower(column_name), 'usd_?per|price|usd$') OR lower(column_name) LIKE '%upfront%')
"""


def test_every_price_can_be_multiplied_by_gpus_and_the_hours_of_a_year(recorded_home: Home) -> None:
    with opened_to_read(recorded_home.ledger) as ledger:
        found = [(row["table_name"], row["column_name"]) for row in rows(ledger, MONEY)]
        assert {("price_now", "usd_per_gpu_hour"), ("focus", "ListUnitPrice"), ("price_move", "usd_per_hour")} < set(
            found
        )
        ledger.execute("CREATE TEMP TABLE sizes AS SELECT DISTINCT gpu_count AS so_many FROM price_now")
        for table, column in found:
            most = f'(SELECT max("{column}") AS usd FROM main.{table})'
            ledger.execute(f"SELECT usd * so_many * 8760, usd * so_many * 730 * 24, so_many * usd FROM {most}, sizes")
        ledger.execute("SELECT usd_per_gpu_hour * gpu_count * 730 FROM price_asof('2026-10-01')").fetchall()
        said = "count(*), count(fx_rate), count(fx_date)"
        (foreign,) = ledger.execute(f"SELECT {said} FROM price_now WHERE currency <> 'USD'").fetchall()
        assert foreign[0] == foreign[1] == foreign[2] > 0


def test_prices_are_exact_in_csv_and_json(run) -> None:
    query = (
        "SELECT 0.00000001::DECIMAL(18,8) AS small, 1234567890.12345678::DECIMAL(18,8) AS large, 2.90::DECIMAL(9,2) p"
    )
    [row] = csv.DictReader(io.StringIO(run("sql", query, "--format", "csv").stdout))
    assert row == {"small": "0.00000001", "large": "1234567890.12345678", "p": "2.9"}
    [row] = json.loads(run("sql", query, "--format", "json").stdout)
    assert [Decimal(str(row[name])) for name in ("small", "large")] == [
        Decimal("0.00000001"),
        Decimal("1234567890.12345678"),
    ]


def test_json_has_a_form_for_every_type(run) -> None:
    query = """SELECT 'nan'::DOUBLE AS x, DATE '2026-08-01' AS day, TIME '10:00' AS hour, INTERVAL 2 DAY AS every,
        'ab'::BLOB AS bytes, {'a': [1.5::DECIMAL(3,1), NULL]} AS nested, MAP {'k': DATE '2026-08-01'} AS map,
        '5d2a6b1e-0000-4000-8000-000000000000'::UUID AS id"""
    [row] = json.loads(run("sql", query, "--format", "json").stdout)
    assert row["x"] is None
    assert (row["day"], row["hour"], row["bytes"]) == ("2026-08-01", "10:00:00", "6162")
    assert (row["nested"], row["map"]) == ({"a": [1.5, None]}, {"k": "2026-08-01"})
    assert "2 days" in row["every"]
    for style in ("csv", "table"):
        assert run("sql", query, "--format", style).exit_code == 0


def test_what_python_has_no_exact_value_for_is_its_text_in_csv_and_json(run) -> None:
    query = """SELECT INTERVAL 14 MONTH AS every, '2026-08-01 00:00:00.123456789'::TIMESTAMP_NS AS seen,
        'inf'::DOUBLE AS most, '-infinity'::DATE AS since, 'infinity'::TIMESTAMPTZ AS until,
        {'date': [INTERVAL 1 MONTH], 'x': DATE '9999-12-31'} AS nested; -- as they are"""
    texts = ["1 year 2 months", "2026-08-01 00:00:00.123456789", "Infinity", "-infinity", "infinity"]
    nested = {"date": ["1 month"], "x": "9999-12-31"}
    [row] = json.loads(run("sql", query, "--format", "json").stdout)
    assert list(row.values()) == [*texts, nested]
    _, figures = csv.reader(io.StringIO(run("sql", query, "--format", "csv").stdout))
    assert [*figures[:-1], json.loads(figures[-1])] == [*texts, nested]


@pytest.mark.parametrize("style", ["csv", "json"])
def test_more_rows_than_memory_holds_are_printed_as_they_come(recorded_home: Home, style: str) -> None:
    command = [GPULEDGER, "sql", "SELECT range AS n FROM range(1_000_000_000_000)", "--format", style]
    with subprocess.Popen(command, env={"GPULEDGER_HOME": str(recorded_home.root)}, stdout=subprocess.PIPE) as process:
        assert process.stdout
        lines = [process.stdout.readline() for _ in range(20_000)]
        process.stdout.close()
        assert process.wait(timeout=30) == 1
    assert lines[-1] == {"csv": b"19998\n", "json": b"  {\n"}[style]


def test_json_of_many_rows_is_one_list(run) -> None:
    found = json.loads(run("sql", "SELECT range AS n, [1] AS l FROM range(4001)", "--format", "json").stdout)
    assert [row["n"] for row in found] == list(range(4001))


def test_a_table_is_cut_and_says_so(run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pipelines.commands.raw.MOST_SHOWN", 3)
    result = run("sql", "FROM range(1_000_000_000_000)")
    assert result.stdout.split()[-3:] == ["0", "1", "2"]
    assert result.stderr == "the first 3 rows; --format csv or json gives all\n"
    assert run("sql", "FROM range(3)").stderr == ""


@pytest.mark.parametrize(
    "command",
    [
        "sql 'SELECT provider FROM price_now WHERE false'",
        "offers --provider aws --max-price 0",
        "cost 1T --provider vast --pricing reserved",
        "plan 7B --provider ecb",
        "claims no-such-claim",
        "afford --budget 1M --provider ecb",
        "finetune 405B --gpu l4 --provider vast",
    ],
)
def test_without_rows_programs_still_get_a_header_and_people_a_word(run, command: str) -> None:
    arguments = shlex.split(command)
    result = run(*arguments, "--format", "csv")
    assert result.exit_code == 0
    assert result.stdout.count("\n") == 1
    assert len(result.stdout) > 5
    assert result.stderr.count("\n") == 1
    result = run(*arguments, "--format", "json")
    assert (result.exit_code, json.loads(result.stdout)) == (0, [])


def test_a_limit_beyond_all_rows_prints_all(run) -> None:
    everything, limited = run("offers", "--format", "csv"), run("offers", "--format", "csv", "--limit", "9" * 20)
    assert limited.stdout == everything.stdout


def test_the_page_of_an_offer_is_printed_as_it_was_kept(recorded_home: Home, run) -> None:
    offer = json.loads(run("offers", "--provider", "oci", "--limit", "1", "--format", "json").stdout)[0]
    assert offer["page_url"].startswith("https://apexapps.oracle.com/")
    done = process("page", offer["page_sha256"][:12], home=recorded_home.root)
    assert done.returncode == 0
    kept = Path("sources/recorded/oci")
    assert done.stdout.encode() in [file.read_bytes() for file in kept.rglob("*.json")]
    assert offer["page_url"] in done.stderr
    assert "2026-08-14" in done.stderr
    assert "reduced" in done.stderr
    assert offer["form"] == "reduced"
    [cost] = json.loads(run("cost", "7B", "--provider", "oci", "--pricing", "on_demand", "--format", "json").stdout)
    assert cost["form"] == "reduced"
    assert process("page", "zzzz", home=recorded_home.root).returncode == 2
    [card] = json.loads(run("offers", "--provider", "stackit", "--limit", "1", "--format", "json").stdout)
    assert "\nread together with " in run("page", card["page_sha256"]).stderr


def test_every_command_stands_in_one_section_of_the_help(run) -> None:
    from pipelines.cli import MODULES, SECTIONS

    there = [*cli.commands, *(name for names in MODULES.values() for name in names)]
    assert sorted(there) == sorted(name for names in SECTIONS.values() for name in names)
    assert all(cli.get_command(click.Context(cli), name).name == name for name in there)


def test_the_matrix_says_that_its_prices_are_recorded_and_of_which_days(run) -> None:
    printed = run("cost").stdout
    assert "Recorded prices of 20" in printed


def test_the_matrix_shows_the_term_that_has_to_be_taken_where_it_costs_more_than_the_run(run) -> None:
    printed = run("cost", "--provider", "azure").stdout
    assert "a plus: the whole term" in " ".join(printed.split())
    (row,) = json.loads(run("cost", "13B", "--provider", "azure", "--pricing", "reserved", "--format", "json").stdout)
    assert row["commitment_usd"] > row["total_usd_mid"]
    (line,) = (line.split() for line in printed.splitlines() if line.split()[:2] == ["azure", "reserved"])
    assert line[4] == f"{short(row['commitment_usd'])}+"  # below 13B


def test_a_query_may_begin_with_a_comment(run) -> None:
    assert run("sql", "-- prices\nSELECT 1 AS a", "--format", "csv").stdout == "a\n1\n"
