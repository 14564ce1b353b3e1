"""E2E Networks: the offers that its price page lists for machines (schema.org JSON-LD), in INR per GPU-hour.

The offers stand in rupees on the page for other countries too, beside a table of another list in dollars, which is not
read here. GPU and CPU offers are told apart by their category. Two A100 offers have one name: the description, whose
first figure is the memory of the card, and the address tell them apart. vCPUs and memory are those of one GPU.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from decimal import Decimal, InvalidOperation
from typing import Any

from models.offers import Quote, Unreadable
from sources.markup import soup_of
from sources.reading import at, decimal_of, rows_of, text_of
from sources.source import LayoutChanged, Page, Source

URL = "https://www.e2enetworks.com/pricing"
CATALOGUE, CATEGORY, PER_HOUR = "OfferCatalog", "GPU Cloud Instance", "per hour"
STOCK = {"": None, "InStock": None, "OutOfStock": False, "SoldOut": False}  # what is pre-ordered or gone is no offer
SHAPE = re.compile(r"(\d+) GB VRAM, (\d+) vCPUs, (\d+) GB RAM")


def parse(pages: Sequence[Page]) -> Iterator[Quote | Unreadable]:
    for page in pages:
        offers = [offer for offer in _offers(page) if offer.get("category") == CATEGORY]
        if not offers:
            raise LayoutChanged(f"{page.name}: no {CATALOGUE} lists an offer of the category {CATEGORY!r}")
        for offer in offers:
            yield _gpu(offer)


def _offers(page: Page) -> Iterator[Mapping[str, Any]]:
    scripts = [script.get_text() for script in soup_of(page).find_all("script", type="application/ld+json")]
    for text in (text for text in scripts if CATALOGUE in text):
        try:
            record = json.loads(text, parse_float=Decimal)
        except (ValueError, RecursionError, InvalidOperation) as error:
            raise LayoutChanged(f"{page.name}: the catalogue of offers is cut short or broken") from error
        if isinstance(record, dict) and record.get("@type") == CATALOGUE:
            yield from rows_of(record.get("itemListElement"))


def _gpu(offer: Mapping[str, Any]) -> Quote | Unreadable:
    name, address = text_of(offer.get("name")), text_of(offer.get("url"))
    sku = address.rstrip("/").rpartition("/")[2] or name
    price, currency = decimal_of(offer.get("price")), text_of(offer.get("priceCurrency"))
    specified, stock = offer.get("priceSpecification"), text_of(offer.get("availability")).rpartition("/")[2]
    unit, quantity = text_of(at(specified, "unitText")), at(specified, "referenceQuantity")
    quantity = at(quantity, "value") if isinstance(quantity, dict) else 1 if quantity is None else quantity
    if unit != PER_HOUR or decimal_of(quantity) != 1:
        said = f"{name}: a price {unit[:40] or 'without a unit'}, of {str(quantity)[:20]}"
        return Unreadable("unknown_unit", said, sku, name)
    again = at(specified, "price"), at(specified, "priceCurrency")
    if (again[0] is not None and decimal_of(again[0]) != price) or again[1] not in (None, currency):
        said = f"{name}: {price} {currency[:10]}, specified as {str(specified)[:80]}"
        return Unreadable("not_a_price", said, sku, name)
    if stock not in STOCK:
        return Unreadable("not_a_price", f"{name}: {stock[:40]}", sku, name)
    if not name or price is None or price <= 0 or not currency:
        return Unreadable("not_a_price", f"{name}: {str(offer.get('price'))[:40]} {currency[:10]}", sku, name)
    shape = SHAPE.match(text_of(at(offer, "itemOffered", "description")))
    card_gb, vcpus, memory_gb = (decimal_of(figure) for figure in shape.groups()) if shape else (None, None, None)
    return Quote(
        sku=sku,
        gpu=name,
        gpu_count=Decimal(1),
        amount=price,
        currency=currency,
        unit="per_gpu_hour",
        pricing="on_demand",
        gpu_memory_gb=card_gb,
        vcpus=vcpus,
        memory_gb=memory_gb,
        available=STOCK[stock],
    )


SOURCE = Source(
    name="e2e",
    title="E2E Networks",
    homepage="https://www.e2enetworks.com",
    kind="gpu_cloud",
    access="page",
    every=timedelta(hours=6),
    urls=(URL,),
    hosts=("e2enetworks.com",),
    parse=parse,
    unit_note="INR per GPU-hour, host included",
    traps="rupees on the page for other countries too; the A100 of 40 and of 80 GB have one name; CPU offers stand in "
    "the same catalogue",
)
