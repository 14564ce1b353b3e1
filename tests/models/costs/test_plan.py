"""Where to train: feasibility before price, reasons in words, ranked by the whole cost."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from plan_offers import offer, only

from models.costs.plan import plans
from models.costs.wishes import Wishes
from models.gpus import gpus
from models.llms import llm_named
from models.training.clusters import cluster, joinable_gpus
from models.training.requirement import requirement

SEVEN_B, THIRTEEN_B, SEVENTY_B, BIG = (llm_named(name) for name in ("7B", "13B", "70B", "405B"))


def test_feasible_plans_come_first_and_cheapest_first():
    ranked = plans(
        SEVEN_B,
        [
            offer("dear", "6.00"),
            offer("cheap", "1.80"),
            offer("cheapest", "0.90", fabric="single_node", gpu_count=Decimal(1)),
            offer("middle", "2.40"),
        ],
        gpus(),
    )
    assert [plan.offer.offer_key for plan in ranked] == ["cheap", "middle", "dear", "cheapest"]
    assert [plan.feasible for plan in ranked] == [True, True, True, False]
    assert ranked[0].why_not is None
    assert ranked[-1].total_usd is None


def test_the_cheapest_card_is_no_plan_when_the_state_does_not_fit():
    # 405B x 16 B = 6,480 GB: 102 cards of 80 GB; a marketplace sells single machines
    single = only(BIG, offer(fabric="single_node", usd="0.50"))
    assert single.why_not == "memory needs 102 GPUs; this is a single node of 8"
    silent = only(BIG, offer(fabric=None, usd="0.50"))
    assert silent.why_not == "memory needs 102 GPUs; no fast network between nodes of 8 is stated"
    small = only(BIG, offer(cluster_gpus=64))
    assert small.why_not == "memory needs 102 GPUs; the largest cluster here has 64"


def test_stock_is_asked_before_the_price():
    assert only(SEVENTY_B, offer(available=False)).why_not == "nothing is free now"
    few = only(SEVENTY_B, offer(quantity=1))
    assert few.why_not == "it takes 18 GPUs; free: 1 instance of 8"
    assert few.total_usd is None


def test_a_run_makes_do_with_what_is_free_where_it_has_the_time():
    free = offer(quantity=2)  # 24 GPUs would end it within 90 days
    assert only(SEVEN_B, free).gpus == 16
    assert only(SEVEN_B, free).feasible
    late = only(SEVEN_B, free, Wishes(deadline_days=30)).why_not
    assert "days on 16 GPUs, " in late
    assert late.endswith("to be 90% sure; the deadline is 30")


def test_a_deadline_takes_more_gpus_or_rules_out():
    month, quarter = (only(SEVEN_B, offer(), Wishes(deadline_days=days)) for days in (30, 90))
    assert month.gpus > quarter.gpus
    assert month.wall_days.mid <= 30
    assert month.feasible
    late = only(SEVENTY_B, offer(cluster_gpus=32), Wishes(deadline_days=30))
    assert "days on 32 GPUs" in late.why_not
    assert late.wall_days.mid > 30
    assert late.risk_late > 0.99


def test_a_deadline_is_met_in_nine_runs_of_ten_unless_asked_otherwise():
    need = requirement(SEVEN_B, gpus()["h100_sxm"])
    spread = need.gpu_hours_p90 / need.gpu_hours_p50
    asked = Wishes(deadline_days=30)
    nine, half = only(SEVEN_B, offer(), asked), only(SEVEN_B, offer(), replace(asked, sure=0.5))
    assert nine.risk_late <= 0.1 < half.risk_late <= 0.5
    assert nine.wall_days.high <= 30 < half.wall_days.high
    assert nine.gpus == pytest.approx(half.gpus * spread, abs=8)  # whole nodes
    assert nine.gpu_hours == half.gpu_hours  # more GPUs for fewer days: the hours are the same up to 1,024 GPUs
    # one that only the median holds is no plan, and says by how much
    fixed = offer(cluster_gpus=half.gpus)
    assert only(SEVEN_B, fixed, replace(asked, sure=0.5)).feasible
    assert f"on {half.gpus} GPUs, " in only(SEVEN_B, fixed, asked).why_not


def test_who_is_in_time_is_so_before_the_offer_ends():
    """A host that leaves in 26 days was said to be in time for 60, in 100 runs of 100."""
    node = {"fabric": "single_node", "cluster_gpus": None}
    ends = offer(**node, observed_at=datetime(2026, 8, 1, tzinfo=UTC), offered_until=date(2026, 8, 27))
    wishes = Wishes(deadline_days=60, sure=0.5, experiments=1.0)
    before_it_ends = only(llm_named("1B"), offer(**node), replace(wishes, deadline_days=26))
    never_ends = only(llm_named("1B"), offer(**node), wishes)
    assert only(llm_named("1B"), ends, wishes).risk_late == before_it_ends.risk_late > never_ends.risk_late
    assert only(llm_named("1B"), ends, replace(wishes, experiments=1.4)).risk_late > before_it_ends.risk_late


def test_a_deadline_beyond_the_longest_run_is_refused():
    with pytest.raises(ValueError, match="must be at most 270 days"):
        plans(SEVEN_B, [offer()], gpus(), Wishes(deadline_days=300))


def test_days_and_numbers_are_told_so_that_they_make_sense():
    asked, one_b = Wishes(deadline_days=1, sure=0.5), llm_named("1B")
    card = offer(gpu_count=Decimal(1), fabric="single_node", gpu="b300")
    assert "on 1 GPU; the deadline is 1" in only(one_b, card, asked).why_not
    # a run of 1.3 days is late for a deadline of 1, and is not told as 1
    nodes = int(requirement(one_b, gpus()["h100_sxm"]).gpu_hours_p50 / 24 / 1.3 / 8)
    assert only(one_b, offer(cluster_gpus=nodes * 8), asked).why_not.startswith("takes 1.")


def test_one_node_loses_nothing_to_the_scale_of_a_cluster_it_is_not():
    # 405B within 90 days takes thousands of GPUs, and loses to it; on 512 the same work takes fewer hours
    need = requirement(BIG, gpus()["h100_sxm"])
    few = only(BIG, offer(cluster_gpus=512))
    assert need.scale_efficiency < 1
    assert few.gpu_hours.mid == pytest.approx(need.gpu_hours_p50 * need.scale_efficiency)
    assert only(BIG, offer(cluster_gpus=need.gpus)).gpu_hours.mid == pytest.approx(need.gpu_hours_p50)


def test_what_a_cluster_takes_for_granted_is_named():
    unstated = offer(cluster_gpus=None, provider_kind="hyperscaler")
    assert only(BIG, unstated).assumption == (
        "a cluster of 26,000, whose size is not stated (cluster_unstated_hyperscaler)"
    )
    assert only(BIG, offer(cluster_gpus=16_384)).assumption is None
    assert only(llm_named("1B"), replace(unstated, fabric="single_node")).assumption is None


def test_without_a_deadline_no_run_takes_longer_than_runs_do():
    years = only(SEVENTY_B, offer(cluster_gpus=32))
    assert "the longest sensible run is 270" in years.why_not


def test_a_cluster_that_is_asked_for_is_rented_whole_or_not_at_all():
    asked = Wishes(gpus=60)
    assert only(SEVEN_B, offer(), asked).gpus == 64  # whole instances of 8
    node = only(SEVEN_B, offer(fabric="single_node", cluster_gpus=None), asked)
    assert node.why_not == "60 GPUs are asked for; 8 can be joined there"
    assert only(SEVENTY_B, offer(), Wishes(gpus=8)).why_not == "memory needs 18 GPUs; 8 are asked for"
    assert only(SEVEN_B, offer(quantity=4), asked).why_not == "it takes 60 GPUs; free: 4 instances of 8"


@pytest.mark.parametrize(
    ("wishes", "said"),
    [
        (Wishes(countries={"DE", "FR"}), "it stands in US"),
        (Wishes(pricings={"spot"}), "on_demand is not among the kinds allowed"),
        (Wishes(provider_kinds={"hyperscaler"}), "a gpu_cloud is not among the kinds allowed"),
    ],
)
def test_where_and_what_is_allowed(wishes, said):
    assert only(SEVEN_B, offer(), wishes).why_not == said


def test_an_unknown_country_is_not_the_wanted_one():
    assert only(SEVEN_B, offer(country=None), Wishes(countries={"US"})).why_not == "it stands in an unknown country"


def test_a_gang_of_thousands_is_not_taken_to_be_free_on_spot():
    # the cluster that is wired is not what others left: 405B on 512 GPUs takes years
    gang = only(BIG, offer(pricing="spot", cluster_gpus=16_384))
    assert not gang.feasible
    assert gang.gpus == 512
    assert gang.assumption == "that up to 512 are free on spot at once (spot_gang_gpus)"


def test_spot_takes_more_gpus_to_be_in_time_or_is_not():
    wishes = Wishes(deadline_days=30, monthly_interruption=0.5)
    steady, spot = (only(THIRTEEN_B, offer(pricing=kind), wishes) for kind in ("on_demand", "spot"))
    assert spot.feasible
    assert spot.gpus > steady.gpus
    assert spot.wall_days.mid <= 30
    stormy = only(THIRTEEN_B, offer(pricing="spot"), replace(wishes, monthly_interruption=0.99))
    assert not stormy.feasible
    assert "lost" in stormy.notes[0]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"gpu": "t4"}, "not used for training"),
        ({"gpu": "abacus"}, "not a known accelerator"),
        ({"gpu_count": Decimal("0.5")}, "0.5 of a card"),
        ({"pricing": "serverless"}, "serverless"),
    ],
)
def test_what_does_not_train(changes, said):
    assert said in only(SEVEN_B, offer(**changes)).why_not


def test_a_form_that_is_not_stated_counts_by_the_least_of_its_family():
    assert only(SEVEN_B, offer(gpu="h100")).feasible
    assert only(SEVEN_B, offer(gpu="a100")).feasible


def test_gpus_come_in_whole_instances_and_nodes():
    card = offer(gpu_count=Decimal(1))
    assert cluster(card, 1, 8).gpus == 1
    assert cluster(card, 9, 8).gpus == 16
    assert joinable_gpus(offer(cluster_gpus=100)) == 96
    assert cluster(offer(minimum_gpus=64), 8, 8).gpus == 64


@pytest.mark.parametrize("wrong", [{"deadline_days": 0}, {"budget_usd": -1}])
def test_impossible_wishes_are_refused(wrong):
    with pytest.raises(ValueError, match="must be"):
        plans(SEVEN_B, [offer()], gpus(), Wishes(**wrong))


FABRICS = st.sampled_from(["multi_node", "single_node", None])
MODELS = st.sampled_from(["1B", "7B", "13B", "70B", "405B", "DeepSeek-V3"])


@given(MODELS, st.integers(8, 400), st.integers(8, 400), FABRICS, st.sampled_from([8, 64, 512, 16_384]))
def test_less_memory_never_makes_a_plan_feasible(name, one, other, fabric, cluster_gpus):
    def feasible(memory):
        chip = replace(gpus()["h100_sxm"], memory_gb=Decimal(memory), usable_memory_gb=None)
        given_ = offer(fabric=fabric, cluster_gpus=cluster_gpus)
        return only(llm_named(name), given_, chips={"h100_sxm": chip}).feasible

    assert feasible(min(one, other)) <= feasible(max(one, other))
