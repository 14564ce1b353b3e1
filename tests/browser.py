"""Debian's Chromium without a window, driven through its DevTools protocol; not a test by itself."""

from __future__ import annotations

import base64
import json
import re
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect  # uvicorn brings it, which dagster-webserver needs

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--hide-scrollbars",
    "--remote-debugging-port=0",
)
BUSY = ("Loading", "fetching")
STEP_SECONDS = 0.2  # between two looks at something that is not there yet


class Tab:
    """One page of the browser."""

    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection
        self._number = 0

    def open(self, url: str, *, width: int = 1600, height: int = 1000) -> None:
        self._call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self._call("Page.navigate", url=url)

    def wait_for(self, *words: str | re.Pattern[str], seconds: float = 60.0) -> str:
        """The page's text once it holds all the words or patterns. Raises TimeoutError with the text that it had."""
        deadline = time.monotonic() + seconds
        while True:
            text = str(self.ask("document.body ? document.body.innerText : ''"))
            missing = [word for word in words if not (word in text if isinstance(word, str) else word.search(text))]
            if not missing:
                return text
            if time.monotonic() > deadline:
                raise TimeoutError(f"the page never showed {missing}; it shows:\n{text[:3000]}")
            time.sleep(STEP_SECONDS)

    def wait_until_still(self, seconds: float = 60.0) -> None:
        """Nothing is loading and the text, ages in seconds aside, stays the same for a second. Raises TimeoutError."""
        deadline, before, since = time.monotonic() + seconds, "", time.monotonic()
        while time.monotonic() < deadline:
            text = re.sub(r"\d+ seconds? ago", "", str(self.ask("document.body.innerText")))
            if text != before or any(word in text for word in BUSY):
                before, since = text, time.monotonic()
            elif time.monotonic() - since > 1:
                return
            time.sleep(STEP_SECONDS)
        raise TimeoutError(f"the page never came to rest; it shows:\n{before[:3000]}")

    def ask(self, expression: str) -> Any:
        """The value of a JavaScript expression in the page."""
        answer = self._call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        return answer["result"].get("value")

    def screenshot(self, target: Path) -> None:
        """Write the window as PNG."""
        answer = self._call("Page.captureScreenshot", format="png")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(base64.b64decode(answer["data"]))

    def _call(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._number += 1
        self._connection.send(json.dumps({"id": self._number, "method": method, "params": parameters}))
        while True:
            answer = json.loads(self._connection.recv(timeout=60))
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return dict(answer["result"])


@contextmanager
def browser_tab(program: str = "chromium") -> Iterator[Tab]:
    """A tab of a browser of its own, with an empty profile; ends with the block."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = subprocess.Popen(
            [program, *FLAGS, f"--user-data-dir={profile}", "about:blank"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            port = _port(Path(profile) / "DevToolsActivePort", browser)
            asked = urllib.request.Request(f"http://127.0.0.1:{port}/json/new?about:blank", method="PUT")
            with urllib.request.urlopen(asked, timeout=30) as answer:
                address = json.load(answer)["webSocketDebuggerUrl"]
            with connect(address, max_size=None, open_timeout=30) as connection:
                yield Tab(connection)
        finally:
            browser.terminate()
            browser.wait(timeout=30)


def _port(file: Path, browser: subprocess.Popen[bytes], seconds: float = 60.0) -> int:
    """The port that the browser writes down once it listens."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline and browser.poll() is None:
        lines = file.read_text().splitlines() if file.exists() else []
        if len(lines) >= 2:
            return int(lines[0])
        time.sleep(STEP_SECONDS)
    raise TimeoutError(f"{browser.args} did not come up")
