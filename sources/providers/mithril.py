"""Mithril: an auction of GPU machines behind a key, in cents per hour of a whole machine.

Three lists make a price: the machines, the auctions of machines by region, and the current prices of one machine in
one region, asked for each. A winner pays the highest bid that lost, or the floor where none lost, so the spot price may
stand at `minimum_price_cents`. That is what a machine goes for while some are known to be free; else it is only the
lowest bid the auction takes, and so is what stands a cent above it: a price shows that it is none by its distance from
the floor. `lowest_allocated_bid_cents` is a limit and paid by nobody. The reserved price is of a block of 3 hours to 2
weeks that starts now. One name may be several machines, one for each region.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import Any
from urllib.parse import parse_qs, urlsplit

from models.offers import Fabric, Quote, Unreadable
from sources.http import Http, json_of
from sources.reading import decimal_of, require_fields, rows_of, text_of, whole_of
from sources.source import ErrorAnswer, LayoutChanged, Page, Source

API = "https://api.mithril.ai/v2"
KEY = "MITHRIL_API_KEY"
MACHINES, AUCTIONS, PRICES = "instance-types.json", "spot-availability.json", "prices"
ABOVE_FLOOR = Decimal("1.1")  # from here on a price is what bids made it
BLOCK_HOURS = Decimal(3)  # the shortest reservation
SHAPE = ("fid", "name", "num_gpus", "gpu_type", "gpu_memory_gb", "gpu_socket")


def fetch(http: Http) -> Iterator[Page]:
    bearer = {"Authorization": f"Bearer {http.secret(KEY)}"}
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
    access="api",
    every=timedelta(hours=1),
    urls=(API,),
    fetch=fetch,
    parse=parse,
    secret=KEY,
    unit_note="US cents per hour of a whole machine: what the auction clears at, and a block of 3 hours to 2 weeks",
    traps="the floor of an auction, or a cent above it, is a price only while machines are free; the lowest bid that "
    "won is a limit that nobody pays; the pricing page shows averages of seven days",
)
