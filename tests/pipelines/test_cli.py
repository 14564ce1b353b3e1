"""The command line as people and programs use it: exit codes, stable JSON, one-line errors."""

from __future__ import annotations

import json
import re
from pathlib import Path

import duckdb
import pytest
from click.testing import Result
from installed import process

from pipelines.home import Home


def rows(result: Result) -> list[dict]:
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_status_names_every_source_with_the_true_age_of_its_recording(run) -> None:
    found = {row["provider"]: row for row in rows(run("status", "--format", "json"))}
    assert {"aws", "azure", "ecb", "gcp", "lambda", "oci", "runpod", "vast"} <= found.keys()
    assert found["oci"]["status"] == "recorded"
    assert found["oci"]["last_looked_at"].startswith("2026-08-14")
    assert found["oci"]["age_hours"] > 24 * 30


def test_offers_are_filtered_and_sorted_by_price_per_gpu(run) -> None:
    found = rows(run("offers", "--gpu", "H100 SXM", "--pricing", "on_demand", "--min-gpus", "8", "--format", "json"))
    prices = [row["usd_per_gpu_hour"] for row in found]
    assert prices == sorted(prices)
    assert all(row["gpu"] == "h100_sxm" and row["gpu_count"] >= 8 for row in found)
    assert not {row["pricing"] for row in found} - {"on_demand"}
    cheap = rows(run("offers", "--gpu", "h100", "--max-price", "2.5", "--format", "json"))
    assert cheap
    assert all(row["usd_per_gpu_hour"] <= 2.5 for row in cheap)


def test_a_family_finds_every_form_of_the_card(run) -> None:
    assert {"h100_sxm", "h100_pcie", "h100_nvl"} <= {
        row["gpu"] for row in rows(run("offers", "--gpu", "h100", "--format", "json"))
    }


def test_offers_of_a_country_count_those_that_do_not_say_theirs(run) -> None:
    done = run("offers", "--country", "FI", "--provider", "verda", "--format", "json")
    assert rows(done) == []
    assert "248 more, of verda, do not say their country" in done.stderr  # the list of machines names no place
    done = run("cost", "7B", "--country", "US", "--provider", "digitalocean", "--pricing", "on_demand")
    assert re.search(r"^\d+ more, of digitalocean, do not say their country", done.stderr, re.MULTILINE)
    done = run("plan", "7B", "--country", "US", "--provider", "crusoe", "--pricing", "on_demand")
    assert (
        "6 more, of crusoe, do not say their country" in done.stderr
    )  # of which none is left out for its price or its kind


def test_cost_tells_no_stock_of_months_ago_and_why_a_large_run_cannot_be_done(run) -> None:
    assert "sold out" not in run("cost", "13B", "--provider", "voltagepark").stdout  # read months ago: not known
    (row,) = rows(run("cost", "70B", "--provider", "voltagepark", "--gpu", "h100", "--format", "json"))
    assert row["why_not"].endswith("on the 1,016 GPUs of the largest cluster")  # and not that a machine of 2 is small


def test_cost_of_a_size_has_a_row_for_each_provider_and_kind(run) -> None:
    found = rows(run("cost", "70b", "--format", "json"))
    assert {row["llm"] for row in found} == {"70B"}
    assert {"azure", "gcp", "lambda", "oci", "vast"} <= {row["provider"] for row in found}
    for row in found:
        assert row["total_usd_low"] < row["total_usd_mid"] < row["total_usd_high"]
        assert row["feasible"] == (row["why_not"] is None)
    single_node = [row for row in found if row["provider"] == "vast"]
    assert single_node
    assert not any(row["feasible"] for row in single_node), "70B needs 18 cards of 80 GB; a single node has 8"


def test_cost_with_one_gpu_compares_that_gpu_alone(run) -> None:
    found = rows(run("cost", "7B", "--gpu", "h100_sxm", "--pricing", "on_demand", "--format", "json"))
    assert {row["gpu"] for row in found} == {"h100_sxm"}
    assert len({row["provider"] for row in found}) == len(found)


def test_cost_without_a_model_prints_one_matrix_for_people(run) -> None:
    printed = run("cost").stdout
    assert all(size in printed for size in ("1B", "7B", "13B", "70B", "405B", "1T", "azure", "on_demand"))


def test_a_misspelt_model_gets_a_suggestion_and_exit_code_2(recorded_home: Home) -> None:
    done = process("cost", "7BB", home=recorded_home.root)
    assert done.returncode == 2
    assert "no model is called '7BB'; did you mean 7B" in done.stderr
    assert done.stderr.count("\n") == 1


