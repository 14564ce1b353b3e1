"""OVHcloud: hundred-millionths, hours and months, and the plans that are not rented GPUs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest
import requests
from exchanges import Site, http_for

from models.currencies import Rates
from models.normalise import normalise
from models.offers import Offer, Quote, Unreadable
from sources.pages import recorded_pages
from sources.providers.ovh import BOOKS, SOURCE
from sources.source import ErrorAnswer, LayoutChanged, Page, Unreachable, in_books

NOW = datetime(2026, 11, 30, tzinfo=UTC)


def plan(
    code: str, price: Any, model: str = "H100", number: Any = 1, size: int = 80, shown: str = "", **blobs: Any
) -> dict[str, Any]:
    technical = {"gpu": {"number": number, "model": model, "memory": {"size": size, "interface": "HBM2"}}}
    return {
        "planCode": code,
        "product": "publiccloud-instance",
        "pricings": [{"interval": 1, "intervalUnit": "none", "price": price, "formattedPrice": shown, "tax": 56000000}],
        "blobs": {"technical": technical, "commercial": {"brick": "gpu"}, **blobs},
    }


def page(*addons: dict[str, Any], currency: str = "EUR", subsidiary: str = "FR", book: str = "eu") -> Page:
    catalogue = {"locale": {"currencyCode": currency, "subsidiary": subsidiary, "taxRate": 20}, "addons": addons}
    return Page(BOOKS["eu"], json.dumps(catalogue).encode(), NOW, f"{book}.json", book)


def rows(*addons: dict[str, Any]) -> list[Quote | Unreadable]:
    return list(SOURCE.parse([page(*addons)]))  # type: ignore[arg-type]


def offers_of(pages: list[Page], rates: Rates, observed_at: datetime = NOW) -> dict[tuple[str, str], Offer]:
    found, _ = normalise(
        SOURCE.parse(pages),
        provider="ovh",
        book="eu",
        observed_at=observed_at,
        origin="live",
        rates=rates,
        page_sha256="",
    )
    return {(offer.sku, offer.unit): offer for offer in found}


def test_integers_are_hundred_millionths_before_tax_and_a_month_is_730_hours():
    # 1 EUR = 1.10 USD; the monthly plan is 1,400 EUR
    rates = Rates.stated({"EUR": Decimal("1.1")}, date(2026, 11, 30))
    found = offers_of(
        [
            page(
                plan("h100-380.consumption", 280000000),
                plan("h100-380.monthly.postpaid", 140000000000),
                plan("h100-760.consumption", 560000000, number=2),
                plan("l4-90.consumption", 75000000, "L4", size=24),
            )
        ],
        rates,
    )
    hourly, monthly = found["h100-380", "per_instance_hour"], found["h100-380", "per_instance_month"]
    assert (hourly.list_price, hourly.currency) == (Decimal("2.8"), "EUR")
    assert (hourly.usd_per_hour, hourly.usd_per_gpu_hour) == (Decimal("3.08"), Decimal("3.08"))
    assert monthly.list_price == 1400
    assert round(monthly.usd_per_hour, 6) == Decimal("2.109589")
    assert monthly.offer_key != hourly.offer_key
    double = found["h100-760", "per_instance_hour"]
    assert (double.usd_per_hour, double.usd_per_gpu_hour) == (Decimal("6.16"), Decimal("3.08"))
    small = found["l4-90", "per_instance_hour"]
    assert (small.gpu, small.gpu_memory_gb, small.usd_per_hour) == ("l4", 24, Decimal("0.825"))


def test_the_kind_of_a_gpu_plan_is_read_where_either_catalogue_puts_it():
    addon = plan("h100-380.consumption", 280000000, commercial={"brickSubtype": "gpu"})
    assert [row.sku for row in rows(addon)] == ["h100-380"]


@pytest.mark.parametrize(
    ("book", "sku", "unit", "price"),
    [  # read live from the French and the US book on 22 August 2026; the world book as listed that day
        ("eu", "h100-380", "per_instance_hour", "2.80"),
        ("eu", "h100-380", "per_instance_month", "1940"),
        ("eu", "h200-1920", "per_instance_hour", "42.00"),
        ("us", "l40s-90", "per_instance_hour", "1.80"),
        ("us", "t2-45", "per_instance_hour", "0.88"),
        ("world", "h200-1920", "per_instance_hour", "49.56"),
        ("world", "a100-180", "per_instance_hour", "3.07"),
        ("world", "rtx5000-28", "per_instance_hour", "0.60"),
    ],
)
def test_recorded_prices(book, sku, unit, price):
    look = recorded_pages("ovh")[datetime(2026, 8, 22, tzinfo=UTC)]
    quotes = [row for row in SOURCE.parse(in_books([kept.page for kept in look])[book]) if isinstance(row, Quote)]
    assert [row.amount for row in quotes if (row.sku, row.unit) == (sku, unit)] == [Decimal(price)]
    assert {row.currency for row in quotes} == {"EUR" if book == "eu" else "USD"}


@pytest.mark.parametrize(
    ("sku", "per_hour", "per_month"),
    [  # the EU list on 8 October 2026
        ("l4-90", "0.75", "540"),
        ("l40s-90", "1.40", "1008"),
        ("a100-180", "2.75", "1100"),
        ("h100-380", "2.80", "1940"),
        ("rtx5000-28", "0.36", None),
        ("t1-45", "0.70", "504"),
    ],
)
def test_recorded_prices_of_october(sku, per_hour, per_month):
    (kept,) = recorded_pages("ovh")[datetime(2026, 10, 8, tzinfo=UTC)]
    said = {row.unit: row.amount for row in SOURCE.parse([kept.page]) if isinstance(row, Quote) and row.sku == sku}
    monthly = {"per_instance_month": Decimal(per_month)} if per_month else {}
    assert said == {"per_instance_hour": Decimal(per_hour), **monthly}


def test_prices_of_a_day_convert_at_the_rate_of_the_day_before():
    # L40S of the euro book on 8 October 2026 at the reference rate of 7 October
    rates = Rates.stated({"EUR": Decimal("1.1177")}, date(2026, 10, 7))
    found = offers_of(
        [page(plan("l40s-90.consumption", 140000000, "L40S", size=48, shown="1.40 €"))],
        rates,
        datetime(2026, 10, 8, tzinfo=UTC),
    )
    assert found["l40s-90", "per_instance_hour"].usd_per_hour == Decimal("1.56478")


def test_windows_plans_old_twins_and_prices_by_the_minute_are_passed_over():
    by_the_minute = plan("ai-app-1-gpu.minute.consumption", 1300000, "NVIDIA Ada Lovelace L4")
    by_the_minute["blobs"]["commercial"] = {"brick": "ai-serving"}
    mislabelled = plan("ai-training-1-gpu.consumption", 4650000)
    windows = plan("t1-45-x.consumption", 97760000, "Tesla V100")
    windows["blobs"]["technical"]["os"] = {"family": "windows"}
    kept = rows(
        plan("t1-45.consumption", 70000000, "Tesla V100", size=16),
        plan("win-t1-45.consumption", 97760000, "Tesla V100", size=16),
        plan("t1-le-45.consumption", 70000000, "Tesla V100", size=16),
        by_the_minute,
        mislabelled,
        windows,
        {"planCode": "cloud.credit", "pricings": [], "blobs": {"commercial": {"brick": None}}},
        {
            "planCode": "b3-8.consumption",
            "pricings": [{"price": 5080000}],
            "blobs": {"commercial": {"brick": "compute"}},
        },
    )
    assert [row.sku for row in kept] == ["t1-45"]


def test_a_plan_that_is_coming_soon_cannot_be_had():
    soon, sold = rows(
        plan("a10-45.consumption", 76000000, "A10", tags=["coming_soon"]),
        plan("l4-90.consumption", 75000000, "L4", tags=["active"]),
    )
    assert isinstance(soon, Quote)
    assert isinstance(sold, Quote)
    assert (soon.amount, soon.available, sold.available) == (Decimal("0.76"), False, None)


def test_the_quadro_is_not_taken_for_a_newer_card_of_that_number():
    found = offers_of(
        [page(plan("rtx5000-28.consumption", 36000000, "Quadro-RTX5000", size=16))],
        Rates.stated({"EUR": Decimal("1.1177")}, date(2026, 10, 7)),
    )
    assert found["rtx5000-28", "per_instance_hour"].gpu == "quadro_rtx_5000"


@pytest.mark.parametrize(
    ("shown", "price", "agrees"),
    [
        ("2.80 €", 280000000, True),
        ("1.56 €", 155819000, True),  # the display is rounded to the cent
        ("$1.56 USD", 155819000, False),  # in a book of euros
        ("1 940,00 €", 194000000000, True),
        ("3.80 €", 280000000, False),
        ("2.80 €", 28000000000, False),  # another scale
        ("on demand", 280000000, False),
    ],
)
def test_the_printed_text_must_agree_to_the_cent_and_in_its_currency(shown, price, agrees):
    (row,) = rows(plan("h100-380.consumption", price, shown=shown))
    assert isinstance(row, Quote) is agrees


@pytest.mark.parametrize("condition", [{"commitment": 12}, {"mode": "upfront12"}, {"promotions": [{"name": "x"}]}])
def test_a_price_under_a_condition_is_not_the_price_on_demand(condition: dict[str, Any]):
    addon = plan("h100-380.consumption", 280000000)
    plain = addon["pricings"][0] | {"commitment": 0, "mode": "default", "promotions": []}
    cheaper = plain | {"price": 180000000} | condition
    bad, good = rows({**addon, "pricings": [cheaper, plain]})
    assert isinstance(bad, Unreadable)
    assert isinstance(good, Quote)
    assert (bad.reason, good.amount) == ("missing_term", Decimal("2.8"))
    assert rows({**addon, "pricings": [cheaper]}) == [bad]


@pytest.mark.parametrize(
    ("addon", "reason"),
    [
        (plan("h100-380.consumption", 0), "not_a_price"),
        (plan("h100-380.consumption", -280000000), "not_a_price"),
        (plan("h100-380.consumption", 2.8), "not_a_price"),  # no longer hundred-millionths
        (plan("h100-380.consumption", None), "not_a_price"),
        (plan("h100-380.hourly.prepaid", 280000000), "unknown_unit"),
        (plan("h100-380.consumption", 280000000, model=""), "unreadable"),
        (plan("h100-380.consumption", 280000000, number=0), "unreadable"),
        (plan("h100-380.consumption", 280000000, number=0.5), "unreadable"),
    ],
)
def test_a_plan_that_cannot_be_read_costs_no_other_its_price(addon, reason):
    bad, good = rows(addon, plan("l4-90.consumption", 75000000, "L4"))
    assert isinstance(bad, Unreadable)
    assert bad.reason == reason
    assert good.sku == "l4-90"


def test_two_prices_in_one_plan_are_not_chosen_between():
    addon = plan("h100-760.consumption", 560000000)
    addon["pricings"] = [{"price": 560000000}, {"price": 500000000}]
    (row,) = rows(addon)
    assert isinstance(row, Unreadable)


@pytest.mark.parametrize(
    ("currency", "subsidiary", "book"),
    [("USD", "FR", "eu"), ("EUR", "IE", "eu"), ("USD", "US", "eu"), ("EUR", "FR", "us"), ("GBP", "GB", "")],
)
def test_another_book_than_asked_for_is_refused(currency, subsidiary, book):
    asked = page(plan("h100-380.consumption", 280000000), currency=currency, subsidiary=subsidiary, book=book)
    with pytest.raises(ErrorAnswer):
        list(SOURCE.parse([asked]))


@pytest.mark.parametrize(
    ("body", "error"),
    [
        (b'{"class":"Client::BadRequest","message":"[ovhSubsidiary] invalid"}', ErrorAnswer),
        (b"<html>maintenance</html>", ErrorAnswer),
        (b'{"addons":[]}', LayoutChanged),
        (b'{"locale":{"subsidiary":"FR","currencyCode":"EUR"},"plans":[]}', LayoutChanged),
        (b'{"locale":{"subsidiary":"FR","currencyCode":"EUR"},"addons":{}}', LayoutChanged),
    ],
)
def test_answers_that_are_no_catalogue_raise_a_named_error(body, error):
    with pytest.raises(error):
        list(SOURCE.parse([Page(BOOKS["eu"], body, NOW, "eu.json", "eu")]))


def test_each_book_is_a_part_of_its_own_so_that_a_dead_host_costs_one():
    def respond(request: requests.PreparedRequest) -> Mapping[str, Any]:
        if "api.us.ovhcloud.com" in (request.url or ""):
            return {"status": 400, "body": '{"message":"invalid subsidiary"}'}
        world = "ca.api.ovh.com" in (request.url or "")
        price = plan("h100-380.consumption", 299000000 if world else 280000000)
        return {"body": page(price, currency="USD" if world else "EUR", subsidiary="WE" if world else "FR").body}

    got = []
    for part, fetch in SOURCE.fetchers().items():
        http = http_for(SOURCE, Site(respond))
        if part == "us":
            with pytest.raises(Unreachable):
                list(fetch(http))
            continue
        got += [(part, row.amount) for row in SOURCE.parse(list(fetch(http))) if isinstance(row, Quote)]
    assert got == [("eu", Decimal("2.8")), ("world", Decimal("2.99"))]
