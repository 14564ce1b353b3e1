"""Crusoe: the price page, a list of GPUs in USD per GPU-hour, on demand and spot.

Sections of the same look follow one another: GPUs, CPUs, storage, Kubernetes. Only the one whose titles begin
with "GPU model" is read, and its cells by these titles. The heading "NVIDIA A100" stands twice: the tags beside
it tell the memory and the form ("HGX", "SXM", "PCIe", "NVL72"), and the second tag may be empty. "Contact sales"
is no price. HGX and SXM nodes of eight and NVL72 racks are on InfiniBand; of the others the page says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import timedelta
from decimal import Decimal

from bs4 import Tag

from models.naming.conditions import names_condition
from models.offers import Pricing, Quote, Unreadable
from sources.markup import cell_text, soup_of
from sources.reading import price_of
from sources.source import LayoutChanged, Page, Source
from sources.tables import by_header, check_heading, headings_above

URL = "https://www.crusoe.ai/cloud/pricing"

MODEL = "GPU model"
PRICES: dict[str, Pricing] = {"On-demand": "on_demand", "Current spot": "spot"}
GIGABYTES = re.compile(r"(\d+) ?GB")
JOINED = frozenset(("HGX", "SXM", "NVL72"))


def parse(pages: Sequence[Page]) -> Iterator[Quote | Unreadable]:
    for page in pages:
        soup, found = soup_of(page), False
        headings = headings_above(soup)
        for section in soup.find_all(class_="pricing-gap"):
            titles = [cell_text(title) for title in section.find_all(class_="pricing-heading")]
            if MODEL in titles:
                check_heading(section, headings, page, spot=True)
                for item in section.find_all(class_="pricing_gpu-item"):
                    found = True
                    yield from _gpu(item, titles, page)
        if not found:
            raise LayoutChanged(f"{page.name}: no section with a column {MODEL!r} has rows")


def _gpu(item: Tag, titles: Sequence[str], page: Page) -> Iterator[Quote | Unreadable]:
    heading = item.find(class_="pricing-item-heading")
    texts = [cell_text(cell) for cell in item.find_all(True, recursive=False)]
    if heading is None:
        raise LayoutChanged(f"{page.name}: a row of {len(texts)} cells without the name of a GPU")
    cells = by_header(titles, texts, (MODEL, *PRICES), page)
    tags = [text for tag in item.find_all(class_="pricing-tag") if (text := cell_text(tag))]
    memory = next((size for tag in tags if (size := GIGABYTES.fullmatch(tag))), None)
    forms = [tag for tag in tags if not GIGABYTES.fullmatch(tag)]
    name, sku = " ".join([cell_text(heading), *forms]), " ".join([cell_text(heading), *tags])
    for title, pricing in PRICES.items():
        price = price_of(cells[title])
        if names_condition(cells[MODEL]):
            yield Unreadable("missing_term", f"{sku}, {pricing}: {cells[MODEL][:80]}", sku, name)
        elif price is None:
            yield Unreadable("not_a_price", f"{sku}, {pricing}: {cells[title] or 'empty'}", sku, name)
        elif not price.per_gpu or price.period != "hour" or price.lowest:
            yield Unreadable("unknown_unit", f"{sku}, {pricing}: {cells[title]} is not per GPU-hour", sku, name)
        else:
            yield Quote(
                sku=sku,
                gpu=name,
                gpu_count=Decimal(1),
                amount=price.amount,
                unit="per_gpu_hour",
                pricing=pricing,
                gpu_memory_gb=Decimal(memory[1]) if memory else None,
                fabric="multi_node" if JOINED & set(forms) else None,
            )


SOURCE = Source(
    name="crusoe",
    title="Crusoe Cloud",
    homepage="https://www.crusoe.ai/cloud",
    kind="gpu_cloud",
    access="page",
    every=timedelta(hours=6),
    unit_note="USD per GPU-hour, host included",
    urls=(URL,),
    hosts=("crusoe.ai",),
    parse=parse,
    traps="A100 SXM and A100 PCIe have the same heading, a tag tells them apart; spot is by contact; CPUs, storage "
    "and Kubernetes follow in rows of the same look",
)
