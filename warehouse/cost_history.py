"""What training cost on every day of the ledger: the cheapest price a day first, then the hours of each LLM.

The ledger keeps changes, so a price stands until the next row of its offer. The history is gone through week by
week, so that memory does not grow with it; the SQL is in sql/history.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from warehouse.database import rows, statement

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

# First days of the weeks in which something was read; between them prices stand.
_WEEKS = """
SELECT DISTINCT epoch_us(observed_at) // 86400000000 // 7 * 7 AS first FROM core.scrape ORDER BY first
"""


def lay_history(connection: DuckDBPyConnection) -> None:
    """Make core.market, core.price_by_day and core.cost_by_day anew from the whole history."""
    connection.execute(statement("history/offer"))
    for week in rows(connection, _WEEKS):
        connection.execute(statement("history/week"), week)
        connection.execute(statement("history/market_week"), week)
        connection.execute(statement("history/standing"))
    connection.execute(statement("history/price_by_day"))
    connection.execute(statement("history/cost_by_day"))
