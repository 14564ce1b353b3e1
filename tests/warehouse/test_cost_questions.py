"""Fine-tuning, hosting, break-even, history, commitments and spot in the ledger, on small markets, by hand."""

from __future__ import annotations

from decimal import Decimal

import polars as pl
import pytest
from ledgers import Ledger, moment, offer

from models.costs.build_or_buy import break_even, with_input_usd
from models.costs.hosting import Served, capacity_per_month, replica
from models.costs.plan import Wishes, plans
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
CONSTANTS = {
    "largest_cluster_gpus": 100_000, "longest_run_days": 270, "overhead": 1.4, "cluster_unstated_other": 1024,
    "hours_per_month": 730, "serving_utilisation": 0.4, "input_tokens_per_output": 3, "algorithm_halving_months": 8,
    "spot_gang_gpus": 512, "scale_loss_per_doubling": 0.025, "scale_loss_from_gpus_effective": 1024,
    "scale_efficiency_floor": 0.5,
}  # fmt: skip


def laid(ledger: Ledger, **frames: pl.DataFrame) -> Ledger:
    """The reference tables of a 7B model on H100: 14,400 hours, 2 GPUs for memory, 8 to end in time."""
    need = {
        "llm": "7B", "kind": "size_class", "gpu": "h100_sxm", "gpus_per_node": 8, "min_gpus": 2, "basis": "runs",
        "gpus_for_deadline": 8, "gpu_hours_p10": 10_000.0, "gpu_hours_p50": 14_400.0, "gpu_hours_p90": 20_000.0,
        "flop": 2e22, "peak_tflops": 989.4, "precision": "bf16", "utilisation_mid": 2e22 / 989.4e12 / 3600 / 14_400,
        "scale_efficiency": 1.0,
    }  # fmt: skip
    ledger.load()
    ledger.refer(
        gpu=pl.DataFrame({"gpu": ["h100_sxm"], "trains": [True]}),
        llm=pl.DataFrame({"llm": ["7B"], "kind": ["size_class"]}),
        constant=pl.DataFrame(
            {"name": list(CONSTANTS), "value": [float(value) for value in CONSTANTS.values()]}
        ).with_columns(low=pl.col("value"), high=pl.col("value")),
        training_requirement=pl.DataFrame([need]),
        **frames,
    )
    ledger.recompute()
    return ledger


def rented(sku: str, usd_per_gpu_hour: str, gpu_count: int = 8, **said):
    return offer(sku, str(Decimal(usd_per_gpu_hour) * gpu_count), gpu_count=Decimal(gpu_count), **said)


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


def test_the_last_day_of_the_history_is_the_table_of_now(past):
    (now,) = past.rows("FROM training_cost_by_provider WHERE provider = 'acme'")
    (last,) = past.rows("FROM training_cost_history WHERE provider = 'acme' ORDER BY day DESC LIMIT 1")
    for column in ("gpu", "gpus", "wall_days", "gpu_hours", "total_usd_low", "total_usd_mid", "total_usd_high"):
        assert last[column] == pytest.approx(now[column]) if column != "gpu" else last[column] == now[column]


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
    assert 10_000_000.0 not in found  # 8 GPUs neither hold it nor end in time


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


def test_a_total_says_in_one_line_how_it_came_about(market):
    (row,) = market.rows("FROM training_cost_by_provider WHERE llm = '7B' AND pricing = 'on_demand'")
    assert row["explanation"] == (
        "2e+22 FLOP / (989.4 dense BF16 TFLOPS x 0.39 x 3600 s) = 1.44e+04 GPU-hours; "
        "x 2.0 USD, read 2026-08-01 at https://prices.example/list; "
        f"x 1.4 for failed runs and experiments; each source: explain_cost('7B', '{row['offer_key']}')"
    )
    assert row["total_usd_mid"] == pytest.approx(14_400 * 2 * 1.4)


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
