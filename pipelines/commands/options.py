"""Options and ranges that several commands take, each written once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from pipelines.commands.inputs import Money, Names, Number, SourceName

Command = TypeVar("Command", bound=Callable[..., Any])
KINDS = ("on_demand", "spot", "reserved", "savings_plan", "capacity_block")
PROVIDER_KINDS = ("hyperscaler", "gpu_cloud", "marketplace", "serverless", "aggregator")


GPUS = click.IntRange(1, 10_000_000)
# What a figure of the field can be at all: far beyond any run, and far from the edge of a double.
PRICE = Money(zero=False, least="0.0001", most="100000", what="a price of a GPU-hour")
SHARE = Number(0.001, 1, what="a share of the dense peak")
USED = Number(0.001, 1, what="the share used")
DAYS = Number(0.01, 270, what="a deadline in days")  # later runs outrun longer ones
TOKENS_OF_CONTEXT = 10**9
PRICINGS = (*KINDS, "serverless")
provider_option = click.option("--provider", type=SourceName(), help="One provider.")


_GPU = click.option("--gpu", help="One GPU, any usual spelling; default: the cheapest of each provider.")
_KINDS = click.option(
    "--kinds", type=Names(KINDS), default="on_demand", show_default=True, help="Kinds of price allowed."
)
_BY_HAND = click.option("--price", type=PRICE, help="USD per GPU-hour, in place of the ledger's; with --gpu.")
_LIMIT = click.option("--limit", type=click.IntRange(1), help="Print only so many rows; of finetune, of each method.")
# whoever serves people cannot have a replica reclaimed at two minutes' notice, nor rent it for some days only
_TO_SERVE = click.option(
    "--kinds",
    type=Names([kind for kind in KINDS if kind not in ("spot", "capacity_block")]),
    default="on_demand",
    show_default=True,
    help="on_demand, reserved, savings_plan; nobody serves on what can be reclaimed.",
)
country_option = click.option(
    "--country",
    type=Names(upper=True),
    help="Where the GPUs stand: ISO 3166 codes, EU or EEA, several with commas: US,NO.",
)
MARKET = (_GPU, provider_option, _KINDS, _BY_HAND, _LIMIT)
SERVING_MARKET = (_GPU, provider_option, _TO_SERVE, _BY_HAND, _LIMIT)


def with_options(options: Sequence[Callable[[Command], Command]]) -> Callable[[Command], Command]:
    """Add several options to a command, in this order."""

    def add(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add
