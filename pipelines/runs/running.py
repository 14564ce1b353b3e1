"""Which runs are alive: each holds a lock on a file of its own, which the kernel lets go when its process dies.

Dagster's launcher on one host cannot tell a dead run from a slow one: a run killed in the middle of a load would stay
"started", keep its place in the pool and hold back every load after it. So each run buries the dead ones, first and
for as long as it lives.
"""

from __future__ import annotations

import fcntl
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TypeVar

import dagster as dg
from sqlalchemy.exc import SQLAlchemyError

from pipelines.home import Home

ALIVE = "alive"  # the resource that every asset and check requires
SECONDS_BETWEEN_LOOKS = 5.0  # at who has died while this run waits for its turn
SECONDS_TO_BURY = 5.0  # for what a signal ends; the next run does it otherwise
Result = TypeVar("Result")
_ours: dict[Path, tuple[IO[str], dg.DagsterInstance | None]] = {}  # the locks of the runs of this process


def alive_resource(home: Home) -> dg.ResourceDefinition:
    """Held for as long as a run lives; made before the run waits for its turn in a pool."""

    @dg.resource(description="Says that the run is alive, and ends the runs whose process is gone.")
    @contextmanager
    def alive(context: dg.InitResourceContext) -> Iterator[None]:
        bury_dead_runs(home.running, context.instance)
        with (
            held(home.running, context.run.run_id if context.run else "unnamed", context.instance),
            _burying(home.running, context.instance),
        ):
            yield

    return alive


def ended_by_signals(work: Callable[[], Result], say: Callable[[str], None]) -> Result:
    """What `work` gives; SIGINT, SIGTERM and SIGHUP end the process and its run at once, in one line.

    Dagster holds signals back while a step runs or waits, but not in a thread. Whatever is killed is taken up again by
    the next run. Outside the main thread, which alone may set handlers, nothing is changed.
    """
    if threading.current_thread() is not threading.main_thread():
        return work()

    def stop(number: int, _: object) -> None:
        for again in numbers:
            signal.signal(again, signal.SIG_DFL)
        with suppress(OSError):  # the terminal may be gone
            say("stopped; what is kept stays, and the next refresh goes on from there")
        burying = threading.Thread(target=_bury_ours, daemon=True)  # the work may hold what it waits for
        burying.start()
        burying.join(SECONDS_TO_BURY)
        os._exit(128 + number)

    wanted = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    numbers = [number for number in wanted if signal.getsignal(number) != signal.SIG_IGN]
    before = {number: signal.signal(number, stop) for number in numbers}
    try:
        with ThreadPoolExecutor(1, thread_name_prefix="refresh") as thread:
            return thread.submit(work).result()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def bury_dead_runs(folder: Path, instance: dg.DagsterInstance | None) -> list[str]:
    """Mark the runs that died as failed and free what they held; returns their ids.

    Dead are a run whose file nobody locks and, where the instance is the home's own, one that stands in a pool without
    a file: it could not say that it ended, as on a full disk.
    """
    if instance is None:
        return []
    files = {path.stem: path for path in folder.glob("*.lock")}
    ours = Path(instance.root_directory).resolve().is_relative_to(folder.parent.resolve())
    waiting = instance.event_log_storage.get_concurrency_run_ids() if ours else set()
    buried = []
    for run_id in sorted(files.keys() | waiting):
        path = folder / f"{run_id}.lock"
        if _is_held(path) or (run_id in files and not path.exists()):  # the latter has just ended by itself
            continue
        if (run := instance.get_run_by_id(run_id)) and not run.is_finished:
            instance.report_run_failed(run, "the process of this run was killed; its work is done by the next run")
            buried.append(run_id)
        instance.event_log_storage.free_concurrency_slots_for_run(run_id)
        path.unlink(missing_ok=True)
    return buried


def _bury_ours() -> None:
    """End the runs of this process as if it were gone, which it will be."""
    for path, (file, instance) in list(_ours.items()):
        with suppress(OSError, SQLAlchemyError):
            fcntl.flock(file, fcntl.LOCK_UN)
            bury_dead_runs(path.parent, instance)


@contextmanager
def _burying(folder: Path, instance: dg.DagsterInstance | None) -> Iterator[None]:
    """Bury those that die meanwhile: this run may wait for the place of one in a pool."""
    over = threading.Event()

    def watch() -> None:
        while not over.wait(SECONDS_BETWEEN_LOOKS):
            with suppress(OSError, SQLAlchemyError):  # a disk that is full now may be free the next time
                bury_dead_runs(folder, instance)

    watching = threading.Thread(target=watch, name="bury", daemon=True)
    watching.start()
    try:
        yield
    finally:
        over.set()
        watching.join()


@contextmanager
def held(folder: Path, run_id: str, instance: dg.DagsterInstance | None) -> Iterator[None]:
    """The lock of a run, once for a process. The file takes its name when it is already locked: nobody sees it free
    while the run lives.
    """
    folder.mkdir(parents=True, exist_ok=True)
    draft, path = folder / f".{run_id}-{os.getpid()}", folder / f"{run_id}.lock"
    if path in _ours:
        yield
        return
    with draft.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        draft.replace(path)
        _ours[path] = file, instance
        try:
            yield
        finally:
            del _ours[path]
            path.unlink(missing_ok=True)


def _is_held(path: Path) -> bool:
    try:
        with path.open() as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except FileNotFoundError:
        pass
    return False
