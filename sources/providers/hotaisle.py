"""Hot Aisle: the price page, three cards of machines in USD per GPU-hour.

A card says its kind, its sizes ("2x & 4x"), the GPU and the price. Virtual machines are billed by the minute; bare
metal has a minimum of a month, which makes it a commitment; a "minimum rental" of hours or days is read too. With
another condition beside it, or words of a commitment in the card, a price is none on demand: its term is missing. The
same prices stand above the cards without sizes, beside the rate that only customers of old still have: what belongs to
no size is not read. Class names are those of a style sheet and say nothing, so a card is what holds the sizes and a
heading.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

from bs4 import Tag

from models.naming.conditions import names_condition
from models.offers import Quote, Unreadable
from sources.markup import cell_text, soup_of
from sources.reading import currencies_of, price_of, term_of
from sources.source import LayoutChanged, Page, Source

URL = "https://hotaisle.xyz/pricing"

SIZES = re.compile(r"[1-9]\d?x(?: ?[&,] ?[1-9]\d?x)*")
PRICE = re.compile(r"(?P<price>\$[\d.,]+ ?/ ?GPU ?/ ?hr)\b ?(?P<condition>.*)")
PARTS = ("p", "h2", "h3", "li", "span")
MINIMUM = re.compile(r"\b(one|[1-9]\d?)[- ]month minimum\b", re.IGNORECASE)
HOURS = {"hour": 1, "day": 24}
RENTAL = re.compile(r"\bminimum rental:? (?:of |is )?(\d{1,4})[- ](hour|day)s?\b", re.IGNORECASE)
# what may stand beside a price without a commitment
PLAIN = re.compile(
    r"(?:bare[ -]metal|VMs?|(?:billed|billing) by the minute|(?:one|1)[- ]minute minimum|[\s,.;])*", re.I
)


def parse(pages: Sequence[Page]) -> Iterator[Quote | Unreadable]:
    for page in pages:
        soup = soup_of(page)
        spans = [span for span in soup.find_all("span") if SIZES.fullmatch(cell_text(span))]
        held = Counter(id(around) for sizes in spans for around in sizes.parents)  # how many sizes stand in an element
        around = [[tag for tag in sizes.parents if held[id(tag)] == 1] for sizes in spans]
        cards = [(sizes, tags[-1]) for sizes, tags in zip(spans, around, strict=True) if tags and tags[-1].find("h2")]
        if not cards:
            raise LayoutChanged(f"{page.name}: no card tells sizes such as 2x & 4x")
        for sizes, card in cards:
            yield from _card(sizes, card.find("p"), _texts(card))


def _texts(card: Tag) -> list[str]:
    return [cell_text(part) for part in card.find_all(PARTS) if part.find_parent(PARTS) is None]


def _card(sizes: Tag, kind: Tag | None, texts: Sequence[str]) -> Iterator[Quote | Unreadable]:
    named = sizes.find_next_sibling("span")
    gpu, sku = cell_text(named) if named else "", cell_text(kind) if kind else ""
    printed = [text for text in texts if currencies_of(text)]
    found = PRICE.fullmatch(printed[0]) if len(printed) == 1 else None
    price = price_of(found["price"].replace(" ", "")) if found else None
    if found is None or price is None or not gpu:
        told = ", ".join(printed) or "no price"
        yield Unreadable("not_a_price", f"{sku} {cell_text(sizes)} {gpu}: {told}", f"{sku} {gpu}", gpu)
        return
    least = MINIMUM.search(found["condition"])
    said = [MINIMUM.sub("", found["condition"]), *(text for text in texts if text != printed[0])]
    rentals = [int(rental[1]) * HOURS[rental[2].lower()] for text in said for rental in RENTAL.finditer(text)]
    term = term_of(rentals[0]) if rentals else (None, None)
    others = [RENTAL.sub("", text) for text in said]
    contradicted = len(set(rentals)) > 1 or (least is not None and rentals)
    if term is None or contradicted or not PLAIN.fullmatch(others[0]) or any(map(names_condition, others)):
        yield Unreadable("missing_term", f"{sku} {gpu}: {' '.join([printed[0], *said[1:]])[:200]}", f"{sku} {gpu}", gpu)
        return
    months, hours = term
    if least is not None:
        months = 1 if least[1].lower() == "one" else int(least[1])
    for size in re.findall(r"\d+", cell_text(sizes)):
        quote = Quote(
            sku=f"{sku} {size}x {gpu}",
            gpu=gpu,
            gpu_count=Decimal(size),
            amount=price.amount,
            unit="per_gpu_hour",
            pricing="on_demand",
            fabric="single_node" if sku == "VM" else None,
        )
        if months is not None:
            quote = replace(quote, pricing="reserved", term_months=months)
        yield replace(quote, minimum_hours=hours)


SOURCE = Source(
    name="hotaisle",
    title="Hot Aisle",
    homepage="https://hotaisle.xyz",
    kind="gpu_cloud",
    access="page",
    every=timedelta(hours=6),
    unit_note="USD per GPU-hour, host included",
    urls=(URL,),
    hosts=("www.hotaisle.xyz",),
    parse=parse,
    traps="eight GPUs are bare metal with a month at least; the page repeats its prices without sizes, and prints the "
    "old rate of customers from before",
)
