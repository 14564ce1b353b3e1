"""Vast.ai: the open offer search of a marketplace, asked once for each GPU name.

`dph_base` and `min_bid` are USD per hour for ALL GPUs of the offer, without disk; `dph_total` adds a default
disk and is never a price here. `min_bid` is the least bid that is taken, not what a machine goes for: its tier
says so, and no cost is reckoned with it. A bid floor above the fixed price is no spot market. `gpu_ram` tells the
40 GB card from the 80 GB one of the same name. One machine is listed at 1, 2, 4 and 8 GPUs: those stay several
offers, each with the hash of its machine, so that they can be grouped. `duration` is the seconds until the host's
offer ends; what runs then is stopped.

The search answers at most 64 offers and says nothing about the rest, so a full answer is asked for again
from the dear end; if the two ends do not meet, the page says so in a row of its own. About ten calls a minute
are allowed: one each 7 s, 26 names and both ends of each take 6 minutes of the 9 that a look may last.

Hosts are people. Pages are reduced before they are kept: no host, address or name, and machines as hashes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import partial
from hashlib import blake2b
from typing import Any

from models.offers import BID_FLOOR, Quote, Unreadable
from sources.http import Http, json_of
from sources.reading import decimal_of, field_of, flag_of, rows_of, text_of, whole_of
from sources.source import ErrorAnswer, LayoutChanged, Page, Source

URL = "https://console.vast.ai/api/v0/bundles/"
CLAMP = 64  # offers in one answer, whatever limit is asked (August 2026)
# As the API spells them, with blanks. Cards that nobody trains on are left out to stay within the rate.
GPU_NAMES = (
    "A10", "A100 PCIE", "A100 SXM4", "A100X", "A40", "A800 PCIE", "B200", "B300", "H100 NVL", "H100 PCIE",
    "H100 SXM", "H200", "H200 NVL", "L4", "L40", "L40S", "MI300X", "RTX 3090", "RTX 4090", "RTX 5090",
    "RTX 6000Ada", "RTX A6000", "RTX PRO 5000", "RTX PRO 6000 S", "RTX PRO 6000 WS", "Tesla V100",
)  # fmt: skip
# What is kept of an offer, in this order.
KEPT = (
    "id", "machine_id", "gpu_name", "num_gpus", "gpu_frac", "gpu_ram", "cpu_cores_effective", "cpu_ram",
    "dph_base", "dph_total", "min_bid", "is_bid", "storage_cost", "rentable", "rented", "verification",
    "hosting_type", "geolocation", "bw_nvlink", "duration",
)  # fmt: skip
LONGEST_S = 10 * 366 * 86_400  # no host promises ten years
HAIR = Decimal("1.05")  # a bid floor this little above the fixed price is a host's rounding, not swapped fields


def fetch(gpu_name: str, http: Http) -> Iterator[Page]:
    """The cheap end of one GPU's offers and, where that is full, the dear end."""
    for end, order in (("cheap", "asc"), ("dear", "desc")):
        query = {
            "gpu_name": {"eq": gpu_name},
            "rentable": {"eq": True},
            "type": "on-demand",
            "order": [["dph_total", order]],
            "limit": CLAMP,
        }
        name = f"{gpu_name.lower().replace(' ', '-')}-{end}.json"
        page = http.post(URL, json=query, name=name, book=gpu_name)
        offers = _offers(page)
        yield replace(page, body=reduced(offers))
        if len(offers) < CLAMP:
            return


def reduced(offers: Iterable[Mapping[str, Any]]) -> bytes:
    """A kept page: only the plain fields of KEPT, and machines as hashes."""
    lines = (
        {name: offer[name] for name in KEPT if name in offer and not isinstance(offer[name], (dict, list))}
        for offer in map(_hashed, offers)
    )
    # float() restores the printed digits: they are the shortest that name the double the API holds
    texts = (json.dumps(line, default=float, separators=(",", ":")) for line in lines)
    return b'{"offers":[\n' + ",\n".join(texts).encode() + b"\n]}\n"


def _hashed(offer: Mapping[str, Any]) -> Mapping[str, Any]:
    """A pseudonym, stable over time so that a machine can be followed; it does not withstand trying all numbers."""
    machine = offer.get("machine_id")
    if isinstance(machine, bool) or not isinstance(machine, int):
        return offer
    return {**offer, "machine_id": "m" + blake2b(str(machine).encode(), digest_size=5, person=b"vast").hexdigest()}


