"""Mithril: an auction of GPU machines. The page says what each went for on average; the auction is behind a key.

The page prints a machine with its size, "H100 SXM5 (8 GPUs, 168 vCPUs, 1,814 GB RAM, ...)", and "$12.03 instance/hr",
"Spot (7-day avg)": an average of a week, not what anybody is sure of today. With a key it is not asked.

Behind the key prices are in cents per hour of a whole machine, and three lists make one: the machines, the auctions
of machines by region, and the current prices of one machine in one region, asked for each. A winner pays the highest
bid that lost, or the floor where none lost, so the spot price may stand at `minimum_price_cents`. That is what a
machine goes for while some are known to be free; else it is only the lowest bid the auction takes, and so is what
stands a cent above it: a price shows that it is none by its distance from the floor. `lowest_allocated_bid_cents` is
a limit and paid by nobody. The reserved price is of a block of 3 hours to 2 weeks that starts now. One name may be
several machines, one for each region.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import Any
from urllib.parse import parse_qs, urlsplit

from models.offers import MARKET_AVERAGE, Fabric, Quote, Unreadable
from sources.http import Http, json_of
from sources.markup import cell_text, soup_of
from sources.reading import decimal_of, require_fields, rows_of, text_of, whole_of
from sources.source import ErrorAnswer, LayoutChanged, Page, Source

PAGE = "https://mithril.ai/pricing"
API = "https://api.mithril.ai/v2"
KEY = "MITHRIL_API_KEY"
MACHINES, AUCTIONS, PRICES = "instance-types.json", "spot-availability.json", "prices"
ABOVE_FLOOR = Decimal("1.1")  # from here on a price is what bids made it
BLOCK_HOURS = Decimal(3)  # the shortest reservation
# on the page, whatever stands around it
MACHINE = re.compile(
    r"(?P<gpu>[A-Z]+\d+\w* [A-Za-z]+\d?)\W+(?P<gpus>\d+) GPUs?, (?P<vcpus>\d+) vCPUs, (?P<ram>[\d,]+) GB RAM"
)
PRICE = re.compile(  # with what makes it another price: a range, "from", dollars of another country
    r"((?:\b(?:from|at|as low as|up to|than|was) |[-~\u2013\u2014\u2248] ?|\w)?)\$(\d[\d,]*(?:\.\d+)?) instance/hr",
    re.IGNORECASE,
)
AVERAGE = "Spot (7-day avg)"
SHAPE = ("fid", "name", "num_gpus", "gpu_type", "gpu_memory_gb", "gpu_socket")


def fetch(http: Http) -> Iterator[Page]:
    key = http.secret(KEY)
    if not key:
        yield http.get(PAGE, name="pricing.html")
        return
    bearer = {"Authorization": f"Bearer {key}"}
    machines = http.get(f"{API}/instance-types", secret_headers=bearer, name=MACHINES)
    auctions = http.get(f"{API}/spot/availability", secret_headers=bearer, name=AUCTIONS)
    yield from (machines, auctions)
    sold = _listed(auctions, ("instance_type", "region"))
    for machine, region in sorted({(text_of(row.get("instance_type")), text_of(row.get("region"))) for row in sold}):
        yield http.get(
            f"{API}/pricing/current",
            params={"instance_type": machine, "region": region},
            secret_headers=bearer,
            name=f"{PRICES}-{machine}-{region}.json",
        )


def parse(pages: Sequence[Page]) -> Iterator[Quote | Unreadable]:
    for page in pages:
        if page.name.endswith(".html"):
            yield from _averages(page)
    machines = {
        text_of(machine.get("fid")): machine
        for page in pages
        if page.name == MACHINES
        for machine in _listed(page, SHAPE)
    }
    priced = [(page, _answer(page)) for page in pages if page.name.startswith(PRICES)]
    for page, answer in priced:
        if not isinstance(answer, dict):
            raise LayoutChanged(f"{page.name}: not an object")
        require_fields([answer for _, answer in priced], ("spot_price_cents", "minimum_price_cents"), page)
        asked = parse_qs(urlsplit(page.url).query)
        machine, region = asked.get("instance_type", [""])[0], asked.get("region", [""])[0]
        for row in _prices(machines.get(machine, {}), region, answer):
            yield replace(row, page_sha256=page.sha256)


def _averages(page: Page) -> Iterator[Quote | Unreadable]:
    """What each machine of the page went for, on average of seven days."""
    text = cell_text(soup_of(page))
    machines = list(MACHINE.finditer(text))
    if not machines or not PRICE.search(text):
        raise LayoutChanged(f"{page.name}: no machine with its size, or no price by the hour of an instance")
    ends = [machine.start() for machine in machines[1:]] + [len(text)]
    for machine, end in zip(machines, ends, strict=True):
        said = text[machine.end() : end]
        sku, prices = f"{machine['gpu']} x{machine['gpus']}", PRICE.findall(said)
        if len(prices) != 1 or prices[0][0] or AVERAGE not in said:
            yield Unreadable("not_a_price", f"{sku}: {said[:120]}", sku, machine["gpu"])
            continue
        yield Quote(
            sku=sku,
            gpu=machine["gpu"],
            gpu_count=Decimal(machine["gpus"]),
            amount=Decimal(prices[0][1].replace(",", "")),
            unit="per_instance_hour",
            pricing="spot",
            tier=MARKET_AVERAGE,
            vcpus=Decimal(machine["vcpus"]),
            memory_gb=Decimal(machine["ram"].replace(",", "")),
            page_sha256=page.sha256,
        )


def _answer(page: Page) -> Any:
    answer = json_of(page)
    if isinstance(answer, dict) and "detail" in answer:
        raise ErrorAnswer(f"Mithril answered an error: {str(answer['detail'])[:120]}")
    return answer


def _listed(page: Page, fields: Sequence[str]) -> list[Mapping[str, Any]]:
    answer = _answer(page)
    if not isinstance(answer, list):
        raise LayoutChanged(f"{page.name}: not a list")
    rows = list(rows_of(answer))
    require_fields(rows, fields, page)
    return rows


def _prices(machine: Mapping[str, Any], region: str, prices: Mapping[str, Any]) -> Iterator[Quote | Unreadable]:
    """What the machine costs now at auction, and reserved for a block of hours."""
    sku, gpu = text_of(machine.get("name")), f"{text_of(machine.get('gpu_type'))} {text_of(machine.get('gpu_socket'))}"
    count, free = whole_of(machine.get("num_gpus")), whole_of(prices.get("available_capacity"))
    spot, floor, reserved = (decimal_of(prices.get(f"{kind}_price_cents")) for kind in ("spot", "minimum", "reserved"))
    if count == 0:
        return
    if not sku or count is None or count < 0:
        yield Unreadable("unknown_sku", f"{sku or 'a machine that is not listed'} with {count} GPUs", sku, gpu, region)
        return
    links = whole_of(machine.get("ib_count"))  # InfiniBand ports
    fabric: Fabric | None = None if links is None else "multi_node" if links > 0 else "single_node"
    quote = Quote(
        sku=sku,
        gpu=gpu.strip(),
        gpu_count=Decimal(count),
        amount=Decimal(0),
        unit="per_instance_hour",
        pricing="spot",
        region=region,
        gpu_memory_gb=decimal_of(machine.get("gpu_memory_gb")),
        vcpus=decimal_of(machine.get("num_cpus")),
        memory_gb=decimal_of(machine.get("ram_gb")),
        fabric=fabric,
    )
    clear_of_floor = spot is not None and floor is not None and spot >= floor * ABOVE_FLOOR
    if spot is None or spot <= 0 or not (clear_of_floor or (free is not None and free > 0)):
        said = f"{sku}: spot {prices.get('spot_price_cents')}, floor {prices.get('minimum_price_cents')}, {free} free"
        yield Unreadable("not_a_price", said[:200], sku, gpu, region)
    else:
        yield replace(quote, amount=spot / 100, available=None if free is None else free > 0, quantity=free)
    if reserved is not None and reserved > 0:
        block = replace(quote, pricing="capacity_block", tier="reservation", minimum_hours=BLOCK_HOURS)
        yield replace(block, amount=reserved / 100)


SOURCE = Source(
    name="mithril",
    title="Mithril",
    homepage="https://mithril.ai",
    kind="marketplace",
    access="page",
    every=timedelta(hours=1),
    urls=(PAGE,),
    hosts=("api.mithril.ai",),
    fetch=fetch,
    parse=parse,
    optional_secret=KEY,
    unit_note="USD per hour of a whole machine on the page, US cents in the API: what the auction clears at, and a "
    "block of 3 hours to 2 weeks",
    traps="the page shows averages of seven days, which are in no cost table; the floor of an auction, or a cent above "
    "it, is a price only while machines are free; the lowest bid that won is a limit that nobody pays",
)
