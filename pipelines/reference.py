"""The reference tables of the ledger as polars frames: chips, LLMs, constants, sources, claims, what costs take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date
from decimal import Decimal
from typing import Any, get_type_hints

import polars as pl

from models.claims.table import Claim, claims
from models.constants import Constant, constant, constants
from models.gpus import Gpu, gpus
from models.llms import Llm, llms
from models.training.requirement import training_requirement
from models.training.spot import SpotGang, spot_gangs
from pipelines.api_prices import ApiPrice, api_prices
from pipelines.cost_frames import fine_tuning_requirement, hosting_requirement, model_sizing, what_if_requirement
from pipelines.triggers import FAIL_AFTER, WARN_AFTER
from sources.source import Source

_COLUMN_TYPES: Mapping[object, pl.DataType] = {
    bool: pl.Boolean(),
    int: pl.Int64(),
    float: pl.Float64(),
    Decimal: pl.Decimal(18, 6),
    date: pl.Date(),
}


@dataclass(frozen=True, slots=True)
class SourceRow:
    """A source as the ledger names it; hours are ages of the last good look."""

    provider: str
    title: str
    homepage: str
    kind: str
    access: str
    every_hours: float
    warn_hours: float
    fail_hours: float
    secret: str
    ready: bool
    unit_note: str
    traps: str


def reference_frames(sources: Sequence[Source]) -> Mapping[str, pl.DataFrame]:
    """Frames by the name of their file in warehouse/sql/reference."""
    chips = list(gpus().values())
    training = [chip for chip in chips if chip.trains]
    return {
        "gpu": frame_of(Gpu, chips),
        "llm": frame_of(Llm, list(llms())),
        "constant": frame_of(Constant, list(constants().values())),
        "source": frame_of(SourceRow, [_source_row(source) for source in sources]),
        "training_requirement": training_requirement(llms(), training),
        "spot_gang": frame_of(SpotGang, spot_gangs(int(constant("largest_cluster_gpus")))),
        "fine_tuning_requirement": fine_tuning_requirement(llms(), training),
        "hosting_requirement": hosting_requirement(llms(), chips),
        "what_if_requirement": what_if_requirement(llms(), training),
        "model_sizing": model_sizing(),
        "api_price": frame_of(ApiPrice, api_prices(llms())),
        "claim": frame_of(Claim, claims()),
    }


def frame_of(kind: type, records: Sequence[Any]) -> pl.DataFrame:
    """Dataclass records as a frame; column types come from the annotations, text where they name no number."""
    hints = get_type_hints(kind)
    return pl.DataFrame(
        {
            field.name: pl.Series(
                field.name,
                [getattr(record, field.name) for record in records],
                dtype=_column_type(hints[field.name]),
                strict=False,
            )
            for field in fields(kind)
        }
    )


def _column_type(hint: object) -> pl.DataType:
    for candidate in (hint, *getattr(hint, "__args__", ())):
        if candidate in _COLUMN_TYPES:
            return _COLUMN_TYPES[candidate]
    return pl.String()


def _source_row(source: Source) -> SourceRow:
    hours = source.every.total_seconds() / 3600
    return SourceRow(
        provider=source.name,
        title=source.title,
        homepage=source.homepage,
        kind=source.kind,
        access=source.access,
        every_hours=hours,
        warn_hours=hours * WARN_AFTER,
        fail_hours=hours * FAIL_AFTER,
        secret=source.secret,
        ready=source.ready,
        unit_note=source.unit_note,
        traps=source.traps,
    )
