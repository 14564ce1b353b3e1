"""What people type and what it means: counts, amounts, days, names. Shared by the commands.

A name that is not known is wrong usage: the error lists those there are, the nearest first.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

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
    """A decimal amount of 0 or more, a large one also as 250K or 1.5M."""

    name = "usd"

    def __init__(self, zero: bool = True) -> None:
        self.zero = zero

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Decimal:
        from models.quantities import parse_count

        if isinstance(value, Decimal):
            return value
        if value[-1:].upper() in ("K", "M", "B"):
            try:
                return Decimal(parse_count(value))
            except ValueError as error:
                self.fail(str(error), param, ctx)
        try:
            amount = Decimal(value)
        except InvalidOperation:
            amount = Decimal("nan")
        if not amount.is_finite() or amount < 0 or amount.adjusted() > LARGEST_EXPONENT:
            self.fail(f"{value!r} is not an amount of 0 or more", param, ctx)
        if not amount and not self.zero:
            self.fail("a price must be positive", param, ctx)
        return amount


class Day(click.ParamType[Any]):
    """A day such as 2026-08-01."""

    name = "day"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> date:
        try:
            return value if isinstance(value, date) else date.fromisoformat(value)
        except ValueError:
            self.fail(f"{value!r} is not a day; write it like 2026-08-01", param, ctx)


class Number(click.FloatRange):
    """A finite number of the range: a NaN passes every comparison that is asked the other way round."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        number = click.FLOAT.convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value!r} is not a finite number", param, ctx)
        return super().convert(number, param, ctx)


class Model(click.ParamType[Any]):
    """A language model of the table, as it is called there."""

    name = "llm"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        from models.llms import llm_named

        try:
            return llm_named(value).llm
        except KeyError as error:
            self.fail(error.args[0], param, ctx)


class SourceName(click.ParamType[Any]):
    """A source by its name, which is that of its file."""

    name = "source"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        import pkgutil

        import sources.providers

        known = [module.name.rstrip("_") for module in pkgutil.iter_modules(sources.providers.__path__)]
        return known_name(value, known, "source")


class Moment(click.ParamType[Any]):
    """A moment in ISO 8601, UTC where it names no zone."""

    name = "moment"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> datetime:
        try:
            moment = datetime.fromisoformat(value)
        except ValueError:
            self.fail(f"{value!r} is not a moment; write it like 2026-08-22T06:00:00Z", param, ctx)
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment


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
            if self.known:
                known_name(name, self.known, "kind")
        return names


class Experiments(click.ParamType[Any]):
    """A preset of the experiments multiplier, or a number of at least 1."""

    name = "multiplier"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str | float:
        if value in ("lean", "usual", "first_time", "exploratory"):
            return str(value)
        try:
            return float(Number(1).convert(value, param, ctx))
        except click.BadParameter:
            self.fail(f"{value!r} is not lean, usual, first_time, exploratory or a number of at least 1", param, ctx)


Command = TypeVar("Command", bound=Callable[..., Any])
KINDS = ("on_demand", "spot", "reserved", "savings_plan", "capacity_block")
PROVIDER_KINDS = ("hyperscaler", "gpu_cloud", "marketplace", "serverless", "aggregator")


GPUS = click.IntRange(1, 10_000_000)
MOST_NAMES = 100  # that an error lists
LARGEST_EXPONENT = 15  # of an amount in USD
PRICINGS = (*KINDS, "serverless")
provider_option = click.option("--provider", type=SourceName(), help="One provider.")

MARKET = (
    click.option("--gpu", help="One GPU, any usual spelling; default: the cheapest of each provider."),
    provider_option,
    click.option("--kinds", type=Names(KINDS), default="on_demand", show_default=True, help="Kinds of price allowed."),
    click.option("--price", type=Money(zero=False), help="USD per GPU-hour, in place of the ledger's; with --gpu."),
    click.option("--limit", type=click.IntRange(1), help="Print only so many rows; of finetune, of each method."),
)


def with_options(options: Sequence[Callable[[Command], Command]]) -> Callable[[Command], Command]:
    """Add several options to a command, in this order."""

    def add(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def known_name(name: str, known: Sequence[str], what: str) -> str:
    """The name if it is known, else a usage error."""
    if name not in known:
        raise unknown(name, known, what)
    return name


def unknown(name: str, known: Sequence[str], what: str) -> click.BadParameter:
    """The error that lists the names there are, the nearest first; of very many only those."""
    from difflib import SequenceMatcher

    nearest = sorted(known, key=lambda one: -SequenceMatcher(None, name.casefold(), one.casefold()).ratio())
    listed = nearest if len(nearest) <= MOST_NAMES else [*nearest[:10], f"and {len(nearest) - 10} more"]
    return click.BadParameter(f"no {what} is called {name!r}; there are {', '.join(listed)}")


def chip_named(text: str) -> Gpu:
    """A GPU, or a family, by its slug or any spelling that resolves; a usage error brings the nearest names."""
    from models.gpus import gpus, resolve

    if text in gpus():
        return gpus()[text]
    found = resolve(text)
    if found is None:
        raise unknown(text, list(gpus()), "GPU")
    return found.gpu


def country_named(ledger: DuckDBPyConnection, code: str) -> str:
    """A country in which something is offered, as its ISO 3166 code."""
    from warehouse.database import rows

    known = rows(ledger, "SELECT DISTINCT country FROM price_history WHERE country IS NOT NULL ORDER BY country")
    return known_name(code.upper(), [row["country"] for row in known], "country with offers")


def model_named(name: str, tokens: int | None = None) -> Llm:
    """A model of the table, on other tokens where given."""
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
