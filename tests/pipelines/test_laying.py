"""The reference tables, laid beside the looks by another process: there when it ends, and no worse off without it."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest

from pipelines.frames.reference import reference_made_of
from pipelines.home import Home
from pipelines.runs.laying import laid_beside, lay_reference
from sources.source import all_sources
from warehouse.database import turn_to_write
from warehouse.laying import reference_stands

SOURCES = list(all_sources().values())


def stands(at: Home) -> bool:
    return reference_stands(at.warehouse, reference_made_of(SOURCES))


@pytest.fixture(scope="module")
def laid(tmp_path_factory: pytest.TempPathFactory) -> tuple[Home, int]:
    """A home that another process laid, started where another package has the name of this one; and how it ended."""
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "pipelines").mkdir()
    (elsewhere / "pipelines" / "__init__.py").write_text("raise SystemExit('another package')")
    at = Home(elsewhere / "home")
    with contextlib.chdir(elsewhere), laid_beside(at) as process:
        assert process
        return at, process.wait()


def test_another_process_lays_what_this_one_would(laid: tuple[Home, int]) -> None:
    at, _ = laid
    assert stands(at)
    with laid_beside(at) as process:
        assert process is None


def test_it_is_of_the_installed_package_wherever_it_is_started(laid: tuple[Home, int]) -> None:
    _, ended = laid
    assert ended == 0


def test_a_killed_one_leaves_the_work_to_the_load(tmp_path: Path) -> None:
    at = Home(tmp_path)
    with laid_beside(at) as process:
        assert process
        process.kill()
        process.wait()
        lay_reference(at, SOURCES)
    assert stands(at)


def test_nothing_is_started_while_another_program_writes(tmp_path: Path) -> None:
    at = Home(tmp_path)
    with turn_to_write(at.warehouse), laid_beside(at) as process:
        assert process is None


def test_it_ends_with_the_process_that_started_it(tmp_path: Path) -> None:
    with laid_beside(Home(tmp_path)) as process:
        assert process
        assert process.stdin
        process.stdin.close()  # as the kernel does for one that was killed
        assert process.wait() == 1
