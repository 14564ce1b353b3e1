"""The check that says where aggregators disagree with us, on the ledger of recordings."""

from __future__ import annotations

from pathlib import Path

import dagster as dg
import pytest

from pipelines.assets.agreement import agreement_check
from pipelines.home import Home
from pipelines.runs.running import ALIVE
from warehouse.database import opened_to_read, rows


def check(home: Home) -> dg.AssetCheckResult:
    compute = agreement_check(home).op.compute_fn.decorated_fn
    result: dg.AssetCheckResult = compute()
    return result


@pytest.fixture(scope="module")
def recorded(recorded_home: Home) -> dg.AssetCheckResult:
    return check(recorded_home)


def test_it_needs_a_live_run_and_never_blocks(recorded_home: Home):
    made = agreement_check(recorded_home)
    assert made.op.required_resource_keys == {ALIVE}
    assert not any(spec.blocking for spec in made.check_specs)


def test_recorded_prices_mostly_agree_and_what_differs_is_a_warning(recorded: dg.AssetCheckResult):
    counts = {name: recorded.metadata[name].value for name in ("compared", "agree", "differ")}
    assert counts["compared"] > 200
    assert counts["agree"] > 0.85 * counts["compared"]
    assert recorded.metadata["median_difference_percent"].value < 1
    assert not recorded.passed
    assert recorded.severity == dg.AssetCheckSeverity.WARN


def test_known_faults_of_the_aggregators_stand_in_the_table(recorded: dg.AssetCheckResult):
    """AWS's prices from before June 2025, Google's GPU part without its host, and A3 at another kind of purchase."""
    table = str(recorded.metadata["differences"].value)
    assert "| gpurentalprices | aws | h100_sxm | on_demand |  | 6.8800 | 12.2900 | -44 % |" in table
    assert "| gpurentalprices | gcp | rtx_pro_6000 | on_demand |  | 4.4999 | 1.0956 | +311 % |" in table
    assert "| gpuhunt | gcp | h100 | on_demand | us-east4 |" in table


def test_lambda_is_told_alike_by_both_catalogues(recorded_home: Home):
    with opened_to_read(recorded_home.ledger) as ledger:
        found = rows(
            ledger,
            "SELECT witness, gpu, our_usd_per_gpu_hour AS ours, their_usd_per_gpu_hour AS theirs, verdict"
            " FROM price_agreement WHERE provider = 'lambda' AND gpu IN ('b200', 'gh200')",
        )
    assert {row["witness"] for row in found} == {"gpurentalprices", "skypilot"}
    assert all(row["ours"] == row["theirs"] and row["verdict"] == "agrees" for row in found)


def test_witnesses_make_no_offer_and_no_cost(recorded_home: Home):
    with opened_to_read(recorded_home.ledger) as ledger:
        told = {row["witness"] for row in rows(ledger, "SELECT DISTINCT witness FROM ref.witness")}
        assert told >= {"gpuhunt", "gpurentalprices", "skypilot"}
        for table in ("price_now", "price_history", "training_cost_by_provider"):
            assert not told & {row["provider"] for row in rows(ledger, f"SELECT DISTINCT provider FROM {table}")}
        fresh = rows(ledger, "SELECT provider, status, offers FROM provider_freshness WHERE kind = 'aggregator'")
    assert all(row["offers"] > 0 for row in fresh if row["status"] == "recorded")


def test_without_a_ledger_there_is_nothing_to_say(tmp_path: Path):
    assert check(Home(tmp_path)).passed
