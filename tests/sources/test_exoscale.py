"""Exoscale: instance types by name, with cards and numbers that the price list does not tell."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from decimal import Decimal
from itertools import pairwise
from typing import Any

import pytest
from exchanges import Replay, http_for

from models.currencies import Rates
from models.normalise import normalise
from models.offers import Quote, Unreadable
from sources.pages import recorded_pages
from sources.providers.exoscale import SOURCE, URL
from sources.source import ErrorAnswer, LayoutChanged, Page

NOW = datetime(2026, 10, 7, tzinfo=UTC)


def page(usd: Any, **others: Any) -> Page:
    return Page(URL, json.dumps({**others, "usd": usd}).encode(), NOW, "opencompute")


def rows(usd: dict[str, Any], **others: Any) -> list[Quote | Unreadable]:
    return list(SOURCE.parse([page(usd, **others)]))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("sku", "gpu", "gpus", "usd_per_hour"),
    [  # the price list of early October 2026
        ("gpu2.small", "v100", 1, "1.375"),
        ("gpu2.large", "v100", 3, "2.65278"),
        ("gpu3.small", "a40", 1, "1.0453"),
        ("gpu3.huge", "a40", 8, "8.3627"),
        ("gpua5000.large", "rtx_a5000", 4, "4.55694"),
        ("gpu3080ti.medium", "rtx_3080_ti", 2, "1.70868"),
        ("gpua30.huge", "a30", 4, "2.961875"),
        ("gpurtx6000pro.huge", "rtx_pro_6000", 8, "15.9722222"),
    ],
)
def test_recorded_prices(sku, gpu, gpus, usd_per_hour):
    pages = [kept.page for kept in recorded_pages("exoscale")[NOW]]
    offers, rejected = normalise(
        SOURCE.parse(pages),  # type: ignore[arg-type]
        provider="exoscale",
        book="",
        observed_at=NOW,
        origin="recorded",
        rates=Rates.of([]),
        page_sha256="",
    )
    found = {(offer.gpu, offer.gpu_count, offer.usd_per_hour) for offer in offers if offer.sku == sku}
    assert found == {(gpu, gpus, Decimal(usd_per_hour))}
    assert len(offers) == 26 + 2 * 4  # the four sizes of one family stand in three zones
    assert not rejected
    assert {(o.region, o.country) for o in offers if o.sku == "gpurtx6000pro.huge"} == {
        ("ch-dk-2", "CH"), ("de-fra-1", "DE"), ("hr-zag-1", "HR"),
    }  # fmt: skip
    assert {offer.gpu_family for offer in offers if offer.country is None} == {"p100"}


def test_a_larger_size_of_a_family_costs_no_more_for_each_card():
    pages = [kept.page for kept in recorded_pages("exoscale")[NOW]]
    per_gpu: dict[str, list[Decimal]] = {}
    for row in sorted((row for row in SOURCE.parse(pages) if isinstance(row, Quote)), key=lambda row: row.gpu_count):
        per_gpu.setdefault(row.sku.partition(".")[0], []).append(row.amount / row.gpu_count)
    assert len(per_gpu) == 7
    for family, prices in per_gpu.items():  # to the rounding of the list
        assert all(after <= before * Decimal("1.0001") for before, after in pairwise(prices)), family


def test_dollars_are_read_whatever_the_other_currencies_say():
    others = {"chf": {"running_gpu3_small": "0.9"}, "eur": {"running_gpu3_small": "1.0453"}}
    (row,) = rows({"running_gpu3_small": "1.2"}, **others)
    assert isinstance(row, Quote)
    assert (row.amount, row.currency) == (Decimal("1.2"), "USD")


def test_names_with_and_without_an_underscore_are_one_type():
    assert [row.sku for row in rows({"running_gpu_a5000_small": "1.34", "running_gpu_small": "1.168"})] == [
        "gpua5000.small",
        "gpu.small",
    ]


def test_types_without_a_gpu_and_storage_are_passed_over():
    others = {"running_huge": "0.37334", "running_cpu_titan": "1.86667", "volume": "0.00014", "traffic_free": "0E-8"}
    assert [row.sku for row in rows({**others, "running_gpu3_small": "1.0453"})] == ["gpu3.small"]


@pytest.mark.parametrize("name", ["running_gpub300_huge", "running_gpu3_mega", "running_gpu", "running_gpu_"])
def test_a_type_that_is_not_known_is_reported_and_no_card_is_guessed(name):
    bad, good = rows({name: "50.0", "running_gpu3_small": "1.0453"})
    assert isinstance(bad, Unreadable)
    assert bad.reason == "unknown_sku"
    assert isinstance(good, Quote)


@pytest.mark.parametrize("price", ["0E-8", "", None, "n/a", "-1"])
def test_no_price_is_no_quote(price):
    bad, good = rows({"running_gpu2_small": price, "running_gpu3_small": "1.0453"})
    assert isinstance(bad, Unreadable)
    assert bad.reason == "not_a_price"
    assert isinstance(good, Quote)


@pytest.mark.parametrize(
    ("body", "error"),
    [
        (b"<html>Bad Gateway</html>", ErrorAnswer),
        (b'{"eur":{"running_gpu3_small":"1.0453"}}', LayoutChanged),
        (b'{"usd":{"running_huge":"0.37334"}}', LayoutChanged),
        (b'{"usd":[]}', LayoutChanged),
    ],
)
def test_answers_that_are_no_price_list_raise_a_named_error(body, error):
    with pytest.raises(error):
        list(SOURCE.parse([Page(URL, body, NOW, "opencompute")]))


def test_the_list_is_one_request():
    replay = Replay([{"request": {"url": URL}, "response": {"body": page({"running_gpu3_small": "1.0453"}).body}}])
    (fetch,) = SOURCE.fetchers().values()
    assert [row.sku for row in SOURCE.parse(list(fetch(http_for(SOURCE, replay))))] == ["gpu3.small"]
