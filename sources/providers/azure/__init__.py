"""Azure: the Retail Prices API, which needs no key and names neither GPU, count nor operating system by itself.

One answer per region: the N-series (GPU) sizes of a region are some 450 rows, fewer than a page of 1,000, so the
list of a region comes in one piece and cannot shift under the walk; 55 regions are 55 calls. A region is a part
and a book of its own: one that fails leaves the others whole. A region that is not in regions.csv is not looked at.

One row is a whole virtual machine. What it takes to read one:
- GPU, count and fabric come from skus.csv (the list says only the size); an unlisted N-series size is `unknown_sku`;
- Windows is told apart by `productName` alone ("... Windows", "... Srs Win"); the Linux row may or may not say Linux;
- Spot and Low Priority are Consumption rows, told apart by `skuName` or `meterName`; Low Priority is a Batch product;
- Cloud Services and Dedicated Host reuse the size names; a second name of a size (alias_of) stands in where the size
  itself has no such price, and only there: its figures are older, newer or wrong;
- a Reservation row says "1 Hour" and holds the price of the whole term; savings plans are hourly, inside the row;
- prices of 0 and 0.01 are unreleased meters; one meter may have a past, a current and an announced price.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any, cast

from models.moments import is_after, parse_moment
from models.offers import Fabric, Quote, Unreadable
from sources.http import Http, json_of
from sources.reading import decimal_of, field_of, rows_of, text_of, whole_of
from sources.source import ErrorAnswer, LayoutChanged, Page, Source, TruncatedAnswer

URL = "https://prices.azure.com/api/retail/prices"
API_VERSION = "2023-01-01-preview"  # the version that carries savings plans
ROWS_PER_PAGE = 1000
MOST_PAGES = 20  # of one region; far above what was ever seen
NEEDED = ("armSkuName", "armRegionName", "productName", "retailPrice", "unitOfMeasure", "type")
TERM_MONTHS = {"1 Year": 12, "3 Years": 36, "5 Years": 60}

_WINDOWS = re.compile(r"\bWin(dows)?\b")
_OTHER_PRODUCT = re.compile(r"Cloud ?Services|Dedicated ?Host", re.IGNORECASE)
_TOP_0 = re.compile(r"(?<=[?&])(\$|%24)top=0(&|$)")


@dataclass(frozen=True, slots=True)
class Size:
    """A size as skus.csv knows it: what Azure calls it, and what is in it; no GPU name means no GPU."""

    sku: str
    gpu: str
    gpus: Decimal
    gpu_memory_gb: Decimal | None
    vcpus: Decimal | None
    memory_gb: Decimal | None
    fabric: Fabric | None
    tier: str


def _table(name: str) -> list[dict[str, str]]:
    with (Path(__file__).parent / name).open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def _sizes() -> dict[str, Size]:
    """Every size by its name in lower case; a second name leads to the size it stands for."""
    sizes: dict[str, Size] = {}
    rows = _table("skus.csv")
    for row in rows:
        share = Fraction(row["gpus"] or 0)
        sizes[row["sku"].lower()] = Size(
            sku=row["sku"],
            gpu=row["gpu"],
            gpus=(Decimal(share.numerator) / share.denominator).quantize(Decimal("1e-8")).normalize(),
            gpu_memory_gb=decimal_of(row["gpu_memory_gb"]),
            vcpus=decimal_of(row["vcpus"]),
            memory_gb=decimal_of(row["memory_gb"]),
            fabric=cast("Fabric | None", row["fabric"] or None),
            tier=row["tier"],
        )
    return sizes | {row["sku"].lower(): sizes[row["alias_of"].lower()] for row in rows if row["alias_of"]}


SIZES = _sizes()
REGIONS = [row["region"] for row in _table("regions.csv")]


def _fetch(region: str, http: Http) -> Iterator[Page]:
    """The pages of one region, following NextPageLink."""
    wanted = (
        f"serviceName eq 'Virtual Machines' and armRegionName eq '{region}' and startswith(armSkuName, 'Standard_N')"
    )
    params = {"api-version": API_VERSION, "currencyCode": "USD", "$filter": wanted}
    page = http.get(URL, params=params, name=f"{region}-1.json", book=region)
    asked = {page.url}
    while True:
        yield page
        link = _next_link(_answer(page), page)
        if not link:
            return
        if link in asked or len(asked) == MOST_PAGES:
            raise TruncatedAnswer(f"Azure {region}: the paging goes round in circles after {len(asked)} pages")
        asked.add(link)
        page = http.get(link, name=f"{region}-{len(asked)}.json", book=region)


def parse(pages: Sequence[Page]) -> Iterator[Quote | Unreadable]:
    """The prices of one region; items repeated across a page border come out once.

    Raises LayoutChanged, ErrorAnswer, and TruncatedAnswer when pages are missing.
    """
    answers = [(_answer(page), page) for page in pages]
    items = [(item, page) for answer, page in answers for item in rows_of(answer["Items"])]
    _check_whole(answers)
    named = {name for item, _ in items for name in item}
    if items and (missing := [name for name in NEEDED if name not in named]):
        raise LayoutChanged(f"Azure {pages[0].name}: no item has the field {missing[0]!r}")

    seen: set[Quote | Unreadable] = set()
    currency = text_of(answers[0][0].get("BillingCurrency"))
    read = [(row, item, page) for item, page in items for row in _rows(item, currency, page)]
    own: dict[tuple[object, ...], set[Decimal]] = {}
    for row, item, _ in read:
        if isinstance(row, Quote) and not _second_name(item, row):
            own.setdefault(_product(row), set()).add(row.amount)
    for row, item, page in read:
        name = _second_name(item, row)
        if row in seen or (name and isinstance(row, Quote) and row.amount in own.get(_product(row), ())):
            continue
        seen.add(row)
        if isinstance(row, Quote) and name and _product(row) in own:
            detail = f"{name} at {row.amount:f}, a second name of {row.sku}, which has another price of its own"
            row = Unreadable("second_name", detail, name, row.gpu, row.region)
        yield replace(row, page_sha256=page.sha256)


def _second_name(item: Mapping[str, Any], row: Quote | Unreadable) -> str:
    """The name of an item that is not the one of its size; "" for the size itself."""
    name = text_of(item.get("armSkuName"))
    return "" if name.lower() == row.sku.lower() else name


def _product(quote: Quote) -> tuple[object, ...]:
    """What a second name and the size itself would sell at one price."""
    return quote.sku, quote.region, quote.pricing, quote.term_months


def _rows(item: Mapping[str, Any], billing_currency: str, page: Page) -> Iterator[Quote | Unreadable]:
    """What one item offers: nothing (no Linux GPU machine), a price, and the savings plans on that price."""
    sku, region = text_of(item.get("armSkuName")), text_of(item.get("armRegionName"))
    product, kind = text_of(item.get("productName")), text_of(item.get("type"))
    meter = f"{text_of(item.get('skuName'))} {text_of(item.get('meterName'))}".strip()
    size = SIZES.get(sku.lower())

    def unreadable(reason: str, detail: str) -> Unreadable:
        return Unreadable(reason=reason, detail=detail, sku=sku, gpu=size.gpu if size else "", region=region)

    if _WINDOWS.search(product) or kind == "DevTestConsumption":
        return  # the same machine with a licence, or for holders of a subscription
    if not sku:
        yield unreadable("missing_field", f"{meter or product or 'a row'} has no armSkuName")
        return
    if not sku.startswith("Standard_N") or (size and not size.gpu):
        return
    if not (product and meter and region):
        yield unreadable("missing_field", f"{sku} names no product, meter or region")
    elif page.book and region != page.book:
        yield unreadable("other_region", f"{sku} of {region} in the list of {page.book}")
    elif _OTHER_PRODUCT.search(product):
        yield unreadable("other_product", f"{product} is not a virtual machine")
    elif "low priority" in meter.lower():
        yield unreadable("low_priority", f"{sku} Low Priority is sold through Batch only")
    elif size is None:
        yield unreadable("unknown_sku", f"{sku} is not in skus.csv")
    elif text_of(item.get("unitOfMeasure")) != "1 Hour":
        yield unreadable("unknown_unit", f"{sku} is priced per {item.get('unitOfMeasure')!r}")
    elif decimal_of(item.get("tierMinimumUnits") or 0) != 0:
        yield unreadable("not_a_price", f"{sku} from {str(item['tierMinimumUnits'])[:20]} units on")
    elif _has_ended(item.get("effectiveEndDate"), page.observed_at):
        yield unreadable("superseded", f"{sku} until {str(item['effectiveEndDate'])[:40]}")
    else:
        yield from _quotes(item, size, region, kind, "spot" in meter.lower(), billing_currency)


def _quotes(
    item: Mapping[str, Any], size: Size, region: str, kind: str, spot: bool, billing_currency: str
) -> Iterator[Quote | Unreadable]:
    def unreadable(reason: str, detail: str) -> Unreadable:
        return Unreadable(reason=reason, detail=f"{size.sku} {detail}", sku=size.sku, gpu=size.gpu, region=region)

    amount = _price(item.get("retailPrice"))
    if amount is None:
        yield unreadable("not_a_price", f"at {item.get('retailPrice')!r}: a meter that is not sold yet")
        return
    try:
        since = _since(item.get("effectiveStartDate"))
    except (ValueError, OverflowError):
        yield unreadable("unreadable", f"has the start date {item.get('effectiveStartDate')!r}")
        return
    quote = Quote(
        sku=size.sku,
        gpu=size.gpu,
        gpu_count=size.gpus,
        amount=amount,
        unit="per_instance_hour",
        pricing="spot" if spot else "on_demand",
        currency=text_of(item.get("currencyCode")) or billing_currency,
        region=region,
        gpu_memory_gb=size.gpu_memory_gb,
        vcpus=size.vcpus,
        memory_gb=size.memory_gb,
        tier=size.tier,
        fabric=size.fabric,
        effective_from=since,
    )
    if kind == "Consumption":
        yield quote
        for plan in rows_of(item.get("savingsPlan")) if not spot else ():
            hourly, months = _price(plan.get("retailPrice")), TERM_MONTHS.get(text_of(plan.get("term")))
            if hourly is None or months is None:
                yield unreadable("not_a_price", f"savings plan of {plan.get('term')!r} at {plan.get('retailPrice')!r}")
            else:
                yield replace(quote, amount=hourly, pricing="savings_plan", term_months=months)
    elif kind == "Reservation":
        months = TERM_MONTHS.get(text_of(item.get("reservationTerm")))
        if months is None:
            yield unreadable("missing_term", f"reservation for {item.get('reservationTerm')!r}")
        else:
            yield replace(quote, unit="per_term", pricing="reserved", term_months=months)
    else:
        yield unreadable("unknown_pricing", f"has the price type {kind!r}")


def _price(value: object) -> Decimal | None:
    """A price; None for nothing, for words, and for the 0 and 0.01 of meters that are not sold."""
    amount = decimal_of(value)
    return amount if amount is not None and amount > 0 and amount != Decimal("0.01") else None


def _since(value: object) -> datetime | date | None:
    """When a price begins; None when the row does not say. Raises ValueError or OverflowError for what is no date."""
    return None if value is None else parse_moment(text_of(value))


def _has_ended(until: object, now: datetime) -> bool:
    """Whether a price was over at the time of the look; one that ends at no moment that can be read may have been."""
    try:
        return bool(until) and not is_after(parse_moment(text_of(until)), now)
    except (ValueError, OverflowError):
        return True


def _answer(page: Page) -> Mapping[str, Any]:
    """The envelope of a page, with its Items. Raises ErrorAnswer and LayoutChanged."""
    body = json_of(page)
    if isinstance(body, dict) and "Items" not in body and (error := body.get("Error") or body.get("error")):
        raise ErrorAnswer(f"Azure {page.name}: {str(error)[:200]}")
    if not isinstance(field_of(body, "Items", page), list):
        raise LayoutChanged(f"Azure {page.name}: Items is no list")
    return cast("Mapping[str, Any]", body)


def _next_link(answer: Mapping[str, Any], page: Page) -> str:
    """The address of the next page, "" after the last one; a `$top=0`, which the API itself refuses, is taken out."""
    link = field_of(answer, "NextPageLink", page)
    if link is None or link == "":
        return ""
    if not isinstance(link, str) or not link.startswith(("https://prices.azure.com/", "https://prices.azure.com:443/")):
        raise ErrorAnswer(f"Azure {page.name}: NextPageLink leads elsewhere, to {str(link)[:80]!r}")
    return _TOP_0.sub("", link).rstrip("?&")


def _check_whole(answers: Sequence[tuple[Mapping[str, Any], Page]]) -> None:
    """Raises TruncatedAnswer when the pages are not the whole list of the region."""
    full = False
    for number, (answer, page) in enumerate(answers, start=1):
        rows = len(answer["Items"])
        counted = whole_of(answer.get("Count"))
        if counted is not None and counted != rows:
            raise TruncatedAnswer(f"Azure {page.name}: {rows} items, but Count says {counted}")
        if not rows and number > 1 and not full:
            raise TruncatedAnswer(f"Azure {page.name}: an empty page follows one that was not full")
        full = rows >= ROWS_PER_PAGE
    if answers and _next_link(*answers[-1]):
        raise TruncatedAnswer(f"Azure {answers[-1][1].name}: the list goes on, but its next page is missing")


SOURCE = Source(
    name="azure",
    title="Microsoft Azure",
    homepage="https://azure.microsoft.com/pricing/details/virtual-machines/linux/",
    kind="hyperscaler",
    access="api",
    every=timedelta(days=1),
    unit_note="one hour of a whole virtual machine (Linux); a reservation is the price of its whole term",
    urls=(URL,),
    parts={region: partial(_fetch, region) for region in REGIONS},
    parse=parse,
    deadline=timedelta(minutes=10),
    requests_per_second=1.0,
    traps=(
        "Windows rows share SKU and meter with Linux; Spot and Low Priority are Consumption rows; a reservation "
        "says 1 Hour but holds the whole term; unreleased meters at 0; second names of one size; fractions of an "
        "A10 that the API counts as one GPU; GB200 and H200 spot at the on-demand price."
    ),
)
