"""Drift of a look against the last good one, read from the offer files: numbers that plot, and a check that warns."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import dagster as dg
import polars as pl

from models.drift import Drift, Listed, Profile, drift, profile
from models.gpus import gpus
from pipelines.markdown import table, text
from sources.source import Source
from warehouse.offer_files import Kind, OfferFiles, Scrape, companions, read_frame

NAME = "no_drift"
UNMAPPED = ("unknown_gpu", "unknown_sku")  # reasons of rows that name a card or a plan nobody has mapped


def drift_check_spec(source: Source, asset: dg.AssetKey) -> dg.AssetCheckSpec:
    """The check of one source; it never blocks."""
    return dg.AssetCheckSpec(
        NAME,
        asset=asset,
        description=f"A warning where {source.title} lists half as many rows as at the last good look, or the median "
        "price of a GPU moved threefold.",
    )


def drift_of(files: OfferFiles, scrape: Scrape) -> Drift | None:
    """From the newest earlier look of the same origin that read some of the same books, over those; None without."""
    looks = files.earlier(scrape.provider, scrape.origin, scrape.observed_at + timedelta(microseconds=1))
    now, _ = next(looks)
    for path, before in looks:
        if books := set(before.books) & set(scrape.books):
            return drift(_profile(path, books), _profile(now, books))
    return None


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


def _profile(summary: Path, books: Collection[str]) -> Profile:
    offers = [
        Listed(row["sku"], row["gpu_family"], row["pricing"], row["usd_per_gpu_hour"])
        for kind in ("offers", "witnesses")
        for row in _rows(summary, kind, books, ["sku", "gpu_family", "pricing", "usd_per_gpu_hour"])
    ]
    refused = list(_rows(summary, "rejected", books, ["reason", "gpu_text", "sku"]))
    return profile(
        offers, len(refused), {row["gpu_text"] or row["sku"] for row in refused if row["reason"] in UNMAPPED}
    )


def _rows(summary: Path, kind: Kind, books: Collection[str], columns: Sequence[str]) -> Iterator[dict[str, Any]]:
    for file in companions([summary], kind):
        found = read_frame(file, columns=["book", *columns])
        yield from found.filter(pl.col("book").is_in(sorted(books))).iter_rows(named=True)


def _named(names: Collection[str]) -> str:
    """At most twenty names."""
    shown = ", ".join(text(name) for name in sorted(names)[:20])
    return f"{shown} and {len(names) - 20} more" if len(names) > 20 else shown or "none"


def _medians(found: Drift) -> str:
    lines = [(m.gpu_family, m.pricing, f"{m.before:.4f}", f"{m.now:.4f}", f"{m.times:.2f}") for m in found.moves[:30]]
    return table(["GPU", "pricing", "before", "now", "times"], lines)
