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

import duckdb

from models.stamps import stamp
from warehouse.database import (
    LOCK_SECONDS,
    SQL,
    damaged_set_aside,
    opened_to_read,
    opened_to_write,
    rows,
    turn_to_write,
    value,
)

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

NAME = "gpuledger.duckdb"
PARQUET_TABLES = (
    "price_now",
    "training_cost_by_provider",
    "training_cost_history",
    "fine_tuning_cost",
    "hosting_cost",
    "api_break_even",
    "what_if_cost",
    "affordable_model",
    "price_projection",
    "model_sizing",
    "claim",
    "training_requirement",
    "provider_freshness",
)
DAILY_COPIES = 7
DRAFT = ".publishing"  # ending of a file that is not whole yet; no pattern for *.parquet finds it


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


def publish(
    warehouse: Path, folder: Path, *, now: datetime | None = None, wait_seconds: float = LOCK_SECONDS
) -> Published:
    """Put a verified copy of the warehouse under `folder`, with Parquet files beside it.

    Raises NotPublishable when a check fails, WarehouseDamaged when the copy does not read back to the last row of every
    table, which sets the warehouse aside, and WarehouseBusy; then nothing under `folder` changed. All is written under
    other names first and takes its name at the end.
    """
    target, moment = folder / NAME, now or datetime.now(UTC)
    with turn_to_write(warehouse, wait_seconds), damaged_set_aside(warehouse):
        for leftover in folder.rglob(f"*{DRAFT}"):
            leftover.unlink()  # of a run that was killed
        try:
            offers = _copy(warehouse, _draft(target), wait_seconds)
            with opened_to_read(_draft(target)) as copy:
                _read_whole(copy)
                if (found := value(copy, "SELECT count(*) FROM price_now")) != offers:
                    raise NotPublishable(f"the copy has {found} offers instead of {offers}; is the disk sound?")
                targets = [*_export(copy, folder), *_export_history(copy, folder / "history", moment), target]
            for written in targets:
                _draft(written).replace(written)
            _keep_daily(target, folder / "daily", moment)
            _to_disk(folder)
        finally:
            for leftover in folder.rglob(f"*{DRAFT}"):
                leftover.unlink()
    return Published(target, offers)


def export(ledger: Path, folder: Path) -> list[Path]:
    """Write what people query as Parquet files into `folder`; returns their paths. Raises FileNotFoundError."""
    with opened_to_read(ledger) as connection:
        everything = folder / "price_history.parquet"
        targets = [*_export(connection, folder), _write_parquet(connection, "FROM price_history", everything)]
    for target in targets:
        _draft(target).replace(target)
    return targets


def _copy(warehouse: Path, draft: Path, wait_seconds: float) -> int:
    """Copy the warehouse if its checks pass; returns its offers."""
    draft.parent.mkdir(parents=True, exist_ok=True)
    with opened_to_write(warehouse, wait_seconds) as connection:
        try:
            failed = failed_checks(connection)
        except duckdb.CatalogException as error:
            reason = str(error).splitlines()[0]
            raise NotPublishable(f"the ledger is not laid yet ({reason}): run `gpuledger refresh`") from None
        if failed:
            name, violations = next(iter(failed.items()))
            example = ", ".join(f"{key} {shown}" for key, shown in violations[0].items())
            raise NotPublishable(
                f"check {name} failed, for example {example}; the published ledger stays as it was; "
                "`gpuledger refresh` computes the tables again"
            )
        offers = int(value(connection, "SELECT count(*) FROM price_now"))
        connection.execute("CHECKPOINT")
    # the connection is closed: a copy made beside an open one can miss what is still in its log
    shutil.copyfile(warehouse, draft)
    _to_disk(draft)
    return offers


def _read_whole(copy: DuckDBPyConnection) -> None:
    """Read every value of every table: a block that is not what was written is found by reading it, and only so."""
    tables = "FROM duckdb_tables() WHERE database_name = current_database() AND NOT temporary"
    for table in rows(copy, tables):
        name = f'"{table["schema_name"]}"."{table["table_name"]}"'
        value(copy, f"SELECT max(hash(whole)) FROM {name} AS whole")


def _export(connection: DuckDBPyConnection, folder: Path) -> list[Path]:
    return [_write_parquet(connection, f"FROM {table}", folder / f"{table}.parquet") for table in PARQUET_TABLES]


def _export_history(connection: DuckDBPyConnection, folder: Path, now: datetime) -> list[Path]:
    """The observations that no earlier file holds, as one new file; files are never rewritten.

    A price that was corrected since stands again in a later file. A damaged file is renamed to <name>.damaged, and what
    it held goes into the new one.
    """
    try:
        return _export_new(connection, folder, now)
    except duckdb.Error:
        damaged = [file for file in folder.glob("*.parquet") if not _reads_back(connection, file)]
        if not damaged:
            raise
        for file in damaged:
            file.replace(file.with_name(f"{file.name}.damaged"))
        return _export_new(connection, folder, now)


def _reads_back(connection: DuckDBPyConnection, file: Path) -> bool:
    try:
        held = "SELECT max(hash(offer_key, observed_at, listed, usd_per_hour)) FROM read_parquet($file)"
        value(connection, held, {"file": str(file)})
    except duckdb.Error:
        return False
    return True


def _export_new(connection: DuckDBPyConnection, folder: Path, now: datetime) -> list[Path]:
    query = "SELECT * FROM core.observation"
    if any(folder.glob("*.parquet")):
        pattern = str(folder / "*.parquet").replace("'", "''")
        query += f" ANTI JOIN read_parquet('{pattern}') AS held USING (offer_key, observed_at, listed, usd_per_hour)"
    if not value(connection, f"SELECT count(*) FROM ({query})"):
        return []
    return [_write_parquet(connection, query, folder / f"{stamp(now)}.parquet")]


def _write_parquet(connection: DuckDBPyConnection, query: str, target: Path) -> Path:
    """Write the rows of a query under the draft name of `target`; returns `target`."""
    draft = _draft(target)
    draft.parent.mkdir(parents=True, exist_ok=True)
    quoted = str(draft).replace("'", "''")
    connection.execute(f"COPY ({query}) TO '{quoted}' (FORMAT parquet, COMPRESSION zstd)").fetchall()
    _to_disk(draft)
    return target


def _draft(target: Path) -> Path:
    return target.with_name(f".{target.name}{DRAFT}")


def _keep_daily(target: Path, folder: Path, now: datetime) -> None:
    """The day's last ledger under its date, the newest few kept: a link, as published files never change."""
    folder.mkdir(exist_ok=True)
    dated = folder / f"{target.stem}-{now:%Y-%m-%d}.duckdb"
    os.link(target, _draft(dated))
    _draft(dated).replace(dated)
    for old in sorted(folder.glob(f"{target.stem}-*.duckdb"))[:-DAILY_COPIES]:
        old.unlink()


def _to_disk(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
