"""Moves between two looks: a broken page is held back, a real price cut is not, and nothing is held for ever."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest

from models.currencies import Rates
from models.moves import Standing, judge
from models.normalise import normalise
from models.offers import Quote
from models.weighing import weigh

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


NOW = datetime(2026, 12, 1, tzinfo=UTC)


def look(*prices, at=NOW, currency="USD", usd_per_unit="1"):
    """(offers, rejected) of verda's 8 H100, each SKU at its price per instance-hour."""
    return normalise(
        [
            Quote(sku, "H100", Decimal(8), Decimal(amount), "per_instance_hour", "on_demand", currency, "FIN-01")
            for sku, amount in prices
        ],
        provider="verda",
        book="",
        observed_at=at,
        origin="live",
        rates=Rates.stated({"EUR": Decimal(usd_per_unit)}, date(2026, 11, 30)),
        page_sha256="ab" * 32,
    )


def standing(offers):
    return {
        one.offer_key: Standing(
            one.offer_key, one.provider, one.book, one.sku, one.region, one.gpu, one.pricing,
            one.usd_per_hour, one.fx_rate, one.observed_at,
        )
        for one in offers
    }  # fmt: skip


def after(moves):
    """What stands after a look that held these back."""
    return {
        move.offer_key: Standing(
            move.offer_key, move.provider, move.book, move.sku, move.region, move.gpu, move.pricing,
            move.last_usd_per_hour, move.last_fx_rate, move.last_seen_at,
            move.held_since, move.held_looks, move.usd_per_hour,
        )
        for move in moves
        if move.held
    }  # fmt: skip


def test_offers_are_weighed_by_their_last_believed_price():
    before, _ = look(("same", "18.32"), ("per-gpu", "18.32"), ("cut", "18.32"), at=NOW - timedelta(days=1))
    offers, rejected = look(("same", "18.32"), ("per-gpu", "2.29"), ("cut", "10.00"), ("new", "20.00"))
    believed, held, moves = weigh(offers, rejected, standing(before), RATES, NOW)
    assert [offer.sku for offer in believed] == ["same", "cut", "new"]
    assert [(row.sku, row.reason, row.amount) for row in held] == [("per-gpu", "suspicious_move", Decimal("2.29"))]
    assert "18.32" in held[0].detail
    assert [(move.sku, move.held, move.reason, move.last_usd_per_hour) for move in moves] == [
        ("per-gpu", True, "suspicious_move", Decimal("18.32")),
        ("cut", False, "large_move", Decimal("18.32")),
    ]
    assert moves[0].last_seen_at == NOW - timedelta(days=1)


def test_a_moved_exchange_rate_is_not_taken_for_a_moved_price():
    before, _ = look(("box", "16.00"), currency="EUR", usd_per_unit="1.1")
    offers, _ = look(("box", "2.00"), currency="EUR", usd_per_unit="1.2")  # an eighth in euros, not in dollars
    assert [move.reason for move in weigh(offers, [], standing(before), RATES, NOW)[2]] == ["suspicious_move"]
    offers, _ = look(("box", "16.00"), currency="EUR", usd_per_unit="1.6")
    assert weigh(offers, [], standing(before), RATES, NOW)[2] == []


@pytest.mark.parametrize(
    ("hours", "believed_at"),
    [
        ([1, 2, 3, 4], None),  # a page that is broken for an afternoon
        ([1, 13, 25, 37], 25),  # three looks and a day
        ([1, 25, 49], 49),  # a day alone is two looks
        ([1, *range(2, 26)], 25),
    ],
)
def test_a_price_that_stays_is_believed_in_the_end(hours, believed_at):
    offers, _ = look(("box", "18.32"))
    stands = standing(offers)
    for hour in hours:
        at = NOW + timedelta(hours=hour)
        offers, _ = look(("box", "2.29"), at=at)
        believed, held, moves = weigh(offers, [], stands, RATES, at)
        assert (len(believed), len(held)) == ((1, 0) if hour == believed_at else (0, 1))
        assert moves[0].reason == ("confirmed_move" if hour == believed_at else "suspicious_move")
        assert (moves[0].held_since, moves[0].last_seen_at) == (NOW + timedelta(hours=1), NOW)
        if hour == believed_at:
            return
        stands = after(moves)
    assert believed_at is None


