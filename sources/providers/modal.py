"""Modal: the price page, line items under the heading "GPU Tasks", in USD per GPU-second.

The page switches between seconds and hours by script; what the server sends is per second, and the unit stands in the
line. A line is the GPU alone: CPU cores and memory are billed beside it, by what a task asks for, so the tier is
"gpu_part". A choice of region costs 1.5 to 1.75 times as much, and a task that may not be interrupted 3 times. The
lines under the next headings (CPU, memory, volumes) look the same and are no GPUs. A request for an H100 may be served
by an H200 at the price of the H100.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from decimal import Decimal

from bs4 import Tag

from models.naming.conditions import names_condition
from models.offers import Quote, Unit, Unreadable
from sources.markup import cell_text, soup_of
from sources.reading import Period, price_of
from sources.source import LayoutChanged, Page, Source
from sources.tables import check_heading, headings_above

URL = "https://modal.com/pricing"
HEADING, LINE, PRICE = "GPU Tasks", "line-item", "price"
UNITS: Mapping[Period, Unit] = {"second": "per_gpu_second", "hour": "per_gpu_hour"}


def parse(pages: Sequence[Page]) -> Iterator[Quote | Unreadable]:
    for page in pages:
        soup = soup_of(page)
        heading = next((p for p in soup.find_all("p") if p.get_text(strip=True) == HEADING), None)
        listed = heading.find_next_sibling("div") if heading else None
        lines = listed.find_all("div", class_=LINE) if listed else []
        if heading is None or not lines:
            raise LayoutChanged(f"{page.name}: no line items under the heading {HEADING!r}")
        check_heading(heading, headings_above(soup), page)
        yield from (_gpu(line, page) for line in lines)


def _gpu(line: Tag, page: Page) -> Quote | Unreadable:
    printed = line.find_all("p", class_=PRICE)
    named = next((p for p in line.find_all("p") if p not in printed), None)
    if len(printed) != 1 or named is None:
        raise LayoutChanged(f"{page.name}: a line item without a name, or without one price")
    name, text = cell_text(named), cell_text(printed[0])
    price = price_of(text)
    if not name or price is None or price.lowest or price.period not in UNITS:
        return Unreadable("not_a_price", f"{name or 'a GPU without a name'}: {text[:60] or 'empty'}", name, name)
    if names_condition(said := cell_text(line)):
        return Unreadable("missing_term", said[:120], name, name)
    return Quote(
        sku=name,
        gpu=name,
        gpu_count=Decimal(1),
        amount=price.amount,
        unit=UNITS[price.period],
        pricing="serverless",
        tier="gpu_part",
    )


SOURCE = Source(
    name="modal",
    title="Modal",
    homepage="https://modal.com",
    kind="serverless",
    access="page",
    every=timedelta(days=1),
    urls=(URL,),
    hosts=("www.modal.com",),
    parse=parse,
    unit_note="USD per GPU-second, the GPU alone: CPU and memory are billed beside it",
    traps="CPU and memory are extra; choosing a region multiplies the price by 1.5 to 1.75; lines of CPU and memory "
    "look like those of GPUs; the switch to hours is a script and needs no browser",
)
