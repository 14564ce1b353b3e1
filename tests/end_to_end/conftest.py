"""The daemon of the scheduled path starts first and is looked at last: its first minute passes during other tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from scheduled_daemon import Daemon, daemon_left_alone


def _scheduled(item: pytest.Item) -> bool:
    return item.path.name == "test_scheduled_path.py"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    places = [place for place, item in enumerate(items) if item.path.parent == Path(__file__).parent]
    for place, item in zip(places, sorted((items[place] for place in places), key=_scheduled), strict=True):
        items[place] = item


@pytest.fixture(scope="session", autouse=True)
def _daemon_starts_first(request: pytest.FixtureRequest) -> None:
    if any(_scheduled(item) for item in request.session.items):
        request.getfixturevalue("daemon")


@pytest.fixture(scope="session")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    with daemon_left_alone(tmp_path_factory.mktemp("scheduled")) as running:
        yield running
