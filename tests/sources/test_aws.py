"""AWS: what its four lists say, what they must not be read as, and how little of them is downloaded."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

import pytest
from exchanges import NOW, Site, http_for

from models.currencies import Rates
from models.normalise import normalise
from models.offers import Offer, Quote, Rejected, Unreadable
from sources.pages import recorded_pages
from sources.providers.aws import SOURCE, parse
from sources.providers.aws.instances import instances, locations
from sources.source import ErrorAnswer, LayoutChanged, Page, SourceError, Unreachable

OFFER_COLUMNS = (
    *("SKU", "OfferTermCode", "RateCode", "TermType", "PriceDescription", "EffectiveDate", "StartingRange"),
    *("EndingRange", "Unit", "PricePerUnit", "Currency", "LeaseContractLength", "PurchaseOption", "OfferingClass"),
    *("Product Family", "serviceCode", "Location", "Location Type", "Instance Type", "Current Generation"),
    *("Instance Family", "vCPU", "Memory", "Tenancy", "Operating System", "License Model", "usageType", "operation"),
    *("CapacityStatus", "GPU", "GPU Memory", "Pre Installed S/W", "MarketOption", "Region Code"),
)
P5 = {
    "SKU": "AAAA1111",
    "OfferTermCode": "JRTCKXETXF",
    "TermType": "OnDemand",
    "EffectiveDate": "2026-11-01",
    "Unit": "Hrs",
    "PricePerUnit": "55.0400000000",
    "Currency": "USD",
    "Product Family": "Compute Instance",
    "Instance Type": "p5.48xlarge",
    "Instance Family": "GPU instance",
    "Tenancy": "Shared",
    "Operating System": "Linux",
    "License Model": "No License required",
    "usageType": "USE2-BoxUsage:p5.48xlarge",
    "operation": "RunInstances",
    "CapacityStatus": "Used",
    "GPU": "8",
    "GPU Memory": "640 GB HBM3",
    "Pre Installed S/W": "NA",
    "MarketOption": "OnDemand",
    "Region Code": "us-east-2",
}
PLAN_COLUMNS = (
    *("SKU", "RateCode", "Unit", "EffectiveDate", "DiscountedRate", "Currency", "DiscountedSKU"),
    *("DiscountedServiceCode", "DiscountedUsageType", "DiscountedOperation", "PurchaseOption", "LeaseContractLength"),
    *("LeaseContractLengthUnit", "ServiceCode", "UsageType", "Operation", "Description", "Instance Family"),
    *("Location", "Location Type", "Granularity", "Product Family", "DiscountedRegionCode", "DiscountedInstanceType"),
)
PLAN = {
    "SKU": "2JT7C3ZD2AXA73Q4",
    "Unit": "Hrs",
    "DiscountedRate": "13.9",
    "Currency": "USD",
    "DiscountedServiceCode": "AmazonEC2",
    "DiscountedUsageType": "BoxUsage:p4d.24xlarge",
    "DiscountedOperation": "RunInstances",
    "PurchaseOption": "No Upfront",
    "LeaseContractLength": "1",
    "LeaseContractLengthUnit": "year",
    "Product Family": "ComputeSavingsPlans",
    "DiscountedRegionCode": "us-east-1",
    "DiscountedInstanceType": "p4d.24xlarge",
}


def page(body: object, book: str = "", name: str = "page") -> Page:
    text = body if isinstance(body, bytes) else json.dumps(body).encode()
    return Page("https://pricing.us-east-1.amazonaws.com/x", text, NOW, name, book)


def offer_file(*rows: Mapping[str, str], columns: Iterable[str] = OFFER_COLUMNS) -> bytes:
    """A price file as AWS writes it: five lines before the header, filled cells in quotes, empty ones bare."""
    head = [["FormatVersion", "v1.0"], ["Disclaimer", "d"], ["Publication Date", "2026-11-28T00:00:00Z"]]
    lines = [*head, ["Version", "20261128000000"], ["OfferCode", "AmazonEC2"], list(columns)]
    lines += [[row.get(title, "") for title in columns] for row in rows]
    return b"".join(",".join(f'"{cell}"' if cell else "" for cell in line).encode() + b"\n" for line in lines)


def plan_file(*rows: Mapping[str, str]) -> bytes:
    """A savings-plan file as AWS writes it: nothing in quotes."""
    head = "FormatVersion,v1.0\nDisclaimer,d\nPublication Date,2025-09-11T18:44:47Z\nVersion,20250911184447\n"
    lines = [",".join(row.get(title, "") for title in PLAN_COLUMNS) for row in rows]
    return (head + "OfferCode,AmazonComputeSavingsPlan\n" + "\n".join([",".join(PLAN_COLUMNS), *lines]) + "\n").encode()


def feed(*machines: Mapping[str, object], location: str = "US East (N. Virginia)", **manifest: str) -> dict[str, Any]:
    return {
        "manifest": {"currencyCode": "USD", **manifest},
        "regions": {location: {f"compound key {n} Linux": dict(machine) for n, machine in enumerate(machines)}},
    }


def machine(instance_type: str, price: object, **fields: str) -> dict[str, object]:
    return {
        "price": price,
        "Instance Family": "GPU instance",
        "Instance Type": instance_type,
        "Operating System": "Linux",
        "Pre Installed S/W": "NA",
        **fields,
    }


def spot(**prices: str) -> dict[str, Any]:
    """Sizes by name (dots as underscores) in us-east-1, as the spot page's file has them."""
    sizes = [
        {
            "size": name.replace("_", ".", 1).replace("_", "-"),
            "valueColumns": [
                {"name": "linux", "prices": {"USD": text}},
                {"name": "mswin", "prices": {"USD": "99.9"}},
            ],
        }
        for name, text in prices.items()
    ]
    group = {"type": "gpuInstancesCurrentGen", "sizes": sizes}
    region = {"region": "us-east-1", "footnotes": {"*": "notAvailableForCCorCGPU"}, "instanceTypes": [group]}
    return {"vers": 0.01, "config": {"rate": "perhr", "valueColumns": ["linux", "mswin"], "regions": [region]}}


