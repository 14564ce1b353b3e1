"""SKUs in the form of Google's catalogue, and their reading; not a test by itself."""

from __future__ import annotations

import json
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from exchanges import NOW

from models.currencies import Rates
from models.normalise import normalise
from models.offers import Offer, Quote, Rejected, Unreadable
from sources.providers.gcp import parse
from sources.source import Page

A100 = "Nvidia Tesla A100 GPU running in Americas"
UNIT = {"GPU": "h", "TPU": "h", "CPU": "h", "RAM": "GiBy.h", "LocalSSD": "GiBy.mo"}


def sku(
    description: str,
    group: str,
    price: str,
    usage: str = "OnDemand",
    regions: Iterable[str] = ("us-central1",),
    unit: str = "",
    currency: str = "USD",
) -> dict[str, Any]:
    units, _, fraction = price.partition(".")
    money = {"currencyCode": currency, "units": units, "nanos": int(fraction.ljust(9, "0"))}
    expression = {"usageUnit": unit or UNIT[group], "tieredRates": [{"startUsageAmount": 0, "unitPrice": money}]}
    return {
        "description": description,
        "category": {"resourceFamily": "Compute", "resourceGroup": group, "usageType": usage},
        "serviceRegions": list(regions),
        "pricingInfo": [{"pricingExpression": expression, "effectiveTime": "2026-11-30T23:30:00-08:00"}],
    }


A2_HOST = [
    sku("A2 Instance Core running in Americas", "CPU", "0.03"),
    sku("A2 Instance Ram running in Americas", "RAM", "0.004"),
]
A2_SPOT = [
    sku("Nvidia Tesla A100 GPU attached to Spot Preemptible VMs running in Americas", "GPU", "1.16", "Preemptible"),
    sku("Spot Preemptible A2 Instance Core running in Americas", "CPU", "0.012", "Preemptible"),
    sku("Spot Preemptible A2 Instance Ram running in Americas", "RAM", "0.0016", "Preemptible"),
]


def page(skus: Iterable[object], token: str = "", book: str = "", name: str = "skus-1.json") -> Page:
    body = json.dumps({"skus": list(skus), "nextPageToken": token}).encode()
    return Page("https://cloudbilling.googleapis.com/v1/services/6F81-5844-456A/skus", body, NOW, name, book)


def read(*skus: object, book: str = "") -> list[Quote | Unreadable]:
    return list(parse([page(skus, book=book)]))


def quotes(*skus: object, book: str = "") -> dict[tuple[str, str, str, int | None, str], Decimal]:
    return {
        (row.sku, row.region, row.pricing, row.term_months, row.tier): row.amount
        for row in read(*skus, book=book)
        if isinstance(row, Quote)
    }


def reasons(*skus: object, book: str = "") -> list[str]:
    return [row.reason for row in read(*skus, book=book) if isinstance(row, Unreadable)]


def offers(*skus: object) -> tuple[list[Offer], list[Rejected]]:
    return normalise(
        read(*skus), provider="gcp", book="", observed_at=NOW, origin="live", rates=Rates.of([]), page_sha256="0"
    )
