"""The whole bill of a model, and its split when only the compute is known."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.costs.bill import bill, by_split, data_usd, experiments_multiplier, people_term, people_usd
from models.training.estimate import Range

USD = st.floats(0, 1e9)


def sure(usd):
    return Range(usd, usd, usd)


def test_the_published_split_of_79_million():
    # 65/15/12/8; 79M is a compute-only figure, so the whole bill would be 121.5M
    lines = {line.part: line for line in by_split(79e6, "guide")}
    assert lines["total"].usd.mid == pytest.approx(121.5e6, abs=0.05e6)
    assert lines["compute"].usd.mid == 79e6
    assert sum(line.share.mid for part, line in lines.items() if part != "total") == pytest.approx(1)
    of_79 = {part: line.share.mid * 79 for part, line in lines.items()}
    assert of_79["compute"] == pytest.approx(51.35)
    assert of_79["data"] == pytest.approx(11.85)
    assert of_79["people"] == pytest.approx(9.48)
    assert of_79["infrastructure"] == pytest.approx(6.32)


def test_the_measured_split_gives_people_more_than_twice_as_much():
    guide = {line.part: line for line in by_split(79e6, "guide")}
    measured = {line.part: line for line in by_split(79e6, "measured")}
    assert measured["people"].share.low > 2 * guide["people"].share.mid
    assert measured["total"].usd.low == pytest.approx(79e6 / 0.67)
    assert measured["total"].usd.high == pytest.approx(79e6 / 0.47)


@pytest.mark.parametrize(
    ("preset", "factor"), [("lean", 1.3), ("usual", 1.5), ("first_time", 2.0), ("exploratory", 3.0), (1.7, 1.7)]
)
def test_presets_of_the_experiments(preset, factor):
    assert experiments_multiplier(preset) == factor


def test_experiments_are_multiplied_once():
    # 22,000 for the run: two to three times is 44-66K, and never 1.5 on top
    assert bill(sure(22_000), experiments=2).total.mid == 44_000
    assert bill(sure(22_000), experiments=3).total.mid == 66_000
    assert bill(sure(22_000)).total.mid == pytest.approx(22_000 * 1.4)
    assert bill(Range(10, 20, 40)).total.low == pytest.approx(10 * 1.4)


@pytest.mark.parametrize("preset", [0.4, 40, "double"])
def test_what_is_no_multiplier_is_refused(preset):
    with pytest.raises(ValueError, match=r"at least 1|not lean"):
        experiments_multiplier(preset)


@pytest.mark.parametrize("basis", ["rented", "reserved"])
def test_electricity_is_not_added_to_a_rent(basis):
    with pytest.raises(ValueError, match="holds the electricity already"):
        bill(sure(100), basis=basis, energy_usd=sure(5))
    owned = bill(sure(100), basis="owned", experiments=1, energy_usd=sure(5))
    assert owned.total.mid == 105


def test_people_and_data():
    # 20 to 50 engineers at a million for 100 days: 7-17% of 79M
    assert people_usd(20, 1e6, 12 * 100 / 365) == pytest.approx(5.5e6, abs=0.05e6)
    assert people_usd(50, 1e6, 12 * 100 / 365) == pytest.approx(13.7e6, abs=0.05e6)
    assert data_usd(1_000, 10**9, 0.5) == 1_500


def test_every_line_says_where_it_comes_from():
    paid = bill(sure(100), compute_source="price page", extras={"storage": 10, "teacher": 20})
    assert [term.name for term in paid.terms] == ["compute", "experiments", "storage", "teacher"]
    assert all(term.formula and term.source for term in paid.terms)
    assert paid.share("teacher") == pytest.approx(20 / paid.total.mid)
    with pytest.raises(ValueError, match="less than nothing"):
        bill(sure(100), extras={"storage": -1})


@given(USD, USD, st.dictionaries(st.sampled_from(["storage", "data", "people"]), USD), st.floats(1, 10))
def test_a_bill_is_the_sum_of_its_lines_and_grows_with_each(compute, more, extras, factor):
    one = bill(sure(compute), experiments=factor, extras=extras)
    assert one.total.mid == pytest.approx(compute * factor + sum(extras.values()))
    assert bill(sure(compute + more), experiments=factor, extras=extras).total.mid >= one.total.mid


def test_people_say_who_they_are_and_where_their_cost_is_from():
    line = people_term(4, None, 6)
    assert line.usd.mid == 600_000  # 4 x 300,000 x 6 / 12
    assert line.formula == "4 heads full time x 300,000 USD a year x 6 months / 12"
    assert "an assumption" in line.source
    assert people_term(1, 250_000, 1).formula == "1 head full time x 250,000 USD a year x 1 month / 12"
    assert "salary as given" in people_term(1, 250_000, 1).source
