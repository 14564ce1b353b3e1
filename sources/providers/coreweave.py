"""CoreWeave: the price page, a grid of divs per region, USD per hour of a whole node, on demand and spot.

Columns are found by the titles above them. Only direct child cells of a row count: each row holds a second,
hidden column for phones that repeats its figures. Row classes differ (HGX H100 has its own), so rows are
found by their `h3[data-product]`. "4^1" is four GPUs and footnote 1: two superchips of two GPUs. The region
stands in the eyebrow above each grid; the CPU grids below have other titles. "N/A" means that it is not sold
so; "Contact sales" that its price is not public. The column of single-GPU inference prices is for inference
customers only and is left alone. HGX nodes and NVL72 racks are on InfiniBand; of the others the page says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta

from bs4 import Tag

from models.naming.conditions import names_condition
from models.offers import Pricing, Quote, Unreadable
from sources.markup import cell_text, soup_of
from sources.reading import decimal_of, money_of
from sources.source import LayoutChanged, Page, Source
from sources.tables import by_header, check_heading, headings_above

URL = "https://www.coreweave.com/pricing"

MODEL, COUNT, MEMORY = "GPU Model", "GPU Count", "VRAM (GB)"
VCPUS, HOST_MEMORY = "vCPUs", "System RAM (GB)"
PRICES: dict[str, Pricing] = {"On-Demand Price (Per Hour)": "on_demand", "Spot Price (Per Hour)": "spot"}
COLUMNS = (MODEL, COUNT, MEMORY, VCPUS, HOST_MEMORY, *PRICES)
UNREAD = ("Inference Single GPU Price(Per Hour)",)
NODES = frozenset((1, 2, 4, 8))  # GPUs in one; 41 is 4 and a footnote
FOOTNOTE = re.compile(r"\^\S+$")
ROW, CELL = "table-grid", "table-v2-cell"


def parse(pages: Sequence[Page]) -> Iterator[Quote | Unreadable]:
    for page in pages:
        soup = soup_of(page)
        headings = headings_above(soup)
        rows = [row for grid in soup.find_all("div", class_="table-v2") for row in _gpu_rows(grid, headings, page)]
        if not rows:
            raise LayoutChanged(f"{page.name}: no grid with a column {MODEL!r} has rows")
        for row, sku, titles, region in rows:
            yield from _node(row, sku, titles, region, page)


def _gpu_rows(
    grid: Tag, headings: Mapping[int, Sequence[str]], page: Page
) -> Iterator[tuple[Tag, str, list[str], str]]:
    """The rows of a grid of GPUs with their SKU, the titles of the columns and the region; none for one of CPUs."""
    names = grid.find_all("h3", attrs={"data-product": True})
    around = [(name.find_parent(class_=ROW), str(name["data-product"])) for name in names]
    rows = {id(row): (row, sku) for row, sku in around if row is not None}  # the hidden column names each row again
    cells = grid.find_all(class_=CELL)
    titles = [cell_text(cell) for cell in cells if id(cell.find_parent(class_=ROW)) not in rows]
    if rows and MODEL not in titles and "CPU Model" not in titles:
        raise LayoutChanged(f"{page.name}: a grid has the columns {', '.join(titles) or 'none'}")
    if MODEL in titles:
        eyebrow = grid.find_previous(class_="eyebrow")
        if eyebrow is None:
            raise LayoutChanged(f"{page.name}: no eyebrow tells the region of a grid")
        region = cell_text(eyebrow).removeprefix("REGION:").strip()
        check_heading(grid, headings, page, spot=True)
        if names_condition(region):
            raise LayoutChanged(f"{page.name}: {region[:60]!r} stands for the region of a grid")
        yield from ((row, sku, titles, region) for row, sku in rows.values())


def _node(row: Tag, sku: str, titles: list[str], region: str, page: Page) -> Iterator[Quote | Unreadable]:
    texts = [cell_text(cell) for cell in row.find_all(class_=CELL, recursive=False)]
    cells = by_header(titles, texts, COLUMNS, page, UNREAD)
    model = cells[MODEL]
    count = decimal_of(FOOTNOTE.sub("", cells[COUNT]))
    if count is None or count not in NODES:
        yield Unreadable(
            "bad_count", f"{model}: {cells[COUNT] or 'empty'} is no number of GPUs in a node", sku, model, region
        )
        return
    for title, pricing in PRICES.items():
        price = money_of(cells[title])
        if price is not None:
            yield Quote(
                sku=sku,
                gpu=model,
                gpu_count=count,
                amount=price,
                unit="per_instance_hour",
                pricing=pricing,
                region=region,
                gpu_memory_gb=decimal_of(cells[MEMORY]),
                vcpus=decimal_of(cells[VCPUS]),
                memory_gb=decimal_of(cells[HOST_MEMORY].replace(",", "")),
                fabric="multi_node" if re.search(r"\b(HGX|NVL72)\b", model) else None,
            )
        elif cells[title] != "N/A":
            yield Unreadable("not_a_price", f"{model}, {pricing}: {cells[title] or 'empty'}", sku, model, region)


SOURCE = Source(
    name="coreweave",
    title="CoreWeave",
    homepage="https://www.coreweave.com",
    kind="gpu_cloud",
    access="page",
    every=timedelta(hours=6),
    unit_note="USD per hour of a whole node of 1, 4 or 8 GPUs",
    urls=(URL,),
    hosts=("coreweave.com",),
    parse=parse,
    traps="node prices, not GPU prices; the 4 of GB200 and GB300 carries a footnote mark; a hidden column for phones "
    "repeats every figure; the HGX H100 row has a class of its own; inference prices per GPU stand beside",
)
