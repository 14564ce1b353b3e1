"""A reader's own query of the published ledger: one statement that reads, its rows as they come, its values exact.

The ledger's own queries go through database.rows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import duckdb
from duckdb import StatementType

from warehouse.database import QueryFailed, told_apart

_ROWS_OF_TABLES = (StatementType.SELECT, StatementType.MULTI)  # the latter is a PIVOT
_READING = (*_ROWS_OF_TABLES, StatementType.EXPLAIN, StatementType.PRAGMA)
ROWS_AT_ONCE = 2000
# Types of which Python would hold less: microseconds, days in place of months, the last day in place of infinity.
_LESS_IN_PYTHON = re.compile(r"\b(?:INTERVAL|DATE|\w+_NS)(?=[,)\[]|$)")
_END = re.compile(r";(\s|--[^\n]*)*\Z")


def asked(connection: duckdb.DuckDBPyConnection, query: str) -> tuple[list[str], Iterator[dict[str, Any]]]:
    """The columns of a query and its rows as they are made; no columns where nothing was asked.

    It can read what is published and nothing else: no other file is read or written, no setting is made. Raises
    QueryFailed, also while rows are read.
    """
    try:
        for setting in ("temp_directory = ''", "enable_external_access = false", "lock_configuration = true"):
            connection.execute(f"SET {setting}")
        statements = connection.extract_statements(query)
        if not statements:
            return [], iter(())
        _refuse_more_than_reading(statements)
        result = connection.execute(query)
        types = [str(column[1]) for column in result.description]
        names = told_apart([column[0] for column in result.description])
        if statements[0].type in _ROWS_OF_TABLES and any(map(_LESS_IN_PYTHON.search, types)):
            exact = (f"CAST(#{place} AS {_LESS_IN_PYTHON.sub('VARCHAR', name)})" for place, name in enumerate(types, 1))
            connection.execute(f"SELECT {', '.join(exact)} FROM ({_END.sub('', query)}\n)")
        first = connection.fetchmany(ROWS_AT_ONCE)
    except duckdb.Error as error:
        raise QueryFailed(str(error)) from None
    return names, (dict(zip(names, row, strict=True)) for row in _rows(connection, first))


def _refuse_more_than_reading(statements: list[duckdb.Statement]) -> None:
    if len(statements) > 1:
        raise QueryFailed("only the rows of the last of several queries would be shown: ask one at a time")
    if (kind := statements[0].type) not in _READING:
        raise QueryFailed(f"the ledger is only read (SELECT, FROM, DESCRIBE, SHOW, EXPLAIN), and this is {kind.name}")


def _rows(connection: duckdb.DuckDBPyConnection, batch: list[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
    while batch:
        yield from batch
        try:
            batch = connection.fetchmany(ROWS_AT_ONCE)
        except duckdb.Error as error:
            raise QueryFailed(str(error)) from None
