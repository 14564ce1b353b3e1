"""Everything Dagster loads, assembled from the registry of sources; nothing is defined here."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence

import dagster as dg
from requests.adapters import BaseAdapter

from pipelines.assets.agreement import agreement_check
from pipelines.assets.costs import cost_assets
from pipelines.assets.freshness import freshness_check, freshness_schedule
from pipelines.assets.housekeeping import housekeeping_schedule
from pipelines.assets.ledger import observation_asset
from pipelines.assets.providers import look_asset
from pipelines.assets.triggers import look_schedules, react
from pipelines.home import Home, home
from pipelines.runs.running import ALIVE, alive_resource
from sources.source import Source, all_sources


def build_defs(
    at: Home | None = None,
    sources: Sequence[Source] | None = None,
    *,
    recorded: bool = False,
    adapters: Mapping[str, BaseAdapter] | None = None,
    say: Callable[[str], None] = lambda line: None,
) -> dg.Definitions:
    """Definitions over a home and sources; `recorded` replays recordings, `adapters` are transports by source name.

    `say` hears on which sources a look waits.
    """
    where = at or home()
    known = list(all_sources().values()) if sources is None else list(sources)
    return dg.Definitions(
        assets=[
            look_asset(where, known, recorded=recorded, adapters=adapters or {}, say=say),
            observation_asset(where, known),
            *cost_assets(where, known),
        ],
        asset_checks=[freshness_check(where), agreement_check(where)],
        schedules=[*look_schedules(known), freshness_schedule(), housekeeping_schedule()],
        sensors=[react()],
        resources={ALIVE: alive_resource(where)},
        executor=dg.in_process_executor,
    )


@dg.definitions
def defs() -> dg.Definitions:
    """What `dagster` finds here; built when it asks, not when a refresh imports `build_defs`."""
    return build_defs(recorded=os.environ.get("GPULEDGER_RECORDED") == "1")
