"""Massed Compute: the price page, a list of machines in USD per hour of the whole machine.

It is a page of Next.js: what it shows stands in its scripts as numbered lines of elements, ["$", tag, key,
properties], where "$L7c" stands for line 7c and "$$" for a dollar sign. Every machine is there twice, as a card
for phones and as a row of a table, under keys that join card, size and place ("H100 (80GB)-mobile-x 8-3",
"H100 (80GB)-x 8-3"). Some cells come in a later line, after other machines, so a price is looked for inside its
own element. The two copies have to agree. "Request" is no price. A bare "H100" is a machine whose form the page
does not tell; "[Premium]" and "[ALT Config]" are other hosts of the same card.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from decimal import Decimal
from typing import Any

from models.naming.conditions import names_condition
from models.offers import Quote, Unreadable
from sources.markup import pushed_text
from sources.reading import currencies_of, decimal_of, money_of
from sources.source import LayoutChanged, Page, Source

URL = "https://vm.massedcompute.com/pricing"

LINE = re.compile(r"^([0-9a-f]+):(\[.*)$", re.MULTILINE)
REFERENCE = re.compile(r"\$L?([0-9a-f]+)")
KEY = re.compile(r"(?P<card>.+?)(?P<phone>-mobile)?-x (?P<size>[1-9]\d?)-(?P<place>\d+)")
GIGABYTES = re.compile(r"([\d,]+) GB")
DEEPEST = 60  # levels; the page has about twenty
Lines = Mapping[str, Any]


def parse(pages: Sequence[Page]) -> Iterator[Quote | Unreadable]:
    for page in pages:
        lines = {name: line for name, text in LINE.findall(pushed_text(page)) if (line := _json(text)) is not None}
        machines: dict[tuple[str, str, str], list[list[str]]] = {}
        for key, element in _keyed(list(lines.values()), 0):
            said = list(_texts(element, lines, 0))
            copies = machines.setdefault((key["card"], key["size"], key["place"]), [])
            copies.insert(0 if key["phone"] else len(copies), said)
        if not machines:
            raise LayoutChanged(f"{page.name}: no element has a key of card and size")
        for (card, size, _), copies in machines.items():
            yield _machine(card, Decimal(size), copies)


def _machine(card: str, size: Decimal, copies: Sequence[Sequence[str]]) -> Quote | Unreadable:
    """A machine by the texts of its copies, the one that names its figures first."""
    sku = f"{size}x {card}"
    prices = {" ".join(said[at : at + 2]) for said in copies for at, text in enumerate(said) if currencies_of(text[:1])}
    if not prices:
        words = "Request" if any("Request" in said for said in copies) else "no price"
        return Unreadable("not_a_price", f"{sku}: {words}", sku, card)
    price = money_of(next(iter(prices)).removesuffix("/hr"))
    if len(prices) > 1 or price is None or not next(iter(prices)).endswith("/hr"):
        return Unreadable("unreadable", f"{sku}: {', '.join(sorted(prices))}", sku, card)
    if bound := next((text for said in copies for text in said if names_condition(text)), ""):
        return Unreadable("missing_term", f"{sku}: {next(iter(prices))}, {bound[:60]}", sku, card)
    named = dict(zip(copies[0], copies[0][1:], strict=False))
    memory = GIGABYTES.fullmatch(named.get("RAM", ""))
    return Quote(
        sku=sku,
        gpu=card,
        gpu_count=size,
        amount=price,
        unit="per_instance_hour",
        pricing="on_demand",
        vcpus=decimal_of(named.get("vCPU")),
        memory_gb=decimal_of(memory[1].replace(",", "")) if memory else None,
        fabric="single_node",
    )


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None  # a line of another kind: a module, a style


def _keyed(node: object, depth: int) -> Iterator[tuple[re.Match[str], Any]]:
    """Elements whose key tells card and size, with the match."""
    if depth > DEEPEST:
        return
    if isinstance(node, list):
        key = KEY.fullmatch(node[2]) if len(node) == 4 and node[0] == "$" and isinstance(node[2], str) else None
        if key is not None:
            yield key, node
            return
        for child in node:
            yield from _keyed(child, depth + 1)
    elif isinstance(node, dict):
        yield from _keyed(node.get("children"), depth + 1)


def _texts(node: object, lines: Lines, depth: int) -> Iterator[str]:
    """What an element shows, in order, references followed."""
    if depth > DEEPEST:
        return
    if isinstance(node, str):
        reference = REFERENCE.fullmatch(node)
        if reference is not None:
            others = {name: line for name, line in lines.items() if name != reference[1]}  # no line within itself
            yield from _texts(lines.get(reference[1]), others, depth + 1)
        else:
            yield node.removeprefix("$") if node.startswith("$$") else node
    elif isinstance(node, (int, float)) and not isinstance(node, bool):
        yield str(node)
    elif isinstance(node, list) and len(node) == 4 and node[0] == "$" and isinstance(node[3], dict):
        yield from _texts(node[3].get("children"), lines, depth + 1)
    elif isinstance(node, list):
        for child in node:
            yield from _texts(child, lines, depth + 1)


SOURCE = Source(
    name="massedcompute",
    title="Massed Compute",
    homepage="https://massedcompute.com",
    kind="gpu_cloud",
    access="page",
    every=timedelta(hours=6),
    unit_note="USD per hour of the whole machine of 1, 2, 4 or 8 GPUs",
    urls=(URL,),
    hosts=("massedcompute.com", "www.massedcompute.com"),
    parse=parse,
    traps="prices of whole machines; each stands twice, for phones and in a table; some cells come after those of "
    "other machines, so the nearest dollar sign is a neighbour's price; NVLink pairs of PCIe cards beside SXM",
)
