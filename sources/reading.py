"""Reading numbers, prices and dates off pages: what every parser does, in one place.

Pages as trees are in `sources.markup`, tables in `sources.tables`. Nothing here knows a provider or a GPU; a value that
is no number is None, never a guess.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Any, Literal

from sources.source import EmptyAnswer, LayoutChanged, Page

# Dollars only: no source whose prices are read off text has another currency, and another sign is never read as one.
_MONEY = re.compile(r"^\$?\s*(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)\s*(?:USD)?$")
_SIGNS = {"$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "₹": "INR", "₩": "KRW"}
_SIGN = re.compile(r"[$€£¥₹₩]|\b(?:USD|EUR|GBP|CHF|JPY|INR|KRW|CAD|AUD)\b")
_PRICE = re.compile(
    r"(?P<lowest>(?:from|starting (?:at|from)|as low as)\s+)?"
    r"(?P<money>\$?\s*[\d,.]+\s*(?:USD)?)"
    r"(?P<gpu>\s*(?:/|per)\s*GPU)?"
    r"(?:\s*(?:/|-|per)\s*(?P<period>s|sec|second|min|minute|h|hr|hour|mo|month)s?)?",
    re.IGNORECASE,
)
Period = Literal["second", "minute", "hour", "month", ""]
_PERIODS: dict[str, Period] = {"s": "second", "mi": "minute", "h": "hour", "mo": "month"}
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_EFFECTIVE = re.compile(
    r"\b(?:effective|valid|appl(?:y|ies)|start(?:s|ing)?) (?:(?:as of|from|on|starting) )?"
    r"(?:(\d{4})-(\d\d)-(\d\d)|([a-z]{3,9})\.? (\d{1,2}),? (\d{4})|(\d{1,2})\.? ([a-z]{3,9})\.?,? (\d{4}))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class PrintedPrice:
    """One price as a cell prints it. What the cell leaves out, the column's title has to say."""

    amount: Decimal
    period: Period  # "" where the cell names none
    per_gpu: bool  # the cell says "/ GPU"
    lowest: bool  # "from", "starting at": the lowest of several prices, under a condition told elsewhere


def decimal_of(value: object) -> Decimal | None:
    """A finite Decimal from a JSON number or numeric text; None for anything else (null, bool, NaN, words).

    Figures beyond 10**±40 are None too: no page means them, and arithmetic with them can overflow.
    """
    if isinstance(value, bool) or not isinstance(value, (int, str, Decimal)):
        return None
    try:
        number = Decimal(value.strip() if isinstance(value, str) else value)
    except InvalidOperation:
        return None
    return number if number.is_finite() and (not number or abs(number.adjusted()) <= 40) else None


def whole_of(value: object) -> int | None:
    """A whole number from JSON or text; None for anything else, and for absurd sizes."""
    number = decimal_of(value)
    if number is None or number != number.to_integral_value() or abs(number) > 10**15:
        return None
    return int(number)


def flag_of(value: object) -> bool | None:
    """A yes or no from JSON: true, "true" in any case, or 1, and their contraries; None for anything else."""
    return {"true": True, "1": True, "false": False, "0": False}.get(str(value).strip().lower())


def money_of(text: str) -> Decimal | None:
    """The US dollars of a cell that holds one price and nothing else ("$2.49", "1,940.00 USD"); None otherwise.

    "from $2", "€2.49", "Contact us", "N/A", a dash or two prices are none; units are the caller's to strip.
    """
    match = _MONEY.match(" ".join(text.replace("\u00a0", " ").split()))
    return decimal_of(match.group(1).replace(",", "")) if match else None


def price_of(text: str) -> PrintedPrice | None:
    """The price in US dollars of a cell with its unit ("$3.59 / GPU / hr", "From $0.79/hr", "$355.00 / mo").

    None for words, and for another currency.
    """
    match = _PRICE.fullmatch(" ".join(text.replace("\u00a0", " ").split()))
    amount = money_of(match["money"]) if match else None
    if match is None or amount is None:
        return None
    period = (match["period"] or "").lower()
    named: Period = next((name for start, name in _PERIODS.items() if period.startswith(start)), "")
    return PrintedPrice(amount, named, match["gpu"] is not None, match["lowest"] is not None)


def currencies_of(text: str) -> set[str]:
    """The currencies whose sign or code stands in a text: {"USD"} of "$1.56 USD"; empty where it names none."""
    return {_SIGNS.get(sign, sign) for sign in _SIGN.findall(text)}


def stated_currency(usual: str, *records: object) -> str:
    """The currency that the first of these records to name one names, as a code; else the usual one of the site."""
    return next(filter(None, (text_of(at(record, "currency")).upper() for record in records)), usual)


def term_of(hours: int) -> tuple[int | None, Decimal | None] | None:
    """A shortest rental as (None, hours), or from 30 days on, when it is a commitment, as (months, None).

    None for zero, and for days that are no whole months of 30 or 31: 45 days are neither one month nor two.
    """
    if hours < 30 * 24:
        return (None, Decimal(hours)) if hours > 0 else None
    months = hours // (30 * 24)
    return (months, None) if hours <= months * 31 * 24 else None


def effective_date(text: str) -> date | None:
    """The day of a notice such as "effective November 16, 2026" or "effective from 2026-11-16"; None without one."""
    match = _EFFECTIVE.search(" ".join(text.split()))
    if match is None:
        return None
    year, month, day = match[1], match[2], match[3]
    if year is None:
        named = (match[4] or match[8])[:3].lower()
        month = str(_MONTHS.index(named) + 1) if named in _MONTHS else "0"
        year, day = match[6] or match[9], match[5] or match[7]
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        return None


def text_of(value: object) -> str:
    """A string field stripped; "" for null or another type."""
    return value.strip() if isinstance(value, str) else ""


def rows_of(value: object) -> Iterator[Mapping[str, Any]]:
    """The objects of a JSON array; anything else in it is passed over."""
    if isinstance(value, list):
        yield from (row for row in value if isinstance(row, dict))


def at(record: object, *names: str) -> Any:
    """A field inside fields; None where a step is missing."""
    for name in names:
        record = record.get(name) if isinstance(record, dict) else None
    return record


def field_of(record: object, name: str, page: Page) -> Any:
    """A field that must be there. Raises LayoutChanged naming it."""
    if not isinstance(record, dict) or name not in record:
        raise LayoutChanged(f"{page.name}: the field {name!r} is missing")
    return record[name]


def require_fields(rows: Iterable[Mapping[str, Any]], fields: Iterable[str], page: Page) -> None:
    """Raises LayoutChanged for a field that no row has: then the format changed; EmptyAnswer without rows."""
    rows = list(rows)
    if not rows:
        raise EmptyAnswer(f"{page.name} holds no price: it lists nothing")
    for name in fields:
        if not any(name in row for row in rows):
            raise LayoutChanged(f"{page.name}: no row has the field {name!r}")
