"""The same looks give the same tables, every time: of two offers at one price, the same one stands each time."""

from __future__ import annotations

import shutil
from pathlib import Path

from pipelines.frames.priced import priced_frames
from pipelines.home import Home
from warehouse.database import opened_to_read, opened_to_write
from warehouse.laying import recompute
from warehouse.publish import PARQUET_TABLES

BY_THE_CLOCK = {"price_now": "EXCLUDE (age_hours)", "provider_freshness": "EXCLUDE (age_hours)"}
COMPARED = (*PARQUET_TABLES, "price_history", "price_page", "price_agreement", "core.price_by_day", "core.market")


def test_what_is_recomputed_is_what_was_published(recorded_home: Home, tmp_path: Path) -> None:
    ledger = tmp_path / "warehouse.duckdb"
    shutil.copyfile(recorded_home.warehouse, ledger)
    recompute(ledger, priced_frames)
    with opened_to_read(recorded_home.ledger) as published, opened_to_write(ledger) as again:
        for table in COMPARED:
            query = f"SELECT * {BY_THE_CLOCK.get(table, '')} FROM {table}"
            before, after = (sorted(map(repr, side.execute(query).fetchall())) for side in (published, again))
            assert before, table
            assert after == before, table
