"""A faster event log for a refresh by hand: Dagster's own SQLite storage with its database connections kept open.

The stock storage makes a new engine for every event, which compiles each statement anew and opens the file anew, and
asks before each which tables there are: about 20 ms an event, and a refresh of fifty sources writes five hundred. The
tables and statements stay Dagster's; a storage of another kind (PostgreSQL) is left as it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from types import MethodType
from typing import Any

import dagster as dg
from dagster._core.storage.event_log.sqlite.sqlite_event_log import SqliteEventLogStorage
from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.pool import QueuePool

BUSY_SECONDS = 60


@contextmanager
def connections_kept(instance: dg.DagsterInstance) -> Iterator[None]:
    """Keep the event log's connections for as long as this lasts."""
    storage = instance.event_log_storage
    if type(storage) is not SqliteEventLogStorage:
        yield
        return
    engines: dict[str, Engine] = {}

    @contextmanager
    def connect(self: SqliteEventLogStorage, shard: str) -> Iterator[Connection]:
        with self._db_lock:
            if shard not in engines:
                engines[shard] = create_engine(
                    self.conn_string_for_shard(shard),
                    poolclass=QueuePool,
                    pool_size=1,
                    connect_args={"timeout": BUSY_SECONDS, "check_same_thread": False},
                )
                event.listen(engines[shard], "connect", _without_waiting_for_the_disk)
            if shard not in self._initialized_dbs:
                self._initdb(engines[shard])
                self._initialized_dbs.add(shard)
            with engines[shard].connect() as connection, connection.begin():
                yield connection

    kept = {
        "_connect": MethodType(connect, storage),
        "has_table": cache(storage.has_table),
        "has_asset_key_col": cache(storage.has_asset_key_col),
    }
    vars(storage).update(kept)
    try:
        yield
    finally:
        for name in kept:
            delattr(storage, name)
        for engine in engines.values():
            engine.dispose()


def _without_waiting_for_the_disk(connection: Any, _: object) -> None:
    """A power cut may cost the last events of the run history, never the file: its journal is a write-ahead log."""
    connection.execute("PRAGMA synchronous = NORMAL")
