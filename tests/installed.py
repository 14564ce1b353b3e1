"""The installed program itself, as a process; not a test by itself."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

GPULEDGER = Path(sys.executable).with_name("gpuledger")


def process(*arguments: str, home: Path, **more) -> subprocess.CompletedProcess[str]:
    """Its end, with what it wrote; it sees no environment but its home and what is given."""
    environment = {"GPULEDGER_HOME": str(home), "PATH": ""} | more.pop("env", {})
    return subprocess.run(
        [GPULEDGER, *arguments],
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
        **{"stdout": subprocess.PIPE} | more,
    )
