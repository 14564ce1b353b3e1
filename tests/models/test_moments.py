"""Dates of prices: an announced price must not become current because of the machine's time zone."""

import time
from datetime import UTC, date, datetime

import pytest

from models.moments import is_after, parse_moment, utc_day

WRITTEN = {
    "2026-11-30T00:00:00Z": (datetime(2026, 11, 30, tzinfo=UTC), date(2026, 11, 30)),
    "2026-11-30T23:30:00-08:00": (datetime(2026, 12, 1, 7, 30, tzinfo=UTC), date(2026, 12, 1)),
    "2026-12-01T00:15:00+01:00": (datetime(2026, 11, 30, 23, 15, tzinfo=UTC), date(2026, 11, 30)),
    "2026-12-01": (date(2026, 12, 1), date(2026, 12, 1)),
    "30/11/2026": (date(2026, 11, 30), date(2026, 11, 30)),
}


@pytest.mark.parametrize("zone", ["UTC", "America/Denver", "Asia/Kolkata"])
def test_the_same_moment_whatever_the_zone_of_the_machine(monkeypatch, zone):
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        for text, (moment, day) in WRITTEN.items():
            assert parse_moment(text) == moment
            assert type(parse_moment(text)) is type(moment)
            assert utc_day(parse_moment(text)) == day
    finally:
        monkeypatch.undo()
        time.tzset()


def test_a_moment_without_a_zone_is_only_known_to_the_day():
    assert parse_moment("2026-11-30T23:30:00") == date(2026, 11, 30)


@pytest.mark.parametrize("text", ["", "soon", "11/30/2026", "2026-13-01", "31.02.2026"])
def test_what_is_no_date_raises(text):
    with pytest.raises(ValueError):  # noqa: PT011
        parse_moment(text)


def test_moments_compare_as_instants_and_days_as_days():
    now = datetime(2026, 12, 1, 7, 0, tzinfo=UTC)
    assert is_after(parse_moment("2026-11-30T23:30:00-08:00"), now)  # half an hour ahead
    assert not is_after(parse_moment("2026-12-01T00:15:00+01:00"), now)
    assert not is_after(date(2026, 12, 1), now)
    assert is_after(date(2026, 12, 2), now)
    assert not is_after(now, now)
