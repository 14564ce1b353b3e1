"""Lambda: tabs tell the size, cells the memory, the API whole instances in cents."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest
from exchanges import Site, http_for

from models.currencies import Rates
from models.normalise import normalise
from models.offers import Offer, Quote, Rejected, Unreadable
from sources.pages import recorded_pages
from sources.providers.lambda_ import API, PAGE, SOURCE
from sources.source import EmptyAnswer, ErrorAnswer, LayoutChanged, Page

NOW = datetime(2026, 11, 30, 6, 0, tzinfo=UTC)
AUGUST = datetime(2026, 8, 22, tzinfo=UTC)


def recorded() -> str:
    return recorded_pages("lambda")[AUGUST][0].page.text


def price_page(body: str) -> Page:
    return Page(PAGE, body.encode(), NOW, "pricing.html")


def answer(body: Any) -> Page:
    return Page(API, json.dumps(body).encode(), NOW, "instance-types.json")


def kind(described: str, cents: object, gpus: object, places: object = (), **specs: object) -> dict[str, Any]:
    listed = {"description": described, "price_cents_per_hour": cents, "specs": {"gpus": gpus, **specs}}
    return {"instance_type": listed, "regions_with_capacity_available": [{"name": place} for place in places]}


def quotes(*pages: Page) -> list[Quote]:
    return [row for row in SOURCE.parse(pages) if isinstance(row, Quote)]


def unread(*pages: Page) -> list[Unreadable]:
    return [row for row in SOURCE.parse(pages) if isinstance(row, Unreadable)]


def offers(*pages: Page, at: datetime = NOW) -> tuple[list[Offer], list[Rejected]]:
    rows = SOURCE.parse(pages)
    return normalise(
        rows, provider="lambda", book="", observed_at=at, origin="live", rates=Rates.of([]), page_sha256=""
    )


def test_the_tab_tells_the_size_and_the_price_per_gpu_falls_with_it():
    # lambda.ai/pricing, 2026-08-22
    found, _ = offers(price_page(recorded()))
    h100 = {o.gpu_count: (o.usd_per_gpu_hour, o.usd_per_hour) for o in found if o.gpu == "h100_sxm" and not o.tier}
    assert h100 == {
        1: (Decimal("4.29"), Decimal("4.29")),
        2: (Decimal("4.19"), Decimal("8.38")),
        4: (Decimal("4.09"), Decimal("16.36")),
        8: (Decimal("3.99"), Decimal("31.92")),
    }


def test_the_memory_cell_tells_which_a100_it_is():
    found, _ = offers(price_page(recorded()))
    of_eight = {o.gpu: o.usd_per_gpu_hour for o in found if o.gpu.startswith("a100") and o.gpu_count == 8}
    assert of_eight == {"a100_sxm_80": Decimal("2.79"), "a100_sxm_40": Decimal("1.99")}


def test_the_second_copy_in_the_script_counts_for_nothing():
    found, _ = offers(price_page(recorded()))
    assert recorded().count("$6.99") == 2  # once as a cell, once escaped
    assert sum(not offer.tier for offer in found) == 22
    assert len(found) == 28


def test_clusters_have_their_smallest_size_and_a_fabric_and_a_dash_is_no_price():
    found, rejected = offers(price_page(recorded()))
    clusters = {(o.gpu_text, o.minimum_gpus): o for o in found if o.tier == "cluster"}
    assert {key: o.usd_per_gpu_hour for key, o in clusters.items()} == {
        ("NVIDIA HGX B200", 16): Decimal("9.86"),
        ("NVIDIA HGX B200", 64): Decimal("9.36"),
        ("NVIDIA HGX B200", 256): Decimal("8.87"),
        ("NVIDIA H100", 16): Decimal("6.16"),
        ("NVIDIA H100", 64): Decimal("5.85"),
        ("NVIDIA H100", 256): Decimal("5.54"),
    }
    assert {(o.fabric, o.cluster_gpus) for o in clusters.values()} == {("multi_node", 2000)}
    assert {o.fabric for o in found if not o.tier} == {"single_node"}
    assert [row.reason for row in rejected] == ["not_a_price", "not_a_price"]


def test_a_cluster_is_rented_for_two_weeks_at_least():
    # "2 weeks" to "1 year" beside every cluster price, lambda.ai/pricing, 2026-08-22: 14 days of 24 hours
    found, _ = offers(price_page(recorded()))
    assert {(o.minimum_hours, o.pricing) for o in found if o.tier == "cluster"} == {(Decimal(336), "on_demand")}
    assert {o.minimum_hours for o in found if not o.tier} == {None}


@pytest.mark.parametrize(
    ("duration", "pricing", "term_months", "minimum_hours"),
    [
        ("2 weeks+", "on_demand", None, Decimal(336)),
        ("10 days \u2013 3 months", "on_demand", None, Decimal(240)),
        ("1 month+", "reserved", 1, None),
        ("3 months+", "reserved", 3, None),
        ("1 year+", "reserved", 12, None),
        ("60 days", "reserved", 2, None),
        ("52 weeks", "reserved", 12, None),
        ("720 hours", "reserved", 1, None),
        ("4 weeks", "on_demand", None, Decimal(672)),
        ("45 days", None, None, None),
        ("1 - 3 years", None, None, None),
        ("0 weeks+", None, None, None),
        (f"{'9' * 40} days", None, None, None),
        ("flexible", None, None, None),
        ("", None, None, None),
    ],
)
def test_a_longer_duration_is_a_commitment_and_one_that_is_not_understood_is_no_price(
    duration, pricing, term_months, minimum_hours
):
    body = recorded().replace(
        '<td data-label="DURATION">2 weeks \u2013 1 year', f'<td data-label="DURATION">{duration}'
    )
    clusters = [q for q in quotes(price_page(body)) if q.tier == "cluster"]
    told = {(q.pricing, q.term_months, q.minimum_hours) for q in clusters}
    if pricing is None:
        assert told == set()
        assert sum(row.reason == "missing_term" for row in unread(price_page(body))) == 6
    else:
        assert told == {(pricing, term_months, minimum_hours)}


def test_a_second_price_in_a_row_is_a_redesign():
    cell = '<td data-label="PRICE/GPU/HR*">$3.99</td>'
    for label in ("PRICE/GPU/HR*", "1-YEAR PRICE", "RESERVED", "TERM", "DURATION"):
        body = recorded().replace(cell, cell + cell.replace("PRICE/GPU/HR*", label).replace("3.99", "1.99"))
        assert body != recorded()
        with pytest.raises(LayoutChanged):
            quotes(price_page(body))


def test_hashed_class_names_may_change():
    assert quotes(price_page(recorded().replace("_3954x_", "_q1w2e_"))) != []
    plain = [(q.sku, q.amount) for q in quotes(price_page(recorded()))]
    assert [(q.sku, q.amount) for q in quotes(price_page(recorded().replace("_3954x_", "_x_")))] == plain


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('data-label="PRICE/GPU/HR*"', 'data-label="RATE"'),
        ('data-label="VRAM/GPU"', 'data-label="Memory"'),
        ("aria-controls", "data-controls"),
        ("data-plan", "data-product"),
        (">8x</button>", ">8 GPUs</button>"),
    ],
)
def test_a_redesign_is_named_before_a_row_is_lost(old, new):
    with pytest.raises(LayoutChanged):
        quotes(price_page(recorded().replace(old, new)))


def test_lost_clusters_are_said_and_cost_no_instance():
    body = recorded().replace("GPU COUNT", "SIZE")
    assert len(quotes(price_page(body))) == 22
    assert "layout_changed" in {row.reason for row in unread(price_page(body))}


def test_an_announced_price_is_no_price_before_its_day():
    body = recorded().replace("* plus applicable", "Prices effective November 16, 2026. * plus applicable")
    before, announced = offers(price_page(body), at=datetime(2026, 11, 9, tzinfo=UTC))
    after, _ = offers(price_page(body), at=datetime(2026, 11, 16, 12, tzinfo=UTC))
    assert before == []
    assert {row.reason for row in announced} == {"future_price", "not_a_price"}
    assert {offer.effective_from for offer in after} == {date(2026, 11, 16)}


TYPES = {
    "gpu_8x_h100_sxm5": kind("8x H100 (80 GB SXM5)", 2392, 8, ["us-west-1"], vcpus=208, memory_gib=1800),
    "gpu_8x_a100": kind("8x A100 (40 GB SXM4)", 1032, 8),
    "gpu_8x_a100_80gb_sxm4": kind("8x A100 (80 GB SXM4)", 1432, 8, ["us-east-1"]),
    "gpu_1x_gh200": kind("1x GH200 (96 GB)", 149, 1),
    "cpu_4x_generalx": kind("4x General Purpose X CPUs", 20, 0, ["us-east-1"]),
}


def test_the_api_lists_whole_instances_in_cents_with_the_regions_that_have_some():
    found, rejected = offers(answer({"data": TYPES}))
    read = {o.sku: (o.region, o.gpu, o.gpu_memory_gb, o.usd_per_hour, o.usd_per_gpu_hour, o.available) for o in found}
    assert read == {
        "gpu_8x_h100_sxm5": ("us-west-1", "h100_sxm", 80, Decimal("23.92"), Decimal("2.99"), True),
        "gpu_8x_a100": ("", "a100_sxm_40", 40, Decimal("10.32"), Decimal("1.29"), False),
        "gpu_8x_a100_80gb_sxm4": ("us-east-1", "a100_sxm_80", 80, Decimal("14.32"), Decimal("1.79"), True),
        "gpu_1x_gh200": ("", "gh200", 96, Decimal("1.49"), Decimal("1.49"), False),
    }
    assert rejected == []


def test_every_region_with_capacity_is_an_offer():
    page = answer({"data": {"gpu_1x_a10": kind("1x A10 (24 GB PCIe)", 129, 1, ["us-west-1", "us-east-1"])}})
    assert [(q.region, q.available) for q in quotes(page)] == [("us-west-1", True), ("us-east-1", True)]


def test_an_empty_list_is_no_list():
    with pytest.raises(EmptyAnswer):
        quotes(answer({"data": {}}))


def test_an_error_under_http_200_is_an_error():
    with pytest.raises(ErrorAnswer, match="API key was invalid"):
        quotes(answer({"error": {"code": "global/invalid-api-key", "message": "API key was invalid"}}))


@pytest.mark.parametrize("field", ["description", "price_cents_per_hour", "specs"])
def test_a_field_gone_from_every_type_is_named(field):
    without = {name: json.loads(json.dumps(row)) for name, row in TYPES.items()}
    for row in without.values():
        del row["instance_type"][field]
    with pytest.raises(LayoutChanged, match=field):
        quotes(answer({"data": without}))


@pytest.mark.parametrize(
    "bad",
    [kind("8x H100 (80 GB SXM5)", None, 8), kind("8x H100 (80 GB SXM5)", 2392, "eight"), {"instance_type": "H100"}],
)
def test_one_bad_type_never_costs_a_good_one(bad):
    page = answer({"data": {**TYPES, "gpu_8x_bad": bad}})
    assert len(quotes(page)) == 4
    assert [row.sku for row in unread(page)] == ["gpu_8x_bad"]


def test_without_a_key_the_page_alone_is_asked():
    site = Site(lambda request: {"body": recorded()})
    pages = list(SOURCE.fetchers()[""](http_for(SOURCE, site)))
    assert [request.url for request in site.requests] == [PAGE]
    assert len(quotes(*pages)) == 28


def test_with_a_key_the_api_replaces_the_instances_and_the_page_keeps_the_clusters():
    site = Site(lambda request: {"body": {"data": TYPES} if request.url == API else recorded()})
    pages = list(SOURCE.fetchers()[""](http_for(SOURCE, site, secrets={"LAMBDA_API_KEY": "k-123"})))
    keys = {request.url: request.headers.get("Authorization") for request in site.requests}
    assert keys == {API: "Bearer k-123", PAGE: None}
    assert all("k-123" not in page.url and b"k-123" not in page.body for page in pages)
    found = quotes(*pages)
    assert sum(quote.tier == "cluster" for quote in found) == 6
    assert sorted(quote.sku for quote in found if not quote.tier) == sorted(set(TYPES) - {"cpu_4x_generalx"})
    assert {quote.page_sha256 for quote in found if not quote.tier} == {pages[0].sha256}
