"""What holds for every command: it prints for people and programs, and says in one line what it cannot do."""

from __future__ import annotations

import csv
import io
import json

import pytest

from models.claims.table import claims
from models.offer_names import readable
from sources.pages import RECORDED

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
        ("plan 7B --pricing leased", "on_demand"),
        ("host 7B --kinds spot", "reserved"),
        ("past 7B --on 22.08.2026", "2026-08-01"),
        ("cost 13B --tokens 2T", "`gpuledger plan` takes it (also estimate, bill, what-if, own)"),
        ("size --budget 1M", "`gpuledger afford` takes it"),
        ("plan 7B --pricin spot", "Did you mean '--pricing'?"),
        ("offers --kind spot", "No such option '--kind'."),
    ],
)
def test_what_cannot_be_asked_is_said_in_one_line(run, command: str, said: str) -> None:
    result = run(*command.split(), catch_exceptions=True)
    assert result.exit_code != 0
    told = result.stderr.splitlines()[-1] if result.stderr else str(result.exception.args[0])
    assert said in told
    assert "\n" not in told
    assert "--kinds" not in told  # an earlier name, which no help tells


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


PRICED = (
    "finetune 7B", "host 70B", "afford --budget 1M", "buy Llama-3.1-70B", "plan 7B", "cost 7B", "bill 7B", "what-if 7B",
    "past 7B --on 2026-08-22",
    "phases 7B --phase pretrain:1T", "project 7B", "offers --gpu h200", "estimate 7B --provider oci",
)  # fmt: skip


@pytest.mark.parametrize("command", PRICED)
def test_a_cost_names_its_offer_and_the_page_of_its_price(run, ask, command: str) -> None:
    found = ask(*command.split())
    for row in [found["offer"]] if isinstance(found, dict) else found:
        assert row["sku"]
        assert row["offer_key"]
        assert (len(row["page_sha256"]), row["page_url"][:4], row["origin"]) == (64, "http", "recorded")
        assert row["observed_at"] > "2024"
    if command not in PRICED[:6]:
        return
    printed = run(*command.split()).stdout
    assert " offer " in printed
    assert any((readable(row["sku"]) or readable(row["region"])) in printed for row in found)
