"""A column of prices is known by its whole title, and two of one kind are never taken for one."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from sources.pages import recorded_pages
from sources.reading import soup_of
from sources.source import LayoutChanged, Page, all_sources
from sources.tables import by_header, check_row, tables_with

PAGE = Page("https://site.test/pricing", b"", datetime(2026, 11, 30, tzinfo=UTC), "pricing.html")


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("baseten", "$/min"),
        ("coreweave", "On-Demand Price (Per Hour)"),
        ("coreweave", "Spot Price (Per Hour)"),
        ("crusoe", "On-demand"),
        ("crusoe", "Current spot"),
        ("fal", "List Price"),
        ("fal", "As low as"),
        ("hyperstack", "Pricing Per Hour"),
        ("hyperstack", "Spot VM"),
        ("nebius", "On-demand, GPU-hour"),
        ("nebius", "Preemptible, GPU-hour"),
        ("replicate", "Price"),
    ],
)
@pytest.mark.parametrize("suffix", [" with 1-year commitment", " (reserved)", ", from"])
def test_a_title_that_says_more_is_another_column(name: str, title: str, suffix: str) -> None:
    source = all_sources()[name]
    *_, pages = recorded_pages(name).values()
    column = re.compile(re.escape(title) + "(?!</span> Pricing)")  # but not a title of a card
    titled = [replace(one.page, body=column.sub(title + suffix, one.page.text).encode()) for one in pages]
    assert [page.body for page in titled] != [one.page.body for one in pages]
    with pytest.raises(LayoutChanged):
        list(source.parse(titled))


@pytest.mark.parametrize(
    "further",
    [
        "Price with commitment, GPU-hour",
        "1-year reserved",
        "Spot",
        "Monthly",
        "3-month contract",
        "$ / GPU",
        "Hourly cost",
    ],
)
def test_a_further_column_of_prices_is_a_redesign_and_one_of_sizes_is_not(further: str) -> None:
    with pytest.raises(LayoutChanged, match="not known"):
        by_header(["GPU", "Price", further], ["H100", "$3.85", "$2.50"], ["GPU", "Price"], PAGE)
    assert by_header(["GPU", "Price", "Local Storage (TB)"], ["H100", "$3.85", "4"], ["GPU", "Price"], PAGE) == {
        "GPU": "H100",
        "Price": "$3.85",
    }
    by_header(["GPU", "Price", further], ["H100", "$3.85", "$2.50"], ["GPU", "Price"], PAGE, unread=[further])


@pytest.mark.parametrize(
    ("title", "cell"),
    [("Now", "$2.50"), ("Black Friday", "\u20ac2.10"), ("Weekly", "300 USD"), ("Notes", "with 1-year contract")],
)
def test_a_price_or_a_commitment_under_an_unknown_title_is_a_redesign(title: str, cell: str) -> None:
    with pytest.raises(LayoutChanged, match="under the unknown title"):
        by_header(["GPU", "Price", title], ["H100", "$3.85", cell], ["GPU", "Price"], PAGE)
    table = f"<tr><th>GPU<th>Price<th>{title}</tr><tr><td>H100<td>$3<td>{cell}</tr>"
    page = replace(PAGE, body=f"<table>{table}</table>".encode())
    with pytest.raises(LayoutChanged, match="under the unknown title"):
        tables_with(soup_of(page), ["GPU", "Price"], page)


def test_a_note_that_binds_the_rows_below_is_a_redesign_and_one_at_the_end_is_not() -> None:
    note, row = "<tr><td colspan=2>With a 12-month commitment</td></tr>", "<tr><td>H100<td>$3</tr>"
    above, below = (
        replace(PAGE, body=f"<table><tr><th>GPU<th>Price</tr>{rows}</table>".encode())
        for rows in (note + row, row + note)
    )
    with pytest.raises(LayoutChanged, match="below the note"):
        tables_with(soup_of(above), ["GPU", "Price"], above)
    assert len(tables_with(soup_of(below), ["GPU", "Price"], below)[0]) == 1


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("crusoe", 'class="pricing-gap', '><h2>Prices with a 12-month commitment</h2><div class="pricing-gap'),
        ("fal", "Serverless &amp; Compute Pricing", "Compute Pricing, 1-year contract"),
        ("replicate", "Hardware pricing", "Hardware pricing with an annual contract"),
        ("coreweave", "REGION:", "12-month commitment, "),
        ("lambda", '<div role="tabpanel"', '<h3>With a 1-year contract</h3><div role="tabpanel"'),
    ],
)
def test_prices_under_a_heading_that_binds_are_a_redesign(name: str, before: str, after: str) -> None:
    source = all_sources()[name]
    *_, pages = recorded_pages(name).values()
    with pytest.raises(LayoutChanged):
        list(source.parse([replace(one.page, body=one.page.text.replace(before, after).encode()) for one in pages]))


@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("crusoe", '<div class="pricing_gpu-item'),
        ("fal", "<tr><td"),
        ("replicate", "<tr><td>Nvidia H100"),
        ("modal", '<div class="line-item'),
        ("lambda", '<tr class="'),
    ],
)
@pytest.mark.parametrize("hiding", [" hidden", ' style="display: none"', ' data-a="" class="w-condition-invisible"'])
def test_a_row_that_nobody_sees_is_no_price(name: str, row: str, hiding: str) -> None:
    source = all_sources()[name]
    *_, pages = recorded_pages(name).values()
    start = re.match(r"<\w+", row)
    assert start
    hidden = [
        replace(one.page, body=one.page.text.replace(row, row.replace(start[0], start[0] + hiding, 1), 1).encode())
        for one in pages
    ]
    assert [page.body for page in hidden] != [one.page.body for one in pages]
    seen = list(source.parse([one.page for one in pages]))
    assert len(list(source.parse(hidden))) < len(seen)


def test_the_panel_of_another_tab_and_what_react_streams_are_seen() -> None:
    shown = '<p role="tabpanel" hidden>one</p><div hidden id="S:0">two</div><p hidden="until-found">three</p>'
    assert soup_of(replace(PAGE, body=shown.encode())).get_text(" ", strip=True) == "one two three"


def test_a_wanted_column_that_stands_twice_is_a_redesign() -> None:
    with pytest.raises(LayoutChanged, match="two columns"):
        by_header(["GPU", "Price", "PRICE"], ["H100", "$3.85", "$2.50"], ["GPU", "Price"], PAGE)
    twice = (
        "<table><tr><th>GPU</th><th>Price</th><th>Price</th></tr><tr><td>H100</td><td>$3</td><td>$2</td></tr></table>"
    )
    page = replace(PAGE, body=twice.encode())
    with pytest.raises(LayoutChanged, match="two columns"):
        tables_with(soup_of(page), ["GPU", "Price"], page)


def test_sizes_and_names_are_no_prices() -> None:
    sizes = "GPU Model, GPU Count, VRAM (GB), Max pCPUs per GPU, System RAM (GB), Local Storage (TB), Region, Action"
    check_row(sizes.split(", "), ["8"] * 8, (), PAGE)
