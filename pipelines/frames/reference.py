"""The reference tables of the ledger as polars frames: chips, LLMs, constants, sources, claims, what costs take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, date, datetime, time
from decimal import Decimal
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, get_type_hints

import polars as pl

from models.claims.table import Claim, claims
from models.constants import Constant, constant, constants
from models.gpus import Gpu, gpus
from models.llms import Llm, llms
from models.training.requirement import training_requirement
from models.training.spot import SpotGang, spot_gangs
from pipelines.code import code_and_data, digest_of
from pipelines.frames.api_prices import ApiPrice, api_prices
from pipelines.frames.requirements import (
    fine_tuning_requirement,
    hosting_requirement,
    model_sizing,
    what_if_requirement,
)
from pipelines.home import CHECKOUT
from sources.source import FAIL_AFTER, WARN_AFTER, Source

_COLUMN_TYPES: Mapping[object, pl.DataType] = {
    bool: pl.Boolean(),
    int: pl.Int64(),
    float: pl.Float64(),
    Decimal: pl.Decimal(18, 6),
    date: pl.Date(),
    datetime: pl.Datetime(time_zone="UTC"),
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
    rows = [_source_row(source) for source in sources]
    return {"source": frame_of(SourceRow, rows), **_frames_of_the_models(_today())}


_MADE_OF = [*code_and_data(CHECKOUT / "models"), *code_and_data(Path(__file__).parent)]
_CODE = digest_of(_MADE_OF)  # as it was loaded: what is put in its place while this runs is for the next process


def reference_made_of(sources: Sequence[Source]) -> str:
    """A text that differs whenever reference_frames would: the sources, code and data, token prices and their day."""
    rows = [_source_row(source) for source in sources]
    return f"{_today()} {rows} {_CODE} genai-prices {version('genai-prices')} polars {version('polars')}"


def _today() -> date:
    return datetime.now(UTC).date()  # of two token prices the one of the day counts


@cache
def _frames_of_the_models(day: date) -> Mapping[str, pl.DataFrame]:
    chips = list(gpus().values())
    training = [chip for chip in chips if chip.trains]
    return {
        "gpu": frame_of(Gpu, chips),
        "llm": frame_of(Llm, list(llms())),
        "constant": frame_of(Constant, list(constants().values())),
        "training_requirement": training_requirement(llms(), training),
        "spot_gang": frame_of(SpotGang, spot_gangs(int(constant("largest_cluster_gpus")))),
        "fine_tuning_requirement": fine_tuning_requirement(llms(), training),
        "hosting_requirement": hosting_requirement(llms(), chips),
        "what_if_requirement": what_if_requirement(llms(), training),
        "model_sizing": model_sizing(),
        "api_price": frame_of(ApiPrice, api_prices(llms(), datetime.combine(day, time(), UTC))),
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
