"""Replicate: the hardware table of the price page, USD per second and per hour of a whole hardware type.

One cell holds the name ("2x Nvidia A100 (80GB) GPU") and the code name of a type, the next its price per second and per
hour: the one per second is billed, the one per hour repeats it, and nothing else may stand there. The cell of GPU
memory is the total of the type. Rows below "Additional hardware" have one wide cell in place of GPUs, CPUs and memory,
which has to say that more of it comes with committed spend: their tier says so. Their number of GPUs stands in the name
alone. Rows with a dash for GPUs are CPUs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import timedelta
from decimal import Decimal

from models.naming.conditions import names_commitment
from models.offers import Quote, Unreadable
from sources.markup import cell_text, soup_of
from sources.reading import decimal_of, price_of
from sources.source import LayoutChanged, Page, Source
from sources.tables import by_header, check_heading, headings_above, table_lines, without_notes

URL = "https://replicate.com/pricing"
HARDWARE, PRICE, GPUS, CPUS, GPU_MEMORY, MEMORY = "Hardware", "Price", "GPU", "CPU", "GPU RAM", "RAM"
COLUMNS = (HARDWARE, PRICE, GPUS, CPUS, GPU_MEMORY, MEMORY)
TYPE = re.compile(r"(?:(?P<gpus>\d+)x )?(?P<gpu>Nvidia .+?) GPU (?P<sku>[a-z0-9-]+)", re.IGNORECASE)
COMMITTED = "committed_spend"  # more than a little of it is for customers with a contract
PRICES = re.compile(r"(\$[\d.,]+\s*/\s*sec)(?:\s+(\$[\d.,]+\s*/\s*hr))?")


def parse(pages: Sequence[Page]) -> Iterator[Quote | Unreadable]:
    for page in pages:
        soup, found = soup_of(page), False
        headings = headings_above(soup)
        for first, *lines in filter(None, table_lines(soup)):
            if HARDWARE in (header := [cell_text(cell) for cell in first]):
                found = True
                check_heading(first[0], headings, page)
                for line in without_notes(lines, page):
                    yield from _type(header, [cell_text(cell) for cell in line], page)
        if not found:
            raise LayoutChanged(f"{page.name}: no table has a column {HARDWARE!r}")


def _type(header: Sequence[str], line: Sequence[str], page: Page) -> Iterator[Quote | Unreadable]:
    whole = len(line) != 3  # else the cells after the price are one
    cells = by_header(header, line if whole else [*line, *[""] * (len(header) - 3)], COLUMNS, page)
    name, text = cells[HARDWARE], cells[PRICE]
    if (whole and cells[GPUS] == "-") or not re.search(r"\bGPU\b", name):
        return
    said, price = TYPE.fullmatch(name), _per_second(text)
    if said is None:
        yield Unreadable("unknown_sku", f"a hardware type called {name[:80]!r}", name, name)
        return
    gpus = Decimal(said["gpus"] or 1)
    counted = decimal_of(cells[GPUS].removesuffix("x")) if whole else gpus
    if counted != gpus or not gpus:
        yield Unreadable("bad_count", f"{name[:80]}, and the cell of GPUs says {cells[GPUS][:20]!r}", said["sku"], name)
    elif price is None:
        yield Unreadable("not_a_price", f"{name[:80]}: {text[:60] or 'empty'}", said["sku"], name)
    elif not whole and not names_commitment(line[2]):
        yield Unreadable("missing_term", f"{name[:80]}: {line[2][:60]}", said["sku"], name)
    else:
        total_gb = decimal_of(cells[GPU_MEMORY].removesuffix("GB")) if whole else None
        yield Quote(
            sku=said["sku"],
            gpu=said["gpu"],
            gpu_count=gpus,
            amount=price,
            unit="per_instance_second",
            pricing="serverless",
            gpu_memory_gb=None if total_gb is None else total_gb / gpus,
            vcpus=decimal_of(cells[CPUS].removesuffix("x")) if whole else None,
            memory_gb=decimal_of(cells[MEMORY].removesuffix("GB")) if whole else None,
            tier=COMMITTED if names_commitment(" ".join(line)) else "",
        )


def _per_second(text: str) -> Decimal | None:
    """The price per second of a cell with nothing else but the same per hour; None where the two disagree."""
    if (printed := PRICES.fullmatch(text)) is None or (second := price_of(printed[1])) is None:
        return None
    hour = price_of(printed[2]) if printed[2] else None
    if hour is None:
        return None if printed[2] else second.amount
    rounding = Decimal(1).scaleb(int(hour.amount.as_tuple().exponent))  # of the last digit that is printed
    return second.amount if abs(second.amount * 3600 - hour.amount) < rounding else None


SOURCE = Source(
    name="replicate",
    title="Replicate",
    homepage="https://replicate.com",
    kind="serverless",
    access="page",
    every=timedelta(days=1),
    urls=(URL,),
    hosts=("www.replicate.com",),
    parse=parse,
    unit_note="USD per second of a whole hardware type of 1 to 8 GPUs, its CPUs and memory included",
    traps="per second and per hour stand in one cell; GPU RAM is the total of the type; code names put the count at "
    "the end or in the middle; several H100 or L40S come with committed spend only",
)
