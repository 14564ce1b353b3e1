"""What Dagster loads: a reviewed snapshot over six sources, and laws that hold for all of them."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import dagster as dg
import pytest

from pipelines.assets.providers import offers_key, raw_key
from pipelines.assets.triggers import cadence_name, cron_of
from pipelines.definitions import build_defs
from pipelines.home import Home
from sources.source import all_sources

SIX = ("ecb", "gcp", "nebius", "oci", "runpod", "vast")  # hourly, six-hourly and daily; gcp needs a key

KEYS = """
cost/training_cost_by_provider
cost/training_requirement
offers/ecb
offers/gcp
offers/nebius
offers/oci
offers/runpod
offers/vast
published/gpuledger
raw/ecb
raw/gcp
raw/looks
raw/nebius
raw/oci
raw/runpod
raw/vast
warehouse/observation
"""

SCHEDULES = {
    "look_hourly": ("17 * * * *", "raw/looks raw/runpod raw/vast offers/runpod offers/vast"),
    "look_every_6_hours": ("23 */6 * * *", "raw/looks raw/nebius offers/nebius"),
    "look_daily": ("41 5 * * *", "raw/looks raw/ecb raw/oci offers/ecb offers/oci"),
    "check_freshness": ("*/15 * * * *", ""),
    "housekeeping": ("37 3 * * *", ""),
}

CHECKS = {
    "cost/training_cost_by_provider:ledger_is_sound": True,  # blocking: nothing is published while it fails
    "published/gpuledger:every_provider_is_fresh": False,
    "published/gpuledger:witnesses_agree": False,
    **{f"offers/{name}:look_is_whole": False for name in SIX},
    **{f"offers/{name}:no_drift": False for name in SIX if name != "ecb"},
}

POOLS = {  # whatever opens the warehouse, one step at a time
    "warehouse/observation": {"duckdb"},
    "cost/training_requirement": {"duckdb"},
    "cost/training_cost_by_provider": {"duckdb"},
    "published/gpuledger": {"duckdb"},
}


@pytest.fixture
def defs(tmp_path: Path) -> dg.Definitions:
    return build_defs(Home(tmp_path), [all_sources()[name] for name in SIX])


def test_asset_keys(defs: dg.Definitions) -> None:
    keys = defs.resolve_asset_graph().get_all_asset_keys()
    assert sorted(key.to_user_string() for key in keys) == KEYS.split()


def test_schedules_are_on_by_default_in_utc(defs: dg.Definitions) -> None:
    schedules = {item.name: item for item in defs.schedules or () if isinstance(item, dg.ScheduleDefinition)}
    assert list(schedules) == list(SCHEDULES)
    for name, (cron, assets) in SCHEDULES.items():
        assert schedules[name].cron_schedule == cron
        assert schedules[name].execution_timezone == "UTC"
        assert schedules[name].default_status == dg.DefaultScheduleStatus.RUNNING
        selected = defs.resolve_job_def(schedules[name].job_name).asset_layer.executable_asset_keys
        assert {key.to_user_string() for key in selected} == set(assets.split())


def test_one_sensor_evaluates_the_conditions_and_is_on_by_default(defs: dg.Definitions) -> None:
    (sensor,) = defs.sensors or ()
    assert isinstance(sensor, dg.AutomationConditionSensorDefinition)
    assert sensor.default_status == dg.DefaultSensorStatus.RUNNING


def test_only_the_check_before_publishing_blocks(defs: dg.Definitions) -> None:
    graph = defs.resolve_asset_graph()
    checks = {f"{key.asset_key.to_user_string()}:{key.name}": graph.get(key).blocking for key in graph.asset_check_keys}
    assert checks == CHECKS


def test_steps_that_open_the_warehouse_share_one_pool(defs: dg.Definitions) -> None:
    graph = defs.resolve_asset_graph()
    assert {node.key.to_user_string(): node.pools for node in graph.asset_nodes if node.pools} == POOLS


def test_a_source_is_put_on_its_schedule_by_its_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gcp = all_sources()["gcp"]
    assert not build_defs(Home(tmp_path), [gcp]).resolve_asset_graph().get(offers_key("gcp")).is_external
    assert _looked_at(Home(tmp_path)) == set()
    monkeypatch.setenv(gcp.secret, "a key")
    assert _looked_at(Home(tmp_path)) == {"gcp"}


def _looked_at(home: Home) -> set[str]:
    defs = build_defs(home, [all_sources()["gcp"]])
    jobs = [item.job_name for item in defs.schedules or () if isinstance(item, dg.ScheduleDefinition)]
    keys = {key for job in jobs for key in defs.resolve_job_def(job).asset_layer.executable_asset_keys}
    return {key.path[-1] for key in keys if key.path[0] == "offers"}


def test_every_source_has_its_assets_freshness_and_schedule(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sources = all_sources()
    for source in sources.values():
        if source.secret:
            monkeypatch.setenv(source.secret, "a key")
    defs = build_defs(Home(tmp_path))
    graph = defs.resolve_asset_graph()
    scheduled = {item.job_name for item in defs.schedules or () if isinstance(item, dg.ScheduleDefinition)}
    assert len(sources) >= 13
    for name, source in sources.items():
        policy = dg.FreshnessPolicy.time_window(fail_window=3 * source.every, warn_window=2 * source.every)
        assert graph.get(offers_key(name)).freshness_policy == policy
        assert graph.get(offers_key(name)).parent_keys == {raw_key(name)}
        assert graph.get(offers_key(name)).tags["access"] == source.access
        job = f"look_{cadence_name(source.every)}"
        assert job in scheduled
        selected = defs.resolve_job_def(job).asset_layer.executable_asset_keys
        assert {raw_key(name), offers_key(name)} <= set(selected)


def test_tables_are_as_fresh_as_the_source_looked_at_most_often(defs: dg.Definitions) -> None:
    graph = defs.resolve_asset_graph()
    policy = dg.FreshnessPolicy.time_window(fail_window=timedelta(hours=3), warn_window=timedelta(hours=2))
    assert {graph.get(dg.AssetKey.from_user_string(key)).freshness_policy for key in POOLS} == {policy}


@pytest.mark.parametrize(
    ("every", "name", "cron"),
    [
        (timedelta(minutes=1), "every_minute", "* * * * *"),
        (timedelta(minutes=15), "every_15_minutes", "*/15 * * * *"),
        (timedelta(hours=1), "hourly", "17 * * * *"),
        (timedelta(hours=6), "every_6_hours", "23 */6 * * *"),
        (timedelta(days=1), "daily", "41 5 * * *"),
        (timedelta(days=7), "every_7_days", "11 4 */7 * *"),
    ],
)
def test_a_cadence_has_a_name_and_a_cron_line(every: timedelta, name: str, cron: str) -> None:
    assert cadence_name(every) == name
    assert cron_of(every) == cron
