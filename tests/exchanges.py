"""HTTP exchanges replayed in order through the injected transport; not a test by itself.

An exchange is {"request": {"method", "url"}, "response": {"status", "headers", "body"} or {"error": text}}.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import unquote_plus, urlsplit

import requests
import urllib3
from requests.adapters import BaseAdapter

from sources.http import Http, KeptPages
from sources.source import Source

NOW = datetime(2026, 11, 30, 6, 0, tzinfo=UTC)


def answer(request: requests.PreparedRequest, response: Mapping[str, Any]) -> requests.Response:
    """A requests.Response whose raw body streams like a real one."""
    if error := response.get("error"):
        kind = requests.ConnectTimeout if "timeout" in error else requests.ConnectionError
        raise kind(error, request=request)
    body = response.get("body", b"")
    if not isinstance(body, bytes):
        body = body.encode() if isinstance(body, str) else json.dumps(body).encode()
    headers = dict(response.get("headers", {}))
    made = requests.Response()
    made.status_code = response.get("status", 200)
    made.headers.update(headers)
    made.raw = urllib3.HTTPResponse(
        body=io.BytesIO(body), headers=headers, status=made.status_code, preload_content=False
    )
    made.request, made.url = request, request.url or ""
    return made


class Replay(BaseAdapter):
    """Answers requests with the given exchanges, in order; a request out of order is a failed test."""

    def __init__(self, exchanges: Iterable[Mapping[str, Any]]) -> None:
        super().__init__()
        self.left = list(exchanges)
        self.requests: list[requests.PreparedRequest] = []

    def send(self, request: requests.PreparedRequest, **_: Any) -> requests.Response:  # type: ignore[override]
        self.requests.append(request)
        assert self.left, f"one request too many: {request.method} {request.url}"
        exchange = self.left.pop(0)
        wanted = exchange.get("request", {})
        if url := wanted.get("url"):
            assert urlsplit(unquote_plus(request.url or "")).path == urlsplit(unquote_plus(url)).path
        assert request.method == wanted.get("method", request.method)
        return answer(request, exchange["response"])

    def close(self) -> None:
        pass


class Site(BaseAdapter):
    """Answers each request by a function of the request: for sources that are dead, slow, lying or redesigned."""

    def __init__(self, respond: Callable[[requests.PreparedRequest], Mapping[str, Any]]) -> None:
        super().__init__()
        self.respond = respond
        self.requests: list[requests.PreparedRequest] = []

    def send(self, request: requests.PreparedRequest, **_: Any) -> requests.Response:  # type: ignore[override]
        self.requests.append(request)
        return answer(request, self.respond(request))

    def close(self) -> None:
        pass


def http_for(
    source: Source,
    adapter: BaseAdapter,
    *,
    kept: KeptPages | None = None,
    now: datetime = NOW,
    secrets: Mapping[str, str] | None = None,
) -> Http:
    """The real client over a replayed transport; waiting costs no time."""
    return Http(source, kept=kept, adapter=adapter, now=lambda: now, sleep=lambda _: None, secrets=secrets)
