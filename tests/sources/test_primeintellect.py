"""Prime Intellect: whole pods, the form of a card in a field of its own, 608 pods a hundred at a time."""

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
from sources.providers.primeintellect import SOURCE, URL
from sources.source import ErrorAnswer, LayoutChanged, Page, TruncatedAnswer

NOW = datetime(2026, 10, 1, tzinfo=UTC)
KEY = {"PRIMEINTELLECT_API_KEY": "pi-secret-1"}


def pod(price: Any = 2.7068, count: Any = 1, *, card: Any = "H100_80GB", **fields: Any) -> dict[str, Any]:
    row = {"cloudId": "NVIDIA H100 80GB HBM3", "gpuType": card, "socket": "SXM5", "provider": "runpod"}
    shape = {"gpuCount": count, "gpuMemory": 80, "country": "CA", "dataCenter": "CA-MTL-1", "stockStatus": "Low"}
    prices = {"onDemand": price, "communityPrice": None, "isVariable": None, "currency": "USD"}
    terms = {"security": "secure_cloud", "isSpot": None, "prepaidTime": None}
    return {**row, **shape, **terms, "prices": prices, **fields}


def listed(*pods: dict[str, Any], total: int | None = None) -> dict[str, Any]:
    return {"items": list(pods), "totalCount": len(pods) if total is None else total}


def answer(*pods: dict[str, Any], total: int | None = None) -> Page:
    return Page(URL, json.dumps(listed(*pods, total=total)).encode(), NOW, "gpus-1.json")


def read(*pages: Page) -> tuple[list[Offer], list[Rejected]]:
    rows = SOURCE.parse(pages)
    return normalise(
        rows, provider="primeintellect", book="", observed_at=NOW, origin="live", rates=Rates.of([]), page_sha256=""
    )


def test_recorded_pods_have_their_disk_in_the_price():
    # RunPod's list of those weeks (A100 PCIe 1.64, A100 SXM 1.74, H100 SXM 2.69, H100 PCIe 2.39) and 120 GB of disk
    # at 0.00014, as an answer kept in github.com/PrimeIntellect-ai/prime-cli has them
    offers, rejected = read(next(iter(recorded_pages("primeintellect").values()))[0].page)
    found = {(offer.gpu, offer.region): offer.usd_per_gpu_hour for offer in offers}
    disk = Decimal("0.0168")
    for gpu, region, price in (
        ("a100_sxm_80", "US/US-CA-2", "1.74"),
        ("a100_sxm_80", "US/US-KS-2", "1.74"),
        ("h100_sxm", "CA/CA-MTL-1", "2.69"),
        ("h100_sxm", "CA/CA-MTL-3", "2.69"),
        ("h100_pcie", "CA/CA-MTL-3", "2.39"),
    ):
        assert found[gpu, region] == Decimal(price) + disk
    assert found["a100_pcie_80", "US/US-KS-2"].quantize(Decimal("0.0001")) == Decimal("1.64") + disk
    assert (len(offers), rejected) == (8, [])
    assert {(offer.broker_of, offer.country) for offer in offers} == {("runpod", "US"), ("runpod", "CA")}


def test_the_price_is_of_all_gpus_of_the_pod():
    ((offer,), _) = read(answer(pod(21.6, 8)))
    assert (offer.usd_per_hour, offer.usd_per_gpu_hour) == (Decimal("21.6"), Decimal("2.7"))


def test_a_spot_pod_is_spot_and_a_cloud_keeps_our_name():
    offers, _ = read(answer(pod(isSpot="true", provider="datacrunch"), pod(isSpot=False, provider="lambdalabs")))
    assert {(o.pricing, o.broker_of) for o in offers} == {("spot", "verda"), ("on_demand", "lambda")}


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (pod(0), "not_a_price"),
        (pod(None), "not_a_price"),
        (pod(float("nan")), "not_a_price"),
        (pod(prices=None), "not_a_price"),
        (pod(prepaidTime=720), "unknown_pricing"),
        (pod(isSpot="SPOT"), "unknown_pricing"),
        (pod(count=0), "unreadable"),
        (pod(count=None), "unreadable"),
        (pod(card="X999_9GB", socket="PCIe"), "unknown_gpu"),
    ],
)
def test_an_odd_pod_costs_only_itself(row: dict[str, Any], reason: str):
    offers, rejected = read(answer(row, pod(1.7568, card="A100_80GB", socket="SXM4")))
    assert [offer.gpu for offer in offers] == ["a100_sxm_80"]
    assert [row.reason for row in rejected] == [reason]


@pytest.mark.parametrize(
    "field", ["cloudId", "gpuType", "socket", "provider", "gpuCount", "prices", "isSpot", "security"]
)
def test_a_field_gone_from_every_pod_is_named(field: str):
    row = pod()
    del row[field]
    with pytest.raises(LayoutChanged, match=field):
        read(answer(row))


def test_errors_under_http_200_are_errors():
    with pytest.raises(ErrorAnswer, match="Invalid API key"):
        read(Page(URL, b'{"detail":"Invalid API key"}', NOW, "gpus-1.json"))
    with pytest.raises(LayoutChanged, match="items"):
        read(Page(URL, b'{"data":[],"totalCount":0}', NOW, "gpus-1.json"))
    with pytest.raises(LayoutChanged, match="totalCount"):
        read(Page(URL, json.dumps({"items": [pod()]}).encode(), NOW, "gpus-1.json"))


def test_pages_are_fetched_to_the_end():
    pods = [pod(country=f"C{number}") for number in range(130)]
    bodies = [listed(*pods[:100], total=130), listed(*pods[100:], total=130)]
    replay = Replay([{"request": {"method": "GET", "url": URL}, "response": {"body": body}} for body in bodies])
    pages = list(SOURCE.fetchers()[""](http_for(SOURCE, replay, secrets=KEY)))
    assert ["page=2" in (request.url or "") for request in replay.requests] == [False, True]
    assert len(read(*pages)[0]) == 130
    with pytest.raises(TruncatedAnswer, match="100 of 130"):
        read(pages[0])


def test_a_list_without_end_is_not_followed_forever():
    site = Site(lambda _: {"body": listed(pod(), total=10**9)})
    with pytest.raises(TruncatedAnswer, match="go on after"):
        list(SOURCE.fetchers()[""](http_for(SOURCE, site, secrets=KEY)))
    assert len(site.requests) == 50


def test_the_key_is_needed_and_goes_into_a_header_only(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("PRIMEINTELLECT_API_KEY", raising=False)
    assert not SOURCE.ready
    replay = Replay([{"request": {"method": "GET", "url": URL}, "response": {"body": listed(pod())}}])
    (page,) = SOURCE.fetchers()[""](http_for(SOURCE, replay, secrets=KEY))
    assert replay.requests[0].headers["Authorization"] == "Bearer pi-secret-1"
    assert "pi-secret-1" not in page.text + page.url
