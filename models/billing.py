"""What a printed amount covers: seconds to terms, upfront fees, and the money of one hour that follows.

Hours only: the number of GPUs and the currency are the business of `models.normalise`.
"""

from __future__ import annotations

from decimal import Decimal

from models.offers import UNITS, Quote

HOURS_PER_MONTH = Decimal(730)  # 8,760 hours of a year / 12
MONTHS_HOURS_RANGE = (Decimal(672), Decimal(744))  # February to a month of 31 days

COMMITTED = frozenset({"reserved", "savings_plan", "capacity_block"})

# How often the amount falls due in one hour.
_TIMES_AN_HOUR = {
    "per_gpu_hour": 1,
    "per_instance_hour": 1,
    "per_gpu_second": 3600,
    "per_instance_second": 3600,
    "per_instance_minute": 60,
}
LONGEST_TERM_MONTHS = 120
TOO_LARGE = Decimal(10) ** 10  # money is stored as DECIMAL(18,8)
# Amounts that fill a field nobody meant to sell by; only for whole hours, a month may well cost 9,999.
PLACEHOLDERS = frozenset(Decimal(text) for text in ("9999", "9999.99", "99999", "99999.99", "999999", "999999.99"))


class NotAnOffer(Exception):
    """A row that is no price we can stand behind: a reason code, and the text is one line for people."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.reason, self.detail = reason, detail


def amounts_per_hour(quote: Quote) -> tuple[Decimal, Decimal]:
    """(running, upfront) money of one hour in the quote's currency; the running part is per GPU or per
    instance as the unit says, the upfront part is of the whole instance. A fee beside a price that commits to
    nothing is due once however long it is rented, so it is no part of an hour. Raises NotAnOffer."""
    amount, upfront = quote.amount, Decimal(0) if quote.upfront is None else quote.upfront
    for figure in (amount, upfront):
        if not (figure.is_finite() and figure >= 0):
            raise NotAnOffer("not_a_price", f"{figure_text(figure)} is not a price")
        if figure >= TOO_LARGE:
            raise NotAnOffer("out_of_bounds", f"{figure_text(figure)} is too large to be a price")
    if amount == 0 and upfront == 0:
        raise NotAnOffer("not_a_price", "0 is not a price")
    if quote.unit not in UNITS:
        raise NotAnOffer("unknown_unit", f"unknown unit {quote.unit!r}")
    if quote.unit.endswith("_hour") and amount in PLACEHOLDERS:
        raise NotAnOffer("not_a_price", f"{amount} per hour is a placeholder")

    term_hours = Decimal(0)
    spread = upfront if quote.pricing in COMMITTED or quote.unit == "per_term" else Decimal(0)
    if amount == 0 and spread == 0:
        raise NotAnOffer("not_a_price", "a fee without a price is not a price")
    if quote.pricing == "reserved" or quote.unit == "per_term" or spread > 0:
        if quote.term_months is None or not 0 < quote.term_months <= LONGEST_TERM_MONTHS:
            raise NotAnOffer("missing_term", "a commitment without the length of its term has no hourly price")
        term_hours = quote.term_months * HOURS_PER_MONTH  # 8,760 for a year, 26,280 for three
    if quote.unit == "per_term":
        running = amount / term_hours
    elif quote.unit.endswith("_month"):
        running = amount / _hours_per_month(quote)
    else:
        running = amount * _TIMES_AN_HOUR[quote.unit]
    return running, spread / term_hours if spread > 0 else Decimal(0)


def _hours_per_month(quote: Quote) -> Decimal:
    hours = HOURS_PER_MONTH if quote.hours_per_month is None else quote.hours_per_month
    shortest, longest = MONTHS_HOURS_RANGE
    if not (hours.is_finite() and shortest <= hours <= longest):
        raise NotAnOffer("unknown_unit", f"a month of {figure_text(hours)} hours does not exist")
    return hours


def figure_text(figure: Decimal) -> str:
    """A figure as printed, cut where it is longer than a price ever is."""
    return str(figure)[:24]
