"""robots.txt of price pages: what it forbids is not read, and the source says so; APIs are not checked."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from exchanges import Site, http_for

from pipelines.looks.looking import look_at
from sources.pages import PageStore
from sources.robots import allowed, refuse_forbidden, rules_for
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


@pytest.mark.parametrize(
    ("rules", "path", "may"),
    [
        # the examples of RFC 9309, sections 2.2.2 and 5
        ("Allow: /example/page/\nDisallow: /example/page/disallowed.gif", "/example/page/disallowed.gif", False),
        ("Allow: /example/page/\nDisallow: /example/page/disallowed.gif", "/example/page/", True),
        ("Disallow: *.gif$\nDisallow: /example/\nAllow: /publications/", "/a.gif", False),
        ("Disallow: *.gif$\nDisallow: /example/\nAllow: /publications/", "/a.gif?1", True),
        ("Disallow: *.gif$\nDisallow: /example/\nAllow: /publications/", "/publications/a.gif", True),
        ("Disallow: /path/*/end", "/path/any/where/end/of", False),
        ("Disallow: /path/*/end", "/path/any", True),
        ("Disallow: /\nAllow: /", "/pricing", True),
        ("Disallow: /pricing$", "/pricing", False),
        ("Disallow: /pricing$", "/pricing/gpu", True),
        ("Disallow: /foo/bar/%62%61%7A", "/foo/bar/baz", False),
        ("Disallow:", "/pricing", True),
        ("Disallow: /*?sort=", "/pricing?sort=price", False),
        ("Disallow: /pricing # not yet", "/pricing", False),
        ("disallow : /pricing", "/pricing", False),
    ],
)
def test_rules_are_read_as_the_standard_has_them(rules: str, path: str, may: bool) -> None:
    assert allowed(f"https://site.test{path}", rules_for("gpuledger", f"User-Agent: *\n{rules}")) is may


def test_our_own_group_stands_in_for_the_one_of_everybody() -> None:
    text = "User-agent: *\nDisallow: /\n\nUser-agent: other\nUser-agent: GPUledger/1.0\nDisallow: /admin\n"
    assert rules_for("gpuledger", text) == [("/admin", False)]
    assert rules_for("another", text) == [("/", False)]


@pytest.mark.parametrize(
    "oddity",
    [
        "Crawl-delay: ²",
        "Request-rate: 1/²",
        "Request-rate: 9" + "9" * 5000 + "/1",
        "Disallow: //[",
        "Disallow: https://[::1",
        "Allow: %",
        "\x00\ufffd: \x85",
        "Disallow: " + "*a" * 20_000 + "$",
        "User-agent",
    ],
)
def test_an_odd_line_costs_neither_the_look_nor_the_rules_beside_it(oddity: str, tmp_path: Path) -> None:
    """Lines that the standard library takes for figures and addresses once ended the thread of the look."""
    for rules, failures in (
        (f"User-agent: *\n{oddity}\nDisallow: /admin/", set()),
        (f"User-agent: *\nDisallow: /cloud/\n{oddity}", {"forbidden_by_robots"}),
    ):
        look = look_at(PAGE, PageStore(tmp_path), adapter=site(rules))
        assert {code for code, _ in look.failures.values()} == failures


def test_a_defect_before_the_first_page_is_a_failed_look_too(tmp_path: Path) -> None:
    """It once ended the thread, and the look was waited for until its deadline."""

    def broken(request: object) -> dict[str, object]:
        raise KeyError("robots")

    look = look_at(PAGE, PageStore(tmp_path), adapter=Site(broken))
    assert look.failures == {"": ("defect", "KeyError while fetching: 'robots'")}
