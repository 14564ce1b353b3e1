"""What training cost on past days, on small markets, by hand."""

from __future__ import annotations

import pytest
from ledgers import Ledger, moment
from one_model_market import laid, rented

HISTORY = """
SELECT day::VARCHAR AS day, provider, usd_per_gpu_hour::DOUBLE AS price, round(total_usd_mid) AS total
FROM training_cost_history ORDER BY provider, day
"""


@pytest.fixture(scope="module")
def past(tmp_path_factory) -> Ledger:
    ledger = Ledger(tmp_path_factory.mktemp("past"))
    cheap, dear = rented("cheap", "2"), rented("dear", "4")
    ledger.look(moment(1, 6), cheap, dear)
    ledger.look(moment(1, 18), rented("cheap", "3"), dear)  # the price at the end of the day counts
    ledger.look(moment(3), rented("cheap", "3"), dear)  # nothing new: it stands
    ledger.look(moment(4), dear)  # the cheap one is gone
    ledger.look(moment(5), books=(), failure="no answer")
    ledger.look(moment(6), rented("cheap", "1"), dear)
    ledger.look(moment(29), rented("cheap", "1"), dear)  # three weeks later
    ledger.look(moment(30), dear)
    ledger.look(moment(2), rented("other", "5"), provider="bolt")
    ledger.look(moment(6), rented("other", "5"), provider="bolt")
    ledger.look(moment(12), provider="bolt")
    ledger.look(moment(19), rented("other", "6"), provider="bolt")
    return laid(ledger)


def test_history_is_the_cheapest_at_the_end_of_each_day_with_a_look(past):
    assert [tuple(row.values()) for row in past.rows(HISTORY)] == [
        ("2026-08-01", "acme", 3, 60_480),  # 14,400 hours x 3 x 1.4
        ("2026-08-03", "acme", 3, 60_480),
        ("2026-08-04", "acme", 4, 80_640),
        ("2026-08-06", "acme", 1, 20_160),
        ("2026-08-29", "acme", 1, 20_160),
        ("2026-08-30", "acme", 4, 80_640),
        ("2026-08-02", "bolt", 5, 100_800),
        ("2026-08-06", "bolt", 5, 100_800),
        ("2026-08-19", "bolt", 6, 120_960),  # on the 12th it had none
    ]


def test_history_agrees_with_the_prices_of_every_day(past):
    """The same from price_asof, which is made another way."""
    for row in past.rows("FROM core.price_by_day JOIN core.market USING (market)"):
        (then,) = past.rows(
            "SELECT min(usd_per_gpu_hour) AS price FROM price_asof($1) WHERE provider = $2",
            f"{row['day']} 23:59:59", row["provider"],
        )  # fmt: skip
        assert then["price"] == row["usd_per_gpu_hour"]


def test_the_history_is_the_same_however_many_weeks_are_gone_through_at_once(past, monkeypatch):
    query = "FROM core.price_by_day JOIN core.market USING (market) ORDER BY ALL"
    at_once = past.rows(query)
    monkeypatch.setattr("warehouse.cost_history._ROWS_AT_ONCE", 1)
    past.recompute()
    assert past.rows(query) == at_once
    assert len({row["day"] for row in at_once}) == 8


def test_the_last_day_of_the_history_is_the_table_of_now(past):
    (now,) = past.rows("FROM training_cost_by_provider WHERE provider = 'acme'")
    (last,) = past.rows("FROM training_cost_history WHERE provider = 'acme' ORDER BY day DESC LIMIT 1")
    for column in ("gpu", "gpus", "wall_days", "gpu_hours", "total_usd_low", "total_usd_mid", "total_usd_high"):
        assert last[column] == pytest.approx(now[column]) if column != "gpu" else last[column] == now[column]


def test_what_it_cost_on_a_past_day_and_why_it_changed(tmp_path):
    ledger = Ledger(tmp_path)
    ledger.look(moment(1), rented("old", "4", fabric="single_node"))
    ledger.look(moment(20), rented("old", "2", fabric="single_node"))
    laid(ledger)
    (then,) = ledger.rows("FROM training_cost_asof(?)", "2026-08-10")
    assert (then["compute_usd_mid"], then["total_usd_mid"]) == (14_400 * 4, pytest.approx(14_400 * 4 * 1.4))
    (change,) = ledger.rows("FROM training_cost_change('2026-08-10', '2026-08-25')")
    assert (change["price"], change["hardware"]) == (0.5, 1.0)
    assert change["algorithm"] == pytest.approx(0.5 ** (15 / 365.25 * 12 / 8))
    assert change["same_capability"] == pytest.approx(0.5 * change["algorithm"])
    assert ledger.rows("FROM training_cost_asof('2026-07-01')") == []


def test_a_later_price_of_the_earlier_gpu_counts_where_its_provider_has_a_better_one(tmp_path):
    ledger = Ledger(tmp_path)
    ledger.look(moment(1), rented("old", "4", fabric="single_node"))
    later = [rented("old", "3", fabric="single_node"), rented("new", "1", fabric="single_node", gpu="h200_sxm")]
    ledger.look(moment(20), *later)
    laid(ledger)
    with ledger.opened() as connection:
        for table in ("ref.gpu", "training_requirement"):
            connection.execute(f"INSERT INTO {table} SELECT * REPLACE ('h200_sxm' AS gpu) FROM {table}")
    ledger.recompute()
    (change,) = ledger.rows("FROM training_cost_change('2026-08-10', '2026-08-25')")
    assert (change["gpu_then"], change["gpu_now"]) == ("h100_sxm", "h200_sxm")
    assert (change["price"], change["hardware"]) == (3 / 4, pytest.approx(1 / 3))


def test_a_term_is_paid_to_its_end_on_past_days_too(tmp_path):
    ledger = Ledger(tmp_path)
    by_term = {"pricing": "reserved", "fabric": "single_node"}
    ledger.look(
        moment(1),
        rented("a month", "2", term_months=1, **by_term),
        rented("three years", "1", term_months=36, **by_term),  # 8 x 26,280 hours at 1 USD
    )
    laid(ledger)
    (then,) = ledger.rows("FROM training_cost_history")
    (now,) = ledger.rows("FROM training_cost_by_provider")
    assert (now["sku"], then["term_months"]) == ("a month", 1)
    assert then["commitment_usd"] == 4 * 730 * 8 * 2  # 75 days x 1.4 end in the fourth month
    for column in ("total_usd_mid", "commitment_usd", "wall_days"):
        assert then[column] == pytest.approx(now[column])
