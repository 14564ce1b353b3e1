"""Spheron: a broker of brokers; machines of other clouds and of its own, in USD per hour of a whole machine.

The list answers without a key; with SPHERON_API_KEY it is asked as its documentation says. Machines stand in groups by
card, `gpuType` "A100_80G_SXM4", and each in one or more `clusters`. `price` is of all GPUs, with a fifth put on top of
the cloud's own and its disk in it; a `spot_price` beside it has no disk. A machine of instance type SPOT has its spot
price in either field. `available` says true of everything, machines in `maintenance` too. Where the id of a machine
names another card than its group (an A100 of 40 GB or of SXM form among PCIe cards of 80 GB), neither is believed;
but a DGX is NVIDIA's own machine and holds SXM cards alone, whatever its group. Machines "n3-" are of Hyperstack, by
its names of machines and regions, though the list calls them Spheron's.
In the group H100_NVL stand its PCIe cards with a bridge, 80 GB: without a memory, or the bridge in the id, a card there
may be the one of 94 GB, and is unknown.
A region may have a code of the route before it, "166e655a:culpeper-usa-1". CPU nodes have no GPUs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import Any

from models.offers import Pricing, Quote, Unreadable
from sources.brokers import provider_named
from sources.http import Http, json_of
from sources.reading import decimal_of, field_of, flag_of, require_fields, rows_of, text_of, whole_of
from sources.source import ErrorAnswer, LayoutChanged, Page, Source, TruncatedAnswer

URL = "https://app.spheron.ai/api/gpu-offers"
KEY = "SPHERON_API_KEY"
PAGE_GROUPS, MOST_PAGES = 100, 20
FIELDS = ("provider", "offerId", "gpuCount", "price", "clusters", "instanceType")


def fetch(http: Http) -> Iterator[Page]:
    key = http.secret(KEY)
    for number in range(1, MOST_PAGES + 1):
        page = http.get(
            URL,
            params={"page": number, "limit": PAGE_GROUPS},
            secret_headers={"Authorization": f"Bearer {key}"} if key else None,
            name=f"gpu-offers-{number}.json",
        )
        yield page
        if number >= _pages(page):
            return
    raise TruncatedAnswer(f"the offers go on after {MOST_PAGES} pages")


def parse(pages: Sequence[Page]) -> Iterator[Quote | Unreadable]:
    """Raises TruncatedAnswer when pages are missing."""
    listed = [(page, group) for page in pages for group in _groups(page)]
    offers = [(page, group, offer) for page, group in listed for offer in rows_of(group.get("offers"))]
    for page in pages:
        if _pages(page) > len(pages):
            raise TruncatedAnswer(f"{len(pages)} of {_pages(page)} pages of offers")
        require_fields([group for _, group in listed], ("gpuType", "offers"), page)
        require_fields([offer for *_, offer in offers], FIELDS, page)
    for page, group, offer in offers:
        for row in _machine(text_of(group.get("gpuType")), offer):
            yield replace(row, page_sha256=page.sha256)


def _pages(page: Page) -> int:
    return whole_of(field_of(json_of(page), "totalPages", page)) or 0


def _groups(page: Page) -> list[Mapping[str, Any]]:
    body = json_of(page)
    if isinstance(body, dict) and "data" not in body and ("error" in body or "message" in body):
        raise ErrorAnswer(f"Spheron answered an error: {str(body.get('message') or body.get('error'))[:120]}")
    groups = field_of(body, "data", page)
    if not isinstance(groups, list):
        raise LayoutChanged(f"{page.name}: 'data' is not a list")
    return list(rows_of(groups))


def _machine(card: str, offer: Mapping[str, Any]) -> Iterator[Quote | Unreadable]:
    """A machine in each of its clusters, at its price and at its spot price."""
    sku, count, sold = (
        text_of(offer.get("offerId")),
        whole_of(offer.get("gpuCount")),
        text_of(offer.get("instanceType")),
    )
    price, spot = decimal_of(offer.get("price")), decimal_of(offer.get("spot_price"))
    if count == 0:
        return
    if not sku or not card or count is None or count < 0:
        yield Unreadable("unreadable", f"machine {sku[:60]!r} with {str(count)[:20]} of {card[:60]!r}", sku, card)
        return
    if _contradicts(sku, card):
        yield Unreadable("unknown_sku", f"{sku[:80]} stands among {card}", sku, card)
        return
    memory = decimal_of(offer.get("gpu_memory")) or None  # 0 where it is not known
    if card == "H100_NVL" and memory is None and "NVLINK" not in sku.upper():
        yield Unreadable("unknown_gpu", f"{sku[:80]}: an H100 of 80 or of 94 GB", sku, card)
        return
    card = card.replace("PCIE", "SXM4") if card.startswith("A100") and "DGX" in sku else card
    prices: dict[Pricing, Decimal | None] = {"on_demand": price, "spot": spot}
    if sold == "SPOT":
        prices = {"spot": spot or price}
    elif sold != "DEDICATED":
        yield Unreadable("unknown_pricing", f"{sku[:80]} is sold as {sold[:40]!r}", sku, card)
        return
    good = {pricing: amount for pricing, amount in prices.items() if amount is not None and amount > 0}
    if not good:
        yield Unreadable("not_a_price", f"{sku[:80]} at {str(offer.get('price'))[:40]}", sku, card)
        return
    clusters = offer.get("clusters")
    regions = [text_of(cluster).rpartition(":")[2] for cluster in clusters] if isinstance(clusters, list) else []
    quote = Quote(
        sku=sku,
        gpu=card,
        gpu_count=Decimal(count),
        amount=Decimal(0),
        unit="per_instance_hour",
        pricing="on_demand",
        gpu_memory_gb=memory,
        vcpus=decimal_of(offer.get("vcpus")),
        memory_gb=decimal_of(offer.get("memory")),
        available=False if flag_of(offer.get("maintenance")) or flag_of(offer.get("available")) is False else None,
        fabric="single_node",
        broker_of=_owner(sku, text_of(offer.get("provider"))),
    )
    for region in regions or [""]:
        yield from (replace(quote, amount=good[pricing], pricing=pricing, region=region) for pricing in good)


def _owner(sku: str, cloud: str) -> str:
    """Who runs the machine; a cloud of Spheron's own is no broker's."""
    if cloud.startswith("spheron"):
        return "hyperstack" if sku.startswith("n3-") else ""
    return provider_named(cloud)


def _contradicts(sku: str, card: str) -> bool:
    """The id names another form than the group, or leaves out the memory that tells two cards apart."""
    named = sku.upper()
    sizes = (("A100", "80G"), ("V100", "32G"))
    return ("PCIE" in card and "SXM" in named) or any(
        f"{chip}_{size}" in card and named.startswith(chip) and size not in named for chip, size in sizes
    )


SOURCE = Source(
    name="spheron",
    title="Spheron",
    homepage="https://www.spheron.network",
    kind="marketplace",
    access="api",
    every=timedelta(hours=1),
    urls=(URL,),
    fetch=fetch,
    parse=parse,
    optional_secret=KEY,
    unit_note="USD per hour of a whole machine of the cloud it is resold for, a fifth on top, the disk in it",
    traps="prices are of all GPUs; available is true of machines in maintenance; a group of 80 GB cards holds machines "
    "of 40 GB; some machines are resold twice over; the pricing page prints one figure per card",
)
