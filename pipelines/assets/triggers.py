"""When things run: one schedule a cadence looks at the outside world, one condition reacts to what came in.

The load is in another run than the looks on purpose: in the same run a single dead site would hold back all.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import dagster as dg

from sources.source import FAIL_AFTER, WARN_AFTER, Source

# "Updated" and not "will be updated", so that the load never joins the run of the looks; and the reset on its own
# request, so that a provider which comes in while the load runs is not forgotten. In the tick of a reset the reset
# wins, so what came in between the request and that tick would be lost: it counts for one tick longer.
_CAME_IN = dg.AutomationCondition.any_deps_match(dg.AutomationCondition.newly_updated())
_CAME_IN_A_TICK_AGO = (~_CAME_IN).newly_true()
LOAD_WHEN_SOMETHING_CAME_IN = (
    (_CAME_IN | _CAME_IN_A_TICK_AGO).since(
        dg.AutomationCondition.newly_requested() | dg.AutomationCondition.initial_evaluation()
    )
    & ~dg.AutomationCondition.any_deps_in_progress()
    & ~dg.AutomationCondition.in_progress()
).with_label("a source was looked at")


def freshness_policy(every: timedelta) -> dg.FreshnessPolicy:
    """Warn after two cadences without a materialisation, fail after three."""
    return dg.FreshnessPolicy.time_window(fail_window=every * FAIL_AFTER, warn_window=every * WARN_AFTER)


def table_policy(sources: Sequence[Source]) -> dg.FreshnessPolicy:
    """Tables are made after every look at any source, so the shortest cadence is theirs."""
    return freshness_policy(min((source.every for source in sources if source.ready), default=timedelta(days=1)))


def cadence_name(every: timedelta) -> str:
    """A cadence in words that may stand in a job's name: hourly, every_6_hours, daily, every_7_days."""
    minutes = int(every.total_seconds() // 60)
    for unit, size, name in (("days", 1440, "daily"), ("hours", 60, "hourly"), ("minutes", 1, "every_minute")):
        if minutes % size == 0:
            count = minutes // size
            return name if count == 1 else f"every_{count}_{unit}"
    return "every_minute"


def cron_of(every: timedelta) -> str:
    """The cron line of a cadence, UTC, at odd minutes where whole hours pass between two looks."""
    minutes = max(1, int(every.total_seconds() // 60))
    if minutes < 60:
        return "* * * * *" if minutes == 1 else f"*/{minutes} * * * *"
    hours = minutes // 60
    if hours < 24:
        return "17 * * * *" if hours == 1 else f"23 */{hours} * * *"
    return "41 5 * * *" if hours < 48 else f"11 4 */{hours // 24} * *"


def look_schedules(sources: Sequence[Source]) -> list[dg.ScheduleDefinition]:
    """One schedule a cadence, on by default; sources without their key are left out."""
    by_cadence: dict[timedelta, list[Source]] = {}
    for source in sources:
        if source.ready:
            by_cadence.setdefault(source.every, []).append(source)
    return [_look_schedule(every, by_cadence[every]) for every in sorted(by_cadence)]


def _look_schedule(every: timedelta, sources: Sequence[Source]) -> dg.ScheduleDefinition:
    keys = [dg.AssetKey([layer, source.name]) for source in sources for layer in ("raw", "offers")]
    job = dg.define_asset_job(
        f"look_{cadence_name(every)}",
        selection=dg.AssetSelection.assets(*keys, dg.AssetKey(["raw", "looks"])),
        description=f"Looks at {', '.join(source.name for source in sources)}.",
    )
    return dg.ScheduleDefinition(
        name=f"look_{cadence_name(every)}",
        job=job,
        cron_schedule=cron_of(every),
        execution_timezone="UTC",
        default_status=dg.DefaultScheduleStatus.RUNNING,
    )


def react() -> dg.AutomationConditionSensorDefinition:
    """Evaluates the conditions; without it somebody would have to switch the default sensor on by hand."""
    return dg.AutomationConditionSensorDefinition(
        "react",
        target=dg.AssetSelection.all() | dg.AssetSelection.all_asset_checks(),
        default_status=dg.DefaultSensorStatus.RUNNING,
        minimum_interval_seconds=15,
    )
