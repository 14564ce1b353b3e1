"""One run asked in other ways: variants, the past, a projection, owned or rented, a bill, phases, failures."""

from __future__ import annotations

import json
import math
from itertools import pairwise

import pytest


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
    with_experiments = 1.4 * reserved["usd_mid"]
    assert offer["term_months"] == 1  # of longer ones more is to be taken than 11 months
    assert reserved["commitment_usd"] == pytest.approx(math.ceil(with_experiments / term) * term)
    used = with_experiments / reserved["commitment_usd"]
    assert f"11 terms of 1 month are paid, {used:.0%} of them used" in reserved["detail"]
    assert "the whole term of 12 months" in ask("own", "7B", "--gpus", "64")[1]["detail"]  # not the cheaper 36
    # 44,489.88 USD of 29 September 2022, to be had since 19 December 2022, loses 0.14 orders of magnitude a year
    assert owned["server_usd"] == 44_489.88
    assert owned["server_value_usd"] < 0.35 * owned["server_usd"]
    assert f"worth {owned['server_value_usd']:,.0f} on" in owned["price_source"]
    # bought for the run: every server, and the network that is 19% of what a cluster costs
    assert owned["commitment_usd"] == pytest.approx(owned["gpus"] * owned["server_value_usd"] / 0.81)


def test_what_is_owned_from_a_past_day_stands_beside_the_rents_of_that_day(ask) -> None:
    rented, reserved, owned = ask("own", "7B", "--on", "2024-06-01")
    assert rented["observed_at"] < "2024-06-02"
    assert (reserved["usd_mid"], reserved["gpus"]) == (None, None)
    assert "as of 2024-06-01" in reserved["price_source"]
    assert "on 2024-06-01" in owned["price_source"]


def test_what_is_owned_is_the_card_whose_server_is_priced(ask) -> None:
    """Of `h100` it took the speed of the PCIe card and the price of a server of SXM cards."""
    family, card, pcie = (ask("own", "7B", "--gpu", gpu)[2] for gpu in ("h100", "h100_sxm", "h100_pcie"))
    assert (family["gpu"], family["usd_mid"]) == (card["gpu"], card["usd_mid"])
    assert (pcie["usd_mid"], pcie["commitment_usd"]) == (None, None)


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
    (planned, *_) = ask("plan", *asked, "--pricing", "on_demand", "--gpu", "h100_sxm")
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
    wishes = ("--provider", provider, "--pricing", kind or "on_demand", "--gpu", "h100_sxm", "--every-offer")
    planned = ask("plan", llm, *wishes)[0]
    asked = ("--offer-key", planned["offer_key"]) if kind else ("--provider", provider)
    found = ask("estimate", llm, *asked)
    assert (found["offer"]["offer_key"], found["gpus"]) == (planned["offer_key"], planned["gpus"])
    for figure in ("gpu_hours", "wall_days"):
        assert found[figure]["mid"] == pytest.approx(planned[figure])
    assert found["compute_usd"]["mid"] == pytest.approx(planned["gpu_hours"] * planned["usd_per_gpu_hour"])
    (cost,) = ask("cost", llm, "--provider", provider, "--gpu", "h100_sxm", "--pricing", kind or "on_demand")
    for end in ("low", "mid", "high"):  # P10, median and P90, of `plan` with what is stored and leaves
        totals = [row[f"total_usd_{end}"] for row in (cost, planned)]
        assert totals == pytest.approx([found["total_usd"][end]] * 2, rel=5e-3), end
    if kind:  # of others there are offers of one price and several sizes
        assert cost["wall_days"] == pytest.approx(planned["wall_days"])
    if not kind:
        (compute,) = [row for row in ask("bill", llm, *asked) if (row["part"], row["name"]) == ("bill", "compute")]
        assert (compute["value"], compute["gpus"]) == (pytest.approx(found["compute_usd"]["mid"]), found["gpus"])


@pytest.mark.parametrize(
    ("llm", "provider", "kind"),
    [("7B", "gcp", "reserved"), ("70B", "latitude", "reserved"), ("1B", "verda", "reserved"),
     ("1B", "hetzner", "on_demand"), ("70B", "gcp", "capacity_block")],
)  # fmt: skip
def test_what_has_to_be_taken_is_one_sum_in_every_command(ask, llm: str, provider: str, kind: str) -> None:
    (cost,) = ask("cost", llm, "--provider", provider, "--pricing", kind)
    at = ("--offer-key", cost["offer_key"])
    planned = ask("plan", llm, "--provider", provider, "--pricing", kind, "--every-offer")
    (plan,) = [row for row in planned if row["offer_key"] == cost["offer_key"]]
    estimate, steps = ask("estimate", llm, *at, "--explain"), ask("bill", llm, *at)
    (compute,) = [row for row in steps if (row["part"], row["name"]) == ("bill", "compute")]
    (explained,) = [row for row in estimate["explanation"] if row["name"] == "commitment_usd"]
    assert cost["commitment_usd"] >= 1.4 * cost["usd_per_gpu_hour"] * cost["gpu_hours"] * (1 - 1e-3)
    assert plan["bill"].startswith(f"compute {cost['commitment_usd']:,.0f}; ")
    told = [estimate["commitment_usd"], explained["value"], compute["value"]]
    assert told == pytest.approx([cost["commitment_usd"]] * 3, abs=1)
    chosen = ask("bill", llm, "--provider", provider, "--pricing", kind, "--gpu", cost["gpu"])[0]
    assert (chosen["name"], chosen["value"]) == ("compute", pytest.approx(cost["commitment_usd"], rel=1e-2))
    best = min(row["total_usd_mid"] for row in planned if row["feasible"])
    assert plan["total_usd_mid"] == pytest.approx(best, rel=1e-2)


def test_the_past_pays_what_interruptions_lose_and_says_what_is_to_be_taken(ask) -> None:
    for llm, kind in (("13B", "spot"), ("7B", "reserved")):
        now = ask("past", llm, "--pricing", kind)[-1]
        (cost,) = [row for row in ask("cost", llm, "--pricing", kind) if row["offer_key"] == now["offer_key"]]
        assert now["compute_usd"] * 1.4 == pytest.approx(cost["total_usd_mid"], abs=1)
        assert now["wall_days"] == pytest.approx(cost["wall_days"])
        assert now["commitment_usd"] == (cost["commitment_usd"] and pytest.approx(cost["commitment_usd"], abs=1))


def test_a_block_too_short_for_the_run_says_so(ask) -> None:
    (cost,) = ask("cost", "405B", "--pricing", "capacity_block")
    assert (cost["feasible"], cost["commitment_usd"]) == (False, None)
    planned = ask("plan", "405B", "--provider", "gcp", "--every-offer")
    (plan,) = [row for row in planned if row["offer_key"] == cost["offer_key"]]
    for row in (cost, plan, ask("estimate", "405B", "--offer-key", cost["offer_key"])):
        assert row["why_not"] == "a capacity block ends after 90 days; the run takes 160"


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
