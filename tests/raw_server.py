"""A server on the loopback address that answers in bytes, and a client of it; not a test by itself."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from sources.connections import WholeAnswers
from sources.http import Http
from sources.source import Source

NOW = datetime(2026, 12, 1, 6, 0, tzinfo=UTC)
Respond = Callable[[socket.socket, str], None]

SOURCE = Source(
    name="example",
    title="Example",
    homepage="https://example.test",
    kind="gpu_cloud",
    access="api",
    every=timedelta(hours=1),
    unit_note="",
    parse=lambda pages: (),
    requests_per_second=1000.0,
)


class Server:
    """Hands every connection, with the head of its request, to `respond`, and closes it afterwards."""

    def __init__(self) -> None:
        self.respond: Respond = lambda connection, head: connection.sendall(answer(b"{}"))
        self.heads: list[str] = []
        self.closing = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        while not self.closing.is_set():
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        with connection:
            head = b""
            while b"\r\n\r\n" not in head:
                piece = connection.recv(65536)
                if not piece:
                    return
                head += piece
            self.heads.append(head.decode())
            with contextlib.suppress(OSError):  # the client has had enough
                self.respond(connection, head.decode())

    def drip(self, connection: socket.socket, piece: bytes) -> None:
        """`piece` every 10 ms until the client or the test goes away."""
        while not self.closing.wait(0.01):
            connection.sendall(piece)

    def close(self) -> None:
        self.closing.set()
        self._listener.close()


@contextlib.contextmanager
def raw_server() -> Iterator[Server]:
    """Open until the block ends."""
    made = Server()
    yield made
    made.close()


def answer(body: bytes, *headers: str, status: str = "200 OK", length: int | None = None) -> bytes:
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body) if length is None else length}", "Connection: close"]
    return "\r\n".join([*lines, *headers, "", ""]).encode() + body


def unending(*headers: str) -> bytes:
    """The head of an answer whose body goes on until the connection closes."""
    return "\r\n".join(["HTTP/1.1 200 OK", "Connection: close", *headers, "", ""]).encode()


def client(deadline: float = 20.0, **given: Any) -> tuple[Http, list[float]]:
    """The client over real sockets, and what it slept: without waiting."""
    slept: list[float] = []
    source = replace(SOURCE, deadline=timedelta(seconds=deadline))
    return Http(source, adapter=WholeAnswers(), now=lambda: NOW, sleep=slept.append, **given), slept
