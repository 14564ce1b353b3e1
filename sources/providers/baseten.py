"""Baseten: the instance types of the documentation, a Markdown table in USD per minute of a whole instance.

The table stands on docs.baseten.co in Markdown as well as in HTML; the price page prints the same figures for single
GPUs without naming the instances. Dollar signs are escaped. GPUs are told in words ("2 NVIDIA L4s"), VRAM is that of
all of them, and "Fractional NVIDIA H100" is half a card. The table of CPU instances has no column of GPUs. The time
that an image takes to build and a model to load is billed too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from decimal import Decimal

from models.naming.conditions import names_condition
from models.offers import Quote, Unreadable
from sources.reading import decimal_of, money_of
from sources.source import LayoutChanged, Page, Source
from sources.tables import by_header

URL = "https://docs.baseten.co/deployment/resources.md"
INSTANCE, PRICE, VCPUS, MEMORY, GPUS, GPU_MEMORY = "Instance", "$/min", "vCPU", "RAM", "GPU", "VRAM"
COLUMNS = (INSTANCE, PRICE, VCPUS, MEMORY, GPUS, GPU_MEMORY)
OUT_OF_SIGHT = re.compile(r"<!--.*?-->|^(`{3}|~{3})[^`~]*?^\1", re.DOTALL | re.MULTILINE)
CARDS = re.compile(r"(?P<part>Fractional )?(?:(?P<gpus>\d+) )?(?P<gpu>NVIDIA [A-Z]+\d+[A-Z]*)(?P<plural>s)?")


def parse(pages: Sequence[Page]) -> Iterator[Quote | Unreadable]:
    for page in pages:
        tables = [lines for lines in _tables(page.text) if PRICE in lines[0] and GPUS in lines[0]]
        if not tables:
            raise LayoutChanged(f"{page.name}: no table has the columns {PRICE!r} and {GPUS!r}")
        for header, *lines in tables:
            yield from (_instance(by_header(header, line, COLUMNS, page)) for line in lines)


def _tables(text: str) -> Iterator[list[list[str]]]:
    """The tables of a Markdown text as lines of cells, without the rule below the header.

    None below a heading that makes another price, in a comment or as code.
    """
    lines: list[list[str]] = []
    heading = ""
    for line in [*OUT_OF_SIGHT.sub("\n", text).splitlines(), ""]:
        heading = line if line.startswith("#") else heading
        if names_condition(heading):
            continue
        if line.strip().startswith("|"):
            cells = [cell.strip().replace("\\", "") for cell in line.strip().strip("|").split("|")]
            if not all(re.fullmatch(r":?-+:?", cell) for cell in cells):
                lines.append(cells)
        elif lines:
            yield lines
            lines = []


def _instance(cells: Mapping[str, str]) -> Quote | Unreadable:
    sku, price, cards = cells[INSTANCE], money_of(cells[PRICE]), CARDS.fullmatch(cells[GPUS])
    if cards is None:
        return Unreadable("unknown_sku", f"{sku} with {cells[GPUS][:60] or 'no GPU'}", sku, cells[GPUS])
    gpus = Decimal(cards["gpus"] or 1)
    total_gb = decimal_of(cells[GPU_MEMORY].removesuffix("GiB"))
    if price is None or not gpus:
        return Unreadable("not_a_price", f"{sku}: {cells[PRICE][:60] or 'empty'}", sku, cards["gpu"])
    if names_condition(said := " ".join(cells.values())):
        return Unreadable("missing_term", said[:120], sku, cards["gpu"])
    return Quote(
        sku=sku,
        gpu=f"{cards['gpu']} MIG" if cards["part"] else cards["gpu"],
        gpu_count=gpus,
        amount=price,
        unit="per_instance_minute",
        pricing="serverless",
        gpu_memory_gb=None if total_gb is None else total_gb / gpus,
        vcpus=decimal_of(cells[VCPUS]),
        memory_gb=decimal_of(cells[MEMORY].removesuffix("GiB")),
        tier="slice" if cards["part"] else "",
    )


SOURCE = Source(
    name="baseten",
    title="Baseten",
    homepage="https://www.baseten.co/pricing/",
    kind="serverless",
    access="page",
    every=timedelta(days=1),
    urls=(URL,),
    hosts=("docs.baseten.co", "www.baseten.co"),
    parse=parse,
    unit_note="USD per minute of a whole instance of 1 to 8 GPUs, its CPUs and memory included",
    traps="VRAM is that of all GPUs; a fractional H100 is half a card; image building and cold starts are billed",
)