def offers(*pages: Page) -> tuple[list[Offer], list[Rejected]]:
    return normalise(
        (row for row in parse(pages) if isinstance(row, (Quote, Unreadable))),
        provider="aws",
        book=pages[0].book,
        observed_at=NOW,
        origin="live",
        rates=Rates.of(()),
        page_sha256=pages[0].sha256,
    )


def quotes(*pages: Page) -> list[Quote]:
    return [row for row in parse(pages) if isinstance(row, Quote)]


def refusals(*pages: Page) -> list[tuple[str, str]]:
    return [(row.reason, row.sku) for row in parse(pages) if isinstance(row, Unreadable)]


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


# --- savings plans


def test_savings_plan_rates_are_the_price_of_an_hour():
    rows = [
        PLAN,
        PLAN | {"Product Family": "EC2InstanceSavingsPlans", "DiscountedRate": "12.5", "PurchaseOption": "All Upfront"},
        PLAN | {"LeaseContractLength": "3", "DiscountedRate": "8.7", "PurchaseOption": "Partial Upfront"},
        PLAN | {"DiscountedOperation": "RunInstances:0002", "DiscountedRate": "20"},  # Windows
        PLAN | {"DiscountedUsageType": "DedicatedUsage:p4d.24xlarge", "DiscountedRate": "21"},
        PLAN | {"DiscountedUsageType": "HostBoxUsage:p4d.24xlarge", "DiscountedRate": "22"},
        PLAN | {"DiscountedUsageType": "UnusedBox:p4d.24xlarge", "DiscountedRate": "23"},
        PLAN | {"DiscountedInstanceType": "m7i.large", "DiscountedUsageType": "BoxUsage:m7i.large"},
    ]
    found, rejected = offers(page(plan_file(*rows), "savings_plan/us-east-1"))
    assert not rejected
    assert {(offer.term_months, offer.tier): offer.usd_per_hour for offer in found} == {
        (12, "compute_no_upfront"): Decimal("13.9"),
        (12, "ec2_instance_all_upfront"): Decimal("12.5"),
        (36, "compute_partial_upfront"): Decimal("8.7"),
    }
    assert {(offer.pricing, offer.gpu, offer.upfront) for offer in found} == {("savings_plan", "a100_sxm_40", None)}


def test_savings_plan_of_an_unknown_kind_is_counted():
    body = plan_file(PLAN, PLAN | {"Product Family": "DatabaseSavingsPlans"})
    assert refusals(page(body)) == [("missing_term", "p4d.24xlarge")]


# --- the on-demand feed


