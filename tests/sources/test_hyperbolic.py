"""Hyperbolic: cents of whole options, a card in two fields, networks that join or do not."""

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
from sources.providers.hyperbolic import FIELDS, SOURCE, URL
from sources.source import ErrorAnswer, LayoutChanged, Page

AUGUST = datetime(2026, 8, 29, tzinfo=UTC)
OPTION = {
    "enabled": True,
    "costPerHourCents": 2552,
    "providerCostPerHourCents": 1111,
    "region": "uk-southeast-3",
    "gpuCount": 8,
    "gpuType": "h100",
    "gpuFormFactor": "sxm5",
    "connectionType": "infiniband",
    "machineType": "bare-metal",
    "nodes": [{"gpuCount": 8, "ramGb": 2000, "cpuCount": 96}],
}


def page(body: Any) -> Page:
    return Page(URL, json.dumps(body).encode(), AUGUST, "rental-options.json")


def read(*pages: Page) -> tuple[list[Offer], list[Rejected]]:
    rows = SOURCE.parse(pages)
    return normalise(
        rows, provider="hyperbolic", book="", observed_at=AUGUST, origin="live", rates=Rates.of([]), page_sha256=""
    )


def test_cents_of_the_whole_option_become_dollars_per_gpu():
    # on-demand/rental-options, August 2026
    offers, rejected = read(recorded_pages("hyperbolic")[AUGUST][0].page)
    assert rejected == []
    prices = {(o.gpu, o.gpu_count, o.region): o.usd_per_gpu_hour for o in offers}
    assert prices[("h100_sxm", 1, "us-east-1")] == Decimal("3.19")
    assert prices[("h200_sxm", 1, "us-east-2")] == Decimal("3.99")
    assert prices[("h100_sxm", 1, "ca-east-3")] == Decimal("4.85")
    assert prices[("h100_pcie", 1, "ca-east-1")] == Decimal("2.75")
    assert prices[("h100_sxm", 8, "eu-west-3")] == Decimal("3.19")
    assert prices[("h200_sxm", 8, "eu-north-5")] == Decimal("3.99")
    assert len(prices) == 13
    assert {o.country for o in offers if o.region in ("uk-southeast-3", "jp-east-1", "ca-east-3")} == {"GB", "JP", "CA"}


def test_infiniband_and_roce_join_and_plain_ethernet_does_not():
    offers, _ = read(recorded_pages("hyperbolic")[AUGUST][0].page)
    joined = {offer.region for offer in offers if offer.fabric == "multi_node"}
    assert joined == {"uk-southeast-3", "eu-west-3", "eu-west-4", "eu-north-4"}


def test_the_suppliers_cost_is_never_the_price():
    offers, _ = read(page([OPTION]))
    assert [offer.usd_per_hour for offer in offers] == [Decimal("25.52")]
    with pytest.raises(LayoutChanged, match="costPerHourCents"):
        read(page([{key: value for key, value in OPTION.items() if key != "costPerHourCents"}]))


@pytest.mark.parametrize(
    ("change", "available"),
    [
        ({}, None),
        ({"totalAvailable": 0}, False),
        ({"totalAvailable": 2}, True),
        ({"enabled": False, "totalAvailable": 2}, False),
        ({"enabled": "false", "totalAvailable": 2}, False),
        ({"enabled": "paused", "totalAvailable": 2}, None),
    ],
)
def test_no_count_means_unknown(change, available):
    offers, _ = read(page([{**OPTION, **change}]))
    assert [offer.available for offer in offers] == [available]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"costPerHourCents": 0}, "not_a_price"),
        ({"costPerHourCents": None}, "not_a_price"),
        ({"gpuCount": 0}, "bad_count"),
        ({"gpuType": ""}, "bad_count"),
        ({"gpuType": "x9000"}, "unknown_gpu"),
    ],
)
def test_one_bad_option_costs_no_other(change, reason):
    offers, rejected = read(page([OPTION, {**OPTION, "region": "eu-west-3", **change}]))
    assert [offer.region for offer in offers] == ["uk-southeast-3"]
    assert [row.reason for row in rejected] == [reason]


@pytest.mark.parametrize("field", FIELDS)
def test_a_missing_field_is_named(field):
    with pytest.raises(LayoutChanged, match=field):
        read(page([{key: value for key, value in OPTION.items() if key != field}]))


def test_an_error_under_http_200_is_an_error():
    with pytest.raises(ErrorAnswer, match="Internal"):
        read(page({"error": "Internal"}))
    with pytest.raises(ErrorAnswer):
        read(Page(URL, b"<html>Just a moment...</html>", AUGUST, "rental-options.json"))


def test_one_request_brings_the_list():
    site = Site(lambda request: {"body": [OPTION]})
    pages = list(SOURCE.fetchers()[""](http_for(SOURCE, site)))
    assert [request.url for request in site.requests] == [URL]
    assert len(read(*pages)[0]) == 1
