"""OVHcloud: the public order catalogue of three price books, one JSON answer each, no key.

The EU book (EUR, sold by the French company), the world book (USD) and the US book (USD, sold by another company
on its own host, with fewer cards) are different lists; `locale` says which one came. A price row is an addon:
its price an integer in 1e-8 of the currency, before tax, for the whole instance; its period the end of the plan
code, since `intervalUnit` says "none" in the US book. A monthly plan is bought for the month and cannot go back
to hours. Only the brick "gpu" is rented GPUs: `ai-*` addons describe a GPU too and are priced by the minute.
Passed over are Windows plans (`win-*`: licence included) and old twins of the same flavour (`-le-`). A plan
tagged "coming_soon" has a price and cannot be ordered yet. No row names a region, there is no spot price.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from decimal import Decimal
from typing import Any

from models.offers import Quote, Unreadable
from sources.http import Http, json_of
from sources.reading import currencies_of, decimal_of, field_of, rows_of, text_of, whole_of
from sources.source import ErrorAnswer, LayoutChanged, Page, Source

CATALOGUE = "/1.0/order/catalog/public/cloud?ovhSubsidiary="
BOOKS = {
    "eu": f"https://api.ovh.com{CATALOGUE}FR",
    "us": f"https://api.us.ovhcloud.com{CATALOGUE}US",
    "world": f"https://ca.api.ovh.com{CATALOGUE}WE",
}
BOOK_OF = {("FR", "EUR"): "eu", ("US", "USD"): "us", ("WE", "USD"): "world"}  # by subsidiary and currency
CONDITIONS = ("commitment", "mode", "promotions")
HOURLY, MONTHLY = ".consumption", ".monthly.postpaid"


def _fetcher(book: str) -> Any:
    def fetch(http: Http) -> Iterator[Page]:
        yield http.get(BOOKS[book], name=f"{book}.json", book=book)

    return fetch


def parse(pages: Sequence[Page]) -> Iterator[Quote | Unreadable]:
    for page in pages:
        catalogue = json_of(page)
        if isinstance(catalogue, dict) and "addons" not in catalogue and text_of(catalogue.get("message")):
            raise ErrorAnswer(f"OVHcloud answered an error: {text_of(catalogue['message'])[:120]}")
        book, currency = _book(field_of(catalogue, "locale", page), page)
        addons = field_of(catalogue, "addons", page)
        if not isinstance(addons, list):
            raise LayoutChanged(f"{page.name}: 'addons' is not a list")
        for addon in rows_of(addons):
            commercial = _at(addon, "blobs", "commercial")
            if "gpu" in (_at(commercial, "brick"), _at(commercial, "brickSubtype")):
                yield from _quotes(addon, book.upper(), currency)


def _book(locale: object, page: Page) -> tuple[str, str]:
    """The book that came and its currency. Raises ErrorAnswer when it is not the one that was asked for."""
    subsidiary, currency = (text_of(field_of(locale, name, page)) for name in ("subsidiary", "currencyCode"))
    book = BOOK_OF.get((subsidiary, currency), "")
    if not book or page.book not in ("", book):
        raise ErrorAnswer(f"{page.name}: book {page.book or 'eu, us or world'} asked, {subsidiary} {currency} came")
    return book, currency


def _quotes(addon: Mapping[str, Any], region: str, currency: str) -> Iterator[Quote | Unreadable]:
    code, technical = text_of(addon.get("planCode")), _at(addon, "blobs", "technical")
    windows = code.startswith("win-") or _at(technical, "os", "family") == "windows"
    if windows or code.startswith("ai-") or "-le-" in code:
        return
    plan, monthly = code.removesuffix(HOURLY).removesuffix(MONTHLY), code.endswith(MONTHLY)
    model, count = text_of(_at(technical, "gpu", "model")), whole_of(_at(technical, "gpu", "number"))
    if not plan or plan == code:
        yield Unreadable("unknown_unit", f"plan {code!r} is neither hourly nor monthly", code, model, region)
        return
    if not model or count is None or count < 1:
        yield Unreadable("unreadable", f"plan {code}: {count} GPUs of model {model!r}", plan, model, region)
        return
    pricings = list(rows_of(addon.get("pricings")))
    plain = [pricing for pricing in pricings if not _is_bound(pricing)]
    if bound := [pricing for pricing in pricings if _is_bound(pricing)]:
        said = ", ".join(f"{name} {bound[0].get(name)}" for name in CONDITIONS)
        yield Unreadable("missing_term", f"plan {code}: {said[:100]}", plan, model, region)
        if not plain:
            return
    price = _price(plain, currency)
    if isinstance(price, str):
        yield Unreadable("not_a_price", f"plan {code}: {price}", plan, model, region)
        return
    tags = _at(addon, "blobs", "tags")
    yield Quote(
        sku=plan,
        gpu=model,
        gpu_count=Decimal(count),
        amount=price,
        unit="per_instance_month" if monthly else "per_instance_hour",
        pricing="reserved" if monthly else "on_demand",
        currency=currency,
        region=region,
        gpu_memory_gb=decimal_of(_at(technical, "gpu", "memory", "size")),
        vcpus=decimal_of(_at(technical, "cpu", "cores")),
        memory_gb=decimal_of(_at(technical, "memory", "size")),
        term_months=1 if monthly else None,
        tier="monthly" if monthly else "",
        available=False if isinstance(tags, list) and "coming_soon" in tags else None,
        fabric="single_node",
    )


def _is_bound(pricing: Mapping[str, Any]) -> bool:
    """Whether a price is one for those who stay, pay ahead or hold a voucher."""
    commitment, mode, promotions = (pricing.get(name) for name in CONDITIONS)
    return whole_of(commitment or 0) != 0 or (mode or "default") != "default" or bool(promotions)


def _price(pricings: Sequence[Mapping[str, Any]], currency: str) -> Decimal | str:
    """The price in major units, checked by sign and cent with the printed text; or what is wrong with it."""
    prices = {(whole_of(row.get("price")), text_of(row.get("formattedPrice"))) for row in pricings}
    if len(prices) != 1:
        return f"{len(prices) or 'no'} prices in one plan"
    hundred_millionths, printed = prices.pop()
    if hundred_millionths is None or hundred_millionths <= 0:
        return f"{hundred_millionths} is not a price"
    price = Decimal(hundred_millionths) / 10**8
    cents = whole_of(re.sub(r"\D", "", printed))
    if printed and (cents is None or abs(cents - price * 100) > 1 or currencies_of(printed) - {currency}):
        return f"{hundred_millionths} does not agree with {printed[:40]!r}"
    return price


def _at(record: object, *names: str) -> Any:
    """A nested field; None where a step is missing."""
    for name in names:
        record = record.get(name) if isinstance(record, dict) else None
    return record


SOURCE = Source(
    name="ovh",
    title="OVHcloud",
    homepage="https://www.ovhcloud.com/en/public-cloud/prices/",
    kind="gpu_cloud",
    access="catalogue",
    every=timedelta(days=1),
    urls=tuple(BOOKS.values()),
    parts={book: _fetcher(book) for book in BOOKS},
    parse=parse,
    unit_note="integer of 1e-8 EUR or USD per instance, before tax, per hour or per calendar month",
    traps=(
        "monthly plans stand beside hourly ones; intervalUnit is wrong in the US book; ai-* addons are per minute; "
        "Windows plans and -le- twins repeat the cards; Quadro-RTX5000 is Turing; coming_soon plans have prices"
    ),
)
