"""What training cost on every day of the ledger: the cheapest price a day first, then the hours of each LLM.

The ledger keeps changes, so a price stands until the next row of its offer. What each offer last said on each day is
laid by the load (core.closing_week); the history goes through it by some weeks at a time, so that memory does not grow
with it. The SQL is in sql/history.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from warehouse.database import rows, statement, value

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_WEEKS = "SELECT DISTINCT CAST(epoch_us(observed_at) // 604800000000 AS INTEGER) AS week FROM core.scrape ORDER BY week"
_ROWS_AT_ONCE = 1_000_000  # of an offer and a week: some 200 MB


def lay_history(connection: DuckDBPyConnection) -> None:
    """Make core.market, core.price_by_day and core.cost_by_day anew from the whole history."""
    connection.execute(statement("history/offer"))
    weeks = [row["week"] for row in rows(connection, _WEEKS)]
    at_once = max(1, _ROWS_AT_ONCE // max(1, value(connection, "SELECT count(*) FROM past_offer")))
    for first in range(0, len(weeks), at_once):
        connection.execute(statement("history/weeks"), {"weeks": weeks[first : first + at_once]})
        connection.execute(statement("history/market_day"))
    connection.execute(statement("history/price_by_day"))
    connection.execute(statement("history/cost_by_day"))
