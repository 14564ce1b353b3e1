"""Headers, heads and JSON that anybody may have written: a page or a named error, never a traceback."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterator
from decimal import Decimal

import pytest
from exchanges import Replay, Site, http_for
from raw_server import NOW, SOURCE, Server, answer, client, raw_server, unending

import sources.http
from sources.http import ATTEMPTS, Http, json_of
from sources.source import ErrorAnswer, Page, SourceError, StaleAnswer, Unreachable


@pytest.fixture
def server() -> Iterator[Server]:
    with raw_server() as made:
        yield made


ODD_FIGURES = [
    "²",
    "٣",
    "-1",
    "1e3",
    "",
    " ",
    "5, 6",
    "0x10",
    "\xff\xfe",
    "nan",
    "9" * 5000,
    "9" * 400,
    "0" * 5000 + "1",
]


@pytest.mark.parametrize("figure", ODD_FIGURES, ids=ascii)
@pytest.mark.parametrize("name", ["Age", "Retry-After", "Content-Length", "ETag", "Last-Modified", "Content-Encoding"])
@pytest.mark.parametrize("status", [200, 429])
def test_an_odd_header_ends_as_a_page_or_a_named_error(name: str, figure: str, status: int):
    site = Site(lambda request: {"status": status, "headers": {name: figure}, "body": [1]})
    with contextlib.suppress(StaleAnswer, Unreachable):
        assert http_for(SOURCE, site).get("https://example.test/").body == b"[1]"


@pytest.mark.parametrize("age", ["9" * 5000, "9" * 17, "0000000777600", "999999, 3", "3, 999999"])
def test_an_age_beyond_any_clock_is_old(age: str):
    site = Site(lambda request: {"headers": {"Age": age}, "body": [1]})
    with pytest.raises(StaleAnswer, match="h old"):
        http_for(SOURCE, site).get("https://example.test/")


def test_a_redirect_to_nowhere_says_so():
    site = Site(lambda request: {"status": 302, "body": ""})
    with pytest.raises(ErrorAnswer, match="redirects without saying where to"):
        http_for(SOURCE, site).get("https://example.test/")


@pytest.mark.parametrize("length", [[], ["Content-Length: many"], ["Content-Length: {}"]])
def test_a_page_that_stops_before_its_end_is_no_page(server: Server, length: list[str]):
    whole = b"<!doctype html><html><td>$1.29</td></html>\n<!-- made in 3 ms -->"

    def respond(connection: socket.socket, asked: str) -> None:
        sent = whole[: 30 if "GET /cut" in asked else None]
        connection.sendall(unending(*(header.format(len(sent)) for header in length)) + sent)

    server.respond = respond
    http, _ = client()
    assert http.get(f"{server.url}/pricing").body == whole
    with pytest.raises(Unreachable, match="stops before its </html>"):
        http.get(f"{server.url}/cut")


@pytest.mark.parametrize(
    "after", ["9" * 5000, "Tue, 01 Dec 9999 06:00:07 GMT", "Tue, 01 Dec 99999999999999 06:00 +9999"]
)
def test_retry_after_beyond_any_clock_is_not_waited_for(after: str):
    replay = Replay([{"response": {"status": 429, "headers": {"Retry-After": after}}}] * ATTEMPTS)
    slept: list[float] = []
    with pytest.raises(Unreachable, match="HTTP 429"):
        Http(SOURCE, adapter=replay, now=lambda: NOW, sleep=slept.append).get("https://example.test/")
    assert sum(slept) < 60


@pytest.mark.parametrize(
    "head",
    [
        b"HTTP/1.1 200 OK\r\nContent-Length: \xb2\r\n\r\n[1]",
        b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n[1]",
        b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\n[1]",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-5\r\n[1]\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + b"f" * 5000 + b"\r\n[1]\r\n",
        b"HTTP/1.1 \xb2\xb0\xb0 OK\r\n\r\n[1]",
        b"HTTP/1.1 99999999999 OK\r\n\r\n[1]",
        b"HTTP/1.1 200 OK\r\n" + b"A: b\r\n" * 200 + b"\r\n[1]",
        b"HTTP/1.1 200 OK\r\nA: " + b"b" * 70_000 + b"\r\n\r\n[1]",
        b"HTTP/1.1 200 OK\r\n\xff\x00 no colon\r\n\r\n[1]",
        b"\x16\x03\x01\x02\x00",
        b"HTTP/1.1 302 Found\r\nLocation: /\xff\x00\x7f\r\n\r\n",
        b"HTTP/1.1 302 Found\r\n\r\n",
    ],
    ids=lambda head: ascii(head[:60]),
)
def test_an_odd_head_ends_as_a_page_or_a_named_error(server: Server, head: bytes):
    server.respond = lambda connection, _: connection.sendall(head)
    with contextlib.suppress(SourceError):
        assert client(deadline=5)[0].get(server.url).body == b"[1]"


@pytest.mark.parametrize("tag", ['"a\x01b"', '"a\x7f"', '"' + "a" * 5000 + '"'], ids=["control", "delete", "endless"])
def test_a_validator_that_a_request_should_not_carry_is_not_kept(server: Server, tag: str):
    server.respond = lambda connection, head: connection.sendall(answer(b"[1]", f"ETag: {tag}"))
    page = client()[0].get(f"{server.url}/v1")
    assert (page.body, page.etag) == (b"[1]", "")


def test_text_is_utf_8_whatever_charset_is_declared():
    site = Site(
        lambda request: {"headers": {"Content-Type": "text/html; charset=utf-16"}, "body": b"\xe2\x82\xac 2 \xff"}
    )
    assert http_for(SOURCE, site).get("https://example.test/").text == "€ 2 \ufffd"


# --- JSON


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>Just a moment...</html>",
        b"[" * 100_000,
        b"[1e99999999999999999999]",
        b"1" * 5000,
        b'{"a": 1',
        b"\xff\xfe\x00",
    ],
)
def test_what_is_no_json_is_an_error_answer(body: bytes):
    with pytest.raises(ErrorAnswer, match="did not answer JSON"):
        json_of(Page("https://example.test/prices", body, NOW, "prices.json"))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_json_with_a_byte_order_mark_is_json(encoding: str):
    page = Page("https://example.test/prices", '{"city": "Zürich"}'.encode(encoding), NOW, "prices.json")
    assert json_of(page) == {"city": "Zürich"}


def test_json_larger_than_any_price_list_is_not_read(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sources.http, "LARGEST_JSON_BYTES", 1 << 20)
    with pytest.raises(ErrorAnswer, match="1 MB of JSON"):
        json_of(Page("https://example.test/prices", b"[" + b"{}," * (1 << 19) + b"{}]", NOW, "prices.json"))


def test_json_numbers_keep_their_digits():
    page = Page("", b'{"price": 12.290000000000000001}', NOW, "prices.json")
    assert json_of(page)["price"] == Decimal("12.290000000000000001")
