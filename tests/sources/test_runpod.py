"""RunPod: which printed figures are prices, of what, and for how many GPUs."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from exchanges import Replay, http_for

from models.currencies import Rates
from models.normalise import normalise
from models.offers import Offer, Quote, Unreadable
from sources.pages import recorded_pages
from sources.providers.runpod import SOURCE
from sources.source import ErrorAnswer, LayoutChanged, Page

NOW = datetime(2026, 11, 30, 6, 0, tzinfo=UTC)


def page(rows: list[dict[str, Any]], asked: dict[str, Any] | None = None, **beside: Any) -> Page:
    body = {"data": {"gpuTypes": rows}, **beside}
    if asked is not None:
        body["request_variables"] = {"lowestPriceInput": asked}
    return Page("https://api.runpod.io/graphql", json.dumps(body).encode(), NOW, "gpuTypes.json")


def card(sku: str = "NVIDIA H100 80GB HBM3", memory: int = 80, **fields: Any) -> dict[str, Any]:
    listed = {
        "id": sku,
        "memoryInGb": memory,
        "maxGpuCount": 8,
        "secureCloud": True,
        "communityCloud": False,
        "securePrice": 2.99,
        "communityPrice": 0.5,
        "clusterPrice": None,
        "nodeGroupDatacenters": [],
        "lowestPrice": {"minimumBidPrice": None, "uninterruptablePrice": None, "stockStatus": None},
    }
    return {**listed, **fields}


def quotes(*pages: Page) -> list[Quote]:
    return [row for row in SOURCE.parse(pages) if isinstance(row, Quote)]


def offers(*pages: Page) -> list[Offer]:
    found, _ = normalise(
        SOURCE.parse(pages),
        provider="runpod",
        book="",
        observed_at=NOW,
        origin="live",
        rates=Rates.of([]),
        page_sha256="",
    )
    return found


def test_every_price_is_per_gpu_and_the_two_clouds_are_two_products():
    """An answer for 8 GPUs in one data centre, of the year 2024, when lowestPrice was per GPU too."""
    a100 = card(
        "NVIDIA A100 80GB PCIe",
        communityCloud=True,
        securePrice=1.64,
        communityPrice=1.19,
        lowestPrice={"minimumBidPrice": 0.6, "uninterruptablePrice": 1.64, "stockStatus": "High"},
    )
    h200 = card("NVIDIA H200", 141, securePrice=3.99, communityPrice=None)
    unknown = {"id": "unknown", "memoryInGb": 0, "secureCloud": False, "securePrice": 0, "communityPrice": 0}
    asked = {"gpuCount": 8, "secureCloud": True, "dataCenterId": "US-KS-2"}
    got = {
        (offer.sku, offer.tier, offer.pricing): offer
        for offer in offers(page([a100, h200, unknown], asked))
        if offer.gpu_count == 8
    }
    assert {key: (offer.usd_per_hour, offer.usd_per_gpu_hour, offer.region) for key, offer in got.items()} == {
        ("NVIDIA A100 80GB PCIe", "secure", "on_demand"): (Decimal("13.12"), Decimal("1.64"), "US-KS-2"),
        ("NVIDIA A100 80GB PCIe", "community", "on_demand"): (Decimal("9.52"), Decimal("1.19"), "any"),
        ("NVIDIA A100 80GB PCIe", "bid_floor", "spot"): (Decimal("4.8"), Decimal("0.6"), "US-KS-2"),
        ("NVIDIA H200", "secure", "on_demand"): (Decimal("31.92"), Decimal("3.99"), "US-KS-2"),
    }
    assert got["NVIDIA A100 80GB PCIe", "secure", "on_demand"].available is True
    assert got["NVIDIA H200", "secure", "on_demand"].available is False
    assert {offer.sku for offer in offers(page([a100, h200, unknown], asked))} == {
        "NVIDIA A100 80GB PCIe",
        "NVIDIA H200",
    }


def test_bid_for_the_whole_pod_is_told_from_a_bid_for_one_gpu():
    lowest = {"minimumBidPrice": 12.0, "uninterruptablePrice": 23.92, "stockStatus": "Low"}  # 8 x 2.99
    whole_pod = [
        q for q in quotes(page([card(lowestPrice=lowest)], {"gpuCount": 8, "secureCloud": True})) if q.pricing == "spot"
    ]
    assert [(q.amount, q.unit, q.gpu_count) for q in whole_pod] == [(Decimal("12.0"), "per_instance_hour", 8)]


def test_the_least_bid_is_no_price_of_a_pod_and_stands_once_for_both_clouds():
    """What wins a cost table leaves the tier bid_floor out: nobody is sure of a pod at it."""
    both = card(communityCloud=True, securePrice=2.99, communityPrice=2.39)

    def asked(cloud: str, bid: float, fixed: float) -> Page:
        lowest = {"minimumBidPrice": bid, "uninterruptablePrice": fixed, "stockStatus": "Low"}
        return page([{**both, "lowestPrice": lowest}], {"gpuCount": 1, "secureCloud": cloud == "secure"})

    for answers in (
        [asked("secure", 1.5, 2.99), asked("community", 1.2, 2.39)],
        [asked("community", 1.2, 2.39), asked("secure", 1.5, 2.99)],
    ):
        rows = list(SOURCE.parse(answers))
        spot = [(row.tier, row.amount) for row in rows if isinstance(row, Quote) and row.pricing == "spot"]
        assert spot == [("bid_floor", Decimal("1.2"))]


def test_bid_that_fits_neither_scale_is_not_guessed():
    lowest = {"minimumBidPrice": 12.0, "uninterruptablePrice": 17.0, "stockStatus": "Low"}
    rows = list(SOURCE.parse([page([card(lowestPrice=lowest)], {"gpuCount": 8, "secureCloud": True})]))
    assert [row.reason for row in rows if isinstance(row, Unreadable)] == ["unknown_unit"]
    assert not [row for row in rows if isinstance(row, Quote) and row.pricing == "spot"]


def test_bid_equal_to_on_demand_is_no_spot_market():
    lowest = {"minimumBidPrice": 23.92, "uninterruptablePrice": 23.92, "stockStatus": "High"}
    got = quotes(page([card(lowestPrice=lowest)], {"gpuCount": 8, "secureCloud": True}))
    assert {q.pricing for q in got} == {"on_demand"}


def test_bid_above_on_demand_is_held_with_its_price_and_costs_the_other_card_nothing():
    swapped = card(
        "NVIDIA L40S",
        48,
        securePrice=0.4,
        lowestPrice={"minimumBidPrice": 0.86, "uninterruptablePrice": 0.4, "stockStatus": "High"},
    )
    got = offers(page([swapped, card()], {"gpuCount": 1, "secureCloud": True}))
    assert {(offer.gpu, offer.gpu_count) for offer in got} == {("l40s", 8), ("h100_sxm", 1), ("h100_sxm", 8)}


def test_half_a_dollar_is_a_filler_without_the_flag_and_a_price_with_it():
    """0.5 stands on cards that a cloud does not offer; the RTX 3090 really cost 0.50 in August 2026."""
    filler = card("NVIDIA GeForce GTX 1050", 2, secureCloud=False, securePrice=0.5, communityPrice=0.5)
    real = card("NVIDIA GeForce RTX 3090", 24, securePrice=0.5)
    assert {(q.sku, q.amount) for q in quotes(page([filler, real]))} == {("NVIDIA GeForce RTX 3090", Decimal("0.5"))}


def test_half_a_dollar_that_the_rest_of_the_row_denies_is_a_filler_under_its_flag_too():
    """MI300X, H200 NVL and RTX 2000 Ada stood at 0.5 in the cloud that does not offer them."""
    mi300x = card("AMD Instinct MI300X OAM", 192, communityCloud=True, securePrice=2.19)
    lone = card("NVIDIA H200 NVL", 143, secureCloud=False, communityCloud=True, securePrice=0)
    dear = card("NVIDIA L40S", 48, communityCloud=True, securePrice=1.09)
    rows = list(SOURCE.parse([page([mi300x, lone, dear])]))
    assert {(row.sku, row.tier) for row in rows if isinstance(row, Quote)} == {
        ("AMD Instinct MI300X OAM", "secure"), ("NVIDIA L40S", "secure"),
    }  # fmt: skip
    assert [row.reason for row in rows if isinstance(row, Unreadable)] == ["not_a_price"] * 3


@pytest.mark.parametrize(
    ("said", "sizes"),
    [
        ({"maxGpuCountSecureCloud": 8, "maxGpuCountCommunityCloud": 4}, {"secure": {1, 8}, "community": {1, 4}}),
        ({"maxGpuCountSecureCloud": 2, "maxGpuCountCommunityCloud": 0}, {"secure": {1, 2}, "community": {1, 8}}),
        ({}, {"secure": {1, 8}, "community": {1, 8}}),
    ],
)
def test_each_cloud_has_its_largest_pod(said: dict[str, int], sizes: dict[str, set[int]]):
    both = card(communityCloud=True, communityPrice=2.69, maxGpuCount=8, **said)
    got = quotes(page([both]))
    assert {tier: {int(q.gpu_count) for q in got if q.tier == tier} for tier in sizes} == sizes


@pytest.mark.parametrize("price", [0, None, "n/a", -1, True])
def test_offered_card_without_a_price_is_reported(price: object):
    rows = list(SOURCE.parse([page([card(securePrice=price), card("NVIDIA L40S", 48)])]))
    assert [(row.reason, row.sku) for row in rows if isinstance(row, Unreadable)] == [
        ("not_a_price", "NVIDIA H100 80GB HBM3")
    ]
    assert {row.sku for row in rows if isinstance(row, Quote)} == {"NVIDIA L40S"}


def test_a_cloud_flag_of_another_type_is_read_or_reported():
    assert [(quote.tier, quote.gpu_count) for quote in quotes(page([card(secureCloud="true")]))] == [
        ("secure", 1),
        ("secure", 8),
    ]
    (bad,) = SOURCE.parse([page([card(secureCloud="SECURE")])])
    assert isinstance(bad, Unreadable)
    assert bad.reason == "unknown_pricing"


def test_stock_is_known_for_the_asked_pod_only():
    low = {"minimumBidPrice": None, "uninterruptablePrice": 23.92, "stockStatus": "Low"}
    eight = page([card(lowestPrice=low)], {"gpuCount": 8, "secureCloud": True})
    one = page([card()], {"gpuCount": 1, "secureCloud": True})
    for pages in ([eight, one], [one, eight]):
        assert {q.gpu_count: q.available for q in quotes(*pages)} == {1: False, 8: True}
    assert {q.gpu_count: q.available for q in quotes(eight)} == {1: None, 8: True}


def test_savings_plans_keep_their_length():
    got = quotes(page([card(oneMonthPrice=2.7, threeMonthPrice=2.5, sixMonthPrice=None, maxGpuCount=1)]))
    assert {(q.pricing, q.term_months, q.amount) for q in got} == {
        ("on_demand", None, Decimal("2.99")),
        ("savings_plan", 1, Decimal("2.7")),
        ("savings_plan", 3, Decimal("2.5")),
    }


def test_cluster_is_sold_where_nodes_join_from_two_nodes_to_eight():
    joined = card(clusterPrice=3.5, nodeGroupDatacenters=[{"id": "US-KS-2"}])
    got = [q for q in quotes(page([joined])) if q.tier == "cluster"]
    assert [(q.region, q.gpu_count, q.minimum_gpus, q.cluster_gpus, q.fabric) for q in got] == [
        ("US-KS-2", 8, 16, 64, "multi_node")
    ]
    assert not [q for q in quotes(page([card(clusterPrice=3.5)])) if q.tier == "cluster"]
    assert {q.fabric for q in quotes(page([card()]))} == {"single_node"}


def test_slice_is_its_share_of_the_card_it_is_cut_from():
    whole = "NVIDIA RTX PRO 6000 Blackwell Server Edition"
    rows = page([card(whole, 96, securePrice=2.09), card(f"{whole} MIG 1g.24gb", 24, securePrice=0.59)])
    (piece,) = [offer for offer in offers(rows) if offer.tier == "secure_slice"]
    assert (piece.gpu_count, piece.usd_per_hour, piece.usd_per_gpu_hour) == (
        Decimal("0.25"),
        Decimal("0.59"),
        Decimal("2.36"),
    )
    (lost,) = SOURCE.parse([page([card(f"{whole} MIG 1g.24gb", 24)])])
    assert isinstance(lost, Unreadable)


@pytest.mark.parametrize("data", [None, {"gpuTypes": None}, {"gpuTypes": [card()]}])
def test_errors_under_200_fail_the_look_even_beside_good_rows(data: object):
    body = {"errors": [{"message": "Something went wrong. Please try again later."}], "data": data}
    broken = Page("https://api.runpod.io/graphql", json.dumps(body).encode(), NOW, "gpuTypes.json")
    with pytest.raises(ErrorAnswer, match="Something went wrong"):
        list(SOURCE.parse([broken]))


@pytest.mark.parametrize("field", ["securePrice", "communityCloud", "memoryInGb", "id"])
def test_field_gone_from_all_rows_is_a_changed_layout(field: str):
    rows = [{name: value for name, value in card().items() if name != field}]
    with pytest.raises(LayoutChanged, match=field):
        list(SOURCE.parse([page(rows)]))


def test_fetch_asks_each_cloud_for_one_gpu_and_for_eight_and_keeps_the_question():
    answer = {"data": {"gpuTypes": [card(communityCloud=True, communityPrice=2.69)]}}
    replay = Replay(
        [{"request": {"method": "POST"}, "response": {"body": json.dumps(answer, separators=(",", ":"))}}] * 4
    )
    pages = [page for fetcher in SOURCE.fetchers().values() for page in fetcher(http_for(SOURCE, replay))]
    kept = [json.loads(page.body)["request_variables"]["lowestPriceInput"] for page in pages]
    sent = [json.loads(request.body or b"")["variables"]["lowestPriceInput"] for request in replay.requests]
    assert kept == sent
    assert [(asked["secureCloud"], asked["gpuCount"]) for asked in kept] == [
        (True, 1),
        (True, 8),
        (False, 1),
        (False, 8),
    ]
    assert {(q.tier, q.gpu_count, q.available) for q in quotes(*pages)} == {
        (tier, count, False) for tier in ("secure", "community") for count in (1, 8)
    }


def test_fetch_hands_an_answer_that_is_no_object_to_parse():
    replay = Replay([{"response": {"body": "<html>Just a moment...</html>"}}] * 4)
    pages = list(SOURCE.fetchers()[""](http_for(SOURCE, replay)))
    with pytest.raises(ErrorAnswer, match="Just a moment"):
        list(SOURCE.parse(pages))


def test_recorded_prices_are_the_published_ones():
    """July: markrusch/Compute-Index runpod_gputypes.json. August: hemgo-lexsi/gpu-price-dashboard, gpurentalprices."""
    got = {
        (f"{day:%m-%d}", q.sku, q.tier, q.gpu_count): q.amount
        for day, pages in recorded_pages("runpod").items()
        for q in quotes(*(recorded.page for recorded in pages))
    }
    wanted = {
        ("07-18", "NVIDIA H100 80GB HBM3", "secure", 1): "2.99",
        ("08-22", "NVIDIA H100 80GB HBM3", "secure", 8): "3.29",
        ("08-22", "NVIDIA H100 80GB HBM3", "community", 1): "2.69",
        ("07-18", "NVIDIA A100-SXM4-80GB", "secure", 8): "1.49",
        ("08-22", "NVIDIA A100-SXM4-80GB", "secure", 1): "1.59",
        ("08-22", "NVIDIA B200", "secure", 1): "6.79",
        ("08-22", "NVIDIA H200", "community", 1): "3.59",
        ("08-22", "AMD Instinct MI300X OAM", "secure", 1): "2.39",
        ("08-22", "NVIDIA RTX A4000", "community", 1): "0.17",
    }
    assert {key: got[key] for key in wanted} == {key: Decimal(price) for key, price in wanted.items()}
    assert ("07-18", "AMD Instinct MI300X OAM", "community", 1) not in got  # flag false, 0.5 printed
