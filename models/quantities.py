"""Counts as people write and read them: 7B, 1.4T, 7e9, 140,000,000,000, "1,4 biljoen"; 1 GPU, 8 GPUs.

Only whole counts (parameters, tokens). Prices are read by the sources that print them.
"""

from __future__ import annotations

import re
from decimal import Decimal

LARGEST = 2**63 - 1
ENGLISH = {
    "": 0,
    "k": 3,
    "thousand": 3,
    "m": 6,
    "million": 6,
    "b": 9,
    "bn": 9,
    "billion": 9,
    "t": 12,
    "tn": 12,
    "trillion": 12,
}
# Dutch counts on the long scale (biljoen is 10**12) and swaps the two separators.
DUTCH = {"duizend": 3, "miljoen": 6, "miljard": 9, "biljoen": 12}

_COUNT = re.compile(r"(?P<number>[0-9.,]+(?:e[+]?[0-9]{1,2})?)(?P<scale>[a-z]*)")
_GROUPED = re.compile(r"[0-9]{1,3}(,[0-9]{3})+(\.[0-9]+)?")
_PLAIN = re.compile(r"[0-9]+(\.[0-9]+)?(e[+]?[0-9]{1,2})?")
_DUTCH_GROUPED = re.compile(r"([0-9]{1,3}(\.[0-9]{3})+|[0-9]+)(,[0-9]+)?")
_THOUSAND_OR_DECIMAL = re.compile(r"[0-9]{1,3}\.[0-9]{3}")


def counted(number: float, noun: str) -> str:
    """A number of something in words: 1 GPU, 1,024 GPUs; below ten with a decimal where it has one, 1.3 days."""
    figure = f"{number:,.1f}".removesuffix(".0") if number < 10 else f"{number:,.0f}"
    return f"{figure} {noun}" if figure == "1" else f"{figure} {noun}s"


def parse_count(text: str) -> int:
    """A whole, positive count from text; ValueError says how to write it when it can be read two ways.

    English by default: B is 10**9, T is 10**12, comma groups, point is the decimal mark. The Dutch words
    miljoen, miljard and biljoen bring the Dutch separators with them.
    """
    cleaned = re.sub(r"[\s_]", "", text).lower()
    match = _COUNT.fullmatch(cleaned)
    if match is None:
        raise ValueError(f"{text!r} is not a count; write it like 7B, 1.4T, 7e9 or 7,000,000,000")
    number, scale = match["number"], match["scale"]
    if scale in DUTCH:
        if not _DUTCH_GROUPED.fullmatch(number):
            raise ValueError(f"{text!r} is not a Dutch number; write it like 1,4 biljoen or 175 miljard")
        return _whole(number.replace(".", "").replace(",", "."), DUTCH[scale], text)
    if scale not in ENGLISH:
        raise ValueError(f"{text!r}: unit {scale!r} is unknown; use K, M, B or T")
    if _THOUSAND_OR_DECIMAL.fullmatch(number) and not scale:
        raise ValueError(f"{text!r} can be read two ways; write {number.replace('.', '')} or {float(number):g}")
    if _GROUPED.fullmatch(number):
        number = number.replace(",", "")
    elif not _PLAIN.fullmatch(number):
        raise ValueError(f"{text!r}: the point is the decimal mark and the comma groups thousands, like 1.4T")
    return _whole(number, ENGLISH[scale], text)


def _whole(number: str, exponent: int, text: str) -> int:
    value = Decimal(number).scaleb(exponent)
    if not 0 < value <= LARGEST or value != value.to_integral_value():
        raise ValueError(f"{text!r} is not a whole, positive count of at most {LARGEST:,}")
    return int(value)
