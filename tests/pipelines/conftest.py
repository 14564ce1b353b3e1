"""The command line over the ledger of recordings, in this process; homes in which what a first refresh lays is laid."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from alembic.config import Config
from alembic.script import ScriptDirectory
from click.testing import CliRunner, Result
from made_once import made_once

from pipelines.cli import cli
from pipelines.home import Home
from pipelines.runs.instance import opened_instance
from pipelines.runs.laying import lay_reference
from sources.source import all_sources

_read_scripts, _scripts = ScriptDirectory.from_config, dict[str, ScriptDirectory]()


def _scripts_read_once(config: Config) -> ScriptDirectory:
    """Dagster's migrations, which alembic reads anew for every database: a tenth of a second each."""
    folder = config.get_main_option("script_location") or ""
    if folder not in _scripts:
        _scripts[folder] = _read_scripts(config)
    return _scripts[folder]


ScriptDirectory.from_config = _scripts_read_once  # type: ignore[method-assign,assignment]


def _lay(root: Path) -> None:
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


@pytest.fixture
def run(recorded_home: Home, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """A command and what it printed; a fault is raised, unless it is caught to be looked at."""
    monkeypatch.setenv("GPULEDGER_HOME", str(recorded_home.root))

    def call(*arguments: str, stdin: str | None = None, catch_exceptions: bool = False) -> Result:
        return CliRunner().invoke(cli, list(arguments), input=stdin, catch_exceptions=catch_exceptions)

    return call


@pytest.fixture
def ask(run: Callable[..., Result]) -> Callable[..., Any]:
    """What a command that is done answers in JSON."""

    def call(*arguments: str) -> Any:
        result = run(*arguments, "--format", "json")
        assert result.exit_code == 0, result.output
        return json.loads(result.stdout)

    return call
