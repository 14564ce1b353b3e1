"""warehouse/observation: the one asset that appends to the ledger, in a run of its own."""

from __future__ import annotations

from collections.abc import Sequence

import dagster as dg

from pipelines.home import Home
from pipelines.provider_assets import LOOKS, offers_key
from pipelines.running import ALIVE
from pipelines.triggers import LOAD_WHEN_SOMETHING_CAME_IN
from sources.source import Source
from warehouse.load import load
from warehouse.offer_files import OfferFiles

OBSERVATION = dg.AssetKey(["warehouse", "observation"])
POOL = "duckdb"  # whatever opens the warehouse takes it, so that one step at a time does


def observation_asset(home: Home, sources: Sequence[Source]) -> dg.AssetsDefinition:
    """The ledger's change-only history, loaded from every finished look."""

    @dg.asset(
        key=OBSERVATION,
        deps=[LOOKS, *(offers_key(source.name) for source in sources)],
        group_name="warehouse",
        kinds={"duckdb", "sql"},
        pool=POOL,
        required_resource_keys={ALIVE},
        automation_condition=LOAD_WHEN_SOMETHING_CAME_IN,
        description="Change-only, append-only history of every offer: a row when one appears, changes or vanishes.",
    )
    def observation() -> dg.MaterializeResult[None]:
        loaded = load(home.warehouse, OfferFiles(home.offers))
        return dg.MaterializeResult(
            metadata={
                "dagster/relation_identifier": "core.observation",
                "looks_loaded": loaded.scrapes,
                "changes": loaded.observations,
                "new_rejected_rows": loaded.rejected,
                "new_currency_rates": loaded.rates,
                "history_laid_anew": loaded.rebuilt,
            }
        )

    return observation
