"""Fine-tuning, hosting, break-even, history, commitments and spot in the ledger, on small markets, by hand."""

from __future__ import annotations

from decimal import Decimal

import polars as pl
import pytest
from ledgers import Ledger, moment
from one_model_market import laid, rented

from models.costs.build_or_buy import break_even, with_input_usd
from models.costs.hosting import Served, capacity_per_month, replica
from models.costs.plan import plans
from models.costs.wishes import Wishes
from models.gpus import gpus
from models.llms import llm_named
from models.llms import llms as all_llms
from models.training.clusters import RentalOffer
from models.training.spot import spot_gangs
from pipelines.frames.requirements import (
    fine_tuning_requirement,
    hosting_requirement,
    model_sizing,
    what_if_requirement,
)

H100 = gpus()["h100_sxm"]


@pytest.fixture(scope="module")
def market(tmp_path_factory) -> Ledger:
    ledger = Ledger(tmp_path_factory.mktemp("market"))
    ledger.look(
        moment(1),
        rented("node", "2", fabric="single_node", available=True, quantity=1),
        rented("one card", "3", 1, fabric="single_node"),
        rented("spot node", "1", pricing="spot", fabric="multi_node", cluster_gpus=64),
        rented("a year", "1.2", pricing="reserved", term_months=12, fabric="single_node", available=False),
    )
    llms = [llm_named("7B"), llm_named("405B")]
    prices = [("7B", "dear", 5.0, 15.0), ("7B", "cheap", 0.001, 0.002)]
    api = [
        {
            "llm": llm, "api_provider": name, "api_model": "m", "pricing_url": "https://api.example",
            "input_usd_per_million": given, "output_usd_per_million": generated, "list_version": "a list",
        }
        for llm, name, given, generated in prices
    ]  # fmt: skip
    return laid(
        ledger,
        fine_tuning_requirement=fine_tuning_requirement(llms, [H100]),
        hosting_requirement=hosting_requirement(llms, [H100]),
        api_price=pl.DataFrame(api),
        spot_gang=pl.DataFrame(spot_gangs(16)),
        what_if_requirement=what_if_requirement(all_llms(), [H100]),
    )


def test_fine_tuning_pays_whole_instances_and_the_set_up_of_every_gpu(market):
    (row,) = market.rows("FROM fine_tuning_cost WHERE llm = '7B' AND method = 'full' AND pricing = 'on_demand'")
    # 6 x 7e9 x 1e9 FLOP at 35% of 989.4 TFLOPS: 33.69 hours; two cards hold it, but one card alone does not
    hours = 6 * 7e9 * 1e9 / (float(H100.bf16_dense_tflops) * 1e12 * 0.35 * 3600)
    assert (row["gpus"], row["feasible"]) == (8, True)
    assert row["gpu_hours"] == pytest.approx(hours + 8 * 0.25)
    assert row["usd_mid"] == pytest.approx((hours + 8 * 0.25) * 2)


def test_fine_tuning_that_fits_nowhere_says_why_not(market):
    (row,) = market.rows("FROM fine_tuning_cost WHERE llm = '405B' AND method = 'full' AND pricing = 'on_demand'")
    assert not row["feasible"]
    assert row["why_not"] == "memory needs 102 GPUs; 8 can be joined"


def test_what_is_taken_wins_only_where_nothing_is_free(tmp_path):
    ledger = Ledger(tmp_path)
    taken = {"fabric": "single_node", "available": False}
    free = rented("free node", "2", fabric="single_node", available=True)
    ledger.look(moment(1), rented("taken node", "1", **taken), free)
    ledger.look(moment(1), rented("taken node", "1", provider="bolt", **taken), provider="bolt")
    llms = [llm_named("7B")]
    laid(
        ledger,
        fine_tuning_requirement=fine_tuning_requirement(llms, [H100]),
        hosting_requirement=hosting_requirement(llms, [H100]),
    )
    for table in ("fine_tuning_cost", "hosting_cost"):
        found = ledger.rows(f"SELECT provider, usd_per_gpu_hour, in_stock FROM {table} WHERE feasible")
        assert {tuple(row.values()) for row in found} == {("acme", 2, True), ("bolt", 1, False)}


