"""Reading the dates that prices carry: moments with an offset become UTC, a bare day stays a day.

Schedules, clocks and file names do not belong here; nothing here asks what time it is.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta

# What clocks of well-kept machines differ by at most; a look dated further ahead would be the newest for ever.
CLOCKS_DIFFER_BY = timedelta(minutes=5)
WRITTEN = datetime(2026, 11, 1, tzinfo=UTC)  # no clock is right that shows a time before this was written
_DAY_FIRST = re.compile(r"(\d{1,2})[/.](\d{1,2})[/.](\d{4})")


class ClockIsWrong(ValueError):
    """The machine's clock cannot be right: everything that is known would lie in its future."""


def parse_moment(text: str) -> datetime | date:
    """The UTC moment, or the day, that a date text of a price list means.

    Read are ISO 8601 with `Z` or an offset (a moment, as UTC), ISO 8601 without a zone (only its day is
    certain, so a date), a bare ISO day, and the day-first `30/11/2026` or `30.11.2026` of European pages.
    A page that writes the month first must not be read with this. The host's time zone plays no part.
    Raises ValueError for anything else.
    """
    text = text.strip()
    if found := _DAY_FIRST.fullmatch(text):
        day, month, year = (int(part) for part in found.groups())
        return date(year, month, day)
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is not None:
        return moment.astimezone(UTC)
    return moment.date()


def utc_day(moment: datetime | date) -> date:
    """The calendar day in UTC; a moment without a zone is taken as UTC."""
    if not isinstance(moment, datetime):
        return moment
    try:
        return moment.date() if moment.tzinfo is None else moment.astimezone(UTC).date()
    except OverflowError:  # the first or last day of the calendar, in another zone
        return moment.date()


def is_after(moment: datetime | date, now: datetime) -> bool:
    """Whether `moment` lies in the future of `now`: moments compare as instants, a bare day as a UTC day."""
    if not isinstance(moment, datetime):
        return moment > utc_day(now)
    return (moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)) > now


def is_ahead_of_clocks(moment: datetime, now: datetime) -> bool:
    """Whether a look of that moment cannot have been made yet: the clock that dated it, or ours, is wrong."""
    return moment > now + CLOCKS_DIFFER_BY


def require_clock(now: datetime) -> None:
    """Raises ClockIsWrong where a clock shows a time before this program was written, as one without a battery does."""
    if now < WRITTEN:
        raise ClockIsWrong(f"the clock of this machine shows {now:%Y-%m-%d}: set it right and run `gpuledger refresh`")
