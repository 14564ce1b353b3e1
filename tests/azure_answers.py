"""Answers in the form of Azure's price list, and their reading; not a test by itself."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from exchanges import NOW

from models.currencies import Rates
from models.normalise import normalise
from models.offers import Offer, Rejected, Unreadable
from sources.providers.azure import parse
from sources.source import Page

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
