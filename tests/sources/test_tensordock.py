"""TensorDock: a GPU's part of a price, a machine put together around it, hosts that run out of vCPUs."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from exchanges import Replay, Site, http_for

from models.currencies import Rates
from models.normalise import normalise
from models.offers import Offer, Rejected
from sources.pages import recorded_pages
from sources.providers.tensordock import SOURCE, URL
from sources.source import ErrorAnswer, LayoutChanged, Page

NOW = datetime(2026, 10, 1, tzinfo=UTC)
HOST = {"per_vcpu_hr": 0.003, "per_gb_ram_hr": 0.002, "per_gb_storage_hr": 0.00005}
PLENTY = {"max_vcpus": 200, "max_ram_gb": 2000, "max_storage_gb": 5000}


def gpu(name: str = "h100-sxm5-80gb", price: Any = 1.99, at_once: Any = 8, **fields: Any) -> dict[str, Any]:
    return {"v0Name": name, "price_per_hr": price, "max_count": at_once, "resources": PLENTY, "pricing": HOST, **fields}


def place(*gpus: dict[str, Any], identity: str = "c14f2eab-e2b6") -> dict[str, Any]:
    town = {"city": "Seattle", "stateprovince": "Washington", "country": "United States", "tier": 3}
    return {"id": identity, **town, "gpus": list(gpus)}


def answer(*locations: dict[str, Any]) -> Page:
    return Page(URL, json.dumps({"data": {"locations": locations}}).encode(), NOW, "locations.json")


def read(page: Page) -> tuple[list[Offer], list[Rejected]]:
    rows = SOURCE.parse([page])
    return normalise(
        rows, provider="tensordock", book="", observed_at=NOW, origin="live", rates=Rates.of([]), page_sha256=""
    )


def test_prices_are_of_a_machine_around_the_gpu():
    # GPU parts of dashboard.tensordock.com/api/v2/locations, 2026-03-21, as OpenComputePrices read them; to each come
    # 8 vCPUs at 0.003, the card's memory in GB at 0.002 and 100 GB of disk at 0.00005
    offers, rejected = read(next(iter(recorded_pages("tensordock").values()))[0].page)
    found = {(offer.sku, offer.gpu_count): (offer.gpu, offer.usd_per_hour) for offer in offers}
    assert found[("h100-sxm5-80gb@c14f2eab", 1)] == ("h100_sxm", Decimal("1.99") + Decimal("0.189"))
    assert found[("geforcertx4090-pcie-24gb@543179e3", 1)] == ("rtx_4090", Decimal("0.35") + Decimal("0.077"))
    assert found[("l40s-pcie-48gb@543179e3", 1)] == ("l40s", Decimal("0.45") + Decimal("0.125"))
    assert found[("a100-sxm4-80gb@53006e5a", 1)] == ("a100_sxm_80", Decimal("0.85") + Decimal("0.189"))
    assert found[("rtxa4000-pcie-16gb@eea9c19e", 1)] == ("rtx_a4000", Decimal("0.08") + Decimal("0.061"))
    assert found[("h100-sxm5-80gb@c14f2eab", 8)] == ("h100_sxm", Decimal("15.92") + Decimal("1.477"))
    assert (len(offers), rejected) == (71, [])
    assert all(offer.country for offer in offers)


def test_no_machine_is_as_cheap_as_its_gpu_alone():
    offers, _ = read(answer(place(gpu())))
    assert {(o.gpu_count, o.vcpus, o.memory_gb, o.usd_per_hour) for o in offers} == {
        (1, 8, 80, Decimal("2.179")),
        (8, 64, 640, Decimal("17.397")),
    }
    assert all(offer.usd_per_gpu_hour > Decimal("1.99") for offer in offers)


def test_without_the_price_of_its_host_a_gpu_is_no_offer():
    offers, rejected = read(answer(place(gpu(pricing=None), gpu("l4-pcie-24gb", 0.225, 1))))
    assert [offer.gpu for offer in offers] == ["l4"]
    assert [(row.reason, row.gpu_text) for row in rejected] == [("gpu_part", "h100-sxm5-80gb")]


def test_a_host_without_vcpus_left_has_no_machine():
    tight = {"max_vcpus": 16, "max_ram_gb": 1546793, "max_storage_gb": 5000}
    offers, _ = read(answer(place(gpu("v100-sxm3-32gb", 0.29, 8, resources=tight))))
    assert {(offer.gpu_count, offer.available) for offer in offers} == {(1, True), (8, False)}
    ((offer,), _) = read(answer(place(gpu(at_once=0))))
    assert (offer.gpu_count, offer.available, offer.usd_per_hour) == (1, False, Decimal("2.179"))


def test_locations_of_one_town_stay_apart():
    offers, rejected = read(answer(place(gpu(at_once=1)), place(gpu(price=2.1, at_once=1), identity="9a6b8f9e-54a9")))
    assert sorted(offer.usd_per_hour for offer in offers) == [Decimal("2.179"), Decimal("2.289")]
    assert rejected == []


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (gpu(price=0), "not_a_price"),
        (gpu(price=None), "not_a_price"),
        (gpu("h100-sxm5"), "unknown_sku"),
        (gpu(at_once=-1), "unknown_sku"),
        (gpu("rtxpro9900-pcie-128gb", at_once=1), "unknown_gpu"),
    ],
)
def test_an_odd_gpu_costs_only_itself(row: dict[str, Any], reason: str):
    offers, rejected = read(answer(place(row, gpu("l4-pcie-24gb", 0.225, 1))))
    assert [offer.gpu for offer in offers] == ["l4"]
    assert [row.reason for row in rejected] == [reason]


@pytest.mark.parametrize("field", ["v0Name", "max_count", "price_per_hr", "pricing"])
def test_a_field_gone_from_every_gpu_is_named(field: str):
    row = gpu()
    del row[field]
    with pytest.raises(LayoutChanged, match=field):
        read(answer(place(row)))


def test_errors_under_http_200_are_errors():
    with pytest.raises(ErrorAnswer, match="Internal"):
        read(Page(URL, b'{"errors":[{"title":"Internal Server Error"}]}', NOW, "locations.json"))
    with pytest.raises(LayoutChanged, match="locations"):
        read(Page(URL, b'{"data":{}}', NOW, "locations.json"))


def test_the_list_is_open_and_a_key_goes_into_the_request_only():
    body = {"data": {"locations": [place(gpu())]}}
    replay = Replay([{"request": {"method": "GET", "url": URL}, "response": {"body": body}}])
    (page,) = SOURCE.fetchers()[""](http_for(SOURCE, replay))
    assert "Authorization" not in replay.requests[0].headers
    site = Site(lambda _: {"body": body})
    (page,) = SOURCE.fetchers()[""](http_for(SOURCE, site, secrets={"TENSORDOCK_API_KEY": "td-secret-1"}))
    assert site.requests[0].headers["Authorization"] == "Bearer td-secret-1"
    assert "td-secret-1" not in page.text + page.url
