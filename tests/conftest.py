"""What every test stands on: no real network, no inherited home, no keys."""

from __future__ import annotations

import gc
import ipaddress
import os
import shutil
import socket
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from made_once import made_once
from recorded_ledger import recorded_ledger

from pipelines.cli import RARELY
from pipelines.home import Home

# A busy machine makes no property false.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")
gc.set_threshold(*RARELY)  # as the command line does
os.environ["DAGSTER_DISABLE_TELEMETRY"] = "1"
os.environ.pop("DAGSTER_HOME", None)
for variable in [name for name in os.environ if name.endswith(("_API_KEY", "_TOKEN")) or name.startswith("GPULEDGER_")]:
    del os.environ[variable]


@pytest.fixture(scope="session")
def recorded_home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A published ledger of every recording, one for all workers; read it, never write it."""
    return Home(made_once(tmp_path_factory, "recorded", recorded_ledger))


def _lay(root: Path) -> None:
    from pipelines.runs.instance import opened_instance  # Dagster, which most tests do without
    from pipelines.runs.laying import lay_reference
    from sources.source import all_sources

    with opened_instance(Home(root)):
        lay_reference(Home(root), list(all_sources().values()))


@pytest.fixture(scope="session")
def laid_home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """Dagster's databases and the reference tables, and no look; one for all workers: copy it, never write it."""
    return Home(made_once(tmp_path_factory, "laid", _lay))


@pytest.fixture
def new_home(laid_home: Home, tmp_path: Path) -> Home:
    """A home in which nothing was looked at yet, and what a first refresh lays is laid."""
    return Home(shutil.copytree(laid_home.root, tmp_path / "home"))


def _is_local(address: object) -> bool:
    if not isinstance(address, tuple):  # a Unix socket
        return True
    try:
        return ipaddress.ip_address(address[0]).is_loopback
    except ValueError:
        return address[0] == "localhost"


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test that reaches for the real network fails; loopback servers are fine."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: object) -> None:
        if not _is_local(address):
            raise AssertionError(f"a test tried to connect to {address}")
        connect(self, address)  # type: ignore[arg-type]

    monkeypatch.setattr(socket.socket, "connect", guarded)


def pytest_xdist_auto_num_workers() -> int:
    """One more than there are cores: a daemon, a browser and deadlines are waited for."""
    return (os.cpu_count() or 1) + 1


def pytest_configure(config: pytest.Config) -> None:
    """Each worker of a whole run begins to collect at another file: what one has compiled, the others only read."""
    worker = getattr(config, "workerinput", None)
    if worker and not config.option.file_or_dir:
        sys.dont_write_bytecode = False
        files = sorted(str(file) for file in Path(__file__).parent.rglob("test_*.py"))
        first = len(files) * int(worker["workerid"].removeprefix("gw")) // worker["workercount"]
        config.args[:] = files[first:] + files[:first]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: item.path)  # in one order again


def pytest_unconfigure() -> None:
    gc.freeze()  # what ends with the process need not be searched for cycles first
