"""`gpuledger ui` from an empty home, in a real browser: the schedules, a provider's page, the node that turns red."""

from __future__ import annotations

import os
import shutil
import socket
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from browser import Tab, browser_tab
from exchanges import Site
from recorded_site import keep_good_look, recorded_site
from served_ui import RED_NODE, ServedUi, served_ui

from pipelines.home import Home
from pipelines.refreshing import refresh
from sources.source import all_sources

_SCHEDULES = """{
  schedulesOrError(repositorySelector: {repositoryName: "__repository__", repositoryLocationName: "gpuledger"}) {
    ... on Schedules { results { name cronSchedule scheduleState { status } } }
  }
  sensorsOrError(repositorySelector: {repositoryName: "__repository__", repositoryLocationName: "gpuledger"}) {
    ... on Sensors { results { name sensorState { status } } }
  }
}"""
_NODES = "{ assetNodes { assetKey { path } groupName } }"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    return Home(tmp_path_factory.mktemp("ui"))


@pytest.fixture(scope="module")
def ui(home: Home) -> Iterator[ServedUi]:
    with served_ui(home) as running:
        yield running


@pytest.fixture(scope="module")
def tab(ui: ServedUi, home: Home) -> Iterator[Tab]:
    """A browser on the UI after a refresh in which Lambda was read and Nebius, stale for days, was not."""
    assert shutil.which("chromium"), "the tests of the UI need Chromium: apt-get install chromium"
    sources = [all_sources()["lambda"], all_sources()["nebius"]]
    keep_good_look(home, all_sources()["nebius"], datetime.now(UTC) - timedelta(days=3), sources)
    adapters = {"lambda": recorded_site("lambda"), "nebius": Site(lambda _: {"status": 404})}
    assert refresh(home, sources=sources, adapters=adapters) == ["nebius"]
    with browser_tab() as tab:
        yield tab


def test_from_an_empty_home_every_schedule_and_the_sensor_run(ui: ServedUi) -> None:
    answer = ui.ask(_SCHEDULES)
    schedules = {row["name"]: row for row in answer["schedulesOrError"]["results"]}
    assert {"look_hourly", "look_every_6_hours", "look_daily", "check_freshness"} <= set(schedules)
    assert {row["scheduleState"]["status"] for row in schedules.values()} == {"RUNNING"}
    assert [row["sensorState"]["status"] for row in answer["sensorsOrError"]["results"]] == ["RUNNING"]


def test_every_source_stands_in_the_graph(ui: ServedUi) -> None:
    nodes = {tuple(node["assetKey"]["path"]) for node in ui.ask(_NODES)["assetNodes"]}
    assert {(layer, name) for layer in ("raw", "offers") for name in all_sources()} <= nodes


def test_a_providers_page_shows_its_rows_and_its_freshness_policy(ui: ServedUi, tab: Tab) -> None:
    tab.open(f"{ui.url}/assets/offers/lambda?view=overview")
    shown = tab.wait_for("Freshness policy", "Fails if more than 18 hours since last materialization", "Row count")
    assert "Warns if more than 12 hours since last materialization" in shown
    assert "provider: lambda" in shown


def test_the_page_of_a_source_that_failed_shows_why(ui: ServedUi, tab: Tab) -> None:
    tab.open(f"{ui.url}/assets/offers/nebius?view=checks")
    tab.wait_for("look_is_whole", "nebius.com/prices answered HTTP 404")


def test_the_node_turns_red_and_names_the_stale_source(ui: ServedUi, tab: Tab, tmp_path: Path) -> None:
    tab.open(f"{ui.url}/assets/published/gpuledger?view=lineage&lineageScope=upstream")
    tab.wait_for("training_cost_by_provider", RED_NODE)
    tab.open(f"{ui.url}/assets/published/gpuledger?view=checks")
    tab.wait_for("every_provider_is_fresh", "Failed", "nebius: last good look 72 h ago, allowed 18 h")
    tab.screenshot(tmp_path / "red.png")
    assert (tmp_path / "red.png").read_bytes().startswith(b"\x89PNG")


def test_it_ends_as_it_is_asked_to(ui: ServedUi) -> None:
    """Last: the webserver and the daemon end with it, so the port is free and no schedule runs on unseen."""
    assert ui.stop() == 0
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", int(ui.url.rpartition(":")[2]))) != 0
    assert not _children_of(ui.process.pid)


def _children_of(group: int) -> list[str]:
    """Command lines of the group's webservers and daemons; a code server notices a little later that it is alone."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if os.getpgid(int(entry.name)) == group:
                found.append((entry / "cmdline").read_text().replace("\0", " "))
        except (ProcessLookupError, FileNotFoundError):
            continue
    return [line for line in found if "dagster_webserver" in line or "dagster._daemon" in line]
