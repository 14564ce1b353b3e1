"""The only place that opens DuckDB: one writer at a time, readers of published copies, and plain result rows.

Works the same on DuckDB 1.5 and 2.x. What is stored is in sql/, how it is filled in load.py, how it is
handed to people in publish.py.
"""

from __future__ import annotations

import fcntl
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, partial
from hashlib import blake2b
from itertools import count
from pathlib import Path
from typing import Any

import duckdb

SQL = Path(__file__).parent / "sql"
_NOTHING_FROM_ELSEWHERE: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
}
STORAGE_VERSION = "v1.5.0"  # the newest that DuckDB 1.5 and 2.x both read
LOCK_SECONDS = 60.0
_READ = count(1)  # a ledger and the one that took its place can be read at once


class WarehouseBusy(Exception):
    """Another program holds the warehouse; says which and what to do."""


class WarehouseDamaged(Exception):
    """A block of the private warehouse is not what was written; says what makes it anew."""


class LedgerOfAnotherVersion(Exception):
    """The warehouse was not laid by the migrations there are; its offer files and pages give it anew."""

    def __init__(self, path: Path | str) -> None:
        super().__init__(f"{path} was laid by another version; run `gpuledger rebuild` to lay it anew")


class QueryFailed(Exception):
    """A reader's query that was refused; the text is DuckDB's own, or says what may be asked."""


@cache
def statement(name: str) -> str:
    """The text of a file under sql/, by its path without the ending: statement("load/observation")."""
    return (SQL / f"{name}.sql").read_text()


@contextmanager
def turn_to_write(path: Path, wait_seconds: float = LOCK_SECONDS) -> Iterator[None]:
    """Hold the writer's lock beside the warehouse file: load and publish of two processes never overlap.

    Raises WarehouseBusy when the lock is not free in time. The kernel frees it when a process dies.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    deadline = time.monotonic() + wait_seconds
    with path.with_suffix(".lock").open("w") as file:
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise WarehouseBusy(
                        f"another refresh has been writing {path} for {wait_seconds:.0f} s; try again when it is done"
                    ) from None
                time.sleep(0.05)
        yield


@cache
def _engine() -> duckdb.DuckDBPyConnection:
    """This process's DuckDB, to which ledgers are attached while they are used: to start one takes 30 ms."""
    return duckdb.connect()


