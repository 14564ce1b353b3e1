"""UpCloud: hundredths of a euro, plans that say their GPUs, and zones."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest
from exchanges import Replay, http_for

from models.currencies import Rates
from models.normalise import normalise
from models.offers import CurrencyRate, Quote, Unreadable
from sources.pages import recorded_pages
from sources.providers.upcloud import SOURCE, TOKEN, URL
from sources.source import ErrorAnswer, LayoutChanged, Page

NOW = datetime(2026, 8, 19, tzinfo=UTC)
H100 = "server_plan_GPU-12xCPU-240GB-1xH100"


def zone(name: str, **prices: Any) -> dict[str, Any]:
    plans = {plan: {"amount": 1, "price": price} for plan, price in prices.items()}
    return {"name": name, "server_core": {"amount": 1, "price": 1.32}, **plans}


def page(*zones: dict[str, Any]) -> Page:
    return Page(URL, json.dumps({"prices": {"zone": zones}}).encode(), NOW, "price.json")


def rows(*zones: dict[str, Any]) -> list[Quote | Unreadable]:
    return list(SOURCE.parse([page(*zones)]))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("sku", "gpu", "pricing", "eur_per_hour", "usd_per_gpu_hour"),
    [  # Chicago, 19 August 2026, in credits: 69.00, 142.50, 189.00, 1512.00, 4160.00, 188.00; at 1.1576 USD
        ("GPU-8xCPU-64GB-1xL4", "l4", "on_demand", "0.69", "0.798744"),
        ("GPU-12xCPU-128GB-1xL40S", "l40s", "on_demand", "1.425", "1.64958"),
        ("GPU-12xCPU-240GB-1xH100", "h100", "on_demand", "1.89", "2.187864"),
        ("GPU-96xCPU-1920GB-8xH100", "h100", "on_demand", "15.12", "2.187864"),
        ("GPU-192xCPU-1920GB-8xB200", "b200", "on_demand", "41.6", "6.01952"),
        ("GPU-SPOT-12xCPU-240GB-1xH100", "h100", "spot", "1.88", "2.176288"),
    ],
)
def test_recorded_prices(sku, gpu, pricing, eur_per_hour, usd_per_gpu_hour):
    pages = [kept.page for kept in recorded_pages("upcloud")[NOW]]
    offers, rejected = normalise(
        SOURCE.parse(pages),  # type: ignore[arg-type]
        provider="upcloud",
        book="",
        observed_at=NOW,
        origin="recorded",
        rates=Rates.of([CurrencyRate(date(2026, 8, 18), "USD", Decimal("1.1576"))]),
        page_sha256="",
    )
    (offer,) = [offer for offer in offers if offer.sku == sku]
    assert (offer.gpu_family, offer.pricing, offer.list_price, offer.currency) == (
        gpu,
        pricing,
        Decimal(eur_per_hour),
        "EUR",
    )
    assert offer.usd_per_gpu_hour == Decimal(usd_per_gpu_hour)
    assert (offer.country, len(offers), rejected) == ("US", 16, [])


def test_each_zone_has_its_own_price():
    # fi-hel2 as a user lists it in July 2026, us-chi1 as read in August
    said = rows(zone("fi-hel2", **{H100: 179}), zone("us-chi1", **{H100: 189.0}), zone("au-syd1"))
    assert [(row.region, row.amount) for row in said if isinstance(row, Quote)] == [
        ("fi-hel2", Decimal("1.79")),
        ("us-chi1", Decimal("1.89")),
    ]


def test_the_plan_says_host_gpus_and_card():
    (row,) = rows(zone("fi-hel2", **{"server_plan_GPU-SPOT-128xCPU-640GB-8xRTXPRO6000": 696}))
    assert isinstance(row, Quote)
    assert (row.gpu, row.gpu_count, row.vcpus, row.memory_gb, row.pricing) == ("RTXPRO6000", 8, 128, 640, "spot")


def test_plans_without_a_gpu_are_passed_over():
    assert [row.sku for row in rows(zone("us-chi1", **{"server_plan_8xCPU-32GB": 35.42, H100: 189}))] == [
        "GPU-12xCPU-240GB-1xH100"
    ]


@pytest.mark.parametrize("plan", ["GPU-12xCPU-240GB", "GPU-12xCPU-240GB-0xH100", "GPU-H100", "GPU-"])
def test_a_plan_that_does_not_say_its_gpus_is_reported(plan):
    bad, good = rows(zone("us-chi1", **{f"server_plan_{plan}": 100, H100: 189}))
    assert isinstance(bad, Unreadable)
    assert bad.reason == "unknown_sku"
    assert isinstance(good, Quote)


@pytest.mark.parametrize("price", [{"amount": 1, "price": 0}, {"amount": 1}, {"amount": 100, "price": 189}, None, 189])
def test_what_is_no_price_of_one_server_is_reported(price):
    bad, good = rows({**zone("us-chi1"), H100: price}, zone("fi-hel2", **{H100: 179}))
    assert isinstance(bad, Unreadable)
    assert (bad.reason, bad.region) == ("not_a_price", "us-chi1")
    assert isinstance(good, Quote)


@pytest.mark.parametrize(
    ("body", "error"),
    [
        (b'{"error":{"error_code":"AUTHENTICATION_FAILED","error_message":"Authentication failed."}}', ErrorAnswer),
        (b"<html>502</html>", ErrorAnswer),
        (b'{"prices":{"zones":[]}}', LayoutChanged),
        (b'{"prices":{"zone":[{"name":"us-chi1","server_core":{"amount":1,"price":1.32}}]}}', LayoutChanged),
        (b"[]", LayoutChanged),
    ],
)
def test_answers_that_are_no_price_list_raise_a_named_error(body, error):
    with pytest.raises(error):
        list(SOURCE.parse([Page(URL, body, NOW, "price.json")]))


def test_the_token_is_sent_and_kept_nowhere(monkeypatch):
    monkeypatch.delenv(TOKEN, raising=False)
    assert not SOURCE.ready
    replay = Replay([{"request": {"url": URL}, "response": {"body": page(zone("us-chi1", **{H100: 189})).body}}])
    (fetch,) = SOURCE.fetchers().values()
    pages = list(fetch(http_for(SOURCE, replay, secrets={TOKEN: "t0ken"})))
    assert replay.requests[0].headers["Authorization"] == "Bearer t0ken"
    assert [row.sku for row in SOURCE.parse(pages)] == ["GPU-12xCPU-240GB-1xH100"]
    assert not any("t0ken" in kept.url or b"t0ken" in kept.body for kept in pages)
