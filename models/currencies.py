"""Dated exchange rates: what one unit of a currency was worth in US dollars on the day a price was seen.

The rates are the European Central Bank's euro foreign exchange reference rates, handed in as CurrencyRate
rows; fetching them is a source's work. Converting a price belongs to `models.normalise` alone.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Context, Decimal

from models.offers import CurrencyRate

# Covers every gap in the bank's calendar: the longest, Easter and Christmas, are five days.
OLDEST = timedelta(days=10)

# Currencies with a euro reference rate (ecb.europa.eu, euro foreign exchange reference rates, 2026), and
# BGN, HRK and RUB for pages recorded before their rates ended. Any other code is no currency we can price.
_CODES = """
    AUD BGN BRL CAD CHF CNY CZK DKK EUR GBP HKD HRK HUF IDR ILS INR ISK JPY KRW MXN MYR NOK NZD PHP PLN
    RON RUB SEK SGD THB TRY USD ZAR
"""
PUBLISHED = frozenset(_CODES.split())

_EXACT = Context(prec=34)  # room for a rate of 6 digits and its reciprocal without visible rounding


class UnknownCurrency(LookupError):
    """The text is not a currency with a reference rate: a token, a sign, a typing error."""


class NoRate(LookupError):
    """A known currency without a rate recent enough for the day asked."""


@dataclass(frozen=True, slots=True)
class Rates:
    """Reference rates by currency and day. Build with `Rates.of` or `Rates.stated`."""

    _days: Mapping[str, tuple[tuple[date, ...], tuple[Decimal, ...]]]  # ascending days, units per euro
    _stated: Mapping[str, tuple[Decimal, date]]

    @classmethod
    def of(cls, rows: Iterable[CurrencyRate]) -> Rates:
        """Rates from published rows in any order; of two rows for one day the later given one stands.

        A rate that is not a positive number counts as not published.
        """
        per_eur: dict[str, dict[date, Decimal]] = {}
        for row in rows:
            if row.per_eur.is_finite() and row.per_eur > 0:
                per_eur.setdefault(row.currency.strip().upper(), {})[row.on] = row.per_eur
        days = {}
        for currency, by_day in per_eur.items():
            ordered = sorted(by_day)
            days[currency] = (tuple(ordered), tuple(by_day[day] for day in ordered))
        return cls(days, {})

    @classmethod
    def stated(cls, usd_per_unit: Mapping[str, Decimal], on: date) -> Rates:
        """Rates somebody states for a whole run, in USD per unit, whatever day a price was seen.

        Raises ValueError for a rate that is not a positive number.
        """
        for currency, rate in usd_per_unit.items():
            if not (rate.is_finite() and rate > 0):
                raise ValueError(f"exchange rate of {currency} is {rate}; it must be a positive number")
        return cls({}, {currency.strip().upper(): (rate, on) for currency, rate in usd_per_unit.items()})

    def usd_per(self, currency: str, on: date) -> tuple[Decimal, date | None]:
        """USD per one unit of `currency` for a price seen on `on` (UTC), and the day of the rate used.

        The rate is the latest one published for a day strictly before `on`: the bank publishes at about
        16:00 Central European Time, so only yesterday's rate is known all day long, and a rebuild finds
        the rate the first run found. Two currencies meet through the euro on one common day.
        USD is 1 and has no day. Raises UnknownCurrency or NoRate.
        """
        code = currency.strip().upper()
        if code == "USD":
            return Decimal(1), None
        if code in self._stated:
            return self._stated[code]
        if code not in PUBLISHED and code not in self._days:
            raise UnknownCurrency(f"{currency!r} is not a currency with a reference rate")
        dollars_on, dollars_per_euro = self._days.get("USD", ((), ()))
        if code == "EUR":
            units_on, units_per_euro = dollars_on, (Decimal(1),) * len(dollars_on)
        else:
            units_on, units_per_euro = self._days.get(code, ((), ()))
        at, dollars_at = bisect_left(units_on, on) - 1, bisect_left(dollars_on, on) - 1
        while at >= 0 and dollars_at >= 0 and on - min(units_on[at], dollars_on[dollars_at]) <= OLDEST:
            if units_on[at] == dollars_on[dollars_at]:
                return _EXACT.divide(dollars_per_euro[dollars_at], units_per_euro[at]), units_on[at]
            if units_on[at] > dollars_on[dollars_at]:
                at -= 1
            else:
                dollars_at -= 1
        raise NoRate(f"no {code} rate of the {OLDEST.days} days before {on}; refresh the exchange rates")

    def usd_per_unit(self, on: date) -> dict[str, Decimal]:
        """USD per unit of every currency that has a rate for a price seen on `on`; the dollar left out."""
        known = {}
        for currency in sorted({"EUR", *self._days, *self._stated} - {"USD"}):
            try:
                known[currency], _ = self.usd_per(currency, on)
            except NoRate:
                continue
        return known
