"""The layout of a page: unmoved by prices, rows and builds, moved by a redesign."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest

from sources.fingerprint import fingerprint, redesigned, reframed
from sources.pages import recorded_pages
from sources.source import Page, all_sources

NOW = datetime(2026, 11, 30, tzinfo=UTC)
TABLE = """<!DOCTYPE html><html><body><main class="pricing css-1x2y Table_row__a8Zk1"><h1>GPUs from $2.49</h1>
<table><thead><tr><th scope="col">GPU model</th><th>On-demand</th></tr></thead>
<tbody><tr><th scope="row">H100</th><td>$2.49</td></tr><tr><th>L40S</th><td>$1.39</td></tr></tbody></table>
</main></body></html>"""


def of(text: str) -> str:
    return fingerprint(Page("https://prices.example/gpu", text.encode(), NOW, "gpu"))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("$2.49", "$3.10"),
        ("GPUs from", "All GPUs from"),
        ("<tr><th>L40S</th><td>$1.39</td></tr>", ""),
        ("</tbody>", '<tr><th scope="row">B300</th><td>$6.99</td></tr></tbody>'),
        ("css-1x2y", "css-9q8w"),
        ("Table_row__a8Zk1", "Table_row__Qx_3d"),
        ("\n", "\n\n  "),
    ],
)
def test_prices_rows_and_builds_leave_it(old: str, new: str):
    changed = TABLE.replace(old, new)
    assert changed != TABLE
    assert of(changed) == of(TABLE)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("On-demand", "Per month"),
        ("GPU model", "Accelerator"),
        ("table", "section"),
        ('class="pricing', 'class="plans'),
        ("<th>On-demand</th>", "<th>VRAM</th><th>On-demand</th>"),
        ("<td>$2.49</td>", "<td><b>$2.49</b></td>"),
    ],
)
def test_a_redesign_moves_it(old: str, new: str):
    assert of(TABLE.replace(old, new)) != of(TABLE)


def test_a_row_that_alone_had_a_badge_moves_all_but_the_frame_when_it_goes():
    badged = TABLE.replace("<th>L40S</th>", '<th>L40S <span class="badge">new</span></th>')
    plain = TABLE.replace("<tr><th>L40S</th><td>$1.39</td></tr>", "")
    assert redesigned(of(badged), of(plain))
    assert not reframed(of(badged), of(plain))
    assert reframed(of(badged), of(plain.replace("On-demand", "Per month")))
    assert not redesigned("", of(plain))


@pytest.mark.parametrize("text", ["", '{"gpus": []}', "id,price\n1,2\n", '<?xml version="1.0"?><a/>', "Not Found"])
def test_what_is_not_markup_has_none(text: str):
    assert of(text) == ""


def test_broken_markup_is_no_error():
    for cut in range(0, len(TABLE), 7):
        of(TABLE[:cut])
        of(TABLE[:cut] + "<![x[" + TABLE[cut:])
        of(TABLE[:cut] + "\x00</div></table><th" + TABLE[cut:])


@pytest.mark.parametrize("provider", ["crusoe", "hyperstack", "modal", "replicate", "sfcompute"])
def test_pages_recorded_weeks_apart_have_one_layout(provider: str):
    found = [fingerprint(recorded.page) for look in recorded_pages(provider).values() for recorded in look]
    assert len(found) > 1
    assert len(set(found)) == 1
    assert found[0]


def test_no_recorded_page_is_moved_by_its_figures():
    marked_up = 0
    for source in all_sources().values():
        for recorded in (page for look in recorded_pages(source.name).values() for page in look):
            if found := fingerprint(recorded.page):
                marked_up += 1
                assert of(re.sub(r"\$\d+\.\d\d", "$7.77", recorded.page.text)) == found
    assert marked_up > 10


@pytest.mark.parametrize("body", ["<div>" * 10_000, "<table><tr><td>" * 10_000, "<i>" * 30_000 + "</b>" * 30_000])
def test_a_page_deeper_than_any_design_has_none(body: str):
    assert of(f"<html><body>{body}") == ""


@pytest.mark.parametrize("body", ["<a " * 30_000, "<!--" * 30_000, "<a b='" * 30_000, "<?" * 30_000, "</" * 30_000])
def test_markup_that_never_ends_is_passed_over(body: str):
    """The standard library's parser looks for each end again from every start."""
    assert re.fullmatch(r"[0-9a-f]{12}-[0-9a-f]{12}", of(f"<html><body>{body}"))
