"""CoreWeave: prices of whole nodes, read by column titles, per region."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

import pytest
from exchanges import Site, http_for

from models.currencies import Rates
from models.normalise import normalise
from models.offers import Offer, Quote, Rejected
from sources.pages import recorded_pages
from sources.providers.coreweave import SOURCE, URL
from sources.source import LayoutChanged, Page

AUGUST = datetime(2026, 8, 22, tzinfo=UTC)
NORTH_AMERICA, EUROPE = "NORTH AMERICA", "EUROPE"


def recorded() -> str:
    return recorded_pages("coreweave")[AUGUST][0].page.text


def price_page(body: str) -> Page:
    return Page(URL, body.encode(), AUGUST, "pricing.html")


def quotes(body: str) -> list[Quote]:
    return [row for row in SOURCE.parse([price_page(body)]) if isinstance(row, Quote)]


def offers(body: str) -> tuple[list[Offer], list[Rejected]]:
    rows = SOURCE.parse([price_page(body)])
    return normalise(
        rows, provider="coreweave", book="", observed_at=AUGUST, origin="live", rates=Rates.of([]), page_sha256=""
    )


def amounts(body: str) -> dict[tuple[str, str, str], Decimal]:
    return {(quote.gpu, quote.region, quote.pricing): quote.amount for quote in quotes(body)}


def test_node_prices_become_gpu_prices_by_the_count_of_their_row():
    # coreweave.com/pricing, 2026-08-22
    found, _ = offers(recorded())
    per_gpu = {(o.gpu, o.region): o.usd_per_gpu_hour for o in found if o.pricing == "on_demand"}
    assert per_gpu[("b200", NORTH_AMERICA)] == Decimal("8.60")
    assert per_gpu[("h100_sxm", NORTH_AMERICA)] == Decimal("6.155")
    assert per_gpu[("h200_sxm", EUROPE)] == Decimal("6.305")
    assert per_gpu[("gb200", EUROPE)] == Decimal("10.50")
    assert per_gpu[("gh200", NORTH_AMERICA)] == Decimal("6.50")
    assert per_gpu[("a100_80", EUROPE)] == Decimal("2.70")
    assert per_gpu[("l40", NORTH_AMERICA)] == Decimal("1.25")


def test_spot_prices_differ_by_region():
    read = amounts(recorded())
    assert read[("NVIDIA HGX B200", NORTH_AMERICA, "spot")] == Decimal("34.11")
    assert read[("NVIDIA HGX B200", EUROPE, "spot")] == Decimal("34.87")
    assert ("NVIDIA L40", EUROPE, "spot") not in read  # N/A there


@pytest.mark.parametrize("printed", ["4^1", "4<sup>1</sup>", "4"])
def test_a_footnote_mark_is_no_digit_of_the_count(printed):
    found = quotes(recorded().replace("<div>4^1</div>", f"<div>{printed}</div>"))
    assert {quote.gpu_count for quote in found if quote.gpu == "NVIDIA GB200 NVL72"} == {4}


@pytest.mark.parametrize("printed", ["41", "81", "4 1", "0", "-4", "3"])
def test_a_count_that_no_node_has_costs_the_row(printed):
    """A footnote mark glued to the count gave GB200 x 41 at 1.02 USD per GPU-hour, where it is 10.50."""
    body = recorded().replace("<div>4^1</div>", f"<div>{printed}</div>")
    assert body != recorded()
    assert not [quote for quote in quotes(body) if "NVL72" in quote.gpu]
    assert {row.gpu_text for row in offers(body)[1] if row.reason == "bad_count"} == {
        "NVIDIA GB200 NVL72",
        "NVIDIA GB300 NVL72",
    }


def test_a_spot_price_stands_without_an_on_demand_one():
    read = amounts(recorded())
    assert read[("NVIDIA HGX B300", NORTH_AMERICA, "spot")] == Decimal("35.84")
    assert ("NVIDIA HGX B300", NORTH_AMERICA, "on_demand") not in read
    _, rejected = offers(recorded())
    assert sorted((row.gpu_text, row.reason) for row in rejected) == [
        *[("NVIDIA GB300 NVL72", "not_a_price")] * 2,
        *[("NVIDIA HGX B300", "not_a_price")] * 2,
    ]


def test_neither_inference_prices_nor_cpus_nor_the_hidden_column_come_out():
    found = quotes(recorded())
    assert len(found) == 32
    assert {quote.pricing for quote in found} == {"on_demand", "spot"}
    assert Decimal("6.16") not in {quote.amount for quote in found}  # inference, per GPU
    assert not any("Genoa" in quote.gpu for quote in found)


def test_every_row_is_found_whatever_its_class():
    found = {quote.gpu for quote in quotes(recorded())}
    assert "NVIDIA HGX H100" in found  # its row has a class that no other has
    assert len(found) == 10


def test_only_hgx_and_racks_are_said_to_be_joined():
    fabric = {quote.gpu: quote.fabric for quote in quotes(recorded())}
    assert fabric["NVIDIA HGX H100"] == fabric["NVIDIA GB200 NVL72"] == "multi_node"
    assert fabric["NVIDIA L40S"] is None


def test_columns_are_followed_by_their_titles():
    body = recorded()
    swapped = body.replace("On-Demand Price (Per", "X (Per").replace("Spot Price (Per", "On-Demand Price (Per")
    swapped = swapped.replace("X (Per", "Spot Price (Per")
    assert amounts(swapped)[("NVIDIA HGX H100", NORTH_AMERICA, "spot")] == Decimal("49.24")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("GPU Count</div></div>", "GPUs</div></div>"),
        ("On-Demand Price (Per Hour)", "Price"),
        ("GPU Model", "Model"),
        ("data-product", "data-item"),
        ('class="eyebrow"', 'class="kicker"'),
        ('<div class="table-v2-cell"><div>8</div></div>', ""),
        ("table-v2 ", "table-v3 "),
    ],
)
def test_a_redesign_is_named_before_a_column_shifts(old, new):
    assert old in recorded()
    with pytest.raises(LayoutChanged):
        quotes(recorded().replace(old, new))


def test_a_row_without_a_count_costs_no_other_row():
    body = recorded().replace("<div>4^1</div>", "<div>rack</div>")
    found, rejected = offers(body)
    assert len(found) == 30
    assert {row.reason for row in rejected if "GB200" in row.gpu_text} == {"bad_count"}


def test_one_request_brings_the_page():
    site = Site(lambda request: {"body": recorded()})
    pages = list(SOURCE.fetchers()[""](http_for(SOURCE, site)))
    assert [request.url for request in site.requests] == [URL]
    assert len([row for row in SOURCE.parse(pages) if isinstance(row, Quote)]) == 32
