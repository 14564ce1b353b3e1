"""What training cost on every day of the ledger: the cheapest price a day first, then the hours of each LLM.

The ledger keeps changes, so a price stands until the next row of its offer. The history is gone through in slices
of days that fit in memory; SQL is in sql/history, the table of costs in sql/tables.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from warehouse.database import rows, statement

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

SLICE_ROWS = 4_000_000

_EXTENT = """
SELECT min(epoch_us(observed_at)) // 86400000000 AS first, max(epoch_us(observed_at)) // 86400000000 AS last,
    (SELECT count(*) FROM core.observation) AS observations
FROM core.scrape
"""


def lay_price_by_day(connection: DuckDBPyConnection, slice_rows: int = SLICE_ROWS) -> None:
    """Make core.price_by_day and core.past_instance anew from the whole history, about `slice_rows` rows at a time."""
    extent = rows(connection, _EXTENT)[0]
    connection.execute(statement("history/offer"))
    if extent["first"] is not None:
        days = extent["last"] + 1 - extent["first"]
        step = max(1, days * slice_rows // max(1, extent["observations"]))
        for first in range(extent["first"], extent["last"] + 1, step):
            past = min(first + step, extent["last"] + 1)
            connection.execute(statement("history/span"), {"first": first, "past": past})
            connection.execute(statement("history/market_day"), {"first": first})
            connection.execute(statement("history/standing"), {"past": past})
    connection.execute(statement("history/price_by_day"))
