"""Seeweb: plans in euros that the answer does not name, with numbers as text."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from exchanges import Replay, http_for
from trials import recorded_rates

from models.normalise import normalise
from models.offers import Offer, Quote, Unreadable
from sources.pages import recorded_pages
from sources.providers.seeweb import SOURCE, URL
from sources.source import ErrorAnswer, LayoutChanged, Page

JULY = datetime(2026, 7, 28, tzinfo=UTC)
# a plan of github.com/dstackai/gpuhunt src/tests/providers/test_seeweb.py
A100 = {
    "name": "ECS2GPU3", "cpu": "32", "ram": "245760", "disk": "2000", "gpu": "2", "gpu_label": "A100 80GB",
    "hourly_price": 1.98, "available": True, "available_regions": [{"location": "it-fr2"}],
}  # fmt: skip


def page(body: object) -> Page:
    return Page(URL, body if isinstance(body, bytes) else json.dumps(body).encode(), JULY, "plans.json")


def rows(*plans: dict[str, Any]) -> list[Quote | Unreadable]:
    return list(SOURCE.parse([page({"status": "ok", "plans": plans})]))  # type: ignore[arg-type]


def recorded() -> list[Offer]:
    offers, rejected = normalise(
        SOURCE.parse([kept.page for kept in recorded_pages("seeweb")[JULY]]),  # type: ignore[arg-type]
        provider="seeweb",
        book="",
        observed_at=JULY,
        origin="recorded",
        rates=recorded_rates(),
        page_sha256="",
    )
    assert not rejected
    return offers


@pytest.mark.parametrize(
    ("sku", "gpu", "count", "eur_per_hour"),
    [  # github.com/dstackai/gpuhunt, and github.com/skypilot-org/skypilot-catalog v9 seeweb/vms.csv
        ("ECS1GPU7", "l40s", 1, "0.85"),
        ("ECS2GPU3", "a100_80", 2, "1.98"),
        ("ECS1GPU9", "mi300x", 1, "1.6"),
        ("ECS1GPU8", "h100", 1, "1.89"),
        ("ECS8GPU10", "h200_sxm", 8, "20.8"),
        ("ECS4GPU12", "rtx_pro_6000", 8, "10"),
        ("ECS1GPU", "quadro_rtx_6000", 1, "0.29"),
    ],
)
def test_recorded_plans(sku, gpu, count, eur_per_hour):
    offer = next(offer for offer in recorded() if offer.sku == sku)
    assert offer.gpu.removesuffix("_sxm") == gpu.removesuffix("_sxm")
    assert (offer.gpu_count, offer.list_price, offer.currency) == (count, Decimal(eur_per_hour), "EUR")


def test_euros_are_not_taken_for_dollars():
    """A reading verified on 2026-07-18 has the H100 at 2.16 USD, 1.89 EUR at that day's rate."""
    (h100,) = [offer for offer in recorded() if offer.sku == "ECS1GPU8"]
    assert h100.usd_per_gpu_hour == pytest.approx(Decimal("1.89") * h100.fx_rate)
    assert Decimal("2.10") < h100.usd_per_gpu_hour < Decimal("2.20")


@pytest.mark.parametrize(
    ("body", "currency"),
    [
        ({"plans": [A100]}, "EUR"),
        ({"plans": [{**A100, "currency": "USD"}]}, "USD"),
        ({"currency": "usd", "plans": [A100]}, "USD"),
        ({"currency": None, "plans": [{**A100, "currency": "EUR"}]}, "EUR"),
    ],
)
def test_a_currency_that_is_named_is_believed(body: dict[str, Any], currency: str):
    """1.98 USD came out as 1.98 EUR."""
    (quote,) = SOURCE.parse([page({"status": "ok", **body})])
    assert isinstance(quote, Quote)
    assert (quote.amount, quote.currency) == (Decimal("1.98"), currency)


def test_a_price_is_that_of_the_plan_and_memory_is_mib():
    (quote,) = rows(A100)
    assert isinstance(quote, Quote)
    assert (quote.unit, quote.vcpus, quote.memory_gb) == ("per_instance_hour", 32, 240)


def test_one_quote_for_each_region_and_none_free_without_one():
    two = [{"location": "it-fr2"}, {"location": "it-mi2"}]
    assert [row.region for row in rows({**A100, "available_regions": two})] == ["it-fr2", "it-mi2"]
    (sold_out,) = rows({**A100, "available_regions": []})
    assert isinstance(sold_out, Quote)
    assert (sold_out.region, sold_out.available) == ("", False)


@pytest.mark.parametrize(("said", "available"), [(False, False), ("false", False), ("soon", None), ("true", True)])
def test_a_plan_that_is_not_sold_is_not_available(said: object, available: bool | None):
    (quote,) = rows({**A100, "available": said})
    assert isinstance(quote, Quote)
    assert quote.available is available


def test_plans_without_a_gpu_are_passed_over():
    assert [row.sku for row in rows({**A100, "name": "eCS4", "gpu": "0", "gpu_label": None}, A100)] == ["ECS2GPU3"]


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"hourly_price": 0}, "not_a_price"),
        ({"hourly_price": None}, "not_a_price"),
        ({"gpu": "0"}, "unknown_sku"),
        ({"gpu": None}, "unknown_sku"),
        ({"gpu_label": None}, "unknown_sku"),
    ],
)
def test_a_plan_that_cannot_be_read_is_reported(changed, reason):
    bad, good = rows({**A100, **changed}, {**A100, "name": "other"})
    assert isinstance(bad, Unreadable)
    assert bad.reason == reason
    assert isinstance(good, Quote)


@pytest.mark.parametrize(
    ("body", "error"),
    [
        (b"<html>Login</html>", ErrorAnswer),
        ({"status": "error", "message": "Invalid token"}, ErrorAnswer),
        ({"status": "ok"}, LayoutChanged),
        ({"status": "ok", "plans": {}}, LayoutChanged),
        ({"status": "ok", "plans": [{"name": "eCS4"}]}, LayoutChanged),
    ],
)
def test_answers_that_are_no_list_raise_a_named_error(body, error):
    with pytest.raises(error):
        list(SOURCE.parse([page(body)]))


def test_the_token_travels_in_the_header_alone():
    replay = Replay([{"request": {"url": URL}, "response": {"body": {"status": "ok", "plans": [A100]}}}])
    http = http_for(SOURCE, replay, secrets={"SEEWEB_API_TOKEN": "token-of-the-test"})
    (kept,) = SOURCE.fetchers()[""](http)
    assert replay.requests[0].headers["X-APITOKEN"] == "token-of-the-test"
    assert "token-of-the-test" not in kept.url + kept.text
