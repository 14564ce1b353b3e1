"""Reading AWS's bulk price files (CSV, up to a gigabyte): which lines are kept while they stream, and their cells.

A file is five lines of preamble, a header and some 1.3 million rows a gigabyte, one in twenty of a GPU machine.
`reduce` keeps preamble, header and the rows that may carry a wanted price, as the exact lines of the file. One
expression runs over whole blocks: it finds the operation code RunInstances, which means plain Linux and nothing
else (docs.aws.amazon.com/AWSEC2/latest/UserGuide/billing-info-fields.html), however the cells are quoted, and
looks from there to the GPU column; only for the lines it hits does Python do anything. That relies on three
columns standing as they do. In a file where they do not, and in a block with a row that runs over several lines,
the rows go through the csv module instead: ten times slower, with the same result.

What a row means is in offer_file.py and savings_plan.py.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain

from models.offers import Unreadable
from sources.providers.aws.instances import instances
from sources.source import ErrorAnswer, LayoutChanged, Page

PLAIN_LINUX = "RunInstances"
BLOCK_BYTES = 1 << 18
LARGEST_BLOCK_BYTES = 64 << 20  # the lists of other files stand in one line, of some megabytes
LONGEST_TYPE = 40  # characters between "BoxUsage:" and the operation code, generously

_BEGINS = (b'"FormatVersion"', b"FormatVersion", b'"SKU"', b"SKU,")
_HEADER = re.compile(rb'^"?SKU"?,.*\n', re.MULTILINE)
_OPERATION = rb'RunInstances"?,'
_FIELD = rb'(?:"[^"]*"|[^",\n])*'
_NOTHING = rb'(?:"")?,|"?NA"?,|"?0"?,'  # what stands in the GPU column of a machine without one


def is_price_file(body: bytes) -> bool:
    """A bulk CSV file, by how it begins."""
    return body.startswith(_BEGINS)


def reduce(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The wanted lines of a bulk file that comes in pieces of any size; anything else passes as it is."""
    blocks = _blocks(chunks)
    head = next(blocks, b"")
    if not is_price_file(head):
        yield from chain([head], blocks)
        return
    header = _HEADER.search(head)
    if header is None:
        raise LayoutChanged("AWS price file: no header line that begins with SKU")
    yield head[: header.end()]
    columns = next(csv.reader([header.group().decode("utf-8", "replace")]))
    near = _near(columns)
    for block in chain([head[header.end() :]], blocks):
        lines = list(_around(block, near)) if near else []
        if near is None or any(line.count(b'"') % 2 for line in lines):
            yield from _by_csv(block, columns)
        else:
            yield from lines


def table(page: Page, needed: Sequence[str]) -> Iterator[Mapping[str, str] | Unreadable]:
    """The rows of a bulk file by column title; a row of another width is Unreadable.

    Raises LayoutChanged when a needed column is missing, ErrorAnswer when this is no bulk file.
    """
    if not is_price_file(page.body):
        raise ErrorAnswer(f"AWS {page.name}: not a price file but {page.text[:60]!r}")
    reader = csv.reader(io.TextIOWrapper(io.BytesIO(page.body), "utf-8", errors="replace", newline=""))
    try:
        columns = next((cells for cells in reader if cells[:1] == ["SKU"]), [])
        if missing := [title for title in needed if title not in columns]:
            raise LayoutChanged(f"AWS {page.name}: no column {missing[0]!r}")
        places = {title: columns.index(title) for title in needed}
        for cells in reader:
            if len(cells) == len(columns):
                yield {title: cells[place] for title, place in places.items()}
            elif cells:
                yield Unreadable("unreadable", f"a row of {len(cells)} cells where {len(columns)} belong", cells[0])
    except csv.Error as error:
        raise LayoutChanged(f"AWS {page.name}: line {reader.line_num} is no CSV ({error})") from error


def accelerated(instance_type: str, gpu_cell: str) -> bool:
    """An accelerated machine: of a known type, or with something in its GPU column."""
    return instance_type in instances() or gpu_cell not in ("", "NA", "0")


def _near(columns: Sequence[str]) -> re.Pattern[bytes] | None:
    """What to look for: the operation code, with a group where the GPU column after it is filled.

    None where the columns are not in the order that this and `_around` rely on.
    """
    before = dict(zip(columns[1:], columns, strict=False))
    if "DiscountedOperation" in columns:  # savings plans have no GPU column
        ordered = before.get("DiscountedOperation") == "DiscountedUsageType" and columns[-1] != "DiscountedOperation"
        return re.compile(_OPERATION) if ordered else None
    if before.get("operation") != "usageType" or "GPU" not in columns[columns.index("operation") :]:
        return None
    between = columns.index("GPU") - columns.index("operation") - 1
    gpu = rb"(?:%s,){%d}(?!%s)([^,\n])" % (_FIELD, between, _NOTHING)
    return re.compile(_OPERATION + rb"(?=(?:" + gpu + rb")?)")


def _around(block: bytes, near: re.Pattern[bytes]) -> Iterator[bytes]:
    """The lines with a hit whose GPU column is filled, or whose usage type ("BoxUsage:p5.48xlarge") is known."""
    known, end = _known_types(), 0
    for hit in near.finditer(block):
        at = hit.start()
        if at < end:
            continue
        if hit.lastindex or block[block.rfind(b":", max(at - LONGEST_TYPE, 0), at) + 1 : at].rstrip(b'",') in known:
            end = block.find(b"\n", at) + 1 or len(block)
            yield block[block.rfind(b"\n", 0, at) + 1 : end]


@cache
def _known_types() -> frozenset[bytes]:
    return frozenset(name.encode() for name in instances())


def _by_csv(block: bytes, columns: Sequence[str]) -> Iterator[bytes]:
    """The wanted lines as the csv module reads them, for a file that `_around` cannot be trusted with."""
    lines = block.splitlines(keepends=True)
    taken: list[bytes] = []

    def texts() -> Iterator[str]:
        for line in lines:
            taken.append(line)
            yield line.decode("utf-8", "replace")

    plan = "DiscountedOperation" in columns
    operation, kind = ("DiscountedOperation", "DiscountedInstanceType") if plan else ("operation", "Instance Type")
    try:
        for cells in csv.reader(texts()):
            row = dict(zip(columns, cells, strict=False))
            wanted = row.get(operation) == PLAIN_LINUX and accelerated(row.get(kind, ""), row.get("GPU", ""))
            if wanted or len(cells) != len(columns):
                yield b"".join(taken)
            taken.clear()
    except csv.Error as error:
        raise LayoutChanged(f"AWS price file: a row is no CSV ({error})") from error


def _blocks(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The same bytes in blocks of whole lines, of at least BLOCK_BYTES but for the last."""
    parts, size = list[bytes](), 0
    for chunk in chunks:
        size += len(chunk)
        cut = chunk.rfind(b"\n") + 1 if size >= BLOCK_BYTES else 0
        if not cut:
            parts.append(chunk)
            if size > LARGEST_BLOCK_BYTES:
                raise LayoutChanged(f"AWS price file: a line has more than {LARGEST_BLOCK_BYTES >> 20} MB")
            continue
        yield b"".join([*parts, chunk[:cut]])
        parts, size = [chunk[cut:]], len(chunk) - cut
    if size:
        yield b"".join(parts)
