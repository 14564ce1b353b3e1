"""The Dagster instance inside the home: where its state lies and how it is configured."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import dagster as dg

from pipelines.home import CHECKOUT, Home

os.environ["DAGSTER_DISABLE_TELEMETRY"] = "1"  # also where somebody else's dagster.yaml says nothing of it


def dagster_home(at: Home) -> Path:
    """The folder of Dagster's state: inside the home, with the shipped dagster.yaml where there is none yet.

    A DAGSTER_HOME from outside goes before and is left as it is.
    """
    if outside := os.environ.get("DAGSTER_HOME"):
        return Path(outside).resolve()
    at.dagster.mkdir(parents=True, exist_ok=True)
    settings = at.dagster / "dagster.yaml"
    if not settings.exists():
        shutil.copyfile(CHECKOUT / "deploy" / "dagster.yaml", settings)
    return at.dagster


@contextmanager
def opened_instance(at: Home) -> Iterator[dg.DagsterInstance]:
    """The instance of the home, its databases made by one process at a time: two that lay them at once break both."""
    at.root.mkdir(parents=True, exist_ok=True)
    with (at.root / ".dagster.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        instance = dg.DagsterInstance.from_config(str(dagster_home(at)))
        instance.get_runs(limit=1)
        instance.all_instigator_state()
        instance.event_log_storage.get_concurrency_keys()
    with instance:
        yield instance


def prepare_dagster_home(at: Home) -> None:
    """Lay the instance where there is none and point the Dagster processes that this one starts at it."""
    with opened_instance(at):
        os.environ["DAGSTER_HOME"] = str(dagster_home(at))
        os.environ["GPULEDGER_HOME"] = str(at.root)
