"""What has to be taken for a run: the macro of the ledger against models.costs.run_bill, on any market."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ledgers import Ledger

from models.constants import constants
from models.costs.run_bill import commitment_usd
from models.training.clusters import RentalOffer
from warehouse.database import rows

QUERY = """
SELECT core.commitment_usd(
    lease, term_months, gpus, wall_days, experiments, CAST(usd AS DECIMAL(18, 6)))::DOUBLE AS usd,
    core.lease_too_short(lease, wall_days, experiments) AS why_not
FROM (SELECT *, core.lease_of(provider, pricing, minimum_hours,
    core.offered_days(offered_until, TIMESTAMPTZ '2026-08-01 07:00+00')) AS lease FROM (
    SELECT unnest($1::STRUCT(provider VARCHAR, pricing VARCHAR, term_months INTEGER,
        minimum_hours BIGINT, offered_until DATE, gpus BIGINT, wall_days DOUBLE,
        experiments DOUBLE, usd VARCHAR)[], recursive := true)))
"""
RUN = st.fixed_dictionaries(
    {
        "provider": st.sampled_from(["aws", "gcp", "mithril"]),
        "pricing": st.sampled_from(["on_demand", "spot", "reserved", "savings_plan", "capacity_block"]),
        "term_months": st.sampled_from([None, 1, 3, 6, 12, 36]),
        "minimum_hours": st.sampled_from([None, 24, 336, 2000]),
        "offered_until": st.sampled_from([None, date(2026, 7, 31), date(2026, 8, 7), date(2027, 1, 1)]),
        "gpus": st.integers(1, 30_000),
        "wall_days": st.one_of(st.floats(0.01, 270), st.integers(1, 270).map(float)),
        "experiments": st.sampled_from([1.0, 1.2, 1.4, 2.5]),
        "usd": st.integers(1, 10**8).map(lambda micros: str(Decimal(micros).scaleb(-6))),
    }
)


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Ledger:
    made = Ledger(tmp_path_factory.mktemp("commitments"))
    known = constants().values()
    made.refer(
        constant=pl.DataFrame(
            {"name": [one.name for one in known], "value": [float(one.value) for one in known]}
        ).with_columns(low=pl.col("value"), high=pl.col("value"))
    )
    return made


@settings(max_examples=30)
@given(runs=st.lists(RUN, min_size=20, max_size=60))
def test_what_has_to_be_taken_is_the_same_in_sql_and_in_python(ledger: Ledger, runs: list[dict]) -> None:
    with ledger.opened() as connection:
        found = rows(connection, QUERY, [runs])
    for run, told in zip(runs, found, strict=True):
        offer = RentalOffer(
            "", run["provider"], "h100_sxm", Decimal(1), Decimal(run["usd"]), run["pricing"],
            term_months=run["term_months"],
            minimum_hours=None if run["minimum_hours"] is None else Decimal(run["minimum_hours"]),
            offered_until=run["offered_until"], observed_at=datetime(2026, 8, 1, 7, tzinfo=UTC),
        )  # fmt: skip
        try:
            expected, why_not = commitment_usd(offer, run["gpus"], run["wall_days"], run["experiments"]), None
        except ValueError as reason:
            expected, why_not = None, str(reason)
        assert told["usd"] == (None if expected is None else pytest.approx(expected)), run
        # halves are rounded to even here and away from zero there
        assert (told["why_not"] is None) is (why_not is None), (run, why_not)
