"""STACKIT: the product list behind its price calculator, EUR per hour of a machine, open without a key.

An SKU is a machine type in one zone of a region, or over its zones ("metro", about twice the price): both are rented,
so the second has a tier of its own. An SKU that is deprecated, or not for the price list, stays in the answer.
`price.list.value` is exact, `roundedValue` and `valueAsInt` are the same for display; `price.monthly` is 720 hours of
it. The hardware of a GPU machine is only "GPU": the machine type "n3.104d.g8" has eight cards, and which card a family
has stands in the documentation (Machine types - EU01, read in 2026). The other region, eu02, has no such machines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from decimal import Decimal
from typing import Any

from models.naming.conditions import names_condition
from models.offers import Quote, Unreadable
from sources.http import Http, json_of
from sources.reading import at, decimal_of, field_of, flag_of, require_fields, rows_of, text_of
from sources.source import ErrorAnswer, LayoutChanged, Page, Source, TruncatedAnswer

URL = "https://pim.api.stackit.cloud/v3alpha1/skus"
ASKED = {"region": "eu01", "limit": "100"}
MOST_PAGES = 50  # a region has about ten
GPU_MACHINES = "ComputeEngineGPU"
FIELDS = ("deprecated", "priceListVisibility", "unit", "unitBilling", "price", "region", "productSpecificAttributes")
CARDS = {"n1": "NVIDIA A100 80GB", "n2": "NVIDIA L40S 48GB", "n3": "NVIDIA H100 HGX 80GB"}
MACHINE = re.compile(r"(n\d+)\.\d+d?\.g([1-9]\d?)")


def fetch(http: Http) -> Iterator[Page]:
    cursor = ""
    for number in range(1, MOST_PAGES + 1):
        page = http.get(URL, params=ASKED | ({"cursor": cursor} if cursor else {}), name=f"skus-{number}.json")
        yield page
        cursor = _next_page(json_of(page))
        if not cursor:
            return
    raise TruncatedAnswer(f"STACKIT: more than {MOST_PAGES} pages of products")


def parse(pages: Sequence[Page]) -> Iterator[Quote | Unreadable]:
    machines: list[tuple[Mapping[str, Any], Page]] = []
    for page in pages:
        body = json_of(page)
        if isinstance(body, dict) and "data" not in body and (said := text_of(body.get("message"))):
            raise ErrorAnswer(f"STACKIT answered an error: {said[:120]}")
        for sku in rows_of(field_of(body, "data", page)):
            if at(sku, "productSpecificAttributes", "discriminator") == GPU_MACHINES:
                machines.append((sku, page))
    if _next_page(json_of(pages[-1])):
        raise TruncatedAnswer(f"{pages[-1].name} is not the last page, and no further one is there")
    if not machines:
        raise LayoutChanged(f"{pages[-1].name}: no product is a machine with GPUs")
    require_fields((sku for sku, _ in machines), FIELDS, pages[-1])
    yield from (_machine(sku, page.sha256) for sku, page in machines)


def _next_page(body: object) -> str:
    return text_of(at(body, "meta", "nextCursor")) if flag_of(at(body, "meta", "hasNextPage")) else ""


def _machine(sku: Mapping[str, Any], sha256: str) -> Quote | Unreadable:
    kind = text_of(at(sku, "productSpecificAttributes", "flavor"))
    region, found = text_of(sku.get("region")), MACHINE.fullmatch(kind)
    gpu, price = CARDS.get(found[1], "") if found else "", decimal_of(at(sku, "price", "list", "value"))
    reason = said = ""
    if found is None or not gpu:
        reason, said = "unknown_sku", "a machine type of a card that is not known"
    elif flag_of(sku.get("deprecated")) is not False or not flag_of(sku.get("priceListVisibility")):
        reason, said = "not_a_price", "not on the price list"
    elif names_condition(named := f"{text_of(sku.get('title'))} {text_of(sku.get('name'))}"):
        reason, said = "missing_term", named.strip()[:80]
    elif (sku.get("unit"), sku.get("unitBilling")) != ("Hours", "per hour"):
        reason, said = "unknown_unit", f"{str(sku.get('unitBilling'))[:40]!r}"
    elif price is None or price <= 0:
        reason, said = "not_a_price", f"{str(at(sku, 'price', 'list', 'value'))[:40]!r}"
    if found is None or price is None or reason:
        return Unreadable(reason, f"{kind[:40] or 'a machine without a type'}: {said}", kind, gpu, region, sha256)
    return Quote(
        sku=kind,
        gpu=gpu,
        gpu_count=Decimal(found[2]),
        amount=price,
        unit="per_instance_hour",
        pricing="on_demand",
        currency=text_of(at(sku, "price", "list", "currencyCode")),
        region=region,
        vcpus=decimal_of(at(sku, "productSpecificAttributes", "vCPU")),
        memory_gb=decimal_of(at(sku, "productSpecificAttributes", "ram")),
        tier="metro" if flag_of(at(sku, "productSpecificAttributes", "metro")) else "",
        fabric="single_node",
        page_sha256=sha256,
    )


SOURCE = Source(
    name="stackit",
    title="STACKIT",
    homepage="https://www.stackit.de",
    kind="hyperscaler",
    access="api",
    every=timedelta(days=1),
    urls=(URL,),
    fetch=fetch,
    parse=parse,
    unit_note="EUR per hour of a machine of 1 to 8 GPUs, before tax, disk apart",
    traps="the list names no card, only the machine type; metro machines stand over several zones at twice the price; "
    "SKUs that are deprecated or not for the price list stay in the answer; a month there is 720 hours",
)
