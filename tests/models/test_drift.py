"""Drift between two looks: told in numbers, flagged when it is large, never a reason to drop a row."""

from __future__ import annotations

from decimal import Decimal

import pytest

from models.drift import Listed, Profile, drift, profile


def looked(*prices: str, family: str = "h100", pricing: str = "on_demand", refused: int = 0) -> Profile:
    return profile(
        [Listed(f"{family}-{place}", family, pricing, Decimal(price)) for place, price in enumerate(prices)], refused
    )


@pytest.mark.parametrize(
    ("before", "now", "flags"),
    [
        (10, 10, []),
        (10, 6, []),
        (10, 5, ["5 rows where there were 10"]),
        (1000, 1, ["1 rows where there were 1,000"]),
        (10, 40, []),  # growth is no fault
    ],
)
def test_rows_down_by_half_are_flagged(before: int, now: int, flags: list[str]):
    assert drift(looked(*["2.00"] * before), looked(*["2.00"] * now)).flags == flags


@pytest.mark.parametrize(
    ("now", "flagged"), [("2.00", False), ("5.99", False), ("6.00", True), ("0.67", False), ("0.66", True)]
)
def test_a_median_that_moved_threefold_is_flagged_in_both_directions(now: str, flagged: bool):
    found = drift(looked("1.90", "2.00", "2.10"), looked(now, now, now))
    assert bool(found.flags) is flagged


def test_the_flag_names_the_card_the_kind_and_both_medians():
    found = drift(looked("3.00"), looked("0.375"))
    assert found.flags == ["the median of h100 on_demand went from 3 to 0.375 USD per GPU-hour"]


def test_one_price_that_went_wild_does_not_move_a_median():
    assert drift(looked("2.00", "2.10", "2.20"), looked("2.00", "2.10", "220")).flags == []


def test_spot_that_is_listed_for_the_first_time_moves_no_median():
    before = [Listed("a", "h100", "on_demand", Decimal(3))]
    now = [*before, *(Listed(f"s{place}", "h100", "spot", Decimal("0.5")) for place in range(5))]
    found = drift(profile(before), profile(now))
    assert found.flags == []
    assert [(move.pricing, move.times) for move in found.moves] == [("on_demand", 1)]


def test_skus_and_unknown_names_that_came_and_went():
    before = profile([Listed(sku, "h100", "on_demand", Decimal(2)) for sku in "abc"], 2, ["RTX 9900"])
    now = profile([Listed(sku, "h100", "on_demand", Decimal(2)) for sku in "bcd"], 3, ["RTX 9900", "B400"])
    found = drift(before, now)
    assert (found.new_skus, found.vanished_skus) == ({"d"}, {"a"})
    assert found.new_unknown_names == {"B400"}
    assert (found.before.refused_share, found.now.refused_share) == (0.4, 0.5)


def test_the_largest_move_comes_first_up_or_down():
    before = profile([Listed(family, family, "spot", Decimal(4)) for family in ("a", "b", "c")])
    now = profile(
        [
            Listed("a", "a", "spot", Decimal(5)),
            Listed("b", "b", "spot", Decimal(1)),
            Listed("c", "c", "spot", Decimal(8)),
        ]
    )
    assert [move.gpu_family for move in drift(before, now).moves] == ["b", "c", "a"]


def test_an_empty_look_has_no_share_and_no_median():
    assert (looked().refused_share, looked().medians) == (0.0, {})
    assert drift(looked("2.00", "2.00"), looked()).flags == ["0 rows where there were 2"]


def test_skus_that_vanish_for_others_are_flagged_though_as_many_rows_are_there():
    before = profile([Listed(sku, "h100", "on_demand", Decimal(2)) for sku in "abcdefghi"])
    now = profile([Listed(sku, "h100", "on_demand", Decimal(2)) for sku in "stuv" for _ in range(2)])
    assert drift(before, now).flags == ["9 of 9 SKUs vanished and 4 are new"]
    kept = profile([Listed(sku, "h100", "on_demand", Decimal(2)) for sku in "abcdexyzw"])
    assert drift(before, kept).flags == []  # four of nine


def test_what_is_held_is_neither_gone_nor_in_a_median():
    before = looked("2.00", "2.10", "2.20")
    now = profile([Listed("h100-0", "h100", "on_demand", Decimal(2))], held=["h100-1", "h100-2"])
    assert (drift(before, now).flags, now.rows, drift(before, now).vanished_skus) == ([], 3, set())