@pytest.mark.parametrize("table", ["fine_tuning_cost", "hosting_cost", "api_break_even", "what_if_cost"])
def test_every_cost_says_when_and_where_its_price_was_read(market, table):
    read = ["observed_at", "origin", "page_sha256"]
    found = market.rows(
        f"SELECT {', '.join(f'cost.{name} = price.{name} AS {name}' for name in read)} FROM {table} AS cost "
        "JOIN price_now AS price USING (offer_key)"
    )
    assert found
    assert all(all(row.values()) for row in found)


def test_hosting_is_what_the_models_say(market):
    (row,) = market.rows("FROM hosting_cost WHERE llm = '7B' AND pricing = 'on_demand'")
    one = replica(Served(7 * 10**9, 7 * 10**9, 32, 32, 128), H100, gpus=row["replica_gpus"], price=Decimal(2))
    assert row["replicas"] * row["replica_gpus"] == row["rented_gpus"] == 8
    assert row["output_tokens_per_second"] == pytest.approx(row["replicas"] * one.decode_tokens_per_second)
    assert row["usd_per_million_output_full"] == pytest.approx(one.usd_per_million_output)
    capacity = row["replicas"] * capacity_per_month(one, 3, 0.4)
    assert row["output_tokens_per_month"] == pytest.approx(capacity)
    assert row["usd_per_million_output"] == pytest.approx(16 * 730 / capacity * 1e6)
    assert row["monthly_usd"] == pytest.approx(16 * 730)


def test_no_fewer_gpus_are_rented_than_are_sold(tmp_path):
    ledger = Ledger(tmp_path)
    ledger.look(moment(1), rented("cluster", "2", fabric="multi_node", cluster_gpus=512, minimum_gpus=256))
    llms = [llm_named("7B")]
    laid(
        ledger,
        fine_tuning_requirement=fine_tuning_requirement(llms, [H100]),
        hosting_requirement=hosting_requirement(llms, [H100]),
    )
    (served,) = ledger.rows("FROM hosting_cost")
    assert (served["rented_gpus"], served["replicas"] * served["replica_gpus"]) == (256, 256)
    assert served["monthly_usd"] == pytest.approx(256 * 2 * 730)
    for job in ledger.rows("FROM fine_tuning_cost"):
        assert (job["gpus"], job["feasible"]) == (256, True)
        assert job["usd_mid"] >= 256 * 0.25 * 2  # their set-up alone


def test_break_even_is_what_the_models_say(market):
    found = {row["api_provider"]: row for row in market.rows("FROM api_break_even")}
    dear = found["dear"]
    assert dear["usd_per_million_output"] == 30  # 15 and three times 5
    assert (dear["gpu"], dear["rented_gpus"], dear["monthly_usd"]) == ("h100_sxm", 1, 3 * 730)
    one = replica(Served(7 * 10**9, 7 * 10**9, 32, 32, 128), H100, gpus=1, price=Decimal(3))
    expected = break_even(one, with_input_usd(Decimal(5), Decimal(15), 3), 3, 0.4)
    assert dear["break_even_tokens_per_month"] == pytest.approx(expected.tokens_per_month) == pytest.approx(73e6)
    assert dear["capacity_tokens_per_month"] == pytest.approx(expected.capacity_per_month)
    assert dear["reachable"] is expected.reachable is True
    assert found["cheap"]["reachable"] is False


def test_a_commitment_is_shown_whole_beside_what_the_run_uses_of_it(market):
    (row,) = market.rows("FROM training_cost_by_provider WHERE pricing = 'reserved'")
    assert row["compute_usd_mid"] == pytest.approx(14_400 * 1.2)
    assert row["commitment_usd"] == pytest.approx(8 * 12 * 730 * 1.2)
    assert row["in_stock"] is False
    steps = {step["step"]: step for step in market.rows("FROM explain_cost('7B', $1)", row["offer_key"])}
    assert steps["commitment_usd"]["value"] == pytest.approx(row["commitment_usd"])
    assert steps["commitment_usd"]["formula"].startswith("1 term of 12 months for wall_days x overhead on 8 GPUs")
    (by_the_hour,) = market.rows("FROM training_cost WHERE sku = 'node'")
    assert (by_the_hour["commitment_usd"], by_the_hour["in_stock"]) == (None, True)


