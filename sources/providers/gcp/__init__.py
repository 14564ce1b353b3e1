"""Google Cloud: the Cloud Billing Catalog, a list of parts from which the price of a machine has to be put together.

Needs a free API key. Each SKU names its part, and how it is bought, in words ("Nvidia H100 80GB GPU attached to
Spot Preemptible VMs running in Americas"); `serviceRegions` holds the true regions. Three books are read from one
walk, because their prices are made in three ways:
- machines: GPUs x accelerator SKU + vCPUs x core SKU + GiB x RAM SKU + GiB of bundled local SSD (per month of 730
  hours), with the machines of machines.csv; an accelerator SKU by itself is never the price of a machine;
- slices: A4, whose SKU is an eighth of the whole machine, everything included;
- tpu: per chip.

What is what stands in accelerators.csv; a GPU or TPU it does not name is `unknown_sku`. Rows of usage type OnDemand
may be spot, flex-start ("DWS Defined Duration") or calendar blocks: the words decide, and these never stand in for
on demand. Sole tenancy, reservations at 0 and the like are set aside. A price is units + nanos / 1e9. `effectiveTime`
is when the answer was made, not when the price began, so no offer is dated by it. A list price may exist where the
machine cannot be had on demand (A4, A3 Ultra, A3 High below eight GPUs): such offers are not for sale.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any, cast

from models.offers import NOT_FOR_SALE, Fabric, Pricing, Quote, Unreadable
from sources.http import Http, json_of
from sources.providers.gcp.catalogue import ACCELERATORS, NANO, Purchase, Rates, file_rate, table
from sources.reading import field_of, rows_of, text_of
from sources.source import ErrorAnswer, LayoutChanged, MissingSecret, Page, Source, TruncatedAnswer

URL = "https://cloudbilling.googleapis.com/v1/services/6F81-5844-456A/skus"  # the service Compute Engine
SECRET = "GCP_API_KEY"
SKUS_PER_PAGE = 5000
MOST_PAGES = 40
NEEDED = ("description", "category", "serviceRegions", "pricingInfo")
BOOKS = {"machines": ("machine",), "slices": ("slice",), "tpu": ("chip",)}  # and the kinds of accelerator in each

TERMS: Mapping[Purchase, tuple[Pricing, int | None, str]] = {  # pricing, months, tier
    "on_demand": ("on_demand", None, ""),
    "spot": ("spot", None, ""),
    "commit_1y": ("reserved", 12, ""),
    "commit_3y": ("reserved", 36, ""),
    "flex_start": ("capacity_block", None, "flex_start"),
    "calendar": ("capacity_block", None, "calendar"),
}


@dataclass(frozen=True, slots=True)
class Machine:
    """A machine type as machines.csv knows it."""

    name: str
    component: str
    gpus: Decimal
    family: str  # billing family of its cores and RAM; empty: the accelerator SKU covers the machine
    vcpus: Decimal
    memory_gib: Decimal
    local_ssd_gib: Decimal
    orderable: bool  # can it be had on demand
    fabric: Fabric | None


MACHINES = [
    Machine(
        name=row["machine"],
        component=row["component"],
        gpus=Decimal(Fraction(row["gpus"]).numerator) / Fraction(row["gpus"]).denominator,
        family=row["family"],
        vcpus=Decimal(row["vcpus"]),
        memory_gib=Decimal(row["memory_gib"]),
        local_ssd_gib=Decimal(row["local_ssd_gib"] or 0),
        orderable=row["orderable"] == "yes",
        fabric=cast("Fabric | None", row["fabric"] or None),
    )
    for row in table("machines.csv")
]


def fetch(http: Http) -> Iterator[Page]:
    """The whole catalogue of Compute Engine, once for each book."""
    key = http.secret(SECRET)
    if not key:
        raise MissingSecret(f"Google Cloud's catalogue needs an API key (free): set {SECRET}")
    pages: list[Page] = []
    tokens = [""]
    while True:
        params = {"pageSize": SKUS_PER_PAGE, "currencyCode": "USD"}
        token = {"pageToken": tokens[-1]} if tokens[-1] else {}
        name = f"skus-{len(pages) + 1}.json"
        page = http.get(URL, params={**params, **token}, secret_params={"key": key}, name=name, book="machines")
        pages.append(page)
        following = text_of(_answer(page).get("nextPageToken"))
        if not following:
            break
        if following in tokens or len(pages) == MOST_PAGES:
            raise TruncatedAnswer(f"Google Cloud: the paging goes round in circles after {len(pages)} pages")
        tokens.append(following)
    for book in BOOKS:
        yield from (replace(page, book=book) for page in pages)


def parse(pages: Sequence[Page]) -> Iterator[Quote | Unreadable]:
    """The prices of one book, or of all three when the pages name none.

    Raises ErrorAnswer, TruncatedAnswer, and LayoutChanged when fields that prices are read by are gone.
    """
    kinds = BOOKS.get(pages[0].book if pages else "", tuple(kind for book in BOOKS.values() for kind in book))
    rates: Rates = {}
    problems: dict[Unreadable, None] = {}
    named: set[str] = set()
    skus = 0
    for number, page in enumerate(pages, start=1):
        answer = _answer(page)
        _check_whole(answer, page, last=number == len(pages))
        for sku in rows_of(answer["skus"]):
            skus += 1
            named.update(name for name in NEEDED if name in sku)
            problems.update(dict.fromkeys(file_rate(sku, page, kinds, rates)))
    if skus and (missing := [name for name in NEEDED if name not in named]):
        raise LayoutChanged(f"Google Cloud {pages[0].name}: no SKU has the field {missing[0]!r}")
    if not rates and (unread := [row for row in problems if row.reason == "missing_field"]):
        raise LayoutChanged(f"Google Cloud {pages[0].name}: {unread[0].detail}")

    yield from problems
    if "chip" in kinds:
        yield from _chips(rates)
    for machine in MACHINES:
        if any(a.component == machine.component and a.kind in kinds for a in ACCELERATORS.values()):
            yield from _machine(machine, rates)


def _machine(machine: Machine, rates: Rates) -> Iterator[Quote | Unreadable]:
    """A machine in every region and purchase kind in which its accelerator has a rate."""
    accelerator = next(a for a in ACCELERATORS.values() if a.component == machine.component)
    amounts = {machine.component: machine.gpus}
    if machine.family:
        amounts[f"{machine.family.lower()} core"] = machine.vcpus
        amounts[f"{machine.family.lower()} ram"] = machine.memory_gib
    if machine.local_ssd_gib:
        amounts["ssd"] = machine.local_ssd_gib
    for (purchase, region), gpu_rate in rates.get(machine.component, {}).items():
        parts = {part: rates.get(part, {}).get((purchase, region)) for part in amounts}
        missing = [part for part, rate in parts.items() if rate is None]
        found = [(amounts[part], rate) for part, rate in parts.items() if rate is not None]
        if missing or len({rate.currency for _, rate in found}) > 1:
            what = f"no price of {', '.join(missing)}" if missing else "parts in several currencies"
            detail = f"{machine.name} {purchase} in {region}: {what}"
            yield Unreadable("missing_component", detail, machine.name, accelerator.gpu, region, gpu_rate.page_sha256)
            continue
        pricing, months, tier = TERMS[purchase]
        listed_only = purchase == "on_demand" and not machine.orderable
        yield Quote(
            sku=machine.name,
            gpu=accelerator.gpu,
            gpu_count=machine.gpus,
            amount=sum((amount * rate.amount for amount, rate in found), Decimal(0)).quantize(NANO),
            unit="per_instance_hour",
            pricing=pricing,
            currency=gpu_rate.currency,
            region=region,
            gpu_memory_gb=accelerator.gpu_memory_gb,
            vcpus=machine.vcpus,
            memory_gb=machine.memory_gib,
            term_months=months,
            tier=NOT_FOR_SALE if listed_only else tier,
            available=False if listed_only else None,
            fabric=machine.fabric,
            page_sha256=gpu_rate.page_sha256,
        )


def _chips(rates: Rates) -> Iterator[Quote]:
    """TPUs, sold by the chip-hour, host included."""
    chips = {a.component: a for a in reversed(ACCELERATORS.values()) if a.kind == "chip"}
    for component, chip in chips.items():
        for (purchase, region), rate in rates.get(component, {}).items():
            pricing, months, tier = TERMS[purchase]
            yield Quote(
                sku=chip.name,
                gpu=chip.gpu,
                gpu_count=Decimal(1),
                amount=rate.amount,
                unit="per_gpu_hour",
                pricing=pricing,
                currency=rate.currency,
                region=region,
                gpu_memory_gb=chip.gpu_memory_gb,
                term_months=months,
                tier=tier,
                fabric="multi_node",  # chips are joined by their own interconnect into slices of a pod
                page_sha256=rate.page_sha256,
            )


def _answer(page: Page) -> Mapping[str, Any]:
    """The envelope of a page, with its skus. Raises ErrorAnswer and LayoutChanged."""
    body = json_of(page)
    if isinstance(body, dict) and (error := body.get("error")):
        raise ErrorAnswer(f"Google Cloud {page.name}: {str(error)[:200]}")
    if not isinstance(field_of(body, "skus", page), list):
        raise LayoutChanged(f"Google Cloud {page.name}: skus is no list")
    return cast("Mapping[str, Any]", body)


def _check_whole(answer: Mapping[str, Any], page: Page, *, last: bool) -> None:
    """Raises TruncatedAnswer when the catalogue goes on behind the last page."""
    more = bool(answer.get("nextPageToken"))
    if last and (more or len(answer["skus"]) >= SKUS_PER_PAGE):
        raise TruncatedAnswer(f"Google Cloud {page.name}: the catalogue goes on, but its next page is missing")
    if not last and not more:
        raise TruncatedAnswer(f"Google Cloud {page.name}: no page should follow it, but one does")


SOURCE = Source(
    name="gcp",
    title="Google Cloud",
    homepage="https://cloud.google.com/compute/gpus-pricing",
    kind="hyperscaler",
    access="catalogue",
    every=timedelta(days=1),
    unit_note="one hour of a whole machine, put together from its GPU, core, RAM and local SSD rates; TPUs per chip",
    urls=(URL,),
    fetch=fetch,
    parse=parse,
    secret=SECRET,
    deadline=timedelta(minutes=10),
    requests_per_second=1.0,
    traps=(
        "The GPU SKU is 24 to 89 % of the machine; flex-start, calendar and some spot rows say OnDemand; Mega and "
        "Plus are one GPU; a price is units plus nanos; A4 is all in; A4, A3 Ultra and small A3 High have a list "
        "price but are not sold on demand; SKUs also cover regions without the machine."
    ),
)
