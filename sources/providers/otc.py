"""Open Telekom Cloud: the price calculator's list of elastic cloud servers, EUR before tax, open without a key.

An answer has some 800 rows, one for each flavour, region and system, prices as text ("0.051175 EUR") and German words
under the English address. Without a filter the rows stand under the name of their service, with one in a plain list.
`priceAmount` is for an hour of the machine. R12, R24 and R36 are for a month under a contract of so many months, RU12,
RU24 and RU36 for a month of a contract paid whole in advance; 0 there means that it is not sold so. Only the flavour
tells the card: otc.csv knows it. Linux without a licence is the plain price; rows of other systems hold their licence.
Swiss prices are in EUR too. No GPU row with a known date could be had, so nothing is recorded.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

from models.offers import Quote, Unreadable
from sources.http import json_of
from sources.reading import at, decimal_of, field_of, require_fields, rows_of, text_of, whole_of
from sources.source import ErrorAnswer, LayoutChanged, Page, Source, TruncatedAnswer

SERVICE, MOST_ROWS = "ecs", 5000
URL = (
    "https://calculator.otc-service.com/en/open-telekom-price-api/"
    f"?productType=OTC&serviceName={SERVICE}&limitMax={MOST_ROWS}"
)
FIELDS = ("opiFlavour", "osUnit", "unit", "currency", "priceAmount", "region")
WITH_A_GPU = re.compile(r"(?:p|pi|g)\d\w*\..+")  # families p1 to p3, pi1 and pi2, g1 to g6
PLAIN = ("linux", "open linux")
AMOUNT = re.compile(r"(\d+(?:\.\d+)?) ([A-Z]{3})")
CONTRACTS = (12, 24, 36)  # months
CENT = Decimal("0.01")


def parse(pages: Sequence[Page]) -> Iterator[Quote | Unreadable]:
    for page in pages:
        rows = _servers(page)
        require_fields(rows, FIELDS, page)
        found = [row for row in rows if WITH_A_GPU.fullmatch(text_of(row.get("opiFlavour")))]
        if not found:
            raise LayoutChanged(f"{page.name}: none of {len(rows)} rows is of a flavour with GPUs")
        for row in found:
            if text_of(row.get("osUnit")).lower() in PLAIN:
                yield from _server(row)


def _servers(page: Page) -> list[Mapping[str, Any]]:
    """The rows in either shape of the answer. Raises TruncatedAnswer where it counts more than it holds."""
    body = json_of(page)
    if isinstance(body, dict) and "response" not in body and (said := text_of(body.get("message"))):
        raise ErrorAnswer(f"Open Telekom Cloud answered an error: {said[:120]}")
    answer = field_of(body, "response", page)
    result = field_of(answer, "result", page)
    rows = list(rows_of(result.get(SERVICE) if isinstance(result, dict) else result))
    if not rows:
        raise LayoutChanged(f"{page.name}: no rows of the service {SERVICE!r}")
    count = whole_of(at(answer, "stats", "count"))
    if len(rows) >= MOST_ROWS or (count is not None and count > len(rows)):
        raise TruncatedAnswer(f"{page.name}: {len(rows)} of {count or 'more'} rows")
    return rows


def _server(row: Mapping[str, Any]) -> Iterator[Quote | Unreadable]:
    """The price by the hour and those of the contracts."""
    flavour, region, unit = (text_of(row.get(name)) for name in ("opiFlavour", "region", "unit"))
    known = _flavours().get(flavour)
    if known is None:
        yield Unreadable("unknown_sku", f"flavour {flavour[:60]} of a card that is not known", flavour, "", region)
        return
    if unit != "h":
        said = f"flavour {flavour}: per {unit[:20]!r}, not per hour"
        yield Unreadable("unknown_unit", said, flavour, known["gpu"], region)
        return
    hourly = _amount(row, "priceAmount")
    if not hourly:
        said = f"flavour {flavour} at {str(row.get('priceAmount'))[:40]!r}, currency {str(row.get('currency'))[:10]!r}"
        yield Unreadable("not_a_price", said, flavour, known["gpu"], region)
        return
    memory = text_of(row.get("ram")).partition(" ")
    server = Quote(
        sku=flavour,
        gpu=known["gpu"],
        gpu_count=Decimal(known["gpus"]),
        amount=hourly,
        unit="per_instance_hour",
        pricing="on_demand",
        currency=text_of(row.get("currency")),
        region=region,
        vcpus=decimal_of(row.get("vCpu")),
        memory_gb=decimal_of(memory[0]) if memory[2] == "GiB" else None,
        fabric="single_node",
    )
    yield server
    for months in CONTRACTS:
        term = replace(server, unit="per_instance_month", pricing="reserved", term_months=months)
        if monthly := _amount(row, f"R{months}"):
            yield replace(term, amount=monthly)
        if ahead := _amount(row, f"RU{months}"):  # printed to six places: the whole sum is in cents
            paid = (ahead * months).quantize(CENT)
            yield replace(term, amount=Decimal(0), upfront=paid, tier="all_upfront")


def _amount(row: Mapping[str, Any], field: str) -> Decimal | None:
    """The figure of a price text whose currency agrees with the row's; None where it is none."""
    match = AMOUNT.fullmatch(text_of(row.get(field)))
    return decimal_of(match[1]) if match and match[2] == row.get("currency") else None


@cache
def _flavours() -> Mapping[str, Mapping[str, str]]:
    """Flavour -> card and number of GPUs. An empty source repeats the one above it."""
    with Path(__file__).with_suffix(".csv").open(encoding="utf-8", newline="") as file:
        return {row["flavour"]: row for row in csv.DictReader(file)}


SOURCE = Source(
    name="otc",
    title="Open Telekom Cloud",
    homepage="https://www.open-telekom-cloud.com",
    kind="hyperscaler",
    access="api",
    every=timedelta(days=1),
    urls=(URL,),
    parse=parse,
    unit_note="EUR per hour of a machine of 1 to 8 GPUs, before tax; per month of it under a contract",
    traps="prices are text with their currency; the answer has two shapes; contract prices are for a month, and 0 "
    "where it is not sold so; rows of licensed systems repeat the flavour; only the flavour tells the card",
)
