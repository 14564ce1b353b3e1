"""Plans, estimates and claims: published figures to the digit, and the recorded ledger as people ask it."""

from __future__ import annotations

import re

import pytest

from models.claims.table import claims


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
    wishes = ("--deadline-days", "40", "--budget", "1M", "--country", "us,NO", "--pricing", "on_demand")
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
        found = ask("plan", "7B", "--pricing", "reserved", "--every-offer", *more)
        return {row["offer_key"]: row for row in found if row["feasible"] and row["term_months"]}

    whole, used = plans(), plans("--rest-of-term-used")
    assert whole.keys() & used.keys()
    for key in whole.keys() & used.keys():
        row = whole[key]
        term = row["gpus"] * row["term_months"] * 730 * row["usd_per_gpu_hour"]
        assert row["total_usd_mid"] >= term * 0.999
        assert used[key]["total_usd_mid"] <= row["total_usd_mid"] * 1.001


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
    assert found["gpus"] <= 8  # and its days are those on what can be joined there
    assert found["wall_days"]["mid"] == pytest.approx(found["gpu_hours"]["mid"] / found["gpus"] / 24)
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
    sellers = "|".join(run("sql", "SELECT DISTINCT provider FROM price_now", "--format", "csv").stdout.split()[1:])
    told = re.findall(
        rf"\b({sellers}), [^:]+: ([\d.]+) USD per GPU-hour on demand, seen (\S+) \(recorded\), \S+ \(page (\w+)\)",
        " ".join(run(*command.split()).stdout.split()),  # in lines as wide as the table
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


def test_plans_are_counted_among_those_asked_for(run, ask) -> None:
    asked = ("plan", "7B", "--pricing", "on_demand", "--country", "US", "--every-offer")
    wanted = [row for row in ask(*asked) if row["pricing"] == "on_demand" and row["country"] == "US"]
    feasible = sum(row["feasible"] for row in wanted)
    title = run(*asked).stdout.splitlines()[0]
    assert f": {feasible:,} of {len(wanted):,} plans asked for feasible" in title
