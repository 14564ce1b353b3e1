"""Tables are read by whole titles: a row that does not fit, a column twice, prices where none were, are a redesign."""

from __future__ import annotations

import contextlib
import re
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal

import pytest

from models.offers import Quote
from sources.markup import cell_text, soup_of
from sources.pages import recorded_pages
from sources.reading import price_of
from sources.source import LayoutChanged, Page, all_sources
from sources.tables import by_header, check_row, table_lines, tables_with

PAGE = Page("https://site.test/pricing", b"", datetime(2026, 11, 30, tzinfo=UTC), "pricing.html")
BEFORE = """<table><thead><tr><th>GPU</th><th>VRAM</th><th>Price per hour</th></tr></thead><tbody>
<tr><td>NVIDIA H100 SXM</td><td>80 GB</td><td>$2.49</td></tr><tr><td>NVIDIA A100</td><td>80 GB</td><td>$1.39</td></tr>
<tr><td>NVIDIA L40S</td><td>48 GB</td><td>$0.79</td></tr></tbody></table>"""
AFTER = """<div role="table"><div role="row"><span role="columnheader">VRAM</span><span role="columnheader">Model</span>
<span role="columnheader">Monthly</span><span role="columnheader">Hourly</span></div>
<div role="row"><span role="cell">80 GB</span><span role="cell">H100 SXM</span><span role="cell">$1,817.70</span>
<span role="cell">$2.49</span></div>
<div role="row"><span role="cell">80 GB</span><span role="cell">A100</span><span role="cell">$1,014.70</span>
<span role="cell">$1.39</span></div>
<div role="row"><span role="cell">48 GB</span><span role="cell">L40S</span><span role="cell">$576.70</span>
<span role="cell">$0.79</span></div></div>"""


def page(body: str) -> Page:
    return replace(PAGE, body=body.encode())


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
        "Promotional rate",
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
    [
        ("Now", "$2.50"),
        ("Black Friday", "\u20ac2.10"),
        ("Weekly", "300 USD"),
        ("Notes", "with 1-year contract"),
        ("Type", "Interruptible"),
        ("GPUs", "8"),
        ("Min. GPUs", "64"),
        ("Minimum nodes", "2x"),
        ("Count", "8x"),
    ],
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
        ("fal", "Serverless &amp; Compute Pricing", "Compute Pricing (coming soon)"),
        ("fal", "Serverless &amp; Compute Pricing", "Spot Pricing"),
        ("fal", "<thead>", "<caption>For existing customers</caption><thead>"),
        ("coreweave", "On-demand GPU instances", "Reserved GPU instances"),
        ("coreweave", "On-demand GPU instances", "GPU instances, effective 1 January 2027"),
        ("digitalocean", '<h2 id="on-demand', '<h2>GPU Droplets for startups (50% off)</h2><h3 id="on-demand'),
        ("crusoe", '<div class="pricing-item-heading', '<span>1-year reserved</span><div class="pricing-item-heading'),
        ("digitalocean", "GPU Droplet Pricing", "GPU Droplet Pricing (pre-order)"),
        ("modal", "GPU Tasks", "</p><h3>With an annual contract</h3><p>GPU Tasks"),
        ("hotaisle", "</h2>", " with a 12-month contract</h2>"),
        ("lambda", '<div role="tabpanel"', '<h3>With a 1-year contract</h3><div role="tabpanel"'),
    ],
)
def test_prices_under_a_heading_that_binds_are_a_redesign_or_none(name: str, before: str, after: str) -> None:
    source = all_sources()[name]
    pages = [one.page for looks in recorded_pages(name).values() for one in looks if one.page.name.endswith("html")]
    headed = [replace(page, body=page.text.replace(before, after).encode()) for page in pages]
    assert headed != pages
    with contextlib.suppress(LayoutChanged):
        read = [row for row in source.parse(headed) if isinstance(row, Quote) and row.term_months is None]
        assert read == []


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
@pytest.mark.parametrize(
    "hiding",
    [
        " hidden",
        ' style="display: none"',
        ' data-a="" class="w-condition-invisible"',
        ' class="d-none" data-a=""',
        ' class="hidden" data-a=""',
    ],
)
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
    shown += '<p class="hidden md:block">four</p><p class="d-none d-lg-table-row">five</p>'
    assert soup_of(replace(PAGE, body=shown.encode())).get_text(" ", strip=True) == "one two three four five"


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
    check_row(sizes.split(", "), ["1"] * 8, (), PAGE)


def test_a_redesigned_table_is_reported_and_never_read_by_position():
    before, after = page(BEFORE), page(AFTER)
    titles = ["GPU", "VRAM", "Price per hour"]

    assert [cell_text(row["Price per hour"]) for row in tables_with(soup_of(before), titles, before)[0]] == [
        "$2.49",
        "$1.39",
        "$0.79",
    ]
    with pytest.raises(LayoutChanged, match="no table has the columns GPU, VRAM, Price per hour"):
        tables_with(soup_of(after), titles, after)


def test_columns_are_followed_by_title_in_a_grid_without_a_table_element():
    after = page(AFTER)
    (rows,) = tables_with(soup_of(after), ["Model", "VRAM", "Hourly", "Monthly"], after)
    read = [(cell_text(row["Model"]), price_of(cell_text(row["Hourly"]))) for row in rows]
    assert [(model, price.amount) for model, price in read if price] == [
        ("H100 SXM", Decimal("2.49")),
        ("A100", Decimal("1.39")),
        ("L40S", Decimal("0.79")),
    ]


def test_a_row_that_does_not_fit_its_header_is_a_redesign_and_a_note_is_not():
    noted = page(BEFORE.replace("</tbody>", '<tr><td colspan="3">Prices exclude VAT.</td></tr></tbody>'))
    titles = ["GPU", "Price per hour"]
    assert len(tables_with(soup_of(noted), titles, noted)[0]) == 3
    shifted = page(BEFORE.replace("<td>$1.39</td>", "<td>SXM</td><td>$1.39</td>"))
    with pytest.raises(LayoutChanged, match="a row of 4 cells under 3 titles"):
        tables_with(soup_of(shifted), titles, shifted)


def test_a_table_inside_a_cell_is_a_table_of_its_own():
    """Rows of the inner table once counted as rows of every table around it: slow beyond bounds, and read twice."""
    inner = BEFORE
    for _ in range(20):
        inner = f"<table><tr><th>Plans</th><th>Notes</th></tr><tr><td>{inner}</td><td>none</td></tr></table>"
    nested = page(inner)
    (rows,) = tables_with(soup_of(nested), ["GPU", "VRAM", "Price per hour"], nested)
    assert [cell_text(row["GPU"]) for row in rows] == ["NVIDIA H100 SXM", "NVIDIA A100", "NVIDIA L40S"]
    assert [len(table) for table in table_lines(soup_of(nested))] == [2] * 20 + [4]


def test_many_open_cells_are_one_row_that_fits_no_header():
    endless = page("<table><tr><th>GPU</th><th>VRAM</th></tr><tr>" + "<td colspan=999999999 rowspan=99999999>" * 5_000)
    with pytest.raises(LayoutChanged, match="a row of 5000 cells"):
        tables_with(soup_of(endless), ["GPU", "VRAM"], endless)
