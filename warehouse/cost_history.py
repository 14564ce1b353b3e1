"""What training cost on every day of the ledger: the cheapest price a day first, then the hours of each LLM.

The ledger keeps changes, so a price stands until the next row of its offer. The history is gone through by seven days
on which something was read, so that memory does not grow with it; the SQL is in sql/history.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from warehouse.database import rows, statement

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_DAYS = "SELECT DISTINCT epoch_us(observed_at) // 86400000000 AS day FROM core.scrape ORDER BY day"
_WEEK = 7


def lay_history(connection: DuckDBPyConnection) -> None:
    """Make core.market, core.price_by_day and core.cost_by_day anew from the whole history."""
    connection.execute(statement("history/offer"))
    looked = [row["day"] for row in rows(connection, _DAYS)]
    for first in range(0, len(looked), _WEEK):
        days = looked[first : first + _WEEK]
        week = {"days": days + [days[-1] + ahead for ahead in range(1, 1 + _WEEK - len(days))]}
        connection.execute(statement("history/week"), week)
        connection.execute(statement("history/market_week"), week)
    connection.execute(statement("history/price_by_day"))
    connection.execute(statement("history/cost_by_day"))
