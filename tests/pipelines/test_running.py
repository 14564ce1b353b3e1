"""A run that was killed must not hold back the next one: it would keep the pool for ever."""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import dagster as dg
import pytest

from pipelines.assets.ledger import OBSERVATION, POOL
from pipelines.definitions import build_defs
from pipelines.home import Home
from pipelines.runs.instance import InstanceBroken, opened_instance
from pipelines.runs.running import bury_dead_runs, held
from sources.source import all_sources


@pytest.fixture
def instance(laid_home: Home, tmp_path_factory: pytest.TempPathFactory) -> dg.DagsterInstance:
    """Of no home, with a pool for one."""
    databases = shutil.copytree(
        laid_home.dagster, tmp_path_factory.mktemp("instance") / "dagster", ignore=shutil.ignore_patterns("*.yaml")
    )
    return dg.DagsterInstance.local_temp(str(databases), overrides={"concurrency": {"pools": {"default_limit": 1}}})


def _started(instance: dg.DagsterInstance, home: Home) -> dg.DagsterRun:
    """A run that has begun and holds the pool."""
    defs = build_defs(home, [all_sources()["oci"]])
    run = instance.create_run_for_job(
        defs.resolve_implicit_global_asset_job_def(),
        asset_selection={OBSERVATION},
        status=dg.DagsterRunStatus.STARTED,
    )
    instance.event_log_storage.initialize_concurrency_limit_to_default(POOL)
    assert instance.event_log_storage.claim_concurrency_slot(POOL, run.run_id, "warehouse__observation").is_claimed
    home.running.mkdir(parents=True, exist_ok=True)
    return run


def _claimed(instance: dg.DagsterInstance) -> list[str]:
    return [slot.run_id for slot in instance.event_log_storage.get_concurrency_info(POOL).claimed_slots]


def test_a_run_whose_process_is_gone_is_ended_and_its_pool_freed(tmp_path: Path, instance: dg.DagsterInstance) -> None:
    home = Home(tmp_path)
    dead = _started(instance, home)
    (home.running / f"{dead.run_id}.lock").touch()  # what kill -9 leaves: the file without its lock
    assert bury_dead_runs(home.running, instance) == [dead.run_id]
    assert instance.get_run_by_id(dead.run_id).status == dg.DagsterRunStatus.FAILURE  # type: ignore[union-attr]
    assert _claimed(instance) == []
    assert bury_dead_runs(home.running, instance) == []
    assert list(home.running.iterdir()) == []