def test_of_two_terms_the_one_that_costs_less_in_all_stands_for_its_provider(tmp_path):
    ledger = Ledger(tmp_path)
    long = rented("node", "1.2", pricing="reserved", term_months=36, fabric="single_node")
    short = rented("node", "1.8", pricing="reserved", term_months=1, fabric="single_node")
    ledger.look(moment(1), long, short)
    laid(ledger, hosting_requirement=hosting_requirement([llm_named("7B")], [H100]))
    for costs in ("training_cost_by_provider", f"training_cost_asof('{moment(1)}')", "hosting_cost"):
        (row,) = ledger.rows(f"SELECT offer_key, usd_per_gpu_hour FROM {costs}")
        assert (row["offer_key"], row["usd_per_gpu_hour"]) == (short.offer_key, Decimal("1.8"))
    (row,) = ledger.rows("FROM training_cost_by_provider")
    assert row["commitment_usd"] == pytest.approx(8 * 730 * 1.8 * 4)  # for 75 days and experiments of 30
    terms = {row["term_months"]: row["commitment_usd"] for row in ledger.rows("FROM core.hosting_option")}
    assert terms == pytest.approx({1: 8 * 730 * 1.8, 36: 36 * 8 * 730 * 1.2})  # to serve for a month


def test_spot_loses_time_as_in_the_plans_of_models(market):
    (row,) = market.rows("FROM training_cost WHERE pricing = 'spot'")
    gang = spot_gangs(1)[0]
    assert row["gpus"] == 8
    assert row["goodput"] == pytest.approx(gang.goodput)
    assert row["gpu_hours_p50"] == pytest.approx(14_400 / gang.goodput)
    assert row["wall_days"] == pytest.approx(14_400 / gang.goodput / 8 / 24 * gang.calendar)
    assert row["compute_usd_mid"] == pytest.approx(row["gpu_hours_p50"] * 1)
    alike = RentalOffer("", "acme", "h100_sxm", Decimal(8), Decimal(1), "spot", fabric="multi_node", cluster_gpus=64)
    (plan,) = plans(llm_named("7B"), [alike], gpus(), Wishes())
    nodes = -(-plan.gpus // 8)
    assert plan.gpu_hours.mid * spot_gangs(16)[nodes - 1].goodput == pytest.approx(45_353, abs=2)


def test_a_cost_leads_to_the_page_of_its_price(market):
    (row,) = market.rows("FROM training_cost_by_provider WHERE pricing = 'on_demand'")
    wanted = "FROM price_page WHERE provider = $1 AND page_sha256 = $2"
    (page,) = market.rows(wanted, row["provider"], row["page_sha256"])
    assert page["url"] == "https://prices.example/list"
    assert row["basis"] == "runs"


def test_costs_are_explained_term_by_term(tmp_path):
    ledger = Ledger(tmp_path)
    ledger.look(moment(1), rented("node", "2", fabric="single_node"))
    laid(ledger)
    (row,) = ledger.rows("FROM training_cost")
    steps = {step["step"]: step for step in ledger.rows("FROM explain_cost('7b', $1)", row["offer_key"])}
    assert steps["price"]["value"] == 2
    assert steps["price"]["source"].startswith("https://prices.example/list (sha256 aaaa")
    assert steps["gpu_hours"]["value"] * steps["price"]["value"] == steps["compute_usd"]["value"]
    assert steps["total_usd"]["value"] == pytest.approx(steps["compute_usd"]["value"] * steps["overhead"]["value"])
    assert steps["total_usd"]["value"] == row["total_usd_mid"]


def test_a_telling_differs_by_its_hours_alone(market):
    found = {row["variant"]: row for row in market.rows("FROM what_if_cost WHERE llm = '7B'")}
    assert {row["usd_per_gpu_hour"] for row in found.values()} == {Decimal(2)}
    assert found["as a mixture"]["min_gpus"] == found["as it is"]["min_gpus"]  # all experts are stored
    # DeepSeek-V3 computes with 37 of 671 billion parameters
    assert found["as a mixture"]["hours_ratio"] == pytest.approx(37 / 671, rel=0.2)
    assert found["in FP8"]["hours_ratio"] > 0.5
    for row in found.values():
        assert row["compute_usd_mid"] == pytest.approx(row["gpu_hours"] * 2)


def test_what_a_budget_trains_costs_that_budget(market):
    found = {row["budget_usd"]: row for row in market.rows("FROM affordable_model")}
    row = found[100_000.0]
    assert row["gpu"] == "h100_sxm"
    assert row["tokens_mid"] == pytest.approx(20 * row["params_mid"])
    # the final run at 2 USD, and four tenths more for experiments
    assert row["gpu_hours"] * 2 * 1.4 == pytest.approx(100_000)
    assert row["flop_mid"] == pytest.approx(6 * row["params_mid"] * row["tokens_mid"])
    assert row["min_gpus"] <= 8
    # 8 GPUs do not end what ten millions pay: they train what they can in nine months
    assert found[10_000_000.0]["spent_usd"] == pytest.approx(8 * 270 * 24 * 2 * 1.4)
    assert found[10_000_000.0]["params_mid"] > row["params_mid"]


def test_prices_to_come_open_from_the_price_that_stands(market):
    first, *later = market.rows("FROM price_projection ORDER BY day")
    assert (first["day"], first["usd_per_gpu_hour_mid"]) == (moment(1).date(), 2.0)
    assert first["usd_per_gpu_hour_low"] == first["usd_per_gpu_hour_high"] == 2.0
    # one look is no trend: the published fall of the price of a FLOP, 1.3 a year
    falling = [2 / 1.3**year for year in range(1, 6)]
    assert [row["usd_per_gpu_hour_mid"] for row in later] == pytest.approx(falling, rel=2e-3)
    spread = [row["usd_per_gpu_hour_high"] / row["usd_per_gpu_hour_low"] for row in later]
    assert spread == sorted(spread)


def test_a_sizing_that_serves_is_smaller_and_saves():
    table = model_sizing().filter(pl.col("flop") == 1e24)
    for _, fit in table.filter(pl.col("loss").is_not_null()).group_by("coefficients"):
        fit = fit.sort("tokens_served_per_training_token")
        assert fit["params"].is_sorted(descending=True)
        assert fit["saved_share"].is_sorted()
        assert fit["loss"].n_unique() == 1


def test_a_total_says_in_one_line_how_it_came_about(market):
    (row,) = market.rows("FROM training_cost_by_provider WHERE llm = '7B' AND pricing = 'on_demand'")
    assert row["explanation"] == (
        "2e+22 FLOP / (989.4 dense BF16 TFLOPS x 0.39 x 3600 s) = 1.44e+04 GPU-hours; "
        "x 2.0 USD, read 2026-08-01 at https://prices.example/list; "
        f"x 1.4 for failed runs and experiments; each source: explain_cost('7B', '{row['offer_key']}')"
    )
    assert row["total_usd_mid"] == pytest.approx(14_400 * 2 * 1.4)


def test_a_replica_joins_no_more_than_a_cluster_of_unstated_size_is_taken_to_have(tmp_path):
    ledger = Ledger(tmp_path)
    ledger.look(moment(1), rented("node", "2", fabric="multi_node"))
    laid(ledger, hosting_requirement=hosting_requirement([llm_named("1T")], [H100]))
    (replica,) = ledger.rows("FROM hosting_cost")
    assert replica["feasible"]
    assert replica["replica_gpus"] > 8  # 1,000 GB in FP8 take several nodes
    with ledger.opened() as connection:
        connection.execute("UPDATE ref.constant SET value = 8 WHERE name = 'cluster_unstated_other'")
    ledger.recompute()
    assert [row["feasible"] for row in ledger.rows("FROM hosting_cost")] == [False]
