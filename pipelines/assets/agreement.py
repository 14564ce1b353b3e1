"""The check that sets our prices beside those of aggregators: a warning with a table, never a reason not to publish."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import median
from typing import TYPE_CHECKING, Any

import dagster as dg

from pipelines.assets.published_checks import published_check
from pipelines.home import Home
from pipelines.markdown import table
from warehouse.database import rows

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

NAME = "witnesses_agree"
_COMPARED = """
FROM price_agreement ORDER BY abs(difference_percent) DESC, witness, provider, gpu, pricing, tier, region
"""
SHOWN = 50  # rows of the table


def agreement_check(home: Home) -> dg.AssetChecksDefinition:
    """A check on the published ledger, after each publish in its run."""
    description = (
        "A warning while a price of ours and an aggregator's differ by more than 20 %, both read within 45 days of one "
        "another. Either may be wrong."
    )
    return published_check(home, NAME, description, _agreement)


def _agreement(ledger: DuckDBPyConnection) -> dg.AssetCheckResult:
    found = [row for row in rows(ledger, _COMPARED) if row["verdict"] != "composed differently"]
    verdicts = Counter(row["verdict"] for row in found)
    differing = [row for row in found if row["verdict"] == "differs"]
    by_provider = Counter(row["provider"] for row in differing)
    return dg.AssetCheckResult(
        passed=not differing,
        severity=dg.AssetCheckSeverity.WARN,
        description=_line(verdicts, by_provider),
        metadata={
            "compared": len(found),
            "agree": verdicts["agrees"],
            "differ": len(differing),
            "dates_too_far_apart": verdicts["dates too far apart"],
            "median_difference_percent": round(median(abs(row["difference_percent"]) for row in found), 2)
            if found
            else 0.0,
            "differences": dg.MetadataValue.md(_table(differing)),
        },
    )


def _line(verdicts: Mapping[str, int], by_provider: Mapping[str, int]) -> str:
    if not by_provider:
        return f"{verdicts.get('agrees', 0)} prices agree with what aggregators say"
    named = ", ".join(f"{name} {count}" for name, count in sorted(by_provider.items(), key=lambda item: -item[1])[:5])
    return f"{sum(by_provider.values())} of {sum(verdicts.values())} prices differ by more than 20 %: {named}"


def _table(found: Sequence[Mapping[str, Any]]) -> str:
    if not found:
        return "none"
    head = ["witness", "provider", "GPU", "pricing", "region", "ours", "theirs", "differ by", "our date", "their date"]
    more = f"\n\nand {len(found) - SHOWN} more in `price_agreement`" if len(found) > SHOWN else ""
    return table(head, map(_cells, found[:SHOWN])) + more


def _cells(row: Mapping[str, Any]) -> list[str]:
    prices = [f"{row[name]:.4f}" for name in ("our_usd_per_gpu_hour", "their_usd_per_gpu_hour")]
    dates = [f"{row[name]:%Y-%m-%d}" for name in ("our_date", "their_date")]
    pricing = f"{row['pricing']} {row['tier']}".strip()
    difference = f"{row['difference_percent']:+.0f} %"
    return [row["witness"], row["provider"], row["gpu"], pricing, row["region"], *prices, difference, *dates]
