"""Hyperstack: the price page by default, USD per GPU-hour; with HYPERSTACK_API_KEY the price book and the flavours.

The page is a set of cards of the same look: on demand, reservation, spot, then CPUs and storage. The title of a
card tells the pricing, its head the columns. Reservations are "starting from", without a term: no price. "NVLink"
is a bridge between PCIe cards of 80 GB, and a bare "H100" or "A100" is the PCIe card too. The page names no sizes;
the flavours have eight GPUs to a machine for SXM and NVLink, one to eight for the others.

The price book lists resources, GPUs among them, at USD per hour of one. `value` is what the owner of the key pays,
under a contract that may be secret; `original_value` is the list price and the only one read. Flavours tell which
resources are GPUs, in what sizes they are rented, where, and whether any are left; vCPUs and RAM cost nothing more.
Spot flavours end in "-spot". Machines are rented one by one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from bs4 import Tag

from models.offers import Pricing, Quote, Unreadable
from sources.http import json_of
from sources.markup import cell_text, soup_of
from sources.reading import decimal_of, field_of, flag_of, money_of, require_fields, rows_of, text_of
from sources.source import ErrorAnswer, LayoutChanged, Page, Source
from sources.tables import by_header

if TYPE_CHECKING:
    from sources.http import Http

PAGE = "https://www.hyperstack.cloud/gpu-pricing"
API = "https://infrahub-api.nexgencloud.com/v1"
KEY = "HYPERSTACK_API_KEY"

CARD = "page-price_card"
MODEL, MEMORY, VCPUS, HOST_MEMORY = "GPU Model", "VRAM (GB)", "Max pCPUs per GPU", "Max RAM (GB) per GPU"
IN_WHOLE_NODES = re.compile(r"\b(SXM|NVLink|B200|B300)\b")
ON_DEMAND, SPOT, RESERVED = "On-Demand GPU Pricing", "Spot VM Pricing", "Reservation Pricing"
COLUMNS: dict[str, tuple[str, ...]] = {  # the price first
    ON_DEMAND: ("Pricing Per Hour", MODEL, MEMORY, VCPUS, HOST_MEMORY),
    SPOT: ("Spot VM", MODEL),
    RESERVED: ("Starting from", MODEL),
}
UNREAD = ("Reserve",)  # over the buttons


def fetch(http: Http) -> Iterator[Page]:
    if key := http.secret(KEY):
        for name in ("pricebook", "core/flavors"):
            yield http.get(f"{API}/{name}", secret_headers={"api_key": key}, name=f"{name.split('/')[-1]}.json")
    else:
        yield http.get(PAGE, name="gpu-pricing.html")


def parse(pages: Sequence[Page]) -> Iterator[Quote | Unreadable]:
    answers = {page.name: page for page in pages if page.name.endswith(".json")}
    if not answers:
        for page in pages:
            yield from _price_page(page)
        return
    for name in ("pricebook.json", "flavors.json"):
        if name not in answers:
            raise LayoutChanged(f"{name} is missing beside {', '.join(answers)}")
    book, flavours = answers["pricebook.json"], answers["flavors.json"]
    yield from (replace(row, page_sha256=book.sha256) for row in _flavours(_list_prices(book), flavours))


def _price_page(page: Page) -> Iterator[Quote | Unreadable]:
    read = set()
    for card in soup_of(page).find_all(class_=CARD):
        heading = card.find("h3")
        title = cell_text(heading) if heading else ""
        columns = [cell_text(column) for column in card.find_all(class_=f"{CARD}_head_item")]
        if title in COLUMNS:
            read.add(title)
            for row in card.find_all(class_=f"{CARD}_row_item"):
                yield from _gpu(title, columns, row, page)
        elif MODEL in columns:
            yield Unreadable("unreadable", f"GPU prices under the title {title!r}")
    if ON_DEMAND not in read:
        raise LayoutChanged(f"{page.name}: no card is titled {ON_DEMAND!r}")
    if SPOT not in read:
        yield Unreadable("layout_changed", f"{page.name}: no card is titled {SPOT!r}")


def _gpu(title: str, columns: Sequence[str], row: Tag, page: Page) -> Iterator[Quote | Unreadable]:
    texts = [cell_text(cell) for cell in row.find_all(class_=f"{CARD}_row_item_col")]
    cells = by_header(columns, texts, COLUMNS[title], page, UNREAD)
    name, printed = cells[MODEL], cells[COLUMNS[title][0]]
    price = money_of(printed)
    if price is None or title == RESERVED:
        said = f"{name}, {title}: {'starting from ' if title == RESERVED else ''}{printed or 'empty'}"
        yield Unreadable("not_a_price", said, name, name)
        return
    for size in (8,) if IN_WHOLE_NODES.search(name) else (1, 8):
        yield Quote(
            sku=name,
            gpu=name,
            gpu_count=Decimal(size),
            amount=price,
            unit="per_gpu_hour",
            pricing="spot" if title == SPOT else "on_demand",
            gpu_memory_gb=decimal_of(cells.get(MEMORY)),
            vcpus=decimal_of(cells.get(VCPUS)) if size == 1 else None,
            memory_gb=decimal_of(cells.get(HOST_MEMORY)) if size == 1 else None,
            fabric="single_node",
        )


def _list_prices(page: Page) -> dict[str, Decimal | None]:
    """List price per hour of every resource in the price book, None where it is no figure."""
    entries = list(rows_of(_answer(page)))
    require_fields(entries, ("name", "original_value"), page)
    return {text_of(entry.get("name")): decimal_of(entry.get("original_value")) for entry in entries}


def _flavours(prices: Mapping[str, Decimal | None], page: Page) -> Iterator[Quote | Unreadable]:
    groups = rows_of(field_of(_answer(page), "data", page))
    flavours = [flavour for group in groups for flavour in rows_of(group.get("flavors"))]
    require_fields(flavours, ("name", "gpu", "gpu_count", "region_name"), page)
    for flavour in flavours:
        gpu, count = text_of(flavour.get("gpu")), decimal_of(flavour.get("gpu_count"))
        if not gpu and not count:
            continue  # CPUs alone
        sku, region = text_of(flavour.get("name")), text_of(flavour.get("region_name"))
        card = gpu.removesuffix("-spot")
        pricing: Pricing = "on_demand" if card == gpu else "spot"
        price, left = prices.get(gpu), flavour.get("stock_available")
        if not sku or not gpu or count is None or count <= 0:
            yield Unreadable("bad_count", f"{sku}: {flavour.get('gpu_count')!r} of {gpu!r}", sku, card, region)
        elif price is None or price <= 0:
            yield Unreadable("not_a_price", f"{sku}: the price book has no list price of {gpu}", sku, card, region)
        else:
            yield Quote(
                sku=sku,
                gpu=card,
                gpu_count=count,
                amount=price,
                unit="per_gpu_hour",
                pricing=pricing,
                region=region,
                vcpus=decimal_of(flavour.get("cpu")),
                memory_gb=decimal_of(flavour.get("ram")),
                available=left if isinstance(left, bool) else None,
                fabric="single_node",
            )


def _answer(page: Page) -> Any:
    answer = json_of(page)
    if isinstance(answer, dict) and flag_of(answer.get("status")) is False:
        raise ErrorAnswer(f"Hyperstack answered an error under HTTP 200: {text_of(answer.get('message'))[:120]}")
    return answer


SOURCE = Source(
    name="hyperstack",
    title="Hyperstack",
    homepage="https://www.hyperstack.cloud",
    kind="gpu_cloud",
    access="page",
    every=timedelta(hours=6),
    unit_note="USD per GPU-hour, host included",
    urls=(PAGE,),
    hosts=("hyperstack.cloud", "infrahub-api.nexgencloud.com"),
    fetch=fetch,
    parse=parse,
    optional_secret=KEY,
    traps="NVLink means a bridge between PCIe cards of 80 GB, not the H100 NVL; reservations start from a price "
    "without a term; `value` in the price book is one customer's price, `original_value` the list price",
)
