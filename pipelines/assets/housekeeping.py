"""Run history is let go after a while: Dagster itself never deletes a run, and each has a database file of its own.

Nothing of the ledger is in it. With 150 runs a day it would grow by about 1 GB a month.
"""

# no `from __future__ import annotations`: Dagster reads the annotation of `context` as an object
from datetime import UTC, datetime, timedelta
from pathlib import Path

import dagster as dg
from dagster import DagsterRunStatus

from pipelines.assets.freshness import JOB as FRESHNESS_JOB
from pipelines.runs.running import ALIVE

KEPT = timedelta(days=30)
FRESHNESS_KEPT = timedelta(days=3)  # 96 runs a day that say the same
_FINISHED = [DagsterRunStatus.SUCCESS, DagsterRunStatus.FAILURE, DagsterRunStatus.CANCELED]
_AT_ONCE = 200


def forget_old_runs(instance: dg.DagsterInstance, now: datetime) -> int:
    """Delete the finished runs that are older than they are kept, with their files; returns how many."""
    forgotten = 0
    for job, kept in ((None, KEPT), (FRESHNESS_JOB, FRESHNESS_KEPT)):
        old = dg.RunsFilter(job_name=job, statuses=_FINISHED, created_before=now - kept)
        while runs := instance.get_runs(old, limit=_AT_ONCE):
            for run in runs:
                instance.delete_run(run.run_id)
                _unlink_shard(instance, run.run_id)
                forgotten += 1
    return forgotten


def housekeeping_schedule() -> dg.ScheduleDefinition:
    """Once a day, in the quiet hours."""

    @dg.op(required_resource_keys={ALIVE}, description="Deletes finished runs older than 30 days, checks after 3.")
    def delete_old_runs(context: dg.OpExecutionContext) -> None:
        context.log.info(f"{forget_old_runs(context.instance, datetime.now(UTC))} old runs deleted")

    @dg.job(description="Deletes run history that nobody will look at.")
    def housekeeping() -> None:
        delete_old_runs()

    return dg.ScheduleDefinition(
        name="housekeeping",
        job=housekeeping,
        cron_schedule="37 3 * * *",
        execution_timezone="UTC",
        default_status=dg.DefaultScheduleStatus.RUNNING,
    )


def _unlink_shard(instance: dg.DagsterInstance, run_id: str) -> None:
    """Dagster's SQLite storage empties the file of a deleted run and leaves it."""
    path_for_shard = getattr(instance.event_log_storage, "path_for_shard", None)
    if path_for_shard is None:
        return  # another kind of storage
    for ending in ("", "-wal", "-shm"):
        Path(path_for_shard(run_id) + ending).unlink(missing_ok=True)
