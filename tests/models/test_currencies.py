"""Exchange rates: the day that counts, the day that is too old, and the cross through the euro."""

from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.currencies import NoRate, Rates, UnknownCurrency
from models.offers import CurrencyRate

FRIDAY, MONDAY, TUESDAY = date(2026, 11, 27), date(2026, 11, 30), date(2026, 12, 1)
ROWS = [
    CurrencyRate(FRIDAY, "USD", Decimal("1.0800")),
    CurrencyRate(MONDAY, "USD", Decimal("1.1000")),
    CurrencyRate(TUESDAY, "USD", Decimal("1.1200")),
    CurrencyRate(FRIDAY, "INR", Decimal("90.00")),
    CurrencyRate(MONDAY, "INR", Decimal("88.00")),
]


def test_the_rate_of_the_day_itself_is_not_used_because_it_is_published_in_the_afternoon():
    assert Rates.of(ROWS).usd_per("EUR", TUESDAY) == (Decimal("1.1000"), MONDAY)


def test_over_a_weekend_the_friday_rate_stands():
    rates = Rates.of(ROWS)
    for day in (date(2026, 11, 28), date(2026, 11, 29), MONDAY):
        assert rates.usd_per("EUR", day) == (Decimal("1.0800"), FRIDAY)


def test_two_currencies_meet_through_the_euro():
    assert Rates.of(ROWS).usd_per("INR", TUESDAY) == (Decimal("0.0125"), MONDAY)  # 1.10 / 88


def test_a_cross_rate_takes_both_legs_from_one_day():
    # on Wednesday the newest dollar rate is Tuesday's, the newest rupee rate Monday's
    assert Rates.of(ROWS).usd_per("INR", date(2026, 12, 2)) == (Decimal("0.0125"), MONDAY)


def test_the_dollar_needs_no_rate():
    assert Rates.of([]).usd_per("USD", TUESDAY) == (Decimal(1), None)


def test_a_rate_ten_days_old_still_stands_and_one_of_eleven_days_does_not():
    rates = Rates.of([CurrencyRate(FRIDAY, "USD", Decimal("1.08"))])
    assert rates.usd_per("EUR", date(2026, 12, 7)) == (Decimal("1.08"), FRIDAY)
    with pytest.raises(NoRate, match="no EUR rate"):
        rates.usd_per("EUR", date(2026, 12, 8))


def test_before_the_first_rate_there_is_none():
    with pytest.raises(NoRate):
        Rates.of(ROWS).usd_per("EUR", FRIDAY)


@pytest.mark.parametrize("text", ["AKT", "credits", "$", "", "EURO"])
def test_what_is_no_currency_is_told_from_a_missing_rate(text):
    with pytest.raises(UnknownCurrency):
        Rates.of(ROWS).usd_per(text, TUESDAY)
    with pytest.raises(NoRate):
        Rates.of(ROWS).usd_per("SEK", TUESDAY)


def test_a_figure_that_is_not_a_rate_counts_as_not_published():
    dirty = [CurrencyRate(MONDAY, "USD", Decimal(text)) for text in ("NaN", "0", "-1.1", "Infinity")]
    rates = Rates.of([CurrencyRate(FRIDAY, "USD", Decimal("1.08")), *dirty])
    assert rates.usd_per("EUR", TUESDAY) == (Decimal("1.08"), FRIDAY)


def test_a_corrected_rate_replaces_the_first_one():
    rates = Rates.of([*ROWS, CurrencyRate(MONDAY, "USD", Decimal("1.1001"))])
    assert rates.usd_per("EUR", TUESDAY)[0] == Decimal("1.1001")


def test_stated_rates_hold_for_every_day():
    rates = Rates.stated({"USD": Decimal(1), "EUR": Decimal("1.10")}, MONDAY)
    for day in (date(2020, 1, 1), MONDAY, date(2030, 1, 1)):
        assert rates.usd_per("eur", day) == (Decimal("1.10"), MONDAY)
    with pytest.raises(NoRate):
        rates.usd_per("INR", MONDAY)
    with pytest.raises(ValueError, match="EUR"):
        Rates.stated({"EUR": Decimal(0)}, MONDAY)


def test_the_rates_of_a_day_in_one_table():
    assert Rates.of(ROWS).usd_per_unit(TUESDAY) == {"EUR": Decimal("1.1000"), "INR": Decimal("0.0125")}
    assert Rates.of([]).usd_per_unit(TUESDAY) == {}


@given(st.permutations(ROWS))
def test_the_order_of_the_rows_does_not_matter(rows):
    assert Rates.of(rows) == Rates.of(ROWS)
