"""Azure: what its retail price list says, what it must not be read as, and how its pages are walked."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest
from exchanges import NOW, Replay, Site, http_for

from models.currencies import Rates
from models.normalise import normalise
from models.offers import Offer, Quote, Rejected, Unreadable
from sources.pages import recorded_pages
from sources.providers.azure import REGIONS, SIZES, SOURCE, parse
from sources.source import ErrorAnswer, LayoutChanged, Page, TruncatedAnswer, Unreachable

H100 = {
    "currencyCode": "USD",
    "retailPrice": 98.0,
    "armRegionName": "eastus",
    "effectiveStartDate": "2026-06-01T00:00:00Z",
    "meterName": "ND96isr_H100_v5",
    "productName": "Virtual Machines NDsr H100 v5 Series",
    "skuName": "Standard_ND96isr_H100_v5",
    "serviceName": "Virtual Machines",
    "unitOfMeasure": "1 Hour",
    "type": "Consumption",
    "armSkuName": "Standard_ND96isr_H100_v5",
}
RATES = Rates.stated({"EUR": Decimal("1.10")}, date(2026, 11, 30))


def item(**changes: object) -> dict[str, object]:
    return {**H100, **changes}


def machine(sku: str, price: float, **changes: object) -> dict[str, object]:
    name = sku.removeprefix("Standard_").replace("_", " ")
    return item(armSkuName=sku, skuName=name, meterName=name, retailPrice=price, **changes)


def answer(items: Iterable[object], link: str | None = None, currency: str = "USD") -> dict[str, Any]:
    listed = list(items)
    return {"BillingCurrency": currency, "Items": listed, "NextPageLink": link, "Count": len(listed)}


def page(body: object, book: str = "", name: str = "eastus-1.json") -> Page:
    text = body if isinstance(body, bytes) else json.dumps(body).encode()
    return Page("https://prices.azure.com/api/retail/prices", text, NOW, name, book)


def offers(*pages: Page, now: datetime = NOW) -> tuple[list[Offer], list[Rejected]]:
    return normalise(
        parse(pages), provider="azure", book="eastus", observed_at=now, origin="live", rates=RATES, page_sha256="0"
    )


def prices(found: Iterable[Offer]) -> dict[tuple[str, str, int | None], Decimal]:
    return {(offer.sku, offer.pricing, offer.term_months): offer.usd_per_hour for offer in found}


def reasons(*items: Mapping[str, object]) -> list[str]:
    return [row.reason for row in parse([page(answer(items))]) if isinstance(row, Unreadable)]


def test_spot_low_priority_and_windows_are_told_apart_although_all_are_consumption() -> None:
    spot = {"skuName": "Standard_ND96isr_H100_v5 Spot", "meterName": "ND96isr_H100_v5 Spot"}
    low = {"skuName": "Standard_ND96isr_H100_v5 Low Priority", "meterName": "ND96isr_H100_v5 Low Priority"}
    windows = {"productName": "Virtual Machines NDsr H100 v5 Series Windows"}
    found, rejected = offers(
        page(
            answer(
                [
                    item(),
                    item(retailPrice=39.2, **spot),
                    item(retailPrice=19.6, **low),
                    item(retailPrice=102.4, **windows),
                    item(retailPrice=40.96, **windows, **spot),
                ]
            )
        )
    )
    sku = "Standard_ND96isr_H100_v5"
    assert prices(found) == {(sku, "on_demand", None): 98, (sku, "spot", None): Decimal("39.2")}
    assert {offer.usd_per_gpu_hour for offer in found} == {Decimal("12.25"), Decimal("4.9")}
    assert {(offer.gpu, offer.gpu_count, offer.fabric) for offer in found} == {("h100_sxm", 8, "multi_node")}
    assert [row.reason for row in rejected] == ["low_priority"]


def test_a_reservation_holds_the_price_of_its_whole_term() -> None:
    reserved = {"type": "Reservation"}
    found, _ = offers(
        page(
            answer(
                [
                    item(),
                    item(retailPrice=525600.0, reservationTerm="1 Year", **reserved),
                    item(retailPrice=1051200.0, reservationTerm="3 Years", **reserved),
                ]
            )
        )
    )
    sku = "Standard_ND96isr_H100_v5"
    assert prices(found) == {
        (sku, "on_demand", None): 98,
        (sku, "reserved", 12): 60,
        (sku, "reserved", 36): 40,
    }
    assert reasons(item(reservationTerm="2 Weeks", **reserved)) == ["missing_term"]


def test_savings_plans_stand_inside_the_on_demand_row() -> None:
    # NC40ads_H100_v5 in eastus on 2026-08-22, endgor/azure-hub prices/eastus.json@eeeb25e
    plans = [
        {"unitPrice": 5.806662, "retailPrice": 5.806662, "term": "1 Year"},
        {"unitPrice": 4.305962, "retailPrice": 4.305962, "term": "3 Years"},
    ]
    found, _ = offers(page(answer([machine("Standard_NC40ads_H100_v5", 6.98, savingsPlan=plans)])))
    assert prices(found) == {
        ("Standard_NC40ads_H100_v5", "on_demand", None): Decimal("6.98"),
        ("Standard_NC40ads_H100_v5", "savings_plan", 12): Decimal("5.806662"),
        ("Standard_NC40ads_H100_v5", "savings_plan", 36): Decimal("4.305962"),
    }
    assert {(offer.gpu, offer.gpu_memory_gb, offer.fabric) for offer in found} == {("h100_nvl", 94, "single_node")}


def test_meters_that_are_not_sold_yet_have_no_price() -> None:
    found, rejected = offers(
        page(
            answer(
                [
                    machine("Standard_NC40ads_H100_v5", 0.0),
                    machine("Standard_NC40ads_H100_v5", 7.05, armRegionName="westus3"),
                    machine("Standard_NC80adis_H100_v5", 0.01, armRegionName="westus3"),
                ]
            )
        )
    )
    assert [(offer.region, offer.usd_per_hour) for offer in found] == [("westus3", Decimal("7.05"))]
    assert [row.reason for row in rejected] == ["not_a_price", "not_a_price"]


def test_the_price_in_force_wins_over_the_past_and_the_announced_one() -> None:
    a100 = {"armRegionName": "westeurope"}
    found, rejected = offers(
        page(
            answer(
                [
                    machine("Standard_ND96asr_v4", 27.2, effectiveStartDate="2026-01-01T00:00:00Z", **a100),
                    machine("Standard_ND96asr_v4", 24.0, effectiveStartDate="2027-02-01T00:00:00Z", **a100),
                    machine("Standard_ND96asr_v4", 30.4, effectiveStartDate="2025-03-01T00:00:00Z", **a100),
                ]
            )
        ),
        now=datetime(2026, 12, 1, 6, tzinfo=UTC),
    )
    assert [(o.usd_per_hour, o.usd_per_gpu_hour, o.effective_from) for o in found] == [
        (Decimal("27.2"), Decimal("3.4"), date(2026, 1, 1))
    ]
    assert sorted(row.reason for row in rejected) == ["future_price", "superseded"]


def test_start_dates_are_utc_and_a_row_with_a_nonsense_date_is_set_aside() -> None:
    (quote,) = parse([page(answer([item(effectiveStartDate="2026-11-30T00:00:00Z")]))])
    assert isinstance(quote, Quote)
    assert quote.effective_from == datetime(2026, 11, 30, tzinfo=UTC)
    assert reasons(item(effectiveStartDate="soon")) == ["unreadable"]


def test_other_products_under_the_same_size_do_not_double_it() -> None:
    region = {"armRegionName": "southcentralus"}
    size = "Standard_NC24ads_A100_v4"
    spot = {"skuName": "NC24ads A100 v4 Spot", "meterName": "NC24ads A100 v4 Spot"}
    found, rejected = offers(
        page(
            answer(
                [
                    machine(size, 3.6, productName="Virtual Machines NCads A100 v4 Series", **region),
                    machine(size, 4.15, productName="NCads A100 v4 Series Cloud Services", **region),
                    machine(size, 4.15, productName="NCads A100 v4 Series CloudServices", **region),
                    machine(size, 5.7, productName="Virtual Machines NCads A100 v4 Srs Win", **region),
                    machine(size, 3.6, productName="Virtual Machines NCads A100 v4 Series", isPrimaryMeterRegion=False),
                    {**item(armSkuName="", retailPrice=1.44, **region), **spot},
                    machine(size, 3.9, productName="NCads A100 v4 Series Dedicated Host", **region),
                ]
            )
        )
    )
    assert prices(o for o in found if o.region == "southcentralus") == {(size, "on_demand", None): Decimal("3.6")}
    assert {row.reason for row in rejected} == {"other_product", "missing_field"}


def test_a_linux_row_need_not_say_virtual_machines() -> None:
    # francecentral on 2026-08-22 as captured in markrusch/Compute-Index data/eucri.db@f656459
    row = machine("Standard_NC24ads_A100_v4", 4.591, productName="NCads A100 v4 Series Linux")
    assert [offer.usd_per_hour for offer in offers(page(answer([row])))[0]] == [Decimal("4.591")]


def test_an_answer_in_euros_stays_in_euros() -> None:
    found, rejected = offers(
        page(
            answer(
                [
                    machine("Standard_ND96amsr_A100_v4", 31.5, currencyCode="EUR"),
                    machine("Standard_NC4as_T4_v3", 0.0005, currencyCode="EUR"),
                ],
                currency="EUR",
            )
        )
    )
    (offer,) = found
    assert (offer.list_price, offer.currency) == (Decimal("31.5"), "EUR")
    assert (offer.usd_per_hour, offer.usd_per_gpu_hour) == (Decimal("34.65"), Decimal("4.33125"))
    assert [row.reason for row in rejected] == ["out_of_bounds"]


def test_a_share_of_a_card_is_not_a_card() -> None:
    listed = {"NV6ads": 0.45, "NV18ads": 1.6, "NV36ads": 3.2, "NV72ads": 6.52}
    found, _ = offers(page(answer(machine(f"Standard_{name}_A10_v5", price) for name, price in listed.items())))
    per_card = {offer.sku.split("_")[1]: offer.usd_per_gpu_hour for offer in found}
    wanted = {"NV6ads": "2.7", "NV18ads": "3.2", "NV36ads": "3.2", "NV72ads": "3.26"}
    for name, usd in wanted.items():
        assert per_card[name] == pytest.approx(Decimal(usd), rel=Decimal("1e-6"))
    assert {offer.gpu for offer in found} == {"a10"}
    assert next(o for o in found if "NV6ads" in o.sku).gpu_count < 1


def test_second_names_of_a_size_are_one_size() -> None:
    found, rejected = offers(
        page(answer([machine("Standard_ND96asr_v4", 27.197), machine("Standard_ND96asr_A100_v4", 27.197)]))
    )
    assert (prices(found), rejected) == ({("Standard_ND96asr_v4", "on_demand", None): Decimal("27.197")}, [])


def test_a_size_nobody_has_looked_up_is_counted_and_not_guessed() -> None:
    assert reasons(machine("Standard_ND96isr_B200_v6", 113.0)) == ["unknown_sku"]
    assert list(parse([page(answer([machine("Standard_NP10s", 1.65), machine("Standard_D2s_v5", 0.096)]))])) == []


def test_a_row_of_another_region_or_unit_is_set_aside() -> None:
    (row,) = parse([page(answer([item(armRegionName="westus")]), book="eastus")])
    assert isinstance(row, Unreadable)
    assert row.reason == "other_region"
    assert reasons(item(unitOfMeasure="1 Month")) == ["unknown_unit"]
    assert reasons(item(type="Preview")) == ["unknown_pricing"]


def test_the_dearest_region_is_real() -> None:
    # endgor/azure-hub prices/southafricawest.json@eeeb25e: 186.608 for eight H100, 23.326 each
    found, _ = offers(page(answer([item(retailPrice=186.608, armRegionName="southafricawest")])))
    assert [(o.usd_per_gpu_hour, o.country) for o in found] == [(Decimal("23.326"), "ZA")]


REAL_PRICES = [
    # Azure/karpenter-provider-azure pkg/providers/pricing/zz_generated.pricing.go@2b431da1
    ("2026-06-18", "eastus", "Standard_ND96isr_H100_v5", "on_demand", None, "98.32"),
    ("2026-06-18", "eastus", "Standard_ND128isr_NDR_GB200_v6", "on_demand", None, "108.16"),
    ("2026-06-18", "japaneast", "Standard_NC96ads_A100_v4", "on_demand", None, "21.303"),
    ("2026-06-18", "westeurope", "Standard_NV12ads_A10_v5", "on_demand", None, "1.18"),
    ("2026-06-18", "westus3", "Standard_NC24rs_v3", "on_demand", None, "13.46"),
    # adriannutiu/gpu-rental-prices data/snapshots/2026-08-22.json@ae6435a: 11.061 and 2.044073 per H100
    ("2026-08-22", "eastus2", "Standard_ND96is_H100_v5", "on_demand", None, "88.488"),
    ("2026-08-22", "eastus2", "Standard_ND96is_H100_v5", "spot", None, "16.352582"),
    # endgor/azure-hub prices/*.json@eeeb25e, reservations there per hour
    ("2026-08-22", "eastus2", "Standard_ND96isr_H100_v5", "reserved", 12, "551221"),
    ("2026-08-22", "southafricawest", "Standard_ND96isr_H100_v5", "on_demand", None, "186.608"),
]


@pytest.mark.parametrize(("day", "region", "sku", "pricing", "months", "amount"), REAL_PRICES)
def test_recorded_prices_are_the_published_ones(
    day: str, region: str, sku: str, pricing: str, months: int | None, amount: str
) -> None:
    moment = datetime.fromisoformat(day).replace(tzinfo=UTC)
    pages = [recorded.page for recorded in recorded_pages("azure")[moment] if recorded.page.book == region]
    found = {(row.sku, row.pricing, row.term_months): row.amount for row in parse(pages) if isinstance(row, Quote)}
    assert found[sku, pricing, months] == Decimal(amount)


# --- the walk ---------------------------------------------------------------------------------------------

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
