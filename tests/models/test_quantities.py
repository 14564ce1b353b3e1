"""Counts as people write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.quantities import counted, parse_count


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("7B", 7_000_000_000),
        ("1T", 10**12),
        ("15.6T", 15_600_000_000_000),
        ("0.78t", 780_000_000_000),
        ("405.9 billion", 405_900_000_000),
        ("140e9", 140_000_000_000),
        ("7000000000.0", 7_000_000_000),
        ("140,000,000,000", 140_000_000_000),
        ("140_000_000_000", 140_000_000_000),
        ("512", 512),
    ],
)
def test_reads_a_count(text, count):
    assert parse_count(text) == count


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("175 miljard", 175_000_000_000),  # GPT-3
        ("15 biljoen", 15 * 10**12),  # a trillion
        ("1,4 biljoen", 1_400_000_000_000),
        ("1.000 miljard", 10**12),
        ("405,9 miljard", 405_900_000_000),
        ("500 miljoen", 500_000_000),
    ],
)
def test_dutch_words_bring_dutch_separators(text, count):
    assert parse_count(text) == count


@pytest.mark.parametrize(
    "text",
    [
        "",
        "B",
        "seven",
        "-7B",
        "0",
        "nan",
        "1.5",
        "7X",
        "1,5T",
        "7.000.000.000",
        "1.4 biljoen x",
        "1e19",
        "1e99",
        "1e999999999",
    ],
)
def test_refuses_what_is_not_a_whole_count(text):
    with pytest.raises(ValueError, match=r"write it|not a whole|unit|mark"):
        parse_count(text)


def test_refuses_a_number_that_can_be_read_two_ways():
    with pytest.raises(ValueError, match=r"write 184320 or 184.32"):
        parse_count("184.320")


@given(st.integers(min_value=1, max_value=10**16))
def test_a_whole_number_survives_every_spelling(count):
    assert parse_count(str(count)) == count
    assert parse_count(f"{count:,}") == count
    assert parse_count(f"{count}e0") == count


@pytest.mark.parametrize(
    ("number", "noun", "told"),
    [
        (1, "GPU", "1 GPU"), (8, "GPU", "8 GPUs"), (4_712, "GPU", "4,712 GPUs"), (0, "instance", "0 instances"),
        (1.0, "day", "1 day"), (1.04, "day", "1 day"), (1.3, "day", "1.3 days"), (0.6, "day", "0.6 days"),
        (89.97, "day", "90 days"), (9.96, "day", "10 days"),
    ],
)  # fmt: skip
def test_numbers_of_things_are_told_as_people_say_them(number, noun, told):
    assert counted(number, noun) == told
