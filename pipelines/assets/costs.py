"""From the ledger to what people query: what training takes, what it costs at every provider, and publishing it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import dagster as dg

from pipelines.assets.ledger import OBSERVATION, POOL, column_schema
from pipelines.assets.triggers import table_policy
from pipelines.frames.priced import priced_frames
from pipelines.home import Home
from pipelines.markdown import table
from pipelines.runs.laying import lay_reference
from pipelines.runs.running import ALIVE
from sources.source import Source
from warehouse.database import opened_to_read, opened_to_write, rows
from warehouse.laying import recompute
from warehouse.publish import failed_checks, publish

REQUIREMENT = dg.AssetKey(["cost", "training_requirement"])
BY_PROVIDER = dg.AssetKey(["cost", "training_cost_by_provider"])
PUBLISHED = dg.AssetKey(["published", "gpuledger"])

_PREVIEW = """
SELECT llm, provider, pricing, gpu, gpus, round(wall_days) AS days, round(total_usd_mid) AS total_usd, in_stock,
    assumption
FROM training_cost_by_provider WHERE llm_kind = 'size_class' AND feasible
QUALIFY row_number() OVER (
    PARTITION BY llm ORDER BY in_stock IS NOT DISTINCT FROM false, total_usd_mid) <= 3
ORDER BY total_usd_mid
"""


_COUNTS = "SELECT " + ", ".join(
    f"(SELECT count(*) FROM {table}) AS {table}"
    for table in ("training_requirement", "fine_tuning_requirement", "hosting_requirement", "what_if_requirement")
)


def cost_assets(home: Home, sources: Sequence[Source]) -> list[dg.AssetsDefinition]:
    """The cost tables and the published ledger; each follows what it is made of, in one run."""

    @dg.asset(
        key=REQUIREMENT,
        deps=[OBSERVATION],
        group_name="cost",
        kinds={"polars", "duckdb"},
        pool=POOL,
        required_resource_keys={ALIVE},
        automation_condition=dg.AutomationCondition.eager(),
        freshness_policy=table_policy(sources),
        description="FLOP, GPU-hours with their spread, memory and GPUs for each LLM on each GPU; no price in it.",
    )
    def training_requirement() -> dg.MaterializeResult[None]:
        lay_reference(home, sources)
        with opened_to_write(home.warehouse) as connection:
            counts = rows(connection, _COUNTS)[0]
        return dg.MaterializeResult(metadata={"dagster/row_count": counts["training_requirement"], **counts})

    @dg.asset(
        key=BY_PROVIDER,
        deps=[REQUIREMENT, OBSERVATION],
        group_name="cost",
        kinds={"duckdb", "sql"},
        pool=POOL,
        required_resource_keys={ALIVE},
        automation_condition=dg.AutomationCondition.eager(),
        freshness_policy=table_policy(sources),
        check_specs=[
            dg.AssetCheckSpec(
                "ledger_is_sound",
                asset=BY_PROVIDER,
                blocking=True,
                description="The checks of warehouse/sql/checks; nothing is published while one fails.",
            )
        ],
        description="For each LLM, provider and kind of price the cheapest feasible offer, or why none is feasible.",
    )
    def training_cost_by_provider() -> Iterator[dg.MaterializeResult[None]]:
        height = recompute(home.warehouse, priced_frames)
        with opened_to_write(home.warehouse) as connection:
            failed = failed_checks(connection)
            schema = column_schema(connection, "main", "training_cost_by_provider")
            preview = rows(connection, _PREVIEW)
        yield dg.MaterializeResult(
            metadata={
                "dagster/row_count": height,
                "dagster/column_schema": schema,
                "dagster/relation_identifier": "training_cost_by_provider",
                "cheapest": dg.MetadataValue.md(_markdown(preview)),
            },
            check_results=[
                dg.AssetCheckResult(
                    check_name="ledger_is_sound",
                    passed=not failed,
                    description=_violations(failed) or "all checks pass",
                )
            ],
        )

    @dg.asset(
        key=PUBLISHED,
        deps=[BY_PROVIDER, OBSERVATION],
        group_name="published",
        kinds={"duckdb", "parquet"},
        pool=POOL,
        required_resource_keys={ALIVE},
        automation_condition=dg.AutomationCondition.eager(),
        freshness_policy=table_policy(sources),
        description="data/published/gpuledger.duckdb and Parquet beside it: a verified copy, put in place by rename.",
    )
    def gpuledger() -> dg.MaterializeResult[None]:
        published = publish(home.warehouse, home.published)
        with opened_to_read(published.path) as ledger:
            schema = column_schema(ledger, "main", "price_now")
        return dg.MaterializeResult(
            metadata={
                "dagster/row_count": published.offers,
                "dagster/column_schema": schema,
                "path": dg.MetadataValue.path(str(published.path)),
                "bytes": published.path.stat().st_size,
            }
        )

    return [training_requirement, training_cost_by_provider, gpuledger]


def _violations(failed: Mapping[str, Sequence[Mapping[str, object]]]) -> str:
    """Each failed check with its first example."""
    shown = {name: ", ".join(f"{key} {value}" for key, value in found[0].items()) for name, found in failed.items()}
    return "; ".join(f"{name} failed, for example {example}" for name, example in shown.items())


def _markdown(found: Sequence[dict[str, object]]) -> str:
    return table(list(found[0]), [list(row.values()) for row in found]) if found else "no feasible offer"
