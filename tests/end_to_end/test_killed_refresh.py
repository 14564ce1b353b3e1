"""`kill -9` in the middle of a load: the next refresh neither waits for the dead one nor lacks anything."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import dagster as dg

from pipelines.home import Home
from pipelines.runs.instance import dagster_home
from warehouse.database import opened_to_read, value

SECONDS = 120.0


def _refresh(home: Home) -> subprocess.Popen[bytes]:
    program = Path(sys.executable).with_name("gpuledger")
    environment = {name: value for name, value in os.environ.items() if name != "DAGSTER_HOME"}
    return subprocess.Popen(
        [program, "refresh", "--recorded", "oci"],
        env=environment | {"GPULEDGER_HOME": str(home.root)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def test_a_refresh_after_one_that_was_killed_in_its_load(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    victim = _refresh(home)
    deadline = time.monotonic() + SECONDS
    while not home.warehouse.exists():  # made by the load, which holds the pool
        assert victim.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.005)
    victim.kill()
    assert victim.wait() == -signal.SIGKILL
    assert not home.ledger.exists()

    assert _refresh(home).wait(timeout=SECONDS) == 0
    with opened_to_read(home.ledger) as ledger:
        assert value(ledger, "SELECT count(*) FROM price_now WHERE provider = 'oci'") == 21  # as the page sells
    with dg.DagsterInstance.from_config(str(dagster_home(home))) as instance:
        statuses = [run.status for run in instance.get_runs()]  # newest first
    assert statuses == [
        dg.DagsterRunStatus.SUCCESS,
        dg.DagsterRunStatus.SUCCESS,
        dg.DagsterRunStatus.FAILURE,
        dg.DagsterRunStatus.SUCCESS,
    ]
    assert not list(home.running.iterdir())
