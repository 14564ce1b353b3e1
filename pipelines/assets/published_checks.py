"""What every check on the published ledger has in common: it never keeps from publishing, and passes where none is."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import dagster as dg

from pipelines.assets.costs import PUBLISHED
from pipelines.home import Home
from pipelines.runs.running import ALIVE
from warehouse.database import opened_to_read

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


def published_check(
    home: Home, name: str, description: str, judged: Callable[[DuckDBPyConnection], dg.AssetCheckResult]
) -> dg.AssetChecksDefinition:
    """A check that judges the published ledger after each publish, in its run."""

    @dg.asset_check(
        name=name,
        asset=PUBLISHED,
        blocking=False,
        automation_condition=dg.AutomationCondition.eager(),
        required_resource_keys={ALIVE},
        description=description,
    )
    def check() -> dg.AssetCheckResult:
        if not home.ledger.exists():
            return dg.AssetCheckResult(passed=True, description="nothing is published yet")
        with opened_to_read(home.ledger) as ledger:
            return judged(ledger)

    return check
