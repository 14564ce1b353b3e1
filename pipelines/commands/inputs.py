"""What people type and what it means: counts, amounts, days, names. The options made of them are in options.py."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from datetime import UTC, date, datetime
from decimal import Decimal, InvalidOperation
from typing import Any

import click

from pipelines.commands.naming import known_name


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
    """A decimal amount in USD of 0 or more, as 40,000,000, $250K or 1.5M too; a price has a least and a most."""

    name = "usd"

    def __init__(self, zero: bool = True, least: str = "0", most: str = "1e15", what: str = "an amount") -> None:
        self.zero, self.least, self.most, self.what = zero, Decimal(least), Decimal(most), what

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Decimal:
        from models.quantities import parse_count

        if isinstance(value, Decimal):
            return value
        plain = value.removeprefix("$")
        if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", plain):
            plain = plain.replace(",", "")
        if plain[-1:].upper() in ("K", "M", "B"):
            try:
                plain = str(parse_count(plain))
            except ValueError as error:
                self.fail(str(error), param, ctx)
        try:
            amount = Decimal(plain if "_" not in plain and plain.isascii() else "")
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
        if isinstance(value, str) and ("_" in value or not value.isascii()):  # is 1_0 1.0 or 10?
            self.fail(f"{value!r} is not a number", param, ctx)
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


class Whole(click.IntRange):
    """A whole number of a range, in plain digits."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if isinstance(value, str) and ("_" in value or not value.isascii()):
            self.fail(f"{value!r} is not a whole number", param, ctx)
        return super().convert(value, param, ctx)


class Model(click.ParamType[Any]):
    """A language model of the table, as it is called there."""

    name = "llm"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        from models.llms import llm_named, llms

        try:
            return llm_named(value).llm
        except KeyError as error:
            sizes = ", ".join(model.llm for model in llms() if model.kind == "size_class")
            other = "`gpuledger estimate --params 3e9 --tokens 60e9` does any other"
            self.fail(f"{error.args[0]} Sizes are {sizes}; {other}", param, ctx)


class SourceName(click.ParamType[Any]):
    """A source by its name, which is that of its file."""

    name = "source"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        return known_name(value, self._known(value), "source")

    def _known(self, value: str) -> list[str]:
        import pkgutil

        import sources.providers

        return [module.name.rstrip("_") for module in pkgutil.iter_modules(sources.providers.__path__)]


class OfferedBy(SourceName):
    """A source whose offers the ledger holds, also one that was removed since."""

    def _known(self, value: str) -> list[str]:
        from pipelines.home import home
        from warehouse.database import opened_to_read, rows

        known = super()._known(value)
        if value in known or not home().ledger.exists():
            return known
        with opened_to_read(home().ledger) as ledger:
            return [*known, *(row["provider"] for row in rows(ledger, "FROM core.removed_source"))]


class Moment(click.ParamType[Any]):
    """A moment in ISO 8601, UTC where it names no zone."""

    name = "moment"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> datetime:
        try:
            moment = datetime.fromisoformat(value)
        except ValueError:
            self.fail(f"{value!r} is not a moment; write it like 2026-08-22T06:00:00Z", param, ctx)
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment


class Name(click.ParamType[Any]):
    """A name that is not blank, which would ask for all there are."""

    name = "text"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        return str(value) if value.strip() else self.fail("it names none", param, ctx)


class Names(click.ParamType[Any]):
    """Names with commas between them, each one of those known."""

    name = "names"

    def __init__(self, known: Sequence[str] = (), upper: bool = False) -> None:
        self.known, self.upper = known, upper

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, ...]:
        if isinstance(value, tuple):
            return value
        names = tuple(name.upper() if self.upper else name for part in value.split(",") if (name := part.strip()))
        if not names:
            self.fail("it names none", param, ctx)
        for name in names:
            if self.known:
                known_name(name, self.known, "kind")
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
