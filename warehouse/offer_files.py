"""What a look came to, as files: offers, quarantined rows and the rest in Parquet, the summary in JSON.

    <root>/<provider>/<moment>.<kind>.parquet   of kind offers, rejected, moves, rates, witnesses
    <root>/<provider>/<moment>.scrape.json

The summary is written last: a look without one was not finished. The ledger can be loaded from these files alone.
A look that is read again and comes to something else replaces its files and leaves a note that the ledger is to be
laid anew. Making offers out of pages is not done here.
"""

from __future__ import annotations

import io
import json
import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from datetime import UTC, date, datetime
from decimal import ROUND_HALF_EVEN, Decimal
from hashlib import blake2b
from pathlib import Path
from typing import Any, Literal

import polars as pl

from models.moves import PriceMove, Standing
from models.offers import CurrencyRate, Offer, Rejected
from models.witnesses import WitnessedPrice

Kind = Literal["offers", "rejected", "moves", "rates", "witnesses"]
_DRAFTS = ".writing"  # folder of files that are not whole yet
_LONGEST_WRITE_SECONDS = 86_400.0

_TYPES: Mapping[str, pl.DataType] = {
    "gpu_memory_gb": pl.Decimal(9, 2),
    "gpu_count": pl.Decimal(18, 8),
    "vcpus": pl.Decimal(12, 3),
    "memory_gb": pl.Decimal(14, 3),
    "list_price": pl.Decimal(18, 8),
    "upfront": pl.Decimal(18, 8),
    "usd_per_hour": pl.Decimal(18, 8),
    "usd_per_gpu_hour": pl.Decimal(18, 8),
    "fx_rate": pl.Decimal(18, 10),
    "fx_date": pl.Date(),
    "effective_from": pl.Date(),
    "available": pl.Boolean(),
    "term_months": pl.Int32(),
    "quantity": pl.Int64(),
    "minimum_gpus": pl.Int64(),
    "cluster_gpus": pl.Int64(),
    "as_of": pl.Datetime("us", "UTC"),
    "observed_at": pl.Datetime("us", "UTC"),
}
_OFFER_COLUMNS = {field.name: _TYPES.get(field.name, pl.String()) for field in fields(Offer)}
_WITNESS_COLUMNS = {field.name: _TYPES.get(field.name, pl.String()) for field in fields(WitnessedPrice)}
_REJECTED_COLUMNS: dict[str, pl.DataType] = {"reject_key": pl.String()} | {
    field.name: pl.Datetime("us", "UTC") if field.name == "observed_at" else pl.String() for field in fields(Rejected)
}
_MOVE_COLUMNS: dict[str, pl.DataType] = {field.name: pl.String() for field in fields(PriceMove)} | {
    "observed_at": pl.Datetime("us", "UTC"),
    "held": pl.Boolean(),
    "usd_per_hour": pl.Decimal(18, 8),
    "last_usd_per_hour": pl.Decimal(18, 8),
    "last_fx_rate": pl.Decimal(18, 10),
    "last_seen_at": pl.Datetime("us", "UTC"),
    "held_since": pl.Datetime("us", "UTC"),
    "held_looks": pl.Int64(),
}
_RATE_COLUMNS: dict[str, pl.DataType] = {
    "currency": pl.String(),
    "rate_date": pl.Date(),
    "per_eur": pl.Decimal(18, 8),
    "page_sha256": pl.String(),
    "observed_at": pl.Datetime("us", "UTC"),
}


@dataclass(frozen=True, slots=True)
class ScrapedPage:
    """A page of a look, as the ledger names it."""

    book: str
    url: str
    name: str
    sha256: str
    bytes: int
    unchanged: bool
    fingerprint: str = ""  # of the layout of markup: it changes when the page is redesigned


@dataclass(frozen=True, slots=True)
class Scrape:
    """The summary of one look: what core.scrape and core.scrape_page hold."""

    provider: str
    observed_at: datetime
    origin: Literal["live", "recorded"]
    status: Literal["ok", "partial", "failed"]
    code: str
    reason: str
    books: Sequence[str]
    quotes: int
    offers: int
    rejected: int
    pages: Sequence[ScrapedPage]


