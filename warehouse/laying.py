"""Laying what is computed and not observed: the reference tables, the views over everything, the cost tables.

What a look came to is loaded in load.py.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

from warehouse.catalogue import inherit_comments
from warehouse.cost_history import lay_history
from warehouse.database import (
    LOCK_SECONDS,
    SQL,
    damaged_set_aside,
    migrate,
    opened_to_write,
    rows,
    statement,
    transaction,
    turn_to_write,
    value,
)

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection
    from polars import DataFrame

# each may use those before it
COST_TABLES = (
    "training_cost_by_provider",
    "fine_tuning_cost",
    "hosting_cost",
    "api_break_even",
    "what_if_cost",
)
_OURS = "view or macro "  # before the name of each that was laid, in core.definition: those of others are let be
_MADE = r"CREATE OR REPLACE (?:VIEW|MACRO) ([\w.]+)"
_VIEWS_AND_MACROS = """
SELECT 'VIEW' AS kind, CASE schema_name WHEN 'main' THEN '' ELSE schema_name || '.' END || view_name AS name
FROM duckdb_views() WHERE database_name = current_database() AND NOT internal
UNION
SELECT CASE function_type WHEN 'macro' THEN 'MACRO' ELSE 'MACRO TABLE' END,
    CASE schema_name WHEN 'main' THEN '' ELSE schema_name || '.' END || function_name
FROM duckdb_functions()
WHERE database_name = current_database() AND NOT internal AND function_type IN ('macro', 'table_macro')
"""


def load_reference(warehouse: Path, frames: Mapping[str, DataFrame], made_of: str = "") -> None:
    """Lay the reference tables (sql/reference/<name>.sql) of these frames, and the views and macros over them.

    What is laid already, from the same file and the same rows, is left alone. `made_of` names what the frames were
    made of, for reference_stands. Raises WarehouseBusy.
    """
    with turn_to_write(warehouse), damaged_set_aside(warehouse), opened_to_write(warehouse) as connection:
        migrate(connection)
        with transaction(connection):
            laid = _laid(connection)
            _lay_frames(connection, "reference", frames, laid)
            _lay_views(connection, laid)
            inherit_comments(connection)
            _note(connection, {**laid, "reference": _reference_digest(made_of)})


def reference_stands(warehouse: Path, made_of: str, *, wait_seconds: float = LOCK_SECONDS) -> bool:
    """Whether what load_reference would lay is there: made of the same, by the same SQL. Raises WarehouseBusy."""
    with turn_to_write(warehouse, wait_seconds), opened_to_write(warehouse, wait_seconds) as connection:
        migrate(connection)
        return _laid(connection).get("reference") == _reference_digest(made_of)


def recompute(warehouse: Path, priced: Callable[[DuckDBPyConnection], Mapping[str, DataFrame]]) -> int:
    """Compute the cost tables (sql/tables) from the offers, and lay those that `priced` makes of them (sql/questions).

    Returns the rows of training_cost_by_provider. Raises WarehouseBusy.
    """
    with turn_to_write(warehouse), damaged_set_aside(warehouse), opened_to_write(warehouse) as connection:
        with transaction(connection):
            lay_history(connection)
            connection.execute(statement("tables/now"))
            for table in COST_TABLES:
                connection.execute(statement(f"tables/{table}"))
            frames = priced(connection)
            _lay_frames(connection, "questions", frames, {})
            inherit_comments(connection, *(f"main.{table}" for table in (*COST_TABLES, *frames)))
        return int(value(connection, "SELECT count(*) FROM training_cost_by_provider"))


def lay_standing(connection: DuckDBPyConnection) -> None:
    """What is on offer (core.standing), in the transaction of what was loaded; on a new ledger load_reference does."""
    if "views" in _laid(connection):
        connection.execute(statement("load/standing"))


def _lay_views(connection: DuckDBPyConnection, laid: dict[str, str]) -> None:
    """All views and macros anew where one of them changed; those of ours that there is no file of any more leave."""
    digest = _digest("views")
    if laid.get("views") == digest:
        return
    texts = {file: file.read_text() for file in sorted((SQL / "views").glob("*.sql"))}
    ours = {name for text in texts.values() for name in re.findall(_MADE, text)}
    gone = {name for name in laid if name.startswith(_OURS) and name.removeprefix(_OURS) not in ours}
    for row in rows(connection, _VIEWS_AND_MACROS):
        if _OURS + row["name"] in gone:
            connection.execute(f"DROP {row['kind']} {row['name']}")
    for text in texts.values():  # each may use those before it
        connection.execute(text)
    connection.execute(statement("load/standing"))
    for name in gone:
        del laid[name]
    laid.update(dict.fromkeys((_OURS + name for name in ours), digest), views=digest)


def _lay_frames(
    connection: DuckDBPyConnection, folder: str, frames: Mapping[str, DataFrame], laid: dict[str, str]
) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        for name, frame in frames.items():
            file = Path(scratch) / f"{name}.parquet"
            frame.write_parquet(file)
            connection.execute("SET VARIABLE file = $file", {"file": str(file)})
            _lay(connection, f"{folder}/{name}", laid, file.read_bytes())


def _lay(connection: DuckDBPyConnection, name: str, laid: dict[str, str], given: bytes) -> None:
    digest = blake2b(statement(name).encode() + given, digest_size=16).hexdigest()
    if laid.get(name) != digest:
        connection.execute(statement(name))
        laid[name] = digest


def _laid(connection: DuckDBPyConnection) -> dict[str, str]:
    return {row["name"]: row["digest"] for row in rows(connection, "FROM core.definition")}


def _note(connection: DuckDBPyConnection, laid: Mapping[str, str]) -> None:
    given = {"names": list(laid), "digests": list(laid.values())}
    connection.execute("DELETE FROM core.definition WHERE name NOT IN (SELECT unnest($names))", {"names": list(laid)})
    connection.execute("INSERT OR REPLACE INTO core.definition SELECT unnest($names), unnest($digests)", given)


def _reference_digest(made_of: str) -> str:
    return blake2b(f"{made_of} {_digest('reference')} {_digest('views')}".encode(), digest_size=16).hexdigest()


def _digest(folder: str) -> str:
    """Of the names and the texts of the files of a folder under sql/."""
    digest = blake2b(digest_size=16)
    for file in sorted((SQL / folder).glob("*.sql")):
        digest.update(file.name.encode() + file.read_bytes())
    return digest.hexdigest()