def parse(pages: Sequence[Page]) -> Iterator[Quote | Unreadable]:
    """The offers of both ends, each once."""
    seen: set[str] = set()
    for page in pages:
        offers = _offers(page)
        new = [offer for offer in offers if str(offer.get("id")) not in seen]
        if seen and len(new) == len(offers) >= CLAMP:
            yield Unreadable("truncated", f"the {len(seen)} cheapest and {len(new)} dearest offers do not meet")
        seen |= {str(offer["id"]) for offer in new if offer.get("id") is not None}
        for offer in new:
            yield from (replace(row, page_sha256=page.sha256) for row in _rows(_hashed(offer), page.observed_at))


def _offers(page: Page) -> list[Mapping[str, Any]]:
    """The offers of an answer. Raises ErrorAnswer, and LayoutChanged when a field is gone from all of them."""
    body = json_of(page)
    if isinstance(body, dict) and "offers" not in body and (message := text_of(body.get("msg") or body.get("error"))):
        raise ErrorAnswer(f"Vast.ai answered an error under HTTP 200: {message}")
    offers = list(rows_of(field_of(body, "offers", page)))
    for field in ("id", "gpu_name", "num_gpus", "gpu_ram", "dph_base", "min_bid", "rentable", "rented"):
        if offers and not any(field in offer for offer in offers):
            raise LayoutChanged(f"{page.name}: no offer has the field {field!r}")
    return offers


def _rows(offer: Mapping[str, Any], looked_at: datetime) -> Iterator[Quote | Unreadable]:
    """The fixed price and the bid floor of one offer, as far as it has them."""
    gpu, count = text_of(offer.get("gpu_name")), whole_of(offer.get("num_gpus"))
    number = whole_of(offer.get("id"))
    sku = "" if number is None else str(number)
    region = text_of(offer.get("geolocation")).strip(", ")  # ", US" where the host names no state
    if not gpu or not sku or count is None or count < 1:
        yield Unreadable("unreadable", f"{offer.get('num_gpus')!r} GPUs named {gpu!r}", sku, gpu, region)
        return
    quote = Quote(
        sku=sku,
        gpu=gpu,
        gpu_count=Decimal(count),
        amount=Decimal(0),
        unit="per_instance_hour",
        pricing="on_demand",
        region=region,
        gpu_memory_gb=_gb(offer.get("gpu_ram")),
        vcpus=decimal_of(offer.get("cpu_cores_effective")),
        memory_gb=_gb(offer.get("cpu_ram")),
        tier=text_of(offer.get("verification")),
        available=flag_of(offer.get("rentable")) is True and flag_of(offer.get("rented")) is not True,
        offered_until=_last_day(offer.get("duration"), looked_at),
        fabric="single_node",
        machine=text_of(offer.get("machine_id")) or f"of offer {sku}",  # an offer is of one machine always
    )
    fixed, floor = decimal_of(offer.get("dph_base")), decimal_of(offer.get("min_bid"))
    if fixed is not None and floor is not None and floor > fixed * HAIR:
        said = f"bid floor {floor:f} above the fixed price {fixed:f}; the fields look swapped"
        yield Unreadable("spot_above_on_demand", said, sku, gpu, region)
        return
    if fixed is not None:
        yield replace(quote, amount=fixed)
    if floor is not None and (fixed is None or floor <= fixed):
        yield replace(quote, amount=floor, pricing="spot", tier=BID_FLOOR)
    if fixed is None and floor is None:
        yield Unreadable("not_a_price", "neither a fixed price without disk nor a bid floor", quote.sku, gpu, region)


def _last_day(seconds_left: object, looked_at: datetime) -> date | None:
    """The last whole day. Most offers end at midnight: ten minutes are added, so that looks a minute apart agree."""
    left = decimal_of(seconds_left)
    if left is None or not 0 <= left <= LONGEST_S:
        return None
    return (looked_at + timedelta(seconds=int(left), minutes=10)).date() - timedelta(days=1)


def _gb(mebibytes: object) -> Decimal | None:
    size = decimal_of(mebibytes)
    return None if size is None else size / 1024


SOURCE = Source(
    name="vast",
    title="Vast.ai",
    homepage="https://vast.ai",
    kind="marketplace",
    access="api",
    every=timedelta(hours=1),
    urls=(URL,),
    parts={name: partial(fetch, name) for name in GPU_NAMES},
    parse=parse,
    deadline=timedelta(minutes=9),
    requests_per_second=1 / 7,
    passed_over=("discounted_dph_total", "discountedTotalPerHour"),  # of reserving, in total
    unit_note="USD per hour of a whole offer of 1 to 16 GPUs, without disk; the bid floor likewise",
    traps=(
        "dph_total includes a disk; min_bid is for all GPUs of the offer and the least bid, not what a machine goes "
        "for; one name covers cards of 40 and 80 GB; one machine is listed at several sizes, so offers overstate "
        "supply; an answer holds 64 offers at most; numbers may be null; "
        "an offer ends with its duration, often within days"
    ),
)
