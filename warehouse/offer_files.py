"""What a look came to, as files: offers, quarantined rows and the rest in Parquet, the summary in JSON.

    <root>/<provider>/<moment>.<kind>.parquet   of kind offers, rejected, moves, rates, witnesses
    <root>/<provider>/<moment>.scrape.json

The summary is written last: a look without one was not finished. The ledger can be loaded from these files alone.
A look that is read again and comes to something else replaces its files and leaves a note that the ledger is to be
laid anew. Damaged files are renamed to <name>.damaged with their summary, so that the look is read again; looks dated
in the future are left out until their time has come. Making offers out of pages is not done here.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from models.moments import is_ahead_of_clocks
from models.stamps import STAMP, moment_of, stamp

if TYPE_CHECKING:  # polars, and what offers are made of, take their time, and who asks for a summary needs neither
    import polars as pl

    from models.moves import PriceMove, Standing
    from models.offers import CurrencyRate, Offer, Rejected
    from models.witnesses import WitnessedPrice

Kind = Literal["offers", "rejected", "moves", "rates", "witnesses"]
KINDS: Sequence[Kind] = ("offers", "rejected", "moves", "rates", "witnesses")
_SUMMARY = re.compile(STAMP + r"\.scrape\.json")
_DRAFTS = ".writing"  # folder of files that are not whole yet
_LONGEST_WRITE_SECONDS = 86_400.0


class OfferFileBroken(ValueError):
    """A file lost its content, as in a power cut; the kept pages still say what was in it."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path} is not whole; `gpuledger rebuild` makes it again from the kept pages")
        self.path = path


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
    form: str = ""  # of a recorded page: captured, reduced or reconstructed


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
    drift: Sequence[str] = ()  # how far it lies from the last good look, while nobody has confirmed that


