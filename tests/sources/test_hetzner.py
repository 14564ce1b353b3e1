"""Hetzner: dedicated servers by the hour and the month, whose setup fee is due once."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest
from exchanges import Replay, http_for

from models.currencies import Rates
from models.normalise import normalise
from models.offers import CurrencyRate, Offer, Quote, Unreadable
from sources.pages import recorded_pages
from sources.providers.hetzner import SOURCE, URL
from sources.source import ErrorAnswer, LayoutChanged, Page

NOW = datetime(2026, 10, 8, tzinfo=UTC)


def place(datacenter: str, monthly: Any, setup: Any, active: bool = True) -> dict[str, Any]:
    prices = {"hourly": {"EUR": "2.3995"}, "monthly": {"EUR": monthly, "USD": "1697.10"}}
    fee = {} if setup is None else {"setup": {"EUR": setup, "USD": "1699"}}
    return {"countryCode": "de", "active": active, "datacenter": datacenter, "prices": {**prices, **fee}}


def page(**products: Any) -> Page:
    return Page(URL, json.dumps({"products": products}).encode(), NOW, "live_data_prices.json")


def of_gex131(*places: dict[str, Any]) -> list[Quote | Unreadable]:
    rows = SOURCE.parse([page(ROBOT_1747={"locations": places}, ROBOT_1266={"locations": [place("ALL", "1.70", "0")]})])
    return [row for row in rows if isinstance(row, (Quote, Unreadable)) and row.sku == "GEX131"]


def offers(rows: list[Quote | Unreadable]) -> list[Offer]:
    found, _ = normalise(
        rows,
        provider="hetzner",
        book="",
        observed_at=NOW,
        origin="recorded",
        rates=Rates.of([CurrencyRate(date(2026, 10, 7), "USD", Decimal(1))]),  # figures below are euros
        page_sha256="",
    )
    return found


@pytest.mark.parametrize(
    ("sku", "gpu", "hourly", "monthly", "setup", "regions"),
    [  # read from the file on 8 October 2026; 624 hours are a month
        ("GEX45", "rtx_pro_4000_sff", "0.3402", "212.30", "209", {"FSN1", "HEL1", "NBG1"}),
        ("GEX63", "rtx_pro_6000_max_q", "1.5982", "997.30", "999", {"HEL1"}),
        ("GEX131", "rtx_pro_6000_max_q", "2.3995", "1497.30", "1499", {"FSN1", "HEL1", "NBG1"}),
    ],
)
def test_recorded_prices(sku, gpu, hourly, monthly, setup, regions):
    (look,) = recorded_pages("hetzner").values()
    found = [row for row in offers(list(SOURCE.parse([kept.page for kept in look]))) if row.sku == sku]  # type: ignore[arg-type]
    assert {row.region for row in found} == regions
    assert {(row.gpu, row.list_price, row.upfront, row.currency) for row in found} == {
        (gpu, Decimal(price), Decimal(setup), "EUR") for price in (hourly, monthly)
    }
    assert {row.country for row in found} <= {"DE", "FI"}


def test_the_setup_fee_is_beside_the_price_of_the_hour_and_of_the_month():
    month, hour = offers(of_gex131(place("FSN1", "1497.30", "1499.00")))
    assert month.usd_per_gpu_hour == Decimal("2.05109589")  # 1,497.30 / 730
    assert (month.term_months, month.pricing, month.unit) == (1, "on_demand", "per_instance_month")
    assert hour.usd_per_gpu_hour == Decimal("2.3995")
    assert (hour.term_months, hour.pricing, hour.unit) == (None, "on_demand", "per_instance_hour")
    assert {offer.upfront for offer in (month, hour)} == {Decimal(1499)}
    assert month.offer_key != hour.offer_key


def test_no_setup_fee_is_a_price_and_an_unstated_one_is_not():
    free, _, unstated = of_gex131(place("FSN1", "1497.30", "0"), place("NBG1", "1497.30", None))
    (offer,) = offers([free])
    assert offer.usd_per_gpu_hour == Decimal("2.05109589")
    assert isinstance(unstated, Unreadable)
    assert (unstated.reason, unstated.region) == ("not_a_price", "NBG1")


@pytest.mark.parametrize("monthly", ["0", "", None, "n/a", "-1"])
def test_no_monthly_price_is_no_quote(monthly):
    bad, good, _ = of_gex131(place("FSN1", monthly, "1499"), place("HEL1", "1497.30", "1499"))
    assert isinstance(bad, Unreadable)
    assert bad.reason == "not_a_price"
    assert isinstance(good, Quote)


@pytest.mark.parametrize("hourly", [{"EUR": "2,39"}, {"EUR": {"net": "2.3995"}}, {"net": "2.3995"}])
def test_an_hourly_price_that_cannot_be_read_is_reported_beside_the_month(hourly: dict[str, Any]):
    listed = place("FSN1", "1497.30", "1499")
    month, bad = of_gex131({**listed, "prices": {**listed["prices"], "hourly": hourly}})
    assert isinstance(month, Quote)
    assert isinstance(bad, Unreadable)
    assert (month.unit, bad.reason, bad.region) == ("per_instance_month", "not_a_price", "FSN1")
    assert len(of_gex131({**listed, "prices": {**listed["prices"], "hourly": {"EUR": None}}})) == 2


def test_a_place_that_is_not_offered_is_not_for_sale():
    here, _, gone, _ = of_gex131(place("FSN1", "1497.30", "1499"), place("HEL1", "1497.30", "1499", active=False))
    assert isinstance(here, Quote)
    assert isinstance(gone, Quote)
    assert (here.available, gone.available) == (None, False)
    as_text = {**place("HEL1", "1497.30", "1499"), "active": "false"}
    assert [row.available for row in of_gex131(as_text) if isinstance(row, Quote)] == [False, False]


def test_a_server_that_left_the_list_is_reported():
    rows = list(SOURCE.parse([page(ROBOT_1747={"locations": [place("FSN1", "1497.30", "1499")]})]))
    gone = {row.sku: row.reason for row in rows if isinstance(row, Unreadable)}
    assert gone == {"GEX45": "not_a_price", "GEX63": "not_a_price"}


@pytest.mark.parametrize(
    ("body", "error"),
    [
        (b"<html>Not found</html>", ErrorAnswer),
        (b'{"products":{"CLOUD_132":{"locations":[]}}}', LayoutChanged),
        (b'{"products":[]}', LayoutChanged),
        (b'{"items":{}}', LayoutChanged),
    ],
)
def test_answers_that_are_no_price_file_raise_a_named_error(body, error):
    with pytest.raises(error):
        list(SOURCE.parse([Page(URL, body, NOW, "live_data_prices.json")]))


def test_the_file_is_one_request():
    body = page(ROBOT_1747={"locations": [place("FSN1", "1497.30", "1499")]}).body
    replay = Replay([{"request": {"url": URL}, "response": {"body": body}}])
    (fetch,) = SOURCE.fetchers().values()
    read = SOURCE.parse(list(fetch(http_for(SOURCE, replay))))
    assert [row.sku for row in read if isinstance(row, Quote)] == ["GEX131", "GEX131"]
