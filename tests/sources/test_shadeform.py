"""Shadeform: cents of whole machines, resold for other clouds, free in one region and not in another."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from exchanges import Replay, Site, http_for

from models.currencies import Rates
from models.normalise import normalise
from models.offers import Offer, Quote, Rejected
from sources.brokers import provider_named
from sources.pages import recorded_pages
from sources.providers.shadeform import SOURCE, URL
from sources.source import ErrorAnswer, LayoutChanged, Page

NOW = datetime(2026, 10, 1, tzinfo=UTC)


def machine(kind: str, cents: Any, gpus: int, memory: int, *regions: dict[str, Any], **fields: Any) -> dict[str, Any]:
    shape = {"memory_in_gb": 58, "vcpus": 28, "num_gpus": gpus, "gpu_type": kind.split("_")[0], "interconnect": "pcie"}
    row = {"cloud": "hyperstack", "shade_instance_type": kind, "hourly_price": cents, "availability": list(regions)}
    return {**row, "configuration": {**shape, "vram_per_gpu_in_gb": memory}, **fields}


def listed(*machines: dict[str, Any]) -> Page:
    return Page(URL, json.dumps({"instance_types": machines}).encode(), NOW, "instance-types.json")


def read(*pages: Page) -> tuple[list[Offer], list[Rejected]]:
    rows = SOURCE.parse(pages)
    return normalise(
        rows, provider="shadeform", book="", observed_at=NOW, origin="live", rates=Rates.of([]), page_sha256=""
    )


def test_prices_are_cents_of_the_whole_machine():
    # the list of 2026-08-22 as github.com/getcomputable/gpu-index keeps it
    offers, rejected = read(*(found.page for found in next(iter(recorded_pages("shadeform").values()))))
    found = {(offer.broker_of, offer.sku): (offer.gpu, offer.usd_per_hour, offer.usd_per_gpu_hour) for offer in offers}
    assert found[("hyperstack", "H100_sxm5x8")] == ("h100_sxm", Decimal("25.60"), Decimal("3.20"))
    assert found[("hyperstack", "H100x8_NVLINK")] == ("h100_pcie", Decimal("20.80"), Decimal("2.60"))
    assert found[("lambda", "B200_sxm6x8")] == ("b200", Decimal("53.52"), Decimal("6.69"))
    assert found[("massedcompute", "H100_nvlx8_NVLINK")] == ("h100_nvl", Decimal("25.28"), Decimal("3.16"))
    assert found[("denvr", "A100_sxm4x8")] == ("a100_sxm_40", Decimal("11.20"), Decimal("1.40"))
    assert found[("crusoe", "A100_80G")] == ("a100_80", Decimal("1.65"), Decimal("1.65"))
    assert found[("denvr", "Gaudi2x8")] == ("gaudi2", Decimal("8.80"), Decimal("1.10"))
    assert rejected == []
    assert not [offer for offer in offers if offer.sku.startswith("cpu")]


def test_each_region_has_its_own_stock_and_country():
    offers, _ = read(*(found.page for found in next(iter(recorded_pages("shadeform").values()))))
    places = {
        (o.region, o.country, o.available) for o in offers if (o.broker_of, o.sku) == ("hyperstack", "H100_sxm5x8")
    }
    assert places == {("houston-usa-3", "US", False), ("montreal-canada-2", "CA", True), ("CANADA-2", "CA", False)}


def test_a_free_spot_region_is_not_an_on_demand_one():
    central = {"region": "us-central-1", "available": False, "display_name": "US Central", "rental_type": "on_demand"}
    spot = {**central, "available": True, "rental_type": "spot"}
    b300 = machine("B300_sxm6x8", 3920, 8, 288, central, spot, cloud="excesssupply")
    a6000 = machine("A6000", 50, 1, 48, {"region": "canada-1", "available": True, "display_name": "Montreal, Canada"})
    offers, rejected = read(listed(b300, a6000))
    assert [(o.sku, o.broker_of, o.region, o.usd_per_hour, o.usd_per_gpu_hour, o.available) for o in offers] == [
        ("B300_sxm6x8", "excesssupply", "us-central-1", Decimal("39.20"), Decimal("4.90"), False),
        ("A6000", "hyperstack", "canada-1", Decimal("0.50"), Decimal("0.50"), True),
    ]
    assert [(offer.gpu, offer.pricing) for offer in offers] == [("b300", "on_demand"), ("rtx_a6000", "on_demand")]
    assert rejected == []


def test_stock_may_come_as_text_and_an_unknown_rental_is_no_on_demand_price():
    free, auction = {"region": "eu-1", "available": "true"}, {"region": "eu-2", "available": True}
    gpu = machine("A6000", 50, 1, 48, free, {**auction, "rental_type": "auction"})
    offers, rejected = read(listed(gpu))
    assert [(offer.region, offer.available) for offer in offers] == [("eu-1", True)]
    assert [(row.region, row.reason) for row in rejected] == [("eu-2", "unknown_pricing")]


def test_an_unknown_card_is_held_with_its_name_beside_a_known_one():
    here = {"region": "eu-1", "available": True}
    offers, rejected = read(
        listed(machine("RTX_PRO_9900", 245, 1, 128, here), machine("H100_sxm5", 229, 1, 80, here, cloud="somecloud"))
    )
    assert [(o.sku, o.broker_of, o.gpu, o.usd_per_hour) for o in offers] == [
        ("H100_sxm5", "somecloud", "h100_sxm", Decimal("2.29"))
    ]
    assert [(row.reason, row.gpu_text, row.amount) for row in rejected] == [
        ("unknown_gpu", "RTX_PRO_9900", Decimal("2.45"))
    ]
    assert {provider_named(name) for name in ("digital-ocean", "Digital Ocean", "digitalocean")} == {"digitalocean"}
    assert [provider_named(name) for name in ("cudocompute", "hot_aisle", "Oracle")] == ["cudo", "hotaisle", "oci"]


def test_memory_of_0_says_nothing_and_a100_means_the_small_card():
    offers, _ = read(listed(machine("L40Sx2", 200, 2, 0), machine("A100x8", 1592, 8, 40)))
    assert [(offer.gpu, offer.gpu_memory_gb, offer.available) for offer in offers] == [
        ("l40s", 48, None),
        ("a100_40", 40, None),
    ]


@pytest.mark.parametrize(
    ("kind", "gpus", "read_as"),
    [
        ("H100_sxm5x8", 1, None),  # came out at 25.60 per GPU
        ("H100x8_NVLINK", 4, None),
        ("H200_sxm5x8_NVLINK_eu", 1, None),
        ("A16x16", 8, None),
        ("MI300Xx8", 1, None),
        ("H100_sxm5x8", 8, 8),
        ("B200", 8, 8),  # the name says nothing
        ("MI300X", 1, 1),
    ],
)
def test_the_count_in_the_name_is_that_of_the_machine(kind: str, gpus: int, read_as: int | None):
    rows = list(SOURCE.parse([listed(machine(kind, 2560, gpus, 0, {"region": "canada-1", "available": True}))]))
    assert [row.gpu_count if isinstance(row, Quote) else row.reason for row in rows] == [read_as or "bad_count"]


@pytest.mark.parametrize("cents", [None, 0, -5, "", "soon", True])
def test_what_is_no_price_costs_only_itself(cents: Any):
    offers, rejected = read(listed(machine("H100", cents, 1, 80), machine("L40", 100, 1, 48)))
    assert [offer.sku for offer in offers] == ["L40"]
    assert [(row.reason, row.sku) for row in rejected] == [("not_a_price", "H100")]


@pytest.mark.parametrize("field", ["cloud", "shade_instance_type", "hourly_price", "configuration", "availability"])
def test_a_field_gone_from_every_machine_is_named(field: str):
    row = machine("H100", 250, 1, 80)
    del row[field]
    with pytest.raises(LayoutChanged, match=field):
        read(listed(row, row))


def test_errors_under_http_200_are_errors():
    with pytest.raises(ErrorAnswer, match="Unauthorized"):
        read(Page(URL, b'{"error":"Unauthorized"}', NOW, "instance-types.json"))
    with pytest.raises(ErrorAnswer, match="did not answer JSON"):
        read(Page(URL, b"<html>Just a moment", NOW, "instance-types.json"))
    with pytest.raises(LayoutChanged, match="instance_types"):
        read(Page(URL, b'{"types":[]}', NOW, "instance-types.json"))


def test_the_list_is_open_and_a_key_goes_into_the_request_only():
    body = {"instance_types": [machine("H100", 250, 1, 80)]}
    replay = Replay([{"request": {"method": "GET", "url": URL}, "response": {"body": body}}])
    (page,) = SOURCE.fetchers()[""](http_for(SOURCE, replay))
    assert "X-API-KEY" not in replay.requests[0].headers
    site = Site(lambda request: {"body": {**body, "key": request.headers["X-API-KEY"]}})
    (page,) = SOURCE.fetchers()[""](http_for(SOURCE, site, secrets={"SHADEFORM_API_KEY": "sf-secret-1"}))
    assert site.requests[0].headers["X-API-KEY"] == "sf-secret-1"
    assert "sf-secret-1" not in page.text + page.url


def test_brokers_names_of_clouds_are_ours():
    assert [
        provider_named(name) for name in ("lambdalabs", "data-crunch", "Massed Compute", "crusoecloud", "imwt", "")
    ] == [
        "lambda",
        "verda",
        "massedcompute",
        "crusoe",
        "imwt",
        "",
    ]
    assert {provider_named(name) for name in ("digital-ocean", "Digital Ocean", "digitalocean")} == {"digitalocean"}
    assert [provider_named(name) for name in ("cudocompute", "hot_aisle", "Oracle")] == ["cudo", "hotaisle", "oci"]
