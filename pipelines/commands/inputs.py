"""What people type and what it means: counts, amounts, days, lists, models and GPUs. Shared by the commands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from models.gpu_table import Gpu
    from models.llms import Llm
    from models.training.clusters import RentalOffer


class Count(click.ParamType[Any]):
    """A count such as 7B, 1.4T, 7e9 or 7000000000."""

    name = "count"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        from models.quantities import parse_count

        try:
            return value if isinstance(value, int) else parse_count(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)


class Money(click.ParamType[Any]):
    """A decimal amount, a large one also as 250K or 1.5M."""

    name = "usd"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Decimal:
        from models.quantities import parse_count
        from sources.reading import decimal_of

        if isinstance(value, Decimal):
            return value
        if value[-1:].upper() in ("K", "M", "B"):
            try:
                return Decimal(parse_count(value))
            except ValueError as error:
                self.fail(str(error), param, ctx)
        amount = decimal_of(value)
        if amount is None:
            self.fail(f"{value!r} is not an amount", param, ctx)
        return amount


class Day(click.ParamType[Any]):
    """A day such as 2026-08-01."""

    name = "day"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> date:
        try:
            return value if isinstance(value, date) else date.fromisoformat(value)
        except ValueError:
            self.fail(f"{value!r} is not a day; write it like 2026-08-01", param, ctx)


class Names(click.ParamType[Any]):
    """Names with commas between them, each one of those known."""

    name = "names"

    def __init__(self, known: Sequence[str] = (), upper: bool = False) -> None:
        self.known, self.upper = known, upper

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, ...]:
        if isinstance(value, tuple):
            return value
        names = tuple(name.upper() if self.upper else name for part in value.split(",") if (name := part.strip()))
        for name in names:
            if self.known and name not in self.known:
                self.fail(f"{name!r} is not one of {', '.join(self.known)}", param, ctx)
        return names


class Experiments(click.ParamType[Any]):
    """A preset of the experiments multiplier, or a number of at least 1."""

    name = "multiplier"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str | float:
        if value in ("lean", "usual", "first_time", "exploratory"):
            return str(value)
        try:
            return float(value)
        except ValueError:
            self.fail(f"{value!r} is not lean, usual, first_time, exploratory or a number", param, ctx)


Command = TypeVar("Command", bound=Callable[..., Any])
KINDS = ("on_demand", "spot", "reserved", "savings_plan", "capacity_block")
PROVIDER_KINDS = ("hyperscaler", "gpu_cloud", "marketplace", "serverless", "aggregator")


MARKET = (
    click.option("--gpu", help="One GPU, any usual spelling; default: the cheapest of each provider."),
    click.option("--provider", help="One provider."),
    click.option("--kinds", type=Names(KINDS), default="on_demand", show_default=True, help="Kinds of price allowed."),
    click.option("--price", type=Money(), help="USD per GPU-hour, in place of the ledger's; with --gpu."),
    click.option("--limit", type=click.IntRange(1), help="Print only so many rows; of finetune, of each method."),
)


def with_options(options: Sequence[Callable[[Command], Command]]) -> Callable[[Command], Command]:
    """Add several options to a command, in this order."""

    def add(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def chip_named(text: str) -> Gpu:
    """A GPU by its slug or any spelling that resolves; a usage error says how to look."""
    from models.gpus import gpus, resolve

    if text in gpus():
        return gpus()[text]
    found = resolve(text)
    if found is None:
        raise click.BadParameter(f"no GPU is called {text!r}; try `gpuledger gpu {text!r}`")
    return found.gpu


def model_named(name: str, tokens: int | None = None) -> Llm:
    """A model of the table, on other tokens where given; KeyError brings the nearest names."""
    from dataclasses import replace

    from models.llms import llm_named

    llm = llm_named(name)
    return llm if tokens is None else replace(llm, tokens=tokens)


def at_offer(offer: RentalOffer) -> dict[str, Any]:
    """The columns that say which offer a row is of."""
    return {
        "provider": offer.provider,
        "pricing": offer.pricing,
        "gpu": offer.gpu,
        "usd_per_gpu_hour": offer.usd_per_gpu_hour,
    }
