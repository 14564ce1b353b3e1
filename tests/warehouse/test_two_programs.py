"""Two programs at one warehouse: loads take turns, a person in the wrong file is named, nothing is lost or twice."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from ledgers import Ledger, moment, offer

from warehouse.database import WarehouseBusy, opened_to_read, value
from warehouse.load import load
from warehouse.publish import publish

PERSON = """
import sys, duckdb
held = duckdb.connect(sys.argv[1], read_only=sys.argv[2] == "reading")
print("open", flush=True)
sys.stdin.read()
"""
LOADER = """
import sys
from pathlib import Path
from ledgers import Ledger
from warehouse.load import load
ledger = Ledger(Path(sys.argv[1]))
print("ready", flush=True)
sys.stdin.readline()
print(load(ledger.path, ledger.files).scrapes)
"""
ROOTS = os.pathsep.join(str(folder) for folder in (Path(__file__).parents[2], Path(__file__).parents[1]))


@pytest.fixture
def ledger(tmp_path):
    made = Ledger(tmp_path)
    made.look(moment(1), offer("box", "24.00"))
    made.load()
    return made


@contextmanager
def program(code: str, *arguments: object) -> Iterator[subprocess.Popen[str]]:
    """Another process that has said its first line; it ends when its input does."""
    with subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": ROOTS},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout.readline()
        yield process
        process.stdin.close()


def looks_of_thirty_providers(ledger: Ledger) -> None:
    for number in range(30):
        name = f"provider{number:02}"
        ledger.look(moment(2), offer("box", "24.00", provider=name), provider=name)


def test_two_loads_at_the_same_time_both_end_well_and_store_nothing_twice(ledger):
    looks_of_thirty_providers(ledger)
    with program(LOADER, ledger.root) as first, program(LOADER, ledger.root) as second:
        for process in (first, second):
            process.stdin.write("go\n")
            process.stdin.flush()
        loaded = [int(process.stdout.readline()) for process in (first, second)]
    assert sorted(loaded) == [0, 30]
    assert value_of(ledger, "SELECT count(*) FROM core.observation") == 31


@pytest.mark.parametrize("doing", ["reading", "writing"])
def test_a_person_in_the_private_file_is_waited_for_so_long_and_then_named(ledger, doing):
    looks_of_thirty_providers(ledger)
    with program(PERSON, ledger.path, doing) as person:
        with pytest.raises(WarehouseBusy) as busy:
            load(ledger.path, ledger.files, wait_seconds=0.3)
        said = str(busy.value)
        assert "\n" not in said
        assert str(ledger.path) in said
        assert "close it and read the published copy instead" in said
        assert f"PID {person.pid}" in said
    assert load(ledger.path, ledger.files).scrapes == 30  # the next load brings all of it


def test_a_load_goes_on_as_soon_as_the_person_leaves_and_readers_of_the_published_copy_never_notice(ledger):
    ledger.refer()
    ledger.recompute()
    published = publish(ledger.path, ledger.root / "published").path
    looks_of_thirty_providers(ledger)
    with program(PERSON, ledger.path, "writing") as person:
        outcomes = []
        loading = threading.Thread(target=lambda: outcomes.append(load(ledger.path, ledger.files, wait_seconds=60)))
        loading.start()
        deadline = time.monotonic() + 30
        while not taken(ledger.path.with_suffix(".lock")):  # until it has its turn and waits for the file
            assert time.monotonic() < deadline, "the load never took its turn"
        with opened_to_read(published) as dashboard:
            assert value(dashboard, "SELECT count(*) FROM price_now") == 1
        person.stdin.close()
        loading.join()
        assert outcomes[0].scrapes == 30
    publish(ledger.path, ledger.root / "published")
    with opened_to_read(published) as dashboard:
        assert value(dashboard, "SELECT count(*) FROM price_now") == 31


def test_a_turn_that_another_refresh_keeps_is_waited_for_so_long(ledger):
    with ledger.path.with_suffix(".lock").open("w") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        with pytest.raises(WarehouseBusy, match="another refresh has been writing"):
            load(ledger.path, ledger.files, wait_seconds=0.1)
        with pytest.raises(WarehouseBusy, match="try again when it is done"):
            publish(ledger.path, ledger.root / "published", wait_seconds=0.1)
    assert load(ledger.path, ledger.files).scrapes == 0


def taken(lock: Path) -> bool:
    with lock.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        return False


def value_of(ledger: Ledger, query: str) -> object:
    with ledger.opened() as connection:
        return value(connection, query)
