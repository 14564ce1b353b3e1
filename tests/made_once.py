"""What is dear to make and only read or copied: made by the first worker that needs it; not a test by itself."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable
from pathlib import Path

import pytest


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """The folder of that name, whole, one for all workers of a run."""
    mine = factory.getbasetemp()
    shared = mine.parent if "PYTEST_XDIST_WORKER" in os.environ else mine
    with (shared / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (whole := shared / f"{name}-is-whole").exists():
            make(shared / name)
            whole.touch()
    return shared / name
