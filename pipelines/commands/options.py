"""Options and ranges that several commands take, each written once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from pipelines.commands.inputs import Count, Money, Name, Names, Number, OfferedBy, Whole

Command = TypeVar("Command", bound=Callable[..., Any])
KINDS = ("on_demand", "spot", "reserved", "savings_plan", "capacity_block")
PROVIDER_KINDS = ("hyperscaler", "gpu_cloud", "marketplace", "serverless", "aggregator")


GPUS = Whole(1, 10_000_000)
# What a figure of the field can be at all: far beyond any run, and far from the edge of a double.
PRICE = Money(zero=False, least="0.0001", most="100000", what="a price of a GPU-hour")
SHARE = Number(0.001, 1, what="a share of the dense peak")
USED = Number(0.001, 1, what="the share used")
DAYS = Number(0.01, 270, what="a deadline in days")  # later runs outrun longer ones
TOKENS_OF_CONTEXT = 10**9
PRICINGS = (*KINDS, "serverless")
provider_option = click.option("--provider", type=OfferedBy(), help="One provider.")


_GPU = click.option(
    "--gpu",
    type=Name(),
    help="One GPU, or all that a name leaves open; any usual spelling. Default: the cheapest of each provider.",
)


class _Pricing(click.Option):
    """`--pricing`, and its earlier name `--kinds`, which still works and no help tells."""

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        super().add_to_parser(parser, ctx)
        parser.add_option(obj=self, opts=["--kinds"], dest=self.name, action="store", nargs=1)


def pricing_option(kinds: Sequence[str] = KINDS, default: str | None = "on_demand") -> Callable[[Command], Command]:
    """The `kinds` of price that a command looks at, as the column `pricing` names them; without a default all."""
    told = f"Kinds of price: {', '.join(kinds)}; several with commas."
    return click.option(
        "--pricing", "kinds", cls=_Pricing, type=Names(kinds), default=default, show_default=True, help=told
    )


_BY_HAND = click.option("--price", type=PRICE, help="USD per GPU-hour, in place of the ledger's; with --gpu.")
_LIMIT = click.option("--limit", type=Whole(1), help="Print only so many rows; of finetune, of each method.")
# whoever serves people cannot have a replica reclaimed at two minutes' notice, nor rent it for some days only
_TO_SERVE = pricing_option([kind for kind in KINDS if kind not in ("spot", "capacity_block")])
country_option = click.option(
    "--country",
    type=Names(upper=True),
    help="Where the GPUs stand: ISO 3166 codes, EU or EEA, several with commas: US,NO.",
)
SERVED = (
    click.option(
        "--precision",
        type=click.Choice(["bf16", "fp8", "fp4"]),
        default="fp8",
        show_default=True,
        help="Of the weights; a GPU without it takes the next it has: FP8, then 16 bits.",
    ),
    click.option("--batch", type=Whole(1, 10**6), default=64, show_default=True, help="Sequences decoded at once."),
    click.option(
        "--context", type=Count(TOKENS_OF_CONTEXT), default="2048", show_default=True, help="Tokens of context of each."
    ),
    click.option("--gpus", type=GPUS, help="GPUs of a replica; default: the fewest that hold it."),
    click.option("--used", type=USED, help="Share of the capacity used; default 0.4."),
    click.option(
        "--input-per-output",
        type=Number(0, 1e6, what="input tokens per output token"),
        help="Input tokens with each output token; default 3.",
    ),
    click.option("--tokens-per-month", type=Count(), help="Output tokens a month: as many GPUs as generate them."),
    click.option(
        "--rest-of-term-used", is_flag=True, help="Serves on to the end of a term: its months count, not all of it."
    ),
)
MARKET = (_GPU, provider_option, pricing_option(), country_option, _BY_HAND, _LIMIT)
SERVING_MARKET = (_GPU, provider_option, _TO_SERVE, country_option, _BY_HAND, _LIMIT)


def with_options(options: Sequence[Callable[[Command], Command]]) -> Callable[[Command], Command]:
    """Add several options to a command, in this order."""

    def add(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add
