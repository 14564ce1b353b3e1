"""Which runs are alive: each holds a lock on a file of its own, which the kernel lets go when its process dies.

Dagster's launcher on one host cannot tell a dead run from a slow one: a run killed in the middle of a load would stay
"started", keep its place in the pool and hold back every load after it. So each run first buries the dead ones.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import dagster as dg

from pipelines.home import Home

ALIVE = "alive"  # the resource that every asset and check requires


def alive_resource(home: Home) -> dg.ResourceDefinition:
    """Held for as long as a run lives; made before the run waits for its turn in a pool."""

    @dg.resource(description="Says that the run is alive, and ends the runs whose process is gone.")
    @contextmanager
    def alive(context: dg.InitResourceContext) -> Iterator[None]:
        bury_dead_runs(home.running, context.instance)
        with _held(home.running, context.run.run_id if context.run else "unnamed"):
            yield

    return alive


def bury_dead_runs(folder: Path, instance: dg.DagsterInstance | None) -> list[str]:
    """Mark the runs that died as failed and free what they held; returns their ids."""
    buried = []
    for path in sorted(folder.glob("*.lock")) if instance else []:
        if _is_held(path):
            continue
        run = instance.get_run_by_id(path.stem) if instance else None
        if instance and run:
            if not run.is_finished:
                instance.report_run_failed(run, "the process of this run was killed; its work is done by the next run")
                buried.append(run.run_id)
            instance.event_log_storage.free_concurrency_slots_for_run(run.run_id)
        path.unlink(missing_ok=True)
    return buried


@contextmanager
def _held(folder: Path, run_id: str) -> Iterator[None]:
    """The lock of a run. The file takes its name when it is already locked: nobody sees it free while the run lives."""
    folder.mkdir(parents=True, exist_ok=True)
    draft, path = folder / f".{run_id}-{os.getpid()}", folder / f"{run_id}.lock"
    with draft.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        draft.replace(path)
        try:
            yield
        finally:
            path.unlink(missing_ok=True)


def _is_held(path: Path) -> bool:
    try:
        with path.open() as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except FileNotFoundError:  # it has just ended by itself
        return True
    return False
