"""fal: a list price that anybody pays beside one that needs a contract, and tables of models that look the same."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

import pytest
from exchanges import Site, http_for

from models.currencies import Rates
from models.normalise import normalise
from models.offers import Quote, Unreadable
from sources.pages import recorded_pages
from sources.providers.fal import SOURCE, URL
from sources.source import LayoutChanged, Page

AUGUST = datetime(2026, 8, 22, tzinfo=UTC)


def recorded() -> str:
    return recorded_pages("fal")[AUGUST][0].page.text


def rows(body: str) -> list[Quote | Unreadable]:
    return list(SOURCE.parse([Page(URL, body.encode(), AUGUST, "pricing.html")]))  # type: ignore[arg-type]


def amounts(body: str) -> dict[str, Decimal]:
    return {row.gpu: row.amount for row in rows(body) if isinstance(row, Quote)}


def test_recorded_prices():
    # fal.ai/pricing of 2026-08-22, github.com/getcomputable/gpu-index
    assert amounts(recorded()) == {
        "B300": Decimal("8.50"),
        "B200": Decimal("6.25"),
        "H200": Decimal("4.50"),
        "H100": Decimal("4.50"),
        "RTX PRO 6000": Decimal("2.99"),
    }


def test_prices_are_per_gpu_and_serverless():
    offers, rejected = normalise(
        rows(recorded()),
        provider="fal",
        book="",
        observed_at=AUGUST,
        origin="recorded",
        rates=Rates.of([]),
        page_sha256="",
    )
    assert {(offer.gpu, offer.usd_per_gpu_hour, offer.pricing) for offer in offers} >= {
        ("h100", Decimal("4.50"), "serverless"),
        ("b300", Decimal("8.50"), "serverless"),
    }
    assert {row.reason for row in rejected} == {"not_a_price"}


def test_as_low_as_is_never_a_price():
    assert Decimal("1.89") not in amounts(recorded()).values()
    assert [row.gpu for row in rows(recorded()) if isinstance(row, Unreadable)] == list(amounts(recorded()))


def test_models_are_no_gpus():
    assert "Wan 2.5" in recorded()
    assert "Wan 2.5" not in amounts(recorded())


def test_columns_are_found_by_their_titles():
    swapped = (
        recorded()
        .replace(">List Price<", ">list<")
        .replace(">As low as<", ">List Price<")
        .replace(">list<", ">As low as<")
    )
    assert amounts(swapped)["H100"] == Decimal("1.89")


@pytest.mark.parametrize("words", ["Contact us", "-", "from $4.50/h", "$4.50/mo", "$4.50"])
def test_a_row_without_a_list_price_is_reported_and_costs_no_good_row(words):
    read = rows(recorded().replace("$8.50/h", words))
    assert [row.gpu for row in read if isinstance(row, Quote)] == ["B200", "H200", "H100", "RTX PRO 6000"]
    assert any(isinstance(row, Unreadable) and row.gpu == "B300" for row in read)


@pytest.mark.parametrize("title", ["GPU", "VRAM", "List Price", "As low as"])
def test_a_column_that_is_gone_is_a_named_error(title):
    with pytest.raises(LayoutChanged):
        rows(recorded().replace(f">{title}<", ">Something<"))


def test_a_page_that_scripts_build_is_a_named_error():
    with pytest.raises(LayoutChanged):
        rows("<html><body><div id='root'></div><script src='/app.js'></script></body></html>")


def test_one_request_brings_the_page():
    site = Site(lambda request: {"body": recorded()})
    assert len(list(SOURCE.parse(list(SOURCE.fetchers()[""](http_for(SOURCE, site)))))) == 10
    assert [request.url for request in site.requests] == [URL]
