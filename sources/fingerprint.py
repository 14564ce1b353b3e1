"""The layout of a page as a short hash: the same while prices and rows change, another when the page is redesigned.

It covers which elements with which classes stand inside which, and the titles of tables, and blanks everything else:
texts, figures, addresses, the number of rows, and class names that a build makes anew. Its first half is the frame,
without what is inside of rows: that half stands also when rows go that alone had a badge. Only markup has a
fingerprint; what an answer in JSON must hold is the parser's business.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping

from sources.markup import DEEPEST_HTML, TooDeep, feed_markup
from sources.source import Page

_NAMED_BY_A_BUILD = ("css-", "sc-", "jsx-", "svelte-", "astro-")
_ADDED_BY_A_BUILD = re.compile(r"__[\w-]*$")
_ROWS = frozenset({"tr", "li"})
_ROW_ROLES = frozenset({"row", "listitem"})
_LARGEST = 8 << 20  # bytes; larger pages are lists, not designed


def fingerprint(page: Page) -> str:
    """`frame-whole`, 12 hex digits each, for a page of HTML; "" for anything else."""
    if not page.body[:200].lstrip().lower().startswith((b"<!doctype html", b"<html")) or len(page.body) > _LARGEST:
        return ""
    skeleton = _Skeleton()
    try:
        feed_markup(page.text, skeleton)
    except TooDeep:
        return ""
    return f"{_digest(skeleton.frame)}-{_digest(skeleton.frame | skeleton.in_rows)}"


def redesigned(before: str, now: str) -> bool:
    """Whether two fingerprints of one address tell of two layouts; false where one of them is missing."""
    return bool(before and now) and before != now


def reframed(before: str, now: str) -> bool:
    """The same of the frame alone, which rows that come and go do not move."""
    return redesigned(before.partition("-")[0], now.partition("-")[0])


def _digest(parts: set[str]) -> str:
    return hashlib.sha256("\n".join(sorted(parts)).encode(errors="replace")).hexdigest()[:12]


class _Skeleton:
    """Collects `parent > child` of all elements, each once, and the titles of tables."""

    def __init__(self) -> None:
        self.frame: set[str] = set()
        self.in_rows: set[str] = set()
        self._row_depth = 0  # how many elements were open when a row began; 0 outside of one
        self._open: list[str] = []  # tags with classes
        self._title: list[str] = []
        self._title_depth = 0  # how many elements were open when a title began; 0 outside of one
        self._below_titles = False  # a row of data of this table was seen: a th from here on heads a row

    def start(self, tag: str, said: Mapping[str, str]) -> None:
        if len(self._open) == DEEPEST_HTML:
            raise TooDeep
        named = ".".join([tag, *sorted(_designed(said.get("class", "")))])
        parts = self.in_rows if self._row_depth else self.frame
        parts.add(f"{self._open[-1] if self._open else ''}>{named}")
        if not self._row_depth and (tag in _ROWS or said.get("role") in _ROW_ROLES):
            self._row_depth = len(self._open) + 1
        if tag == "table":
            self._below_titles = False
        self._below_titles |= tag == "td"
        heads_a_row = said.get("scope") == "row" or self._below_titles
        if said.get("role") == "columnheader" or (tag == "th" and not heads_a_row):
            self._title, self._title_depth = [], len(self._open) + 1
        self._open.append(named)

    def end(self, tag: str) -> None:
        self._open.pop()
        if len(self._open) < self._title_depth:
            self.frame.add(f"title {' '.join(' '.join(self._title).lower().split())}")
            self._title_depth = 0
        if len(self._open) < self._row_depth:
            self._row_depth = 0

    def data(self, text: str) -> None:
        if self._title_depth:
            self._title.append(re.sub(r"[\d.,$€£]+", "", text))

    def close(self) -> None: ...


def _designed(classes: str) -> set[str]:
    """Class names that a designer chose, without what a build adds and without numbers."""
    return {
        plain
        for name in classes.split()
        if not name.startswith(_NAMED_BY_A_BUILD) and (plain := re.sub(r"\d+", "", _ADDED_BY_A_BUILD.sub("", name)))
    }
