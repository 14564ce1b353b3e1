"""Crusoe: one section among many of the same look, cards told apart by a tag, spot by contact."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

import pytest
from exchanges import Site, http_for

from models.currencies import Rates
from models.normalise import normalise
from models.offers import Offer, Quote, Rejected
from sources.pages import recorded_pages
from sources.providers.crusoe import SOURCE, URL
from sources.source import LayoutChanged, Page

AUGUST = datetime(2026, 8, 22, tzinfo=UTC)
A100_SXM = '<div class="pricing-tag is-dark">80GB</div><div class="pricing-tag">SXM</div>'


def recorded() -> str:
    return recorded_pages("crusoe")[AUGUST][0].page.text


def read(body: str) -> tuple[list[Offer], list[Rejected]]:
    rows = SOURCE.parse([Page(URL, body.encode(), AUGUST, "pricing.html")])
    return normalise(
        rows, provider="crusoe", book="", observed_at=AUGUST, origin="live", rates=Rates.of([]), page_sha256=""
    )


def prices(body: str) -> dict[tuple[str, str], Decimal]:
    return {(offer.gpu, offer.pricing): offer.usd_per_gpu_hour for offer in read(body)[0]}


def test_prices_are_per_gpu_and_the_tag_tells_the_card():
    # crusoe.ai/cloud/pricing, 2026-08-22, and gpurentalprices.com of that day
    assert prices(recorded()) == {
        ("h200_sxm", "on_demand"): Decimal("4.29"),
        ("h100_sxm", "on_demand"): Decimal("3.90"),
        ("a100_sxm_80", "on_demand"): Decimal("2.30"),
        ("a100_pcie_80", "on_demand"): Decimal("2.00"),
        ("l40s", "on_demand"): Decimal("1.50"),
        ("mi300x", "on_demand"): Decimal("3.45"),
    }


def test_contact_sales_is_no_price():
    _, rejected = read(recorded())
    assert {row.reason for row in rejected} == {"not_a_price"}
    on_demand = [row.gpu_text for row in rejected if "on_demand" in row.detail]
    assert on_demand == ["NVIDIA GB200 NVL72", "NVIDIA B200 HGX", "AMD MI355X"]
    assert len(rejected) == 12  # these three, and spot of all nine


def test_a_spot_price_would_be_one():
    body = recorded().replace(
        'GPU-hr</p></div><div class="pricing-rich w-richtext"><p><a href="/contact-sales">Contact sales</a>',
        'GPU-hr</p></div><div class="pricing-rich w-richtext"><p>$1.60/GPU-hr',
        1,
    )
    assert prices(body)[("h200_sxm", "spot")] == Decimal("1.60")


def test_a_card_without_its_form_is_the_family():
    offers, _ = read(recorded().replace(A100_SXM, A100_SXM.replace("SXM", "")))
    assert {offer.gpu for offer in offers if offer.usd_per_gpu_hour == Decimal("2.30")} == {"a100_80"}


def test_only_hgx_sxm_and_racks_are_joined():
    rows = [row for row in SOURCE.parse([recorded_pages("crusoe")[AUGUST][0].page]) if isinstance(row, Quote)]
    joined = {row.gpu for row in rows if row.fabric == "multi_node"}
    assert joined == {"NVIDIA H200 HGX", "NVIDIA H100 HGX", "NVIDIA A100 SXM"}


def test_a_price_of_another_unit_is_not_taken_per_gpu():
    offers, rejected = read(recorded().replace("$4.29/GPU-hr", "$34.32/hr"))
    assert "h200_sxm" not in {offer.gpu for offer in offers}
    assert [row.gpu_text for row in rejected if row.reason == "unknown_unit"] == ["NVIDIA H200 HGX"]


def test_moved_columns_are_followed_by_their_titles():
    titles = '<div class="pricing-heading is-d">On-demand</div><div class="pricing-heading is-d">Current spot</div>'
    moved = '<div class="pricing-heading is-d">Current spot</div><div class="pricing-heading is-d">On-demand</div>'
    assert set(prices(recorded().replace(titles, moved))) >= {("h100_sxm", "spot"), ("l40s", "spot")}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("GPU model", "Model"),
        ("Current spot", "Spot"),
        ("pricing-gap", "pricing-grid"),
        ("pricing_gpu-item", "pricing-item"),
        ("pricing-item-heading", "pricing-item-title"),
        (A100_SXM + "</div></a>", A100_SXM + "</div></a><div>NEW</div>"),
    ],
)
def test_a_redesign_is_named(old, new):
    assert old in recorded()
    with pytest.raises(LayoutChanged):
        prices(recorded().replace(old, new))


def test_one_request_brings_the_page():
    site = Site(lambda request: {"body": recorded()})
    pages = list(SOURCE.fetchers()[""](http_for(SOURCE, site)))
    assert [request.url for request in site.requests] == [URL]
    assert sum(isinstance(row, Quote) for row in SOURCE.parse(pages)) == 6
