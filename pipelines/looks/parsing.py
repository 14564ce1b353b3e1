"""A saved response read as one look, without a store or a ledger: what `gpuledger parse` does."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path

from models.currencies import Rates
from models.normalise import normalise
from models.offers import Offer, Quote, Rejected, Unreadable
from sources.bodies import CutShort
from sources.http import MAX_BYTES
from sources.reading import decimal_of
from sources.rows import rows_read
from sources.source import EmptyAnswer, ErrorAnswer, Page, Source, TruncatedAnswer, all_sources

EXPECTED_RATES = '{"usd_per_unit": {"EUR": 1.1}, "as_of": "2026-11-30"}, the day being optional'


def source_named(name: str) -> Source:
    """The source of that name. KeyError lists the names there are."""
    known = all_sources()
    if name not in known:
        raise KeyError(f"no source is called {name!r}; there are {', '.join(known)}")
    return known[name]


def parse_files(
    name: str, files: Sequence[Path], observed_at: datetime, fx: Path | None
) -> tuple[list[Offer], list[Rejected]]:
    """Offers and rejections of saved responses. Raises SourceError when they are not what the site gives, and
    ValueError for an aggregator and for exchange rates that are none."""
    source = source_named(name)
    if source.kind == "aggregator":
        raise ValueError(f"{name} is an aggregator: it says what others charge, which makes no offers")
    pages = [Page(file.name, _body(source, file), observed_at, file.name) for file in files]
    rows = [row for row in rows_read(source, pages) if isinstance(row, (Quote, Unreadable))]
    if not rows:
        read = ", ".join(page.name for page in pages)
        raise EmptyAnswer(f"{read}: nothing that {name} would sell is in it; is it whole?")
    return normalise(
        rows,
        provider=name,
        book="",
        observed_at=observed_at,
        origin="live",
        rates=_stated_rates(fx, observed_at),
        page_sha256=pages[0].sha256,
        one_seller=source.kind != "marketplace",
    )


def _body(source: Source, file: Path) -> bytes:
    """The bytes of a file; of a huge one only the lines that the source keeps, with flat memory.

    Raises TruncatedAnswer for an archive that is broken or cut, and ErrorAnswer for more than any site may send.
    """
    if source.reduce is None:
        with file.open("rb") as stream:
            body = stream.read(MAX_BYTES + 1)
        if len(body) > MAX_BYTES:
            raise ErrorAnswer(f"{file.name} has more than {MAX_BYTES >> 20} MB")
        return body
    try:
        with file.open("rb") as stream:
            return b"".join(source.reduce(iter(lambda: stream.read(1 << 16), b"")))
    except CutShort as error:
        raise TruncatedAnswer(f"{file.name}: {error}") from error


def _stated_rates(fx: Path | None, observed_at: datetime) -> Rates:
    if fx is None:
        return Rates.of(())
    try:
        stated = json.loads(fx.read_bytes(), parse_float=Decimal)
        rates = {currency: decimal_of(rate) for currency, rate in stated["usd_per_unit"].items()}
        on = date.fromisoformat(stated["as_of"]) if "as_of" in stated else observed_at.date()
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError):
        raise ValueError(f"{fx} is not as expected: {EXPECTED_RATES}") from None
    if wrong := [currency for currency, rate in rates.items() if rate is None]:
        raise ValueError(f"{fx} has no figure for {wrong[0]}; expected: {EXPECTED_RATES}")
    try:
        return Rates.stated({currency: rate for currency, rate in rates.items() if rate is not None}, on)
    except ValueError as error:
        raise ValueError(f"{fx}: {error}") from None
