"""Moments as file names that sort by time, of kept looks and of what they came to; a file of another name is neither.

Dates that prices carry are models.moments.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime

STAMP = r"[0-9]{8}T[0-9]{6}\.[0-9]{6}Z"  # what `stamp` writes, for patterns of names


def stamp(moment: datetime) -> str:
    """20261130T060000.000000Z."""
    return moment.astimezone(UTC).strftime("%Y%m%dT%H%M%S.%fZ")


def moment_of(name: str) -> datetime:
    """The moment for which a file name that begins with a stamp stands; ValueError for another name."""
    if not re.match(STAMP, name):
        raise ValueError(f"{name} does not begin with a moment such as 20261130T060000.000000Z")
    return datetime.strptime(name.partition("Z")[0], "%Y%m%dT%H%M%S.%f").replace(tzinfo=UTC)
