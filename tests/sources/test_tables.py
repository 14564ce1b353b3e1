"""A column of prices is known by its whole title, and two of one kind are never taken for one."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from sources.pages import recorded_pages
from sources.reading import soup_of
from sources.source import LayoutChanged, Page, all_sources
from sources.tables import by_header, check_prices, tables_with

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
    check_prices(sizes.split(", "), (), PAGE)