class OfferFiles:
    """The folder of what every look came to."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def write(
        self,
        scrape: Scrape,
        offers: Sequence[Offer],
        rejected: Sequence[Rejected],
        rates: Sequence[CurrencyRate] = (),
        moves: Sequence[PriceMove] = (),
        witnesses: Sequence[WitnessedPrice] = (),
    ) -> None:
        """Keep what a look came to; empty kinds leave no file."""
        stem, folder = _stem(scrape.observed_at), self.root / scrape.provider
        folder.mkdir(parents=True, exist_ok=True)
        frames = {
            "offers": offers_frame(offers),
            "rejected": _rejected_frame(rejected),
            "moves": _frame(moves, _MOVE_COLUMNS),
            "rates": _rates_frame(rates, scrape.observed_at),
            "witnesses": _frame(witnesses, _WITNESS_COLUMNS),
        }
        content = {f"{stem}.{kind}.parquet": _parquet(frame) for kind, frame in frames.items()}
        summary = asdict(scrape) | {"observed_at": scrape.observed_at.isoformat()}
        content[f"{stem}.scrape.json"] = json.dumps(summary, ensure_ascii=False).encode()  # last
        changed = {name: new for name, new in content.items() if _held(folder / name) != new}
        again = (folder / f"{stem}.scrape.json").exists() and bool(changed)
        if again:
            self.read_again.touch()  # before and after: a crash, or a load, may come in between
        for name, new in changed.items():
            self._replace(folder / name, new)
        if again:
            self.read_again.touch()

    @property
    def read_again(self) -> Path:
        """A note for the next load: a look that may be in the ledger came to something else."""
        return self.root / ".read-again"

    def standing(
        self, provider: str, origin: Literal["live", "recorded"], books: Sequence[str], before: datetime
    ) -> dict[str, Standing]:
        """What stood in these books before a moment, by offer_key: from the newest earlier look that read each."""
        found: dict[str, Standing] = {}
        wanted = set(books)
        for path, summary in self.earlier(provider, origin, before):
            if not wanted:
                break
            if read := wanted & set(summary.books):
                found |= {one.offer_key: one for one in _standing_after(path, summary) if one.book in read}
                wanted -= read
        return found

    def earlier(
        self, provider: str, origin: Literal["live", "recorded"], before: datetime
    ) -> Iterator[tuple[Path, Scrape]]:
        """Summary files of the looks before a moment, newest first."""
        for path in sorted((self.root / provider).glob("*.scrape.json"), reverse=True):
            if path.name < _stem(before) and (summary := read_summary(path)).origin == origin:
                yield path, summary

    def clear_drafts(self) -> None:
        """Remove half-written files of processes that were killed more than a day ago."""
        for draft in (self.root / _DRAFTS).glob("*"):
            with suppress(FileNotFoundError):  # its writer was only slow
                if time.time() - draft.stat().st_mtime > _LONGEST_WRITE_SECONDS:
                    draft.unlink()

    def _replace(self, target: Path, content: bytes) -> None:
        """Put content under a name so that a reader, or a crash, sees all of it or none; no content, no file."""
        if not content:
            target.unlink(missing_ok=True)
            return
        draft = self.root / _DRAFTS / f"{os.getpid()}-{target.parent.name}-{target.name}"
        draft.parent.mkdir(exist_ok=True)
        with draft.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(target)

    def summaries(self) -> list[Path]:
        """The summary files of all finished looks, by provider and time."""
        return sorted(self.root.glob("*/*.scrape.json"))

    def last(self, provider: str) -> Scrape | None:
        """The summary of the newest look at a provider; None when there is none."""
        newest = max((self.root / provider).glob("*.scrape.json"), default=None)
        return None if newest is None else read_summary(newest)


def read_summary(path: Path) -> Scrape:
    """A summary file."""
    record = json.loads(path.read_bytes())
    record["observed_at"] = datetime.fromisoformat(record["observed_at"])
    record["pages"] = [ScrapedPage(**page) for page in record["pages"]]
    return Scrape(**record)


def companions(summaries: Iterable[Path], kind: Kind) -> list[str]:
    """The Parquet files of one kind that belong to these summaries and exist."""
    paths = (path.with_name(path.name.replace(".scrape.json", f".{kind}.parquet")) for path in summaries)
    return [str(path) for path in paths if path.exists()]


def offers_frame(offers: Sequence[Offer]) -> pl.DataFrame:
    """Offers as a frame with the ledger's exact column types."""
    return _frame(offers, _OFFER_COLUMNS)