def test_feed_is_read_by_its_fields_not_by_its_keys():
    body = feed(
        machine("p5.48xlarge", "55.0400000000"),
        machine("trn1.32xlarge", "21.5000000000", **{"Instance Family": "Machine Learning ASIC Instances"}),
        machine("m5.large", "0.0960000000", **{"Instance Family": "General purpose"}),
        machine("p5.48xlarge", "63.8720000000", **{"Operating System": "Windows"}),
        machine("p5.48xlarge", "57.4400000000", **{"Pre Installed S/W": "SQL Std"}),
        machine("g9.xlarge", "3.0000000000"),
        machine("g6.xlarge", "N/A"),
        machine("g6e.xlarge", "0.0000000000"),
    )
    found, rejected = offers(page(body, "feed/us-east-1"))
    assert {(offer.sku, offer.usd_per_hour, offer.region) for offer in found} == {
        ("p5.48xlarge", Decimal("55.04"), "us-east-1"),
        ("trn1.32xlarge", Decimal("21.5"), "us-east-1"),
    }
    assert sorted((row.reason, row.sku) for row in rejected) == [
        ("not_a_price", "g6.xlarge"),
        ("not_a_price", "g6e.xlarge"),
        ("unknown_sku", "g9.xlarge"),
    ]


def test_feed_of_another_region_is_refused():
    body = feed(machine("p5.48xlarge", "58.89"), location="EU (Stockholm)")
    with pytest.raises(ErrorAnswer, match="us-east-1"):
        quotes(page(body, "feed/us-east-1"))
    assert quotes(page(body))[0].region == "eu-north-1"


@pytest.mark.parametrize(
    ("body", "error"),
    [
        (b"<html>Access denied</html>", ErrorAnswer),
        ({"message": "Forbidden"}, LayoutChanged),
        ([], LayoutChanged),
        ({"regions": []}, LayoutChanged),
        ({"regions": {"US East (N. Virginia)": []}}, LayoutChanged),
        (feed({"type": "p5.48xlarge", "price": "55"}), LayoutChanged),
        (feed({"Instance Type": "p5.48xlarge", "cost": "55"}), LayoutChanged),
        ({"config": None}, LayoutChanged),
        ({"config": {"rate": "permonth", "regions": []}}, LayoutChanged),
        ({"config": {"rate": "perhr", "regions": [{"region": "us-east"}]}}, LayoutChanged),
        (b'"FormatVersion","v1.0"\n"Version","1"\n', LayoutChanged),
    ],
)
def test_answers_that_are_no_price_list_are_named_errors(body: object, error: type[SourceError]):
    with pytest.raises(error):
        quotes(page(body))


# --- the spot feed


def test_spot_prices_are_texts_and_some_are_no_prices():
    body = spot(
        p5_48xlarge="19.7342",
        p4d_24xlarge="N/A*",
        g6_xlarge="$0",
        g6f_large="9.0E-2",
        m6i_xlarge="0.0615",
        p9_48xlarge="12.5",
        g5_xlarge="soon",
    )
    assert {(quote.sku, quote.amount, quote.pricing, quote.region) for quote in quotes(page(body, "spot"))} == {
        ("p5.48xlarge", Decimal("19.7342"), "spot", "us-east-1"),
        ("g6f.large", Decimal("0.09"), "spot", "us-east-1"),
    }
    assert refusals(page(body, "spot")) == [("unknown_sku", "p9.48xlarge"), ("not_a_price", "g5.xlarge")]


# --- what is in a machine


def test_memory_and_counts_are_of_whole_cards_whatever_the_api_reports():
    """DescribeInstanceTypes gives 179 GB for one of eight L4s, and 0 GPUs for an eighth of one."""
    counts = {name: instances()[name].gpu_count for name in ("g6.xlarge", "g6.12xlarge", "g6.48xlarge", "g6f.large")}
    assert counts == {"g6.xlarge": 1, "g6.12xlarge": 4, "g6.48xlarge": 8, "g6f.large": Decimal("0.125")}
    assert {instances()[name].gpu_memory_gb for name in counts} == {24}
    slice_ = instances()["g6f.large"]
    assert slice_.gpu_count * slice_.gpu_memory_gb == 3
    assert "c7i.large" not in instances()


def test_machines_join_over_a_fabric_only_where_aws_documents_one():
    fabrics = {name: instances()[name].fabric for name in ("p5.48xlarge", "trn1.32xlarge", "g6.xlarge", "g7.48xlarge")}
    assert fabrics == {
        "p5.48xlarge": "multi_node",
        "trn1.32xlarge": "multi_node",
        "g6.xlarge": "single_node",
        "g7.48xlarge": None,
    }


def test_fraction_of_a_card_is_priced_as_the_fraction_it_is():
    [offer] = offers(page(feed(machine("g6f.large", "0.2020000000"))))[0]
    assert (offer.gpu_count, offer.usd_per_hour, offer.usd_per_gpu_hour) == (
        Decimal("0.125"),
        Decimal("0.202"),
        Decimal("1.616"),
    )


