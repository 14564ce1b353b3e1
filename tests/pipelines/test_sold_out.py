"""What is sold out is never the answer while something else is to be had, and says that it is sold out."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

from models.costs.wishes import Wishes
from models.gpus import gpus
from models.llms import llm_named
from models.training.clusters import RentalOffer
from pipelines.answers.instances import largest_on
from pipelines.answers.one_run import best_plan
from pipelines.commands.ledger import cost_matrix

SEVEN_B = llm_named("7B")
FREE = RentalOffer(
    "free", "acme", "h100_sxm", Decimal(8), Decimal("3.00"), "on_demand",
    fabric="multi_node", cluster_gpus=64, available=True,
)  # fmt: skip
GONE = replace(FREE, offer_key="gone", usd_per_gpu_hour=Decimal("1.00"), available=False)


def test_the_price_of_a_run_is_of_an_offer_to_be_had():
    assert best_plan(SEVEN_B, [GONE, FREE]).offer is FREE
    last = replace(FREE, offer_key="last", usd_per_gpu_hour=Decimal("0.50"), available=None, quantity=0)
    assert best_plan(SEVEN_B, [last, GONE, FREE]).offer is FREE
    only = best_plan(SEVEN_B, [GONE]).offer  # nothing else can do it: told, and told to be sold out
    assert (only, only.sold_out) == (GONE, True)


def test_the_price_of_a_run_is_of_an_offer_that_outlasts_it_and_its_experiments():
    run = best_plan(SEVEN_B, [FREE]).wall_days.mid
    ends = {"asked_on": date(2026, 8, 1), "observed_at": datetime(2026, 7, 1, tzinfo=UTC), "usd_per_gpu_hour": 1}
    host = replace(FREE, offer_key="host", offered_until=date(2026, 8, 1) + timedelta(days=run * 1.5), **ends)
    assert best_plan(SEVEN_B, [host, FREE]).offer is host
    assert best_plan(SEVEN_B, [host, FREE], Wishes(sure=0.5, experiments=3)).offer is FREE
    ended = replace(host, offered_until=date(2026, 7, 31))
    assert best_plan(SEVEN_B, [ended, FREE]).offer is FREE
    assert best_plan(SEVEN_B, [ended]) is None
    assert largest_on(gpus()["h100_sxm"], [ended, FREE], 100_000)[0] is FREE


def test_a_budget_is_spent_where_something_is_to_be_had_and_pays_the_fee():
    chip = gpus()["h100_sxm"]
    offer, plain = largest_on(chip, [GONE, FREE], 100_000)
    assert offer is FREE
    _, with_fee = largest_on(chip, [replace(FREE, setup_usd=Decimal(2_000))], 100_000)
    instances = 1  # 100,000 / 1.4 / 3 = 23,810 GPU-hours: 4 GPUs for nine months
    assert with_fee.gpu_hours * 3 * 1.4 + instances * 2_000 == 100_000
    assert with_fee.params.mid < plain.params.mid
    assert largest_on(chip, [replace(FREE, setup_usd=Decimal(200_000))], 100_000) is None


def test_a_budget_rents_whole_instances_and_no_more_than_are_free():
    chip = gpus()["h100_sxm"]
    _, best = largest_on(chip, [FREE], 500_000)  # 119,048 GPU-hours are 18.4 GPUs for nine months
    assert (best.gpus, best.wall_days) == (24, best.gpu_hours / 24 / 24)
    dearer = replace(FREE, offer_key="dearer", usd_per_gpu_hour=Decimal("3.10"))
    offer, _ = largest_on(chip, [replace(FREE, quantity=2), dearer], 500_000)  # 16 GPUs take a year
    assert offer is dearer


def test_the_matrix_marks_what_is_sold_out():
    row = {"provider": "acme", "pricing": "on_demand", "llm": "7B", "total_usd_mid": 100_000, "feasible": True}
    row |= {"commitment_usd": None, "setup_usd": 0}
    free, gone, unknown = (cost_matrix([{**row, "in_stock": known}])[0]["7B"] for known in (True, False, None))
    assert (free, gone, unknown) == ("100K", "100K*", "100K")
