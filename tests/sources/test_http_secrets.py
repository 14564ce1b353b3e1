"""Keys: what cannot be one is named by its variable, and none is ever told."""

from __future__ import annotations

import traceback
from typing import Any

import pytest
import requests
from exchanges import Site, http_for
from raw_server import SOURCE

from sources.source import MissingSecret, SourceError, Unreachable

SECRET = "sesame-open-4711"


def test_secret_travels_in_the_request_and_nowhere_else():
    def respond(request: requests.PreparedRequest) -> dict[str, Any]:
        assert SECRET in (request.url or "")
        assert request.headers["X-Key"] == SECRET
        return {"body": {"next": f"/prices?page=2&key={SECRET}", "prices": [1]}}

    http = http_for(SOURCE, Site(respond), secrets={"EXAMPLE_API_KEY": SECRET})
    page = http.get(
        "https://example.test/prices",
        params={"page": 1},
        secret_params={"key": http.secret("EXAMPLE_API_KEY")},
        secret_headers={"X-Key": http.secret("EXAMPLE_API_KEY")},
    )
    assert SECRET not in repr(page) + page.text
    assert page.url == "https://example.test/prices?page=1"
    assert http.secret("ANOTHER_VARIABLE") == ""


@pytest.mark.parametrize(
    "response",
    [
        {"status": 403, "body": f"bad key {SECRET}"},
        {"status": 500},
        {"status": 302, "headers": {"Location": f"https://elsewhere.test/?key={SECRET}"}},
        {"status": 302, "headers": {"Location": f"/?key={SECRET}"}},
        {"status": 429, "headers": {"Retry-After": "86400"}},
        {"headers": {"Age": "777600"}},
        {"error": f"refused https://example.test/?key={SECRET}"},
    ],
)
def test_no_failure_tells_the_secret(response: dict[str, Any]):
    http = http_for(SOURCE, Site(lambda request: response), secrets={"EXAMPLE_API_KEY": SECRET})
    with pytest.raises(SourceError) as failure:
        http.get("https://example.test/prices", secret_params={"key": SECRET})
    assert SECRET not in "".join(traceback.format_exception(failure.value))


@pytest.mark.parametrize(
    "key", ["ключ-4711", "sesame-4711\n", " sesame-4711", "sesame\r\nX-Other: 4711", "sesame\x004711"]
)
def test_a_key_that_no_request_can_carry_is_named_by_its_variable_and_not_told(key: str):
    http = http_for(SOURCE, Site(lambda request: {"body": [1]}), secrets={"EXAMPLE_API_KEY": key})
    with pytest.raises(MissingSecret, match="EXAMPLE_API_KEY holds a line end") as failure:
        http.secret("EXAMPLE_API_KEY")
    assert "4711" not in str(failure.value)


@pytest.mark.parametrize("status", [401, 403])
def test_a_key_that_is_refused_is_named_by_its_variable(status: int):
    http = http_for(SOURCE, Site(lambda request: {"status": status}), secrets={"EXAMPLE_API_KEY": "4711", "OTHER": ""})
    with pytest.raises(Unreachable, match=f"HTTP {status} to the key in EXAMPLE_API_KEY$"):
        http.get("https://example.test/", secret_headers={"X-Key": http.secret("EXAMPLE_API_KEY")})
    with pytest.raises(Unreachable, match=f"HTTP {status}$"):
        http.get("https://example.test/")
