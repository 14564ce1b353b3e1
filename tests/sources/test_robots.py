"""robots.txt of price pages: what it forbids is not read, and the source says so; APIs are not checked."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from exchanges import Site, http_for

from pipelines.looking import look_at
from sources.pages import PageStore
from sources.robots import refuse_forbidden
from sources.source import ForbiddenByRobots, Unreachable, all_sources

PAGE = dataclasses.replace(
    all_sources()["oci"], access="page", urls=("https://site.test/cloud/pricing",), fetch=None, parts={}
)


def site(rules: str, status: int = 200) -> Site:
    answers = {"https://site.test/robots.txt": {"status": status, "body": rules}}
    return Site(lambda request: answers.get(request.url, {"body": "<html>prices</html>"}))


@pytest.mark.parametrize(
    "rules",
    [
        "User-agent: *\nDisallow: /cloud/",
        "User-agent: gpuledger\nDisallow: /",
        "User-agent: *\nDisallow: /",
    ],
)
def test_a_forbidden_page_is_never_asked_for(rules: str, tmp_path: Path) -> None:
    adapter = site(rules)
    look = look_at(PAGE, PageStore(tmp_path), adapter=adapter)
    assert look.pages == ()
    assert look.failures[""][0] == "forbidden_by_robots"
    assert [request.url for request in adapter.requests] == ["https://site.test/robots.txt"]


@pytest.mark.parametrize(
    ("rules", "status"),
    [
        ("User-agent: *\nDisallow: /admin/", 200),
        ("User-agent: otherbot\nDisallow: /", 200),
        ("", 200),
        ("not found", 404),
    ],
)
def test_an_allowed_page_is_read(rules: str, status: int, tmp_path: Path) -> None:
    look = look_at(PAGE, PageStore(tmp_path), adapter=site(rules, status))
    assert [page.text for page in look.pages] == ["<html>prices</html>"]


def test_rules_that_cannot_be_had_are_not_taken_for_a_yes() -> None:
    with pytest.raises(Unreachable):
        refuse_forbidden(http_for(PAGE, site("", 503)), PAGE)


def test_an_api_is_made_to_be_asked() -> None:
    api = dataclasses.replace(PAGE, access="api")
    adapter = site("User-agent: *\nDisallow: /")
    refuse_forbidden(http_for(api, adapter), api)
    assert adapter.requests == []


def test_the_error_names_host_and_path() -> None:
    with pytest.raises(ForbiddenByRobots, match=r"site\.test keeps crawlers from /cloud/pricing"):
        refuse_forbidden(http_for(PAGE, site("User-agent: *\nDisallow: /")), PAGE)
