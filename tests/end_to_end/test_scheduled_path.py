"""The scheduled path, with nobody at the keyboard: the daemon looks every minute, and the ledger is published anew."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import dagster as dg
import pytest
from scheduled_daemon import DEAD, LONG_AGO, WELL, Daemon

from pipelines.cost_assets import PUBLISHED
from pipelines.freshness import NAME
from pipelines.instance import dagster_home
from pipelines.provider_assets import CHECK, offers_key
from warehouse.database import opened_to_read, rows

SECONDS = 240.0  # up to a minute until the schedule's first tick, then two runs; a machine at its limit needs more
STEP_SECONDS = 0.25


@pytest.fixture(scope="module")
def published(daemon: Daemon) -> Daemon:
    """Waits until the published file has changed by itself."""
    deadline = time.monotonic() + SECONDS
    while daemon.home.ledger.stat().st_ino == daemon.published_before:
        assert daemon.process.poll() is None, f"the daemon ended:\n{daemon.log.read_text()[-3000:]}"
        assert time.monotonic() < deadline, f"nothing was published:\n{daemon.log.read_text()[-3000:]}"
        time.sleep(STEP_SECONDS)
    return daemon


@pytest.fixture(scope="module")
def instance(published: Daemon) -> Iterator[dg.DagsterInstance]:
    with dg.DagsterInstance.from_config(str(dagster_home(published.home))) as instance:
        yield instance


def _ask(daemon: Daemon, query: str) -> list[dict[str, Any]]:
    with opened_to_read(daemon.home.ledger) as ledger:
        return rows(ledger, query)


def test_the_living_sources_are_published_with_the_time_of_the_scheduled_look(published: Daemon) -> None:
    found = _ask(published, "SELECT provider, min(observed_at) AS oldest, count(*) AS n FROM price_now GROUP BY ALL")
    by_name = {row["provider"]: row for row in found}
    assert by_name["nebius"]["oldest"] > LONG_AGO
    assert by_name["nebius"]["n"] == 14  # as many as the recorded page sells
    statuses = {row["provider"]: row["status"] for row in _ask(published, "FROM provider_freshness")}
    assert {statuses[name] for name in WELL} == {"fresh"}


def test_the_dead_source_keeps_its_rows_and_is_named(published: Daemon) -> None:
    (dead,) = _ask(published, f"FROM provider_freshness WHERE provider = '{DEAD}'")
    assert (dead["status"], dead["last_good_at"]) == ("stale", LONG_AGO)
    assert "the connection failed" in dead["reason"]
    kept = _ask(published, f"SELECT DISTINCT observed_at FROM price_now WHERE provider = '{DEAD}'")
    assert kept == [{"observed_at": LONG_AGO}]


def test_the_cost_tables_came_along(published: Daemon) -> None:
    found = _ask(published, "SELECT DISTINCT provider FROM training_cost_by_provider WHERE llm = '7B' AND feasible")
    assert {"nebius", DEAD} <= {row["provider"] for row in found}


def test_the_load_is_a_run_of_its_own_started_by_the_condition(published: Daemon, instance: dg.DagsterInstance) -> None:
    runs = _first_of_each_kind(instance)  # other schedules may have ticked as well
    looked = next(run for run in runs if run.job_name == "look_every_minute")
    loaded = next(run for run in runs if PUBLISHED in (run.asset_selection or ()))
    assert looked.tags["dagster/schedule_name"] == "look_every_minute"
    assert looked.status == dg.DagsterRunStatus.SUCCESS
    assert loaded.tags["dagster/sensor_name"] == "react"
    assert offers_key("nebius") not in (loaded.asset_selection or ())


def _first_of_each_kind(instance: dg.DagsterInstance) -> list[dg.DagsterRun]:
    return list({run.job_name: run for run in instance.get_runs()}.values())  # newest first, so the oldest stays


def test_the_run_names_the_dead_source_on_its_own_node(published: Daemon, instance: dg.DagsterInstance) -> None:
    check = instance.get_latest_asset_check_evaluation_record(dg.AssetCheckKey(offers_key(DEAD), CHECK))
    assert "the connection failed" in str(check)
    assert instance.get_latest_materialization_event(offers_key(DEAD)) is None
    assert instance.get_latest_materialization_event(offers_key("nebius")) is not None


def test_the_published_ledgers_node_is_red(published: Daemon, instance: dg.DagsterInstance) -> None:
    """The check follows the publish in the same run, so it may come a moment after the file."""
    deadline = time.monotonic() + SECONDS
    while (found := _last_freshness(instance)) is None:
        assert time.monotonic() < deadline
        time.sleep(STEP_SECONDS)
    assert not found.passed
    assert found.severity == dg.AssetCheckSeverity.ERROR
    assert DEAD in (found.description or "")


def _last_freshness(instance: dg.DagsterInstance) -> dg.AssetCheckEvaluation | None:
    records = instance.event_log_storage.get_asset_check_execution_history(dg.AssetCheckKey(PUBLISHED, NAME), limit=10)
    events = [record.event.dagster_event for record in records if record.event and record.event.dagster_event]
    done = [event.event_specific_data for event in events]
    return next((data for data in done if isinstance(data, dg.AssetCheckEvaluation)), None)
