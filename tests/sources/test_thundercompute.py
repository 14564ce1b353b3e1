"""Thunder Compute: prices, configurations and availability in three answers that belong together."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from exchanges import Replay, http_for

from models.currencies import Rates
from models.normalise import normalise
from models.offers import Offer, Quote, Unreadable
from sources.pages import recorded_pages
from sources.providers.thundercompute import API, SOURCE
from sources.source import ErrorAnswer, LayoutChanged, Page

OCTOBER = datetime(2026, 10, 8, tzinfo=UTC)
H100 = {"displayName": "NVIDIA H100", "gpuCount": 2, "ramPerVCPUGiB": 8, "vcpuOptions": [12, 8], "vramGB": 80}


def page(name: str, body: object) -> Page:
    text = body if isinstance(body, bytes) else json.dumps(body).encode()
    return Page(f"{API}/{name}", text, OCTOBER, f"{name}.json")


def answers(prices: object, specs: object, status: object = None) -> list[Page]:
    pages = [page("pricing", {"pricing": prices}), page("specs", {"specs": specs})]
    return pages if status is None else [*pages, page("status", {"specs": status})]


def rows(*given: Any, **named: Any) -> list[Quote | Unreadable]:
    return list(SOURCE.parse(answers(*given, **named)))  # type: ignore[arg-type]


def recorded(moment: datetime = OCTOBER) -> dict[str, Offer]:
    offers, rejected = normalise(
        SOURCE.parse([kept.page for kept in recorded_pages("thundercompute")[moment]]),  # type: ignore[arg-type]
        provider="thundercompute",
        book="",
        observed_at=moment,
        origin="recorded",
        rates=Rates.of([]),
        page_sha256="",
    )
    assert not rejected
    return {offer.sku: offer for offer in offers}


@pytest.mark.parametrize(
    ("sku", "gpu", "usd_per_hour", "usd_per_gpu_hour"),
    [  # github.com/adriannutiu/gpu-rental-prices, 2026-10-08, and a saved answer of the API
        ("a6000_x1", "rtx_a6000", "0.35", "0.35"),
        ("l40_x1", "l40", "0.79", "0.79"),
        ("a100xl_x1", "a100_80", "1.09", "1.09"),
        ("a100xl_x4", "a100_80", "5.96", "1.49"),
        ("h100_x1", "h100", "3.20", "3.20"),
        ("h100_x8", "h100", "25.60", "3.20"),
    ],
)
def test_recorded_prices_cover_the_whole_configuration(sku, gpu, usd_per_hour, usd_per_gpu_hour):
    offer = recorded()[sku]
    assert (offer.gpu, offer.usd_per_hour) == (gpu, Decimal(usd_per_hour))
    assert offer.usd_per_gpu_hour == Decimal(usd_per_gpu_hour)


def test_disks_vcpus_and_old_modes_are_no_configurations():
    assert len(recorded()) == 13
    assert not [sku for sku in recorded() if "native" in sku or "disk" in sku or sku == "h100"]


def test_configurations_of_the_old_modes_are_passed_over():
    assert [row.sku for row in rows({"h100_x2": 6.4, "h100_x2_production": 6.4}, {
        "h100_x2": H100, "h100_x2_production": {**H100, "mode": "production"},
    })] == ["h100_x2"]  # fmt: skip


def test_the_price_is_that_of_the_smallest_host():
    (quote,) = rows({"h100_x2": 6.4}, {"h100_x2": H100})
    assert isinstance(quote, Quote)
    assert (quote.vcpus, quote.memory_gb, quote.fabric) == (8, 64, "single_node")


def test_memory_that_is_capped_is_not_guessed():
    (quote,) = rows({"h100_x2": 6.4}, {"h100_x2": {**H100, "ramCapGiB": 420}})
    assert isinstance(quote, Quote)
    assert quote.memory_gb is None


@pytest.mark.parametrize(("status", "available"), [("available", True), ("unavailable", False), ("soon", None)])
def test_availability_is_that_of_the_configuration(status, available):
    (quote,) = rows({"h100_x2": 6.4}, {"h100_x2": H100}, {"h100_x2": status})
    assert isinstance(quote, Quote)
    assert quote.available is available


@pytest.mark.parametrize(
    ("prices", "spec", "reason"),
    [
        ({}, H100, "not_a_price"),
        ({"h100_x2": 0}, H100, "not_a_price"),
        ({"h100_x2": None}, H100, "not_a_price"),
        ({"h100_x2": 6.4}, {**H100, "gpuCount": 1}, "unknown_sku"),
        ({"h100_x2": 6.4}, {**H100, "displayName": None}, "unknown_sku"),
    ],
)
def test_a_configuration_that_cannot_be_read_is_reported(prices, spec, reason):
    bad, good = rows({"l40_x1": 0.79, **prices}, {"h100_x2": spec, "l40_x1": {**H100, "gpuCount": 1}})
    assert isinstance(bad, Unreadable)
    assert bad.reason == reason
    assert isinstance(good, Quote)


@pytest.mark.parametrize(
    ("pages", "error"),
    [
        (answers({"h100_x2": 6.4}, {"h100_x2": H100})[:1], LayoutChanged),
        (answers([], {"h100_x2": H100}), LayoutChanged),
        ([page("pricing", {"prices": {}}), page("specs", {"specs": {}})], LayoutChanged),
        ([page("pricing", {"message": "maintenance"}), page("specs", {"specs": {}})], ErrorAnswer),
        ([page("pricing", b"Forbidden"), page("specs", {"specs": {}})], ErrorAnswer),
    ],
)
def test_answers_that_are_no_price_list_raise_a_named_error(pages, error):
    with pytest.raises(error):
        list(SOURCE.parse(pages))


def test_three_requests_bring_the_list():
    bodies = {"pricing": {"h100_x2": 6.4}, "specs": {"h100_x2": H100}, "status": {"h100_x2": "available"}}
    replay = Replay(
        {"request": {"url": f"{API}/{name}"}, "response": {"body": {name if name == "pricing" else "specs": body}}}
        for name, body in bodies.items()
    )
    (quote,) = SOURCE.parse(list(SOURCE.fetchers()[""](http_for(SOURCE, replay))))
    assert isinstance(quote, Quote)
    assert quote.available is True
    assert all("gpuledger" in str(request.headers["User-Agent"]) for request in replay.requests)