def test_estimate_golden_case_in_json(run) -> None:
    # 6 x 7e9 x 140e9 FLOP at 40% of 989 TFLOPS and 23.92 USD per 8 GPUs: arithmetic by hand
    arguments = "estimate --params 7B --tokens 140B --gpu h100_sxm --utilisation 0.40 --peak-tflops 989 --gpus 64"
    found = json.loads(run(*arguments.split(), "--price", "2.99", "--format", "json").stdout)
    assert found["flop"] == 5.88e21
    assert found["gpu_hours"]["mid"] == pytest.approx(4128.7496, abs=1e-3)
    assert found["compute_usd"]["mid"] == pytest.approx(12344.96, abs=0.01)
    assert found["wall_days"]["mid"] == pytest.approx(2.688, abs=1e-3)
    assert {"flop_per_token", "utilisation", "min_gpus", "total_usd"} <= found.keys()
    assert set(found["utilisation"]) == {"low", "mid", "high"}


def test_estimate_refuses_percent_as_a_share(recorded_home: Home) -> None:
    done = process("estimate", "--params", "7B", "--tokens", "1T", "--utilisation", "40", home=recorded_home.root)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "0.4" in done.stderr


def test_gpu_names_resolve_per_provider_and_unknown_is_null(run) -> None:
    lines = "lambda\tgpu_8x_a100\nhyperstack\tRTX_PRO_9900\n"
    known, unknown = rows(run("gpu", "-", "--format", "json", stdin=lines))
    assert (known["gpu_family"], known["gpu_memory_gb"], known["vendor"]) == ("a100", 40, "NVIDIA")
    assert [unknown[key] for key in ("gpu", "gpu_family", "gpu_memory_gb", "form_factor", "vendor")] == [None] * 5


def test_parse_reads_a_saved_response_without_a_ledger(tmp_path: Path) -> None:
    saved = tmp_path / "instance-types.json"
    row = {
        "instance_type": {
            "name": "gpu_8x_h100_sxm5",
            "description": "8x H100 (80 GB SXM5)",
            "price_cents_per_hour": 2392,
            "specs": {"vcpus": 208, "memory_gib": 1800, "storage_gib": 22528, "gpus": 8},
        },
        "regions_with_capacity_available": [{"name": "us-west-1", "description": "California"}],
    }
    saved.write_text(json.dumps({"data": {"gpu_8x_h100_sxm5": row}}))
    done = process("parse", "lambda", str(saved), "--observed-at", "2026-08-22", home=tmp_path / "none")
    assert done.returncode == 0, done.stderr
    [offer] = json.loads(done.stdout)["offers"]
    assert (offer["usd_per_hour"], offer["usd_per_gpu_hour"]) == (23.92, 2.99)
    assert offer["observed_at"] == "2026-08-22T00:00:00+00:00"
    assert offer["region"] == "us-west-1"


def test_parse_of_a_redesigned_answer_is_one_line(tmp_path: Path) -> None:
    saved = tmp_path / "page.json"
    saved.write_text('{"data": {}}')
    done = process("parse", "lambda", str(saved), home=tmp_path / "none")
    assert done.returncode == 1
    assert done.stderr.startswith("gpuledger: ")
    assert done.stderr.count("\n") == 1


def test_sql_reads_and_cannot_write_or_reach_files(recorded_home: Home, run) -> None:
    [row] = rows(run("sql", "SELECT count(*) AS offers FROM price_now", "--format", "json"))
    assert row["offers"] > 1000
    for query in ("DELETE FROM core.scrape", "SELECT * FROM read_csv('/etc/passwd')", "COPY core.scrape TO 'x.csv'"):
        done = process("sql", query, home=recorded_home.root)
        assert done.returncode == 1, query
        assert done.stdout == ""


def test_csv_has_a_header_and_json_is_a_list_also_for_other_types(run) -> None:
    query = "SELECT 1.50::DECIMAL(5,2) AS price, TIMESTAMPTZ '2026-08-22 00:00:00Z' AS seen, NULL AS nothing"
    assert run("sql", query, "--format", "csv").stdout == "price,seen,nothing\n1.5,2026-08-22T00:00:00+00:00,\n"
    [row] = rows(run("sql", query, "--format", "json"))
    assert row == {"price": 1.5, "seen": "2026-08-22T00:00:00+00:00", "nothing": None}


def test_export_writes_parquet_that_other_tools_read(run, tmp_path: Path) -> None:
    result = run("export", str(tmp_path / "out"))
    assert result.exit_code == 0
    file = tmp_path / "out" / "price_now.parquet"
    [(count,)] = duckdb.sql(f"SELECT count(*) FROM read_parquet('{file}')").fetchall()
    assert count > 1000


def test_reading_before_the_first_refresh_says_what_to_do(tmp_path: Path) -> None:
    done = process("status", home=tmp_path / "empty")
    assert done.returncode == 1
    assert "run `gpuledger refresh` first" in done.stderr


def test_wrong_usage_is_exit_code_2(tmp_path: Path) -> None:
    assert process("offers", "--sort", "colour", home=tmp_path).returncode == 2
    assert process("estimate", "--params", "seven", "--tokens", "1T", home=tmp_path).returncode == 2


def test_an_unknown_source_is_named_with_those_there_are(tmp_path: Path) -> None:
    done = process("refresh", "awz", home=tmp_path / "home")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "no source is called 'awz'; there are aws, " in done.stderr
    assert "azure" in done.stderr
