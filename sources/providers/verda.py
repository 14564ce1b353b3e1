"""Verda (formerly DataCrunch): the API's instance types, USD per hour of a whole instance, open without a key.

Prices are text. `gpu_memory` is the total of all GPUs, so the memory of one is read from the description,
"2x RTX A6000 48GB". CPU types have 0 GPUs. Spot is a set price, a fixed share of the on-demand one, not a
market. Serverless prices stand in the same row and are left out. The terms of long contracts are published as
discounts off the on-demand price and make a book of their own, so that either list can fail alone; its page is both
answers, the types and the terms, as a price is on neither alone. What is
free where is a second call per spot flag, which needs an account since 2026: with VERDA_CLIENT set to
`client id:secret` there is a row for each location, available or not; without it the location is unknown.
Instances are single machines; instant clusters are not in this list. The site's terms are read as forbidding
scrapers, so its price page is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from models.offers import Pricing, Quote, Unreadable
from sources.http import json_of
from sources.reading import decimal_of, field_of, flag_of, require_fields, rows_of, text_of, whole_of
from sources.source import ErrorAnswer, LayoutChanged, Page, Source

if TYPE_CHECKING:
    from sources.http import Http

API = "https://api.verda.com/v1"
CLIENT = "VERDA_CLIENT"  # client id and secret of an API credential, joined by a colon

TYPES, LONG_TERM = "instance-types.json", "long-term.json"
PERIODS = "long-term-periods.json"  # beside the types, in looks that were kept before both answers were one page
AVAILABILITY: dict[str, Pricing] = {"availability.json": "on_demand", "spot-availability.json": "spot"}
PRICES: dict[str, Pricing] = {"price_per_hour": "on_demand", "spot_price": "spot"}
DESCRIBED = re.compile(r"(\d+)x (.*\D(\d+)GB)")
CONFIDENTIAL = re.compile(r"\bCC\b")  # encrypted machines, dearer than the same card
DEAREST = Decimal(100_000)  # USD per hour of one instance: beyond any machine
MONTHS_IN = {"month": 1, "year": 12}


def fetch_instances(http: Http) -> Iterator[Page]:
    yield http.get(f"{API}/instance-types", params={"currency": "usd"}, name=TYPES)
    client, _, secret = http.secret(CLIENT).partition(":")
    if secret:
        asked = {"grant_type": "client_credentials", "client_id": client, "client_secret": secret}
        login = http.post(f"{API}/oauth2/token", json=asked)
        token = text_of(field_of(json_of(login), "access_token", login))
        for name, pricing in AVAILABILITY.items():
            yield http.get(
                f"{API}/instance-availability",
                params={"is_spot": "true" if pricing == "spot" else "false"},
                secret_headers={"Authorization": f"Bearer {token}"},
                name=name,
            )


def fetch_long_term(http: Http) -> Iterator[Page]:
    types = http.get(f"{API}/instance-types", params={"currency": "usd"}, name=TYPES)
    periods = http.get(f"{API}/long-term/periods", name=LONG_TERM, book="long_term")
    both = b'{"instance_types": %b, "periods": %b}' % (types.body, periods.body)
    yield replace(periods, body=both, etag="", last_modified="", unchanged=False)


def parse(pages: Sequence[Page]) -> Iterator[Quote | Unreadable]:
    answers = {page.name: json_of(page) for page in pages}
    types = next((page for page in pages if page.name == TYPES), pages[0])
    both = answers[types.name]
    if isinstance(both, dict) and "instance_types" in both:
        periods = _list(field_of(both, "periods", types), "periods")
        yield from _terms(_list(both["instance_types"], "instance types"), periods, types)
        return
    lists = {name: _list(answer, name) for name, answer in answers.items()}
    if PERIODS in lists:
        yield from _terms(lists[types.name], lists[PERIODS], types)
        return
    locations = {AVAILABILITY[name]: _locations(rows) for name, rows in lists.items() if name in AVAILABILITY}
    for priced in _instances(lists[types.name], types):
        yield from _placed(priced, locations)


def _terms(
    types: Sequence[Mapping[str, Any]], periods: Sequence[Mapping[str, Any]], page: Page
) -> Iterator[Quote | Unreadable]:
    """The prices under a contract: of every type for every length."""
    require_fields(periods, ("unit_name", "unit_value", "discount_percentage"), page)
    for priced in _instances(types, page):
        if isinstance(priced, Quote) and priced.pricing == "on_demand":
            yield from (_long_term(priced, period) for period in periods)


def _list(answer: object, name: str) -> list[Mapping[str, Any]]:
    if isinstance(answer, dict) and ("code" in answer or "message" in answer):
        raise ErrorAnswer(f"Verda answered an error: {text_of(answer.get('message')) or answer.get('code')!r}")
    if not isinstance(answer, list):
        raise LayoutChanged(f"{name}: not a list")
    return list(rows_of(answer))


def _instances(rows: Sequence[Mapping[str, Any]], page: Page) -> Iterator[Quote | Unreadable]:
    require_fields(rows, ("instance_type", "gpu", "currency", *PRICES), page)
    for row in rows:
        yield from _instance(row)


def _instance(row: Mapping[str, Any]) -> Iterator[Quote | Unreadable]:
    """The on-demand and the spot price of one instance type; nothing for a CPU type."""
    sku, gpu = text_of(row.get("instance_type")), row.get("gpu")
    gpu = gpu if isinstance(gpu, dict) else {}
    count, text = whole_of(gpu.get("number_of_gpus")), text_of(gpu.get("description"))
    if count == 0:
        return
    described = DESCRIBED.fullmatch(text)
    if count is None or described is None or whole_of(described[1]) != count:
        yield Unreadable("unreadable", f"{gpu.get('number_of_gpus')!r} GPUs described as {text!r}", sku, text)
        return
    for field, pricing in PRICES.items():
        price = decimal_of(row.get(field))
        if price is None or not 0 < price < DEAREST:
            yield Unreadable("not_a_price", f"{field} is {row.get(field)!r}", sku, text)
            continue
        yield Quote(
            sku=sku,
            gpu=described[2],
            gpu_count=Decimal(count),
            amount=price,
            unit="per_instance_hour",
            pricing=pricing,
            currency=text_of(row.get("currency")).upper(),
            gpu_memory_gb=Decimal(described[3]),
            vcpus=_size(row.get("cpu"), "number_of_cores"),
            memory_gb=_size(row.get("memory"), "size_in_gigabytes"),
            tier="confidential" if CONFIDENTIAL.search(described[2]) or sku.endswith(".CC") else "",
            fabric="single_node",
        )


def _size(record: object, field: str) -> Decimal | None:
    return decimal_of(record.get(field)) if isinstance(record, dict) else None


def _locations(rows: Sequence[Mapping[str, Any]]) -> dict[str, set[str]]:
    """Instance types that can be started now, by location."""
    free: dict[str, set[str]] = {}
    for row in rows:
        if (place := text_of(row.get("location_code"))) and isinstance(row.get("availabilities"), list):
            free[place] = {kind for kind in row["availabilities"] if isinstance(kind, str)}
    return free


def _placed(
    priced: Quote | Unreadable, locations: Mapping[Pricing, Mapping[str, set[str]]]
) -> Iterator[Quote | Unreadable]:
    places = locations.get(priced.pricing) if isinstance(priced, Quote) else None
    if isinstance(priced, Unreadable) or not places:
        yield priced
        return
    for place, kinds in places.items():
        yield replace(priced, region=place, available=priced.sku in kinds)


def _long_term(on_demand: Quote, period: Mapping[str, Any]) -> Quote | Unreadable:
    """The price with the published discount of a contract of this length."""
    months, length = MONTHS_IN.get(text_of(period.get("unit_name"))), whole_of(period.get("unit_value"))
    percent = decimal_of(period.get("discount_percentage"))
    if not flag_of(period.get("is_enabled")) or not months or not length or percent is None or not 0 <= percent < 100:
        said = f"contract {text_of(period.get('name'))!r} with a discount of {period.get('discount_percentage')!r}"
        return Unreadable("not_a_price", said, on_demand.sku, on_demand.gpu)
    amount = on_demand.amount * (100 - percent) / 100
    return replace(on_demand, amount=amount, pricing="reserved", term_months=months * length)


SOURCE = Source(
    name="verda",
    title="Verda",
    homepage="https://verda.com",
    kind="gpu_cloud",
    access="api",
    every=timedelta(hours=6),
    unit_note="USD per hour of a whole instance of 1 to 8 GPUs",
    urls=(f"{API}/instance-types?currency=usd",),
    parts={"instances": fetch_instances, "long_term": fetch_long_term},
    parse=parse,
    optional_secret=CLIENT,
    traps="gpu_memory is the total of all GPUs; prices are text; spot is a set share of the on-demand price; "
    "two instance types may be the same H100 with other CPUs; long terms are published as discounts",
)
