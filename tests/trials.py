"""What must hold of whatever is read from a broken page; not a test by itself."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from functools import cache

from mutations import CUTS_NAMES, broken

from models.currencies import Rates
from models.gpus import resolve
from models.normalise import normalise
from models.offers import CurrencyRate, Offer, Quote, Unreadable, Witness
from models.witnesses import WitnessedPrice, witnessed
from sources.pages import recorded_pages
from sources.source import Page, Source, SourceError, all_sources, in_books


@dataclass(frozen=True)
class Book:
    """The recorded pages of one book on one day, and the families they name."""

    source: Source
    observed_at: datetime
    name: str
    pages: Sequence[Page]
    families: frozenset[str]


def recorded_books(source: Source) -> Iterator[Book]:
    """Every book of every recorded look of a source."""
    for observed_at, recorded in recorded_pages(source.name).items():
        for name, pages in in_books(page.page for page in recorded).items():
            rows = list(source.parse(pages))
            quotes = [row.says if isinstance(row, Witness) else row for row in rows]
            named = {(row.gpu, row.gpu_memory_gb) for row in quotes if isinstance(row, Quote)}
            named |= {(row.gpu or row.sku, None) for row in rows if isinstance(row, Unreadable)}
            cards = (resolve(text, source.name, memory) or resolve(text, source.name) for text, memory in named)
            families = frozenset(card.gpu.gpu_family for card in cards if card)
            yield Book(source, observed_at, name, pages, families)


@cache
def recorded_rates() -> Rates:
    """All exchange rates that are recorded."""
    return Rates.of(
        row
        for source in all_sources().values()
        if source.kind == "currency"
        for recorded in recorded_pages(source.name).values()
        for row in source.parse([page.page for page in recorded])
        if isinstance(row, CurrencyRate)
    )


def trial(book: Book, seed: int) -> str | None:
    """One mutation of one page of the book, read and normalised; what went wrong, in one line, or None."""
    chance = random.Random(f"{book.source.name} {book.observed_at} {book.name} {seed}")
    kind, pages = broken(book.pages, chance)
    where = f"{book.source.name} {book.observed_at:%Y-%m-%d} {book.name!r} seed {seed} ({kind})"
    try:
        rows = list(book.source.parse(pages))
    except SourceError:
        return None
    except Exception as error:  # any other exception is the defect looked for
        return f"{where}: {type(error).__name__}: {str(error)[:200]}"
    if book.source.kind == "currency":
        return _of_rates(where, [row for row in rows if isinstance(row, CurrencyRate)])
    if book.source.kind == "aggregator":
        prices, _ = witnessed(
            (row for row in rows if isinstance(row, (Witness, Unreadable))),
            witness=book.source.name,
            book=book.name,
            observed_at=book.observed_at,
            origin="recorded",
            rates=recorded_rates(),
            page_sha256="",
        )
        return _of_prices(where, kind, book, prices)
    offers, _ = normalise(
        (row for row in rows if isinstance(row, (Quote, Unreadable))),
        provider=book.source.name,
        book=book.name,
        observed_at=book.observed_at,
        origin="recorded",
        rates=recorded_rates(),
        page_sha256="",
    )
    return _of_prices(where, kind, book, offers)


def _of_prices(where: str, kind: str, book: Book, offers: Sequence[Offer | WitnessedPrice]) -> str | None:
    for offer in offers:
        if not Decimal("0.001") <= offer.usd_per_gpu_hour <= 1000:
            return f"{where}: {offer.sku} at {offer.usd_per_gpu_hour} USD per GPU-hour"
        if offer.gpu_family not in book.families and not any(cut in kind for cut in CUTS_NAMES):
            return f"{where}: {offer.sku} became {offer.gpu}, which the page does not name ({offer.gpu_text!r})"
    return None


def _of_rates(where: str, rates: Sequence[CurrencyRate]) -> str | None:
    absurd = [rate for rate in rates if not Decimal("0.01") <= rate.per_eur <= 1_000_000]
    return f"{where}: {absurd[0]}" if absurd else None
