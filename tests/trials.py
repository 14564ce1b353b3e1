"""What must hold of whatever is read from a broken page; not a test by itself."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from functools import cache

from mutations import CUTS_NAMES, broken
from nameless import nameless

from models.currencies import Rates
from models.gpu_table import gpus
from models.gpus import resolve
from models.normalise import normalise
from models.offers import CurrencyRate, Offer, Quote, Unreadable, Witness
from models.witnesses import WitnessedPrice, witnessed
from sources.pages import recorded_pages
from sources.source import Page, Row, Source, SourceError, all_sources, in_books


@dataclass(frozen=True)
class Book:
    """The recorded pages of one book on one day, the families they name, and the same pages naming no card."""

    source: Source
    observed_at: datetime
    name: str
    pages: Sequence[Page]
    families: frozenset[str]
    nameless: Sequence[Page]
    without_names: frozenset[str]  # what may be read of these all the same


# They know some machines by a key or a word that is no name: "gpu.small", "ROBOT_1747".
KNOWN_BY_KEY = frozenset({"exoscale", "hetzner", "oci"})


def recorded_books(source: Source) -> Iterator[Book]:
    """Every book of every recorded look of a source."""
    for observed_at, recorded in recorded_pages(source.name).items():
        for name, pages in in_books(page.page for page in recorded).items():
            yield book_of(source, observed_at, name, pages)


def book_of(source: Source, observed_at: datetime, name: str, pages: Sequence[Page]) -> Book:
    """A book with what its pages name."""
    rows = list(source.parse(pages))
    unnamed = nameless(pages, rows)
    by_key = _families(source, source.parse(unnamed)) if source.name in KNOWN_BY_KEY else frozenset[str]()
    return Book(source, observed_at, name, pages, _families(source, rows), unnamed, by_key)


def _families(source: Source, rows: Iterable[Row]) -> frozenset[str]:
    """Of the cards that the rows name, those of rows that are no price included."""
    named = set[tuple[str, Decimal | None]]()
    for row in rows:
        said = row.says if isinstance(row, Witness) else row
        if isinstance(said, Quote):
            named.add((said.gpu, said.gpu_memory_gb))
        elif isinstance(said, Unreadable):
            named.add((said.gpu or said.sku, None))
    cards = (resolve(text, source.name, memory) or resolve(text, source.name) for text, memory in named)
    return frozenset(card.gpu.gpu_family for card in cards if card)


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
    """One mutation of one page of the book, read and normalised; what went wrong, in one line, or None.

    Of every four pages one names no card: what then is offered is made up, whatever the page says elsewhere.
    """
    chance = random.Random(f"{book.source.name} {book.observed_at} {book.name} {seed}")
    named = chance.random() < 0.75
    kind, pages = broken(book.pages if named else book.nameless, chance)
    kind = kind if named else f"nameless, {kind}"
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
        one_seller=book.source.kind != "marketplace",
    )
    return _of_prices(where, kind, book, offers)


def _of_prices(where: str, kind: str, book: Book, offers: Sequence[Offer | WitnessedPrice]) -> str | None:
    named = not kind.startswith("nameless")
    families = book.families if named else book.without_names
    for offer in offers:
        card = gpus()[offer.gpu]
        if not card.usd_per_gpu_hour_low <= offer.usd_per_gpu_hour <= card.usd_per_gpu_hour_high:
            return f"{where}: {offer.sku} at {offer.usd_per_gpu_hour} USD per GPU-hour"
        if offer.gpu_family not in families and not (named and any(cut in kind for cut in CUTS_NAMES)):
            return f"{where}: {offer.sku} became {offer.gpu}, which the page does not name ({offer.gpu_text!r})"
    return None


def _of_rates(where: str, rates: Sequence[CurrencyRate]) -> str | None:
    absurd = [rate for rate in rates if not Decimal("0.01") <= rate.per_eur <= 1_000_000]
    return f"{where}: {absurd[0]}" if absurd else None
