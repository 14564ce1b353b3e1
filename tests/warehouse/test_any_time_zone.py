"""The same answers on a machine in any time zone, for the pipeline and for people with a plain DuckDB session."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest
from ledgers import Ledger, moment, offer, rate

# Loads the offer files in this zone, then asks as a person would: DuckDB without a setting.
SESSION = """
import sys
from pathlib import Path
import duckdb
from ledgers import Ledger
ledger = Ledger(Path(sys.argv[1]))
ledger.load()
ledger.refer()
session = duckdb.connect(str(ledger.path), read_only=True)
zone = session.execute("SELECT current_setting('TimeZone')").fetchone()[0]
columns = "sku, CAST(usd_per_hour AS VARCHAR), epoch(observed_at)"
answers = [
    session.execute(f"SELECT {columns} FROM {asked} ORDER BY sku").fetchall()
    for asked in (
        "price_now", "price_asof('2026-08-03')", "price_asof(DATE '2026-08-03')",
        "price_asof(TIMESTAMP '2026-08-03 00:00:00')", "price_asof('2026-08-03 00:00:00Z')",
        "price_asof('2026-08-02 18:00:00-06')", "price_asof(TIMESTAMPTZ '2026-08-03 05:30:00+05:30')",
    )
]
import json
print(json.dumps([zone, answers]))
"""


@pytest.mark.parametrize("zone", ["America/Denver", "Asia/Kolkata"])
def test_prices_and_rates_go_by_utc(tmp_path, zone):
    ledger = Ledger(tmp_path)
    days = [rate(date(2026, 8, day), "USD", f"1.{day}") for day in (1, 2, 3)]
    ledger.look(moment(4), provider="ecb", rates=days)
    for at in (moment(2, 23), moment(3, 1)):  # in Denver both on the 2nd, in Kolkata both on the 3rd
        ledger.look(
            at, offer("box", "10", "1.1", currency="EUR"), *([offer("late", "5")] if at == moment(3, 1) else [])
        )
    said = subprocess.run(
        [sys.executable, "-c", SESSION, str(tmp_path)],
        env={**os.environ, "TZ": zone, "PYTHONPATH": os.pathsep.join(map(str, _roots()))},
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    session_zone, (now, *as_of) = json.loads(said)
    assert session_zone == zone  # else this proves nothing
    # the look at 01:00 of the 3rd goes by the rate of the 2nd
    assert now == [
        ["box", "12.00000000", moment(3, 1).timestamp()],
        ["late", "5.00000000", moment(3, 1).timestamp()],
    ]
    # at midnight only the look at 23:00 of the 2nd had been, which goes by the rate of the 1st
    assert as_of == [[["box", "11.00000000", moment(2, 23).timestamp()]]] * 6


def _roots() -> list[Path]:
    tests = Path(__file__).parent.parent
    return [tests.parent, tests]
