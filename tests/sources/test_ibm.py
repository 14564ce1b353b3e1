"""IBM Cloud: which meters of a plan are prices of a server, and for whom."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import requests
from exchanges import Site, http_for

from models.currencies import Rates
from models.normalise import normalise
from models.offers import Offer, Quote, Rejected, Unreadable
from sources.pages import recorded_pages
from sources.providers.ibm import PLANS, SOURCE, URL
from sources.source import ErrorAnswer, LayoutChanged, Page, TruncatedAnswer

NOW = datetime(2026, 10, 5, tzinfo=UTC)
H100, H200 = "gx3d-160x1792x8h100", "gx3d-160x1792x8h200"


def amount(price: Any, country: str = "USA", currency: str = "USD") -> dict[str, Any]:
    return {"country": country, "currency": currency, "prices": [{"quantity_tier": 1, "price": price}]}


def meter(name: str, *amounts: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"metric_id": f"part-is.{name}", "charge_unit_quantity": 1, "amounts": amounts, **fields}


def region(name: str, *meters: dict[str, Any]) -> dict[str, Any]:
    return {"deployment_location": name, "deployment_region": name, "metrics": meters}


EU_DE = region("eu-de", meter(f"instance-hours-{H100}", amount(99.6)), meter(f"spot-{H100}", amount(24.8965)))


def page(*regions: dict[str, Any], count: int | None = None) -> Page:
    counted = len(regions) if count is None else count
    body = {"offset": 0, "limit": 200, "count": counted, "resource_count": len(regions), "resources": regions}
    return Page(URL.format(plan=PLANS[H100]), json.dumps(body).encode(), NOW, f"{H100}-1.json", H100)


def rows(*regions: dict[str, Any]) -> list[Quote | Unreadable]:
    return list(SOURCE.parse([page(*regions)]))  # type: ignore[arg-type]


def normalised(said: list[Quote | Unreadable]) -> tuple[list[Offer], list[Rejected]]:
    return normalise(
        said, provider="ibm", book=H100, observed_at=NOW, origin="recorded", rates=Rates.of([]), page_sha256=""
    )


def test_recorded_prices():
    # 5 October 2026, Frankfurt: 12.45 USD per GPU-hour on demand; spot at a quarter
    pages = [kept.page for kept in recorded_pages("ibm")[NOW]]
    offers, rejected = normalised(list(SOURCE.parse(pages)))  # type: ignore[arg-type]
    assert {(o.pricing, o.usd_per_hour, o.usd_per_gpu_hour) for o in offers} == {
        ("on_demand", Decimal("99.6"), Decimal("12.45")),
        ("spot", Decimal("24.8965"), Decimal("3.11206250")),
    }
    assert {(o.gpu, o.gpu_count, o.country, o.vcpus, o.memory_gb, o.fabric) for o in offers} == {
        ("h100_sxm", 8, "DE", 160, 1792, "multi_node")
    }
    assert not rejected


def test_other_meters_of_the_plan_are_passed_over():
    others = [
        meter(f"instance-hours-dh-{H100}", amount(0)),
        meter(f"reservation-hours-{H100}", amount(70)),
        meter("rhel-hours", amount(0.06)),
        meter("cpu-hours", amount(0.04)),
    ]
    assert len(rows({**EU_DE, "metrics": [*EU_DE["metrics"], *others]}, region("DEFAULT", *EU_DE["metrics"]))) == 2


def test_the_list_price_is_that_of_the_usa_in_dollars():
    prices = [amount(101.3, "DEU", "EUR"), amount(150, "CAN", "CAD"), amount(99.6), amount(99.7, "CAN", "USD")]
    (row,) = rows(region("us-east", meter(f"instance-hours-{H100}", *prices)))
    assert isinstance(row, Quote)
    assert (row.amount, row.currency, row.region) == (Decimal("99.6"), "USD", "us-east")


def test_h200_servers_have_no_cluster_network():
    (row,) = rows(region("us-south", meter(f"instance-hours-{H200}", amount(85))))
    assert isinstance(row, Quote)
    assert (row.gpu, row.gpu_count, row.gpu_memory_gb, row.fabric) == ("H200 SXM", 8, 141, "single_node")


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (meter(f"instance-hours-{H100}", amount(0)), "not_a_price"),
        (meter(f"instance-hours-{H100}", amount(101.3, "DEU", "EUR")), "not_a_price"),
        (meter(f"instance-hours-{H100}", amount(99.6), amount(98)), "not_a_price"),
        (meter(f"instance-hours-{H100}", amount(99.6), charge_unit_quantity=63), "unknown_unit"),
        (meter(f"instance-hours-{H100}", amount(99.6), charge_unit_name="GPU_HOURS"), "unknown_unit"),
        (meter("instance-hours-gx3d-208x1792x8mi300x", amount(60)), "unknown_sku"),
    ],
)
def test_a_meter_that_is_no_price_is_reported(bad, reason):
    first, second = rows(region("eu-de", bad), region("eu-es", EU_DE["metrics"][0]))
    assert isinstance(first, Unreadable)
    assert first.reason == reason
    assert isinstance(second, Quote)


def test_a_price_of_the_future_is_no_price_yet():
    announced = meter(f"instance-hours-{H100}", amount(88), effective_from="2027-01-01T00:00:00Z")
    offers, rejected = normalised(rows(region("eu-de", announced), region("eu-es", EU_DE["metrics"][0])))
    assert [offer.region for offer in offers] == ["eu-es"]
    assert [(row.reason, row.region) for row in rejected] == [("future_price", "eu-de")]


@pytest.mark.parametrize(
    ("look", "error"),
    [
        (page(EU_DE, count=9), TruncatedAnswer),
        (page(region("eu-de", meter("cpu-hours", amount(0.04)))), LayoutChanged),
        (page({"location": "eu-de", "metrics": EU_DE["metrics"]}), LayoutChanged),
        (Page(URL, b"<html>Service Unavailable</html>", NOW, "plan", H100), ErrorAnswer),
        (Page(URL, b'{"errors":[{"code":"not_found"}]}', NOW, "plan", H100), LayoutChanged),
    ],
)
def test_answers_that_are_no_price_list_raise_a_named_error(look, error):
    with pytest.raises(error):
        list(SOURCE.parse([look]))


def test_each_plan_is_a_part_and_read_to_its_end():
    def respond(request: requests.PreparedRequest) -> Mapping[str, Any]:
        address = urlsplit(request.url or "")
        if PLANS[H200] in address.path:
            return {"status": 404, "body": "{}"}
        offset = int(parse_qs(address.query)["_offset"][0])
        regions = [EU_DE] if offset else [region(f"zone-{number}", *EU_DE["metrics"]) for number in range(200)]
        return {"body": page(*regions, count=201).body}

    assert set(SOURCE.fetchers()) == {H100, H200}
    pages = list(SOURCE.fetchers()[H100](http_for(SOURCE, Site(respond))))
    assert [kept.book for kept in pages] == [H100, H100]
    read = [row for row in SOURCE.parse(pages) if isinstance(row, Quote)]
    assert len(read) == 402
    assert read[-1].page_sha256 == pages[1].sha256
