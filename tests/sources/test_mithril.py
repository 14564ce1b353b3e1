"""Mithril: an auction's floor that is no price, limits that nobody pays, cents of a whole machine."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
import requests
from exchanges import Site, http_for

from models.currencies import Rates
from models.normalise import normalise
from models.offers import Offer, Rejected
from sources.providers.mithril import API, PAGE, SOURCE
from sources.source import ErrorAnswer, LayoutChanged, Page

NOW = datetime(2026, 10, 1, tzinfo=UTC)
H100 = {
    "fid": "it_h100", "name": "h100-80gb.sxm.8x", "num_cpus": 168, "ram_gb": 1814, "num_gpus": 8, "gpu_type": "H100",
    "gpu_memory_gb": 80, "gpu_socket": "SXM5", "network_type": "InfiniBand", "ib_count": 8,
}  # fmt: skip
H100_1X = {**H100, "num_gpus": 1}


def prices(spot: Any = 1203, floor: Any = 800, **fields: Any) -> dict[str, Any]:
    held = {"lowest_allocated_bid_cents": 2000, "dynamic_win_price_cents": 2001, "total_capacity": 26}
    spread = {"reserved_price_cents": None, "available_capacity": None, **held}
    return {"spot_price_cents": spot, "minimum_price_cents": floor, **spread, **fields}


def page(name: str, body: object, query: str = "") -> Page:
    return Page(f"{API}/{name}{query}", json.dumps(body).encode(), NOW, name)


def look(*answers: dict[str, Any], machine: dict[str, Any] = H100) -> list[Page]:
    """The three lists, one price answer for each region."""
    regions = [f"us-central{number}-a" for number in range(1, len(answers) + 1)]
    sold = [{"instance_type": "it_h100", "region": region, "last_instance_price": "$12.03"} for region in regions]
    asked = (f"?instance_type=it_h100&region={region}" for region in regions)
    priced = [
        page(f"prices-{at}.json", body, query) for at, (query, body) in enumerate(zip(asked, answers, strict=True))
    ]
    return [page("instance-types.json", [machine]), page("spot-availability.json", sold), *priced]


def read(pages: list[Page]) -> tuple[list[Offer], list[Rejected]]:
    rows = SOURCE.parse(pages)
    return normalise(
        rows, provider="mithril", book="", observed_at=NOW, origin="live", rates=Rates.of([]), page_sha256=""
    )


def test_prices_are_of_whole_machines():
    ((offer,), rejected) = read(look(prices(1203, 800)))
    assert (offer.sku, offer.gpu, offer.country) == ("h100-80gb.sxm.8x", "h100_sxm", "US")
    assert (offer.usd_per_hour, offer.usd_per_gpu_hour, rejected) == (Decimal("12.03"), Decimal("1.50375"), [])


@pytest.mark.parametrize(
    ("spot", "floor", "free"), [(101, 100, None), (1726, None, None), (150, None, 0), (101, 100, -1)]
)
def test_what_may_be_the_floor_is_no_price_unless_machines_are_free(spot: int, floor: int | None, free: int | None):
    """1.01 over a floor of 1.00 came out as the cheapest H200 of all."""
    offers, rejected = read(look(prices(spot, floor, available_capacity=free), machine=H100_1X))
    assert (offers, [row.reason for row in rejected]) == ([], ["not_a_price"])
    ((offer,), _) = read(look(prices(spot, floor, available_capacity=3), machine=H100_1X))
    assert offer.usd_per_hour == Decimal(spot) / 100


def test_the_floor_is_a_price_only_while_machines_are_free():
    offers, rejected = read(look(prices(800, available_capacity=3), prices(800, available_capacity=0), prices(800)))
    assert [(o.usd_per_gpu_hour, o.available, o.quantity) for o in offers] == [(Decimal(1), True, 3)]
    assert [row.reason for row in rejected] == ["not_a_price", "not_a_price"]


def test_a_price_above_the_floor_stands_with_none_free():
    ((offer,), _) = read(look(prices(1203, available_capacity=0)))
    assert (offer.usd_per_hour, offer.available, offer.fabric) == (Decimal("12.03"), False, "multi_node")


def test_a_reservation_is_a_block_of_hours():
    offers, _ = read(look(prices(1203, reserved_price_cents=1600)))
    assert {(o.pricing, o.tier, o.usd_per_gpu_hour) for o in offers} == {
        ("spot", "", Decimal("1.50375")),
        ("capacity_block", "reservation", Decimal(2)),
    }
    assert {(o.pricing, o.minimum_hours) for o in offers} == {("spot", None), ("capacity_block", Decimal(3))}


@pytest.mark.parametrize("spot", [None, 0, -1, "1203 cents"])
def test_no_spot_price_costs_only_itself(spot: Any):
    offers, rejected = read(look(prices(spot), prices()))
    assert [offer.region for offer in offers] == ["us-central2-a"]
    assert [row.reason for row in rejected] == ["not_a_price"]


def test_a_machine_that_is_not_listed_is_not_guessed():
    offers, rejected = read(look(prices(), machine={**H100, "fid": "it_other"}))
    assert (offers, [row.reason for row in rejected]) == ([], ["unknown_sku"])
    assert read(look(prices(), machine={**H100, "num_gpus": 0})) == ([], [])


def test_errors_and_changes_are_named():
    with pytest.raises(ErrorAnswer, match="Invalid API key"):
        read([page("instance-types.json", {"detail": "Invalid API key"})])
    with pytest.raises(LayoutChanged, match="not a list"):
        read([page("instance-types.json", {"data": []})])
    for field in ("fid", "name", "num_gpus", "gpu_type", "gpu_memory_gb", "gpu_socket"):
        with pytest.raises(LayoutChanged, match=field):
            read(look(prices(), machine={name: value for name, value in H100.items() if name != field}))
    for field in ("spot_price_cents", "minimum_price_cents"):
        with pytest.raises(LayoutChanged, match=field):
            read(look({name: value for name, value in prices().items() if name != field}))


SOLD = "<p>H100 SXM5 (8 GPUs, 168 vCPUs, 1,814 GB RAM, 12,500 GB disk)</p><p>$12.03 instance/hr</p><p>{}</p>"


def averages(text: str) -> tuple[list[Offer], list[Rejected]]:
    return read([Page(PAGE, text.encode(), NOW, "pricing.html")])


def test_the_page_tells_what_a_machine_went_for_on_average():
    ((offer,), rejected) = averages(SOLD.format("Spot (7-day avg)"))
    assert (offer.tier, offer.gpu, offer.usd_per_gpu_hour, rejected) == (
        "market_average", "h100_sxm", Decimal("1.50375"), [],
    )  # fmt: skip


def test_a_price_of_the_page_that_is_something_else_is_not_taken():
    for other in ("Reserved", "Spot (7-day avg) $9.00 instance/hr"):
        offers, rejected = averages(SOLD.format(other))
        assert (offers, [row.reason for row in rejected]) == ([], ["not_a_price"])
    for other in ("CA$12.03", "from $12.03", "$9.00 - $12.03", "$9.00\u2013$12.03", "up to $12.03", "A$12.03"):
        offers, rejected = averages(SOLD.format("Spot (7-day avg)").replace("$12.03", other))
        assert (offers, [row.reason for row in rejected]) == ([], ["not_a_price"]), other
    with pytest.raises(LayoutChanged, match="no machine with its size"):
        averages("<p>H100 from $1.50</p>")


def test_without_a_key_only_the_page_is_asked():
    site = Site(lambda request: {"body": SOLD.format("Spot (7-day avg)")})
    (page,) = SOURCE.fetchers()[""](http_for(SOURCE, site))
    assert (page.url, [str(request.url) for request in site.requests if "robots" not in str(request.url)]) == (
        PAGE, [PAGE],
    )  # fmt: skip


def test_each_auction_is_asked_for_its_prices_with_the_key_in_a_header_only():
    bodies = {kept.url.partition("?")[0].removeprefix(API): kept.text for kept in look(prices())[:2]}
    answers = {
        "/v2/instance-types": bodies["/instance-types.json"],
        "/v2/spot/availability": bodies["/spot-availability.json"],
    }

    def respond(request: requests.PreparedRequest) -> dict[str, Any]:
        return {"body": answers.get(request.path_url, prices())}

    site = Site(respond)
    pages = list(SOURCE.fetchers()[""](http_for(SOURCE, site, secrets={"MITHRIL_API_KEY": "fkey_secret1"})))
    assert site.requests[-1].path_url == "/v2/pricing/current?instance_type=it_h100&region=us-central1-a"
    assert {request.headers["Authorization"] for request in site.requests} == {"Bearer fkey_secret1"}
    assert "fkey" not in "".join(kept.url + kept.text for kept in pages)
    assert [offer.usd_per_hour for offer in read(pages)[0]] == [Decimal("12.03")]
