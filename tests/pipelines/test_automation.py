"""When the ledger is loaded: in a later tick than the looks, once, whoever failed; judged tick by tick."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import dagster as dg
import pytest
from exchanges import Site
from recorded_site import recorded_site

from pipelines.assets.ledger import OBSERVATION
from pipelines.assets.providers import CHECK, LOOKS, offers_key, raw_key
from pipelines.definitions import build_defs
from pipelines.home import Home
from sources.source import LayoutChanged, Source, all_sources
from warehouse.database import opened_to_write, rows

LOAD = {"warehouse/observation", "cost/training_requirement", "cost/training_cost_by_provider", "published/gpuledger"}
CHECKS = {"published/gpuledger:every_provider_is_fresh", "published/gpuledger:witnesses_agree"}
NAMES = ("nebius", "coreweave")  # both looked at every six hours
JOB = "look_every_6_hours"


class Ticks:
    """The automation sensor, one evaluation at a time."""

    def __init__(self, defs: dg.Definitions, instance: dg.DagsterInstance) -> None:
        self.defs, self.instance = defs, instance
        self.cursor = None
        (self.sensor,) = defs.sensors or ()
        self.next()
        self.next()

    def next(self) -> set[str]:
        """Keys of the assets that this tick requests."""
        result = dg.evaluate_automation_conditions(
            self.defs, self.instance, asset_selection=self.sensor.asset_selection, cursor=self.cursor
        )
        self.cursor = result.cursor
        return {found.key.to_user_string() for found in result.results if not found.true_subset.is_empty}


def _sources() -> list[Source]:
    return [replace(all_sources()[name], requests_per_second=1e6) for name in NAMES]


def _run(
    defs: dg.Definitions, instance: dg.DagsterInstance, *keys: dg.AssetKey, downstream: bool = False
) -> dg.ExecuteInProcessResult:
    selection = dg.AssetSelection.assets(*keys)
    job = dg.define_asset_job("by_hand", selection.downstream() if downstream else selection)
    both = dg.Definitions.merge(defs, dg.Definitions(jobs=[job]))
    return both.resolve_job_def("by_hand").execute_in_process(instance=instance, raise_on_error=False)


@pytest.fixture
def instance() -> dg.DagsterInstance:
    return dg.DagsterInstance.ephemeral()


def test_the_load_is_requested_once_after_the_looks_and_not_again(tmp_path: Path, instance: dg.DagsterInstance) -> None:
    defs = build_defs(Home(tmp_path), _sources(), adapters={name: recorded_site(name) for name in NAMES})
    ticks = Ticks(defs, instance)
    assert ticks.next() == set()
    assert defs.resolve_job_def(JOB).execute_in_process(instance=instance).success
    assert ticks.next() == LOAD | CHECKS
    assert _run(defs, instance, OBSERVATION, downstream=True).success
    assert [ticks.next() for _ in range(3)] == [set()] * 3


def test_a_dead_source_does_not_hold_back_the_load(tmp_path: Path, instance: dg.DagsterInstance) -> None:
    adapters = {"nebius": recorded_site("nebius"), "coreweave": Site(lambda _: {"status": 404})}
    defs = build_defs(Home(tmp_path), _sources(), adapters=adapters)
    ticks = Ticks(defs, instance)
    result = defs.resolve_job_def(JOB).execute_in_process(instance=instance)
    assert result.success
    assert {key for event in result.get_asset_materialization_events() if (key := event.asset_key)} == {
        LOOKS,
        raw_key("nebius"),
        offers_key("nebius"),
    }
    assert ticks.next() == LOAD | CHECKS
    assert ticks.next() == set()


def test_the_load_waits_while_looks_are_going_on(tmp_path: Path, instance: dg.DagsterInstance) -> None:
    """Otherwise every source that ends would have a load of its own."""
    defs = build_defs(Home(tmp_path), _sources())
    ticks = Ticks(defs, instance)
    looking = instance.create_run_for_job(defs.resolve_job_def(JOB), status=dg.DagsterRunStatus.STARTED)
    instance.report_runless_asset_event(dg.AssetMaterialization(offers_key("coreweave")))
    assert [ticks.next() for _ in range(3)] == [set()] * 3
    instance.report_run_failed(looking)
    assert ticks.next() == LOAD | CHECKS


@pytest.mark.parametrize("ticks_before", [0, 1, 2])
def test_a_source_that_comes_in_while_the_load_runs_is_loaded_next(
    tmp_path: Path, instance: dg.DagsterInstance, ticks_before: int
) -> None:
    """Also between the request and the next tick, where the condition forgets what it has requested."""
    defs = build_defs(Home(tmp_path), _sources())
    ticks = Ticks(defs, instance)
    instance.report_runless_asset_event(dg.AssetMaterialization(offers_key("nebius")))
    assert ticks.next() == LOAD | CHECKS
    loading = instance.create_run_for_job(
        defs.resolve_implicit_global_asset_job_def(),
        asset_selection={dg.AssetKey.from_user_string(key) for key in LOAD},
        status=dg.DagsterRunStatus.STARTED,
    )
    assert [ticks.next() for _ in range(ticks_before)] == [set()] * ticks_before
    instance.report_runless_asset_event(dg.AssetMaterialization(offers_key("coreweave")))
    assert [ticks.next() for _ in range(3)] == [set()] * 3
    instance.report_run_failed(loading)
    assert ticks.next() == LOAD | CHECKS
    assert [ticks.next() for _ in range(3)] == [set()] * 3


def test_kept_pages_are_read_again_without_the_network_and_reach_the_ledger(
    tmp_path: Path, instance: dg.DagsterInstance
) -> None:
    """A redesign is mended: the pages of the look that failed are read by the new parser."""
    home = Home(tmp_path)

    def lost(pages: object) -> list[object]:
        raise LayoutChanged("the table is gone")

    nebius = _sources()[0]
    outdated = build_defs(home, [replace(nebius, parse=lost)], adapters={"nebius": recorded_site("nebius")})  # type: ignore[arg-type]
    _run(outdated, instance, raw_key("nebius"), offers_key("nebius"), LOOKS)
    assert _run(outdated, instance, OBSERVATION).success
    assert _standing(home) == []

    mended = build_defs(home, [nebius], adapters={"nebius": Site(lambda _: {"error": "no network"})})
    result = _run(mended, instance, offers_key("nebius"))
    (check,) = (found for found in result.get_asset_check_evaluations() if found.check_name == CHECK)
    assert (check.asset_key, check.check_name, check.passed) == (offers_key("nebius"), CHECK, True)
    assert _run(mended, instance, OBSERVATION).success
    assert {row["status"] for row in _standing(home)} == {"ok"}


def _standing(home: Home) -> list[dict[str, object]]:
    with opened_to_write(home.warehouse) as ledger:
        return rows(
            ledger,
            "SELECT scrape.status FROM core.observation JOIN core.scrape USING (provider, observed_at)",
        )
