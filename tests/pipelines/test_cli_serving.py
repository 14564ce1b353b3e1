"""Commands of sizes, fine-tuning and serving: published figures to the digit, and the recorded ledger."""

from __future__ import annotations

import math

import pytest


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


@pytest.mark.parametrize(("provider", "kind"), [("runpod", "on_demand"), ("azure", "reserved")])
def test_host_and_buy_answer_a_volume_with_the_same_gpus_and_bill(ask, provider: str, kind: str) -> None:
    asked = f"Llama-3.1-70B --provider {provider} --pricing {kind} --tokens-per-month 50B".split()
    served, bought = ask("host", *asked)[0], ask("buy", *asked)[0]
    assert served["output_tokens_per_month"] >= 50e9
    # as much input as is usual goes through the same GPUs, and they are used as much as is usual
    seconds = 50e9 * (1 / served["output_tokens_per_second"] + 3 / served["input_tokens_per_second"])
    assert seconds <= 0.4 * 730 * 3600
    for same in ("offer_key", "rented_gpus", "replicas", "commitment_usd", "used", "input_per_output"):
        assert served[same] == bought[same]
    assert served["bill_usd_per_month"] == served["monthly_usd"] == bought["own_bill_usd"]
    assert served["monthly_usd"] == pytest.approx(served["rented_gpus"] * 730 * served["usd_per_gpu_hour"])
    due = max(served["monthly_usd"], served["commitment_usd"] or 0)
    if kind == "reserved":
        assert due == pytest.approx(served["monthly_usd"] * served["term_months"])  # of all that is rented
    assert bought["cheaper"] == ("own" if due < bought["api_bill_usd"] else "api")
    assert (bought["break_even_tokens_per_month"] < 50e9) == (bought["cheaper"] == "own")
    used = ask("buy", *asked, "--rest-of-term-used")[0]
    assert used["cheaper"] == ("own" if used["own_bill_usd"] < used["api_bill_usd"] else "api")


@pytest.mark.parametrize("command", ["host", "buy"])
def test_one_machine_is_rented_once(ask, run, command: str) -> None:
    """It rented 110 H100 of a host of Vast.ai that has four, and 372 L40S of a machine of Lium."""
    llm, much = "Llama-3.1-70B", ("--tokens-per-month", "100B")
    for provider in ("vast", "lium"):
        listed = ask(
            "sql", f"SELECT gpu, max(gpu_count) AS most FROM price_now WHERE provider = '{provider}' GROUP BY gpu"
        )
        most = {row["gpu"]: float(row["most"]) for row in listed}
        little = ask(command, llm, "--provider", provider, "--tokens-per-month", "1M")
        assert all(row["rented_gpus"] <= most[row["gpu"]] for row in little)
        assert "single machines with too few GPUs" in run(command, llm, "--provider", provider, *much).stderr


def test_no_fewer_gpus_are_rented_than_are_sold(ask) -> None:
    (row,) = ask("host", "1T", "--provider", "lambda")
    sold = {one["offer_key"]: one["minimum_gpus"] for one in ask("sql", "FROM price_now WHERE provider = 'lambda'")}
    assert row["rented_gpus"] >= sold[row["offer_key"]] > row["replica_gpus"]
    for job in ask("finetune", "1T", "--provider", "lambda"):
        assert job["gpus"] >= (sold[job["offer_key"]] or 1)


@pytest.mark.parametrize(
    "command",
    ["plan 7B", "cost 7B", "offers", "afford --budget 1M", "finetune 7B", "host 7B", "past 7B", "bill 7B --gpu mi300x"],
)
def test_every_command_takes_kinds_of_price_by_one_name_and_by_its_earlier_one(run, command: str) -> None:
    asked = [*command.split(), "--provider", "azure", "--format", "json"]
    found = [run(*asked, option, "reserved").stdout for option in ("--pricing", "--kinds")]
    assert found[0] == found[1] != run(*asked, "--pricing", "on_demand").stdout
    told = run(command.split()[0], "--help").stdout
    assert ("--pricing " in told, "--kinds" in told) == (True, False)


def test_a_fine_tune_of_a_billion_tokens(ask) -> None:
    arguments = "finetune 7B --tokens 1B --method full --utilisation 0.35 --gpu h100_sxm --price 1.50"
    (row,) = ask(*arguments.split())
    assert row["gpu_hours"] - 0.25 * row["gpus"] == pytest.approx(33.7, abs=0.05)  # the rest is set-up
    assert row["usd_mid"] == pytest.approx(50.6, rel=0.02)
    methods = {row["method"] for row in ask("finetune", "70B")}
    assert methods == {"full", "lora", "qlora", "dpo"}


@pytest.mark.parametrize(
    "command", ["finetune 7B --method lora", "host 7B", "buy Llama-3.1-70B", "afford --budget 100K"]
)
def test_a_term_that_has_to_be_taken_is_paid_to_its_end(ask, command: str) -> None:
    found = ask(*command.split(), "--pricing", "reserved")
    assert found
    for row in found:
        rented = row.get("rented_gpus") or row["gpus"]
        term = rented * row["term_months"] * 730 * row["usd_per_gpu_hour"]
        assert row["commitment_usd"] / term == pytest.approx(round(row["commitment_usd"] / term))
        assert row["commitment_usd"] <= row.get("budget_usd", math.inf)
        if "budget_usd" in row:  # pays the run and its experiments
            needed = 1.4 * row["gpu_hours"] * row["usd_per_gpu_hour"]
            assert row["commitment_usd"] >= needed * (1 - 1e-6)
        if row["provider"] == "verda" and "budget_usd" not in row:  # for 1 to 12 months, the longer the cheaper
            assert row["term_months"] < 12


@pytest.mark.parametrize("command", ["afford --budget 100K", "finetune 405B --tokens 100B", "finetune 405B"])
def test_where_a_block_is_too_short_the_others_answer(ask, command: str) -> None:
    both, blocks = (
        ask(*command.split(), "--pricing", kinds) for kinds in ("capacity_block,on_demand", "capacity_block")
    )
    assert {row["pricing"] for row in both} >= {"on_demand"}
    assert blocks
    for row in blocks:  # of Google, for 90 days at most
        assert row.get("wall_days", 0) <= 90
        assert row.get("wall_hours", 0) <= 90 * 24
        assert 0 < row["commitment_usd"] <= row.get("budget_usd", math.inf)


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
