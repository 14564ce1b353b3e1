"""Answers in the form of AWS's four lists, and their reading; not a test by itself."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from exchanges import NOW

from models.currencies import Rates
from models.normalise import normalise
from models.offers import Offer, Quote, Rejected, Unreadable
from sources.providers.aws import parse
from sources.source import Page

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
