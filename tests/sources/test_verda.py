"""Verda: whole instances, prices as text, memory as a total, terms as discounts, stock in a second call."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from exchanges import Replay, Site, http_for

from models.currencies import Rates
from models.normalise import normalise
from models.offers import Offer, Quote, Unreadable
from sources.pages import recorded_pages
from sources.providers.verda import SOURCE
from sources.source import ErrorAnswer, LayoutChanged, Page, Unreachable, in_books

JULY, OCTOBER = datetime(2026, 7, 1, tzinfo=UTC), datetime(2026, 10, 1, 13, 13, 26, tzinfo=UTC)
MONTH = {"name": "1 month", "is_enabled": True, "unit_name": "month", "unit_value": 1, "discount_percentage": 2}


def listed(rows: Any, name: str = "instance-types.json") -> Page:
    return Page("https://api.verda.com/v1/instance-types?currency=usd", json.dumps(rows).encode(), OCTOBER, name)


def kind(sku: str = "1H100.80S.30V", gpu: str = "1x H100 SXM5 80GB", count: int = 1, **fields: Any) -> dict[str, Any]:
    row = {
        "instance_type": sku,
        "gpu": {"description": gpu, "number_of_gpus": count},
        "gpu_memory": {"description": "80GB GPU RAM", "size_in_gigabytes": 80 * count},
        "cpu": {"description": "30 CPU", "number_of_cores": 30},
        "memory": {"description": "120GB RAM", "size_in_gigabytes": 120},
        "currency": "usd",
        "price_per_hour": "3.95",
        "spot_price": "1.70",
    }
    return {**row, **fields}


def quotes(*pages: Page) -> list[Quote]:
    return [row for row in SOURCE.parse(pages) if isinstance(row, Quote)]


def unread(*pages: Page) -> list[Unreadable]:
    return [row for row in SOURCE.parse(pages) if isinstance(row, Unreadable)]


def recorded(when: datetime, book: str = "") -> list[Offer]:
    pages = in_books(entry.page for entry in recorded_pages("verda")[when])[book]
    found, rejected = normalise(
        SOURCE.parse(pages),
        provider="verda",
        book=book,
        observed_at=when,
        origin="recorded",
        rates=Rates.of([]),
        page_sha256="",
    )
    assert rejected == []
    return found


def test_prices_are_of_whole_instances():
    # cloud-gpus.com, 2026-07-01, and the API itself, 2026-10-01
    july = {(o.sku, o.pricing): (o.usd_per_hour, o.usd_per_gpu_hour) for o in recorded(JULY)}
    october = {(o.sku, o.pricing): (o.usd_per_hour, o.usd_per_gpu_hour) for o in recorded(OCTOBER)}
    assert july[("8H100.80S.176V", "on_demand")] == (Decimal(26), Decimal("3.25"))
    assert july[("8H100.80S.176V", "spot")] == (Decimal("9.12"), Decimal("1.14"))
    assert july[("4B200.120V", "on_demand")] == (Decimal("24.44"), Decimal("6.11"))
    assert october[("8H100.80S.176V", "on_demand")] == (Decimal("29.02"), Decimal("3.6275"))
    assert october[("8B300.240V", "spot")] == (Decimal("34.49"), Decimal("4.31125"))
    assert october[("1L40S.20V", "spot")] == (Decimal("0.7715"), Decimal("0.7715"))
    assert (len(july), len(october)) == (72, 104)


def test_long_terms_are_discounts_off_the_on_demand_price():
    # cloud-gpus.com, 2026-07-01, rounded there to the cent
    terms = {(o.sku, o.term_months): o.usd_per_hour for o in recorded(JULY, "long_term")}
    printed = {
        ("8H100.80S.176V", 1): "25.48",
        ("8H100.80S.176V", 3): "25.22",
        ("8H100.80S.176V", 6): "24.96",
        ("8H100.80S.176V", 12): "23.92",
        ("2A100.44V", 12): "3.29",
        ("8B200.240V", 12): "44.97",
        ("4L40S.80V", 3): "5.32",
    }
    assert {key: f"{terms[key]:.2f}" for key in printed} == printed
    assert {o.pricing for o in recorded(JULY, "long_term")} == {"reserved"}


def test_the_memory_of_one_gpu_is_not_the_total():
    (a6000, _) = quotes(listed([kind("2A6000.20V", "2x RTX A6000 48GB", 2, gpu_memory={"size_in_gigabytes": 96})]))
    assert (a6000.gpu, a6000.gpu_count, a6000.gpu_memory_gb) == ("RTX A6000 48GB", 2, 48)


def test_cpu_types_are_passed_over_and_serverless_prices_left_out():
    cpu = kind("CPU.4V.16G", "", 0, price_per_hour="0.048", spot_price="0.0192")
    page = listed([cpu, kind(serverless_price="4.10", serverless_spot_price="2.05")])
    assert sorted((quote.pricing, quote.amount) for quote in quotes(page)) == [
        ("on_demand", Decimal("3.95")),
        ("spot", Decimal("1.70")),
    ]
    assert unread(page) == []


@pytest.mark.parametrize("price", [None, "", "0", "0.00", "-1", "NaN", "soon", 10**9, True])
def test_what_is_no_price_costs_only_itself(price):
    page = listed([kind(spot_price=price), kind("1L40S.20V", "1x L40S 48GB")])
    assert [(quote.sku, quote.pricing) for quote in quotes(page)] == [
        ("1H100.80S.30V", "on_demand"),
        ("1L40S.20V", "on_demand"),
        ("1L40S.20V", "spot"),
    ]
    assert [row.reason for row in unread(page)] == ["not_a_price"]


def test_a_count_that_contradicts_its_description_is_not_divided_by():
    page = listed([kind("8H100.80S.176V", "8x H100 SXM5 80GB", 1), kind()])
    assert {quote.sku for quote in quotes(page)} == {"1H100.80S.30V"}
    assert [row.sku for row in unread(page)] == ["8H100.80S.176V"]


def test_the_currency_is_the_rows_own():
    assert {quote.currency for quote in quotes(listed([kind(currency="eur")]))} == {"EUR"}


@pytest.mark.parametrize("field", ["instance_type", "gpu", "currency", "price_per_hour", "spot_price"])
def test_a_field_gone_from_every_type_is_named(field):
    row = kind()
    del row[field]
    with pytest.raises(LayoutChanged, match=field):
        quotes(listed([row, row]))


def test_an_error_body_under_http_200_is_an_error():
    with pytest.raises(ErrorAnswer, match="Invalid token"):
        quotes(listed({"code": "unauthorized_request", "message": "Invalid token"}))
    with pytest.raises(ErrorAnswer, match="did not answer JSON"):
        quotes(Page("https://api.verda.com/v1/instance-types", b"<html>Just a moment", OCTOBER, "instance-types.json"))


def test_a_term_that_is_not_offered_is_no_price():
    stopped = {**MONTH, "name": "2 years", "unit_name": "year", "unit_value": 2, "is_enabled": False}
    weeks = {**MONTH, "unit_name": "week"}
    terms = [MONTH, stopped, weeks]
    both = listed({"instance_types": [kind()], "periods": terms}, "long-term.json")
    apart = listed([kind()]), listed(terms, "long-term-periods.json")  # as earlier looks were kept
    for pages in ((both,), apart):
        assert [(quote.term_months, quote.amount) for quote in quotes(*pages)] == [(1, Decimal("3.871"))]
        assert [row.reason for row in unread(*pages)] == ["not_a_price", "not_a_price"]


STOCK = [
    {"location_code": "FIN-01", "availabilities": ["1H100.80S.30V", "CPU.4V.16G"]},
    {"location_code": "ICE-01", "availabilities": ["CPU.4V.16G"]},
]


def test_stock_is_told_per_location_and_pricing():
    spot = [{"location_code": "ICE-01", "availabilities": ["1H100.80S.30V"]}]
    found = quotes(listed([kind()]), listed(STOCK, "availability.json"), listed(spot, "spot-availability.json"))
    assert [(quote.pricing, quote.region, quote.available) for quote in found] == [
        ("on_demand", "FIN-01", True),
        ("on_demand", "ICE-01", False),
        ("spot", "ICE-01", True),
    ]


def test_without_an_account_the_location_is_unknown():
    replay = Replay([{"request": {"method": "GET"}, "response": {"body": [kind()]}}])
    pages = list(SOURCE.fetchers()["instances"](http_for(SOURCE, replay)))
    assert "currency=usd" in (replay.requests[0].url or "")
    assert {(quote.region, quote.available) for quote in quotes(*pages)} == {("", None)}


def test_with_an_account_stock_is_asked_once_per_spot_flag_and_nothing_secret_is_kept():
    replies = {"/v1/instance-types": [kind()], "/v1/oauth2/token": {"access_token": "t-9"}}
    site = Site(lambda request: {"body": replies.get(request.path_url.partition("?")[0], STOCK)})
    http = http_for(SOURCE, site, secrets={"VERDA_CLIENT": "my-id:my-secret"})
    pages = list(SOURCE.fetchers()["instances"](http))
    asked = [(request.method, request.path_url, request.headers.get("Authorization")) for request in site.requests]
    assert asked == [
        ("GET", "/v1/instance-types?currency=usd", None),
        ("POST", "/v1/oauth2/token", None),
        ("GET", "/v1/instance-availability?is_spot=false", "Bearer t-9"),
        ("GET", "/v1/instance-availability?is_spot=true", "Bearer t-9"),
    ]
    kept = "".join(page.url + page.text for page in pages)
    assert "my-secret" not in kept
    assert "t-9" not in kept
    assert len(quotes(*pages)) == 4


def test_closed_terms_leave_the_price_list_whole():
    def respond(request: Any) -> dict[str, Any]:
        return {"status": 401} if "long-term" in request.url else {"body": [kind()]}

    assert len(quotes(*SOURCE.fetchers()["instances"](http_for(SOURCE, Site(respond))))) == 2
    with pytest.raises(Unreachable, match="401"):
        list(SOURCE.fetchers()["long_term"](http_for(SOURCE, Site(respond))))


@pytest.mark.parametrize("held", ["", '"abc"'])
def test_a_term_leads_to_a_page_that_has_its_price_and_its_discount(held: str):
    """Whatever the site says of changes: both answers are one page, which is never asked for as if it were one."""
    site = Site(lambda request: {"headers": {"ETag": held}, "body": [MONTH if "long-term" in request.url else kind()]})
    (page,) = SOURCE.fetchers()["long_term"](http_for(SOURCE, site))
    assert (page.book, page.etag) == ("long_term", "")
    assert '"3.95"' in page.text
    assert '"discount_percentage": 2' in page.text
    assert [(quote.term_months, quote.amount) for quote in quotes(page)] == [(1, Decimal("3.871"))]


@pytest.mark.parametrize("failing", ["instance-types", "long-term"])
def test_an_error_within_both_answers_is_an_error(failing: str):
    error = {"code": "unauthorized_request", "message": "Invalid token"}

    def respond(request: Any) -> dict[str, Any]:
        return {"body": error if failing in request.url else [MONTH if "long-term" in request.url else kind()]}

    (page,) = SOURCE.fetchers()["long_term"](http_for(SOURCE, Site(respond)))
    with pytest.raises(ErrorAnswer, match="Invalid token"):
        quotes(page)


def test_confidential_types_are_a_tier_of_their_own():
    # the API, 2026-10-01: RTX PRO 6000 at 2.044 as a confidential machine
    tiers = {o.tier: o for o in recorded(OCTOBER) if o.sku.startswith("1RTXPRO6000.30V") and o.pricing == "on_demand"}
    assert tiers["confidential"].usd_per_hour == Decimal("2.044")
    assert {o.tier for o in recorded(OCTOBER) if ".CC" not in o.sku} == {""}
    assert {o.tier for o in recorded(JULY, "long_term") if ".CC" in o.sku} == {"confidential"}
