"""DigitalOcean: the pricing page of GPU Droplets, or with a token the list of sizes of the API; USD per Droplet-hour.

The page has a table of labels and prices per hour under each of the headings on-demand, spot and contract; "(8x)" in
a label means eight GPUs, and contract prices are not public; an hourly price under a heading that names a commitment
lacks its term. Its RTX 4000 and RTX 6000 are the Ada cards.
A size of the API names its card in `gpu_info`, whose `vram` is that of all its GPUs; spot sizes end in "-spot".
Sizes ending in "-contracted" carry what one customer has agreed on and are no list price; those with "-fabric-" can
be joined by RoCE, and no other can. A size without regions cannot be started now. `price_monthly` is 744 hours.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import Any

from models.naming.conditions import names_commitment
from models.offers import Pricing, Quote, Unreadable
from sources.http import Http, json_of
from sources.markup import cell_text, soup_of
from sources.reading import at, decimal_of, field_of, flag_of, price_of, rows_of, text_of, whole_of
from sources.source import ErrorAnswer, LayoutChanged, Page, Source, TruncatedAnswer
from sources.tables import check_heading, headings_above, tables_with

PAGE = "https://docs.digitalocean.com/products/droplets/details/pricing/"
SIZES = "https://api.digitalocean.com/v2/sizes"
TOKEN = "DIGITALOCEAN_TOKEN"
MOST_PAGES = 20
GPU, PRICE = "GPU", "Price"
PRICINGS: dict[str, Pricing] = {"on-demand gpu": "on_demand", "spot gpu": "spot", "contract gpu": "reserved"}
COUNT = re.compile(
    r"^(?:(?P<before>\d+) ?[x\u00d7] )?(?P<gpu>.+?)"
    r"(?: ?\((?:(?P<times>\d+) ?[x\u00d7]|[x\u00d7] ?(?P<by>\d+)|(?P<gpus>\d+) GPUs?)\)| ?[x\u00d7] ?(?P<after>\d+))?$"
)
SLUG_COUNT = re.compile(r"gpu-[a-z0-9]+x(\d+)-")
UNREAD_COUNT = re.compile(r"(?<![A-Za-z\d])\d+ ?[x\u00d7]|[x\u00d7] ?\d|\bGPUs\b|\(\d")


def fetch(http: Http) -> Iterator[Page]:
    token = http.secret(TOKEN)
    if not token:
        yield http.get(PAGE, name="pricing.html")
        return
    for number in range(1, MOST_PAGES + 1):
        page = http.get(
            SIZES,
            params={"per_page": 200, "page": number},
            secret_headers={"Authorization": f"Bearer {token}"},
            name=f"sizes-{number}.json",
        )
        yield page
        if not _next(json_of(page)):
            return
    raise TruncatedAnswer(f"the sizes go on after {MOST_PAGES} pages")


def parse(pages: Sequence[Page]) -> Iterator[Quote | Unreadable]:
    sizes = [page for page in pages if page.body.lstrip().startswith(b"{")]
    if sizes:
        yield from _of_sizes(sizes)
    for page in pages:
        if page not in sizes:
            yield from _of_page(page)


def _of_page(page: Page) -> Iterator[Quote | Unreadable]:
    soup = soup_of(page)
    headings = headings_above(soup)
    for table in tables_with(soup, (GPU, PRICE), page):
        for cells in table:
            title = (headings[id(cells[GPU])] or ("none",))[-1].lower()
            pricing = next((kind for words, kind in PRICINGS.items() if title.startswith(words)), None)
            if pricing is None:
                raise LayoutChanged(f"{page.name}: GPU prices under the unknown heading {title[:60]!r}")
            label, said = cell_text(cells[GPU]), cell_text(cells[PRICE])
            gpu, count = _counted(label)
            price = price_of(said)
            if count is None:
                yield Unreadable("bad_count", f"{label}: how many GPUs is not understood", label, label)
                continue
            if pricing != "reserved":
                check_heading(cells[GPU], headings, page, spot=pricing == "spot")
            if pricing != "reserved" and names_commitment(said):
                yield Unreadable("missing_term", f"{label}, {title}: {said[:60]}", label, label)
                continue
            if price is None or price.period != "hour" or price.lowest or pricing == "reserved":
                yield Unreadable("not_a_price", f"{label}, {title}: {said[:60] or 'empty'}", label, label)
                continue
            yield Quote(
                sku=label,
                gpu=gpu,
                gpu_count=count,
                amount=price.amount,
                unit="per_gpu_hour" if price.per_gpu else "per_instance_hour",
                pricing=pricing,
                fabric="single_node",
            )


def _counted(label: str) -> tuple[str, Decimal | None]:
    """The card of a label and how many ("NVIDIA H100 (8x)", "8x NVIDIA H100"); None where it is not understood."""
    found = COUNT.match(label)
    counts = [found[name] for name in ("before", "times", "by", "gpus", "after") if found[name]] if found else []
    if found is None or len(counts) > 1 or UNREAD_COUNT.search(found["gpu"]) or counts == ["0"]:
        return label, None
    return found["gpu"], Decimal(counts[0] if counts else 1)


def _of_sizes(pages: Sequence[Page]) -> Iterator[Quote | Unreadable]:
    """Raises TruncatedAnswer when the pages hold fewer sizes than the list counts."""
    rows = [(page, row) for page in pages for row in rows_of(_sizes(page))]
    total = whole_of(at(json_of(pages[-1]), "meta", "total"))
    if _next(json_of(pages[-1])) or (total is not None and total > len(rows)):
        raise TruncatedAnswer(f"{pages[-1].name}: {len(rows)} of {total or 'more'} sizes")
    for page, size in rows:
        for said in _size(size):
            yield replace(said, page_sha256=page.sha256)


def _sizes(page: Page) -> list[Any]:
    body = json_of(page)
    if isinstance(body, dict) and "message" in body and "sizes" not in body:
        raise ErrorAnswer(f"DigitalOcean answered an error: {text_of(body['message'])[:120]}")
    sizes = field_of(body, "sizes", page)
    if not isinstance(sizes, list):
        raise LayoutChanged(f"{page.name}: 'sizes' is not a list")
    return sizes


def _size(size: Mapping[str, Any]) -> Iterator[Quote | Unreadable]:
    slug, model = text_of(size.get("slug")), text_of(at(size, "gpu_info", "model"))
    if not slug.startswith("gpu-") and not size.get("gpu_info"):
        return
    count, price = decimal_of(at(size, "gpu_info", "count")), decimal_of(size.get("price_hourly"))
    if not model or count is None or count <= 0:
        yield Unreadable("unknown_sku", f"size {slug} has {str(count)[:20]} GPUs of the model {model!r}", slug, model)
        return
    if (named := SLUG_COUNT.match(slug)) and count != int(named[1]):
        yield Unreadable("bad_count", f"size {slug} has {count:f} GPUs, and its name says {named[1]}", slug, model)
        return
    if price is None or price <= 0 or slug.endswith("-contracted"):
        why = "under contract" if slug.endswith("-contracted") else f"at {str(size.get('price_hourly'))[:40]}"
        yield Unreadable("not_a_price", f"size {slug} {why}", slug, model)
        return
    listed, memory = size.get("regions"), decimal_of(size.get("memory"))
    regions = [text_of(region) for region in listed if text_of(region)] if isinstance(listed, list) else []
    vram = decimal_of(at(size, "gpu_info", "vram", "amount"))
    for region in regions or [""]:
        yield Quote(
            sku=slug,
            gpu=model,
            gpu_count=count,
            amount=price,
            unit="per_instance_hour",
            pricing="spot" if slug.endswith("-spot") else "on_demand",
            region=region,
            gpu_memory_gb=None if vram is None else vram / count,
            vcpus=decimal_of(size.get("vcpus")),
            memory_gb=None if memory is None else memory / 1024,
            available=bool(regions) and flag_of(size.get("available")) is not False,
            fabric="multi_node" if "-fabric" in slug else "single_node",
        )


def _next(body: object) -> str:
    return text_of(at(body, "links", "pages", "next"))


SOURCE = Source(
    name="digitalocean",
    title="DigitalOcean",
    homepage="https://www.digitalocean.com/products/gpu-droplets",
    kind="hyperscaler",
    access="page",
    every=timedelta(days=1),
    urls=(PAGE,),
    hosts=("api.digitalocean.com",),
    fetch=fetch,
    parse=parse,
    optional_secret=TOKEN,
    unit_note="USD per hour of a Droplet of 1 or 8 GPUs, host included; the same in every region",
    traps="vram.amount is that of all GPUs; the monthly price is 744 hours; a size without regions cannot be started; "
    "RTX 4000 and 6000 are Ada cards; MI350X, MI355X and B300 are spot or under contract only; prices have risen",
)
