"""Replicate: one table whose cells hold two things each, and rows with cells that are joined."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from decimal import Decimal

import pytest
from exchanges import Site, http_for

from models.currencies import Rates
from models.normalise import normalise
from models.offers import Offer, Quote, Rejected, Unreadable
from sources.pages import recorded_pages
from sources.providers.replicate import SOURCE, URL
from sources.source import LayoutChanged, Page

AUGUST = datetime(2026, 8, 22, tzinfo=UTC)
TITLES = "".join(f"<th>{title}</th>" for title in ("Hardware", "Price", "GPU", "CPU", "GPU RAM", "RAM"))
# rows of a saved text of the page
TWO_A100 = (
    "<td>2x Nvidia A100 (80GB) GPU<br>gpu-a100-large-2x</td><td>$0.002800/sec<br>$10.08/hr</td>"
    "<td>2x</td><td>20x</td><td>160GB</td><td>288GB</td>"
)
EIGHT_H100 = (
    "<td>8x Nvidia H100 GPU<br>gpu-h100-8x</td><td>$0.012200/sec<br>$43.92/hr</td>"
    '<td colspan="4">Additional Multi-GPU H100 capacity is available with committed spend contracts.</td>'
)


def rows(body: str) -> list[Quote | Unreadable]:
    return list(SOURCE.parse([Page(URL, body.encode(), AUGUST, "pricing.html")]))  # type: ignore[arg-type]


def table(*lines: str, titles: str = TITLES) -> str:
    return f"<table><tr>{titles}</tr>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>"


def read(body: str) -> tuple[list[Offer], list[Rejected]]:
    return normalise(
        rows(body),
        provider="replicate",
        book="",
        observed_at=AUGUST,
        origin="recorded",
        rates=Rates.of([]),
        page_sha256="",
    )


@pytest.mark.parametrize(
    ("gpu", "usd_per_hour"),
    [  # github.com/adriannutiu/gpu-rental-prices, 2026-08-22
        ("a100_80", "5.04"),
        ("h100", "5.49"),
        ("h200_sxm", "5.49"),
        ("l40s", "3.51"),
        ("t4", "0.81"),
    ],
)
def test_recorded_prices(gpu, usd_per_hour):
    offers, rejected = read(recorded_pages("replicate")[AUGUST][0].page.text)
    (offer,) = [offer for offer in offers if offer.gpu == gpu]
    assert (offer.usd_per_gpu_hour, offer.pricing) == (Decimal(usd_per_hour), "serverless")
    assert (len(offers), rejected) == (5, [])


def test_a_price_is_that_of_all_gpus_and_gpu_ram_their_total():
    (offer,), _ = read(table(TWO_A100))
    assert (offer.gpu_count, offer.usd_per_hour, offer.usd_per_gpu_hour) == (2, Decimal("10.08"), Decimal("5.04"))
    assert (offer.gpu_memory_gb, offer.vcpus, offer.memory_gb) == (80, 20, 288)


def test_the_name_counts_where_the_cells_are_joined():
    (offer,), _ = read(table("<td colspan=6>Additional hardware</td>", EIGHT_H100))
    assert (offer.sku, offer.gpu_count, offer.usd_per_hour) == ("gpu-h100-8x", 8, Decimal("43.92"))
    assert (offer.pricing, offer.tier) == ("serverless", "committed_spend")
    words = "additional H100 capacity is reserved for committed spend contracts"
    (offer,), _ = read(table(EIGHT_H100.replace("Additional Multi-GPU H100 capacity is available with", words)))
    assert offer.tier == "committed_spend"
    assert {offer.tier for offer in read(table(TWO_A100))[0]} == {""}


def test_more_hardware_under_a_condition_nobody_knows_is_no_plain_price():
    words = "Only available to enterprise customers."
    (bad,) = rows(table(re.sub(r"Additional Multi.*contracts\.", words, EIGHT_H100)))
    assert isinstance(bad, Unreadable)
    assert (bad.reason, bad.sku) == ("missing_term", "gpu-h100-8x")


@pytest.mark.parametrize("printed", ["$0.002800/sec", "$0.0028/sec $10.1/hr"])
def test_the_price_per_hour_may_be_missing_or_rounded(printed):
    (offer,), _ = read(table(TWO_A100.replace("$0.002800/sec<br>$10.08/hr", printed)))
    assert offer.usd_per_hour == Decimal("10.08")


def test_a_count_in_the_middle_of_a_code_name_does_no_harm():
    line = TWO_A100.replace("2x Nvidia A100 (80GB)", "2x Nvidia L40S").replace("gpu-a100-large-2x", "gpu-2x-l40s")
    (offer,), _ = read(table(line.replace("160GB", "96GB")))
    assert (offer.sku, offer.gpu, offer.gpu_count) == ("gpu-2x-l40s", "l40s", 2)


def test_columns_are_found_by_their_titles():
    moved = "".join(f"<th>{title}</th>" for title in ("Price", "Hardware", "GPU", "CPU", "GPU RAM", "RAM"))
    name, price, *others = TWO_A100.split("</td>")
    (offer,), _ = read(table("</td>".join([price, name, *others]), titles=moved))
    assert offer.usd_per_hour == Decimal("10.08")


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("$0.002800/sec<br>$10.08/hr", "Contact us", "not_a_price"),
        ("$0.002800/sec<br>$10.08/hr", "$10.08/hr", "not_a_price"),
        ("$0.002800/sec<br>$10.08/hr", "$0.0032/sec $0.002800/sec", "not_a_price"),
        ("$0.002800/sec<br>$10.08/hr", "$0.0003/sec idle $0.002800/sec active", "not_a_price"),
        ("$0.002800/sec<br>$10.08/hr", "$0.002800/sec<br>$12.60/hr", "not_a_price"),
        ("<td>2x</td>", "<td>4x</td>", "bad_count"),
        ("2x Nvidia A100 (80GB) GPU", "Two GPUs, a GPU each", "unknown_sku"),
    ],
)
def test_a_row_that_cannot_be_read_is_reported(old, new, reason):
    bad, good = rows(table(TWO_A100.replace(old, new), EIGHT_H100))
    assert isinstance(bad, Unreadable)
    assert bad.reason == reason
    assert isinstance(good, Quote)


@pytest.mark.parametrize(
    "body",
    [
        "<p>Pricing</p>",
        table(TWO_A100, titles=TITLES.replace("Hardware", "Type")),
        table(TWO_A100, titles=TITLES.replace("Price", "Cost")),
        table(TWO_A100 + "<td>1</td>"),
    ],
)
def test_another_layout_is_a_named_error(body):
    with pytest.raises(LayoutChanged):
        rows(body)


def test_one_request_brings_the_page():
    site = Site(lambda request: {"body": table(TWO_A100)})
    assert len(list(SOURCE.parse(list(SOURCE.fetchers()[""](http_for(SOURCE, site)))))) == 1
    assert [request.url for request in site.requests] == [URL]
