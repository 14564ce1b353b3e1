"""Lambda: the price page by default, USD per GPU-hour; with LAMBDA_API_KEY the instance API beside it.

The page has two sections of the same look. "1-Click Clusters" sell one price for two weeks to a year, by
cluster size. "Instances" have a tab per size, and the tab, not the row, tells the GPU count. Rows are
`tr[data-plan]`, cells `td[data-label]`; class names are hashed and change. Every table stands a second time
as escaped text in a hydration script, which the tree leaves alone. The lower end of a cluster's duration ("2 weeks to
1 year", "1 year+") is its shortest rental; from a month on that is a commitment. The same plan name is sold with 40 and
80 GB: only the VRAM cell tells. Clusters are built of 8-GPU HGX systems on InfiniBand; instances stand alone.

The API prints whole instances in cents, and the regions with capacity; none listed means sold out, and the
price still stands. Its type names leave out the memory (gpu_8x_a100 is 40 GB): the description says it. It
replaces the page's instances; clusters are on the page alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from bs4 import Tag

from models.offers import Quote, Unreadable
from sources.http import json_of
from sources.markup import cell_text, soup_of
from sources.reading import (
    decimal_of,
    effective_date,
    field_of,
    money_of,
    require_fields,
    rows_of,
    term_of,
    text_of,
    whole_of,
)
from sources.source import EmptyAnswer, ErrorAnswer, LayoutChanged, Page, Source
from sources.tables import check_heading, check_row, headings_above

if TYPE_CHECKING:
    from sources.http import Http

PAGE = "https://lambda.ai/pricing"
API = "https://cloud.lambda.ai/api/v1/instance-types"
KEY = "LAMBDA_API_KEY"

PRICE, SIZE, MEMORY = "PRICE/GPU/HR", "GPU COUNT", "VRAM/GPU"
TAB = re.compile(r"(\d+)x")
GIGABYTES = re.compile(r"(\d+) ?Gi?B")
CLUSTER_SIZE = re.compile(r"([\d,]+)\+?")
LARGEST_CLUSTER = re.compile(r"clusters from \d+ to ([\d,]+)\+? ")
GPUS_PER_CLUSTER_NODE = Decimal(8)
DURATION = re.compile(
    r"(\d{1,6}) ?(hour|day|week|month|year)s?(?:\+| ?[\u2013-] ?\d+ ?(?:hour|day|week|month|year)s?)?", re.I
)
HOURS = {"hour": 1, "day": 24, "week": 168}
MONTHS = {"month": 1, "year": 12}


def fetch(http: Http) -> Iterator[Page]:
    if key := http.secret(KEY):
        yield http.get(API, secret_headers={"Authorization": f"Bearer {key}"}, name="instance-types.json")
    yield http.get(PAGE, name="pricing.html")


def parse(pages: Sequence[Page]) -> Iterator[Quote | Unreadable]:
    answers = [page for page in pages if page.name.endswith(".json")]
    for page in pages:
        rows = _instance_types(page) if page in answers else _price_page(page, with_instances=not answers)
        yield from (replace(row, page_sha256=page.sha256) for row in rows)


def _price_page(page: Page, *, with_instances: bool) -> Iterator[Quote | Unreadable]:
    soup = soup_of(page)
    tabs = {str(tab.get("aria-controls")): cell_text(tab) for tab in soup.find_all(True, attrs={"role": "tab"})}
    largest = LARGEST_CLUSTER.search(" ".join(soup.get_text(" ").split()))
    rows = [(row, _cells(row, page)) for row in soup.find_all("tr", attrs={"data-plan": True})]
    of_instances = [(row, cells) for row, cells in rows if {MEMORY, PRICE} <= cells.keys()]
    headings = headings_above(soup)
    for row, _ in of_instances:
        check_heading(row, headings, page)
    dates = {id(panel): effective_date(cell_text(panel)) for panel in soup.find_all(role="tabpanel")}
    instances = [_instance(row, cells, tabs, dates, page) for row, cells in of_instances]
    clusters = [_cluster(row, cells, dates, largest) for row, cells in rows if {SIZE, PRICE} <= cells.keys()]
    if not any(isinstance(row, Quote) for row in instances):
        raise LayoutChanged(f"{page.name}: no row has the cells {MEMORY!r} and {PRICE!r} with a price")
    if with_instances:
        yield from instances
    yield from clusters
    if not clusters:
        yield Unreadable("layout_changed", f"{page.name}: the 1-Click Clusters are gone or redesigned")
    for row, cells in rows:
        if PRICE not in cells or not cells.keys() & {MEMORY, SIZE}:
            yield Unreadable("unreadable", f"a row with the cells {', '.join(cells)}", gpu=str(row["data-plan"]))


def _cells(row: Tag, page: Page) -> dict[str, str]:
    """Cell texts by label, without the label's footnote mark. Raises LayoutChanged for a second price."""
    cells = [
        (str(cell["data-label"]).rstrip("*"), cell_text(cell))
        for cell in row.find_all(True, attrs={"data-label": True})
    ]
    labels = [label for label, _ in cells]
    known = (PRICE,) if MEMORY in labels else (PRICE, "DURATION", SIZE)  # of clusters they are read
    check_row(labels, [text for _, text in cells], known, page)
    if len(set(labels)) < len(labels):
        raise LayoutChanged(f"{page.name}: two cells of {row['data-plan']} have one label among {', '.join(labels)}")
    return dict(cells)


