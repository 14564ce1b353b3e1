"""The command line over the ledger of recordings, in this process."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from click.testing import CliRunner, Result

from pipelines.cli import cli
from pipelines.home import Home


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
