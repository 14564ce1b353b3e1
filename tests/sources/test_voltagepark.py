"""Voltage Park: two networks at two prices, and machines whose disk is charged apart."""

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
from sources.providers.voltagepark import BARE_METAL, LOCATIONS, MACHINES, PRESETS, SOURCE
from sources.source import ErrorAnswer, LayoutChanged, Page, TruncatedAnswer, in_books

AUGUST = datetime(2026, 8, 25, tzinfo=UTC)
LOCATION = {
    "id": "a3111bd4-550a-47d0-838a-0a52bff2ae3f",
    "gpu_count_ethernet": 16,
    "gpu_price_ethernet": "1.99",
    "gpu_count_infiniband": 0,
    "gpu_price_infiniband": "2.49",
    "specs_per_node": {"gpu_model": "h100-sxm5-80gb", "gpu_count": 8, "cpu_count": 104, "ram_gb": 1024},
}


def locations(*rows: dict[str, Any], total: int | None = None, more: bool = False) -> dict[str, Any]:
    count = len(rows) if total is None else total
    return {"results": list(rows), "total_result_count": count, "has_previous": False, "has_next": more}


def page(body: Any, book: str = BARE_METAL) -> Page:
    return Page(LOCATIONS, json.dumps(body).encode(), AUGUST, "locations.json", book)


def read(*pages: Page) -> tuple[list[Offer], list[Rejected]]:
    rows = SOURCE.parse(pages)
    book = pages[0].book
    return normalise(
        rows, provider="voltagepark", book=book, observed_at=AUGUST, origin="live", rates=Rates.of([]), page_sha256=""
    )


def recorded(book: str) -> list[Offer]:
    books = in_books(entry.page for entry in recorded_pages("voltagepark")[AUGUST])
    return read(*books[book])[0]


def test_bare_metal_is_priced_per_gpu_on_two_networks():
    # bare-metal/locations, 2026-08-25
    found = {o.sku: (o.gpu, o.usd_per_gpu_hour, o.usd_per_hour, o.fabric, o.cluster_gpus) for o in recorded(BARE_METAL)}
    assert found == {
        "bare-metal ethernet": ("h100_sxm", Decimal("1.99"), Decimal("15.92"), "single_node", None),
        "bare-metal infiniband": ("h100_sxm", Decimal("2.49"), Decimal("19.92"), "multi_node", 1016),
    }


def test_the_disk_of_a_machine_is_part_of_its_price():
    # instant-deploy-presets, 2026-08-25: 15.12 + 0.80, 7.56 + 0.40, 3.78 + 0.20, 1.89 + 0.10
    found = {o.gpu_count: (o.usd_per_hour, o.usd_per_gpu_hour) for o in recorded(MACHINES)}
    assert found == {
        Decimal(8): (Decimal("15.92"), Decimal("1.99")),
        Decimal(4): (Decimal("7.96"), Decimal("1.99")),
        Decimal(2): (Decimal("3.98"), Decimal("1.99")),
        Decimal(1): (Decimal("1.99"), Decimal("1.99")),
    }


def test_a_count_of_none_free_keeps_the_price():
    offers, _ = read(page(locations(LOCATION)))
    assert {(o.sku, o.available) for o in offers} == {
        ("bare-metal ethernet", True),
        ("bare-metal infiniband", False),
    }


def test_a_price_as_a_number_is_the_same_price():
    offers, _ = read(page(locations({**LOCATION, "gpu_price_ethernet": 1.99})))
    assert Decimal("1.99") in {offer.list_price for offer in offers}


@pytest.mark.parametrize("price", [None, "", "0", "contact us", -1, True])
def test_what_is_no_price_costs_no_other(price):
    offers, rejected = read(page(locations({**LOCATION, "gpu_price_infiniband": price})))
    assert [offer.sku for offer in offers] == ["bare-metal ethernet"]
    assert [row.reason for row in rejected] == ["not_a_price"]


def test_a_price_of_a_new_kind_is_told():
    _, rejected = read(page(locations({**LOCATION, "gpu_price_spot": "0.99"})))
    assert [(row.reason, row.sku) for row in rejected] == [("unknown_sku", "bare-metal spot")]


def test_a_machine_without_the_rate_of_its_disk_is_no_price():
    preset = {
        "id": "x",
        "resources": {"gpus": {"h100-sxm5-80gb": {"count": 8}}},
        "compute_rate_hourly": "15.12",
        "storage_rate_hourly": None,
    }
    offers, rejected = read(page([preset], MACHINES))
    assert offers == []
    assert [row.reason for row in rejected] == ["not_a_price"]


@pytest.mark.parametrize("field", ["specs_per_node", "gpu_price_ethernet", "gpu_price_infiniband"])
def test_a_missing_field_is_named(field):
    with pytest.raises(LayoutChanged, match=field):
        read(page(locations({key: value for key, value in LOCATION.items() if key != field})))


def test_an_error_under_http_200_is_an_error():
    with pytest.raises(ErrorAnswer, match="Not authenticated"):
        read(page({"detail": "Not authenticated"}))


def test_fewer_locations_than_announced_are_a_truncated_answer():
    with pytest.raises(TruncatedAnswer):
        read(page(locations(LOCATION, total=2)))


def test_locations_are_followed_to_the_last_page():
    other = {**LOCATION, "id": "elsewhere"}
    replay = Replay(
        [
            {"request": {"url": LOCATIONS}, "response": {"body": locations(LOCATION, total=2, more=True)}},
            {"request": {"url": LOCATIONS}, "response": {"body": locations(other, total=2)}},
        ]
    )
    pages = list(SOURCE.fetchers()[BARE_METAL](http_for(SOURCE, replay)))
    assert [request.url for request in replay.requests] == [LOCATIONS, f"{LOCATIONS}?offset=1"]
    assert len(read(*pages)[0]) == 4


def test_a_list_without_end_is_given_up():
    site = Site(lambda request: {"body": locations(LOCATION, total=999, more=True)})
    with pytest.raises(TruncatedAnswer):
        list(SOURCE.fetchers()[BARE_METAL](http_for(SOURCE, site)))


def test_machines_are_one_request():
    site = Site(lambda request: {"body": []})
    list(SOURCE.fetchers()[MACHINES](http_for(SOURCE, site)))
    assert [request.url for request in site.requests] == [PRESETS]
