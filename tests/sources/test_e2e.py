"""E2E Networks: offers in rupees, two of them under one name."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from exchanges import Site, http_for
from trials import recorded_rates

from models.normalise import normalise
from models.offers import Offer, Quote, Unreadable
from sources.pages import recorded_pages
from sources.providers.e2e import SOURCE, URL
from sources.source import LayoutChanged, Page

AUGUST = datetime(2026, 8, 22, tzinfo=UTC)
L4 = {
    "@type": "Offer", "name": "NVIDIA L4 GPU Cloud Instance", "category": "GPU Cloud Instance",
    "url": "https://www.e2enetworks.com/gpus/nvidia-l4", "priceCurrency": "INR", "price": 49,
    "priceSpecification": {"price": 49, "priceCurrency": "INR", "unitText": "per hour"},
    "availability": "https://schema.org/InStock",
    "itemOffered": {"@type": "Product", "description": "24 GB VRAM, 25 vCPUs, 110 GB RAM"},
}  # fmt: skip


def recorded() -> str:
    return recorded_pages("e2e")[AUGUST][0].page.text


def rows(body: str) -> list[Quote | Unreadable]:
    return list(SOURCE.parse([Page(URL, body.encode(), AUGUST, "pricing.html")]))  # type: ignore[arg-type]


def holding(*offers: dict[str, Any], **named: Any) -> str:
    catalogue = {"@context": "https://schema.org", "@type": "OfferCatalog", "itemListElement": offers, **named}
    return f'<html><script type="application/ld+json">{json.dumps(catalogue)}</script></html>'


def offers(body: str) -> list[Offer]:
    found, rejected = normalise(
        rows(body),
        provider="e2e",
        book="",
        observed_at=AUGUST,
        origin="recorded",
        rates=recorded_rates(),
        page_sha256="",
    )
    assert not rejected
    return found


@pytest.mark.parametrize(
    ("sku", "gpu", "inr", "usd"),
    [  # the page of 2026-08-22; in dollars as github.com/hemgo-lexsi/gpu-price-dashboard converted it that day
        ("nvidia-b200", "b200", "671", "7.0115"),
        ("nvidia-h200", "h200_sxm", "436", "4.5559"),
        ("nvidia-h100", "h100", "362", "3.7827"),
        ("nvidia-a100-80gb", "a100_80", "189", "1.9749"),
        ("nvidia-a100-40gb", "a100_40", "179", "1.8704"),
        ("nvidia-l4", "l4", "49", "0.512"),
    ],
)
def test_rupees_are_kept_and_converted(sku, gpu, inr, usd):
    (offer,) = [offer for offer in offers(recorded()) if offer.sku == sku]
    assert offer.gpu.removesuffix("_sxm") == gpu.removesuffix("_sxm")
    assert (offer.list_price, offer.currency) == (Decimal(inr), "INR")
    assert offer.usd_per_gpu_hour == pytest.approx(Decimal(usd), abs=Decimal("0.0002"))


def test_two_offers_of_one_name_are_two_cards():
    cards = [(row.sku, row.gpu_memory_gb) for row in rows(recorded()) if isinstance(row, Quote) and "A100" in row.gpu]
    assert cards == [("nvidia-a100-80gb", 80), ("nvidia-a100-40gb", 40)]
    assert len({offer.offer_key for offer in offers(recorded())}) == 10


def test_cpu_offers_are_passed_over():
    assert "C3.8GB CPU Instance" in recorded()
    assert not [row for row in rows(recorded()) if "CPU" in row.sku]


def test_the_host_is_that_of_one_gpu():
    (quote,) = rows(holding(L4))
    assert isinstance(quote, Quote)
    assert (quote.vcpus, quote.memory_gb, quote.unit) == (25, 110, "per_gpu_hour")


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"price": 0}, "not_a_price"),
        ({"price": None}, "not_a_price"),
        ({"priceCurrency": None}, "not_a_price"),
        ({"priceSpecification": {"unitText": "per month"}}, "unknown_unit"),
        ({"priceSpecification": None}, "unknown_unit"),
        ({"priceSpecification": {**L4["priceSpecification"], "referenceQuantity": {"value": 100}}}, "unknown_unit"),
        ({"priceSpecification": {**L4["priceSpecification"], "price": 89}}, "not_a_price"),
        ({"priceSpecification": {**L4["priceSpecification"], "priceCurrency": "USD"}}, "not_a_price"),
        ({"availability": "https://schema.org/PreOrder"}, "not_a_price"),
        ({"availability": "https://schema.org/Discontinued"}, "not_a_price"),
    ],
)
def test_an_offer_that_cannot_be_read_is_reported(changed, reason):
    bad, good = rows(holding({**L4, **changed}, L4))
    assert isinstance(bad, Unreadable)
    assert bad.reason == reason
    assert isinstance(good, Quote)


@pytest.mark.parametrize("stock", ["OutOfStock", "SoldOut"])
def test_out_of_stock_is_said(stock: str):
    (quote,) = rows(holding({**L4, "availability": f"https://schema.org/{stock}"}))
    assert isinstance(quote, Quote)
    assert quote.available is False


@pytest.mark.parametrize(
    "body",
    [
        "<html><p>Pricing</p></html>",
        holding(L4)[:-60],
        holding({**L4, "category": "CPU Cloud Instance"}),
        holding(L4).replace("OfferCatalog", "ItemList"),
    ],
)
def test_a_page_without_its_catalogue_is_a_named_error(body):
    with pytest.raises(LayoutChanged):
        rows(body)


def test_another_block_that_is_broken_does_no_harm():
    assert len(rows(f'<script type="application/ld+json">{{"@type":</script>{holding(L4)}')) == 1


def test_one_request_brings_the_page():
    site = Site(lambda request: {"body": holding(L4)})
    assert len(list(SOURCE.parse(list(SOURCE.fetchers()[""](http_for(SOURCE, site)))))) == 1
    assert [request.url for request in site.requests] == [URL]
