"""The HTTP client against servers that cut, drip, redirect and answer from caches: real sockets on loopback."""

from __future__ import annotations

import gzip
import json
import socket
import time
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
import requests
from exchanges import Replay, Site, http_for
from raw_server import NOW, SOURCE, Server, answer, client, raw_server, unending

import sources.http
from sources.connections import WholeAnswers
from sources.http import ATTEMPTS, Http
from sources.source import ErrorAnswer, Page, StaleAnswer, Unreachable


class Held:
    """A page store that holds one page."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def last_page(self, url: str) -> Page | None:
        return self.page if url == self.page.url else None


@pytest.fixture
def server() -> Iterator[Server]:
    with raw_server() as made:
        yield made


# --- whole bodies or none


@pytest.mark.parametrize(
    "broken",
    [
        pytest.param(answer(b'{"prices": [', length=100), id="fewer bytes than said"),
        pytest.param(unending("Transfer-Encoding: chunked") + b"5\r\n[1, 2\r\n", id="no last chunk"),
        pytest.param(unending("Transfer-Encoding: chunked") + b"zz\r\n[1, 2\r\n", id="broken chunk"),
        pytest.param(unending("Content-Encoding: gzip") + gzip.compress(b"[1, 2]" * 1000)[:-9], id="cut gzip"),
        pytest.param(answer(b"no gzip at all", "Content-Encoding: gzip"), id="no gzip"),
        pytest.param(answer(b"[]", "Content-Encoding: br"), id="an encoding nobody asked for"),
    ],
)
def test_broken_body_is_asked_for_again_and_never_handed_on(server: Server, broken: bytes):
    server.respond = lambda connection, head: connection.sendall(broken)
    http, slept = client()
    with pytest.raises(Unreachable, match="after 4 tries"):
        http.get(server.url)
    assert len(server.heads) == ATTEMPTS
    assert len(slept) >= ATTEMPTS - 1

    server.respond = lambda connection, head: connection.sendall(broken if len(server.heads) % 2 else answer(b"[1]"))
    assert http.get(server.url).body == b"[1]"


@pytest.mark.parametrize("members", [1, 3])
def test_compressed_body_is_the_page(server: Server, members: int):
    body = b"".join(gzip.compress(b"[%d]" % number * 50_000) for number in range(members))
    server.respond = lambda connection, head: connection.sendall(answer(body, "Content-Encoding: gzip"))
    assert client()[0].get(server.url).body == b"".join(b"[%d]" % number * 50_000 for number in range(members))


def test_empty_connection_is_unreachable(server: Server):
    server.respond = lambda connection, head: None
    with pytest.raises(Unreachable, match="connection failed after 4 tries"):
        client()[0].get(server.url)


def test_a_host_that_cannot_be_connected_to_is_given_up_soon(server: Server):
    """A machine without a network has fifty sources of many pages each to be told of."""
    http, slept = client()
    with socket.create_server(("127.0.0.1", 0)) as closed:
        url = f"http://127.0.0.1:{closed.getsockname()[1]}/prices"
    with pytest.raises(Unreachable, match=r"no connection to the host \(is there a network\?\) after 2 tries"):
        http.get(url)
    with pytest.raises(Unreachable, match="after 1 try"):
        http.get(f"{url}?page=2")
    assert sum(slept) < 5


# --- bounded time and memory


@pytest.mark.parametrize(
    ("head", "piece"),
    [
        pytest.param(unending(), b"[", id="plain"),
        pytest.param(unending(), b"", id="a head and then silence"),
        pytest.param(answer(b"", length=10_000), b"[", id="of a known length"),
        pytest.param(
            unending("Content-Encoding: gzip") + gzip.compress(b"")[:10], b"\0\0\0\xff\xff", id="gzip of nothing"
        ),
        pytest.param(unending("Transfer-Encoding: chunked"), b"0", id="the size of a chunk"),
        pytest.param(unending("Transfer-Encoding: chunked") + b"0\r\n", b"A", id="what follows the last chunk"),
        pytest.param(b"", b"H", id="a status line"),
        pytest.param(b"HTTP/1.1 200 OK\r\nA: ", b"b", id="a header"),
        pytest.param(b"", b"HTTP/1.1 100 Continue\r\n\r\n", id="heads before the head"),
    ],
)
def test_dripping_answer_ends_at_the_deadline(server: Server, head: bytes, piece: bytes):
    def respond(connection: socket.socket, _: str) -> None:
        connection.sendall(head)
        server.drip(connection, piece)

    server.respond = respond
    began = time.monotonic()
    with pytest.raises(Unreachable, match=r"took longer than 0:00:00\.3"):
        client(deadline=0.3)[0].get(server.url)
    assert time.monotonic() - began < 20  # and not SILENT_SECONDS


def test_silent_server_ends_at_the_deadline(server: Server):
    server.respond = lambda connection, head: server.drip(connection, b"")
    began = time.monotonic()
    with pytest.raises(Unreachable, match=r"took longer than 0:00:00\.3.* \(no answer in time\)"):
        client(deadline=0.3)[0].get(server.url)
    assert time.monotonic() - began < 20  # and not SILENT_SECONDS


def test_body_is_capped_also_when_it_was_small_on_the_wire(server: Server, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sources.http, "MAX_BYTES", 1 << 20)
    for body, headers in ((b"x" * (2 << 20), ()), (gzip.compress(bytes(50 << 20), 1), ("Content-Encoding: gzip",))):
        whole = answer(body, *headers)
        server.respond = lambda connection, head, whole=whole: connection.sendall(whole)
        tracemalloc.start()
        with pytest.raises(Unreachable, match="sent more than 1 MB"):
            client()[0].get(server.url)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 12 << 20


def test_requests_to_one_host_are_paced(server: Server):
    slept: list[float] = []
    source = replace(SOURCE, requests_per_second=0.5)
    http = Http(source, adapter=WholeAnswers(), now=lambda: NOW, sleep=slept.append)
    for _ in range(3):
        http.get(server.url)
    assert [round(wait) for wait in slept] == [2, 4]  # as no time passes while nothing sleeps


# --- retries


@pytest.mark.parametrize("after", ["7", "Tue, 01 Dec 2026 06:00:07 GMT"])
def test_retry_after_is_obeyed(after: str):
    replay = Replay([{"response": {"status": 429, "headers": {"Retry-After": after}}}, {"response": {"body": [1]}}])
    slept: list[float] = []
    http = Http(SOURCE, adapter=replay, now=lambda: NOW, sleep=slept.append)
    assert http.get("https://example.test/").body == b"[1]"
    assert 7.0 in slept


def test_retry_after_beyond_the_deadline_is_not_waited_for():
    replay = Replay([{"response": {"status": 429, "headers": {"Retry-After": "86400"}}}])
    slept: list[float] = []
    http = Http(SOURCE, adapter=replay, now=lambda: NOW, sleep=slept.append)
    with pytest.raises(Unreachable, match="HTTP 429, and no time left"):
        http.get("https://example.test/")
    assert not slept


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410])
def test_refusal_is_not_repeated(status: int):
    replay = Replay([{"response": {"status": status}}])
    with pytest.raises(Unreachable, match=f"HTTP {status}"):
        http_for(SOURCE, replay).get("https://example.test/")


# --- conditional requests and caches


def held_page(url: str) -> Page:
    return Page(url, b'{"prices": [1]}', NOW - timedelta(days=9), "prices.json", etag='"abc"')


def test_unchanged_page_gives_the_kept_bytes_freshly_looked_at(server: Server):
    server.respond = lambda connection, head: connection.sendall(b"HTTP/1.1 304 Not Modified\r\n\r\n")
    http, _ = client(kept=Held(held_page(f"{server.url}/v1/prices")))
    page = http.get(f"{server.url}/v1/prices")
    assert 'If-None-Match: "abc"' in server.heads[0]
    assert (page.body, page.observed_at, page.unchanged, page.etag) == (b'{"prices": [1]}', NOW, True, '"abc"')


def test_changed_page_replaces_the_kept_one(server: Server):
    server.respond = lambda connection, head: connection.sendall(answer(b"[2]", 'ETag: "def"'))
    page = client(kept=Held(held_page(f"{server.url}/v1/prices")))[0].get(f"{server.url}/v1/prices")
    assert (page.body, page.etag, page.unchanged) == (b"[2]", '"def"', False)


@pytest.mark.parametrize("status", [200, 304])
def test_answer_of_an_old_cache_is_refused(status: int):
    """A connect timeout, a 503, then a copy nine days old: it may not be dated today."""
    url = "https://api.example-gpu.test/v1/prices"
    replay = Replay(
        [
            {"response": {"error": "connect timeout"}},
            {"response": {"status": 503, "body": "upstream unavailable"}},
            {"response": {"status": status, "headers": {"Age": "777600", "X-Cache": "HIT"}, "body": {"prices": []}}},
        ]
    )
    with pytest.raises(StaleAnswer, match="216 h old"):
        http_for(SOURCE, replay, now=NOW, kept=Held(held_page(url))).get(url)


def test_answer_of_a_fresh_cache_is_fine():
    replay = Replay([{"response": {"headers": {"Age": "3600"}, "body": [1]}}])
    assert http_for(SOURCE, replay).get("https://example.test/").body == b"[1]"


def test_post_carries_json_and_no_condition():
    seen: list[requests.PreparedRequest] = []

    def respond(request: requests.PreparedRequest) -> dict[str, Any]:
        seen.append(request)
        return {"body": [1]}

    url = "https://example.test/prices"
    page = http_for(SOURCE, Site(respond), kept=Held(held_page(url))).post(url, json={"gpu": "H100"}, book="H100")
    assert json.loads(seen[0].body or b"") == {"gpu": "H100"}
    assert "If-None-Match" not in seen[0].headers
    assert (page.book, page.unchanged) == ("H100", False)


# --- redirects


def test_redirect_within_the_host_is_followed_and_its_body_is_not_read(server: Server):
    def respond(connection: socket.socket, head: str) -> None:
        if head.startswith("GET /new "):
            connection.sendall(answer(b"[1]"))
        else:
            connection.sendall(b"HTTP/1.1 301 Moved\r\nLocation: /new\r\n\r\n")
            server.drip(connection, b"x" * 100)

    server.respond = respond
    assert client(deadline=5)[0].get(f"{server.url}/old").body == b"[1]"


@pytest.mark.parametrize(
    ("location", "reason"),
    [
        ("https://login.elsewhere.test/?next=prices", "another host, login.elsewhere.test"),
        ("//elsewhere.test/", "another host"),
        ("http://example.test/", "from https to http"),
        ("https://[broken/", "no address"),
        ("ftp://example.test/prices", "from https to ftp"),
        ("file:///etc/passwd?key=sesame", "from https to file:///etc/passwd$"),
    ],
)
def test_redirect_away_is_an_error_answer(location: str, reason: str):
    site = Site(lambda request: {"status": 302, "headers": {"Location": location}})
    with pytest.raises(ErrorAnswer, match=reason):
        http_for(SOURCE, site).get("https://example.test/prices", secret_headers={"X-Key": "sesame"})
    assert len(site.requests) == 1


def test_redirect_without_end_is_unreachable():
    site = Site(lambda request: {"status": 302, "headers": {"Location": "/again"}})
    with pytest.raises(Unreachable, match="more than 5 redirects"):
        http_for(SOURCE, site).get("https://example.test/prices")


def test_redirect_to_a_named_host_is_followed():
    source = replace(SOURCE, hosts=("cdn.example.test",))
    site = Site(
        lambda request: (
            {"body": [1]}
            if "cdn" in (request.url or "")
            else {"status": 307, "headers": {"Location": "https://cdn.example.test/prices"}}
        )
    )
    assert http_for(source, site).get("https://example.test/prices").body == b"[1]"
