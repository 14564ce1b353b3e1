"""The Dagster instance inside the home: where its state lies, how it is configured, what is done when it is damaged.

The truth of the ledger is in the kept pages and what was read of them; Dagster holds the history of runs and which
schedules are off. So a damaged database of it is set aside and begins anew; settings are left to who wrote them.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import dagster as dg
from alembic.config import Config
from alembic.script import ScriptDirectory
from dagster_shared.check import CheckError
from sqlalchemy.exc import DatabaseError
from yaml import YAMLError  # type: ignore[import-untyped]

from pipelines.home import CHECKOUT, Home
from pipelines.runs.running import bury_dead_runs

os.environ["DAGSTER_DISABLE_TELEMETRY"] = "1"  # also where somebody else's dagster.yaml says nothing of it

_read_scripts, _scripts = ScriptDirectory.from_config, dict[str, ScriptDirectory]()


def _scripts_read_once(config: Config) -> ScriptDirectory:
    """Dagster's migrations, which alembic reads anew for every database: a tenth of a second each."""
    folder = config.get_main_option("script_location") or ""
    if folder not in _scripts:
        _scripts[folder] = _read_scripts(config)
    return _scripts[folder]


ScriptDirectory.from_config = _scripts_read_once  # type: ignore[method-assign]

_OF_SETTINGS = (dg.DagsterError, CheckError, YAMLError, TypeError, ValueError)  # what Dagster raises for wrong ones

_LOST_WITH = {
    "history/runs.db": "the list of runs begins anew",
    "history/runs/index.db": "the log of events begins anew",
    "schedules/schedules.db": "schedules that were off are on again",
}


class InstanceBroken(OSError):
    """Dagster's settings or one of its databases cannot be read; says which file and what to do."""


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
def opened_instance(at: Home, say: Callable[[str], None] = lambda line: None) -> Iterator[dg.DagsterInstance]:
    """The instance of the home, its databases made by one process at a time: two that lay them at once break both.

    A damaged database is set aside, which is said; runs whose process was killed are marked as failed. Raises
    InstanceBroken.
    """
    at.root.mkdir(parents=True, exist_ok=True)
    with (at.root / ".dagster.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if _empty_ones(dagster_home(at)):  # which Dagster would fill without a word
            set_damaged_aside(at, say)
        try:
            instance = _laid(at)
        except DatabaseError:
            if not set_damaged_aside(at, say):
                raise
            instance = _laid(at)
    with instance:
        yield instance


def prepare_dagster_home(at: Home, say: Callable[[str], None] = lambda line: None) -> None:
    """Lay the instance where there is none and point the Dagster processes that this one starts at it."""
    with opened_instance(at, say):
        os.environ["DAGSTER_HOME"] = str(dagster_home(at))
        os.environ["GPULEDGER_HOME"] = str(at.root)


def set_damaged_aside(at: Home, say: Callable[[str], None]) -> bool:
    """Whether some of Dagster's SQLite files are none any more; each is renamed to <name>.damaged, and said.

    Raises InstanceBroken for one under a DAGSTER_HOME from outside, which is left as it is.
    """
    folder = dagster_home(at)
    empty = _empty_ones(folder)
    damaged = [path for path in sorted(folder.rglob("*.db")) if path in empty or not _is_whole(path)]
    if damaged and folder != at.dagster:
        raise InstanceBroken(f"{damaged[0]} is damaged: restore it, or move it away to begin anew")
    for path in damaged:
        for ending in ("-wal", "-shm", ""):
            file = path.with_name(path.name + ending)
            if file.exists():
                file.replace(file.with_name(f"{file.name}.damaged"))
        lost = _LOST_WITH.get(path.relative_to(folder).as_posix(), "the log of one run is lost")
        say(f"{path} was damaged and is set aside: {lost}; the ledger stays as it is")
    return bool(damaged)


def _laid(at: Home) -> dg.DagsterInstance:
    """The instance with each of its databases opened once, and the runs that were killed ended."""
    folder = dagster_home(at)
    try:
        instance = dg.DagsterInstance.from_config(str(folder))
    except _OF_SETTINGS as error:
        lines = [line.strip() for line in str(error).splitlines()]
        reason = next((line for line in lines if line.startswith("Error 1")), lines[0])
        reason = reason.partition(" Expected: ")[0]  # which repeats all that there can be
        raise InstanceBroken(
            f"{folder / 'dagster.yaml'} cannot be read ({reason}): mend it, or move it away for the one that is shipped"
        ) from None
    instance.get_runs(limit=1)
    instance.all_instigator_state()
    instance.event_log_storage.get_concurrency_keys()
    bury_dead_runs(at.running, instance)
    return instance


def _empty_ones(folder: Path) -> set[Path]:
    """Those of no byte, as a full disk leaves them; that of a single run has none for a moment after it is made."""
    return {path for path in map(folder.joinpath, _LOST_WITH) if path.exists() and path.stat().st_size == 0}


def _is_whole(path: Path) -> bool:
    try:
        with closing(sqlite3.connect(path)) as database:
            return database.execute("PRAGMA quick_check(1)").fetchall() == [("ok",)]
    except sqlite3.OperationalError:
        return True  # in use, or not allowed: nothing is known against it
    except sqlite3.DatabaseError:
        return False
