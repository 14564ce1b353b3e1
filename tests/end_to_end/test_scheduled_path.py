"""The scheduled path, with nobody at the keyboard: the daemon looks every minute, and the ledger is published anew."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import dagster as dg
import pytest
from scheduled_daemon import DEAD, LONG_AGO, WELL, Daemon, daemon_left_alone

from pipelines.assets.costs import PUBLISHED
from pipelines.assets.freshness import NAME
from pipelines.assets.providers import CHECK, offers_key
from pipelines.runs.instance import dagster_home
from warehouse.database import opened_to_read, rows

SECONDS = 240.0  # up to a minute until the schedule's first tick, then two runs; a machine at its limit needs more
STEP_SECONDS = 0.25


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    with daemon_left_alone(tmp_path_factory.mktemp("scheduled")) as running:
        yield running


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
    looked = instance.get_runs(dg.RunsFilter(tags={"dagster/schedule_name": "look_every_minute"}))[-1]
    loaded = instance.get_runs(dg.RunsFilter(tags={"dagster/sensor_name": "react"}))[-1]
    assert looked.status == dg.DagsterRunStatus.SUCCESS
    assert looked.run_id != loaded.run_id
    assert PUBLISHED in (loaded.asset_selection or ())
    assert offers_key("nebius") not in (loaded.asset_selection or ())


def test_the_run_names_the_dead_source_on_its_own_node(published: Daemon, instance: dg.DagsterInstance) -> None:
    check = _last_evaluation(instance, dg.AssetCheckKey(offers_key(DEAD), CHECK))
    assert not check.passed
    assert "the connection failed" in (check.description or "")
    assert instance.get_latest_materialization_event(offers_key(DEAD)) is None
    assert instance.get_latest_materialization_event(offers_key("nebius")) is not None


def test_the_published_ledgers_node_is_red(published: Daemon, instance: dg.DagsterInstance) -> None:
    check = _last_evaluation(instance, dg.AssetCheckKey(PUBLISHED, NAME))
    assert (check.passed, check.severity) == (False, dg.AssetCheckSeverity.ERROR)
    assert DEAD in (check.description or "")


def _last_evaluation(instance: dg.DagsterInstance, key: dg.AssetCheckKey) -> dg.AssetCheckEvaluation:
    """The newest verdict; a check comes a moment after what it checks, and the next minute's may be planned already."""
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        records = instance.event_log_storage.get_asset_check_execution_history(key, limit=20)
        events = [record.event.dagster_event for record in records if record.event]
        for event in events:
            if event and isinstance(event.event_specific_data, dg.AssetCheckEvaluation):
                return event.event_specific_data
        time.sleep(STEP_SECONDS)
    raise TimeoutError(f"{key} was never evaluated")
