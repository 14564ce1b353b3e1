"""Hetzner: the price file behind the site's product pages, one JSON object by product key, in EUR without VAT, no key.

GPUs are sold as dedicated GEX servers of one card each; the file knows a server only by its key, so the GEX servers
are listed here. A product has an entry for each data centre, with `hourly`, `monthly` and the one-time `setup` price in
several currencies as text. Hours are billed up to the price of the month, so both are quoted: the hour for short use,
the month (624 of those hours) for longer. The setup fee, about a month's rent, is due once at any length and is no part
of either. A price without a stated fee is not quoted. An IPv4 address is billed apart (1.70 EUR a month). `active` says
that a place is offered, not that a server is in stock.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from decimal import Decimal
from typing import Any

from models.offers import Quote, Unreadable
from sources.http import json_of
from sources.reading import at, decimal_of, field_of, flag_of, rows_of, text_of
from sources.source import LayoutChanged, Page, Source

URL = "https://www.hetzner.com/_resources/app/data/app/live_data_prices.json"


@dataclass(frozen=True, slots=True)
class Server:
    name: str
    gpu: str
    gpu_memory_gb: int
    threads: int  # of the host's processor
    memory_gb: int


SERVERS = {  # www.hetzner.com/dedicated-rootserver/matrix-gpu, October 2026
    "ROBOT_1768": Server("GEX45", "RTX PRO 4000 Blackwell SFF", 24, 20, 64),
    "ROBOT_1767": Server("GEX63", "RTX PRO 6000 Blackwell Max-Q", 96, 20, 128),
    "ROBOT_1747": Server("GEX131", "RTX PRO 6000 Blackwell Max-Q", 96, 48, 256),
}


def parse(pages: Sequence[Page]) -> Iterator[Quote | Unreadable]:
    for page in pages:
        products = field_of(json_of(page), "products", page)
        if not isinstance(products, dict) or not SERVERS.keys() & products.keys():
            raise LayoutChanged(f"{page.name}: none of the products is a GPU server that is known")
        for key, server in SERVERS.items():
            places = list(rows_of(at(products, key, "locations")))
            if not places:
                detail = f"{server.name}, {key}, is at no place of the list"
                yield Unreadable("not_a_price", detail, server.name, server.gpu)
            for place in places:
                yield from _read(server, place)


def _read(server: Server, place: Mapping[str, Any]) -> Iterator[Quote | Unreadable]:
    hourly = decimal_of(at(place, "prices", "hourly", "EUR"))
    monthly = decimal_of(at(place, "prices", "monthly", "EUR"))
    setup = decimal_of(at(place, "prices", "setup", "EUR"))
    region = text_of(place.get("datacenter"))
    if monthly is None or monthly <= 0 or setup is None or setup < 0:
        detail = f"{server.name}: a monthly price of {str(monthly)[:20]} with a setup fee of {str(setup)[:20]}"
        yield Unreadable("not_a_price", detail, server.name, server.gpu, region)
        return
    month = Quote(
        sku=server.name,
        gpu=server.gpu,
        gpu_count=Decimal(1),
        amount=monthly,
        currency="EUR",
        unit="per_instance_month",
        pricing="on_demand",
        region="" if region == "ALL" else region,
        gpu_memory_gb=Decimal(server.gpu_memory_gb),
        vcpus=Decimal(server.threads),
        memory_gb=Decimal(server.memory_gb),
        term_months=1,
        upfront=setup,
        available=False if flag_of(place.get("active")) is False else None,
        fabric="single_node",
    )
    yield month
    if hourly is not None and hourly > 0:
        yield replace(month, amount=hourly, unit="per_instance_hour", term_months=None)
    elif hourly != 0 and (said := at(place, "prices", "hourly", "EUR") or at(place, "prices", "hourly")):
        detail = f"{server.name}: an hourly price of {str(said)[:40]}"
        yield Unreadable("not_a_price", detail, server.name, server.gpu, region)


SOURCE = Source(
    name="hetzner",
    title="Hetzner",
    homepage="https://www.hetzner.com/dedicated-rootserver/matrix-gpu/",
    kind="hyperscaler",
    access="catalogue",
    every=timedelta(days=1),
    urls=(URL,),
    parse=parse,
    unit_note="EUR without VAT for a month or an hour of a dedicated server with one GPU, beside a one-off setup fee",
    traps="the setup fee is about one month's rent and due once; IPv4 is apart; the file names no server and no card, "
    "only keys; a place may be listed and out of stock; prices have risen three times in 2026",
)
