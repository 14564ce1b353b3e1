"""Loopback sites that each take a second: 13 in at most 3 s, 48 in at most 6 s of fetching."""

from __future__ import annotations

import dataclasses
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from pipelines.looks.looking import look_at_all
from sources.pages import PageStore
from sources.source import all_sources

SECONDS = 1.0


class _SlowSite(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        time.sleep(SECONDS)
        body = b'{"prices": []}'
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments: object) -> None:
        pass


def main() -> None:
    """Print how long a look at 13 and at 48 slow sites takes, pages kept."""
    for count in (13, 48):
        servers = [ThreadingHTTPServer(("127.0.0.1", 0), _SlowSite) for _ in range(count)]
        for server in servers:
            threading.Thread(target=server.serve_forever, daemon=True).start()
        pattern = next(iter(all_sources().values()))
        sources = [
            dataclasses.replace(
                pattern,
                name=f"site_{number}",
                kind="gpu_cloud",
                urls=[f"http://127.0.0.1:{server.server_port}/prices.json"],
                fetch=None,
                parts={},
                secret="",
            )
            for number, server in enumerate(servers)
        ]
        with tempfile.TemporaryDirectory() as folder:
            store = PageStore(Path(folder))
            started = time.perf_counter()
            good = 0
            for look in look_at_all(sources, store):
                store.keep(look)
                good += bool(look.pages)
            print(f"{count} sites of {SECONDS:.0f} s: {good} looked at in {time.perf_counter() - started:.2f} s")
        for server in servers:
            server.shutdown()


if __name__ == "__main__":
    main()
