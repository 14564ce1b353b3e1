"""CloudRift: cents of whole instances, memory in bytes, stock by data centre."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from exchanges import Site, http_for

from models.currencies import Rates
from models.normalise import normalise
from models.offers import Offer, Rejected
from sources.pages import recorded_pages
from sources.providers.cloudrift import SOURCE, URL
from sources.source import ErrorAnswer, LayoutChanged, Page

OCTOBER = datetime(2026, 10, 6, tzinfo=UTC)
VARIANT = {
    "name": "rtx49-8c-nr.4",
    "gpu_count": 4,
    "cpu_count": 32,
    "dram": 200 << 30,
    "vram": 24 << 30,
    "cost_per_hour": 156.0,
    "nodes_per_dc": {"ustx1a_a01": 2, "ap-east-tw-kn-2": 1},
    "available_nodes": 1,
    "available_nodes_per_dc": {"ustx1a_a01": 1},
}


def answer(*variants: dict[str, Any], card: str = "RTX 4090") -> dict[str, Any]:
    return {
        "version": "2025-01-29",
        "data": {"instance_types": [{"name": "x", "brand_short": card, "variants": list(variants)}]},
    }


def page(body: Any) -> Page:
    return Page(URL, json.dumps(body).encode(), OCTOBER, "instance-types.json")


def read(*pages: Page) -> tuple[list[Offer], list[Rejected]]:
    rows = SOURCE.parse(pages)
    return normalise(
        rows, provider="cloudrift", book="", observed_at=OCTOBER, origin="live", rates=Rates.of([]), page_sha256=""
    )


def test_cents_become_dollars():
    # instance-types/list, 2026-10-06
    offers, rejected = read(recorded_pages("cloudrift")[OCTOBER][0].page)
    assert rejected == []
    assert {offer.gpu: offer.usd_per_gpu_hour for offer in offers} == {
        "rtx_pro_6000": Decimal("1.3936"),
        "rtx_pro_6000_max_q": Decimal("1.55"),
        "rtx_5090": Decimal("0.624"),
        "rtx_4090": Decimal("0.39"),
        "l40s": Decimal("0.63"),
        "a100_sxm_80": Decimal("1.05"),
        "v100_sxm_16": Decimal("0.25"),
        "v100_sxm_32": Decimal("0.28"),
        "mi350x": Decimal("4.00"),
    }


def test_an_instance_costs_all_its_gpus_and_stock_is_by_data_centre():
    offers, _ = read(page(answer(VARIANT)))
    assert {(o.region, o.country, o.available, o.quantity) for o in offers} == {
        ("ustx1a_a01", "US", True, 1),
        ("ap-east-tw-kn-2", "TW", False, 0),
    }
    assert {(o.usd_per_hour, o.usd_per_gpu_hour, o.gpu_memory_gb, o.memory_gb) for o in offers} == {
        (Decimal("1.56"), Decimal("0.39"), Decimal(24), Decimal(200))
    }


def test_no_node_anywhere_keeps_the_price():
    nowhere = {**VARIANT, "nodes_per_dc": {}, "available_nodes": 0, "available_nodes_per_dc": {}}
    offers, _ = read(page(answer(nowhere)))
    assert [(o.region, o.available, o.usd_per_gpu_hour) for o in offers] == [("", False, Decimal("0.39"))]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"cost_per_hour": 0}, "not_a_price"),
        ({"cost_per_hour": None}, "not_a_price"),
        ({"gpu_count": "four"}, "bad_count"),
        ({"vram": 96 << 30}, "unknown_gpu"),
    ],
)
def test_one_bad_size_costs_no_other(change, reason):
    one = {**VARIANT, "nodes_per_dc": {"ustx1a_a01": 1}}
    offers, rejected = read(page(answer(one, {**one, "name": "rtx49-8c-nr.1", **change})))
    assert [offer.sku for offer in offers] == ["rtx49-8c-nr.4"]
    assert [row.reason for row in rejected] == [reason]


def test_cpu_types_are_passed_over():
    assert read(page(answer({**VARIANT, "gpu_count": 0}, card="EPYC"))) == ([], [])


@pytest.mark.parametrize("body", ["request must be {version, data}", {"version": "x", "error": "boom"}])
def test_an_error_under_http_200_is_an_error(body):
    with pytest.raises(ErrorAnswer):
        read(page(body))


@pytest.mark.parametrize("field", ["cost_per_hour", "gpu_count", "nodes_per_dc"])
def test_a_missing_field_is_named(field):
    with pytest.raises(LayoutChanged, match=field):
        read(page(answer({key: value for key, value in VARIANT.items() if key != field})))


def test_the_question_carries_a_version_and_a_selector():
    site = Site(lambda request: {"body": answer(VARIANT)})
    pages = list(SOURCE.fetchers()[""](http_for(SOURCE, site)))
    assert [(request.method, request.url) for request in site.requests] == [("POST", URL)]
    asked = json.loads(site.requests[0].body or b"")
    assert set(asked) == {"version", "data"}
    assert asked["data"] == {"selector": "All"}
    assert len(read(*pages)[0]) == 2