def test_another_suspicious_price_begins_to_wait_anew():
    offers, _ = look(("box", "18.32"))
    stands = standing(offers)
    waited = []
    for day, price in enumerate(["2.29", "146.56", "146.56", "2.29"], start=1):  # an eighth, eight times
        at = NOW + timedelta(days=day)
        offers, _ = look(("box", price), at=at)
        _, _, moves = weigh(offers, [], stands, {}, at)
        waited.append((moves[0].held_looks, moves[0].held_since))
        stands = after(moves)
    assert waited == [(looks, NOW + timedelta(days=since)) for looks, since in [(1, 1), (1, 2), (2, 2), (1, 4)]]


def test_a_price_that_is_refused_at_every_other_look_is_believed_in_the_end():
    """It once began to wait anew after each refusal, so that the last good price stood for ever."""
    offers, _ = look(("box", "18.32"))
    stands = standing(offers)
    for day, amount in enumerate(["2.29", "2990", "2.29"], start=1):
        at = NOW + timedelta(days=day)
        offers, refused = look(("box", amount), at=at)
        believed, _, moves = weigh(offers, refused, stands, RATES, at)
        stands = after(moves)
    assert [offer.usd_per_hour for offer in believed] == [Decimal("2.29")]
    assert (moves[0].reason, moves[0].held_since, moves[0].held_looks) == ("confirmed_move", NOW + timedelta(days=1), 3)


@pytest.mark.parametrize("amount", ["2990", "0.02", "-18.32", "9999"])
def test_an_offer_whose_amount_is_refused_keeps_its_price_for_a_day_and_is_gone_then(amount):
    offers, _ = look(("box", "18.32"))
    stands = standing(offers)
    for hours, held in [(8, True), (16, True), (24, True), (32, False)]:
        at = NOW + timedelta(hours=hours)
        offers, refused = look(("box", amount), at=at)
        assert (offers, len(refused)) == ([], 1)
        believed, held_back, moves = weigh(offers, refused, stands, RATES, at)
        assert (believed, held_back) == ([], [])  # it is in quarantine already
        assert [(move.held, move.reason, move.last_seen_at) for move in moves] == [
            (True, refused[0].reason, NOW)
        ] * held
        stands = after(moves)


def test_an_offer_without_an_amount_is_gone_at_once():
    offers, _ = look(("zero", "18.32"), ("missing", "18.32"), ("beaten", "18.32"))
    _, refused = look(("zero", "0"))
    beaten = replace(refused[0], sku="beaten", amount=Decimal("18.32"), reason="duplicate")
    assert weigh([], [*refused, beaten], standing(offers), RATES, NOW + timedelta(hours=1)) == ([], [], [])


def test_a_first_price_has_nothing_to_be_compared_with():
    offers, _ = look(("box", "2.29"))
    assert weigh(offers, [], {}, RATES, NOW) == (offers, [], [])
    assert judge(Decimal(0), Decimal("2.29"), Decimal(1), RATES) is None


def prices(times):
    """Three machines of one list, which cost 18.32, 16 and 20 USD per hour, times these."""
    figures = zip(("18.32", "16.00", "20.00"), times, strict=True)
    return [(f"box-{place}", str(Decimal(usd) * Decimal(by))) for place, (usd, by) in enumerate(figures)]


@pytest.mark.parametrize(
    ("times", "held"),
    [
        (("0.1", "0.1", "0.1"), ["box-0", "box-1", "box-2"]),  # a slipped point
        (("6", "6", "6"), ["box-0", "box-1", "box-2"]),
        (("0.1", "0.1", "1"), ["box-0", "box-1"]),  # what stayed is believed
        (("0.1", "1", "1"), []),  # one price may fall so far
        (("0.56", "0.56", "0.56"), []),  # the cut of a whole list that was seen: 44 %
        (("0.21", "0.21", "0.21"), []),
    ],
)
def test_a_list_that_moves_as_a_whole_is_held_back(times, held):
    before, _ = look(*prices(("1", "1", "1")))
    offers, _ = look(*prices(times))
    _, held_back, _ = weigh(offers, [], standing(before), RATES, NOW)
    assert [row.sku for row in held_back] == held


