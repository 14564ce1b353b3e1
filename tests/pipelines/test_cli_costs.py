"""Commands of the cost questions: published figures to the digit, and the recorded ledger as people ask it."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from itertools import pairwise

import pytest
from click.testing import CliRunner, Result

from models.claims.table import claims
from models.offer_names import readable
from pipelines.cli import cli
from pipelines.home import Home
from sources.pages import RECORDED


@pytest.fixture
def run(recorded_home: Home, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("GPULEDGER_HOME", str(recorded_home.root))

    def call(*arguments: str) -> Result:
        return CliRunner().invoke(cli, list(arguments))

    return call


@pytest.fixture
def ask(run):
    def call(*arguments: str):
        result = run(*arguments, "--format", "json")
        assert result.exit_code == 0, result.output
        return json.loads(result.stdout)

    return call


def test_plans_are_ranked_by_their_whole_cost_and_the_others_say_why_not(ask) -> None:
    found = ask("plan", "70B")
    feasible = [row for row in found if row["feasible"]]
    assert len(feasible) > 10
    totals = [row["total_usd_mid"] for row in feasible]
    assert totals == sorted(totals)
    for row in found:
        assert row["feasible"] == (row["why_not"] is None)
    reasons = {row["provider"]: row["why_not"] for row in found if not row["feasible"]}
    assert "memory needs" in reasons["vast"]
    for row in feasible:  # nothing is in the total that is not in the bill
        terms = [float(part.rpartition(" ")[2].replace(",", "")) for part in row["bill"].split("; ")]
        assert sum(terms) == pytest.approx(row["total_usd_mid"], rel=1e-3)


def test_a_plan_keeps_to_what_is_wished(ask) -> None:
    wishes = ("--deadline-days", "40", "--budget", "1M", "--country", "us,NO", "--kinds", "on_demand")
    feasible = [row for row in ask("plan", "7B", *wishes, "--every-offer") if row["feasible"]]
    assert feasible
    for row in feasible:
        assert row["wall_days"] <= 40
        assert row["total_usd_mid"] <= 1_000_000
        assert row["country"] in ("US", "NO")
        assert row["pricing"] == "on_demand"
        assert 0 <= row["risk_over_budget"] <= 0.5


def test_a_commitment_is_paid_to_its_end_unless_the_rest_is_used(ask) -> None:
    def plans(*more: str) -> dict[str, dict]:
        found = ask("plan", "7B", "--kinds", "reserved", "--every-offer", *more)
        return {row["offer_key"]: row for row in found if row["feasible"] and row["term_months"]}

    whole, used = plans(), plans("--rest-of-term-used")
    assert whole.keys() & used.keys()
    for key in whole.keys() & used.keys():
        row = whole[key]
        term = row["gpus"] * row["term_months"] * 730 * row["usd_per_gpu_hour"]
        assert row["total_usd_mid"] >= term * 0.999
        assert used[key]["total_usd_mid"] <= row["total_usd_mid"] * 1.001


@pytest.mark.parametrize(
    "command", ["finetune 7B --method lora", "host 7B", "buy Llama-3.1-70B", "afford --budget 100K"]
)
def test_a_term_that_has_to_be_taken_is_paid_to_its_end(ask, command: str) -> None:
    found = ask(*command.split(), "--kinds", "reserved")
    assert found
    for row in found:
        rented = row.get("rented_gpus") or row["gpus"]
        term = rented * row["term_months"] * 730 * row["usd_per_gpu_hour"]
        assert row["commitment_usd"] / term == pytest.approx(round(row["commitment_usd"] / term))
        assert row["commitment_usd"] <= row.get("budget_usd", math.inf)
        if row["provider"] == "verda" and "budget_usd" not in row:  # for 1 to 12 months, the longer the cheaper
            assert row["term_months"] < 12


def test_every_claim_is_shown_with_a_verdict(ask) -> None:
    found = {row["claim_id"]: row for row in ask("claims")}
    assert found.keys() == {claim.claim_id for claim in claims()}
    assert len([name for name in found if "." in name]) == 119
    assert {row["verdict"] for row in found.values()} == {"match", "contradiction", "plausible", "input"}
    assert all(row["reason"] for row in found.values())


def test_the_fourteen_contradictions_are_shown_as_such(ask) -> None:
    shown = {row["claim_id"] for row in ask("claims", "--verdict", "contradiction")}
    assert shown >= {
        "C-2", "C-8", "C-9", "C-12", "C-16", "C-18", "C-19", "C-21", "C-23", "C-25", "C-27", "C-32",
        "B-5", "B-7", "B-9",
    }  # fmt: skip
    assert "B-3" not in shown


@pytest.mark.parametrize(
    ("claim", "ours"),
    [("B-3", 22_000), ("C-2", 4.2e22), ("C-4", 11_785), ("C-28", 5_576_000)],
)
def test_worked_figures_to_the_digit(ask, claim: str, ours: float) -> None:
    (row,) = [row for row in ask("claims", claim) if row["claim_id"] == claim]
    assert row["ours_low"] == pytest.approx(ours, abs=0.5 if ours < 1e9 else ours * 1e-12)


def test_seven_billion_on_a_trillion_at_full_and_at_forty_percent(ask) -> None:
    base = ("estimate", "--params", "7B", "--tokens", "1T", "--gpu", "h100_sxm")
    at_forty = ask(*base, "--utilisation", "0.4", "--peak-tflops", "989")
    assert at_forty["gpu_hours"]["mid"] == pytest.approx(29_491, abs=1)
    full = ask(*base, "--utilisation", "1", "--peak-tflops", "990")
    assert (full["flop"], full["gpu_hours"]["mid"]) == (4.2e22, pytest.approx(11_785, abs=0.5))


def test_the_monte_carlo_stands_beside_the_closed_form(ask) -> None:
    arguments = "estimate --params 7B --tokens 1T --utilisation 0.28 --peak-tflops 989.4 --price 2 --overhead 1.4"
    found = ask(*arguments.split(), "--utilisation-log-sd", "0.38")["uncertainty"]
    for form in ("closed_form", "monte_carlo"):
        spread = [found[form][end] for end in ("low", "mid", "high")]
        assert spread == pytest.approx([65_800, 117_900, 211_200], rel=0.02), form
    shares = {driver["input"]: driver["share"] for driver in found["drivers"]}
    assert shares["utilisation"] == pytest.approx(0.70, abs=0.01)
    again = ask(*arguments.split(), "--utilisation-log-sd", "0.38")["uncertainty"]
    assert again == found  # seeded


def test_an_explained_estimate_leads_to_the_page_of_its_price(ask, run) -> None:
    found = ask("estimate", "--params", "7B", "--tokens", "1T", "--provider", "lambda", "--explain")
    steps = {step["name"]: step for step in found["explanation"]}
    assert steps["flop"]["value"] == 4.2e22
    assert steps["total_usd"]["value"] == found["total_usd"]["mid"]
    assert all(step["source"] for step in steps.values())
    source = steps["price"]["source"]
    query = (
        f"SELECT url, usd_per_gpu_hour, observed_at FROM price_now JOIN price_page USING (provider, page_sha256) "
        f"WHERE offer_key = '{found['offer']['offer_key']}' AND page_sha256 = '{found['offer']['page_sha256']}'"
    )
    (page,) = ask("sql", query)
    for part in ("lambda", page["url"], f"{page['usd_per_gpu_hour']} USD per GPU-hour", page["observed_at"][:10]):
        assert part in source
    assert run("page", source.partition("(page ")[2].rstrip(")")).exit_code == 0
    assert page["url"] in run("estimate", "--params", "7B", "--tokens", "1T", "--provider", "lambda").stdout


def test_an_estimate_on_a_single_machine_says_so(ask) -> None:
    found = ask("estimate", "--params", "70B", "--tokens", "1.4T", "--provider", "vast")
    assert "memory needs 18 GPUs" in found["why_not"]
    # 8 GPUs that hold a 7B, but would take 20 times 236 days for 20T tokens
    slow = ask("estimate", "7B", "--tokens", "20T", "--provider", "lambda", "--gpu", "h100_sxm")
    assert "8 GPUs" in slow["why_not"]
    for never in (found, slow, ask("estimate", "70B", "--price", "2", "--gpus", "8")):
        assert not never["feasible"]
        assert (never["total_usd"], never["uncertainty"]) == (None, None)


@pytest.mark.parametrize(
    "command",
    ["own 7B", "what-if 7B", "phases 7B --phase pretrain:1T", "project 7B", "bill 7B", "estimate 7B --provider oci"],
)
def test_a_price_of_the_ledger_is_told_with_its_offer_and_its_day(run, command: str) -> None:
    told = re.findall(
        r"(\w+), .+: ([\d.]+) USD per GPU-hour on demand, seen (\S+) \(recorded\), .*\(page (\w+)\)",
        run(*command.split()).stdout,
    )
    assert told
    for provider, usd, day, page in told:
        query = f"FROM price_now WHERE provider = '{provider}' AND usd_per_gpu_hour = {usd}"
        query += f" AND CAST(observed_at AS DATE) = '{day}' AND starts_with(page_sha256, '{page}')"
        assert run("sql", query, "--format", "csv").stdout.count("\n") > 1, query


def test_an_estimate_says_which_range_to_quote_and_that_it_has_no_price(run) -> None:
    assert "none: --price" in run("estimate", "7B").stdout
    priced = run("estimate", "7B", "--price", "2").stdout
    (quoted,) = [line for line in priced.splitlines() if "the one to quote" in line]
    assert "monte carlo" in quoted


def test_the_memory_of_one_gpu_counts_activations(ask) -> None:
    shape = ("--params", "70B", "--tokens", "15T", "--layers", "80", "--width", "8192", "--seq-len", "8192")
    found = ask("estimate", *shape, "--gpus", "24")["memory"]
    # 16 bytes x 70e9 / 24 and 2 x 8192 x 8192 bytes x 80 layers: Korthikanti et al. with full recomputation
    assert found["state_gb"] == pytest.approx(46.67, abs=0.01)
    assert found["fits"]
    assert found["needed_gb"] == pytest.approx((found["state_gb"] + found["activations_gb"]) * 1.075)
    assert not ask("estimate", *shape, "--gpus", "8")["memory"]["fits"]


@pytest.mark.parametrize(("batch", "speed", "usd"), [(1, 227, 19.6), (64, 11_200, 0.40), (256, 26_300, 0.17)])
def test_serving_seventy_billion_on_eight_h100(ask, batch: int, speed: float, usd: float) -> None:
    (row,) = ask(*f"host 70B --gpu h100_sxm --gpus 8 --price 2 --batch {batch}".split())
    assert row["output_tokens_per_second"] == pytest.approx(speed, rel=0.03)
    assert row["usd_per_million_output_full"] == pytest.approx(usd, rel=0.05)
    assert row["monthly_usd"] == 11_680


def test_nobody_serves_on_what_can_be_reclaimed(ask) -> None:
    (count,) = ask("sql", "SELECT count(*) AS offers, count(*) FILTER (pricing = 'spot') AS spot FROM hosting_cost")
    assert (count["offers"] > 100, count["spot"]) == (True, 0)
    (v100,) = ask("sql", "SELECT DISTINCT precision FROM hosting_requirement WHERE gpu = 'v100_sxm_32'")
    assert v100["precision"] == "fp16"


@pytest.mark.parametrize(("price", "volume"), [("10", 1.168e9), ("2.50", 4.672e9), ("0.50", 23.36e9)])
def test_break_even_volume_of_eight_h100(ask, price: str, volume: float) -> None:
    own = f"--gpu h100_sxm --gpus 8 --price 2 --input-per-output 0 --api-price {price}"
    (row,) = ask("buy", "70B", *own.split())
    assert row["break_even_tokens_per_month"] == pytest.approx(volume)
    assert row["reachable"] == (volume <= row["capacity_tokens_per_month"])


def test_listed_api_prices_name_their_page_and_list(ask) -> None:
    found = ask("buy", "Llama 3.1 70B")
    assert len(found) >= 3
    for row in found:
        assert row["pricing_url"].startswith("https://")
        assert row["list_version"].startswith("genai-prices ")
        blended = row["output_usd_per_million"] + 3 * row["input_usd_per_million"]
        assert row["usd_per_million_output"] == pytest.approx(blended)
    (other,) = ask("buy", "Llama 3.1 70B", "--api", "gpt-4o", "--limit", "1", "--tokens-per-month", "10B")
    assert other["api_bill_usd"] == pytest.approx(1e4 * other["usd_per_million_output"])
    assert other["cheaper"] == ("own" if other["own_bill_usd"] < other["api_bill_usd"] else "api")


def test_a_fine_tune_of_a_billion_tokens(ask) -> None:
    arguments = "finetune 7B --tokens 1B --method full --utilisation 0.35 --gpu h100_sxm --price 1.50"
    (row,) = ask(*arguments.split())
    assert row["gpu_hours"] - 0.25 * row["gpus"] == pytest.approx(33.7, abs=0.05)  # the rest is set-up
    assert row["usd_mid"] == pytest.approx(50.6, rel=0.02)
    methods = {row["method"] for row in ask("finetune", "70B")}
    assert methods == {"full", "lora", "qlora", "dpo"}


def test_the_size_that_is_cheapest_over_its_life(ask) -> None:
    found = {row["coefficients"]: row for row in ask("size", "--params", "13B", "--inference-tokens", "2T")}
    used = found["hoffmann_unrounded"]
    assert used["params"] == pytest.approx(6.97e9, rel=1e-3)
    assert used["tokens"] == pytest.approx(1.247e12, rel=1e-3)
    assert used["saved_flop"] == pytest.approx(1.692e22, rel=1e-3)
    shares = {name: round(row["saved_share"], 3) for name, row in found.items()}
    assert shares == {"hoffmann_printed": 0.101, "hoffmann_unrounded": 0.174, "epoch_2024": 0.290}


def test_the_size_for_a_budget_of_compute(ask) -> None:
    found = [row["tokens_per_parameter"] for row in ask("size", "--flop", "5.8e23")]
    assert found == pytest.approx([93, 55, 18, 20], rel=0.03)


def test_hours_imply_tokens_and_a_budget_implies_a_model(ask) -> None:
    (row,) = ask("afford", "--gpu-hours", "1.5M", "--params", "405B", "--utilisation", "0.4")
    assert row["tokens_mid"] == pytest.approx(0.88e12, rel=0.01)
    assert row["tokens_per_parameter"] == pytest.approx(2.2, abs=0.05)
    sizes = [ask("afford", "--budget", usd, "--gpu", "h100_sxm", "--price", "2")[0] for usd in ("1M", "4M")]
    assert sizes[1]["params_mid"] == pytest.approx(2 * sizes[0]["params_mid"])  # FLOP x 4 at 20 tokens a parameter


def test_what_ifs_of_one_estimate(ask) -> None:
    asked = ("what-if", "70B", "--price", "2", "--active-params", "10B", "--student-params", "8B")
    found = {row["variant"]: row for row in ask(*asked)}
    assert 0.5 < found["in FP8"]["hours_ratio"] < 1
    assert found["as a mixture"]["min_gpus"] == found["as it is"]["min_gpus"]
    assert found["as a mixture"]["hours_ratio"] == pytest.approx(10 / 70, rel=0.1)
    assert "teacher" in found["distilled"]["note"]


def test_what_takes_longer_than_the_longest_run_is_said_and_has_no_cost(ask, run) -> None:
    # 236 days on the one node of 8, and a third more for the passes of a teacher as large
    found = {row["variant"]: row for row in ask("what-if", "7B", "--provider", "lambda", "--student-params", "7B")}
    assert found["as it is"]["feasible"]
    late = found["distilled"]
    assert late["wall_days"] > 270
    assert (late["feasible"], late["compute_usd_mid"]) == (False, None)
    assert late["why_not"] == "takes 315 days on 8 GPUs; the longest sensible run is 270"
    for command in (
        "bill 13B --price 2",
        "what-if 13B --price 2",
        "own 13B",
        "phases 13B --price 2 --phase pretrain:2T",
    ):
        nothing = run(*command.split(), "--gpus", "8", "--format", "json")
        assert (nothing.exit_code, json.loads(nothing.stdout)) == (0, []), command
        assert "877 days on 8 GPUs; the longest sensible run is 270" in nothing.stderr, command
    for asked in ("13B --gpus 8", "7B --gpus 64 --deadline-days 20"):
        assert ask("estimate", *asked.split(), "--price", "2")["total_usd"] is None, asked
    assert all(row["wall_hours"] <= 270 * 24 for row in ask("finetune", "70B", "--tokens", "1T"))


def test_the_past_is_split_into_effects_that_multiply(ask, run) -> None:
    days = ("--on", "2024-12-31", "--on", "2025-12-31")
    then, later = ask("past", "7B", "--gpu", "a100_sxm_40", "--provider", "aws", *days)
    # p4d.24xlarge: 32.7726 USD an hour until the cut of June 2025, 21.9577 since
    assert then["usd_per_gpu_hour"] == pytest.approx(32.7726 / 8, abs=1e-3)
    assert then["price"] == pytest.approx(21.9577 / 32.7726, abs=1e-3)
    assert [then["hardware"], later["price"]] == pytest.approx([1, 1])
    for row in (then, later):
        assert row["all"] == pytest.approx(row["price"] * row["hardware"] * row["algorithm"])
    assert then["compute_usd_same_capability"] > then["compute_usd"]
    assert then["wall_days"] == pytest.approx(then["gpu_hours"] / then["gpus"] / 24)
    assert "final run USD" in run("past", "7B", "--on", "2025-12-31").stdout


def test_a_day_before_the_first_price_says_so(ask) -> None:
    (row,) = ask("past", "70B", "--on", "2010-01-01")
    assert (row["compute_usd"], row["note"]) == (None, "no feasible offer is known of that day")


def test_a_projection_is_a_fan(ask) -> None:
    found = ask("project", "7B", "--gpu", "h100_sxm", "--price", "3", "--years", "3")
    assert found[0]["usd_per_gpu_hour_mid"] == 3
    widths = [row["compute_usd_high"] / row["compute_usd_low"] for row in found]
    hours = ask("estimate", "7B", "--gpu", "h100_sxm")["gpu_hours"]  # of a price that is known, they are all of it
    assert widths[0] == pytest.approx(hours["high"] / hours["low"])
    assert all(earlier < later for earlier, later in pairwise(widths))
    assert all(row["basis"] for row in found)


def test_electricity_is_of_owned_hardware_alone(ask) -> None:
    bases = {row["basis"]: row for row in ask("own", "7B", "--on-demand", "3", "--reserved", "2", "--used", "0.5")}
    assert bases["rented"]["usd_per_gpu_hour"] == 3
    assert bases["reserved"]["usd_per_gpu_hour"] == 4
    assert (bases["rented"]["kwh"], bases["reserved"]["energy_usd"]) == (None, None)
    owned = bases["owned"]
    assert 1.0 < owned["kwh"] / owned["gpu_hours"] < 1.25  # an H100-hour, by its data centre
    assert owned["kg_co2"] == pytest.approx(owned["kwh"] * 0.370)


def test_a_commitment_and_a_server_are_shown_with_what_they_cost_in_all(ask, run) -> None:
    _, reserved, owned = ask("own", "7B")
    (offer,) = json.loads(
        run("sql", f"FROM price_now WHERE offer_key = '{reserved['offer_key']}'", "--format", "json").stdout
    )
    term = reserved["gpus"] * offer["term_months"] * 730 * offer["usd_per_gpu_hour"]
    assert reserved["commitment_usd"] == pytest.approx(term)
    used = f"the whole term of 12 months is paid, {reserved['usd_mid'] / term:.0%} of it used"
    assert used in reserved["detail"]
    # 44,489.88 USD of 29 September 2022, to be had since 19 December 2022, loses 0.14 orders of magnitude a year
    assert owned["server_usd"] == 44_489.88
    assert owned["server_value_usd"] < 0.35 * owned["server_usd"]
    assert f"worth {owned['server_value_usd']:,.0f} on" in owned["price_source"]


def test_what_is_owned_from_a_past_day_stands_beside_the_rents_of_that_day(ask) -> None:
    rented, reserved, owned = ask("own", "7B", "--on", "2024-06-01")
    assert rented["observed_at"] < "2024-06-02"
    assert (reserved["usd_mid"], reserved["gpus"]) == (None, None)
    assert "as of 2024-06-01" in reserved["price_source"]
    assert "on 2024-06-01" in owned["price_source"]


def test_the_bill_and_the_published_shares_stand_side_by_side(ask) -> None:
    found = ask("bill", "7B", "--price", "2", "--people", "4", "--salary", "300000", "--months", "6")
    lines = {row["name"]: row["value"] for row in found if row["part"] == "bill"}
    assert lines["people"] == 600_000
    assert lines["total"] == pytest.approx(sum(usd for name, usd in lines.items() if name != "total"))
    whole = {row["part"]: row["value"] for row in found if row["name"] == "total"}
    assert whole["shares, guide"] == pytest.approx(lines["compute"] / 0.65)
    people = {row["part"]: row["value"] / whole[row["part"]] for row in found if row["name"] == "people"}
    assert people["shares, guide"] < 0.15 < 0.29 < people["shares, measured"]


def test_one_run_has_one_offer_one_cluster_and_one_price(ask) -> None:
    """Hours, days and storage are of the cluster that is rented, whatever command is asked."""
    asked = ("70B", "--tokens", "15T")
    columns = ("offer_key", "gpus")
    (planned, *_) = ask("plan", *asked, "--kinds", "on_demand", "--gpu", "h100_sxm")
    one = [planned[name] for name in columns]
    bill = {row["name"]: row for row in ask("bill", *asked) if row["part"] == "bill"}
    phase = ask("phases", "70B", "--phase", "pretrain:15T")[-1]
    variant, rented, project = ask("what-if", *asked)[0], ask("own", *asked)[0], ask("project", *asked)[0]
    for row in (bill["compute"], phase, variant, rented, project):
        assert [row[name] for name in columns] == one
    for row in (bill["compute"], phase, variant, rented):
        assert row["wall_days"] == pytest.approx(planned["wall_days"])
    compute = planned["gpu_hours"] * planned["usd_per_gpu_hour"]
    told = [bill["compute"]["value"], phase["usd_mid"], variant["compute_usd_mid"], rented["usd_mid"]]
    assert [*told, project["compute_usd_mid"]] == pytest.approx([compute] * 5)
    stored = bill["checkpoints"]["value"] + bill["compute"]["value"] + bill["experiments"]["value"]
    assert stored + bill["egress"]["value"] == pytest.approx(planned["total_usd_mid"])


@pytest.mark.parametrize(("llm", "at"), [("1B", "crusoe"), ("1B", "voltagepark"), ("1T", "aws"), ("7B", "gcp spot")])
def test_an_estimate_on_an_offer_is_the_run_that_is_planned_and_billed_there(ask, llm: str, at: str) -> None:
    provider, _, kind = at.partition(" ")
    wishes = ("--provider", provider, "--kinds", kind or "on_demand", "--gpu", "h100_sxm", "--every-offer")
    planned = ask("plan", llm, *wishes)[0]
    asked = ("--offer-key", planned["offer_key"]) if kind else ("--provider", provider)
    found = ask("estimate", llm, *asked)
    assert (found["offer"]["offer_key"], found["gpus"]) == (planned["offer_key"], planned["gpus"])
    for figure in ("gpu_hours", "wall_days"):
        assert found[figure]["mid"] == pytest.approx(planned[figure])
    assert found["compute_usd"]["mid"] == pytest.approx(planned["gpu_hours"] * planned["usd_per_gpu_hour"])
    if not kind:
        (compute,) = [row for row in ask("bill", llm, *asked) if (row["part"], row["name"]) == ("bill", "compute")]
        assert (compute["value"], compute["gpus"]) == (pytest.approx(found["compute_usd"]["mid"]), found["gpus"])


def test_phases_are_priced_where_all_of_them_can_be_done(ask) -> None:
    long = ask("phases", "7B", "--phase", "pretrain:15T")[-1]  # of 1T it would be a single node, and take nine years
    assert long["wall_days"] == pytest.approx(long["gpu_hours_mid"] / long["gpus"] / 24)
    assert long["wall_days"] <= 270


def test_a_cluster_that_is_asked_for_is_joined_where_it_is_priced(ask, run) -> None:
    (row, *_) = ask("what-if", "7B", "--gpus", "512")
    (offer,) = json.loads(
        run("sql", f"FROM price_now WHERE offer_key = '{row['offer_key']}'", "--format", "json").stdout
    )
    assert (row["gpus"], offer["fabric"]) == (512, "multi_node")
    assert "60 GPUs are asked for" in run("what-if", "7B", "--provider", "lium", "--gpus", "60").stderr


def test_people_stay_as_long_as_the_run(ask) -> None:
    lines = {row["name"]: row for row in ask("bill", "7B", "--people", "3") if row["part"] == "bill"}
    assert lines["people"]["value"] == pytest.approx(3 * 300_000 * lines["compute"]["wall_days"] * 24 / 730 / 12)


def test_phases_add_up(ask) -> None:
    arguments = "phases 70B --price 2 --phase pretrain:15T --phase context_extension:800B:131072 --phase rl:1B:20B"
    *parts, whole = ask(*arguments.split())
    for figure in ("flop", "gpu_hours_mid", "usd_mid"):
        assert whole[figure] == pytest.approx(math.fsum(part[figure] for part in parts))
    pretrain, extension, _ = parts
    assert extension["flop"] / extension["tokens"] > 2 * pretrain["flop"] / pretrain["tokens"]


@pytest.mark.parametrize(
    ("gpus", "hours", "minutes", "loss"),
    [(512, 98.9, 77, 0.015), (2048, 24.7, 38, 0.033), (8192, 6.2, 19, 0.079), (16_384, 3.1, 14, 0.127)],
)
def test_failures_of_large_runs(ask, gpus: int, hours: float, minutes: float, loss: float) -> None:
    row = next(row for row in ask("reliability", "--gpus", str(gpus)) if row["stopped_by"] == "failures")
    assert row["mtbf_hours"] == pytest.approx(hours, rel=0.01)
    assert row["minutes_between_saves"] == pytest.approx(minutes, abs=0.6)
    assert row["loss"] == pytest.approx(loss, abs=0.0006)


def test_a_commitment_in_a_falling_market(ask) -> None:
    (row,) = ask("commitment", "--on-demand", "4", "--reserved", "2.4", "--years", "3", "--decline", "0.2")
    assert row["break_even_use"] == pytest.approx(0.6)
    assert row["highest_price_to_lock_usd"] == pytest.approx(0.73 * 4, abs=0.01)


COMMANDS = (
    "plan 7B", "claims", "finetune 7B", "host 7B", "buy Phi-2 --api-price 1", "size --flop 1e22",
    "afford --budget 100K", "what-if 7B", "past 7B --on 2026-08-22", "project 7B", "own 7B", "bill 7B",
    "phases 7B --phase finetune:1B", "reliability --gpus 64", "commitment --on-demand 2 --reserved 1",
    "estimate --params 7B --tokens 1T --price 2", "tables", "sources",
)  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_prints_for_people_and_for_programs(run, command: str) -> None:
    arguments = command.split()
    told = {style: run(*arguments, "--format", style) for style in ("table", "csv", "json", "md")}
    for style, result in told.items():
        assert result.exit_code == 0, (style, result.output)
        assert result.stdout.strip(), style
    assert list(csv.DictReader(io.StringIO(told["csv"].stdout)))
    assert json.loads(told["json"].stdout)
    assert "| --- |" in told["md"].stdout or "|---|" in told["md"].stdout


def test_a_table_in_a_file_is_as_wide_as_its_rows(run) -> None:
    lines = [line for line in run("claims").stdout.splitlines() if line.strip()]
    assert len(lines) == len(claims()) + 2  # a heading and a rule; no row is broken
    assert max(map(len, lines)) > 200
    assert "e+" not in "".join(lines)
    assert "2,020" not in "".join(lines)
    assert "1,000,000 to 1,000,000,000" in next(line for line in lines if line.lstrip().startswith("A-2 "))


def test_a_saved_response_is_parsed_into_rows(run) -> None:
    (page,) = (RECORDED / "lambda" / "2026-08-22").iterdir()
    offers = json.loads(run("parse", "lambda", str(page)).stdout)["offers"]
    rows = list(csv.DictReader(io.StringIO(run("parse", "lambda", str(page), "--format", "csv").stdout)))
    assert [row["sku"] for row in rows] == [offer["sku"] for offer in offers]
    assert run("parse", "lambda", str(page), "--format", "table").exit_code == 0


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("plan 7BB", "did you mean 7B"),
        ("host GPT-4", "KV heads"),
        ("finetune 7B --price 2", "--gpu"),
        ("buy 7B", "no API lists a price"),
        ("buy 7B --api gpt-none-such", "did you mean"),
        ("plan 7B --provider nobody", "no source is called 'nobody'"),
        ("plan 7B --deadline-days nan", "finite"),
        ("host 7B --gpu h2000", "h200"),
        ("size", "--flop or --params"),
        ("afford --budget -5 --gpu h100_sxm --price 2", "not an amount"),
        ("phases 7B --phase dreaming:1B", "pretrain"),
        ("plan 7B --kinds leased", "on_demand"),
        ("host 7B --kinds spot", "reserved"),
        ("past 7B --on 22.08.2026", "2026-08-01"),
    ],
)
def test_what_cannot_be_asked_is_said_in_one_line(run, command: str, said: str) -> None:
    result = run(*command.split())
    assert result.exit_code != 0
    told = result.stderr.splitlines()[-1] if result.stderr else str(result.exception.args[0])
    assert said in told
    assert "\n" not in told


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("project 13B --gpu h100_sxm --provider akash", "can train"),
        ("what-if 405B --gpu h100_sxm --provider akash", "can train"),
        ("bill 405B --gpu h100_sxm --provider akash", "can train"),
        ("past 405B --provider akash", "no feasible offer"),
        ("estimate 7B --gpu b200 --provider akash", "no offer of b200"),
        ("host 405B --gpu t4 --price 1 --gpus 4", "x t4 at least, 4 are given"),
        ("host 405B --provider akash --gpu t4", "no offer"),
        ("buy Llama-3.1-405B --gpu h100_sxm --provider akash", "no offer"),
        ("afford --budget 100K --provider akash --gpu t4", "no offer"),
        ("finetune 405B --provider akash --gpu t4", "no offer"),
    ],
)
def test_nothing_fits_is_an_answer_with_its_reason(run, command: str, why: str) -> None:
    result = run(*command.split(), "--format", "json")
    assert (result.exit_code, json.loads(result.stdout)) == (0, []), result.exception
    assert why in result.stderr


def test_an_estimate_of_a_model_is_the_one_of_its_parameters_and_tokens(ask) -> None:
    named = ask("estimate", "70b", "--gpu", "h100_sxm", "--price", "2.50")
    spelt = ask("estimate", "--params", "70B", "--tokens", "15T", "--gpu", "h100_sxm", "--price", "2.50")
    assert named == spelt
    experts = ask("estimate", "DeepSeek-V3", "--gpu", "h800")
    assert (experts["params_total"], experts["params_active"]) == (671_000_000_000, 37_000_000_000)
    assert experts["tokens"] == 14_800_000_000_000
    assert ask("estimate", "7B", "--tokens", "2T")["tokens"] == 2_000_000_000_000


def test_an_estimate_says_how_likely_it_is_late(ask) -> None:
    late = ask("estimate", "7B", "--gpus", "64", "--deadline-days", "40")
    days = late["wall_days"]
    assert days["mid"] < 40 < days["high"]
    (note,) = [note for note in late["notes"] if "chance" in note]
    assert 10 < int(note.partition("%")[0]) < 50
    held = int(note.partition("some ")[2].partition(" ")[0].replace(",", ""))
    assert not ask("estimate", "7B", "--gpus", str(held + 1), "--deadline-days", "40")["notes"]


PRICED = (
    "finetune 7B", "host 70B", "afford --budget 1M", "buy Llama-3.1-70B", "plan 7B", "bill 7B", "what-if 7B",
    "past 7B --on 2026-08-22",
    "phases 7B --phase pretrain:1T", "project 7B", "cost 7B", "offers --gpu h200", "estimate 7B --provider oci",
)  # fmt: skip


@pytest.mark.parametrize("command", PRICED)
def test_a_cost_names_its_offer_and_the_page_of_its_price(run, ask, command: str) -> None:
    found = ask(*command.split())
    for row in [found["offer"]] if isinstance(found, dict) else found:
        assert row["sku"]
        assert row["offer_key"]
        assert (len(row["page_sha256"]), row["page_url"][:4], row["origin"]) == (64, "http", "recorded")
        assert row["observed_at"] > "2024"
    if command not in PRICED[:4]:
        return
    printed = run(*command.split()).stdout
    assert " offer " in printed
    assert any((readable(row["sku"]) or readable(row["region"])) in printed for row in found)
