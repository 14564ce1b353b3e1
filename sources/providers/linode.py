"""Linode (Akamai): the list of machine types of the API, in USD per machine-hour; no key, a token shows more types.

A type of class "gpu" says how many GPUs it has and not which: the card stands in its id, and only ids that are known
here are read. `region_prices` override the base price in some regions. Without a token the list has had GPU types at
price 0, and Blackwell types are shown only to accounts with access. `monthly` is where the bill of a month stops,
after about 670 hours, and no further price. Machines are joined by plain Ethernet.
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
from sources.reading import at, decimal_of, field_of, require_fields, rows_of, text_of, whole_of
from sources.source import ErrorAnswer, LayoutChanged, Page, Source, TruncatedAnswer

URL = "https://api.linode.com/v4/linode/types"
TOKEN = "LINODE_TOKEN"
MOST_PAGES = 20
CARDS = {  # id of a plan, with its number of GPUs: card and GB of one
    re.compile(r"g1-gpu-rtx6000-(\d)"): ("Quadro RTX 6000", Decimal(24)),
    re.compile(r"g2-gpu-rtx4000a(\d)-[a-z]+"): ("RTX 4000 Ada", Decimal(20)),
    re.compile(r"g3-gpu-rtxpro6000-blackwell-(\d)"): ("RTX PRO 6000 Blackwell", Decimal(96)),
}


def fetch(http: Http) -> Iterator[Page]:
    token = http.secret(TOKEN)
    for number in range(1, MOST_PAGES + 1):
        page = http.get(
            URL,
            params={"page": number, "page_size": 500},
            secret_headers={"Authorization": f"Bearer {token}"} if token else None,
            name=f"types-{number}.json",
        )
        yield page
        if number >= (whole_of(at(json_of(page), "pages")) or 1):
            return
    raise TruncatedAnswer(f"the types go on after {MOST_PAGES} pages")


def parse(pages: Sequence[Page]) -> Iterator[Quote | Unreadable]:
    """Raises TruncatedAnswer when the pages hold fewer types than the list counts."""
    rows = [(page, row) for page in pages for row in rows_of(_types(page))]
    for page in pages:
        results = whole_of(at(json_of(page), "results"))
        if results is not None and results > len(rows):
            raise TruncatedAnswer(f"{page.name}: {len(rows)} of {results} types")
        require_fields((row for _, row in rows), ("id", "gpus", "price"), page)
    for page, row in rows:
        for said in _quotes(row):
            yield replace(said, page_sha256=page.sha256)


def _types(page: Page) -> list[Any]:
    body = json_of(page)
    if isinstance(body, dict) and body.get("errors"):
        raise ErrorAnswer(f"Linode answered an error: {str(body['errors'])[:120]}")
    types = field_of(body, "data", page)
    if not isinstance(types, list):
        raise LayoutChanged(f"{page.name}: 'data' is not a list")
    return types


def _quotes(row: Mapping[str, Any]) -> Iterator[Quote | Unreadable]:
    sku, count = text_of(row.get("id")), decimal_of(row.get("gpus"))
    if not count and row.get("class") != "gpu" and "-gpu-" not in sku:
        return
    known = [(gpu, memory, match[1]) for plan, (gpu, memory) in CARDS.items() if (match := plan.fullmatch(sku))]
    if not known or count != Decimal(known[0][2]) or not count:
        yield Unreadable("unknown_sku", f"type {sku} with {str(count)[:20]} GPUs is not known", sku)
        return
    gpu, gpu_memory, _ = known[0]
    memory = decimal_of(row.get("memory"))
    local = [(text_of(price.get("id")), price) for price in rows_of(row.get("region_prices"))]
    if any(not region for region, _ in local):
        yield Unreadable("missing_region", f"type {sku}: a local price does not say where", sku, gpu)
    for region, price in [("", row.get("price")), *((region, price) for region, price in local if region)]:
        amount = decimal_of(at(price, "hourly"))
        if amount is None or amount <= 0:
            said = str(at(price, "hourly"))[:40]
            yield Unreadable("not_a_price", f"type {sku}: the hourly price is {said}", sku, gpu, region)
            continue
        yield Quote(
            sku=sku,
            gpu=gpu,
            gpu_count=count,
            amount=amount,
            unit="per_instance_hour",
            pricing="on_demand",
            region=region,
            gpu_memory_gb=gpu_memory,
            vcpus=decimal_of(row.get("vcpus")),
            memory_gb=None if memory is None else memory / 1024,
            fabric="single_node",
        )


SOURCE = Source(
    name="linode",
    title="Linode (Akamai)",
    homepage="https://www.linode.com/pricing/",
    kind="hyperscaler",
    access="api",
    every=timedelta(days=1),
    urls=(URL,),
    fetch=fetch,
    parse=parse,
    optional_secret=TOKEN,
    unit_note="USD per machine-hour of 1 to 4 GPUs, host included; the same in every region unless one is named",
    traps="without a token GPU types have stood at price 0, which is refused, so the last prices stay; the card stands "
    "only in the plan's id; RTX6000 is the Turing card; the bill of a month stops after about 670 hours",
)
