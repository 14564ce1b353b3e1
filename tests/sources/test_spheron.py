"""Spheron: whole machines with a fifth on top, a spot price in one of two fields, groups that hold other cards."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from exchanges import Replay, Site, http_for

from models.currencies import Rates
from models.normalise import normalise
from models.offers import Offer, Rejected
from sources.pages import recorded_pages
from sources.providers.spheron import SOURCE, URL
from sources.source import ErrorAnswer, LayoutChanged, Page, TruncatedAnswer

NOW = datetime(2026, 10, 1, tzinfo=UTC)


def machine(price: Any = 16.0583, count: Any = 8, *, sku: str = "n3-H100x8__CANADA-1", **fields: Any) -> dict[str, Any]:
    row = {"provider": "spheron-ai", "offerId": sku, "gpuCount": count, "price": price, "clusters": ["CANADA-1"]}
    return {**row, "instanceType": "DEDICATED", "available": True, "gpu_memory": 80, "vcpus": 252, **fields}


def listed(*machines: dict[str, Any], card: str = "H100_PCIE", pages: int = 1) -> dict[str, Any]:
    return {"data": [{"gpuType": card, "offers": list(machines)}], "total": 1, "page": 1, "totalPages": pages}


def answer(*machines: dict[str, Any], card: str = "H100_PCIE", pages: int = 1) -> Page:
    return Page(URL, json.dumps(listed(*machines, card=card, pages=pages)).encode(), NOW, "gpu-offers-1.json")


def read(*pages: Page) -> tuple[list[Offer], list[Rejected]]:
    rows = SOURCE.parse(pages)
    return normalise(
        rows, provider="spheron", book="", observed_at=NOW, origin="live", rates=Rates.of([]), page_sha256=""
    )


def test_recorded_prices_are_of_whole_machines():
    # The CSV of SkyPilot's catalogue for Spheron at 3898983; Verda's H100 at 2.29 and 500 GB of disk at 0.2 a month,
    # with a fifth on top, are the 2.9124 of the first row
    offers, _ = read(next(iter(recorded_pages("spheron").values()))[0].page)
    found = {(o.sku, o.pricing): (o.gpu, o.usd_per_hour, o.broker_of, o.country) for o in offers}
    for row, want in {
        ("1H100.80S.32V_FIN-03_500", "on_demand"): ("h100_sxm", "2.9124", "verda", "FI"),
        ("1H100.80S.32V_FIN-03_500", "spot"): ("h100_sxm", "0.8015", "verda", "FI"),
        ("n3-H100x8__CANADA-1", "on_demand"): ("h100_pcie", "16.0583", "hyperstack", "CA"),
        ("n3-H100x8-NVLink__CANADA-1", "on_demand"): ("h100_pcie", "16.4807", "hyperstack", "CA"),
        ("n3-A100x1-spot__CANADA-1", "spot"): ("a100_pcie_80", "1.1476", "hyperstack", "CA"),
        ("gpu_1x_l40s_us-central-2", "on_demand"): ("l40s", "0.72", "massedcompute", "US"),
        ("L40Sx8_668d6762247d03149a4c947b_kansascity-usa-1", "on_demand"): ("l40s", "9.2928", "sesterce", "US"),
        ("gpu_1x_DGX_A100_us-central-2", "on_demand"): ("a100_sxm_80", "1.104", "massedcompute", "US"),
    }.items():
        assert found[row] == (want[0], Decimal(want[1]), *want[2:])
    assert ("n3-A100x1-spot__CANADA-1", "on_demand") not in found
    assert (len(offers), all(offer.country for offer in offers)) == (103, True)


def test_the_price_is_of_all_gpus():
    ((offer,), _) = read(answer(machine(21.52)))
    assert (offer.usd_per_hour, offer.usd_per_gpu_hour) == (Decimal("21.52"), Decimal("2.69"))


@pytest.mark.parametrize(("price", "spot"), [(5.8455, 5.8455), (5.8455, None), (None, 5.8455)])
def test_a_spot_machine_has_no_other_price(price: Any, spot: Any):
    ((offer,), _) = read(
        answer(machine(price, 1, spot_price=spot, instanceType="SPOT", gpu_memory=262), card="B300_SXM6")
    )
    assert (offer.pricing, offer.usd_per_gpu_hour) == ("spot", Decimal("5.8455"))


def test_a_machine_in_maintenance_is_not_free_whatever_it_says():
    offers, _ = read(answer(machine(maintenance="true"), machine(sku="n3-H100x8-bigroot__CANADA-1", maintenance=False)))
    assert sorted(str(offer.available) for offer in offers) == ["False", "None"]
    assert [offer.available for offer in read(answer(machine(available=False)))[0]] == [False]


def test_a_machine_is_in_each_of_its_clusters_without_the_code_of_the_route():
    offers, _ = read(answer(machine(clusters=["166e655a:culpeper-usa-1", "tokyo-japan-2"])))
    assert {(offer.region, offer.country) for offer in offers} == {("culpeper-usa-1", "US"), ("tokyo-japan-2", "JP")}


def test_a_dgx_holds_sxm_cards_in_a_group_of_pcie_ones_too():
    ((offer,), _) = read(answer(machine(1.104, 1, sku="gpu_1x_DGX_A100_us-central-2"), card="A100_80G_PCIE"))
    assert offer.gpu == "a100_sxm_80"


@pytest.mark.parametrize(
    ("sku", "memory", "read_as"),
    [
        ("n3-H100x8-NVLink__CANADA-1", 80, "h100_pcie"),
        ("n3-H100x8-NVLink__CANADA-1", 0, "h100_pcie"),  # the bridge of Hyperstack
        ("H100_nvlx8_668d6762_newyork-usa-1", 80, "h100_pcie"),
        ("H100_nvlx8_668d6762_newyork-usa-1", 94, None),
        ("H100_nvlx8_668d6762_newyork-usa-1", 0, None),
        ("H100_nvlx8_668d6762_newyork-usa-1", None, None),
    ],
)
def test_a_bridge_is_told_from_the_nvl_card_or_the_card_is_unknown(sku: str, memory: int | None, read_as: str | None):
    offers, rejected = read(answer(machine(sku=sku, gpu_memory=memory), card="H100_NVL"))
    assert [offer.gpu for offer in offers] == ([read_as] if read_as else [])
    assert [row.reason for row in rejected] == ([] if read_as else ["unknown_gpu"])


def test_a_machine_of_spherons_own_is_no_brokers():
    ((offer,), _) = read(answer(machine(sku="node-7")))
    assert offer.broker_of == ""


@pytest.mark.parametrize(
    ("sku", "card"),
    [
        ("gpu_1x_a100_SXM4_us-central-3", "A100_80G_PCIE"),
        ("A100_sxm4_66b9a4e034c5c91a4d6a625d_calgary-canada-1", "A100_80G_SXM4"),
        ("V100_668d6762247d03149a4c946f_newyork-usa-1", "V100_32G_PCIE"),
    ],
)
def test_a_machine_in_the_wrong_group_is_held(sku: str, card: str):
    offers, rejected = read(answer(machine(1.068, 1, sku=sku), card=card))
    assert (offers, [row.reason for row in rejected]) == ([], ["unknown_sku"])


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (machine(0), "not_a_price"),
        (machine(None), "not_a_price"),
        (machine("soon"), "not_a_price"),
        (machine(instanceType="CLUSTER"), "unknown_pricing"),
        (machine(count=None), "unreadable"),
        (machine(sku=""), "unreadable"),
    ],
)
def test_an_odd_machine_costs_only_itself(row: dict[str, Any], reason: str):
    offers, rejected = read(answer(row, machine(2.0135, 1, sku="n3-H100x1__CANADA-1"), machine(0.1, 0, sku="cpu")))
    assert [offer.sku for offer in offers] == ["n3-H100x1__CANADA-1"]
    assert [row.reason for row in rejected] == [reason]


def test_errors_and_changes_are_named():
    with pytest.raises(ErrorAnswer, match="Unauthorized"):
        read(Page(URL, b'{"error":"Unauthorized","message":"Unauthorized"}', NOW, "gpu-offers-1.json"))
    with pytest.raises(LayoutChanged, match="gpuType"):
        read(Page(URL, b'{"data":[{"offers":[]}],"totalPages":1}', NOW, "gpu-offers-1.json"))
    for field in ("provider", "offerId", "gpuCount", "price", "clusters", "instanceType"):
        row = machine()
        del row[field]
        with pytest.raises(LayoutChanged, match=field):
            read(answer(row))


def test_pages_are_fetched_to_the_end():
    bodies = [listed(machine(sku=f"n3-H100x8-{number}"), pages=2) for number in range(2)]
    replay = Replay([{"request": {"method": "GET", "url": URL}, "response": {"body": body}} for body in bodies])
    pages = list(SOURCE.fetchers()[""](http_for(SOURCE, replay)))
    assert ["page=2" in (request.url or "") for request in replay.requests] == [False, True]
    assert "Authorization" not in replay.requests[0].headers
    assert len(read(*pages)[0]) == 2
    with pytest.raises(TruncatedAnswer, match="1 of 2 pages"):
        read(pages[0])
    with pytest.raises(TruncatedAnswer, match="go on after"):
        list(SOURCE.fetchers()[""](http_for(SOURCE, Site(lambda _: {"body": listed(machine(), pages=10**6)}))))


def test_a_key_goes_into_a_header_only():
    replay = Replay([{"request": {"url": URL}, "response": {"body": listed(machine())}}])
    (page,) = SOURCE.fetchers()[""](http_for(SOURCE, replay, secrets={"SPHERON_API_KEY": "sai-secret-1"}))
    assert replay.requests[0].headers["Authorization"] == "Bearer sai-secret-1"
    assert "sai-secret" not in page.text + page.url