def _instance(
    row: Tag, cells: Mapping[str, str], tabs: Mapping[str, str], dates: Mapping[int, date | None], page: Page
) -> Quote | Unreadable:
    plan, memory = str(row["data-plan"]).strip(), GIGABYTES.fullmatch(cells[MEMORY])
    panel = row.find_parent(role="tabpanel")
    count = TAB.fullmatch(tabs.get(str(panel.get("id")), "")) if panel else None
    if panel is None or count is None:
        raise LayoutChanged(f"{page.name}: no tab tells how many GPUs {plan} has")
    price = money_of(cells[PRICE])
    if price is None or memory is None:
        return Unreadable("not_a_price", f"{plan}, {cells[MEMORY]}: {cells[PRICE] or 'empty'}", gpu=plan)
    host_memory = GIGABYTES.fullmatch(cells.get("RAM", ""))
    return Quote(
        sku=f"{count[0]} {plan} {cells[MEMORY]}",
        gpu=plan,
        gpu_count=Decimal(count[1]),
        amount=price,
        unit="per_gpu_hour",
        pricing="on_demand",
        gpu_memory_gb=Decimal(memory[1]),
        vcpus=decimal_of(cells.get("vCPUs")),
        memory_gb=Decimal(host_memory[1]) if host_memory else None,
        effective_from=dates.get(id(panel)),
        fabric="single_node",
    )


def _cluster(
    row: Tag, cells: Mapping[str, str], dates: Mapping[int, date | None], largest: re.Match[str] | None
) -> Quote | Unreadable:
    plan, size = str(row["data-plan"]).strip(), CLUSTER_SIZE.fullmatch(cells[SIZE])
    smallest = whole_of(size[1].replace(",", "")) if size else None
    price = money_of(cells[PRICE])
    if price is None or smallest is None:
        said = f"1-Click Cluster of {cells[SIZE]} {plan}, {cells.get('DURATION', '')}: {cells[PRICE] or 'empty'}"
        return Unreadable("not_a_price", said, gpu=plan)
    duration = DURATION.fullmatch(cells.get("DURATION", ""))
    length, unit = (int(duration[1]), duration[2].lower()) if duration else (0, "month")
    term = (length * MONTHS[unit] or None, None) if unit in MONTHS else term_of(length * HOURS[unit])
    if duration is None or term is None or term == (None, None):
        said = f"1-Click Cluster of {plan} with the duration {cells.get('DURATION')!r}"
        return Unreadable("missing_term", said, gpu=plan)
    panel = row.find_parent(role="tabpanel")
    cluster = Quote(
        sku=f"1-Click Cluster {plan} {smallest} GPUs",
        gpu=plan,
        gpu_count=GPUS_PER_CLUSTER_NODE,
        amount=price,
        unit="per_gpu_hour",
        pricing="on_demand",
        tier="cluster",
        minimum_gpus=smallest,
        effective_from=dates.get(id(panel)),
        fabric="multi_node",
        cluster_gpus=whole_of(largest[1].replace(",", "")) if largest else None,
    )
    months, hours = term
    return replace(cluster, pricing="reserved" if months else "on_demand", term_months=months, minimum_hours=hours)


