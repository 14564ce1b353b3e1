"""A rate that leaps is an error of the page; what currencies do in weeks and months is not."""

from datetime import date, timedelta
from decimal import Decimal

import pytest

from models.offers import CurrencyRate
from models.rate_moves import leaps

DAY = date(2026, 10, 7)


def usd(per_eur: str, days: int = 0) -> CurrencyRate:
    return CurrencyRate(DAY + timedelta(days=days), "USD", Decimal(per_eur))


@pytest.mark.parametrize(
    ("per_eur", "days", "far"),
    [
        ("1.16", 1, False),
        ("1.25", 1, False),  # 8 %
        ("0.835", 1, True),  # times 0.72
        ("1.30", 3, True),  # 12 % over a weekend
        ("1.30", 30, False),  # in a month
        ("11.6", 90, True),  # a slipped point, whenever
        ("0.116", 365, True),
    ],
)
def test_a_rate_is_far_by_the_days_since_the_last(per_eur: str, days: int, far: bool):
    rate = usd(per_eur, days)
    assert leaps([usd("1.16"), usd("1.50", -400)], [rate]) == [rate] * far


def test_a_currency_that_nobody_knows_yet_is_taken():
    assert leaps([], [usd("1.16")]) == []
