"""Drift of a look against the last good one: numbers that plot, and a check that warns."""

from __future__ import annotations

from collections.abc import Collection

import dagster as dg

from models.drift import Drift
from models.gpus import gpus
from pipelines.markdown import table, text
from sources.source import Source

NAME = "no_drift"


def drift_check_spec(source: Source, asset: dg.AssetKey) -> dg.AssetCheckSpec:
    """The check of one source; it never blocks."""
    return dg.AssetCheckSpec(
        NAME,
        asset=asset,
        description=f"A warning where {source.title} lists half as many rows as at the last good look, or half of its "
        "SKUs are gone, or the median price of a GPU moved threefold; until it is back or stayed so for long enough.",
    )


def drift_numbers(found: Drift | None) -> dict[str, float | int]:
    """Numbers of a look that Dagster plots over time; medians only of cards that train, on demand."""
    if found is None:
        return {}
    numbers: dict[str, float | int] = {
        "rows_against_last_look": round(found.now.rows / max(found.before.rows, 1), 4),
        "new_skus": len(found.new_skus),
        "vanished_skus": len(found.vanished_skus),
        "unknown_names": len(found.now.unknown_names),
        "new_unknown_names": len(found.new_unknown_names),
        "largest_median_move": round(float(found.moves[0].times), 4) if found.moves else 1.0,
    }
    training = {card.gpu_family for card in gpus().values() if card.trains}
    for (family, pricing), usd in found.now.medians.items():
        if family in training and pricing == "on_demand":
            numbers[f"median_usd_{family}"] = round(float(usd), 4)
    return numbers


def drift_result(found: Drift | None, asset: dg.AssetKey) -> dg.AssetCheckResult:
    """The check: a warning with what moved."""
    if found is None:
        return dg.AssetCheckResult(
            asset_key=asset, check_name=NAME, passed=True, description="no earlier look to compare with"
        )
    return dg.AssetCheckResult(
        asset_key=asset,
        check_name=NAME,
        passed=not found.flags,
        severity=dg.AssetCheckSeverity.WARN,
        description="; ".join(found.flags) or "nothing moved far",
        metadata={
            "rows": found.now.rows,
            "rows_before": found.before.rows,
            "new_skus": dg.MetadataValue.md(_named(found.new_skus)),
            "vanished_skus": dg.MetadataValue.md(_named(found.vanished_skus)),
            "unknown_names": dg.MetadataValue.md(_named(found.now.unknown_names)),
            "medians": dg.MetadataValue.md(_medians(found)),
        },
    )


def _named(names: Collection[str]) -> str:
    """At most twenty names."""
    shown = ", ".join(text(name) for name in sorted(names)[:20])
    return f"{shown} and {len(names) - 20} more" if len(names) > 20 else shown or "none"


def _medians(found: Drift) -> str:
    lines = [(m.gpu_family, m.pricing, f"{m.before:.4f}", f"{m.now:.4f}", f"{m.times:.2f}") for m in found.moves[:30]]
    return table(["GPU", "pricing", "before", "now", "times"], lines)
