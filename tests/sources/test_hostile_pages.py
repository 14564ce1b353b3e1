"""A page made to keep a search busy is answered like any other: neither a refresh nor `record` hangs on it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sources.challenges import refuse_other_pages
from sources.private import without_private
from sources.source import ErrorAnswer, Page

SECONDS = 120  # of a process that needs some ten; a search that goes back over the page needs hours
LOOK = """
import sys
from datetime import UTC, datetime
from sources.challenges import refuse_other_pages
from sources.source import ErrorAnswer, Page
for page in sys.argv[1:]:
    try:
        refuse_other_pages([Page("https://acme.example/", eval(page).encode(), datetime.now(UTC), "page")])
        print("a price list", flush=True)
    except ErrorAnswer as error:
        print(str(error).removeprefix("acme.example/ answered ").removesuffix(" in place of prices"), flush=True)
"""
CLEAN = """
import sys
from sources.private import without_private
for text in map(eval, sys.argv[1:]):
    cleaned = without_private(text)
    print("as it was" if cleaned == text else cleaned[-40:], flush=True)
"""
PASSWORD = "<input type=password>"
PAGES = {  # as Python writes them: a command line holds no page of a megabyte
    "'<!--a-->' * 30 + '<div>maintenance</div>'": "a price list",  # no markup that says what it is
    "'<!--a-->' * 200 + '<html><title>Access Denied</title>'": "a refusal ('Access Denied')",
    "'<?xml a?>' * 200 + '<div>'": "a price list",
    "' ' * 1999 + 'x'": "a price list",
    "'<html>' + '<title>' * 9_000": "a price list",
    "'<html>' + '<title ' * 9_000": "a price list",
    "'<html><title>' + ' - log in to ' * 50_000": "a price list",
    "'<html>' + '<input ' * 200_000": "a price list",
    "'<html><input' + ' type type' * 200_000": "a price list",
    f"'<html>{PASSWORD}' + 'price' * 100_000": "a login",
    f"'<html>{PASSWORD}' + '1 ' * 500_000": "a login",
    f"'<html>{PASSWORD}price' + ' ' * 500_000": "a login",
}
TEXTS = (
    "'account' + ' ' * 50_000",
    "'account id' + ' ' * 50_000 + 'x'",
    "'account ' * 15_000",
    "'arn:aws' + '-a' * 25_000",
    "'arn:aws:' * 15_000",
    "'-eyJ' * 12_500",
    "'bearer' + ' ' * 50_000",
    "'token' * 20_000",
    "'@' + 'a.' * 25_000 + '1'",
    "'<meta name=\"x\"' * 7_500",
    "'-----BEGIN PRIVATE ' * 5_000",
    "'a://a:' * 15_000",
    "'2001:db8:' * 15_000",
    "'\"token\":[' * 10_000",
    '\'"name":"token","value":\' * 5_000',
    "'token: basic ' * 10_000",
    "'token=' * 25_000",
    "'?key=' * 30_000",
    "'password=a' * 15_000",
    "'\"owner\":{' * 15_000",
    "'\\\\' * 150_000",
    "'{' * 100_000 + ']' * 100_000",
    "'<input ' + 'name=max_token value=1 ' * 7_500 + '>'",
)


def _said(program: str, pages: Iterable[str]) -> list[str]:
    """A line a page, out of one process; the one that it did not end is the next of those in the fault's output."""
    answer = subprocess.run(
        [sys.executable, "-c", program, *pages], capture_output=True, text=True, timeout=SECONDS, check=True
    )
    return answer.stdout.splitlines()


def test_a_look_at_each_ends():
    assert dict(zip(PAGES, _said(LOOK, PAGES), strict=True)) == PAGES


def test_a_recording_of_each_ends():
    assert dict(zip(TEXTS, _said(CLEAN, TEXTS), strict=True)) == dict.fromkeys(TEXTS, "as it was")


BEFORE = st.lists(st.tuples(st.sampled_from(["<!--a-->", "<!-- -->\n", "<?xml a?>", " ", "\n"]), st.integers(0, 40)))
INSIDE = st.lists(
    st.tuples(
        st.sampled_from(
            ["<p ", "<input ", "type", " = ", "price", "hour", "1 ", "token", "account", "id", ":", "-eyJ", "."]
        ),
        st.integers(0, 2_000),
    ),
    max_size=5,
)


def _written(drawn: list[tuple[str, int]]) -> str:
    return "".join(fragment * times for fragment, times in drawn)


@settings(max_examples=60)
@given(BEFORE, INSIDE)
def test_whatever_is_repeated_around_it_the_title_and_the_price_are_seen(
    before: list[tuple[str, int]], inside: list[tuple[str, int]]
):
    page = f"{_written(before)[:1900]}<html><title>Access Denied</title>{_written(inside)}".encode()
    if _written(before) == _written(before)[:1900]:
        with pytest.raises(ErrorAnswer, match="a refusal"):
            refuse_other_pages([Page("https://acme.example/", page, datetime.now(UTC), "page")])
    assert without_private(f"{_written(inside)} <b>$2.49 /hr</b>").endswith(" <b>$2.49 /hr</b>")
