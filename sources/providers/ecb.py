"""European Central Bank: euro foreign exchange reference rates of the last 90 days, one XML file, no key.

The file nests three elements that are all called Cube: the list, a day (`time`), a currency (`currency`,
`rate`: units of it for one euro). It is replaced on every TARGET working day at about 16:00 Central European
Time; weekends and holidays have no day of their own. Which day's rate a price is converted with is decided in
models.currencies.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from decimal import Decimal

from lxml import etree

from models.offers import CurrencyRate, Unreadable
from sources.reading import decimal_of
from sources.source import ErrorAnswer, LayoutChanged, Page, Source

URL = "https://www.ecb.europa.eu/stats/eurofxref/eurofxref-hist-90d.xml"
CUBE = "{http://www.ecb.int/vocabulary/2002-08-01/eurofxref}Cube"
CODE = re.compile(r"[A-Z]{3}")
# From 2005, when Turkey and Romania had dropped their zeros, to 2026: 0.65 (pound) to 20,500 (rupiah).
LOWEST, HIGHEST = Decimal("0.1"), Decimal(100_000)


def parse(pages: Sequence[Page]) -> Iterator[CurrencyRate | Unreadable]:
    """One row per day and currency. Raises ErrorAnswer, and LayoutChanged without days or without US dollars."""
    for page in pages:
        days = [cube for cube in _tree(page).iter(CUBE) if "time" in cube.attrib]
        rates = [rate for day in days for rate in _rates(day.get("time"), day, page)]
        if not days:
            raise LayoutChanged(f"{page.name}: no Cube element with a day")
        if not any(isinstance(rate, CurrencyRate) and rate.currency == "USD" for rate in rates):
            raise LayoutChanged(f"{page.name}: no rate of the US dollar in {len(days)} days")
        yield from rates


def _tree(page: Page) -> etree._Element:
    """The document as a tree; entities are never expanded and nothing is fetched."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        root = etree.fromstring(page.body, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise ErrorAnswer(f"{page.name} is not XML but {page.text[:40]!r}") from error
    if root.getroottree().docinfo.internalDTD is not None:
        raise ErrorAnswer(f"{page.name} declares a document type; the rates never do")
    return root


def _rates(on: str, day: etree._Element, page: Page) -> Iterator[CurrencyRate | Unreadable]:
    try:
        published = date.fromisoformat(on)
    except ValueError:
        yield Unreadable("not_a_rate", f"rates of the day {on[:40]!r}", page_sha256=page.sha256)
        return
    if published > page.observed_at.date():
        detail = f"rates of {published}, seen on {page.observed_at:%Y-%m-%d}"
        yield Unreadable("not_a_rate", detail, page_sha256=page.sha256)
        return
    for cube in day.iterchildren(CUBE):
        currency, printed = cube.get("currency", ""), cube.get("rate", "")
        rate = decimal_of(printed)
        if CODE.fullmatch(currency) and rate is not None and LOWEST <= rate <= HIGHEST:
            yield CurrencyRate(published, currency, rate, page.sha256)
        else:
            yield Unreadable("not_a_rate", f"{currency[:20]!r} at {printed[:40]!r} on {on}", page_sha256=page.sha256)


SOURCE = Source(
    name="ecb",
    title="European Central Bank",
    homepage="https://www.ecb.europa.eu/stats/policy_and_exchange_rates/euro_reference_exchange_rates/html/index.en.html",
    kind="currency",
    access="catalogue",
    every=timedelta(days=1),
    urls=(URL,),
    parse=parse,
    unit_note="units of the currency for one euro, on one day",
    traps="no rate on weekends and TARGET holidays; published at about 16:00 CET for the same day; reference only",
)
