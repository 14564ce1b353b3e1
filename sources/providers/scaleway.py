"""Scaleway: the instance API's list of server types, a zone at a time, in EUR per instance-hour, no key.

A zone answers two lists, each in pages whose `servers` is an object by commercial type: the types with card, host
and `hourly_price` before tax, and how available each is. Memory is in bytes, that of `gpu_info` of one GPU.
`monthly_price` is the hourly one times 730 and no further price. Types cut from a card (`mig_profile`) and types
that are no longer sold are passed over. Only the zones where GPUs are sold are asked. The price of a GPU depends on
the size: eight B300 cost less each than two. Instances are joined by Ethernet of 20 Gbit/s at most.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import Any

from models.offers import Quote, Unreadable
from sources.http import Http, json_of
from sources.reading import decimal_of, field_of, flag_of, require_fields, stated_currency, text_of
from sources.source import LayoutChanged, Page, Source, TruncatedAnswer

URL = "https://api.scaleway.com/instance/v1/zones/{zone}/products/servers"
ZONES = ("fr-par-1", "fr-par-2", "pl-waw-2")
MOST_PAGES = 20
GIB = 2**30
ON_SALE = {"available": True, "scarce": True, "shortage": False}


def _fetcher(zone: str) -> Callable[[Http], Iterator[Page]]:
    def fetch(http: Http) -> Iterator[Page]:
        for name, path in (("servers", ""), ("availability", "/availability")):
            url = URL.format(zone=zone) + path
            for number in range(1, MOST_PAGES + 1):
                asked = {"per_page": 100, "page": number}
                page = http.get(url, params=asked, name=f"{name}-{number}.json", book=zone)
                if not _servers(page):
                    break
                yield page
            else:
                raise TruncatedAnswer(f"{zone}: the {name} go on after {MOST_PAGES} pages")

    return fetch


def parse(pages: Sequence[Page]) -> Iterator[Quote | Unreadable]:
    """The pages of one zone; the list of types may come without that of their availability."""
    on_sale: dict[str, bool | None] = {}
    listed: list[tuple[Page, dict[str, Mapping[str, Any]]]] = []
    for page in pages:
        servers = _servers(page)
        if any("availability" in row for row in servers.values()):
            on_sale |= {sku: _on_sale(row.get("availability")) for sku, row in servers.items()}
        else:
            listed.append((page, servers))
    rows = [row for _, servers in listed for row in servers.values()]
    if not rows:
        raise LayoutChanged("no page lists server types")
    require_fields(rows, ("gpu", "gpu_info", "hourly_price", "ncpus", "ram"), listed[0][0])
    for page, servers in listed:
        for sku, row in servers.items():
            said = _read(sku, row, page.book, on_sale.get(sku))
            if said is not None:
                yield replace(said, page_sha256=page.sha256)


def _servers(page: Page) -> dict[str, Mapping[str, Any]]:
    servers = field_of(json_of(page), "servers", page)
    if not isinstance(servers, dict):
        raise LayoutChanged(f"{page.name}: 'servers' is not an object")
    return {sku: row for sku, row in servers.items() if isinstance(row, dict)}


def _read(sku: str, row: Mapping[str, Any], zone: str, available: bool | None) -> Quote | Unreadable | None:
    """One type; None for one without a GPU of its own, or that is no longer sold."""
    info = row.get("gpu_info")
    count, card = decimal_of(row.get("gpu")), info if isinstance(info, dict) else {}
    if (not count and not card) or row.get("mig_profile") or (gone := flag_of(row.get("end_of_service", False))):
        return None
    name = text_of(card.get("gpu_name"))
    if gone is None:
        return Unreadable("unreadable", f"{sku}: end_of_service is {str(row['end_of_service'])[:40]}", sku, name, zone)
    if not name or count is None or count <= 0:
        return Unreadable("unknown_sku", f"{sku} has {str(count)[:20]} GPUs of the name {name!r}", sku, name, zone)
    price = decimal_of(row.get("hourly_price"))
    if price is None or price <= 0:
        detail = f"{sku}: the hourly price is {str(row.get('hourly_price'))[:40]}"
        return Unreadable("not_a_price", detail, sku, name, zone)
    return Quote(
        sku=sku,
        gpu=name,
        gpu_count=count,
        amount=price,
        currency=stated_currency("EUR", row),
        unit="per_instance_hour",
        pricing="on_demand",
        region=zone,
        gpu_memory_gb=_gib(card.get("gpu_memory")),
        vcpus=decimal_of(row.get("ncpus")),
        memory_gb=_gib(row.get("ram")),
        available=available,
        fabric="single_node",
    )


def _on_sale(said: object) -> bool | None:
    return ON_SALE.get(text_of(said).lower(), flag_of(said))


def _gib(size: object) -> Decimal | None:
    number = decimal_of(size)
    return None if number is None else number / GIB


SOURCE = Source(
    name="scaleway",
    title="Scaleway",
    homepage="https://www.scaleway.com/en/pricing/gpu/",
    kind="hyperscaler",
    access="api",
    every=timedelta(days=1),
    urls=tuple(URL.format(zone=zone) for zone in ZONES),
    parts={zone: _fetcher(zone) for zone in ZONES},
    parse=parse,
    unit_note="EUR per instance-hour before tax, host included",
    traps="the product catalogue of the same site prices L4 by the minute and others by the hour; the price of a GPU "
    "falls with the size of the instance; a shortage keeps its price; monthly_price is 730 hours",
)
