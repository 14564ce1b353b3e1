"""fal: the GPU table of the price page, USD per hour of one GPU, for serverless apps and compute.

The page has three tables in the same dress: one of GPUs, two of models priced per video or image, told apart by their
titles. "List Price" is what anybody pays; "As low as" is for a commitment that only sales will name, so it is no price.
The figures stand again in the page's scripts. H100 and H200 have cost the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from decimal import Decimal

from models.offers import Quote, Unreadable
from sources.markup import cell_text, soup_of
from sources.reading import decimal_of, price_of
from sources.source import Page, Source
from sources.tables import check_heading, headings_above, tables_with

URL = "https://fal.ai/pricing"
GPU, MEMORY, LIST_PRICE, LOWEST = "GPU", "VRAM", "List Price", "As low as"


def parse(pages: Sequence[Page]) -> Iterator[Quote | Unreadable]:
    for page in pages:
        soup = soup_of(page)
        headings = headings_above(soup)
        for table in tables_with(soup, (GPU, MEMORY, LIST_PRICE, LOWEST), page):
            for row in table:
                check_heading(row[GPU], headings, page)
                yield from _gpu({title: cell_text(cell) for title, cell in row.items()})


def _gpu(cells: Mapping[str, str]) -> Iterator[Quote | Unreadable]:
    name = cells[GPU]
    price = price_of(cells[LIST_PRICE])
    if not name or price is None or price.lowest or price.period != "hour":
        yield Unreadable("not_a_price", f"{name or 'a GPU without a name'}: {cells[LIST_PRICE][:60]}", name, name)
        return
    yield Quote(
        sku=name,
        gpu=name,
        gpu_count=Decimal(1),
        amount=price.amount,
        unit="per_gpu_hour",
        pricing="serverless",
        gpu_memory_gb=decimal_of(cells[MEMORY].removesuffix("GB")),
    )
    if re.search(r"\d", cells[LOWEST]):
        detail = f"{name} as low as {cells[LOWEST][:40]}, for a commitment that the page does not name"
        yield Unreadable("not_a_price", detail, name, name)


SOURCE = Source(
    name="fal",
    title="fal",
    homepage="https://fal.ai",
    kind="serverless",
    access="page",
    every=timedelta(days=1),
    urls=(URL,),
    hosts=("www.fal.ai",),
    parse=parse,
    unit_note="USD per GPU-hour",
    traps="'as low as' is half the list price or less and needs a contract; two more tables, of models per video or "
    "image, look the same",
)
