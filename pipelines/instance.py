"""The Dagster instance inside the home: where its state lies and how it is configured."""

from __future__ import annotations

import os
import shutil

from pipelines.home import CHECKOUT, Home


def prepare_dagster_home(at: Home) -> None:
    """Make DAGSTER_HOME under the home with the shipped dagster.yaml, and point this process at it.

    A DAGSTER_HOME that is already set, as in the container, is left alone; so is a dagster.yaml that is there.
    """
    os.environ["DAGSTER_DISABLE_TELEMETRY"] = "1"
    os.environ["GPULEDGER_HOME"] = str(at.root)
    if "DAGSTER_HOME" in os.environ:
        return
    at.dagster.mkdir(parents=True, exist_ok=True)
    settings = at.dagster / "dagster.yaml"
    if not settings.exists():
        shutil.copyfile(CHECKOUT / "deploy" / "dagster.yaml", settings)
    os.environ["DAGSTER_HOME"] = str(at.dagster)
