"""Prime Intellect: pods of other clouds resold, page by page of an API that needs a key; USD per hour of a whole pod.

The card is in two fields, `gpuType` "A100_80GB" and `socket` "SXM4". `prices.onDemand` is of all `gpuCount` GPUs, with
the residue of float arithmetic, and has the default disk in it whatever `disk.defaultIncludedInPrice` says: RunPod's
1.64 and 120 GB at 0.00014 are the 1.6568 listed. `isSpot` makes it a spot price (null does not), `prepaidTime` one for
hours paid ahead, which is held. `cloudId` is the name of the machine at the cloud in `provider`. An answer has 100 rows
at most and counts all of them in `totalCount`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import Any

from models.offers import Quote, Unreadable
from sources.brokers import provider_named
from sources.http import Http, json_of
from sources.reading import at, decimal_of, field_of, flag_of, require_fields, rows_of, text_of, whole_of
from sources.source import ErrorAnswer, LayoutChanged, Page, Source, TruncatedAnswer

URL = "https://api.primeintellect.ai/api/v1/availability/gpus"
KEY = "PRIMEINTELLECT_API_KEY"
PAGE_ROWS, MOST_PAGES = 100, 50
IN_STOCK = {"available": True, "high": True, "medium": True, "low": True, "unavailable": False, "out_of_stock": False}
FIELDS = ("cloudId", "gpuType", "socket", "provider", "gpuCount", "prices", "isSpot", "security")


def fetch(http: Http) -> Iterator[Page]:
    for number in range(1, MOST_PAGES + 1):
        page = http.get(
            URL,
            params={"page": number, "page_size": PAGE_ROWS},
            secret_headers={"Authorization": f"Bearer {http.secret(KEY)}"},
            name=f"gpus-{number}.json",
        )
        yield page
        total = whole_of(at(json_of(page), "totalCount"))
        if total is None or total <= number * PAGE_ROWS:
            return
    raise TruncatedAnswer(f"the pods go on after {MOST_PAGES} pages")


def parse(pages: Sequence[Page]) -> Iterator[Quote | Unreadable]:
    """Raises TruncatedAnswer when the pages hold fewer pods than the list counts."""
    rows = [(page, row) for page in pages for row in rows_of(_items(page))]
    for page in pages:
        total = whole_of(field_of(json_of(page), "totalCount", page))
        require_fields([row for _, row in rows], FIELDS, page)
    if pages and total is not None and total > len(rows):  # as the last page counts them
        raise TruncatedAnswer(f"{len(rows)} of {total} pods were read")
    for page, row in rows:
        yield replace(_pod(row), page_sha256=page.sha256)


def _items(page: Page) -> list[Any]:
    body = json_of(page)
    if isinstance(body, dict) and "items" not in body and ("detail" in body or "errors" in body):
        raise ErrorAnswer(f"Prime Intellect answered an error: {str(body.get('detail') or body.get('errors'))[:120]}")
    items = field_of(body, "items", page)
    if not isinstance(items, list):
        raise LayoutChanged(f"{page.name}: 'items' is not a list")
    return items


def _pod(row: Mapping[str, Any]) -> Quote | Unreadable:
    sku, card = text_of(row.get("cloudId")), text_of(row.get("gpuType"))
    gpu, count = f"{card} {text_of(row.get('socket'))}".strip(), whole_of(row.get("gpuCount"))
    if not sku or not card or count is None or count < 1:
        return Unreadable("unreadable", f"pod {sku[:60]!r} with {str(row.get('gpuCount'))[:20]} GPUs", sku, gpu)
    if row.get("prepaidTime") is not None:
        return Unreadable("unknown_pricing", f"paid ahead for {str(row['prepaidTime'])[:40]}", sku, gpu)
    spot = False if row.get("isSpot", "") is None else flag_of(row.get("isSpot"))
    if spot is None:
        return Unreadable("unknown_pricing", f"isSpot is {str(row.get('isSpot'))[:40]}", sku, gpu)
    printed = at(row, "prices", "onDemand") or at(row, "prices", "communityPrice")
    price = decimal_of(printed)
    if price is None or price <= 0:
        return Unreadable("not_a_price", f"{count} of {gpu[:60]} at {str(printed)[:40]}", sku, gpu)
    return Quote(
        sku=sku,
        gpu=gpu,
        gpu_count=Decimal(count),
        amount=price,
        unit="per_instance_hour",
        pricing="spot" if spot else "on_demand",
        currency=text_of(at(row, "prices", "currency")).upper() or "USD",
        region="/".join(filter(None, (text_of(row.get("country")), text_of(row.get("dataCenter"))))),
        gpu_memory_gb=decimal_of(row.get("gpuMemory")),
        vcpus=decimal_of(at(row, "vcpu", "defaultCount")),
        memory_gb=decimal_of(at(row, "memory", "defaultCount")),
        tier=text_of(row.get("security")).removesuffix("_cloud"),
        available=IN_STOCK.get(text_of(row.get("stockStatus")).lower().replace(" ", "_")),
        fabric="single_node",
        broker_of=provider_named(text_of(row.get("provider"))),
    )


SOURCE = Source(
    name="primeintellect",
    title="Prime Intellect",
    homepage="https://www.primeintellect.ai",
    kind="marketplace",
    access="api",
    every=timedelta(hours=1),
    urls=(URL,),
    fetch=fetch,
    parse=parse,
    secret=KEY,
    unit_note="USD per hour of a whole pod with its default disk, of the cloud it is resold for",
    traps="the price is of all GPUs of the pod and has a disk in it; the card's form is in `socket`; 100 rows a page; "
    "the home page prints the lowest price of each card only",
)
