"""Novita: the GPU products of its API, per GPU-hour in hundred-thousandths of a dollar; needs a key.

A product is one card with its share of a host, rented as often as wanted in one instance; `price` is on demand,
`spotPrice` may be reclaimed. Both are whole numbers, mostly as text: "67000" is 0.67 USD. A product that is sold out
stays listed, with `availableDeploy` false or an `inventoryState` of none. "High freq." cards run beside faster CPUs.
`memoryPerGpu` has been taken for the memory of the card, which the documentation leaves open: it is the host's, as the
names of products have it too (4090.16c62g has 16 cores and 62 GB beside a card of 24).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from decimal import Decimal
from typing import Any

from models.offers import Pricing, Quote, Unreadable
from sources.http import Http, json_of
from sources.reading import decimal_of, field_of, flag_of, require_fields, rows_of, text_of
from sources.source import ErrorAnswer, LayoutChanged, Page, Source

URL = "https://api.novita.ai/gpu-instance/openapi/v1/products"
KEY = "NOVITA_API_KEY"
UNITS_PER_USD = 100_000
PRICES: Mapping[Pricing, str] = {"on_demand": "price", "spot": "spotPrice"}
METHODS: Mapping[Pricing, str] = {"on_demand": "onDemand", "spot": "spot"}  # by which they are billed


def fetch(http: Http) -> Iterator[Page]:
    yield http.get(URL, secret_headers={"Authorization": f"Bearer {http.secret(KEY)}"}, name="products.json")


def parse(pages: Sequence[Page]) -> Iterator[Quote | Unreadable]:
    for page in pages:
        answer = json_of(page)
        if isinstance(answer, dict) and "data" not in answer and "message" in answer:
            raise ErrorAnswer(f"Novita answered an error: {str(answer['message'])[:120]}")
        listed = field_of(answer, "data", page)
        if not isinstance(listed, list):
            raise LayoutChanged(f"{page.name}: 'data' is not a list")
        products = list(rows_of(listed))
        require_fields(products, ("id", "name", "price"), page)
        for product in products:
            yield from _product(product)


def _product(product: Mapping[str, Any]) -> Iterator[Quote | Unreadable]:
    sku, gpu, listed = text_of(product.get("id")), text_of(product.get("name")), product.get("regions")
    regions = [text_of(region) for region in listed if text_of(region)] if isinstance(listed, list) else []
    billed = product.get("billingMethods")
    for pricing, field in PRICES.items():
        price = decimal_of(product.get(field))
        if price and isinstance(billed, list) and METHODS[pricing] not in billed:
            yield Unreadable("unknown_pricing", f"{gpu or sku}: {field} {price}, billed {str(billed)[:60]}", sku, gpu)
            continue
        if price is None or price <= 0:
            if pricing == "on_demand":
                yield Unreadable("not_a_price", f"{gpu or sku} at {str(product.get(field))[:40]}", sku, gpu)
            continue
        if price != price.to_integral_value():
            yield Unreadable("unknown_unit", f"{gpu or sku}: {field} is {price}, not a whole number", sku, gpu)
            continue
        for region in regions or [""]:
            yield Quote(
                sku=sku,
                gpu=gpu,
                gpu_count=Decimal(1),
                amount=price / UNITS_PER_USD,
                unit="per_gpu_hour",
                pricing=pricing,
                region=region,
                vcpus=decimal_of(product.get("cpuPerGpu")),
                memory_gb=decimal_of(product.get("memoryPerGpu")),
                available=_on_sale(product),
                fabric="single_node",
            )


def _on_sale(product: Mapping[str, Any]) -> bool | None:
    """Whether the product can be started; None where the answer does not say."""
    return (
        False if text_of(product.get("inventoryState")).lower() == "none" else flag_of(product.get("availableDeploy"))
    )


SOURCE = Source(
    name="novita",
    title="Novita",
    homepage="https://novita.ai/gpus",
    kind="gpu_cloud",
    access="api",
    every=timedelta(hours=6),
    urls=(URL,),
    fetch=fetch,
    parse=parse,
    secret=KEY,
    unit_note="USD per GPU-hour, host included; printed in hundred-thousandths",
    traps="67000 is 0.67 USD; memoryPerGpu is the host's, not the card's; products that are sold out stay listed; "
    "high-frequency variants are products of their own",
)
