"""The reference tables in the ledger: chips, LLMs, constants, what costs take. No price is in them.

So they are laid before the prices come in, by a process of their own on a core that the looks leave idle. Where that
one did not come to it, the step of the load lays them.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from pipelines.frames.reference import reference_frames, reference_made_of
from pipelines.home import CHECKOUT, Home, home
from sources.source import Source, all_sources
from warehouse.database import LedgerOfAnotherVersion, WarehouseBusy, WarehouseDamaged
from warehouse.laying import load_reference, reference_stands


def lay_reference(at: Home, sources: Sequence[Source]) -> None:
    """Lay the reference tables where the ledger holds none, or other ones. Raises WarehouseBusy."""
    made_of = reference_made_of(sources)
    if not reference_stands(at.warehouse, made_of):
        load_reference(at.warehouse, reference_frames(sources), made_of)


@contextmanager
def laid_beside(at: Home) -> Iterator[subprocess.Popen[bytes] | None]:
    """Lay them in another process meanwhile, if they have to be laid; whatever ails it is told by the load."""
    if _stands(at):
        yield None
        return
    command = [sys.executable, "-P", "-m", "pipelines.runs.laying"]
    paths = [str(CHECKOUT), *filter(None, [os.environ.get("PYTHONPATH")])]  # this code, wherever it is asked
    environment = os.environ | {"GPULEDGER_HOME": str(at.root), "PYTHONPATH": os.pathsep.join(paths)}
    quiet = subprocess.DEVNULL
    with subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=quiet, stderr=quiet) as process:
        try:
            yield process
        finally:
            process.kill()  # it has ended long ago, or what it would lay is there


def _stands(at: Home) -> bool:
    """Whether there is nothing to do, or nothing that can be done while another program has the ledger."""
    try:
        return reference_stands(at.warehouse, reference_made_of(list(all_sources().values())), wait_seconds=0)
    except (WarehouseBusy, WarehouseDamaged, LedgerOfAnotherVersion):
        return True


def _end_with_who_started_this() -> None:
    """Wait for the end of the standard input, which comes when the other process is gone, whatever ended it."""
    os.read(0, 1)
    os._exit(1)


if __name__ == "__main__":
    threading.Thread(target=_end_with_who_started_this, daemon=True).start()
    lay_reference(home(), list(all_sources().values()))
