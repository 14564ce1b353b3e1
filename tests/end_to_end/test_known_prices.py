"""Sixty printed prices: what the ledger says of a provider, SKU and day is what the provider charged that day.

known_prices.csv holds figures as published readings of each provider state them, with the reading's file and commit in
`source`; a price read per GPU is multiplied by the GPUs of the instance. They were written down from those readings and
never from this ledger. The tier is the provider's own word for its variants of a price.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest
from duckdb import DuckDBPyConnection

from pipelines.home import Home
from warehouse.database import opened_to_read, rows

KNOWN = list(csv.DictReader(Path(__file__).with_name("known_prices.csv").open(newline="")))
# a day's reading is in force at the day's end; prices are printed with at most six decimal places
ON_THAT_DAY = """
SELECT gpu, usd_per_hour FROM price_asof(CAST($observed_on AS TIMESTAMPTZ) + INTERVAL 23 HOUR)
WHERE provider = $provider AND sku = $sku AND region = $region AND pricing = $pricing AND tier = $tier
  AND abs(gpu_count - CAST($gpu_count AS DECIMAL(18, 8))) < 0.000001
  AND coalesce(CAST(term_months AS VARCHAR), '') = $term_months
"""


@pytest.fixture(scope="module")
def ledger(recorded_home: Home) -> Iterator[DuckDBPyConnection]:
    with opened_to_read(recorded_home.ledger) as opened:
        yield opened


def test_there_are_sixty_from_twelve_providers() -> None:
    assert len(KNOWN) >= 60
    assert len({row["provider"] for row in KNOWN}) >= 12
    assert all(len(row["source"]) > 20 for row in KNOWN)


@pytest.mark.parametrize(
    "known", KNOWN, ids=lambda row: f"{row['provider']}-{row['sku']}-{row['region']}-{row['pricing']}"
)
def test_the_ledger_says_what_was_charged(known: dict[str, str], ledger: DuckDBPyConnection) -> None:
    asked = {key: value for key, value in known.items() if key not in ("gpu", "usd_per_hour", "source")}
    found = rows(ledger, ON_THAT_DAY, asked)
    assert len(found) == 1, f"{len(found)} prices"
    assert found[0]["gpu"] == known["gpu"]
    charged = Decimal(known["usd_per_hour"])
    assert abs(found[0]["usd_per_hour"] - charged) <= charged * Decimal("0.00001")
