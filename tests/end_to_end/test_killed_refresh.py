"""`kill -9` in the middle of a load: the next refresh neither waits for the dead one nor lacks anything."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import dagster as dg

from pipelines.assets.ledger import POOL
from pipelines.home import Home
from pipelines.runs.instance import dagster_home
from warehouse.database import opened_to_read, value

SECONDS = 120.0


def _refresh(home: Home) -> subprocess.Popen[str]:
    program = Path(sys.executable).with_name("gpuledger")
    environment = {name: value for name, value in os.environ.items() if name != "DAGSTER_HOME"}
    return subprocess.Popen(
        [program, "refresh", "--recorded", "oci"],
        env=environment | {"GPULEDGER_HOME": str(home.root)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_a_refresh_after_one_that_was_killed_in_its_load(new_home: Home) -> None:
    home = new_home
    victim = _refresh(home)
    assert victim.stderr
    assert any(line.startswith("loading") for line in victim.stderr)
    deadline = time.monotonic() + SECONDS
    with dg.DagsterInstance.from_config(str(dagster_home(home))) as instance:
        while not instance.event_log_storage.get_concurrency_info(POOL).claimed_slots:
            assert victim.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.005)
    victim.kill()
    victim.communicate()
    assert victim.returncode == -signal.SIGKILL
    assert not home.ledger.exists()

    after = _refresh(home)
    after.communicate(timeout=SECONDS)
    assert after.returncode == 0
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
