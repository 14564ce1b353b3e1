"""One exchange on the wire: how long an answer may take, where a redirect may lead, what a failure is called.

A timeout of an HTTP library is for a single read from the network, so that headers or chunk sizes of a byte a second
never end. Here it is for the answer as a whole. Retries, pacing and caps are in http.py, the body in bodies.py.
"""

from __future__ import annotations

import io
import socket
import time
from collections.abc import Collection
from http.client import HTTPResponse
from typing import Any
from urllib.parse import urljoin, urlsplit

import requests
from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.exceptions import HTTPError, NewConnectionError, ProxyError

from sources.source import ErrorAnswer

SILENT_SECONDS = 30.0  # without a single byte


class _Received(io.RawIOBase):
    """What a socket receives within its timeout from now on, and never SILENT_SECONDS without a byte."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock, self._raw = sock, sock.makefile("rb", buffering=0)
        self._ends = time.monotonic() + (sock.gettimeout() or SILENT_SECONDS)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        left = self._ends - time.monotonic()
        if left <= 0:
            raise TimeoutError("the answer took too long")
        self._sock.settimeout(min(left, SILENT_SECONDS))
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()


class _Answer(HTTPResponse):
    """Status, headers, chunk sizes and body: all are read from here, also what a proxy answers."""

    def __init__(self, sock: socket.socket, *args: Any, **named: Any) -> None:
        super().__init__(sock, *args, **named)
        self.fp.close()
        self.fp = io.BufferedReader(_Received(sock))


class _Connection(HTTPConnection):
    response_class = _Answer


class _TLSConnection(HTTPSConnection):
    response_class = _Answer


class _Pool(HTTPConnectionPool):
    ConnectionCls = _Connection


class _TLSPool(HTTPSConnectionPool):
    ConnectionCls = _TLSConnection


class WholeAnswers(HTTPAdapter):
    """An adapter whose read timeout is for the answer as a whole, from its status line to its last byte."""

    def init_poolmanager(self, *args: Any, **named: Any) -> None:
        super().init_poolmanager(*args, **named)
        self.poolmanager.pool_classes_by_scheme = {"http": _Pool, "https": _TLSPool}

    def proxy_manager_for(self, proxy: str, **named: Any) -> Any:
        manager = super().proxy_manager_for(proxy, **named)
        manager.pool_classes_by_scheme = self.poolmanager.pool_classes_by_scheme
        return manager


class NoRedirects(requests.Session):
    """A session that leaves redirects to `redirected`: requests would read their bodies, without bound, to prepare."""

    def get_redirect_target(self, resp: requests.Response) -> str | None:
        """None, whatever the answer says."""
        return None


def redirected(url: str, location: str, hosts: Collection[str]) -> str:
    """Where a redirect leads. Raises ErrorAnswer for nowhere, another host, or plain HTTP after HTTPS."""
    if not location:
        raise ErrorAnswer(f"{where(url)} redirects without saying where to")
    try:
        target = urljoin(url, location)
        there, here = urlsplit(target), urlsplit(url)
    except ValueError:  # which repeats the address, and maybe a key
        raise ErrorAnswer(f"{where(url)} redirects to something that is no address") from None
    if there.scheme not in ("http", "https"):
        raise ErrorAnswer(f"{where(url)} redirects from {here.scheme} to {target.partition('?')[0]}")
    if there.netloc not in hosts:
        raise ErrorAnswer(f"{where(url)} redirects to another host, {there.netloc}")
    if there.scheme != here.scheme and there.scheme != "https":
        raise ErrorAnswer(f"{where(url)} redirects from {here.scheme} to {there.scheme}")
    return target


def where(url: str) -> str:
    """Host and path, without a query string that may hold a key."""
    parts = urlsplit(url)
    return f"{parts.netloc}{parts.path}"


def never_connected(error: Exception) -> bool:
    """Whether the name did not resolve, or the host refused or kept silent: nothing was sent."""
    reason = getattr(error.args[0] if error.args else None, "reason", None)
    return isinstance(error, requests.ConnectTimeout) or isinstance(reason, (NewConnectionError, ProxyError))


def in_words(error: requests.RequestException | HTTPError) -> str:
    """What went wrong, for people, without anything that a server or an address says."""
    kinds = {
        requests.ConnectTimeout: "no connection in time",
        requests.ReadTimeout: "no answer in time",
        requests.exceptions.SSLError: "the TLS handshake failed",
        requests.ConnectionError: "the connection failed",
    }
    if never_connected(error) and not isinstance(error, requests.Timeout):
        return "no connection to the host (is there a network?)"
    return next((words for kind, words in kinds.items() if isinstance(error, kind)), type(error).__name__)
