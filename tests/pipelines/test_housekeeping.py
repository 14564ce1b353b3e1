"""Old run history goes, recent history and the latest state of every asset stay."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import dagster as dg

from pipelines.assets.housekeeping import forget_old_runs
from pipelines.definitions import build_defs
from pipelines.home import Home
from pipelines.runs.instance import dagster_home
from sources.source import all_sources


def test_finished_runs_and_their_files_go_after_their_time(new_home: Home) -> None:
    home = new_home
    defs = build_defs(home, [all_sources()["oci"]], recorded=True)
    now = datetime.now(UTC)
    with dg.DagsterInstance.from_config(str(dagster_home(home))) as instance:
        looked = defs.resolve_job_def("look_daily").execute_in_process(instance=instance)
        checked = defs.resolve_job_def("check_freshness").execute_in_process(instance=instance)
        going_on = instance.create_run_for_job(defs.resolve_job_def("look_daily"), status=dg.DagsterRunStatus.STARTED)
        files = home.dagster / "history" / "runs"

        assert forget_old_runs(instance, now + timedelta(days=2)) == 0

        assert forget_old_runs(instance, now + timedelta(days=4)) == 1
        assert {run.run_id for run in instance.get_runs()} == {looked.run_id, going_on.run_id}
        assert not list(files.glob(f"{checked.run_id}*"))
        assert list(files.glob(f"{looked.run_id}*"))

        assert forget_old_runs(instance, now + timedelta(days=31)) == 1
        assert {run.run_id for run in instance.get_runs()} == {going_on.run_id}
        assert not list(files.glob(f"{looked.run_id}*"))


def test_the_job_runs(tmp_path: Path) -> None:
    job = build_defs(Home(tmp_path), [all_sources()["oci"]]).resolve_job_def("housekeeping")
    assert job.execute_in_process(instance=dg.DagsterInstance.ephemeral()).success
