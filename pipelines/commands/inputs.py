"""What people type and what it means: counts, amounts, days, names. Shared by the commands.

A name that is not known is wrong usage: the error lists those there are, the nearest first.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any, TypeVar

import click

from models.offer_names import readable
from pipelines.answers import READ_FROM

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from models.gpu_table import Gpu
    from models.llms import Llm
    from models.training.clusters import RentalOffer


class Count(click.ParamType[Any]):
    """A count such as 7B, 1.4T, 7e9 or 7000000000."""

    name = "count"

    def __init__(self, most: int = 10**18) -> None:
        self.most = most

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        from models.quantities import parse_count

        try:
            count = value if isinstance(value, int) else parse_count(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)
        if count > self.most:
            self.fail(f"{value} is more than {self.most:,}", param, ctx)
        return count


class Money(click.ParamType[Any]):
    """A decimal amount in USD of 0 or more, a large one also as 250K or 1.5M; a price has a least and a most."""

    name = "usd"

    def __init__(self, zero: bool = True, least: str = "0", most: str = "1e15", what: str = "an amount") -> None:
        self.zero, self.least, self.most, self.what = zero, Decimal(least), Decimal(most), what

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Decimal:
        from models.quantities import parse_count

        if isinstance(value, Decimal):
            return value
        if value[-1:].upper() in ("K", "M", "B"):
            try:
                value = str(parse_count(value))
            except ValueError as error:
                self.fail(str(error), param, ctx)
        try:
            amount = Decimal(value)
        except InvalidOperation:
            amount = Decimal("nan")
        if not amount.is_finite() or amount < 0:
            self.fail(f"{value!r} is not an amount of 0 or more", param, ctx)
        if not amount and not self.zero:
            self.fail(f"{self.what} is above 0", param, ctx)
        if not self.least <= amount <= self.most:
            self.fail(f"{self.what} lies from {self.least:,f} to {self.most:,f} USD, not {value}", param, ctx)
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
    """A finite number of a range, told as `what` it is: neither a NaN nor the edge of a double gets further."""

    name = "number"

    def __init__(
        self,
        min: float | None = None,
        max: float | None = None,
        min_open: bool = False,
        max_open: bool = False,
        *,
        what: str = "the number",
    ) -> None:
        super().__init__(min, max, min_open, max_open)
        self.what = what

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        number = click.FLOAT.convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value!r} is not a finite number", param, ctx)
        low = self.min is not None and (number <= self.min if self.min_open else number < self.min)
        high = self.max is not None and (number >= self.max if self.max_open else number > self.max)
        if low or high:
            percent = f"; {number:g}% is {number / 100:g}" if self.max == 1 < number <= 100 else ""
            self.fail(f"{self.what} {self._words()}, not {number:g}{percent}", param, ctx)
        return number

    def _words(self) -> str:
        least = None if self.min is None else f"is {'above' if self.min_open else 'at least'} {self.min:,g}"
        most = None if self.max is None else f"is {'below' if self.max_open else 'at most'} {self.max:,g}"
        return " and ".join(end for end in (least, most) if end)


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
            if self.known and name not in self.known:
                self.fail(f"no kind is called {name!r}; there are {', '.join(sorted(self.known))}", param, ctx)
        return names


class Experiments(click.ParamType[Any]):
    """A preset of the experiments multiplier, or a number of 1 to 10."""

    name = "multiplier"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str | float:
        if value in ("lean", "usual", "first_time", "exploratory"):
            return str(value)
        try:
            return float(Number(1, 10).convert(value, param, ctx))
        except click.BadParameter:
            self.fail(f"{value!r} is not lean, usual, first_time, exploratory or a multiplier of 1 to 10", param, ctx)


Command = TypeVar("Command", bound=Callable[..., Any])
KINDS = ("on_demand", "spot", "reserved", "savings_plan", "capacity_block")
PROVIDER_KINDS = ("hyperscaler", "gpu_cloud", "marketplace", "serverless", "aggregator")


GPUS = click.IntRange(1, 10_000_000)
MOST_NAMES = 100  # that an error lists
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


def at_most_all(active_params: int | None, params: int) -> None:
    """A usage error where more parameters are active than there are."""
    if active_params is not None and active_params > params:
        raise click.UsageError(f"{active_params:,} active parameters are more than all {params:,} of the model")


def chip_named(text: str) -> Gpu:
    """A GPU, or a family, by its slug or any spelling that resolves; a usage error brings the nearest names."""
    from models.gpus import gpus, resolve

    if text in gpus():
        return gpus()[text]
    found = resolve(text)
    if found is None:
        raise unknown(text, list(gpus()), "GPU")
    return found.gpu


def countries_named(ledger: DuckDBPyConnection, names: Sequence[str] | None) -> list[str] | None:
    """ISO 3166 codes of what is named, groups with all their members; None where nothing is.

    A country without an offer is said on standard error; where none of them has one it is a usage error.
    """
    from models.regions import GROUPS
    from warehouse.database import rows

    if not names:
        return None
    found = rows(ledger, "SELECT DISTINCT country FROM price_history WHERE country IS NOT NULL")
    offered = {row["country"] for row in found}
    codes = list(dict.fromkeys(code for name in names for code in sorted(GROUPS.get(name, {name}))))
    without = [name for name in names if not GROUPS.get(name, {name}) & offered]
    if not offered.intersection(codes):
        there = ", ".join(sorted(offered | set(GROUPS)))
        raise click.BadParameter(f"nothing is offered in {', '.join(names)}; there are {there}")
    if without:
        click.echo(f"nothing is offered in {', '.join(without)}", err=True)
    return codes


def model_named(name: str, tokens: int | None = None) -> Llm:
    """A model of the table, on other tokens where given."""
    from dataclasses import replace

    from models.llms import llm_named

    llm = llm_named(name)
    return llm if tokens is None else replace(llm, tokens=tokens)


def at_offer(offer: RentalOffer) -> dict[str, Any]:
    """The columns that say which offer a row is of, and where its price was read."""
    names = ("provider", "pricing", "term_months", "gpu", "sku", "region", "usd_per_gpu_hour", "sold_out")
    return {name: getattr(offer, name) for name in (*names, *READ_FROM)}


def offer_name(row: Mapping[str, Any]) -> str:
    """SKU and region of a row as people know them: its GPUs stand beside."""
    return f"{readable(row['sku'])} {readable(row['region'])}".strip()