class OfferFiles:
    """The folder of what every look came to."""

    def __init__(self, root: Path, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self.root = root
        self.now = now

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
        from warehouse.offer_frames import (
            moves_frame,
            offers_frame,
            parquet,
            rates_frame,
            rejected_frame,
            witnesses_frame,
        )

        stem, folder = stamp(scrape.observed_at), self.root / scrape.provider
        folder.mkdir(parents=True, exist_ok=True)
        content = {
            f"{stem}.offers.parquet": parquet(offers_frame(offers)) if offers else b"",
            f"{stem}.rejected.parquet": parquet(rejected_frame(rejected)) if rejected else b"",
            f"{stem}.moves.parquet": parquet(moves_frame(moves)) if moves else b"",
            f"{stem}.rates.parquet": parquet(rates_frame(rates, scrape.observed_at)) if rates else b"",
            f"{stem}.witnesses.parquet": parquet(witnesses_frame(witnesses)) if witnesses else b"",
        }
        summary = asdict(scrape) | {"observed_at": scrape.observed_at.isoformat()}
        content[f"{stem}.scrape.json"] = json.dumps(summary, ensure_ascii=False).encode()  # last
        changed = {name: new for name, new in content.items() if _held(folder / name) != (new or None)}
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

    @property
    def read_by(self) -> Path:
        """The note of the code that read the looks, which whoever reads them writes."""
        return self.root / ".read-by"

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
        folder = self.root / provider
        for name in reversed(self._finished(folder)):
            if name < stamp(before) and (summary := read_summary(folder / name)).origin == origin:
                yield folder / name, summary

    def moments(self, provider: str) -> set[datetime]:
        """When the looks were made that were read."""
        return {moment_of(name) for name in self._finished(self.root / provider)}

    def set_aside(self, broken: Path) -> list[str]:
        """Rename a broken file and the summary of its look, which then counts as not read; returns the old names."""
        summary = broken.with_name(f"{broken.name.partition('Z')[0]}Z.scrape.json")
        there = [path for path in (summary, broken) if path.exists()]
        for path in dict.fromkeys(there):
            path.replace(path.with_name(f"{path.name}.damaged"))
        self.read_again.touch()  # what is read of the look now may be something else than what was loaded of it
        return [str(path) for path in dict.fromkeys(there)]

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
        draft.write_bytes(content)
        draft.replace(target)

    def summaries(self, besides: Container[str] = ()) -> list[Path]:
        """The summary files of all finished looks, by provider and time, but those named `provider/file`."""
        if not self.root.exists():
            return []
        folders = sorted(path for path in self.root.iterdir() if path.is_dir() and path.name != _DRAFTS)
        named = ((folder, name) for folder in folders for name in self._finished(folder))
        return [folder / name for folder, name in named if f"{folder.name}/{name}" not in besides]

    def last(self, provider: str, origin: Literal["live", "recorded"] | None = None) -> Scrape | None:
        """The summary of the newest look at a provider, of one origin where it is named; None when there is none."""
        folder = self.root / provider
        looks = (read_summary(folder / name) for name in reversed(self._finished(folder)))
        return next((summary for summary in looks if origin in (None, summary.origin)), None)

    def _finished(self, folder: Path) -> list[str]:
        """The names of the summaries in a provider's folder, by time; no Path for each, as years of looks are many."""
        if not folder.exists():
            return []
        with os.scandir(folder) as entries:
            names = sorted(entry.name for entry in entries if _SUMMARY.fullmatch(entry.name))  # a copy is none
        now = self.now()
        while names and is_ahead_of_clocks(moment_of(names[-1]), now):
            names.pop()
        return names


def read_summary(path: Path) -> Scrape:
    """A summary file. Raises OfferFileBroken."""
    try:
        record = json.loads(path.read_bytes())
        record["observed_at"] = datetime.fromisoformat(record["observed_at"])
        record["pages"] = [ScrapedPage(**page) for page in record["pages"]]
        return Scrape(**record)
    except (KeyError, TypeError, ValueError):
        raise OfferFileBroken(path) from None


def look_of(summary: Path) -> tuple[str, datetime]:
    """Whose look a summary file tells of, and of which moment."""
    return summary.parent.name, moment_of(summary.name)


def companions(summaries: Iterable[Path], kind: Kind) -> list[str]:
    """The Parquet files of one kind that belong to these summaries and exist. Raises OfferFileBroken."""
    paths = (path.with_name(path.name.replace(".scrape.json", f".{kind}.parquet")) for path in summaries)
    there = [path for path in paths if path.exists()]
    for path in there:
        if not path.stat().st_size:
            raise OfferFileBroken(path)
    return [str(path) for path in there]


def read_frame(path: str | Path, columns: list[str] | None = None) -> pl.DataFrame:
    """A Parquet file of a look. Raises OfferFileBroken."""
    import polars as pl

    try:
        return pl.read_parquet(path, columns=columns)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        raise OfferFileBroken(Path(path)) from None


def require_whole(summary: Path) -> None:
    """Raises OfferFileBroken where a file of a look cannot be read to its end or lacks a column of today's."""
    from warehouse.offer_frames import COLUMNS

    read_summary(summary)
    for kind in KINDS:
        for file in companions([summary], kind):
            if not COLUMNS[kind].keys() <= set(read_frame(file).columns):
                raise OfferFileBroken(Path(file))


def _standing_after(path: Path, summary: Scrape) -> list[Standing]:
    """The last believed price of every offer that stood after a look, those that it held back included."""
    from models.moves import Standing

    identity = ["offer_key", "provider", "book", "sku", "region", "gpu", "pricing"]
    standing: list[Standing] = []
    for file in companions([path], "offers"):
        seen = read_frame(file, columns=[*identity, "usd_per_hour", "fx_rate"])
        standing += (Standing(**row, seen_at=summary.observed_at) for row in seen.iter_rows(named=True))
    for file in companions([path], "moves"):
        held = read_frame(file).filter("held")
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


def _held(path: Path) -> bytes | None:
    return path.read_bytes() if path.exists() else None
