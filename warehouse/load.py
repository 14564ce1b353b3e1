"""Filling the ledger: new looks into observations in one short transaction, and all of them anew (rebuild).

Reads offer files only; what a look came to is made elsewhere (pipelines, models), what is computed is in laying.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from models.moments import is_ahead_of_clocks, require_clock
from warehouse.database import (
    LOCK_SECONDS,
    WarehouseDamaged,
    migrate,
    opened_to_write,
    rows,
    set_aside,
    statement,
    transaction,
    turn_to_write,
)
from warehouse.laying import lay_standing
from warehouse.offer_files import OfferFileBroken, OfferFiles, companions, look_of, read_summary, require_whole

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

BATCH_ROWS = 200_000  # a rebuild of years of looks goes in pieces that fit in memory
ROWS_OF_A_LOOK = 500  # what a look costs beside its offers, in rows


@dataclass(frozen=True, slots=True)
class Loaded:
    """What a load added, in rows."""

    scrapes: int
    observations: int
    rejected: int
    rates: int
    rebuilt: bool  # a look older than what was loaded came in, so the history was laid anew
    set_aside: tuple[str, ...] = ()  # damaged files whose looks were left out and count as not read


def load(warehouse: Path, files: OfferFiles, *, wait_seconds: float = LOCK_SECONDS) -> Loaded:
    """Bring every finished look that the ledger does not hold into it; nothing is stored twice.

    Changes are told from the state before, so looks go in by time. A look older than one already loaded of the
    same provider, or one that was read again, lays the whole history anew from the offer files; so does one in the
    ledger that is dated in the future, which is left out, and so does a damaged ledger, which is set aside. Raises
    WarehouseBusy where another program keeps the warehouse for `wait_seconds`; the looks wait for the next load.
    Raises LedgerOfAnotherVersion, and ClockIsWrong.
    """
    require_clock(files.now())
    with turn_to_write(warehouse, wait_seconds):
        try:
            loaded = _loaded(warehouse, files, wait_seconds)
        except WarehouseDamaged:
            set_aside(warehouse)
            loaded = _laid_anew(warehouse, files)
            return replace(loaded, set_aside=(str(warehouse), *loaded.set_aside))
        return loaded or _laid_anew(warehouse, files)


def rebuild(warehouse: Path, files: OfferFiles) -> Loaded:
    """The ledger from nothing but the offer files, put in place when it is whole. Raises WarehouseBusy."""
    with turn_to_write(warehouse):
        return _laid_anew(warehouse, files)


def _loaded(warehouse: Path, files: OfferFiles, wait_seconds: float) -> Loaded | None:
    """What the looks that wait added; None where they cannot be appended."""
    with opened_to_write(warehouse, wait_seconds) as connection:
        migrate(connection)
        _draft(warehouse)
        files.clear_drafts()
        newest = {
            row["provider"]: row["newest"]
            for row in rows(connection, "SELECT provider, max(observed_at) AS newest FROM core.scrape GROUP BY ALL")
        }
        waiting = files.summaries({row["name"] for row in rows(connection, statement("load/known_scrapes"))})
        late = (
            files.read_again.exists()
            or _laying_anew(files).exists()
            or any(is_ahead_of_clocks(moment, files.now()) for moment in newest.values())
            or any(provider in newest and moment < newest[provider] for provider, moment in map(look_of, waiting))
        )
        if not late:
            return _append(connection, files, waiting)
    return None


def _laying_anew(files: OfferFiles) -> Path:
    """The note that looks were read again while the ledger is laid anew; a look read meanwhile leaves another."""
    return files.root / ".laying-anew"


def _append(connection: DuckDBPyConnection, files: OfferFiles, waiting: list[Path]) -> Loaded:
    """Load these looks, oldest first, each batch in one transaction; damaged ones are set aside."""
    before = _counts(connection)
    offers: dict[Path, int] = {}
    aside: list[str] = []
    for path in sorted(waiting, key=lambda path: (path.name, path.parent.name)):
        try:
            offers[path] = read_summary(path).offers
        except OfferFileBroken:
            aside += files.set_aside(path)
    for batch in _batches(offers):
        try:
            _append_batch(connection, batch)
        except (duckdb.Error, OfferFileBroken):
            broken = {path: names for path in batch if (names := _set_aside(files, path))}
            if not broken:
                raise
            aside += (name for names in broken.values() for name in names)
            if whole := [path for path in batch if path not in broken]:
                _append_batch(connection, whole)
    looks, changes, refused, published = (now - then for now, then in zip(_counts(connection), before, strict=True))
    return Loaded(looks, changes, refused, published, rebuilt=False, set_aside=tuple(aside))


def _append_batch(connection: DuckDBPyConnection, batch: Sequence[Path]) -> None:
    with transaction(connection):
        connection.execute(statement("load/new_scrapes"), {"scrapes": [str(path) for path in batch]})
        connection.execute(statement("load/staging"))
        if offers := companions(batch, "offers"):
            connection.execute(statement("load/new_offers"), {"offers": offers})
        if moves := companions(batch, "moves"):
            connection.execute(statement("load/new_moves"), {"moves": moves})
        connection.execute(statement("load/observation"))
        if rejected := companions(batch, "rejected"):
            connection.execute(statement("load/rejected"), {"rejected": rejected})
        if rates := companions(batch, "rates"):
            connection.execute(statement("load/currency_rate"), {"rates": rates})
        if witnesses := companions(batch, "witnesses"):
            connection.execute(statement("load/witness"), {"witnesses": witnesses})
        connection.execute(statement("load/move"))
        connection.execute(statement("load/scrape"))
        connection.execute(statement("load/closing_week"))
        lay_standing(connection)


def _set_aside(files: OfferFiles, summary: Path) -> list[str]:
    """The files of a look that were set aside because one of them is damaged; none where all are whole."""
    try:
        require_whole(summary)
    except OfferFileBroken as error:
        return files.set_aside(error.path)
    return []


def _batches(by_time: Mapping[Path, int]) -> Iterator[list[Path]]:
    """Summary files in pieces, by the offers of each look."""
    batch, rows_in_it = list[Path](), 0
    for path, offers in by_time.items():
        batch.append(path)
        rows_in_it += ROWS_OF_A_LOOK + offers
        if rows_in_it >= BATCH_ROWS:
            yield batch
            batch, rows_in_it = [], 0
    if batch:
        yield batch


def _laid_anew(warehouse: Path, files: OfferFiles) -> Loaded:
    if files.read_again.exists():
        files.read_again.replace(_laying_anew(files))
    draft = _draft(warehouse)
    with opened_to_write(draft) as connection:
        migrate(connection)
        loaded = _append(connection, files, files.summaries())
        connection.execute("CHECKPOINT")
    # the log of the old file must not be taken for the new one's; what it held is in the offer files
    _log(warehouse).unlink(missing_ok=True)
    draft.replace(warehouse)
    _laying_anew(files).unlink(missing_ok=True)
    return replace(loaded, rebuilt=True)


def _draft(warehouse: Path) -> Path:
    """The name of a warehouse that is not whole yet, with nothing there from a run that was killed."""
    draft = warehouse.with_name(f"rebuilding-{warehouse.name}")
    for leftover in (draft, _log(draft)):
        leftover.unlink(missing_ok=True)
    return draft


def _log(warehouse: Path) -> Path:
    return warehouse.with_name(f"{warehouse.name}.wal")


def _counts(connection: DuckDBPyConnection) -> tuple[int, int, int, int]:
    found = rows(
        connection,
        "SELECT (SELECT count(*) FROM core.scrape) AS scrapes, (SELECT count(*) FROM core.observation) AS seen,"
        " (SELECT count(*) FROM core.rejected) AS rejected, (SELECT count(*) FROM ref.currency_rate) AS rates",
    )[0]
    return found["scrapes"], found["seen"], found["rejected"], found["rates"]