@contextmanager
def opened_to_write(path: Path, wait_seconds: float = LOCK_SECONDS) -> Iterator[duckdb.DuckDBPyConnection]:
    """The private warehouse, read-write, created at the readable storage version. Raises WarehouseBusy.

    Raises WarehouseDamaged also for what is found damaged while it is used.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_dir():
        raise WarehouseDamaged(f"{path} is a folder: move it away, and `gpuledger rebuild` lays the ledger anew")
    deadline = time.monotonic() + wait_seconds
    engine = _engine()
    connection = engine.cursor()
    try:
        while True:
            try:
                connection.execute(
                    f"ATTACH '{_quoted(path)}' AS warehouse (TYPE duckdb, STORAGE_VERSION '{STORAGE_VERSION}')"
                )
                break
            except duckdb.Error as error:
                if not _is_held(error):
                    raise
                if time.monotonic() > deadline:
                    raise WarehouseBusy(
                        f"{path} is open in another program, which shuts the pipeline out; close it and read "
                        f"the published copy instead ({str(error).splitlines()[0]})"
                    ) from None
                time.sleep(0.25)
        try:
            connection.execute("USE warehouse")
            connection.execute("SET TimeZone = 'UTC'")
            yield connection
        finally:
            connection.close()
            engine.execute("DETACH warehouse")
    except duckdb.Error as error:
        _engine.cache_clear()  # a fatal error leaves an engine that refuses everything
        if not _is_damage(error):
            raise
        found = str(error).splitlines()[0]
        raise WarehouseDamaged(f"{path} is damaged ({found}): `gpuledger rebuild` makes it anew") from error


@contextmanager
def damaged_set_aside(path: Path) -> Iterator[None]:
    """Rename the private warehouse when it is found damaged meanwhile: the next load lays it anew from the offer files.

    Raises WarehouseDamaged, which says so.
    """
    try:
        yield
    except WarehouseDamaged as error:
        set_aside(path)
        found = str(error).partition(" is damaged ")[2].partition(": `gpuledger")[0] or "(a folder is no ledger)"
        raise WarehouseDamaged(
            f"{path} is damaged {found} and is set aside: `gpuledger refresh` lays it anew"
        ) from error


def set_aside(path: Path) -> None:
    """Rename a database to <name>.damaged, and its log: that must not be taken for the log of the next one."""
    for file in (path, path.with_name(f"{path.name}.wal")):
        if file.exists():
            file.replace(file.with_name(f"{file.name}.damaged"))


@contextmanager
def opened_to_read(path: Path, *, engine_of_its_own: bool = False) -> Iterator[duckdb.DuckDBPyConnection]:
    """A published ledger, read-only. With an engine of its own, a reader's query can be kept from other files.

    Raises FileNotFoundError with what to do, and WarehouseDamaged also for what is found damaged while it is read.
    """
    if not path.exists():
        raise FileNotFoundError(f"no published ledger at {path}: run `gpuledger refresh` first")
    if path.is_dir():
        raise WarehouseDamaged(f"{path} is a folder: move it away, and `gpuledger publish` makes the ledger again")
    try:
        alone = partial(duckdb.connect, str(path), read_only=True, config=_NOTHING_FROM_ELSEWHERE)
        with alone() if engine_of_its_own else _attached_to_read(path) as connection:
            connection.execute("SET TimeZone = 'UTC'")
            yield connection
    except duckdb.Error as error:
        if not _is_damage(error):
            raise
        found = str(error).splitlines()[0]
        raise WarehouseDamaged(f"{path} is damaged ({found}): `gpuledger publish` makes it again") from error


@contextmanager
def _attached_to_read(path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    engine, name = _engine(), f"ledger_{next(_READ)}"
    attach = f"ATTACH '{_quoted(path)}' AS {name} (TYPE duckdb, READ_ONLY)"  # no other kind of database is asked for
    try:
        engine.execute(attach)
    except duckdb.BinderException:  # this process reads it already, and an engine reads a file once
        engine = duckdb.connect()
        engine.execute(attach)
    try:
        with engine.cursor() as connection:
            connection.execute(f"USE {name}")
            yield connection
    except duckdb.Error:
        _engine.cache_clear()
        raise
    finally:
        engine.execute(f"DETACH {name}")


def rows(
    connection: duckdb.DuckDBPyConnection, query: str, parameters: Sequence[Any] | Mapping[str, Any] | None = None
) -> list[dict[str, Any]]:
    """All rows of a query as dictionaries; the result is read to its end."""
    return columns_and_rows(connection, query, parameters)[1]


def columns_and_rows(
    connection: duckdb.DuckDBPyConnection, query: str, parameters: Sequence[Any] | Mapping[str, Any] | None = None
) -> tuple[list[str], list[dict[str, Any]]]:
    """The columns of a query, known also where it has no rows, and its rows. Columns of one name are a, a_1, a_2."""
    result = connection.execute(query, parameters)
    if result is None or result.description is None:  # nothing was asked, or it has no rows to give
        return [], []
    names = told_apart([column[0] for column in result.description])
    return names, [dict(zip(names, row, strict=True)) for row in result.fetchall()]


def value(
    connection: duckdb.DuckDBPyConnection, query: str, parameters: Sequence[Any] | Mapping[str, Any] | None = None
) -> Any:
    """The first column of the first row, or None."""
    found = connection.execute(query, parameters).fetchall()
    return found[0][0] if found else None


def migrate(connection: duckdb.DuckDBPyConnection) -> None:
    """Apply the migrations that this file has not seen, each in one transaction.

    Raises LedgerOfAnotherVersion where one that it has seen is not what it was: its tables are not those of today.
    """
    connection.execute("CREATE SCHEMA IF NOT EXISTS core")
    connection.execute(
        "CREATE TABLE IF NOT EXISTS core.migration (version INTEGER PRIMARY KEY, name VARCHAR NOT NULL, digest VARCHAR)"
    )
    seen = {row["version"]: row.get("digest") for row in rows(connection, "FROM core.migration")}
    files = {int(file.name.partition("_")[0]): file for file in sorted((SQL / "migrations").glob("*.sql"))}
    digests = {version: blake2b(file.read_bytes(), digest_size=16).hexdigest() for version, file in files.items()}
    if any(digests.get(version) != digest for version, digest in seen.items()):
        path = value(connection, "SELECT path FROM duckdb_databases() WHERE database_name = current_database()")
        raise LedgerOfAnotherVersion(path)
    for version, file in files.items():
        if version not in seen:
            with transaction(connection):
                connection.execute(file.read_text())
                row = [version, file.stem, digests[version]]
                connection.execute("INSERT INTO core.migration VALUES (?, ?, ?)", row)


def _is_held(error: duckdb.Error) -> bool:
    """Whether another program, or another thread of this one, has the file open."""
    return "lock" in str(error).lower() if isinstance(error, duckdb.IOException) else "already" in str(error)


def _is_damage(error: duckdb.Error) -> bool:
    """Whether DuckDB found no database of ours, or one cut short, or a block that is not what was written."""
    signs = [
        *("not a valid DuckDB database", "Corrupt database", "enough bytes from file", "replaying WAL"),
        *("open encrypted database", "sqlite_scanner"),  # of somebody else
    ]
    return any(sign in str(error) for sign in signs)


@contextmanager
def transaction(connection: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """All of it or none of it."""
    connection.execute("BEGIN")
    try:
        yield
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def told_apart(names: Sequence[str]) -> list[str]:
    """The names in their order, each once, in DuckDB's own way: a row would lose the first of two columns called a."""
    told: dict[str, None] = {}
    for name in names:
        number, unique = 0, name
        while unique in told or (number and unique in names):
            number += 1
            unique = f"{name}_{number}"
        told[unique] = None
    return list(told)


def _quoted(path: Path) -> str:
    return str(path).replace("'", "''")
