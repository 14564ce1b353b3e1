"""What has to be taken, and what ends, in the answers of the commands: clusters of Lambda, terms, hosts of Vast.ai."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

# recorded: 1-Click clusters take two weeks at least (lambda.ai/pricing, 2026-08-22), 16 H100 at 6.16 USD an hour
TWO_WEEKS_OF_16 = 16 * 336 * 6.16


def test_an_estimate_quotes_what_has_to_be_paid_and_not_what_is_used(ask, run) -> None:
    (offer,) = ask(
        "sql", "FROM price_now WHERE provider = 'lambda' AND usd_per_gpu_hour = 6.16 AND minimum_hours = 336"
    )
    found = ask("estimate", "1B", "--tokens", "20B", "--offer-key", offer["offer_key"])
    assert found["total_usd"]["high"] < 3_000
    assert found["due_usd"] == {end: pytest.approx(TWO_WEEKS_OF_16, abs=1) for end in ("low", "mid", "high")}
    assert found["uncertainty"]["quote"] == "due_usd"
    shown = run("estimate", "1B", "--tokens", "20B", "--offer-key", offer["offer_key"]).stdout
    (quoted,) = (line for line in shown.splitlines() if "the one to quote" in line)
    assert "33,116" in quoted
    by_the_hour = ask("estimate", "1B", "--tokens", "20B", "--provider", "lambda")
    assert (by_the_hour["due_usd"], by_the_hour["uncertainty"]["quote"]) == (None, "monte_carlo")


def test_what_is_due_takes_as_many_terms_as_the_long_run_needs(ask) -> None:
    (plan, *_) = ask(
        "plan", "7B", "--gpu", "h100", "--provider", "verda", "--pricing", "reserved", "--experiments", "3"
    )
    due = ask("estimate", "7B", "--offer-key", plan["offer_key"], "--overhead", "3", "--gpus", str(plan["gpus"]))[
        "due_usd"
    ]
    assert due["low"] <= due["mid"] <= due["high"]
    terms = {end: plan[f"total_usd_{end}"] for end in due}
    for end in due:  # the plan adds storage and what leaves
        assert due[end] < terms[end] < due[end] + 2_000


@pytest.mark.parametrize(
    ("asked", "experiments"),
    [
        (("7B", "--gpu", "h100", "--pricing", "reserved"), "3"),
        (("7B", "--gpu", "h100", "--pricing", "reserved"), "10"),
    ],
)
def test_a_bill_is_of_the_offer_that_is_cheapest_with_its_experiments(ask, asked, experiments: str) -> None:
    """It took the offer that is cheapest with 1.4 of the run, and failed where that ends too soon for more."""
    best = ask("plan", *asked, "--experiments", experiments)[0]
    bill = ask("bill", *asked, "--experiments", experiments)
    (total,) = (row["value"] for row in bill if (row["part"], row["name"]) == ("bill", "total"))
    (data_set,) = (row["value"] for row in bill if (row["part"], row["name"]) == ("bill", "data set"))
    assert best["feasible"]
    assert total - data_set == pytest.approx(best["total_usd_mid"])  # a plan keeps no data set


def test_the_past_has_no_offer_that_ended_before_the_day(ask) -> None:
    """Of today it took a host's offer as it was last seen, of yesterday none: a fall of the price that never was."""
    earlier, later = ask(
        "past", "1B", "--provider", "vast", "--gpu", "h100_sxm", "--on", "2026-08-01", "--on", "2026-10-20"
    )
    assert earlier["provider"] == "vast"
    assert (later["provider"], later["note"]) == (None, "no feasible offer is known of that day")
    assert earlier["all"] is None
    assert "no factors" in earlier["note"]


def test_an_offer_that_has_ended_is_not_offered(ask, run) -> None:
    """Of recordings of July it ranked hosts first that took their machines back in August."""
    (known,) = ask("sql", "SELECT count(*) AS n, count_if(offered_until < today()) AS ended FROM price_now")
    assert known["ended"]
    offered = run("offers", "--format", "json")
    assert len(json.loads(offered.stdout)) == known["n"] - known["ended"]
    assert f"ended since the look: {known['ended']} offers" in run("offers").stdout
    today = f"{datetime.now(UTC).date()}"
    for command in (("finetune", "7B"), ("host", "7B"), ("buy", "Llama-3.1-70B"), ("plan", "1B", "--every-offer")):
        told = [row for row in ask(*command, "--provider", "vast") if row.get("feasible", True)]
        assert all((row["offered_until"] or today) >= today for row in told), command
