"""Reading headers of answers, which anybody may have written: a figure that is none is absent, never an error."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime

_DIGITS = re.compile(r"0*([0-9]+)")
_MOST = 10**15  # larger figures count as this one, so that sums with them cannot overflow
_VALIDATOR = re.compile(r"[\x20-\x7e\xa0-\xff]{1,1024}")  # what can be sent back as it came


def whole_number(headers: Mapping[str, str], name: str) -> int | None:
    """A header of ASCII digits; None for anything else, such as superscripts, signs, or two figures."""
    digits = _DIGITS.fullmatch(headers.get(name, "").strip())
    if digits is None:
        return None
    return int(digits[1]) if len(digits[1]) <= 15 else _MOST


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Seconds asked for by Retry-After, as a number or a date; None when absent or nonsense."""
    if (seconds := whole_number(headers, "Retry-After")) is not None:
        return float(seconds)
    try:
        return max(0.0, (parsedate_to_datetime(headers.get("Retry-After", "")) - now).total_seconds())
    except (TypeError, ValueError, OverflowError):
        return None


def validator(headers: Mapping[str, str], name: str) -> str:
    """An ETag or a Last-Modified to ask with next time; "" for one that no request could carry."""
    value = headers.get(name, "")
    return value if _VALIDATOR.fullmatch(value) and value == value.strip() else ""


def sendable(key: str) -> bool:
    """Whether a request can carry a key: printable ASCII without space around it. A file's last line end is none."""
    return key.isascii() and key.isprintable() and key == key.strip()
