"""What spot saves a training run, against the table of savings by interruptions of the gang."""

from __future__ import annotations

import math
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.training.spot import (
    break_even_interruptions_per_hour,
    calendar_days,
    gang_interruptions_per_hour,
    per_node_hour,
    spot_loss,
    spot_price,
)

TABLE = [  # interruptions/h, loss %, saving % at 40% off, at 70% off; 2 minutes to save, 15 to restart
    (0.01, 2.8, 38, 69),
    (0.05, 7.0, 35.5, 68),  # 35.48: published as 36
    (0.1, 10.7, 33, 66),
    (0.25, 19, 26, 63),
    (0.5, 31, 13, 57),
    (1, 51, -22, 39),
]


@pytest.mark.parametrize(("rate", "loss", "saving_40", "saving_70"), TABLE)
def test_the_spot_table(rate, loss, saving_40, saving_70):
    assert spot_loss(rate).share * 100 == pytest.approx(loss, abs=0.05 if loss < 11 else 0.5)
    assert spot_price(Decimal("0.6"), rate, Decimal(1)).saving * 100 == pytest.approx(saving_40, abs=0.5)
    assert spot_price(Decimal("0.3"), rate, Decimal(1)).saving * 100 == pytest.approx(saving_70, abs=0.5)


@pytest.mark.parametrize(("discount", "published"), [(0.4, 0.73), (0.7, 1.55)])
def test_where_spot_saves_nothing_any_more(discount, published):
    # published to two digits from interpolation in the table; the root is 0.722 and 1.525
    rate = break_even_interruptions_per_hour(discount)
    assert rate == pytest.approx(published, rel=0.02)
    assert spot_price(Decimal(1) - Decimal(str(discount)), rate, Decimal(1)).saving == pytest.approx(0, abs=1e-9)


def test_a_gang_is_interrupted_as_often_as_its_nodes_together():
    assert gang_interruptions_per_hour(64, 0.001) == pytest.approx(0.064)


def test_an_advisors_bucket_is_a_monthly_share():
    # 5% of instances reclaimed in a month of 730 hours
    assert per_node_hour(0.05) == pytest.approx(-math.log(0.95) / 730)
    assert per_node_hour(0) == 0
    with pytest.raises(ValueError, match="0 to 1"):
        per_node_hour(5)  # percent


def test_the_calendar_pays_for_the_loss_and_for_the_waits():
    assert calendar_days(10, 0) == 10
    assert calendar_days(10, 0.1) == pytest.approx(10 / (1 - 0.1066), rel=1e-3)
    assert calendar_days(10, 0.1, wait_hours=2) == pytest.approx(calendar_days(10, 0.1) * 1.2)


@given(st.floats(0, 20), st.floats(0, 20))
def test_more_interruptions_never_make_spot_cheaper(one, other):
    few, many = min(one, other), max(one, other)
    price = Decimal("1.20")
    cheap, dear = spot_price(price, few), spot_price(price, many)
    assert cheap.effective_usd_per_gpu_hour <= dear.effective_usd_per_gpu_hour + 1e-9
    assert cheap.effective_usd_per_gpu_hour >= float(price)
