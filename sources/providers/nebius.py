"""Nebius: the price page, a table of USD per GPU-hour kept as JSON in the page's hydration scripts.

The scripts push pieces of one text, each a JSON string; put together, it holds blocks of the type
"highlight-table-block" whose first row is the header. Columns are found by their titles, because they have
moved: there were four with the price last, then five with the preemptible price before the on-demand one.
vCPUs and RAM belong to one GPU. "from" stands beside ranges of vCPUs and RAM: it is the price of the smallest
size, which the ranges state; without one it is the lowest of prices that move, and no price. A new price has stood
in a column of its own beside the old one, "GPU-hour (Effective October 1, 2026)", before its day and after it.
Two dashes mean that it is not sold so; a Markdown link "Contact us" that the
price is not public. HGX and NVL72 machines can be joined by InfiniBand, whole hosts at a time, at this price.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from models.naming.conditions import names_condition
from models.offers import Pricing, Quote, Unreadable
from sources.markup import pushed_text
from sources.reading import decimal_of, effective_date, price_of, text_of
from sources.source import LayoutChanged, Page, Source
from sources.tables import by_header

URL = "https://nebius.com/prices"

BLOCK = '"type":"highlight-table-block"'
ITEM, VCPUS, HOST_MEMORY = "Item", "vCPUs", "RAM, GB"
PER_GPU_HOUR = re.compile(r"\bGPU[- ]hour\b", re.IGNORECASE)
PRICINGS: dict[str, Pricing] = {  # whole titles: a "Price with commitment, GPU-hour" is another price
    "preemptible, gpu-hour": "spot",
    "on-demand, gpu-hour": "on_demand",
    "price per gpu-hour": "on_demand",
}
SMALLEST = re.compile(r"(\d+)(?:\W\d+)?")
RANGE = re.compile(r"\d+\W\d+")
EFFECTIVE = re.compile(r"\(effective [^)]*\)", re.IGNORECASE)
NOT_SOLD = re.compile(r"\W*")


def parse(pages: Sequence[Page]) -> Iterator[Quote | Unreadable]:
    for page in pages:
        found = False
        for block in _table_blocks(page):
            header, *rows = [[text_of(cell) for cell in row] for row in _rows(block)] or [[]]
            prices = _price_columns(header, page)
            if not prices:
                continue
            found = True
            if names_condition(text_of(block.get("title"))) or block.get("hidden"):
                yield Unreadable("missing_term", f"a table of prices under the title {text_of(block['title'])[:60]!r}")
                continue
            notice = effective_date(f"{block.get('title')} {block.get('description')}")
            for row in rows:
                yield from _gpu(by_header(header, row, (ITEM, VCPUS, HOST_MEMORY, *prices), page), prices, notice)
        if not found:
            raise LayoutChanged(f"{page.name}: no table has a column of prices per GPU-hour")


def _table_blocks(page: Page) -> Iterator[Mapping[str, Any]]:
    text = pushed_text(page)
    reader = json.JSONDecoder(parse_float=Decimal)
    for match in re.finditer(re.escape(BLOCK), text):
        try:
            block, _ = reader.raw_decode(text, text.rfind("{", 0, match.start()))
        except (ValueError, RecursionError) as error:
            raise LayoutChanged(f"{page.name}: a table block is cut short") from error
        if isinstance(block, dict):
            yield block


def _rows(block: Mapping[str, Any]) -> list[list[object]]:
    table = block.get("table")
    content = table.get("content") if isinstance(table, dict) else None
    return [row for row in content if isinstance(row, list)] if isinstance(content, list) else []


def _price_columns(header: Sequence[str], page: Page) -> dict[str, tuple[Pricing, date | None]]:
    """The titles over prices per GPU-hour, with the pricing each tells and the day from which it counts.

    None for CPUs, storage and services. Raises LayoutChanged for another title, and for two of one pricing and day.
    """
    columns: dict[str, tuple[Pricing, date | None]] = {}
    for title in header:
        if PER_GPU_HOUR.search(title):
            plain, since = " ".join(EFFECTIVE.sub("", title).lower().split()), effective_date(title)
            told = PRICINGS.get(plain, "on_demand" if plain == "gpu-hour" and since else None)
            if told is None or (told, since) in columns.values():
                raise LayoutChanged(f"{page.name}: what is a price under {title!r} among {', '.join(header)}?")
            columns[title] = told, since
    if columns and "on_demand" not in {pricing for pricing, _ in columns.values()}:
        raise LayoutChanged(f"{page.name}: no on-demand price among {', '.join(header)}")
    return columns


def _gpu(
    cells: Mapping[str, str], prices: Mapping[str, tuple[Pricing, date | None]], notice: date | None
) -> Iterator[Quote | Unreadable]:
    if not (name := cells.get(ITEM, "")):
        yield Unreadable("unreadable", f"a row of prices without a name: {', '.join(cells.values())}")
        return
    joined = re.search(r"\b(HGX|NVL72)\b", name)
    of_smallest = any(RANGE.fullmatch(cells.get(column, "")) for column in (VCPUS, HOST_MEMORY))
    for title, (pricing, since) in prices.items():
        said = cells.get(title, "")
        price = price_of(said)
        if price is not None and price.period in ("", "hour") and (of_smallest or not price.lowest):
            yield Quote(
                sku=name,
                gpu=name,
                gpu_count=Decimal(1),
                amount=price.amount,
                unit="per_gpu_hour",
                pricing=pricing,
                vcpus=_smallest(cells.get(VCPUS, "")),
                memory_gb=_smallest(cells.get(HOST_MEMORY, "")),
                tier="from" if price.lowest else "",
                minimum_gpus=1,
                effective_from=since or notice,
                fabric="multi_node" if joined else "single_node",
            )
        elif not NOT_SOLD.fullmatch(said):
            yield Unreadable("not_a_price", f"{name}, {pricing}: {said}", name, name)


def _smallest(cell: str) -> Decimal | None:
    """The figure of a cell, or the lower end of its range ("16-192")."""
    match = SMALLEST.fullmatch(cell)
    return decimal_of(match[1]) if match else None


SOURCE = Source(
    name="nebius",
    title="Nebius",
    homepage="https://nebius.com",
    kind="gpu_cloud",
    access="page",
    every=timedelta(hours=6),
    unit_note="USD per GPU-hour",
    urls=(URL,),
    hosts=("www.nebius.com",),
    parse=parse,
    traps="the preemptible price stands before the on-demand one, where the only price used to be; the table is "
    "escaped JSON in a script; L40S prices are those of the smallest size",
)
