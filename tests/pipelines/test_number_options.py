"""Whatever number is given to whatever option: an answer in finite figures, or one line in the words of the field."""

from __future__ import annotations

import re

import click
import pytest
from click.testing import CliRunner

from pipelines.cli import cli
from pipelines.commands.inputs import Count, Experiments, Money, Number

NUMBERS = (click.types.IntRange, click.types.IntParamType, Number, Money, Count, Experiments)
ABSURD = (
    "1e-320",
    "1e-300",
    "1e-9",
    "0",
    "1",
    "-1",
    "1e9",
    "1e18",
    "9223372036854775807",
    "9" * 40,
    "1e308",
    "nan",
    "inf",
)
# what a command needs beside the option that is tried; prices by hand, so that no ledger is asked
ASKED = {
    "estimate": "--price 2 --params 7B --tokens 1T --layers 32 --width 4096 --seq-len 4096",
    "size": "--params 7B --inference-tokens 1T",
    "afford": "--gpu h100_sxm --price 2 --budget 1M",
    "what-if": "7B --price 2",
    "phases": "7B --price 2 --phase finetune:1B",
    "reliability": "--gpus 64",
    "commitment": "--on-demand 2 --reserved 1",
    "own": "7B --on-demand 2 --reserved 1",
    "bill": "7B --price 2",
    "finetune": "7B --gpu h100_sxm --price 2 --method lora",
    "host": "7B --gpu h100_sxm --price 2",
    "buy": "7B --gpu h100_sxm --price 2 --api-price 1",
    "project": "7B",
    "past": "7B",
    "plan": "7B",
    "cost": "7B",
    "offers": "",
}
NO_LEDGER = "no published ledger"
CONTEXT = click.Context(cli)
ENDLESS = "mtbf_hours|minutes_between_saves"  # of a run that nothing stops


def tried():
    for name in cli.list_commands(CONTEXT):
        for option in cli.get_command(CONTEXT, name).params:
            if isinstance(option, click.Option) and isinstance(option.type, NUMBERS) and name != "ui":
                yield pytest.param(name, option.opts[-1], id=f"{name} {option.opts[-1]}")


def asked(name: str, option: str) -> list[str]:
    words = ASKED[name].split()
    if option in words:
        at = words.index(option)
        del words[at : at + 2]
    if (name, option) == ("size", "--flop"):
        return []
    if (name, option) == ("afford", "--gpu-hours"):
        return [*words[:-2], "--params", "7B"]
    if (name, option) == ("afford", "--params"):
        return [*words[:-2], "--gpu-hours", "1M"]
    return words


@pytest.mark.parametrize(("name", "option"), list(tried()))
def test_no_number_is_answered_in_the_words_of_python(name: str, option: str, tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("GPULEDGER_HOME", str(tmp_path))
    for number in ABSURD:
        result = CliRunner().invoke(cli, [name, *asked(name, option), option, number, "--format", "json"])
        if result.exit_code == 0:
            endless = re.findall(r'"(\w+)": "?-?(?:NaN|Infinity)', result.stdout)
            assert all(re.fullmatch(ENDLESS, column) for column in endless), (number, endless)
        elif result.exit_code == 2:
            assert result.stderr.splitlines()[-1].startswith("Error: "), (number, result.stderr)
        else:
            assert NO_LEDGER in str(result.exception), (number, result.exception)


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (
            "estimate 7B --utilisation 40",
            "a share of the dense peak is at least 0.001 and is at most 1, not 40; 40% is 0.4",
        ),
        ("bill 7B --price 2 --experiments 1e308", "a multiplier of 1 to 10"),
        ("host 7B --used 1e-300", "the share used is at least 0.001"),
        ("estimate 7B --price 1e-30", "a price of a GPU-hour lies from 0.0001 to 100,000 USD"),
        ("size --flop 1e-300", "the FLOP of a training is at least"),
        ("estimate 7B --active-params 8B", "more than all 7,000,000,000"),
        ("phases 7B --price 2 --phase pretrain:1e-300", "is not a count"),
    ],
)
def test_what_is_out_of_range_is_told_with_the_range(command: str, said: str) -> None:
    result = CliRunner().invoke(cli, command.split())
    assert result.exit_code == 2
    assert said in result.stderr.splitlines()[-1]


@pytest.mark.parametrize("kind", [Money(), Number()], ids=["money", "number"])
def test_a_number_with_an_underscore_is_refused(kind: click.ParamType) -> None:
    with pytest.raises(click.BadParameter, match="'1_0' is not"):
        kind.convert("1_0", None, None)


@pytest.mark.parametrize("text", ["1_0", "\u0661\u0662", "\uff12"])
def test_a_number_is_written_in_plain_digits(text: str) -> None:
    """Of 1_0 nobody knows whether 1.0 or 10 is meant, and signs that look alike are not told apart."""
    for name in cli.list_commands(CONTEXT):
        for option in cli.get_command(CONTEXT, name).params:
            grouped = text == "1_0" and isinstance(option.type, Count)  # a count may be written 7_000_000_000
            if isinstance(option.type, NUMBERS) and name != "ui" and not grouped:
                with pytest.raises(click.BadParameter):
                    option.type.convert(text, option, CONTEXT)


def test_an_amount_is_taken_as_people_write_it() -> None:
    for written in ("40,000,000", "$40M", "40M", "40000000", "$40,000,000.00"):
        assert Money().convert(written, None, None) == 40_000_000
    for wrong in ("4,0", "40,00,000", "$", "1,2345", "$-5"):
        with pytest.raises(click.BadParameter):
            Money().convert(wrong, None, None)