def test_an_offer_first_seen_in_a_list_that_moved_waits_with_it():
    before, _ = look(*prices(("1", "1", "1")))
    offers, _ = look(*prices(("0.1", "0.1", "0.1")), ("new", "2.00"))
    believed, held_back, moves = weigh(offers, [], standing(before), RATES, NOW)
    assert (believed, len(moves)) == ([], 3)
    assert [row.sku for row in held_back] == ["box-0", "box-1", "box-2", "new"]


def test_two_prices_are_no_list():
    before, _ = look(("a", "18.32"), ("b", "16.00"))
    offers, _ = look(("a", "1.832"), ("b", "1.60"))
    assert weigh(offers, [], standing(before), RATES, NOW)[1] == []


def test_what_a_cut_list_does_not_show_stands_for_as_long_as_it_is_cut():
    before, _ = look(("shown", "18.32"), ("lost", "16.00"))
    offers, _ = look(("shown", "18.32"))
    stands, at = standing(before), NOW + timedelta(hours=6)
    _, _, moves = weigh(offers, [], stands, RATES, at, {"": "the page was redesigned: 1 offer where 2 stood"})
    assert [(move.sku, move.held, move.reason, move.last_seen_at) for move in moves] == [
        ("lost", True, "not_shown", NOW)
    ]
    assert weigh(offers, [], {**stands, **after(moves)}, RATES, at + timedelta(hours=6))[2] == []


@pytest.mark.parametrize("times", ["0.1", "0.125"])  # a slipped point; one GPU of eight
def test_prices_that_come_back_to_those_before_the_list_drifted_are_believed_at_once(times):
    good, _ = look(*prices(("1", "1", "1")))
    drifted, _ = look(*prices((times, times, "1")))
    believed, held, moves = weigh(good, [], standing(drifted), RATES, NOW, good=standing(good))
    assert (believed, held) == (good, [])
    assert [(move.sku, move.held, move.reason) for move in moves] == [
        ("box-0", False, "large_move"),
        ("box-1", False, "large_move"),
    ]


def test_prices_that_jump_elsewhere_after_a_drift_are_held_back():
    good, _ = look(*prices(("1", "1", "1")))
    drifted, _ = look(*prices(("0.1", "0.1", "1")))
    offers, _ = look(*prices(("6", "6", "6")))
    _, held, _ = weigh(offers, [], standing(drifted), RATES, NOW, good=standing(good))
    assert [row.sku for row in held] == ["box-0", "box-1", "box-2"]


def test_what_a_page_that_differs_at_every_look_never_shows_is_gone_after_three_looks_and_a_day():
    before, _ = look(("shown", "18.32"), ("closed", "16.00"))
    offers, _ = look(("shown", "18.32"))
    stands = standing(before)
    for hours, held in [(8, True), (16, True), (24, True), (32, False)]:
        at = NOW + timedelta(hours=hours)
        _, _, moves = weigh(offers, [], stands, RATES, at, {"": "the page was redesigned: 1 offer where 2 stood"})
        assert [move.sku for move in moves] == ["closed"] * held
        stands = {**standing(offers), **after(moves)}


@pytest.mark.parametrize(
    ("said", "reasons"),
    [
        (["6", "8", "5.5", "7.5"], ["suspicious_move", "suspicious_move", "suspicious_move", "confirmed_move"]),
        (["0.15", "0.1", "0.15"], ["suspicious_move", "suspicious_move", "confirmed_move"]),
        (["6", "0.1", "6"], ["suspicious_move"] * 3),  # the other side of the last price
    ],
)
def test_a_list_that_really_moved_and_varies_is_believed_in_the_end(said, reasons):
    before, _ = look(*prices(("1", "1", "1")))
    stands, found = standing(before), []
    hours = [1, 13, 14, 26] if len(said) == 4 else [1, 13, 26]
    for hour, times in zip(hours, said, strict=True):
        at = NOW + timedelta(hours=hour)
        offers, _ = look(*prices((times,) * 3), at=at)
        _, _, moves = weigh(offers, [], stands, RATES, at)
        assert len({move.reason for move in moves}) == 1
        found.append(moves[0].reason)
        stands = after(moves)
    assert found == reasons