def _standing_after(path: Path, summary: Scrape) -> list[Standing]:
    """The last believed price of every offer that stood after a look, those that it held back included."""
    identity = ["offer_key", "provider", "book", "sku", "region", "gpu", "pricing"]
    standing: list[Standing] = []
    for file in companions([path], "offers"):
        seen = pl.read_parquet(file, columns=[*identity, "usd_per_hour", "fx_rate"])
        standing += (Standing(**row, seen_at=summary.observed_at) for row in seen.iter_rows(named=True))
    for file in companions([path], "moves"):
        held = pl.read_parquet(file).filter("held")
        standing += (
            Standing(
                **{name: row[name] for name in identity},
                usd_per_hour=row["last_usd_per_hour"],
                fx_rate=row["last_fx_rate"],
                seen_at=row["last_seen_at"],
                held_since=row["held_since"],
                held_looks=row["held_looks"],
                held_usd_per_hour=row["usd_per_hour"],
            )
            for row in held.iter_rows(named=True)
        )
    return standing


def _frame(records: Sequence[Offer | PriceMove | WitnessedPrice], columns: Mapping[str, pl.DataType]) -> pl.DataFrame:
    return pl.DataFrame(
        {
            name: pl.Series(name, [_exact(getattr(record, name), kind) for record in records], dtype=kind)
            for name, kind in columns.items()
        }
    )


def _rejected_frame(rejected: Sequence[Rejected]) -> pl.DataFrame:
    rows = [_rejected_row(row) for row in rejected]
    return pl.DataFrame(rows, schema=_REJECTED_COLUMNS)


def _rejected_row(row: Rejected) -> dict[str, Any]:
    shown = asdict(row) | {"amount": "" if row.amount is None else str(row.amount)}
    identity = "\x1f".join(
        str(value) for name, value in shown.items() if name not in ("observed_at", "page_sha256", "detail")
    )
    return {"reject_key": blake2b(identity.encode(errors="replace"), digest_size=16).hexdigest(), **shown}


def _rates_frame(rates: Sequence[CurrencyRate], observed_at: datetime) -> pl.DataFrame:
    rows = [
        {
            "currency": rate.currency,
            "rate_date": rate.on,
            "per_eur": _exact(rate.per_eur, _RATE_COLUMNS["per_eur"]),
            "page_sha256": rate.page_sha256,
            "observed_at": observed_at,
        }
        for rate in rates
    ]
    return pl.DataFrame(rows, schema=_RATE_COLUMNS)


def _parquet(frame: pl.DataFrame) -> bytes:
    """A frame as Parquet; nothing where it has no rows."""
    if not frame.height:
        return b""
    buffer = io.BytesIO()
    frame.write_parquet(buffer, compression="zstd")
    return buffer.getvalue()


def _held(path: Path) -> bytes:
    return path.read_bytes() if path.exists() else b""


def _stem(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y%m%dT%H%M%S.%fZ}"


def _exact(value: Any, kind: pl.DataType) -> Any:
    """A value as its column stores it: decimals rounded half even to the column's places."""
    if isinstance(value, Decimal) and isinstance(kind, pl.Decimal):
        return value.quantize(Decimal(1).scaleb(-kind.scale), rounding=ROUND_HALF_EVEN)
    if isinstance(value, datetime) and isinstance(kind, pl.Date):
        return date(value.year, value.month, value.day)
    return value
