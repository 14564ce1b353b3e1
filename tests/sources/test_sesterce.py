"""Sesterce: offers in the console's scripts, whole machines, a region at a time."""

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
from sources.providers.sesterce import SOURCE, URL
from sources.source import LayoutChanged, Page

AUGUST = datetime(2026, 8, 25, tzinfo=UTC)
OFFER = {
    "gpuName": "H200",
    "gpuCount": 8,
    "spotOfferAvailable": False,
    "hourlySpotPrice": 0,
    "hourlyPrice": 28.16,
    "configuration": {"ramGB": 1904, "vCpu": 208, "vRamGB": 1128, "interconnect": "sxm5"},
    "availability": [{"name": "tokyo-japan-5", "region": "tokyo-japan-5", "countryCode": None, "available": True}],
    "cloud": {"_id": "x", "name": "AZ_22"},
    "instanceId": "H200x8",
}


def recorded() -> str:
    return recorded_pages("sesterce")[AUGUST][0].page.text


def showing(*offers: Any, key: str = "filteredOffers") -> str:
    text = f'1b:["$","$L2f",null,{{"{key}":{json.dumps(offers)},"selectedGpuModel":null}}]\n'
    halves = text[: len(text) // 2], text[len(text) // 2 :]
    return "".join(f"<script>self.__next_f.push([1,{json.dumps(half)}])</script>" for half in halves)


def read(body: str) -> tuple[list[Offer], list[Rejected]]:
    rows = SOURCE.parse([Page(URL, body.encode(), AUGUST, "compute.html")])
    return normalise(
        rows, provider="sesterce", book="", observed_at=AUGUST, origin="live", rates=Rates.of([]), page_sha256=""
    )


def test_machines_are_priced_whole():
    # cloud.sesterce.com/compute, 2026-08-25
    offers, rejected = read(recorded())
    assert rejected == []
    found = {offer.sku: (offer.gpu, offer.usd_per_gpu_hour) for offer in offers}
    assert found == {
        "H200x8 AZ_22": ("h200_sxm", Decimal("3.52")),
        "RTXPro6000x8 AZ_02": ("rtx_pro_6000", Decimal("3.751")),
        "A100_sxm4_80Gx8 AZ_07": ("a100_sxm_80", Decimal("3.069")),
        "H100 AZ_02": ("h100", Decimal("2.189")),
        "H100_sxm5 AZ_07": ("h100_sxm", Decimal("4.796")),
        "A100_sxm4 AZ_07": ("a100_sxm_40", Decimal("2.189")),
    }


def test_each_region_has_its_own_stock_and_country():
    offers, _ = read(recorded())
    stock = {(o.sku, o.region): (o.country, o.available) for o in offers}
    assert stock[("A100_sxm4_80Gx8 AZ_07", "chicago-usa-2")] == ("US", True)
    assert stock[("A100_sxm4_80Gx8 AZ_07", "mumbai-india-1")] == ("IN", False)
    assert stock[("RTXPro6000x8 AZ_02", "TYO4")] == ("JP", False)
    assert len(stock) == 27
    assert {(o.sku.rpartition(" ")[2].lower(), o.broker_of) for o in offers} == {  # who runs it, as far as it is said
        (number, number) for number in ("az_02", "az_07", "az_22")
    }


def test_the_memory_of_all_gpus_is_divided_among_them():
    offers, _ = read(showing(OFFER, {**OFFER, "instanceId": "A100x8", "configuration": {"vRamGB": 320}}))
    assert {offer.gpu for offer in offers} == {"h200_sxm", "a100_40"}


def test_a_spot_price_counts_where_there_is_spot():
    spot = {**OFFER, "spotOfferAvailable": True, "hourlySpotPrice": 14.08}
    assert {(o.pricing, o.usd_per_gpu_hour) for o in read(showing(spot))[0]} == {
        ("on_demand", Decimal("3.52")),
        ("spot", Decimal("1.76")),
    }
    assert {o.pricing for o in read(showing({**spot, "hourlySpotPrice": 0}))[0]} == {"on_demand"}


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"hourlyPrice": 0}, "not_a_price"),
        ({"hourlyPrice": "$undefined"}, "not_a_price"),
        ({"gpuCount": None}, "bad_count"),
        ({"instanceId": "B9000x8"}, "unknown_gpu"),
    ],
)
def test_one_bad_offer_costs_no_other(change, reason):
    offers, rejected = read(showing(OFFER, {**OFFER, "instanceId": "H100x8", **change}))
    assert [offer.sku for offer in offers] == ["H200x8 AZ_22"]
    assert [row.reason for row in rejected] == [reason]


def test_cpus_are_passed_over_and_nowhere_is_not_free():
    cpu = {**OFFER, "gpuName": "CPU", "gpuCount": 0, "instanceId": "cpu_small"}
    offers, rejected = read(showing(cpu, {**OFFER, "availability": []}))
    assert [(offer.sku, offer.available) for offer in offers] == [("H200x8 AZ_22", False)]
    assert rejected == []


@pytest.mark.parametrize("body", [showing(OFFER, key="offers"), showing(OFFER) * 2, "<html>maintenance</html>"])
def test_a_list_that_is_not_there_once_is_a_redesign(body):
    with pytest.raises(LayoutChanged):
        read(body)


@pytest.mark.parametrize("field", ["hourlyPrice", "instanceId", "availability", "configuration"])
def test_a_missing_field_is_named(field):
    with pytest.raises(LayoutChanged, match=field):
        read(showing({key: value for key, value in OFFER.items() if key != field}))


def test_one_request_brings_the_page():
    site = Site(lambda request: {"body": recorded()})
    pages = list(SOURCE.fetchers()[""](http_for(SOURCE, site)))
    assert [request.url for request in site.requests] == [URL]
    assert sum(isinstance(row, Quote) for row in SOURCE.parse(pages)) == 27


def test_a_count_that_the_name_denies_is_not_believed():
    offers, rejected = read(showing(OFFER, {**OFFER, "gpuCount": 1}))
    assert ([offer.gpu_count for offer in offers], [row.reason for row in rejected]) == ([8], ["bad_count"])
