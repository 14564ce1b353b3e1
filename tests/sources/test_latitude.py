"""Latitude.sh: bare-metal plans in scripts, three ways to pay, two currencies, countries without a price."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from exchanges import Site, http_for

from models.currencies import Rates
from models.normalise import normalise
from models.offers import Offer, Quote, Rejected
from sources.pages import recorded_pages
from sources.providers.latitude import SOURCE, URL
from sources.source import LayoutChanged, Page

AUGUST = datetime(2026, 8, 22, tzinfo=UTC)
GPU = {"count": 8, "type": "NVIDIA HGX B300", "vram_per_gpu": 288, "interconnect": "800Gbps Dual Plane RoCE"}
HOURLY = {"hour": 128, "month": 46720, "year": 392448}


def recorded() -> str:
    return recorded_pages("latitude")[AUGUST][0].page.text


def plan(slug: str = "g4-b300-large", gpu: Any = GPU, stock: str = "low", **prices: Any) -> dict[str, Any]:
    usd = {**HOURLY, **prices}
    region = {"name": "United States", "stock_level": stock, "pricing": {"USD": usd, "BRL": {"hour": 640}}}
    specs = {"cpu": {"cores": 64, "count": 2}, "memory": {"total": 1536}, "gpu": gpu}
    return {"id": "plan_x", "attributes": {"slug": slug, "name": slug, "specs": specs, "regions": [region]}}


def showing(*plans: Any, key: str = "plansData") -> str:
    text = f'9:["$","$L2a",null,{{"{key}":{{"servers":{json.dumps(plans, separators=(",", ":"))}}}}}]\n'
    halves = text[: len(text) // 2], text[len(text) // 2 :]
    return "".join(f"<script>self.__next_f.push([1,{json.dumps(half)}])</script>" for half in halves)


def read(body: str) -> tuple[list[Offer], list[Rejected]]:
    rows = SOURCE.parse([Page(URL, body.encode(), AUGUST, "pricing.html")])
    return normalise(
        rows, provider="latitude", book="", observed_at=AUGUST, origin="live", rates=Rates.of([]), page_sha256=""
    )


def test_servers_are_priced_whole_by_the_hour():
    # latitude.sh/pricing, 2026-08-22, and gpurentalprices.com of that day per GPU
    offers, _ = read(recorded())
    hourly = {(o.gpu, o.country): (o.usd_per_hour, o.usd_per_gpu_hour) for o in offers if o.pricing == "on_demand"}
    assert hourly == {
        ("b300", "US"): (Decimal(128), Decimal(16)),
        ("h100", "US"): (Decimal("3.37"), Decimal("3.37")),
        ("rtx_pro_6000", "US"): (Decimal(48), Decimal(6)),
        ("rtx_pro_6000", "AU"): (Decimal(66), Decimal("8.25")),
        ("rtx_pro_6000", "JP"): (Decimal(52), Decimal("6.5")),
        ("rtx_pro_6000", "NL"): (Decimal(48), Decimal(6)),
    }


def test_a_month_and_a_year_are_totals_of_a_commitment():
    # the same page: 46,720 a month is 64 an hour, 392,448 a year 44.80
    offers, _ = read(recorded())
    b300 = {(o.pricing, o.term_months): o.usd_per_hour for o in offers if o.gpu == "b300"}
    assert b300 == {
        ("on_demand", None): Decimal(128),
        ("reserved", 1): Decimal(64),
        ("reserved", 12): Decimal("44.8"),
    }
    assert len(offers) == 18


def test_a_country_without_a_price_is_told_and_costs_no_other():
    _, rejected = read(recorded())
    assert [(row.sku, row.region, row.reason) for row in rejected] == [
        ("g4-rtx6kpro-large", "United Kingdom", "not_a_price")
    ]


def test_out_of_stock_keeps_its_price():
    offers, _ = read(recorded())
    stock = {(o.sku, o.region): o.available for o in offers}
    assert stock[("g3-h100-small", "United States")] is False
    assert stock[("g4-rtx6kpro-large", "Japan")] is True
    assert {o.available for o in read(showing(plan(stock="backorder")))[0]} == {None}
    assert {o.available for o in read(showing(plan(stock="Unavailable")))[0]} == {False}


def test_brazilian_prices_and_cpu_plans_are_left_alone():
    offers, rejected = read(recorded())
    assert {offer.currency for offer in offers} == {"USD"}
    assert not [row for row in (*offers, *rejected) if row.sku.startswith(("c3", "m4"))]


def test_only_a_named_fast_network_joins_servers():
    offers, _ = read(recorded())
    assert {offer.gpu for offer in offers if offer.fabric == "multi_node"} == {"b300"}


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (plan("x", hour=None), "not_a_price"),
        (plan("x", hour=0), "not_a_price"),
        (plan("x", gpu={**GPU, "count": 0}), "unknown_sku"),
        (plan("x", gpu={"model": "B300"}), "unknown_sku"),
    ],
)
def test_one_bad_plan_costs_no_other(bad, reason):
    offers, rejected = read(showing(plan(), bad))
    assert {offer.sku for offer in offers} == {"g4-b300-large"}
    assert [row.reason for row in rejected] == [reason]


@pytest.mark.parametrize("body", [showing(plan(), key="plans"), "<html>maintenance</html>"])
def test_a_page_without_the_plans_is_a_redesign(body):
    with pytest.raises(LayoutChanged):
        read(body)


def test_plans_cut_short_are_not_half_a_list():
    body = showing(plan(), plan("g3-h100-small"))
    with pytest.raises(LayoutChanged, match="cut short"):
        read(body[: body.rindex("<script>")])


@pytest.mark.parametrize("field", ["slug", "specs", "regions"])
def test_a_missing_field_is_named(field):
    row = plan()
    del row["attributes"][field]
    with pytest.raises(LayoutChanged, match=field):
        read(showing(row))


def test_one_request_brings_the_page():
    site = Site(lambda request: {"body": recorded()})
    pages = list(SOURCE.fetchers()[""](http_for(SOURCE, site)))
    assert [request.url for request in site.requests] == [URL]
    assert sum(isinstance(row, Quote) for row in SOURCE.parse(pages)) == 18
