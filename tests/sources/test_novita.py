"""Novita: whole numbers of hundred-thousandths of a dollar, per GPU."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from exchanges import Replay, http_for

from models.currencies import Rates
from models.normalise import normalise
from models.offers import Quote, Unreadable
from sources.pages import recorded_pages
from sources.providers.novita import SOURCE, URL
from sources.source import ErrorAnswer, LayoutChanged, Page

MAY = datetime(2026, 5, 24, tzinfo=UTC)
# a product as collectors of this list have it in their tests
RTX_4090 = {
    "id": "4090.16c62g", "name": "RTX 4090 24GB", "cpuPerGpu": 16, "memoryPerGpu": 62, "diskPerGpu": 6144,
    "availableDeploy": True, "price": "35000", "spotPrice": "17500", "inventoryState": "normal",
    "regions": ["US-CA-06 (California)", "EU-GB-01 (United Kingdom)"],
}  # fmt: skip


def page(body: object) -> Page:
    return Page(URL, body if isinstance(body, bytes) else json.dumps(body).encode(), MAY, "products.json")


def rows(*products: dict[str, Any]) -> list[Quote | Unreadable]:
    return list(SOURCE.parse([page({"data": products})]))  # type: ignore[arg-type]


def quotes(*products: dict[str, Any]) -> list[Quote]:
    return [row for row in rows(*products) if isinstance(row, Quote)]


@pytest.mark.parametrize(
    ("gpu", "pricing", "usd_per_gpu_hour"),
    [  # github.com/tardellirs/gpu-pricing src/data/offerings.json, 2026-05-24
        ("h100_sxm", "on_demand", "2.59"),
        ("h100_sxm", "spot", "1.3"),
        ("a100_sxm_80", "on_demand", "1.6"),
        ("a100_sxm_80", "spot", "0.8"),
        ("l40s", "on_demand", "0.55"),
        ("rtx_6000_ada", "on_demand", "0.77"),
        ("rtx_3090", "spot", "0.11"),
    ],
)
def test_recorded_prices(gpu, pricing, usd_per_gpu_hour):
    offers, _ = normalise(
        SOURCE.parse([kept.page for kept in recorded_pages("novita")[MAY]]),  # type: ignore[arg-type]
        provider="novita",
        book="",
        observed_at=MAY,
        origin="recorded",
        rates=Rates.of([]),
        page_sha256="",
    )
    (offer,) = [offer for offer in offers if (offer.gpu, offer.pricing) == (gpu, pricing)]
    assert offer.usd_per_gpu_hour == Decimal(usd_per_gpu_hour)
    assert len(offers) == 17


def test_faster_hosts_are_products_of_their_own():
    pages = [kept.page for kept in recorded_pages("novita")[MAY]]
    named = {row.sku: row.amount for row in SOURCE.parse(pages) if isinstance(row, Quote) and "4090" in row.gpu}
    assert set(named) == {"rtx-4090", "rtx-4090-high-freq"}


def test_hundred_thousandths_become_dollars_and_the_memory_is_the_hosts():
    on_demand = quotes(RTX_4090)[0]
    assert (on_demand.amount, on_demand.unit) == (Decimal("0.35"), "per_gpu_hour")
    assert (on_demand.memory_gb, on_demand.vcpus, on_demand.gpu_memory_gb) == (62, 16, None)


def test_one_quote_for_each_region_and_kind():
    assert [(quote.region, quote.pricing) for quote in quotes(RTX_4090)] == [
        ("US-CA-06 (California)", "on_demand"),
        ("EU-GB-01 (United Kingdom)", "on_demand"),
        ("US-CA-06 (California)", "spot"),
        ("EU-GB-01 (United Kingdom)", "spot"),
    ]


@pytest.mark.parametrize(
    ("changed", "available"),
    [
        ({}, True),
        ({"availableDeploy": False}, False),
        ({"availableDeploy": "false"}, False),
        ({"inventoryState": "none"}, False),
        ({"availableDeploy": None, "inventoryState": None}, None),
    ],
)
def test_what_is_sold_out_stays_listed_and_says_so(changed, available):
    assert {quote.available for quote in quotes({**RTX_4090, **changed})} == {available}


@pytest.mark.parametrize(("billed", "sold"), [(["monthly"], []), (["spot"], ["spot"]), (["onDemand"], ["on_demand"])])
def test_a_price_that_is_not_billed_so_is_none(billed, sold):
    read = rows({**RTX_4090, "regions": [], "billingMethods": billed})
    assert [row.pricing for row in read if isinstance(row, Quote)] == sold
    assert {row.reason for row in read if isinstance(row, Unreadable)} == {"unknown_pricing"}


@pytest.mark.parametrize("nothing", ["0", 0, None, ""])
def test_without_a_spot_price_it_is_not_sold_so(nothing):
    read = rows({**RTX_4090, "spotPrice": nothing})
    assert {row.pricing for row in read if isinstance(row, Quote)} == {"on_demand"}
    assert not [row for row in read if isinstance(row, Unreadable)]


@pytest.mark.parametrize(("price", "reason"), [("0", "not_a_price"), (None, "not_a_price"), (0.35, "unknown_unit")])
def test_a_product_that_cannot_be_read_is_reported(price, reason):
    bad, *good = rows({**RTX_4090, "price": price, "spotPrice": "0"}, RTX_4090)
    assert isinstance(bad, Unreadable)
    assert bad.reason == reason
    assert len(good) == 4


@pytest.mark.parametrize(
    ("body", "error"),
    [
        (b"<html>Bad gateway</html>", ErrorAnswer),
        ({"code": 401, "reason": "UNAUTHORIZED", "message": "invalid key"}, ErrorAnswer),
        ({"data": {}}, LayoutChanged),
        ({"products": []}, LayoutChanged),
        ({"data": [{"id": "4090.16c62g"}]}, LayoutChanged),
    ],
)
def test_answers_that_are_no_list_raise_a_named_error(body, error):
    with pytest.raises(error):
        list(SOURCE.parse([page(body)]))


def test_the_key_travels_in_the_header_alone():
    replay = Replay([{"request": {"url": URL}, "response": {"body": {"data": [RTX_4090]}}}])
    http = http_for(SOURCE, replay, secrets={"NOVITA_API_KEY": "key-of-the-test"})
    (kept,) = SOURCE.fetchers()[""](http)
    assert replay.requests[0].headers["Authorization"] == "Bearer key-of-the-test"
    assert "key-of-the-test" not in kept.url + kept.text
