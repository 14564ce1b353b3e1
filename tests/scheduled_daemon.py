"""The real daemon, left to itself: a schedule of every minute, recorded pages, one dead site; not a test by itself."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from recorded_site import keep_good_look, publish_ledger

from pipelines.home import CHECKOUT, Home
from pipelines.runs.instance import dagster_home
from sources.source import Source, all_sources

DEAD, WELL = "oci", ("ecb", "nebius")
LONG_AGO = datetime.now(UTC).replace(microsecond=0) - timedelta(days=30)

CODE = """
from pathlib import Path

from exchanges import Site
from recorded_site import recorded_site
from scheduled_daemon import DEAD, WELL, sources_of_every_minute

from pipelines.definitions import build_defs
from pipelines.home import Home

sites = {name: recorded_site(name) for name in WELL}
sites[DEAD] = Site(lambda request: {"error": "connection refused"})
defs = build_defs(Home(Path(HOME)), sources_of_every_minute(), adapters=sites)
"""


@dataclass
class Daemon:
    """A daemon over a ledger that was published before it started."""

    home: Home
    process: subprocess.Popen[bytes]
    log: Path
    published_before: int  # the inode of the published file


def sources_of_every_minute() -> list[Source]:
    hurry = {"every": timedelta(minutes=1), "requests_per_second": 1e6}
    seconds = {name: 30 for name in WELL} | {DEAD: 3}
    return [replace(all_sources()[name], deadline=timedelta(seconds=seconds[name]), **hurry) for name in seconds]


@contextmanager
def daemon_left_alone(folder: Path) -> Iterator[Daemon]:
    """Started over month-old looks; ends with the block, its code server and runs included."""
    home = Home(folder / "home")
    sources = sources_of_every_minute()
    for source in sources:
        keep_good_look(home, source, LONG_AGO, sources)
    publish_ledger(home, sources)
    code, log = folder / "every_minute.py", folder / "daemon.log"
    code.write_text(CODE.replace("HOME", repr(str(home.root))))
    paths = os.pathsep.join([str(CHECKOUT), str(CHECKOUT / "tests")])
    with log.open("wb") as output:
        process = subprocess.Popen(
            [Path(sys.executable).with_name("dagster-daemon"), "run", "-f", str(code)],
            cwd=CHECKOUT,
            env=os.environ | {"DAGSTER_HOME": str(dagster_home(home)), "PYTHONPATH": paths},
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        yield Daemon(home, process, log, home.ledger.stat().st_ino)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(timeout=30)
