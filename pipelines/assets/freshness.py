"""The check that turns red: Dagster shows a missed freshness policy only on its asset's page, this in the graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import dagster as dg

from models.quantities import counted
from pipelines.assets.alerts import announce
from pipelines.assets.costs import PUBLISHED
from pipelines.assets.published_checks import published_check
from pipelines.home import Home
from pipelines.markdown import table
from warehouse.database import rows

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

NAME, JOB = "every_provider_is_fresh", "check_freshness"
LATE = ("stale", "failed", "partial", "removed")
NOT_LIVE = {"recorded": "as recorded", "never looked at": "never looked at", "needs a key": "without a key"}


def freshness_check(home: Home) -> dg.AssetChecksDefinition:
    """A check on the published ledger: after each publish in its run, and by its own schedule as time passes."""
    description = (
        "Red while a source that is looked at is older than three of its cadences or was never read; a warning while "
        "only the last look at one failed, or offers stand of one that was removed. It says how many are not looked at."
    )

    def freshness(ledger: DuckDBPyConnection) -> dg.AssetCheckResult:
        found = rows(ledger, "SELECT * FROM provider_freshness")
        late = {row["provider"]: _fault(row) for row in found if row["status"] in LATE}
        stale = {
            row["provider"]: late[row["provider"]]
            for row in found
            if row["status"] == "stale" or (row["status"] == "failed" and row["last_good_at"] is None)
        }
        return dg.AssetCheckResult(
            passed=not late,
            severity=dg.AssetCheckSeverity.ERROR if stale else dg.AssetCheckSeverity.WARN,
            description="; ".join(f"{name}: {line}" for name, line in late.items()) or _all_well(found),
            metadata={
                "sources": dg.MetadataValue.md(_table(found)),
                "late": len(late),
                "stale": len(stale),
                "announced": announce(stale, home.root / "announced.json"),
            },
        )

    return published_check(home, NAME, description, freshness)


def freshness_schedule() -> dg.ScheduleDefinition:
    """Every 15 minutes; the job is the check alone and materialises nothing."""
    job = dg.define_asset_job(
        JOB,
        selection=dg.AssetSelection.checks(dg.AssetCheckKey(PUBLISHED, NAME)),
        description="Turns the published ledger's node red while a source is stale.",
    )
    return dg.ScheduleDefinition(
        name=JOB,
        job=job,
        cron_schedule="*/15 * * * *",
        execution_timezone="UTC",
        default_status=dg.DefaultScheduleStatus.RUNNING,
    )


def _all_well(found: Sequence[Mapping[str, Any]]) -> str:
    """That nothing is late, and how many sources that says nothing of: nobody looks at them live."""
    told = [
        f"{count} {what}"
        for status, what in NOT_LIVE.items()
        if (count := sum(row["status"] == status for row in found))
    ]
    live = len(found) - sum(row["status"] in NOT_LIVE for row in found)
    fresh = f"fresh: all {counted(live, 'source')} looked at live" if live else "no source is looked at live"
    return f"{fresh}; {', '.join(told)}" if told else fresh


def _fault(row: Mapping[str, Any]) -> str:
    """What is wrong with a source in one line: how old its rows are, and why where that is known."""
    if row["age_hours"] is None or row["status"] == "removed":
        return str(row["reason"])
    line = f"last good look {row['age_hours']:.0f} h ago, allowed {row['allowed_hours']:.0f} h"
    return f"{line}: {row['reason']}" if row["reason"] else line


def _table(found: Sequence[Mapping[str, Any]]) -> str:
    lines = [
        (
            row["provider"], row["last_looked_at"] or "", _hours(row["age_hours"]), _hours(row["allowed_hours"]),
            row["status"], row["reason"],
        )
        for row in found
    ]  # fmt: skip
    return table(["source", "last looked", "age h", "allowed h", "status", "reason"], lines)


def _hours(hours: object) -> str:
    return f"{hours:.0f}" if isinstance(hours, (int, float)) else ""