def test_a_run_that_lives_is_left_alone(tmp_path: Path, instance: dg.DagsterInstance) -> None:
    home = Home(tmp_path)
    living = _started(instance, home)
    with (home.running / f"{living.run_id}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert bury_dead_runs(home.running, instance) == []
    assert instance.get_run_by_id(living.run_id).status == dg.DagsterRunStatus.STARTED  # type: ignore[union-attr]
    assert _claimed(instance) == [living.run_id]


def test_a_run_buries_the_dead_before_it_waits_for_the_pool_and_leaves_no_lock(
    tmp_path: Path, instance: dg.DagsterInstance
) -> None:
    home = Home(tmp_path)
    dead = _started(instance, home)
    (home.running / f"{dead.run_id}.lock").touch()
    job = dg.define_asset_job("by_hand", dg.AssetSelection.assets(OBSERVATION))
    defs = dg.Definitions.merge(build_defs(home, [all_sources()["oci"]]), dg.Definitions(jobs=[job]))
    assert defs.resolve_job_def("by_hand").execute_in_process(instance=instance).success
    assert list(home.running.iterdir()) == []


@contextmanager
def _refreshing(home: Home) -> Iterator[subprocess.Popen[str]]:
    """A refresh by hand that has come to its load; ended with the test."""
    program = Path(sys.executable).with_name("gpuledger")
    environment = {name: value for name, value in os.environ.items() if name != "DAGSTER_HOME"}
    with subprocess.Popen(
        [program, "refresh", "--recorded", "oci"],
        env=environment | {"GPULEDGER_HOME": str(home.root)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr
        try:
            for line in process.stderr:
                if line.startswith("loading"):
                    break
            yield process
        finally:
            process.kill()


def test_a_refresh_that_waits_ends_at_a_signal_and_goes_on_when_the_other_has_died(new_home: Home) -> None:
    home = new_home
    with opened_instance(home) as ours:
        living = _started(ours, home)
        with (home.running / f"{living.run_id}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            with _refreshing(home) as waiting:
                while len(ours.event_log_storage.get_concurrency_run_ids()) < 2:
                    assert waiting.poll() is None
                    time.sleep(0.05)
                waiting.send_signal(signal.SIGTERM)
                assert waiting.wait(timeout=30) == 128 + signal.SIGTERM
                assert waiting.stderr
                assert waiting.stderr.read().startswith("stopped; ")
            assert [run.run_id for run in ours.get_runs() if not run.is_finished] == [living.run_id]
            with _refreshing(home) as waiting:
                while len(ours.event_log_storage.get_concurrency_run_ids()) < 2:
                    assert waiting.poll() is None
                    time.sleep(0.05)
                lock.close()  # the other dies
                assert waiting.wait(timeout=100) == 0
        assert home.ledger.exists()


def test_a_run_that_could_not_say_that_it_ended_keeps_no_place(new_home: Home) -> None:
    """On a full disk the lock file goes with the process, and the place in the pool stays in the database."""
    with opened_instance(new_home) as ours:
        dead = _started(ours, new_home)
        assert bury_dead_runs(new_home.running, ours) == [dead.run_id]
        assert _claimed(ours) == []


def test_a_run_of_this_process_is_held_once_from_before_it_is_created_until_its_end(
    tmp_path: Path, instance: dg.DagsterInstance
) -> None:
    with held(tmp_path, "run", instance):
        with held(tmp_path, "run", instance):
            assert bury_dead_runs(tmp_path, instance) == []
        assert [path.name for path in tmp_path.iterdir()] == ["run.lock"]
    assert list(tmp_path.iterdir()) == []


def test_what_opens_the_instance_ends_the_runs_that_were_killed(new_home: Home) -> None:
    home = new_home
    with opened_instance(home) as ours:
        dead = _started(ours, home)
    (home.running / f"{dead.run_id}.lock").touch()
    with opened_instance(home) as ours:
        assert ours.get_run_by_id(dead.run_id).status == dg.DagsterRunStatus.FAILURE  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("name", "bytes_left"),
    [
        ("history/runs.db", None),
        ("history/runs/index.db", 5000),
        ("schedules/schedules.db", None),
        ("history/runs.db", 0),  # as a full disk leaves it
        ("history/runs/index.db", 0),
        ("schedules/schedules.db", 0),
    ],
)
def test_a_damaged_database_of_dagster_is_set_aside_and_said(new_home: Home, name: str, bytes_left: int | None) -> None:
    home, said = new_home, list[str]()
    path = home.dagster / name
    content = b"no database" * 1000 if bytes_left is None else path.read_bytes()[:bytes_left]
    path.write_bytes(content)
    with opened_instance(home, said.append) as ours:
        assert ours.get_runs() == []
    assert said[0].startswith(f"{path} was damaged and is set aside: ")
    assert path.with_name(f"{path.name}.damaged").read_bytes() == content
    with opened_instance(home, said.append):
        assert len(said) == 1


def test_a_damaged_database_of_somebody_elses_instance_is_named_and_left(
    tmp_path: Path, laid_home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = Home(tmp_path / "home")
    monkeypatch.setenv("DAGSTER_HOME", str(shutil.copytree(laid_home.dagster, tmp_path / "theirs")))
    path = tmp_path / "theirs" / "history" / "runs.db"
    path.write_bytes(b"no database" * 1000)
    with pytest.raises(InstanceBroken, match=rf"{path} is damaged: restore it"), opened_instance(home):
        pass
    assert path.read_bytes() == b"no database" * 1000


@pytest.mark.parametrize("settings", [b"concurrency: [", b"- a", b"\xff", b"nonsense: 1", b"concurrency: 5"])
def test_settings_that_cannot_be_read_are_named_and_left(tmp_path: Path, settings: bytes) -> None:
    home = Home(tmp_path)
    home.dagster.mkdir()
    path = home.dagster / "dagster.yaml"
    path.write_bytes(settings)
    with pytest.raises(InstanceBroken, match=rf"^{path} cannot be read \(.{{5,200}}\): mend it"), opened_instance(home):
        pass
    assert path.read_bytes() == settings


def test_first_runs_at_once_lay_the_instance_one_after_the_other(tmp_path: Path) -> None:
    code = """
import os, sys
from pathlib import Path
from pipelines.home import Home
from pipelines.runs.instance import opened_instance
def open_it():
    with opened_instance(Home(Path(sys.argv[1]))) as instance:
        return len(instance.get_runs())
racing = []
for _ in range(4):  # of one process that has imported all, so that they begin at once
    if not (child := os.fork()):
        code = 99
        try:
            code = open_it()
        finally:
            os._exit(code)
    racing.append(child)
print([os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in racing])
"""
    raced = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, timeout=100)
    assert raced.stdout == "[0, 0, 0, 0]\n", raced.stderr  # runs that each of them sees
