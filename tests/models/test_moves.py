"""Moves between two looks: a broken page is held back, a real price cut is not."""

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from models.currencies import Rates
from models.moves import judge, sift
from models.normalise import normalise
from models.offers import Quote

RATES = {"EUR": Decimal("1.10"), "CNY": Decimal("0.14"), "USD": Decimal(1)}


@pytest.mark.parametrize(
    ("provider", "gpus", "last", "new", "hold", "reason"),
    [
        ("lambda", 1, "2.99", "299.00", True, "suspicious_move"),  # cents read as dollars
        ("vultr", 1, "2.99", "0.0299", True, "suspicious_move"),
        ("aws", 8, "98.32", "55.04", False, "large_move"),  # the real cut of 44 %
        ("runpod", 1, "1.64", "1.69", None, None),
        ("verda", 8, "18.32", "2.29", True, "suspicious_move"),  # the per-GPU price in place of the instance
        ("verda", 8, "2.29", "18.32", True, "suspicious_move"),
        ("ovh", 1, "3.08", "2.80", False, "currency_rate"),  # euros taken for dollars
        ("crusoe", 8, "31.20", "-31.20", True, "suspicious_move"),
        ("crusoe", 8, "31.20", "NaN", True, "suspicious_move"),
        ("crusoe", 8, "31.20", "0", True, "suspicious_move"),
        ("anyone", 1, "900", "1001", True, "suspicious_move"),  # above what any GPU costs
        ("anyone", 8, "10", "500", True, "suspicious_move"),  # fifty times
        ("anyone", 1, "2.00", "2.00", None, None),
        ("anyone", 2, "4.00", "2.02", False, "large_move"),  # near the half, not the half
    ],
)
def test_a_move_is_believed_marked_or_held(provider, gpus, last, new, hold, reason):
    move = judge(Decimal(last), Decimal(new), Decimal(gpus), RATES)
    assert (move and move.hold, move and move.reason) == (hold, reason)
    if move:
        assert move.detail
        assert "\n" not in move.detail


def test_offers_are_sifted_by_their_last_accepted_price():
    rows = [
        Quote(sku, "H100", Decimal(8), Decimal(amount), "per_instance_hour", "on_demand", region="FIN-01")
        for sku, amount in [("same", "18.32"), ("per-gpu", "2.29"), ("cut", "10.00"), ("new", "20.00")]
    ]
    offers, _ = normalise(
        rows,
        provider="verda",
        book="",
        observed_at=datetime(2026, 12, 1, tzinfo=UTC),
        origin="live",
        rates=Rates.stated({}, date(2026, 11, 30)),
        page_sha256="ab" * 32,
    )
    last = {offer.offer_key: Decimal("18.32") for offer in offers if offer.sku != "new"}
    accepted, held, marked = sift(offers, last, RATES)
    assert [offer.sku for offer in accepted] == ["same", "cut", "new"]
    assert [(row.sku, row.reason, row.amount) for row in held] == [("per-gpu", "suspicious_move", Decimal("2.29"))]
    assert [(offer.sku, move.reason) for offer, move in marked] == [("cut", "large_move")]
    assert "18.32" in held[0].detail


def test_a_first_price_has_nothing_to_be_compared_with():
    offers = []
    assert sift(offers, {"unknown": Decimal(1)}, RATES) == ([], [], [])
    assert judge(Decimal(0), Decimal("2.29"), Decimal(1), RATES) is None
