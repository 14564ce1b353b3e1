"""Vultr: parts of a card, cards named in plan ids, and plans that are listed and not for sale."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import requests
from exchanges import Site, http_for

from models.currencies import Rates
from models.normalise import normalise
from models.offers import Offer, Quote, Unreadable
from sources.pages import recorded_pages
from sources.providers.vultr import SOURCE, URLS
from sources.source import ErrorAnswer, LayoutChanged, Page, TruncatedAnswer, in_books

NOW = datetime(2026, 10, 6, tzinfo=UTC)


def cloud(plan: str, price: Any, gpu_type: str, vram: int, **fields: Any) -> dict[str, Any]:
    listed = {"id": plan, "type": "vcg", "vcpu_count": 12, "ram": 122880, "locations": ["ewr"], "hourly_cost": price}
    return {**listed, "gpu_type": gpu_type, "gpu_vram_gb": vram, **fields}


def metal(plan: str, price: Any, spot: Any, **fields: Any) -> dict[str, Any]:
    listed = {"id": plan, "type": "NVMe", "cpu_count": 112, "cpu_threads": 224, "ram": 2097152, "locations": ["sea"]}
    return {**listed, "hourly_cost": price, "hourly_cost_preemptible": spot, **fields}


def page(*plans: dict[str, Any], total: int | None = None, following: str = "", book: str = "cloud") -> Page:
    meta = {"total": len(plans) if total is None else total, "links": {"next": following, "prev": ""}}
    array = "plans" if book == "cloud" else "plans_metal"
    return Page(URLS[book], json.dumps({array: plans, "meta": meta}).encode(), NOW, f"{book}-1.json", book)


def rows(*plans: dict[str, Any], book: str = "cloud") -> list[Quote | Unreadable]:
    return list(SOURCE.parse([page(*plans, book=book)]))  # type: ignore[arg-type]


def quotes(*plans: dict[str, Any], book: str = "cloud") -> list[Quote]:
    return [row for row in rows(*plans, book=book) if isinstance(row, Quote)]


def offers(*plans: dict[str, Any], book: str = "cloud") -> list[Offer]:
    found, _ = normalise(
        rows(*plans, book=book),
        provider="vultr",
        book=book,
        observed_at=NOW,
        origin="live",
        rates=Rates.of([]),
        page_sha256="",
    )
    return found


@pytest.mark.parametrize(
    ("plan", "count", "whole_card"),
    [  # an A100 of 80 GB: three plans of December 2024, without and with the count that the API states since
        (cloud("vcg-a100-1c-6g-4vram", 0.123, "NVIDIA_A100", 4), "0.05", "2.46"),
        (cloud("vcg-a100-1c-6g-4vram", 0.123, "NVIDIA_A100", 4, gpu_count="1/20"), "0.05", "2.46"),
        (cloud("vcg-a100-1c-6g-4vram", 0.123, "NVIDIA_A100", 4, gpu_count=1), "0.05", "2.46"),
        (cloud("vcg-a100-6c-60g-40vram", 1.397, "NVIDIA_A100", 40), "0.5", "2.794"),
        (cloud("vcg-a100-12c-120g-80vram", 2.397, "NVIDIA_A100", 80), "1", "2.397"),
        (cloud("vcg-a16-12c-128g-32vram", 0.942, "NVIDIA_A16", 32, gpu_count=2), "2", "0.471"),
        (cloud("vcg-a16-48c-496g-128vram", 3.767, "NVIDIA_A16", 128), "8", "0.470875"),
    ],
)
def test_a_part_of_a_card_is_never_counted_as_one(plan, count, whole_card):
    (offer,) = offers(plan)
    assert (offer.gpu_count, offer.usd_per_gpu_hour) == (Decimal(count), Decimal(whole_card))
    assert offer.tier == ("slice" if Decimal(count) < 1 else "")


def test_bare_metal_is_known_by_its_plan_and_sold_in_two_ways():
    # December 2024
    first, second = offers(metal("vbm-256c-2048gb-8-mi300x-gpu", 17.52, 14.72, locations=["ord"]), book="metal")
    assert {first.gpu, second.gpu} == {"mi300x"}
    assert {(o.pricing, o.usd_per_hour, o.usd_per_gpu_hour, o.region) for o in (first, second)} == {
        ("on_demand", Decimal("17.52"), Decimal("2.19"), "ord"),
        ("spot", Decimal("14.72"), Decimal("1.84"), "ord"),
    }


@pytest.mark.parametrize(
    ("plan", "price", "spot"),
    [("vbm-112c-2048gb-8-h100-gpu", 23.92, 18.4), ("vbm-256c-3072gb-8-b200-gpu", 68.0, 25.6)],  # 6 October 2026
)
def test_a_plan_without_a_place_to_deploy_keeps_its_price_and_is_not_for_sale(plan, price, spot):
    listed = metal(plan, price, spot, locations=[], deploy_ondemand=False, deploy_preemptible=True)
    assert [(q.pricing, q.amount, q.available, q.region) for q in quotes(listed, book="metal")] == [
        ("on_demand", Decimal(str(price)), False, ""),
        ("spot", Decimal(str(spot)), False, ""),
    ]


def test_a_plan_is_for_sale_where_it_may_be_deployed_and_an_unsold_kind_is_no_spot_price():
    plan = cloud(
        "vcg-a16-2c-16g-4vram",
        0.118,
        "NVIDIA_A16",
        4,
        locations=["ewr", "", "sjc"],
        deploy_ondemand=True,
        deploy_preemptible=False,
        hourly_cost_preemptible=0.118,
    )
    assert [(q.pricing, q.region, q.available) for q in quotes(plan)] == [
        ("on_demand", "ewr", True),
        ("on_demand", "sjc", True),
    ]


def test_a_plan_whose_flags_come_as_text_or_under_another_name_never_looks_for_sale():
    plan = metal("vbm-112c-2048gb-8-h100-gpu", 23.92, 18.4, deploy_ondemand="false", deploy_preemptible=True)
    assert [(quote.pricing, quote.available) for quote in quotes(plan)] == [("on_demand", False), ("spot", True)]
    plan["deploy_on_demand"] = plan.pop("deploy_ondemand")
    bad, spot = rows(plan)
    assert isinstance(bad, Unreadable)
    assert isinstance(spot, Quote)
    assert (bad.reason, spot.pricing) == ("unknown_pricing", "spot")


def test_a_location_may_have_its_own_price():
    plan = cloud(
        "vcg-l40s-16c-180g-48vram",
        1.671,
        "NVIDIA_L40S",
        48,
        locations=["ewr", "sao"],
        location_cost={"sao": {"hourly_cost": 2.005, "monthly_cost": 1464}},
    )
    assert {q.region: q.amount for q in quotes(plan)} == {"ewr": Decimal("1.671"), "sao": Decimal("2.005")}


@pytest.mark.parametrize(
    "plan",
    [
        metal("vbm-256c-4096gb-8-b300-gpu", 60, 30),  # a card that is not known
        metal("vbm-256c-4096gb-8-b300-gpu", 60, 30, gpu_type="NVIDIA_B300", gpu_count=8),
        metal("vbm-112c-2048gb-8-h100-gpu", 23.92, 18.4, gpu_type="NVIDIA_L40S", gpu_count=8),  # against its id
        cloud("vcg-a16-6c-64g-16vram", 0.58, "NVIDIA_A100", 16),
        cloud("vcg-h100-216c-1914gb-640vram", 20, "", 640),
    ],
)
def test_a_card_that_is_not_known_is_reported_and_not_guessed(plan):
    (row,) = rows(plan, book="metal" if plan["id"].startswith("vbm") else "cloud")
    assert isinstance(row, Unreadable)
    assert row.reason == "unknown_sku"


def test_bare_metal_that_names_its_card_is_read_like_one_that_does_not():
    # 28 September 2026: 1.49 USD a GPU of eight, in Newark alone
    named = metal(
        "vbm-112c-2048gb-8-a100-gpu", None, 11.92, gpu_type="NVIDIA_A100_SXM", gpu_count=8, locations=["ewr"],
        deploy_ondemand=False, deploy_preemptible=True,
    )  # fmt: skip
    (offer,) = offers(named, book="metal")
    assert (offer.gpu, offer.usd_per_gpu_hour, offer.pricing, offer.region, offer.available) == (
        "a100_sxm_80",
        Decimal("1.49"),
        "spot",
        "ewr",
        True,
    )


@pytest.mark.parametrize("price", [0, -1, None, "call us"])
def test_a_gpu_without_a_price_is_reported(price):
    (row,) = rows(cloud("vcg-a40-24c-120g-48vram", price, "NVIDIA_A40", 48))
    assert isinstance(row, Unreadable)
    assert row.reason == "not_a_price"


@pytest.mark.parametrize("count", ["1/0", "many", 0, -2])
def test_a_count_that_is_none_costs_the_row(count):
    (row,) = rows(cloud("vcg-h100-1c-1g-640vram", 20, "NVIDIA_H100", 90, gpu_count=count))
    assert isinstance(row, Unreadable)
    assert row.reason == "bad_count"


@pytest.mark.parametrize(("count", "gpus"), [(1, None), (2, 2), (4, None), ("1/2", None), (None, 2)])
def test_a_count_that_the_memory_of_the_plan_contradicts_costs_the_row(count, gpus):
    # vcg-l40s-32c-375g-96vram has two L40S of 48 GB at 3.342 (api.vultr.com, 2026-09-28): 1.671 each
    (row,) = rows(cloud("vcg-l40s-32c-375g-96vram", 3.342, "NVIDIA_L40S", 96, gpu_count=count))
    assert (row.gpu_count if isinstance(row, Quote) else row.reason) == (gpus or "bad_count")


def test_memory_that_is_counted_a_little_otherwise_is_no_contradiction():
    (row,) = rows(cloud("vcg-b200-248c-2826g-1536vram", 79.92, "NVIDIA_B200", 1536, gpu_count=8))
    assert isinstance(row, Quote)
    assert row.gpu_count == 8


def test_plans_without_a_gpu_are_passed_over():
    free = {"id": "vc2-1c-0.5gb-free", "type": "vc2", "hourly_cost": 0, "locations": ["fra"]}
    plain = metal("vbm-8c-64gb-amd", 0.55, 0.55, gpu_brand="none", gpu_type="none")
    assert rows(free) == []
    assert rows(plain, book="metal") == []


@pytest.mark.parametrize(
    ("sku", "pricing", "per_gpu"),
    [  # listed on 22 August 2026 in USD per GPU
        ("vcg-a100-12c-120g-80vram", "on_demand", "2.397"),
        ("vcg-a40-24c-120g-48vram", "on_demand", "1.712"),
        ("vcg-l40s-16c-180g-48vram", "on_demand", "1.671"),
        ("vbm-256c-3072gb-8-b200-gpu", "spot", "3.2"),
        ("vbm-112c-2048gb-8-h100-gpu", "spot", "2.3"),
        ("vbm-256c-3072gb-8-mi325x-gpu", "spot", "2"),
        ("vbm-256c-3072gb-8-mi355x-gpu", "spot", "2.59"),
    ],
)
def test_recorded_prices(sku, pricing, per_gpu):
    look = recorded_pages("vultr")[datetime(2026, 8, 22, tzinfo=UTC)]
    found = [
        row
        for pages in in_books([kept.page for kept in look]).values()
        for row in SOURCE.parse(pages)
        if isinstance(row, Quote) and (row.sku, row.pricing) == (sku, pricing)
    ]
    assert [row.amount / row.gpu_count for row in found] == [Decimal(per_gpu)]


def test_plans_that_could_not_be_ordered_in_october_keep_their_prices():
    # read from the API on 6 October 2026: 8x H100 at 23.92, 8x B200 at 68.00, preemptible 18.40 and 25.60, no location
    (kept,) = recorded_pages("vultr")[datetime(2026, 10, 6, tzinfo=UTC)]
    quotes = [row for row in SOURCE.parse([kept.page]) if isinstance(row, Quote)]
    assert {(row.gpu, row.gpu_count, row.pricing, row.amount, row.available) for row in quotes} == {
        ("H100 SXM", 8, "on_demand", Decimal("23.92"), False),
        ("H100 SXM", 8, "spot", Decimal("18.40"), False),
        ("B200 SXM", 8, "on_demand", Decimal(68), False),
        ("B200 SXM", 8, "spot", Decimal("25.60"), False),
    }


def test_paging_follows_the_cursor_and_each_list_is_a_part():
    asked: list[tuple[str, dict[str, list[str]]]] = []

    def respond(request: requests.PreparedRequest) -> Mapping[str, Any]:
        parts = urlsplit(request.url or "")
        query = parse_qs(parts.query)
        asked.append((parts.path, query))
        if parts.path == "/v2/plans-metal":
            return {"body": page(metal("vbm-112c-2048gb-8-h100-gpu", 23.92, 18.4), book="metal").body}
        first = cloud("vcg-a40-24c-120g-48vram", 1.712, "NVIDIA_A40", 48)
        second = cloud("vcg-l40s-16c-180g-48vram", 1.671, "NVIDIA_L40S", 48)
        if query.get("cursor") == ["bmV4dA=="]:
            return {"body": page(second, total=2).body}
        return {"body": page(first, total=2, following="bmV4dA==").body}

    found = {}
    for part, fetch in SOURCE.fetchers().items():
        pages = list(fetch(http_for(SOURCE, Site(respond))))
        assert {kept.book for kept in pages} == {part}
        found[part] = [(row.sku, row.page_sha256) for row in SOURCE.parse(pages)]
        assert {sha for _, sha in found[part]} == {kept.sha256 for kept in pages}
    assert [sku for sku, _ in found["cloud"]] == ["vcg-a40-24c-120g-48vram", "vcg-l40s-16c-180g-48vram"]
    assert [sku for sku, _ in found["metal"]] == ["vbm-112c-2048gb-8-h100-gpu"] * 2
    assert all(query["per_page"] == ["500"] for _, query in asked)


def test_a_cursor_without_an_end_is_not_followed_for_ever():
    endless = Site(lambda request: {"body": page(following="again", total=0).body})
    with pytest.raises(TruncatedAnswer):
        list(SOURCE.fetchers()["metal"](http_for(SOURCE, endless)))
    assert len(endless.requests) == 50


@pytest.mark.parametrize(
    ("pages", "error"),
    [
        ([page(cloud("vcg-a40-24c-120g-48vram", 1.712, "NVIDIA_A40", 48), total=40)], TruncatedAnswer),
        ([page(cloud("vcg-a40-24c-120g-48vram", 1.712, "NVIDIA_A40", 48), following="bmV4dA==")], TruncatedAnswer),
        ([Page(URLS["cloud"], b'{"error":"Rate limit exceeded","status":429}', NOW, "plans")], ErrorAnswer),
        ([Page(URLS["cloud"], b"<html>Attention Required</html>", NOW, "plans")], ErrorAnswer),
        ([Page(URLS["cloud"], b'{"data":[]}', NOW, "plans")], LayoutChanged),
        ([Page(URLS["metal"], b'{"plans_metal":null}', NOW, "plans")], LayoutChanged),
    ],
)
def test_answers_that_are_no_whole_list_raise_a_named_error(pages, error):
    with pytest.raises(error):
        list(SOURCE.parse(pages))
