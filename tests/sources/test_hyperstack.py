"""Hyperstack: cards of prices per GPU on the page, list prices and flavours with a key."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from exchanges import Replay, Site, http_for

from models.currencies import Rates
from models.normalise import normalise
from models.offers import Offer, Quote, Rejected
from sources.pages import recorded_pages
from sources.providers.hyperstack import KEY, PAGE, SOURCE
from sources.source import ErrorAnswer, LayoutChanged, Page

AUGUST = datetime(2026, 8, 22, tzinfo=UTC)
SECRET = "hyperstack-test-key"


def recorded() -> str:
    return recorded_pages("hyperstack")[AUGUST][0].page.text


def page(body: str) -> Page:
    return Page(PAGE, body.encode(), AUGUST, "gpu-pricing.html")


def read(*pages: Page) -> tuple[list[Offer], list[Rejected]]:
    rows = SOURCE.parse(pages)
    return normalise(
        rows, provider="hyperstack", book="", observed_at=AUGUST, origin="live", rates=Rates.of([]), page_sha256=""
    )


# --- the page


def test_prices_are_per_gpu_on_demand_and_spot():
    # hyperstack.cloud/gpu-pricing, 2026-08-22
    offers, _ = read(page(recorded()))
    prices = {(o.gpu, o.pricing, o.gpu_text): o.usd_per_gpu_hour for o in offers}
    assert prices[("h200_sxm", "on_demand", "NVIDIA H200 SXM")] == Decimal("3.99")
    assert prices[("h100_sxm", "on_demand", "NVIDIA H100 SXM")] == Decimal("3.20")
    assert prices[("h100_pcie", "on_demand", "NVIDIA H100 NVLink")] == Decimal("2.60")
    assert prices[("h100_pcie", "on_demand", "NVIDIA H100")] == Decimal("2.50")
    assert prices[("h100_pcie", "spot", "NVIDIA H100 PCIe")] == Decimal("2.00")
    assert prices[("a100_pcie_80", "on_demand", "NVIDIA A100 NVLink")] == Decimal("1.40")
    assert prices[("rtx_pro_6000_server", "spot", "NVIDIA RTX Pro 6000 SE")] == Decimal("1.48")
    assert prices[("b300", "on_demand", "NVIDIA B300")] == Decimal("7.40")
    assert prices[("l40", "spot", "NVIDIA L40")] == Decimal("0.80")
    assert len(prices) == 18


def test_nvlink_is_never_the_nvl_card():
    offers, _ = read(page(recorded()))
    assert "h100_nvl" not in {offer.gpu for offer in offers}


def test_sxm_comes_in_whole_nodes_and_a_node_costs_its_gpus():
    offers, _ = read(page(recorded()))
    sizes = {(o.gpu_text, o.gpu_count): o.usd_per_hour for o in offers if o.pricing == "on_demand"}
    assert sizes[("NVIDIA H100 SXM", Decimal(8))] == Decimal("25.60")
    assert ("NVIDIA H100 SXM", Decimal(1)) not in sizes
    assert sizes[("NVIDIA H100", Decimal(1))] == Decimal("2.50")


def test_a_reservation_from_a_price_without_a_term_is_no_price():
    _, rejected = read(page(recorded()))
    assert {row.reason for row in rejected} == {"not_a_price"}
    assert len(rejected) == 12
    assert "starting from $2.72" in next(row.detail for row in rejected if row.gpu_text == "NVIDIA H100 SXM")


def test_cpus_and_storage_are_left_alone():
    offers, rejected = read(page(recorded()))
    assert not [row for row in (*offers, *rejected) if "cpu" in row.sku or "SSV" in row.sku]


def test_moved_columns_are_followed_by_their_titles():
    body = recorded().replace("Max pCPUs per GPU", "X").replace("VRAM (GB)", "Max pCPUs per GPU")
    offers, _ = read(page(body.replace("<span>X<", "<span>VRAM (GB)<")))
    assert "h200_sxm" not in {offer.gpu for offer in offers}  # a card of 22 GB is not one


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("On-Demand GPU", "GPU"),
        ("Pricing Per Hour", "Price"),
        ("VRAM (GB)", "Memory"),
        ("page-price_card_head_item", "page-price_head_item"),
        ("page-price_card df sb", "price-card"),
        ("<span>22</span></div>", '<span>22</span></div><div class="page-price_card_row_item_col">1</div>'),
    ],
)
def test_a_redesign_is_named(old, new):
    assert old in recorded()
    with pytest.raises(LayoutChanged):
        read(page(recorded().replace(old, new)))


def test_a_card_of_gpus_that_is_not_known_is_told():
    _, rejected = read(page(recorded().replace("Spot VM</span> Pricing", "Preemptible</span> Pricing")))
    assert {"unreadable", "layout_changed"} <= {row.reason for row in rejected}


# --- the price book and the flavours


def entry(name: str, original: Any, value: Any) -> dict[str, Any]:
    return {
        "id": 1, "name": name, "value": value, "original_value": original,
        "discount_applied": value != original, "start_time": None, "end_time": None,
    }  # fmt: skip


def flavour(name: str, gpu: str, count: int, region: str = "CANADA-1", **fields: Any) -> dict[str, Any]:
    row = {
        "id": 1, "name": name, "region_name": region, "cpu": 28, "ram": 180.0, "disk": 100, "ephemeral": 750,
        "gpu": gpu, "gpu_count": count, "stock_available": True,
    }  # fmt: skip
    return {**row, **fields}


BOOK = [
    entry("H100-80G-PCIe", "2.50", "1.90"),
    entry("H100-80G-PCIe-spot", "2.00", "2.00"),
    entry("H100-80G-SXM5", 3.2, 3.2),
    entry("vCPU (cpu-only-flavors)", "0.0875", "0.0875"),
]
FLAVOURS = {
    "status": True,
    "message": "Getting flavors successful",
    "data": [
        {"gpu": "H100-80G-PCIe", "region_name": "CANADA-1", "flavors": [flavour("n3-H100x1", "H100-80G-PCIe", 1)]},
        {
            "gpu": "H100-80G-PCIe",
            "region_name": "CANADA-1",
            "flavors": [flavour("n3-H100x1-spot", "H100-80G-PCIe-spot", 1, stock_available=False)],
        },
        {
            "gpu": "H100-80G-SXM5",
            "region_name": "US-1",
            "flavors": [flavour("n3-H100-SXM5x8", "H100-80G-SXM5", 8, "US-1", cpu=192, ram=960)],
        },
        {"gpu": "", "region_name": "CANADA-1", "flavors": [flavour("n1-cpu-small", "", 0)]},
        {"gpu": "L40", "region_name": "CANADA-1", "flavors": [flavour("n3-L40x1", "L40", 1)]},
    ],
}


def with_key(book: Any = BOOK, flavours: Any = FLAVOURS) -> tuple[list[Page], Replay]:
    replay = Replay(
        [
            {"request": {"url": "https://x/v1/pricebook"}, "response": {"body": book if book else "[]"}},
            {"request": {"url": "https://x/v1/core/flavors"}, "response": {"body": flavours}},
        ]
    )
    http = http_for(SOURCE, replay, secrets={KEY: SECRET})
    return list(SOURCE.fetchers()[""](http)), replay


def test_the_key_brings_list_prices_by_flavour_region_and_stock():
    pages, replay = with_key()
    assert [request.headers["api_key"] for request in replay.requests] == [SECRET, SECRET]
    offers, rejected = read(*pages)
    assert {(o.sku, o.gpu, o.country, o.pricing, o.usd_per_hour, o.available) for o in offers} == {
        ("n3-H100x1", "h100_pcie", "CA", "on_demand", Decimal("2.50"), True),
        ("n3-H100x1-spot", "h100_pcie", "CA", "spot", Decimal("2.00"), False),
        ("n3-H100-SXM5x8", "h100_sxm", "US", "on_demand", Decimal("25.60"), True),
    }
    assert [(row.sku, row.reason) for row in rejected] == [("n3-L40x1", "not_a_price")]


def test_a_customers_own_price_is_never_read():
    offers, _ = read(*with_key()[0])
    assert Decimal("1.90") not in {offer.usd_per_gpu_hour for offer in offers}
    with pytest.raises(LayoutChanged, match="original_value"):
        read(*with_key([{"name": "H100-80G-PCIe", "value": "1.90"}])[0])


def test_the_key_reaches_no_page():
    pages, _ = with_key()
    assert not [held for held in pages if SECRET in held.url or SECRET in held.text]


def test_an_error_under_http_200_is_an_error():
    pages, _ = with_key(flavours={"status": False, "message": "Unauthorized"})
    with pytest.raises(ErrorAnswer, match="Unauthorized"):
        read(*pages)


def test_flavours_without_the_price_book_are_not_read():
    pages, _ = with_key()
    with pytest.raises(LayoutChanged, match=r"pricebook\.json is missing"):
        read(pages[1])


def test_without_a_key_one_request_brings_the_page():
    site = Site(lambda request: {"body": recorded()})
    pages = list(SOURCE.fetchers()[""](http_for(SOURCE, site)))
    assert [request.url for request in site.requests] == [PAGE]
    assert sum(isinstance(row, Quote) for row in SOURCE.parse(pages)) == 29  # 7 in nodes of 8, 11 in two sizes
