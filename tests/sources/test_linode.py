"""Linode: cards known by the id of a plan, and the days on which GPUs stood at price 0."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
import requests
from exchanges import Site, http_for

from models.currencies import Rates
from models.normalise import normalise
from models.offers import Quote, Unreadable
from sources.pages import recorded_pages
from sources.providers.linode import SOURCE, TOKEN, URL
from sources.source import ErrorAnswer, LayoutChanged, Page, TruncatedAnswer

NOW = datetime(2026, 9, 17, tzinfo=UTC)


def plan(sku: str, gpus: int, hourly: Any, *local: tuple[str, Any], kind: str = "gpu") -> dict[str, Any]:
    prices = [{"id": region, "hourly": price, "monthly": 0} for region, price in local]
    listed = {"id": sku, "class": kind, "gpus": gpus, "memory": 16384, "vcpus": 4}
    return {**listed, "price": {"hourly": hourly, "monthly": 350.0}, "region_prices": prices}


ADA = plan("g2-gpu-rtx4000a1-s", 1, 0.52)
NANODE = plan("g6-nanode-1", 0, 0.0075, ("id-cgk", 0.009), kind="nanode")


def page(*types: dict[str, Any], number: int = 1, pages: int = 1, results: int | None = None) -> Page:
    body = {"data": types, "page": number, "pages": pages, "results": len(types) if results is None else results}
    return Page(URL, json.dumps(body).encode(), NOW, f"types-{number}.json")


def rows(*types: dict[str, Any]) -> list[Quote | Unreadable]:
    return list(SOURCE.parse([page(*types)]))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("read_on", "sku", "gpu", "gpus", "usd_per_hour", "usd_per_gpu_hour"),
    [
        ("2024-07-11", "g1-gpu-rtx6000-1", "quadro_rtx_6000", 1, "1.5", "1.5"),  # linodego's recording
        ("2024-07-11", "g1-gpu-rtx6000-4", "quadro_rtx_6000", 4, "6", "1.5"),
        ("2026-06-06", "g2-gpu-rtx4000a1-s", "rtx_4000_ada", 1, "0.52", "0.52"),  # verified against the API that day
        ("2026-06-06", "g2-gpu-rtx4000a2-s", "rtx_4000_ada", 2, "1.05", "0.525"),
        ("2026-06-06", "g2-gpu-rtx4000a4-s", "rtx_4000_ada", 4, "2.96", "0.74"),
        ("2026-06-06", "g3-gpu-rtxpro6000-blackwell-1", "rtx_pro_6000", 1, "2.5", "2.5"),
        (
            "2026-09-30",
            "g3-gpu-rtxpro6000-blackwell-1",
            "rtx_pro_6000",
            1,
            "3",
            "3",
        ),  # an account with access
    ],
)
def test_recorded_prices(read_on, sku, gpu, gpus, usd_per_hour, usd_per_gpu_hour):
    moment = datetime.fromisoformat(read_on).replace(tzinfo=UTC)
    pages = [kept.page for kept in recorded_pages("linode")[moment]]
    offers, rejected = normalise(
        SOURCE.parse(pages),  # type: ignore[arg-type]
        provider="linode",
        book="",
        observed_at=moment,
        origin="recorded",
        rates=Rates.of([]),
        page_sha256="",
    )
    (offer,) = [offer for offer in offers if offer.sku == sku]
    assert (offer.gpu, offer.gpu_count) == (gpu, gpus)
    assert (offer.usd_per_hour, offer.usd_per_gpu_hour) == (Decimal(usd_per_hour), Decimal(usd_per_gpu_hour))
    assert not rejected


def test_gpus_at_price_zero_are_no_offers():
    # 17 September 2026, without a token: the base price of every GPU type was 0
    said = rows(NANODE, plan("g2-gpu-rtx4000a1-s", 1, 0), plan("g1-gpu-rtx6000-1", 1, 0.0))
    assert [(row.reason, row.sku) for row in said if isinstance(row, Unreadable)] == [
        ("not_a_price", "g2-gpu-rtx4000a1-s"),
        ("not_a_price", "g1-gpu-rtx6000-1"),
    ]
    assert len(said) == 2


def test_a_region_may_have_its_own_price():
    said = rows(plan("g2-gpu-rtx4000a1-s", 1, 0.52, ("br-gru", 0.73), ("id-cgk", 0)))
    assert [(row.region, row.amount) for row in said if isinstance(row, Quote)] == [
        ("", Decimal("0.52")),
        ("br-gru", Decimal("0.73")),
    ]
    assert [(row.region, row.reason) for row in said if isinstance(row, Unreadable)] == [("id-cgk", "not_a_price")]


def test_a_local_price_without_a_place_is_not_the_price_everywhere():
    nowhere = {"region_prices": [{"region": "br-gru", "hourly": 0.73}]}
    bad, good = rows({**plan("g2-gpu-rtx4000a1-s", 1, 0.52), **nowhere})
    assert isinstance(bad, Unreadable)
    assert isinstance(good, Quote)
    assert (bad.reason, good.region, good.amount) == ("missing_region", "", Decimal("0.52"))


@pytest.mark.parametrize(
    "unknown",
    [
        plan("g4-gpu-rtxpro4500-1", 1, 1.2),
        plan("g2-gpu-rtx4000a2-s", 1, 1.05),  # against its id
        plan("g2-gpu-rtx4000a1-s", 0, 0.52),
        plan("g2-gpu-rtx4000a1-s", None, 0.52),  # type: ignore[arg-type]
        plan("g6-standard-8", 1, 1.05, kind="standard"),
    ],
)
def test_a_plan_that_is_not_known_is_reported_and_no_card_is_guessed(unknown):
    bad, good = rows(unknown, ADA)
    assert isinstance(bad, Unreadable)
    assert bad.reason == "unknown_sku"
    assert isinstance(good, Quote)


def test_machines_without_a_gpu_are_passed_over():
    video = {**plan("g1-accelerated-netint-vpu-t1u1-s", 0, 0.42, kind="accelerated"), "accelerated_devices": 1}
    assert [row.sku for row in rows(NANODE, video, ADA)] == ["g2-gpu-rtx4000a1-s"]


@pytest.mark.parametrize(
    ("pages", "error"),
    [
        ([page(ADA, results=75)], TruncatedAnswer),
        ([Page(URL, b'{"errors":[{"reason":"Too many requests"}]}', NOW, "types")], ErrorAnswer),
        ([Page(URL, b"<html>Access Denied</html>", NOW, "types")], ErrorAnswer),
        ([Page(URL, b'{"data":{}}', NOW, "types")], LayoutChanged),
        ([page({"id": "g2-gpu-rtx4000a1-s", "gpu_count": 1, "price": {"hourly": 0.52}})], LayoutChanged),
        ([page({"id": "g2-gpu-rtx4000a1-s", "gpus": 1, "cost": {"hourly": 0.52}})], LayoutChanged),
    ],
)
def test_answers_that_are_no_whole_list_raise_a_named_error(pages, error):
    with pytest.raises(error):
        list(SOURCE.parse(pages))


@pytest.mark.parametrize("token", ["", "t0ken"])
def test_all_pages_are_read_with_and_without_a_token(token):
    def respond(request: requests.PreparedRequest) -> Mapping[str, Any]:
        assert request.headers.get("Authorization") == (f"Bearer {token}" if token else None)
        number = 2 if "page=2" in (request.url or "") else 1
        types = plan("g1-gpu-rtx6000-1", 1, 1.5) if number == 2 else ADA
        return {"body": page(types, number=number, pages=2, results=2).body}

    (fetch,) = SOURCE.fetchers().values()
    pages = list(fetch(http_for(SOURCE, Site(respond), secrets={TOKEN: token})))
    assert [(row.sku, row.page_sha256) for row in SOURCE.parse(pages) if isinstance(row, Quote)] == [
        ("g2-gpu-rtx4000a1-s", pages[0].sha256),
        ("g1-gpu-rtx6000-1", pages[1].sha256),
    ]


def test_a_list_without_an_end_is_not_followed_for_ever():
    (fetch,) = SOURCE.fetchers().values()
    with pytest.raises(TruncatedAnswer):
        list(fetch(http_for(SOURCE, Site(lambda request: {"body": page(ADA, pages=10**9).body}))))
