"""Azure's price list: how its pages are walked, and when they are no list."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from azure_answers import H100, answer, item, machine, offers, page
from exchanges import Replay, Site, http_for

from sources.providers.azure import REGIONS, SIZES, SOURCE, parse
from sources.source import ErrorAnswer, LayoutChanged, Page, TruncatedAnswer, Unreachable

LINK = "https://prices.azure.com/api/retail/prices?$filter=armRegionName eq 'eastus'"
FOUR = [
    item(),
    machine("Standard_NC24ads_A100_v4", 3.6),
    machine("Standard_NC4as_T4_v3", 0.53),
    machine("Standard_NC48ads_A100_v4", 7.2),
]
THREE_PAGES = [
    answer(FOUR[:2], f"{LINK}&$skip=2"),
    answer([FOUR[2], FOUR[1]], f"{LINK}&$skip=4"),
    answer([FOUR[3]]),
]


def exchange(body: object, status: int = 200, **headers: str) -> dict[str, Any]:
    return {"request": {"method": "GET", "url": LINK}, "response": {"status": status, "headers": headers, "body": body}}


def walk(adapter: Replay | Site) -> list[Page]:
    return list(SOURCE.parts["eastus"](http_for(SOURCE, adapter)))


def test_the_walk_waits_when_told_to_and_an_item_on_a_page_border_counts_once() -> None:
    first, second, third = map(exchange, THREE_PAGES)
    busy = exchange({"Error": "Too many requests"}, 429, **{"Retry-After": "1"})
    replay = Replay([first, busy, second, third])
    pages = walk(replay)
    assert [page.name for page in pages] == ["eastus-1.json", "eastus-2.json", "eastus-3.json"]
    found, rejected = offers(*pages)
    assert sorted((offer.sku, offer.usd_per_gpu_hour) for offer in found) == [
        ("Standard_NC24ads_A100_v4", Decimal("3.6")),
        ("Standard_NC48ads_A100_v4", Decimal("3.6")),
        ("Standard_NC4as_T4_v3", Decimal("0.53")),
        ("Standard_ND96isr_H100_v5", Decimal("12.25")),
    ]
    assert rejected == []
    assert {offer.sku: offer.page_sha256 for offer in found}["Standard_NC48ads_A100_v4"] == pages[2].sha256


def test_a_page_that_never_comes_fails_the_region() -> None:
    def site(request: Any) -> dict[str, Any]:
        if "skip" in request.url:
            return {"status": 429, "headers": {"Retry-After": "1"}, "body": "{}"}
        return {"status": 200, "body": THREE_PAGES[0]}

    with pytest.raises(Unreachable, match="429"):
        walk(Site(site))


def test_the_first_page_asks_for_the_gpu_sizes_of_one_region_in_dollars() -> None:
    replay = Replay([exchange(answer([item()]))])
    walk(replay)
    asked = replay.requests[0].url or ""
    assert "Standard_N" in asked
    assert "eastus" in asked
    assert "currencyCode=USD" in asked
    assert "2023-01-01-preview" in asked


def test_a_link_with_top_0_is_repaired() -> None:
    replay = Replay([exchange(answer([item()], f"{LINK}&$top=0&$skip=1")), exchange(answer([FOUR[1]]))])
    walk(replay)
    assert "top" not in (replay.requests[1].url or "")
    assert "skip=1" in (replay.requests[1].url or "")


def test_a_paging_that_goes_round_in_circles_is_truncated() -> None:
    with pytest.raises(TruncatedAnswer, match="circles"):
        walk(Site(lambda _: {"status": 200, "body": answer([item()], f"{LINK}&$skip=1")}))


def test_a_link_to_another_host_is_not_followed() -> None:
    with pytest.raises(ErrorAnswer, match="elsewhere"):
        walk(Replay([exchange(answer([item()], "https://prices.azure.com.example.org/api"))]))


@pytest.mark.parametrize(
    "pages",
    [
        [answer([item()], f"{LINK}&$skip=1")],  # the list goes on
        [{**answer([item()]), "Count": 900}],  # fewer rows than counted
        [answer([item()], f"{LINK}&$skip=1"), answer([])],  # nothing where more was promised
    ],
)
def test_missing_pages_are_an_error(pages: list[dict[str, Any]]) -> None:
    with pytest.raises(TruncatedAnswer):
        list(parse([page(body) for body in pages]))


def test_an_empty_page_after_a_full_one_is_the_end() -> None:
    full = [machine("Standard_NC4as_T4_v3", 0.5 + n / 10_000) for n in range(1000)]
    assert len(list(parse([page(answer(full, f"{LINK}&$skip=1000")), page(answer([]))]))) == 1000


@pytest.mark.parametrize("name", ["armSkuName", "armRegionName", "productName", "retailPrice", "unitOfMeasure", "type"])
def test_a_renamed_field_is_a_changed_layout(name: str) -> None:
    renamed = {("new" + key if key == name else key): value for key, value in H100.items()}
    with pytest.raises(LayoutChanged, match=name):
        list(parse([page(answer([renamed]))]))


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ({"Error": {"Code": "BadRequest", "Message": "Invalid OData parameters supplied"}}, ErrorAnswer),
        (b"<html>Access Denied</html>", ErrorAnswer),
        ({"Items": [], "Count": 0}, LayoutChanged),
        ({"Items": {}, "NextPageLink": None}, LayoutChanged),
        ([], LayoutChanged),
    ],
)
def test_an_answer_without_prices_names_what_is_wrong(body: object, error: type[Exception]) -> None:
    with pytest.raises(error):
        list(parse([page(body)]))


def test_regions_and_sizes_are_what_the_list_can_name() -> None:
    assert len(set(REGIONS)) == len(REGIONS)
    assert set(SOURCE.parts) == set(REGIONS)
    for size in SIZES.values():
        assert size.fabric in ("multi_node", "single_node", None)
        assert bool(size.gpu) == (size.gpus > 0)
