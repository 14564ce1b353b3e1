"""warehouse/observation: the one asset that appends to the ledger, in a run of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import dagster as dg

from pipelines.assets.providers import LOOKS, offers_key
from pipelines.assets.triggers import LOAD_WHEN_SOMETHING_CAME_IN, table_policy
from pipelines.home import Home
from pipelines.runs.rebuilding import load_mended
from pipelines.runs.running import ALIVE
from sources.source import Source
from warehouse.catalogue import columns_of
from warehouse.database import opened_to_write

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

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
        freshness_policy=table_policy(sources),
        description="Change-only, append-only history of every offer: a row when one appears, changes or vanishes.",
    )
    def observation() -> dg.MaterializeResult[None]:
        loaded = load_mended(home, sources, dg.AssetExecutionContext.get().log.warning)
        with opened_to_write(home.warehouse) as connection:
            schema = column_schema(connection, "core", "observation")
        return dg.MaterializeResult(
            metadata={
                "dagster/column_schema": schema,
                "dagster/relation_identifier": "core.observation",
                "looks_loaded": loaded.scrapes,
                "changes": loaded.observations,
                "new_rejected_rows": loaded.rejected,
                "new_currency_rates": loaded.rates,
                "history_laid_anew": loaded.rebuilt,
            }
        )

    return observation


def column_schema(connection: DuckDBPyConnection, schema: str, table: str) -> dg.TableSchema:
    """The columns of a table with the comments that the ledger holds."""
    columns = columns_of(connection, schema, table)
    return dg.TableSchema(columns=[dg.TableColumn(one.name, one.type, description=one.comment) for one in columns])
