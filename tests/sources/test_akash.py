"""Akash: a mean of bids where others have a price, none where nobody has bid."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from exchanges import Site, http_for

from models.currencies import Rates
from models.normalise import normalise
from models.offers import Offer, Rejected
from sources.pages import recorded_pages
from sources.providers.akash import SOURCE, URL
from sources.source import ErrorAnswer, LayoutChanged, Page, Unreachable

MARCH, SEPTEMBER = datetime(2026, 3, 22, 23, 41, 6, tzinfo=UTC), datetime(2026, 9, 12, 12, 14, 46, tzinfo=UTC)
BIDS = {"currency": "USD", "min": 0, "max": 3.16, "avg": 2.58, "weightedAverage": 2.72, "med": 2.55}


def model(
    price: Any = BIDS, name: str = "h100", ram: str = "80Gi", form: str = "SXM5", free: Any = 23
) -> dict[str, Any]:
    stock = {"availability": {"total": 68, "available": free}}
    return {"vendor": "nvidia", "model": name, "ram": ram, "interface": form, **stock, "price": price}


def answer(*models: dict[str, Any]) -> Page:
    body = {"availability": {"total": 393, "available": 91}, "models": models}
    return Page(URL, json.dumps(body).encode(), SEPTEMBER, "gpu-prices")


def read(page: Page) -> tuple[list[Offer], list[Rejected]]:
    rows = SOURCE.parse([page])
    return normalise(
        rows, provider="akash", book="", observed_at=page.observed_at, origin="live", rates=Rates.of([]), page_sha256=""
    )


def recorded(when: datetime) -> dict[str, Decimal]:
    return {offer.gpu: offer.usd_per_gpu_hour for offer in read(recorded_pages("akash")[when][0].page)[0]}


def test_prices_are_the_weighted_mean_of_bids():
    # console-api.akash.network/v1/gpu-prices as OpenComputePrices read it, 2026-03-22
    march = recorded(MARCH)
    assert march["h100_sxm"] == Decimal("1.53")
    assert march["h200_sxm"] == Decimal("2.92")
    assert march["a100_sxm_80"] == Decimal("1.22")
    assert march["rtx_pro_6000_server"] == Decimal("1.56")
    assert march["rtx_4090"] == Decimal("0.35")
    # Akash's article of 2026-09-12, and the market graph's snapshot of that day
    assert recorded(SEPTEMBER)["h100_sxm"] == Decimal("2.71")
    assert recorded(SEPTEMBER)["h200_sxm"] == Decimal("4.44")


def test_a_test_bid_of_nothing_is_not_the_price():
    ((offer,), _) = read(answer(model()))
    assert (offer.gpu, offer.usd_per_gpu_hour, offer.quantity, offer.available) == (
        "h100_sxm",
        Decimal("2.72"),
        23,
        True,
    )


def test_a_model_in_use_keeps_its_price_and_is_not_free():
    ((offer,), _) = read(answer(model(free=0)))
    assert (offer.usd_per_gpu_hour, offer.available) == (Decimal("2.72"), False)


@pytest.mark.parametrize("price", [None, {**BIDS, "weightedAverage": 0}, {**BIDS, "weightedAverage": None}, {}, "2.72"])
def test_a_model_without_a_bid_costs_only_itself(price: Any):
    offers, rejected = read(answer(model(price, "b300", "288Gi", "SXM6"), model()))
    assert [offer.gpu for offer in offers] == ["h100_sxm"]
    assert [(row.reason, row.gpu_text) for row in rejected] == [("not_a_price", "b300 288Gi SXM6")]


def test_the_memory_tells_cards_of_one_model_apart():
    offers, _ = read(answer(model(BIDS, "v100", "16Gi", "SXM2"), model(BIDS, "v100", "32Gi", "PCIe")))
    assert [offer.gpu for offer in offers] == ["v100_sxm_16", "v100_pcie_32"]


@pytest.mark.parametrize("field", ["model", "ram", "interface", "price"])
def test_a_field_gone_from_every_model_is_named(field: str):
    row = model()
    del row[field]
    with pytest.raises(LayoutChanged, match=field):
        read(answer(row, row))


def test_figures_renamed_are_a_change_of_layout_and_not_zero_prices():
    with pytest.raises(LayoutChanged, match="weightedAverage"):
        read(answer(model({"currency": "USD", "mean": 2.72})))


def test_errors_under_http_200_are_errors():
    with pytest.raises(ErrorAnswer, match="try later"):
        read(Page(URL, b'{"error":"InternalServerError","message":"try later"}', SEPTEMBER, "gpu-prices"))
    with pytest.raises(ErrorAnswer, match="did not answer JSON"):
        read(Page(URL, b"error code: 1015", SEPTEMBER, "gpu-prices"))


def test_one_open_address_is_asked():
    site = Site(lambda _: {"body": {"models": [model()]}})
    (page,) = SOURCE.fetchers()[""](http_for(SOURCE, site))
    assert (page.url, len(read(page)[0])) == (URL, 1)
    with pytest.raises(Unreachable, match="403"):
        list(SOURCE.fetchers()[""](http_for(SOURCE, Site(lambda _: {"status": 403}))))