def _instance_types(page: Page) -> Iterator[Quote | Unreadable]:
    answer = json_of(page)
    if isinstance(answer, dict) and isinstance(answer.get("error"), dict):
        raise ErrorAnswer(f"Lambda answered an error under HTTP 200: {text_of(answer['error'].get('message'))}")
    listed = field_of(answer, "data", page)
    if not isinstance(listed, dict):
        raise LayoutChanged(f"{page.name}: 'data' is not a map of instance types")
    if not listed:
        raise EmptyAnswer("Lambda answered an empty list of instance types")
    rows = {name: row for name, row in listed.items() if isinstance(row, dict)}
    require_fields(rows.values(), ("instance_type", "regions_with_capacity_available"), page)
    kinds = {name: row.get("instance_type") for name, row in rows.items()}
    require_fields(rows_of(list(kinds.values())), ("description", "price_cents_per_hour", "specs"), page)
    for name, row in rows.items():
        yield from _instance_type(name, kinds[name], row)


def _instance_type(name: str, kind: object, row: Mapping[str, Any]) -> Iterator[Quote | Unreadable]:
    kind = kind if isinstance(kind, dict) else {}
    specs = kind["specs"] if isinstance(kind.get("specs"), dict) else {}
    gpus, described = whole_of(specs.get("gpus")), text_of(kind.get("description"))
    if gpus == 0:
        return  # a CPU type: the 4x of cpu_4x_general are vCPUs
    cents = decimal_of(kind.get("price_cents_per_hour"))
    if gpus is None or gpus < 0 or not described or cents is None or cents <= 0:
        told = f"{described!r}, {specs.get('gpus')!r} GPUs, {kind.get('price_cents_per_hour')!r} cents"
        yield Unreadable("unreadable", told, name, described)
        return
    memory = GIGABYTES.search(described)
    instance = Quote(
        sku=name,
        gpu=described,
        gpu_count=Decimal(gpus),
        amount=cents.scaleb(-2),
        unit="per_instance_hour",
        pricing="on_demand",
        gpu_memory_gb=Decimal(memory[1]) if memory else None,
        vcpus=decimal_of(specs.get("vcpus")),
        memory_gb=decimal_of(specs.get("memory_gib")),
        fabric="single_node",
    )
    regions = row.get("regions_with_capacity_available")
    places = [text_of(region.get("name")) for region in rows_of(regions)]
    for place in filter(None, places):
        yield replace(instance, region=place, available=True)
    if not any(places):
        yield replace(instance, available=False if isinstance(regions, list) else None)


SOURCE = Source(
    name="lambda",
    title="Lambda",
    homepage="https://lambda.ai",
    kind="gpu_cloud",
    access="page",
    every=timedelta(hours=6),
    unit_note="USD per GPU-hour on the page; whole instance per hour, in cents, in the API",
    urls=(PAGE,),
    hosts=("cloud.lambda.ai", "lambda.com", "www.lambda.com", "www.lambda.ai"),
    fetch=fetch,
    parse=parse,
    optional_secret=KEY,
    traps="the price per GPU falls with the size of the instance; the tab tells the size and the VRAM cell which "
    "A100 it is; every table stands twice in the page; API prices are cents per instance; taxes are extra; "
    "clusters start at 16 GPUs and two weeks",
)
