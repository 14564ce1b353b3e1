"""`--country`: the same wish in every command that chooses among offers."""

from __future__ import annotations

import csv
import json

import pytest
from click.testing import CliRunner

from pipelines.cli import cli


def test_cost_in_a_country_is_of_offers_there(run) -> None:
    found = json.loads(run("cost", "7B", "--country", "fr", "--format", "json").stdout)
    assert found
    assert {row["country"] for row in found} == {"FR"}


def test_countries_are_a_list_or_a_group_and_one_without_offers_is_said(run) -> None:
    def countries(*arguments: str) -> set[str]:
        found = json.loads(run(*arguments, "--format", "json").stdout)
        return {row["country"] for row in found if row.get("feasible", True)}

    listed = run("offers", "--country", "de,UU,FR", "--format", "json")
    assert {row["country"] for row in json.loads(listed.stdout)} == {"DE", "FR"}
    assert "nothing is offered in UU" in listed.stderr
    union = countries("offers", "--country", "EU")
    assert {"DE", "FI", "FR"} < union
    assert not {"CH", "GB", "IS", "NO", "US"} & union
    assert countries("offers", "--country", "EEA") - union <= {"IS", "LI", "NO"}
    assert countries("cost", "7B", "--country", "EU") | countries("plan", "7B", "--country", "EU") <= union
    refused = CliRunner().invoke(cli, ["offers", "--country", "UU"])
    named = refused.stderr.rpartition("there are ")[2].strip().split(", ")
    assert named == sorted(named)


@pytest.mark.parametrize(
    "asked", ["afford --budget 1M", "finetune 7B", "host 7B", "buy Llama-3.1-70B", "past 7B --on 2026-11-01"]
)
def test_a_command_that_compares_offers_takes_those_of_a_country(run, asked: str) -> None:
    anywhere, there = (
        json.loads(run(*asked.split(), *where, "--format", "json").stdout) for where in ((), ("--country", "FR"))
    )
    told = {(row["provider"], row["region"]) for row in there}
    assert told
    assert told != {(row["provider"], row["region"]) for row in anywhere}
    known = json.loads(
        run("sql", "SELECT DISTINCT provider, region FROM price_now WHERE country = 'FR'", "--format", "json").stdout
    )
    assert told <= {(row["provider"], row["region"]) for row in known}


@pytest.mark.parametrize("command", ["bill", "what-if", "project"])
def test_a_command_on_one_run_rents_it_in_the_country_and_says_what_it_leaves_out(run, command: str) -> None:
    done = run(command, "7B", "--country", "FR", "--format", "json")
    assert "do not say their country" in done.stderr
    assert "scaleway, H100-SXM-8-80G in fr-par-2" in done.stdout
    refused = CliRunner().invoke(cli, [command, "7B", "--country", "UU"])
    assert refused.exit_code == 2
    assert "nothing is offered in UU" in refused.stderr


def test_where_nothing_fits_in_a_country_it_is_named(run) -> None:
    nowhere = run("bill", "7B", "--country", "CH")
    assert "no on_demand offer of h100_sxm in CH can train 7B" in nowhere.stderr
    one = CliRunner().invoke(cli, ["bill", "7B", "--country", "FR", "--offer-key", "a"])
    assert one.exit_code == 2


@pytest.mark.parametrize(
    "asked",
    ["bill 7B", "what-if 7B", "project 7B", "afford --budget 1M --gpu h100", "host 7B --gpu h100", "estimate 7B"],
)
def test_a_price_by_hand_is_of_no_provider(run, asked: str) -> None:
    """It was taken, and the provider left out without a word."""
    refused = CliRunner().invoke(cli, [*asked.split(), "--price", "2", "--provider", "lambda"])
    assert refused.exit_code == 2
    assert "--price is given by hand" in refused.stderr


@pytest.mark.parametrize(
    "asked", ["offers", "plan 7B --every-offer", "finetune 7B", "host 7B", "past 7B", "bill 7B", "project 7B"]
)
def test_how_many_offers_say_no_country_is_said_of_those_asked_for(run, asked: str) -> None:
    there = run(*asked.split(), "--country", "EU", "--gpu", "h100_sxm", "--provider", "verda", "--format", "json")
    query = "SELECT count(*) AS n FROM price_now WHERE provider = 'verda' AND gpu = 'h100_sxm' AND country IS NULL"
    priced = "" if asked.split()[0] in ("offers", "plan") else " AND pricing = 'on_demand'"
    ((unplaced,),) = csv.reader(run("sql", query + priced, "--format", "csv").stdout.splitlines()[1:])
    assert f"{int(unplaced):,} more, of verda, do" in there.stderr
