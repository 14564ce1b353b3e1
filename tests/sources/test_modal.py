"""Modal: line items of GPUs beside those of CPU and memory."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

import pytest
from exchanges import Site, http_for

from models.currencies import Rates
from models.normalise import normalise
from models.offers import Quote, Unreadable
from sources.pages import recorded_pages
from sources.providers.modal import SOURCE, URL
from sources.source import LayoutChanged, Page

AUGUST = datetime(2026, 8, 22, tzinfo=UTC)


def recorded() -> str:
    return recorded_pages("modal")[AUGUST][0].page.text


def rows(body: str) -> list[Quote | Unreadable]:
    return list(SOURCE.parse([Page(URL, body.encode(), AUGUST, "pricing.html")]))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("gpu", "usd_per_hour"),
    [  # github.com/adriannutiu/gpu-rental-prices, 2026-08-22
        ("b300", "7.0992"),
        ("b200", "6.2496"),
        ("h200_sxm", "4.5396"),
        ("h100_sxm", "3.9492"),
        ("rtx_pro_6000", "3.0312"),
        ("a100_80", "2.4984"),
        ("a100_40", "2.0988"),
        ("t4", "0.5904"),
    ],
)
def test_seconds_become_hours(gpu, usd_per_hour):
    offers, rejected = normalise(
        rows(recorded()),
        provider="modal",
        book="",
        observed_at=AUGUST,
        origin="recorded",
        rates=Rates.of([]),
        page_sha256="",
    )
    (offer,) = [offer for offer in offers if offer.gpu == gpu]
    assert offer.usd_per_gpu_hour == Decimal(usd_per_hour)
    assert (len(offers), rejected) == (11, [])


def test_a_price_of_the_gpu_alone_says_so_and_is_no_virtual_machine():
    assert {(row.tier, row.pricing) for row in rows(recorded()) if isinstance(row, Quote)} == {
        ("gpu_part", "serverless")
    }


def test_cpu_and_memory_are_no_gpus():
    assert "Physical core" in recorded()
    assert not [row for row in rows(recorded()) if "core" in str(row) or "GiB" in str(row)]


def test_hours_are_read_as_hours():
    hourly = recorded().replace("$0.001097 / sec", "$3.9492 / h")
    (h100,) = [row for row in rows(hourly) if isinstance(row, Quote) and "H100" in row.gpu]
    assert (h100.amount, h100.unit) == (Decimal("3.9492"), "per_gpu_hour")


@pytest.mark.parametrize("words", ["Contact us", "", "from $0.0005 / sec", "$0.001097", "$0.001097 / mo"])
def test_what_is_no_price_of_a_time_is_reported_and_costs_no_good_row(words):
    read = rows(recorded().replace("$0.001097 / sec", words))
    assert [row.gpu for row in read if isinstance(row, Unreadable)] == ["Nvidia H100 SXM5"]
    assert len([row for row in read if isinstance(row, Quote)]) == 10


def test_a_line_with_a_commitment_is_not_the_price_of_everybody():
    read = rows(recorded().replace("Nvidia H100 SXM5", "Nvidia H100 SXM5, annual contract"))
    assert [row.reason for row in read if isinstance(row, Unreadable)] == ["missing_term"]
    assert len([row for row in read if isinstance(row, Quote)]) == 10


@pytest.mark.parametrize(
    ("old", "new"), [("GPU Tasks", "GPUs"), ("line-item", "row"), ('class="price', 'class="amount')]
)
def test_another_layout_is_a_named_error(old, new):
    with pytest.raises(LayoutChanged):
        rows(recorded().replace(old, new))


def test_one_request_brings_the_page():
    site = Site(lambda request: {"body": recorded()})
    assert len(list(SOURCE.parse(list(SOURCE.fetchers()[""](http_for(SOURCE, site)))))) == 11
    assert [request.url for request in site.requests] == [URL]


def test_a_second_price_in_a_line_is_a_redesign():
    one = '<p class="price text-light-green">$0.001736 / sec</p>'
    with pytest.raises(LayoutChanged, match="without one price"):
        rows(recorded().replace(one, one.replace("0.001736", "0.000868") + one))
