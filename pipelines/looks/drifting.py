"""The look that a look is compared with, and both in numbers. What is far is said in models.drift.

A look that drifted is no measure: the looks after it are compared with the good one before, so that drift stays named
until the list comes back or has said the same for as long as a held price waits.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import polars as pl

from models.drift import Drift, Listed, Profile, drift, profile
from models.moves import PriceMove, Standing, waited_enough
from models.offers import Offer, Rejected
from models.witnesses import WitnessedPrice
from warehouse.offer_files import Kind, OfferFiles, Scrape, companions, read_frame

UNMAPPED = ("unknown_gpu", "unknown_sku")  # reasons of rows that name a card or a plan nobody has mapped
_COLUMNS = ["sku", "gpu_family", "pricing", "usd_per_gpu_hour"]


def drift_since(files: OfferFiles, scrape: Scrape, now: Callable[[Collection[str]], Profile]) -> Drift | None:
    """From the newest earlier look of the same origin that did not drift, over the books of it that this look read.

    `now` gives this look in numbers, over some books. When the looks since have waited long enough, this one is
    compared with the newest of them: what still says the same is believed. None without an earlier look.
    """
    newest: tuple[Path, set[str]] | None = None
    since, looks = scrape.observed_at, 1
    for path, before in files.earlier(scrape.provider, scrape.origin, scrape.observed_at):
        books = set(before.books) & set(scrape.books)
        if not books:
            continue
        newest = newest or (path, books)
        if before.drift:
            since, looks = before.observed_at, looks + 1
            continue
        good = newest if waited_enough(since, looks, scrape.observed_at) else (path, books)
        return drift(profile_of(*good), now(good[1]))
    return None


def before_drift(files: OfferFiles, scrape: Scrape) -> dict[str, Standing]:
    """What stood after the newest earlier look that did not drift, where a later one did; nothing where none did."""
    drifted = False
    for _, before in files.earlier(scrape.provider, scrape.origin, scrape.observed_at):
        if not set(before.books) & set(scrape.books):
            continue
        if not before.drift:
            after = before.observed_at + timedelta(microseconds=1)
            return files.standing(scrape.provider, scrape.origin, scrape.books, before=after) if drifted else {}
        drifted = True
    return {}


def profile_of(summary: Path, books: Collection[str]) -> Profile:
    """A look that was kept in numbers, over these books."""
    kinds: Sequence[Kind] = ("offers", "witnesses")
    offers = [Listed(**row) for kind in kinds for row in _rows(summary, kind, books, _COLUMNS)]
    refused = list(_rows(summary, "rejected", books, ["reason", "gpu_text", "sku"]))
    return profile(
        offers,
        len(refused),
        {row["gpu_text"] or row["sku"] for row in refused if row["reason"] in UNMAPPED},
        [row["sku"] for row in _rows(summary, "moves", books, ["sku", "held"]) if row["held"]],
    )


def profile_in(
    books: Collection[str],
    offers: Collection[Offer | WitnessedPrice],
    rejected: Collection[Rejected],
    moves: Collection[PriceMove],
) -> Profile:
    """The same of a look that is not kept yet."""
    refused = [row for row in rejected if row.book in books]
    return profile(
        [Listed(one.sku, one.gpu_family, one.pricing, one.usd_per_gpu_hour) for one in offers if one.book in books],
        len(refused),
        {row.gpu_text or row.sku for row in refused if row.reason in UNMAPPED},
        [move.sku for move in moves if move.held and move.book in books],
    )


def drift_of(files: OfferFiles, scrape: Scrape) -> Drift | None:
    """Of a look that is kept."""
    path, _ = next(files.earlier(scrape.provider, scrape.origin, scrape.observed_at + timedelta(microseconds=1)))
    return drift_since(files, scrape, lambda books: profile_of(path, books))


def _rows(summary: Path, kind: Kind, books: Collection[str], columns: Sequence[str]) -> Iterator[dict[str, Any]]:
    for file in companions([summary], kind):
        found = read_frame(file, columns=["book", *columns]).filter(pl.col("book").is_in(sorted(books)))
        yield from found.select(columns).iter_rows(named=True)
