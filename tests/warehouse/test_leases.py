"""The shortest rental and the day an offer ends, in every cost table, on a market of one model, by hand.

A 1-Click Cluster of Lambda is sold for two weeks at least; a host of Vast.ai takes its machine back on a day.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal

import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from ledgers import Ledger, moment
from one_model_market import laid, rented

from models.costs.hosting import Served, replica
from models.costs.plan import plans
from models.costs.run_bill import commitment_usd
from models.gpus import gpus
from models.llms import llm_named
from models.training.clusters import RentalOffer
from pipelines.answers.instances import hosting, largest_on
from pipelines.answers.prices import rental_offers
from pipelines.frames.requirements import fine_tuning_requirement, hosting_requirement

H100 = gpus()["h100_sxm"]
SEEN = datetime.combine(datetime.now(UTC).date(), time(), UTC)
TWO_WEEKS = {"minimum_hours": Decimal(336), "fabric": "multi_node", "cluster_gpus": 1024}


@pytest.fixture(scope="module")
def market(tmp_path_factory: pytest.TempPathFactory) -> Ledger:
    ledger = Ledger(tmp_path_factory.mktemp("leases"))
    looks = {
        "weeks": rented("cluster", "2", minimum_gpus=16, **TWO_WEEKS),  # 7B: 14,400 hours are 37.5 days on 16
        "many": rented("large cluster", "2", minimum_gpus=512, **TWO_WEEKS),  # 1.2 days, with experiments 1.6
        "soon": rented("host of days", "1", fabric="single_node", offered_until=_in_days(12)),  # 75 days on a node
        "late": rented("host of months", "1", fabric="single_node", offered_until=_in_days(122)),
    }
    for provider, one in looks.items():
        ledger.look(SEEN, one, provider=provider)
    gone = rented("host of then", "0.5", fabric="single_node", offered_until=_in_days(-1))
    ledger.look(SEEN - timedelta(days=60), gone, provider="gone")
    llms = [llm_named("7B")]
    return laid(
        ledger,
        fine_tuning_requirement=fine_tuning_requirement(llms, [H100]),
        hosting_requirement=hosting_requirement(llms, [H100]),
        api_price=pl.DataFrame(
            schema={"llm": pl.String, "input_usd_per_million": pl.Float64, "output_usd_per_million": pl.Float64}
            | dict.fromkeys(("api_provider", "api_model", "pricing_url", "list_version"), pl.String())
        ),
    )


def _in_days(days: int) -> date:
    return SEEN.date() + timedelta(days=days)


def test_a_shortest_rental_is_to_be_taken_where_the_run_is_shorter(market: Ledger) -> None:
    for table in ("training_cost_by_provider", "training_cost", f"training_cost_asof('{SEEN + timedelta(hours=12)}')"):
        taken = {row["provider"]: row["commitment_usd"] for row in market.rows(f"FROM {table}")}
        assert taken["weeks"] is None
        assert taken["many"] == 512 * 336 * 2
    (then,) = market.rows("FROM training_cost_history WHERE provider = 'many'")
    assert then["commitment_usd"] == 512 * 336 * 2
    (step,) = market.rows(
        "SELECT formula FROM explain_cost('7B', (SELECT offer_key FROM price_now WHERE provider = 'many'))"
        " WHERE step = 'commitment_usd'"
    )
    assert step["formula"].startswith("the shortest rental, 336 hours, for")


def test_an_offer_that_ends_before_the_run_cannot_do_it(market: Ledger) -> None:
    for table in ("training_cost_by_provider", "training_cost"):
        judged = {row["provider"]: (row["feasible"], row["why_not"]) for row in market.rows(f"FROM {table}")}
        assert judged["soon"] == (False, "the offer ends after 12 days; the run and its experiments take 105")
        assert judged["late"] == (True, None)
        assert judged["gone"] == (False, "no whole day of the offer is left")
    then = market.rows("SELECT DISTINCT provider FROM training_cost_history")
    assert {row["provider"] for row in then} == {"weeks", "many", "late"}


def test_the_past_counts_the_days_that_were_left_then(tmp_path) -> None:
    """A run of 75 days takes 105 with its experiments: from 1 August to 14 November, from the 25th to 8 December."""
    ledger = Ledger(tmp_path)
    host = rented("host", "1", fabric="single_node", offered_until=date(2026, 11, 20))
    dear = rented("node", "3", fabric="single_node")
    for day in (1, 5):
        ledger.look(moment(day), host, dear)
    laid(ledger)
    query = "SELECT day(day) AS day, round(usd_per_gpu_hour) AS usd FROM training_cost_history ORDER BY day"
    assert [tuple(row.values()) for row in ledger.rows(query)] == [(1, 1), (5, 1)]
    ledger.look(moment(25), host, dear)  # the same host: no change, and too few days by then
    ledger.look(moment(28), dear)  # it is gone, which changes nothing of the days before
    ledger.load()
    ledger.recompute()
    assert [tuple(row.values()) for row in ledger.rows(query)] == [(1, 1), (5, 1), (25, 3), (28, 3)]
    for day, usd in ((1, 1), (5, 1), (7, 1), (8, 3), (25, 3), (28, 3)):  # 105 days are left on the 7th
        (then,) = ledger.rows(f"FROM training_cost_asof('2026-08-{day:02} 23:00')")
        assert then["usd_per_gpu_hour"] == usd, day
    with ledger.opened() as connection:
        of_then = {offer.sku: offer.offered_days for offer in rental_offers(connection, on=date(2026, 8, 20))}
    assert of_then == {"host": 92, "node": None}


def test_a_job_of_an_hour_pays_the_shortest_rental(market: Ledger) -> None:
    jobs = {row["provider"]: row for row in market.rows("FROM fine_tuning_cost WHERE method = 'full'")}
    assert jobs["weeks"]["usd_low"] == jobs["weeks"]["usd_mid"] == 16 * 336 * 2
    assert jobs["weeks"]["gpu_hours"] == 16 * 336
    assert jobs["weeks"]["wall_hours"] < 4
    assert jobs["soon"]["feasible"]
    assert jobs["soon"]["gpu_hours"] < 50
    assert (jobs["gone"]["feasible"], jobs["gone"]["why_not"]) == (False, "no whole day of the offer is left")


def test_nobody_serves_on_what_ends_within_a_month(market: Ledger) -> None:
    assert {row["provider"] for row in market.rows("FROM hosting_cost")} == {"weeks", "many", "late"}


def test_plans_say_the_same_as_the_tables(market: Ledger) -> None:
    with market.opened() as connection:
        offers = rental_offers(connection)
    assert {offer.provider: offer.offered_days for offer in offers} == {
        "weeks": None, "many": None, "soon": 12, "late": 122, "gone": 0,
    }  # fmt: skip
    found = {plan.offer.provider: plan for plan in plans(llm_named("7B"), offers, gpus())}
    assert str(found["gone"].why_not).startswith("no whole day of the offer is left")
    assert str(found["soon"].why_not).startswith("the offer ends after 12 days; the run and its experiments take ")
    least = found["many"].bill
    assert least is not None
    assert least.total.mid >= 512 * 336 * 2
    assert found["many"].notes[-1].startswith("336 hours are paid at least")
    one = replica(Served(7 * 10**9, 7 * 10**9, 32, 32, 128), H100, gpus=1)
    assert {offer.provider for offer in offers if hosting(offer, one) is None} == {"soon", "gone"}


@example(budget=30_000, days=72, experiments=1.4)
@given(budget=st.integers(500, 200_000), days=st.integers(0, 200), experiments=st.sampled_from([1.0, 1.4, 2.5]))
def test_what_a_budget_trains_ends_with_its_experiments_before_the_offer(budget: int, days: int, experiments: float):
    """On a host with 72 days left a run of 58 was chosen, which takes 81 with its experiments."""
    seen = datetime(2026, 8, 1, tzinfo=UTC)
    host = RentalOffer("a", "vast", "h100_sxm", Decimal(8), Decimal("1.92"), "on_demand", fabric="single_node")
    ends = replace(host, observed_at=seen, offered_until=seen.date() + timedelta(days=days))
    found = largest_on(H100, [ends], float(budget), experiments=experiments)
    if found is not None:
        assert found[1].wall_days * experiments <= days * (1 + 1e-9)
        assert commitment_usd(ends, found[1].gpus, found[1].wall_days, experiments) is None
