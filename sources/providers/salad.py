"""Salad: containers on the idle PCs of households, a price for each GPU class and priority, behind a key.

Prices are text, USD per GPU-hour, vCPUs and memory included since 2026 (earlier figures left them out). A container
of a higher priority pushes one of a lower out, and the owner of any PC may take it back without a warning: the site
itself likens its GPUs to spot instances, so all that a PC runs is spot here, the priority its tier. Only what runs
in data centres ("secure") at high priority is on demand. The pricing page calls the lowest priority "lowest", the
list "batch". `name` ends in the memory of the card and may begin with a blank. A list of an organisation has the same
prices as any other; the organisation stands in the address, which is left out of what is kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import Any

from models.offers import Quote, Unreadable
from sources.http import Http, json_of
from sources.reading import decimal_of, field_of, require_fields, rows_of, text_of, whole_of
from sources.source import ErrorAnswer, LayoutChanged, MissingSecret, Page, Source

URL = "https://api.salad.com/api/public/organizations"
CLIENT = "SALAD_CLIENT"  # the name of an organisation and an API key, joined by a colon
PRIORITIES = ("high", "medium", "low", "batch")
MEMORY = re.compile(r".*\((\d+) ?GB\)", re.IGNORECASE)


def fetch(http: Http) -> Iterator[Page]:
    organization, _, key = http.secret(CLIENT).partition(":")
    if not re.fullmatch(r"[a-z0-9-]+", organization) or not key:
        raise MissingSecret(f"{CLIENT} must be the name of a Salad organisation and an API key, joined by a colon")
    page = http.get(f"{URL}/{organization}/gpu-classes", secret_headers={"Salad-Api-Key": key}, name="gpu-classes.json")
    yield replace(page, url=f"{URL}/-/gpu-classes")


def parse(pages: Sequence[Page]) -> Iterator[Quote | Unreadable]:
    for page in pages:
        body = json_of(page)
        if isinstance(body, dict) and "items" not in body and ("title" in body or "detail" in body):
            said = text_of(body.get("title")) or text_of(body.get("detail"))
            raise ErrorAnswer(f"Salad answered an error: {said[:120] or 'without a message'}")
        listed = field_of(body, "items", page)
        if not isinstance(listed, list):
            raise LayoutChanged(f"{page.name}: 'items' is not a list")
        classes = list(rows_of(listed))
        require_fields(classes, ("name", "prices"), page)
        prices = [(gpu, price) for gpu in classes for price in rows_of(gpu.get("prices"))]
        require_fields([price for _, price in prices], ("priority", "price"), page)
        for gpu, price in prices:
            yield _at_priority(gpu, price)


def _at_priority(gpu: Mapping[str, Any], printed: Mapping[str, Any]) -> Quote | Unreadable:
    name, priority, price = text_of(gpu.get("name")), text_of(printed.get("priority")), decimal_of(printed.get("price"))
    memory, secure = MEMORY.fullmatch(name), gpu.get("gpu_class_type") == "secure"
    if not name or whole_of(gpu.get("gpu_count", 1)) != 1:  # whether the price is of one is not documented
        return Unreadable("unreadable", f"{str(gpu.get('gpu_count'))[:20]} GPUs of {name[:60]!r}", name, name)
    if priority not in PRIORITIES:
        return Unreadable("unknown_pricing", f"{name[:60]}: a priority {priority[:40]!r}", name, name)
    if price is None or price <= 0:
        return Unreadable("not_a_price", f"{name[:60]}: {priority} at {str(printed.get('price'))[:40]}", name, name)
    return Quote(
        sku=name,
        gpu=name,
        gpu_count=Decimal(1),
        amount=price,
        unit="per_gpu_hour",
        pricing="on_demand" if secure and priority == "high" else "spot",
        gpu_memory_gb=Decimal(memory[1]) if memory else None,
        tier=f"secure {priority}" if secure else priority,
        fabric="single_node",
    )


SOURCE = Source(
    name="salad",
    title="Salad",
    homepage="https://salad.com",
    kind="marketplace",
    access="api",
    every=timedelta(days=1),
    urls=(URL,),
    fetch=fetch,
    parse=parse,
    secret=CLIENT,
    unit_note="USD per GPU-hour of a container, vCPUs and memory included, by priority",
    traps="the pricing page shows the lowest priority; PCs of households leave without a warning; before 2026 vCPUs "
    "and memory were billed apart; cards of two memory sizes share a name but for its end",
)
