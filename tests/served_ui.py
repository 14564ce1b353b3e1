"""`gpuledger ui` as a user starts it, on a free port of the loopback address; not a test by itself."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipelines.home import CHECKOUT, Home

# the node of the published ledger in a lineage graph, with fewer checks passed than there are
RED_NODE = re.compile(r"gpuledger\s+Latest event\s+[^\n]+\s+Asset checks\s+(\d+) / (?!\1 )\d+ Passed")
STEP_SECONDS = 0.2
START_SECONDS, STOP_SECONDS = 120.0, 60.0


@dataclass
class ServedUi:
    """The running UI with its daemon."""

    url: str
    process: subprocess.Popen[bytes]
    log: Path

    def ask(self, query: str) -> Any:
        """The data of a GraphQL answer."""
        request = urllib.request.Request(
            f"{self.url}/graphql",
            data=json.dumps({"query": query}).encode(),
            headers={"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)["data"]

    def stop(self) -> int:
        """Ask it to end, as Ctrl-C does; returns its exit code."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(timeout=STOP_SECONDS)


@contextmanager
def served_ui(home: Home) -> Iterator[ServedUi]:
    """Started on `home`, over recordings in place of the network; whatever is left of it is ended with the block."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    home.root.mkdir(parents=True, exist_ok=True)
    log = home.root / "ui.log"
    environment = os.environ | {"GPULEDGER_HOME": str(home.root), "GPULEDGER_RECORDED": "1"}
    environment.pop("DAGSTER_HOME", None)
    with log.open("wb") as output:
        process = subprocess.Popen(
            [Path(sys.executable).with_name("gpuledger"), "ui", "--port", str(port)],
            cwd=CHECKOUT,
            env=environment,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        ui = ServedUi(f"http://127.0.0.1:{port}", process, log)
        try:
            _wait_until_it_answers(ui)
            yield ui
        finally:
            if process.poll() is None:
                process.terminate()
            _end_group(process)


def _wait_until_it_answers(ui: ServedUi) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and ui.process.poll() is None:
        try:
            ui.ask("{ version }")
            return
        except (urllib.error.URLError, ConnectionError):
            time.sleep(STEP_SECONDS)
    raise TimeoutError(f"the UI did not come up:\n{ui.log.read_text()[-3000:]}")


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """End the code servers too: they would only notice after a while that they are alone."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(timeout=STOP_SECONDS)