# --- what was recorded


def recorded(day: str) -> dict[tuple[str, str, str, str], Decimal]:
    """Instance type, region, pricing, tier -> USD per instance-hour."""
    found: dict[tuple[str, str, str, str], Decimal] = {}
    for moment, pages in recorded_pages("aws").items():
        if moment.date().isoformat() == day:
            for quote in quotes(*(recorded.page for recorded in pages)):
                found[quote.sku, quote.region, quote.pricing, quote.tier] = quote.amount
    return found


def test_recorded_prices_are_those_of_their_sources():
    july = recorded("2026-07-20")  # karpenter-provider-aws zz_generated.pricing_aws*.go@1d927085d
    assert len(july) == 145
    assert july["p5en.48xlarge", "us-east-1", "on_demand", ""] == Decimal("63.296")
    assert july["p6-b300.48xlarge", "us-east-1", "on_demand", ""] == Decimal("142.416")
    assert july["g6f.large", "us-east-1", "on_demand", ""] == Decimal("0.202")
    assert july["dl1.24xlarge", "us-east-1", "on_demand", ""] == Decimal("13.10904")
    assert july["p4d.24xlarge", "us-gov-west-1", "on_demand", ""] == Decimal("26.3511")
    august = recorded("2026-08-22")  # Compute-Index eucri.db@f656459c; gpu-price-dashboard prices.json@9dabad1
    assert august["p5.48xlarge", "sa-east-1", "on_demand", ""] == Decimal("92.4672")
    assert august["p5.48xlarge", "ap-south-1", "on_demand", ""] / 8 == Decimal("8.256")
    assert august["g5.xlarge", "ap-south-1", "on_demand", ""] == Decimal("1.208")
    later = recorded("2026-08-26")  # tsaol/aws-gpu data/*_instances.js of that day
    assert abs(later["p4d.24xlarge", "ap-south-1", "on_demand", ""] / 8 - Decimal("3.2931")) < Decimal("0.0001")
    assert later["p4d.24xlarge", "us-east-1", "reserved", "no_upfront"] == Decimal("13.921094")
    assert later["trn1.32xlarge", "us-west-2", "reserved", "no_upfront"] == Decimal("13.22895")


def test_recorded_history_shows_the_cut_of_june_2025_and_no_offer_vanishes():
    """Archived EC2 price lists: p5 98.32 and p4d 32.7726 to the end of May 2025, 55.04 and 21.957642 from June on."""
    steps = {
        day: recorded(day)["p5.48xlarge", "us-east-1", "on_demand", ""]
        for day in ("2024-02-05", "2025-05-29", "2025-07-03", "2026-07-20")
    }
    assert list(steps.values()) == [Decimal("98.32"), Decimal("98.32"), Decimal("55.04"), Decimal("55.04")]
    assert recorded("2025-05-29")["p4d.24xlarge", "us-east-1", "on_demand", ""] == Decimal("32.7726")
    assert recorded("2025-07-03")["p4d.24xlarge", "us-east-1", "on_demand", ""] == Decimal("21.957642")
    listed: dict[str, set[tuple[str, str]]] = {}
    for pages in recorded_pages("aws").values():
        for kept in pages:
            now = {(quote.sku, quote.tier) for quote in quotes(kept.page)}
            assert listed.get(kept.page.book, set()) <= now
            listed[kept.page.book] = now


# --- fetching the feeds


def test_region_without_a_page_is_absent_and_a_dead_site_is_not():
    def respond(request: Any) -> dict[str, Any]:
        return {"status": 404} if "Stockholm" in request.url or "Virginia" in request.url else {"status": 500}

    parts = SOURCE.fetchers()
    http = http_for(SOURCE, Site(respond))
    assert list(parts["feed/eu-north-1"](http)) == []
    with pytest.raises(Unreachable, match="404"):
        list(parts["feed/us-east-1"](http))
    with pytest.raises(Unreachable, match="500"):
        list(parts["feed/us-west-2"](http))


def test_feed_is_asked_for_by_the_location_name():
    site = Site(lambda request: {"body": feed(machine("p5.48xlarge", "55.04"))})
    [got] = SOURCE.fetchers()["feed/us-east-1"](http_for(SOURCE, site))
    assert site.requests[0].url.endswith(
        "/ec2-ondemand-without-sec-sel/US%20East%20%28N.%20Virginia%29/Linux/index.json"
    )
    assert (got.book, quotes(got)[0].region) == ("feed/us-east-1", "us-east-1")
    assert len(locations()) == 32
