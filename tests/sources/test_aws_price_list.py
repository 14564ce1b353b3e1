"""AWS's price list: machines on demand and reserved, what it must not be read as, and its layout."""

from __future__ import annotations

from decimal import Decimal

import pytest
from aws_answers import OFFER_COLUMNS, P5, offer_file, offers, page, quotes, refusals

from sources.source import LayoutChanged

# --- the price list: on demand


def test_only_plain_linux_on_shared_hosts_in_use_is_the_price_of_a_machine():
    rows = [
        P5,
        P5
        | {"SKU": "B", "PricePerUnit": "0.0000000000", "operation": "RunInstances:CB", "MarketOption": "CapacityBlock"},
        P5
        | {
            "SKU": "C",
            "PricePerUnit": "0.3360000000",
            "Operating System": "Ubuntu Pro",
            "operation": "RunInstances:0g00:CB",
        }
        | {"MarketOption": "CapacityBlock"},
        P5
        | {
            "SKU": "D",
            "PricePerUnit": "63.8720000000",
            "Operating System": "Windows",
            "operation": "RunInstances:0002",
        },
        P5
        | {
            "SKU": "E",
            "PricePerUnit": "60.5440000000",
            "Tenancy": "Dedicated",
            "usageType": "USE2-DedicatedUsage:p5.48xlarge",
        },
        P5 | {"SKU": "F", "PricePerUnit": "0.0000000000", "CapacityStatus": "AllocatedCapacityReservation"},
        P5 | {"SKU": "G", "CapacityStatus": "UnusedCapacityReservation"},
        P5 | {"SKU": "H", "PricePerUnit": "57.4400000000", "Pre Installed S/W": "SQL Std"},
        P5 | {"SKU": "I", "PricePerUnit": "50.0000000000", "License Model": "Bring your own license"},
    ]
    found, rejected = offers(page(offer_file(*rows)))
    assert not rejected
    [offer] = found
    assert (offer.sku, offer.region, offer.country, offer.gpu) == ("p5.48xlarge", "us-east-2", "US", "h100_sxm")
    assert (offer.gpu_memory_gb, offer.gpu_count, offer.pricing) == (80, 8, "on_demand")
    assert (offer.usd_per_hour, offer.usd_per_gpu_hour) == (Decimal("55.04"), Decimal("6.88"))


def test_two_prices_of_one_machine_are_no_price():
    body = offer_file(P5, P5 | {"SKU": "B", "PricePerUnit": "54.0000000000"})
    assert (quotes(page(body)), refusals(page(body))) == ([], [("ambiguous", "p5.48xlarge")])
    assert len(quotes(page(offer_file(P5, P5 | {"SKU": "B"})))) == 1


def test_accelerated_type_that_nobody_has_described_is_counted_not_guessed():
    new = P5 | {"Instance Type": "p7.48xlarge", "usageType": "USE2-BoxUsage:p7.48xlarge"}
    cpu = P5 | {"Instance Type": "m7i.48xlarge", "GPU": "", "Instance Family": "General purpose"}
    body = offer_file(P5, new, cpu)
    assert [quote.sku for quote in quotes(page(body))] == ["p5.48xlarge"]
    assert refusals(page(body)) == [("unknown_sku", "p7.48xlarge")]


def test_ledger_takes_on_demand_prices_from_the_feed_alone():
    reserved = P5 | {"TermType": "Reserved", "OfferTermCode": "T", "LeaseContractLength": "1yr"}
    reserved |= {"PurchaseOption": "No Upfront", "OfferingClass": "standard", "PricePerUnit": "34"}
    body = offer_file(P5, reserved)
    assert [quote.pricing for quote in quotes(page(body, "offer_file/us-east-2"))] == ["reserved"]
    assert [quote.pricing for quote in quotes(page(body))] == ["on_demand", "reserved"]


# --- the price list: reserved


def term(code: str, option: str, **cells: str) -> dict[str, str]:
    reserved = {"TermType": "Reserved", "OfferTermCode": code, "LeaseContractLength": "1yr", "PurchaseOption": option}
    return P5 | reserved | {"OfferingClass": "standard", "MarketOption": ""} | cells


TERMS = (
    term("4NA7Y494T4", "No Upfront", PricePerUnit="34.0000000000"),
    term("HU7G6KETJZ", "Partial Upfront", Unit="Quantity", PricePerUnit="140160"),
    term("HU7G6KETJZ", "Partial Upfront", PricePerUnit="17.0000000000"),
    term("6QCMYABX3D", "All Upfront", Unit="Quantity", PricePerUnit="280320"),
    term("6QCMYABX3D", "All Upfront", PricePerUnit="0.0000000000"),
)


def test_reservation_with_an_upfront_part_is_two_rows_and_one_price():
    found, rejected = offers(page(offer_file(P5, *TERMS)))
    assert not rejected
    assert {(offer.pricing, offer.term_months, offer.tier): offer.usd_per_hour for offer in found} == {
        ("on_demand", None, ""): Decimal("55.04"),
        ("reserved", 12, "no_upfront"): Decimal(34),
        ("reserved", 12, "partial_upfront"): Decimal(33),  # 17 + 140,160 / 8,760
        ("reserved", 12, "all_upfront"): Decimal(32),  # 280,320 / 8,760
    }
    assert {offer.usd_per_gpu_hour for offer in found if offer.tier == "partial_upfront"} == {Decimal("4.125")}


def test_three_years_are_26280_hours():
    rows = [row | {"LeaseContractLength": "3yr"} for row in TERMS if row["OfferTermCode"] == "6QCMYABX3D"]
    [offer] = offers(page(offer_file(*rows)))[0]
    assert offer.term_months == 36
    assert offer.usd_per_hour == (Decimal(280320) / 26280).quantize(Decimal("1e-8"))


def test_convertible_reservations_are_another_contract():
    rows = [row | {"OfferingClass": "convertible"} for row in TERMS]
    assert [quote.pricing for quote in quotes(page(offer_file(P5, *rows)))] == ["on_demand"]


@pytest.mark.parametrize("left_out", [1, 2, 3, 4])
def test_reservation_with_half_its_rows_is_no_price(left_out: int):
    rows = [row for place, row in enumerate(TERMS) if place != left_out]
    assert refusals(page(offer_file(P5, *rows))) == [("missing_term", "p5.48xlarge")]
    assert len(quotes(page(offer_file(P5, *rows)))) == 3


# --- the price list: its layout


def test_columns_are_found_by_title():
    moved = offer_file(P5, *TERMS, columns=("SKU", *reversed(OFFER_COLUMNS[1:])))
    prices = {(quote.sku, quote.tier, quote.amount, quote.upfront) for quote in quotes(page(moved))}
    assert prices == {
        (quote.sku, quote.tier, quote.amount, quote.upfront) for quote in quotes(page(offer_file(P5, *TERMS)))
    }
    assert len(prices) == 4


@pytest.mark.parametrize("gone", ["PricePerUnit", "Tenancy", "CapacityStatus", "MarketOption", "Region Code", "Unit"])
def test_missing_column_is_a_changed_layout(gone: str):
    body = offer_file(P5, columns=[title for title in OFFER_COLUMNS if title != gone])
    with pytest.raises(LayoutChanged, match=gone):
        quotes(page(body))


def test_row_of_another_width_costs_no_other_row():
    body = offer_file(P5) + b'"CUT","JRTCKXETXF"\n'
    assert len(quotes(page(body))) == 1
    assert refusals(page(body)) == [("unreadable", "CUT")]
