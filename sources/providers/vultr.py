"""Vultr: two lists of one API, cloud plans and bare metal plans, in USD per instance-hour, no key.

A plan is sold on demand (`hourly_cost`) and preemptible (`hourly_cost_preemptible`), at the same price in all its
`locations` unless `location_cost` overrides one; a plan that may not be deployed, or that has no location left, keeps
its price and is not for sale. Older answers of cloud plans have none of the flags for it. Cloud plans name the card in
`gpu_type` and are often a part of one: the count is then a fraction ("1/20") or 1 beside the part's `gpu_vram_gb`. Bare
metal has named the card only in the plan id, and in `gpu_type` since 2026: vultr.csv knows both, and with them the
memory of a whole card, whose share a slice is. `monthly_cost` is no further price but where the bill of a month stops
(672 hours for bare metal).
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from decimal import Context, Decimal
from functools import cache
from pathlib import Path
from typing import Any

from models.offers import NOT_FOR_SALE, Pricing, Quote, Unreadable
from sources.http import Http, json_of
from sources.reading import decimal_of, field_of, flag_of, rows_of, text_of, whole_of
from sources.source import ErrorAnswer, LayoutChanged, Page, Source, TruncatedAnswer

URLS = {"cloud": "https://api.vultr.com/v2/plans", "metal": "https://api.vultr.com/v2/plans-metal"}
ARRAYS = ("plans", "plans_metal")
PRICES: Mapping[Pricing, tuple[str, str]] = {
    "on_demand": ("hourly_cost", "deploy_ondemand"),
    "spot": ("hourly_cost_preemptible", "deploy_preemptible"),
}
MOST_PAGES = 50
OFF = Decimal("0.1")  # plans of a B200 count 192 GB a card, their names 180
SHARE = Context(prec=28, traps=[])  # a third of a card has no end


@dataclass(frozen=True, slots=True)
class Card:
    gpu: str
    memory_gb: Decimal  # of the whole card
    gpus: Decimal | None  # in the plan, where the name is that of a plan


def _fetcher(book: str) -> Callable[[Http], Iterator[Page]]:
    def fetch(http: Http) -> Iterator[Page]:
        asked: dict[str, Any] = {"per_page": 500} if book == "metal" else {"type": "all", "per_page": 500}
        for number in range(1, MOST_PAGES + 1):
            page = http.get(URLS[book], params=asked, name=f"{book}-{number}.json", book=book)
            yield page
            if not (cursor := _next_cursor(json_of(page))):
                return
            asked = {**asked, "cursor": cursor}
        raise TruncatedAnswer(f"the {book} plans go on after {MOST_PAGES} pages")

    return fetch


def parse(pages: Sequence[Page]) -> Iterator[Quote | Unreadable]:
    """Raises TruncatedAnswer when the pages hold fewer plans than the list counts, or stop before its end."""
    answers = [(page, *_plans(page)) for page in pages]
    plans = sum(len(rows) for _, _, rows in answers)
    for page, body, _ in answers:
        total = whole_of(_at(body, "meta", "total"))
        if total is not None and total > plans:
            raise TruncatedAnswer(f"{page.name}: {plans} of {total} plans")
    if answers and _next_cursor(answers[-1][1]):
        raise TruncatedAnswer(f"{answers[-1][0].name}: {plans} plans, and the list goes on")
    for page, _, rows in answers:
        for plan in rows_of(rows):
            for said in _quotes(plan):
                yield replace(said, page_sha256=page.sha256)


def _plans(page: Page) -> tuple[object, list[Any]]:
    """The answer and its array of plans. Raises ErrorAnswer, LayoutChanged."""
    body = json_of(page)
    array = next((name for name in ARRAYS if isinstance(body, dict) and name in body), ARRAYS[0])
    if isinstance(body, dict) and "error" in body and array not in body:
        raise ErrorAnswer(f"Vultr answered an error: {text_of(body['error'])[:120]}")
    rows = field_of(body, array, page)
    if not isinstance(rows, list):
        raise LayoutChanged(f"{page.name}: {array!r} is not a list")
    return body, rows


def _quotes(plan: Mapping[str, Any]) -> Iterator[Quote | Unreadable]:
    sku, gpu_type = text_of(plan.get("id")), text_of(plan.get("gpu_type"))
    gpu_type = "" if gpu_type.lower() == "none" else gpu_type
    if not gpu_type and plan.get("type") not in ("vcg", "vdm") and not sku.endswith("-gpu"):
        return
    card = _card(sku, gpu_type)
    if card is None:
        detail = f"plan {sku} with a card {gpu_type!r} that is not known or not the one it is named after"
        yield Unreadable("unknown_sku", detail, sku, gpu_type)
        return
    count = _count(plan, card)
    if count is None:
        said = f"{str(plan.get('gpu_count'))[:20]} GPUs with {str(plan.get('gpu_vram_gb'))[:20]} GB in all"
        yield Unreadable("bad_count", f"plan {sku}: {said}, a whole one has {card.memory_gb}", sku, card.gpu)
        return
    memory_mb = decimal_of(plan.get("ram"))
    listed = plan.get("locations")
    locations = [text_of(location) for location in listed if text_of(location)] if isinstance(listed, list) else []
    for pricing, (field, flag) in PRICES.items():
        deployable = flag_of(plan.get(flag))
        if deployable is None and (flag in plan or any(name.startswith("deploy") for name in plan)):
            yield Unreadable("unknown_pricing", f"plan {sku}: {flag} is {str(plan.get(flag))[:40]}", sku, card.gpu)
            continue
        if pricing == "spot" and deployable is False:
            continue  # the field then repeats the on-demand price
        for region in locations or [""]:
            local = _at(plan, "location_cost", region)
            printed = local[field] if isinstance(local, dict) and field in local else plan.get(field)
            price = decimal_of(printed)
            if price is None or price <= 0:
                if deployable is not False and (pricing == "on_demand" or printed is not None):  # else: not sold so
                    detail = f"plan {sku}: {field} is {str(printed)[:40]}"
                    yield Unreadable("not_a_price", detail, sku, card.gpu, region)
                continue
            yield Quote(
                sku=sku,
                gpu=card.gpu,
                gpu_count=count,
                amount=price,
                unit="per_instance_hour",
                pricing=pricing,
                region=region,
                gpu_memory_gb=card.memory_gb,
                vcpus=decimal_of(plan.get("cpu_threads", plan.get("vcpu_count"))),
                memory_gb=None if memory_mb is None else memory_mb / 1024,
                tier=NOT_FOR_SALE if deployable is False else "slice" if count < 1 else "",
                available=_on_sale(deployable, listed, locations),
                fabric=None if sku.startswith("vbm-") else "single_node",
            )


def _on_sale(deployable: bool | None, listed: object, locations: Sequence[str]) -> bool | None:
    """Whether the plan can be ordered; None where the answer does not say."""
    if deployable is False or (isinstance(listed, list) and not locations):
        return False
    return True if deployable is True and locations else None


def _card(sku: str, gpu_type: str) -> Card | None:
    """The card of a plan: by its id, by its type, and never against either."""
    by_id, by_type = _cards().get(sku), _cards().get(gpu_type)
    if by_id is not None:
        return by_id if not gpu_type or (by_type and by_id.gpu.startswith(by_type.gpu.removesuffix(" SXM"))) else None
    return by_type if by_type and by_type.gpu.lower().split()[0] in sku.split("-") else None


def _count(plan: Mapping[str, Any], card: Card) -> Decimal | None:
    """GPUs of the plan, a fraction for a part of one; None where it cannot be told, or the memory says another."""
    above, _, below = str(plan.get("gpu_count", "")).partition("/")
    said, of = decimal_of(above), decimal_of(below) if below else Decimal(1)
    count = SHARE.divide(said, of) if said is not None and of else None
    if card.gpus is not None:
        return card.gpus if count in (None, card.gpus) else None
    memory = decimal_of(plan.get("gpu_vram_gb"))
    if memory is not None and memory > 0 and (count is None or (count == 1 and memory < card.memory_gb)):
        count = SHARE.divide(memory, card.memory_gb)
        return count if count < 1 or count == count.to_integral_value() else None
    if count is None or count <= 0:
        return None
    agrees = memory is None or abs(memory - count * card.memory_gb) <= count * card.memory_gb * OFF
    return count if agrees else None


def _next_cursor(body: object) -> str:
    return text_of(_at(body, "meta", "links", "next"))


def _at(record: object, *names: str) -> Any:
    """A nested field; None where a step is missing."""
    for name in names:
        record = record.get(name) if isinstance(record, dict) else None
    return record


@cache
def _cards() -> Mapping[str, Card]:
    """gpu_type or plan id -> card."""
    with Path(__file__).with_suffix(".csv").open(encoding="utf-8", newline="") as file:
        return {
            row["name"]: Card(row["gpu"], Decimal(row["gpu_memory_gb"]), decimal_of(row["gpus"]))
            for row in csv.DictReader(file)
        }


SOURCE = Source(
    name="vultr",
    title="Vultr",
    homepage="https://www.vultr.com/pricing/",
    kind="gpu_cloud",
    access="api",
    every=timedelta(days=1),
    urls=tuple(URLS.values()),
    parts={book: _fetcher(book) for book in URLS},
    parse=parse,
    unit_note="USD per instance-hour, host included; also of a part of one GPU",
    traps=(
        "gpu_vram_gb is that of the plan, not of a GPU; fractions of a card; bare metal names its card in the id; "
        "deploy_ondemand false or no location means listed and not for sale; monthly_cost is a cap, 672 h for metal"
    ),
)
