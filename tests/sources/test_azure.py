"""Azure: what its retail price list says and what it must not be read as."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
from azure_answers import answer, item, machine, offers, page, prices, reasons

from models.offers import Quote, Unreadable
from sources.pages import recorded_pages
from sources.providers.azure import parse


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


@pytest.mark.parametrize(
    ("field", "value", "reason"),
    [
        ("effectiveEndDate", "2026-11-29T00:00:00Z", "superseded"),
        ("effectiveEndDate", "soon", "superseded"),
        ("effectiveEndDate", "9999-12-31T23:59:59Z", ""),
        ("tierMinimumUnits", 1000.0, "not_a_price"),
        ("tierMinimumUnits", 0.0, ""),
    ],
)
def test_a_price_that_has_ended_or_begins_at_a_volume_is_not_the_price(field: str, value: object, reason: str) -> None:
    found, rejected = offers(page(answer([item(**{field: value})])))
    assert [row.reason for row in rejected] == ([reason] if reason else [])
    assert len(found) == (not reason)


def test_a_second_name_never_outranks_the_price_of_the_size_itself() -> None:
    # koreasouth, 2026-08-22, endgor/azure-hub prices/koreasouth.json@eeeb25e: spot 124.40, by its second name 24.88
    gb200, second = "Standard_ND128isr_NDR_GB200_v6", "Standard_ND128isrf_NDR_GB200_v6"
    h100 = "Standard_ND96isr_H100_v5"
    rows = [
        machine(gb200, 124.4),
        machine(gb200, 124.4) | {"skuName": "ND128isr NDR GB200 v6 Spot"},
        machine(second, 124.4),
        machine(second, 24.88) | {"skuName": "ND128isrf NDR GB200 v6 Spot"},
        machine(h100, 98.32),
        machine("Standard_ND96isrf_H100_v5", 127.816, effectiveStartDate="2026-08-01T00:00:00Z"),
    ]
    for listed in (rows, rows[::-1]):
        found, rejected = offers(page(answer(listed)))
        assert prices(found) == {
            (gb200, "on_demand", None): Decimal("124.4"),
            (gb200, "spot", None): Decimal("124.4"),
            (h100, "on_demand", None): Decimal("98.32"),
        }
        assert [row.reason for row in rejected] == ["second_name"] * 2
        assert any("24.88" in row.detail for row in rejected)


def test_a_second_name_stands_in_where_the_size_itself_has_no_price() -> None:
    second = "Standard_ND96isrf_H100_v5"
    rows = [
        machine("Standard_ND96isr_H100_v5", 98.32),
        machine(second, 18.17) | {"skuName": "ND96isrf H100 v5 Spot"},
        machine("Standard_ND96isr_H100_v5", 0.0, armRegionName="westus"),
        machine(second, 99.0, armRegionName="westus"),
    ]
    found, _ = offers(page(answer(rows)))
    assert {(o.region, o.pricing, o.usd_per_hour) for o in found} == {
        ("eastus", "on_demand", Decimal("98.32")),
        ("eastus", "spot", Decimal("18.17")),
        ("westus", "on_demand", Decimal(99)),
    }


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
    ("2026-08-22", "eastus", "Standard_ND96isr_H100_v5", "spot", None, "18.169536"),
    ("2026-08-22", "eastus", "Standard_ND128isr_NDR_GB200_v6", "spot", None, "108.16"),
    ("2026-08-22", "westeurope", "Standard_ND96isr_H100_v5", "on_demand", None, "127.816"),
    ("2026-08-22", "swedencentral", "Standard_NC80adis_H100_v5", "savings_plan", 12, "15.097321"),
    ("2026-08-22", "westus2", "Standard_NC40ads_H100_v5", "savings_plan", 36, "4.305962"),
]


@pytest.mark.parametrize(("day", "region", "sku", "pricing", "months", "amount"), REAL_PRICES)
def test_recorded_prices_are_the_published_ones(
    day: str, region: str, sku: str, pricing: str, months: int | None, amount: str
) -> None:
    moment = datetime.fromisoformat(day).replace(tzinfo=UTC)
    pages = [recorded.page for recorded in recorded_pages("azure")[moment] if recorded.page.book == region]
    found = {(row.sku, row.pricing, row.term_months): row.amount for row in parse(pages) if isinstance(row, Quote)}
    assert found[sku, pricing, months] == Decimal(amount)
