"""Handing the ledger to people: check, copy, verify, rename. Readers are never blocked and never block.

The published file is immutable: a new one takes its name, an open reader keeps the old. What people query is
defined in sql/; loading is in load.py.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from warehouse.database import SQL, opened_to_read, opened_to_write, rows, turn_to_write, value

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

NAME = "gpuledger.duckdb"
PARQUET_TABLES = ("price_now", "training_cost_by_provider", "training_requirement", "provider_freshness")
DAILY_COPIES = 7


class NotPublishable(Exception):
    """A check on the ledger failed, so the published one stays as it is; names the check and an example."""


@dataclass(frozen=True, slots=True)
class Published:
    """What was published: the file, and the rows of price_now in it."""

    path: Path
    offers: int


def failed_checks(connection: DuckDBPyConnection) -> Mapping[str, list[dict[str, object]]]:
    """Rows that violate each check of sql/checks, by check name; only checks that found some, five rows each."""
    found = {}
    for file in sorted((SQL / "checks").glob("*.sql")):
        query = file.read_text().rstrip().removesuffix(";")
        if violations := rows(connection, f"SELECT * FROM ({query}) LIMIT 5"):
            found[file.stem] = violations
    return found


def publish(warehouse: Path, folder: Path, *, now: datetime | None = None) -> Published:
    """Put a verified copy of the warehouse under `folder`, with Parquet files beside it.

    Raises NotPublishable when a check fails or the copy does not read back; then nothing under `folder` changed.
    """
    target = folder / NAME
    draft = folder / f".publishing-{os.getpid()}-{NAME}"
    folder.mkdir(parents=True, exist_ok=True)
    for leftover in folder.glob(".publishing-*"):
        leftover.unlink(missing_ok=True)  # of a run that was killed; the writer's lock is not needed to see that
    with turn_to_write(warehouse):
        with opened_to_write(warehouse) as connection:
            _refuse_failed(connection)
            offers = int(value(connection, "SELECT count(*) FROM price_now"))
            connection.execute("CHECKPOINT")
        # the connection is closed: a copy made beside an open one can miss what is still in its log
        shutil.copyfile(warehouse, draft)
    try:
        with opened_to_read(draft) as copy:
            if (found := value(copy, "SELECT count(*) FROM price_now")) != offers:
                raise NotPublishable(f"the copy of the ledger has {found} offers instead of {offers}; disk trouble?")
        _to_disk(draft)
        draft.replace(target)
        _to_disk(folder)
    finally:
        draft.unlink(missing_ok=True)
    moment = now or datetime.now(UTC)
    with opened_to_read(target) as ledger:
        _export(ledger, folder)
        _export_history(ledger, folder / "history", moment)
    _keep_daily(target, folder / "daily", moment)
    return Published(target, offers)


def export(ledger: Path, folder: Path) -> list[Path]:
    """Write what people query as Parquet files into `folder`; returns their paths. Raises FileNotFoundError."""
    folder.mkdir(parents=True, exist_ok=True)
    with opened_to_read(ledger) as connection:
        _export(connection, folder)
        _write_parquet(connection, "SELECT * FROM price_history", folder / "price_history.parquet")
    return [folder / f"{table}.parquet" for table in (*PARQUET_TABLES, "price_history")]


def _refuse_failed(connection: DuckDBPyConnection) -> None:
    if failed := failed_checks(connection):
        name, violations = next(iter(failed.items()))
        example = ", ".join(f"{key} {shown}" for key, shown in violations[0].items())
        raise NotPublishable(f"check {name} failed, for example {example}; the published ledger stays as it was")


def _export(connection: DuckDBPyConnection, folder: Path) -> None:
    for table in PARQUET_TABLES:
        _write_parquet(connection, f"SELECT * FROM {table}", folder / f"{table}.parquet")


def _export_history(connection: DuckDBPyConnection, folder: Path, now: datetime) -> None:
    """The observations that no earlier file holds, as one new file; files are never rewritten."""
    folder.mkdir(exist_ok=True)
    query = "SELECT * FROM core.observation"
    if any(folder.glob("*.parquet")):
        pattern = str(folder / "*.parquet").replace("'", "''")
        query += f" ANTI JOIN read_parquet('{pattern}') AS held USING (offer_key, observed_at)"
    if value(connection, f"SELECT count(*) FROM ({query})"):
        _write_parquet(connection, query, folder / f"{now:%Y%m%dT%H%M%S.%fZ}.parquet")


def _write_parquet(connection: DuckDBPyConnection, query: str, target: Path) -> None:
    draft = target.with_name(f".publishing-{os.getpid()}-{target.name}")
    quoted = str(draft).replace("'", "''")
    connection.execute(f"COPY ({query}) TO '{quoted}' (FORMAT parquet, COMPRESSION zstd)").fetchall()
    draft.replace(target)


def _keep_daily(target: Path, folder: Path, now: datetime) -> None:
    """The day's last ledger under its date, the newest few kept: a link, as published files never change."""
    folder.mkdir(exist_ok=True)
    dated = folder / f"{target.stem}-{now:%Y-%m-%d}.duckdb"
    link = folder / f".publishing-{os.getpid()}-{dated.name}"
    link.unlink(missing_ok=True)
    os.link(target, link)
    link.replace(dated)
    for old in sorted(folder.glob(f"{target.stem}-*.duckdb"))[:-DAILY_COPIES]:
        old.unlink()


def _to_disk(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
