"""The Dagster instance inside the home: where its state lies and how it is configured."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from pipelines.home import CHECKOUT, Home

os.environ["DAGSTER_DISABLE_TELEMETRY"] = "1"  # also where somebody else's dagster.yaml says nothing of it


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


def prepare_dagster_home(at: Home) -> None:
    """Point the Dagster processes that this one starts at the home."""
    os.environ["DAGSTER_HOME"] = str(dagster_home(at))
    os.environ["GPULEDGER_HOME"] = str(at.root)
