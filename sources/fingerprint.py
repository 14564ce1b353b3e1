"""The layout of a page as a short hash: the same while prices and rows change, another when the page is redesigned.

It covers which elements with which classes stand inside which, and the titles of tables, and blanks everything else:
texts, figures, addresses, the number of rows, and class names that a build makes anew. Its first half is the frame,
without what is inside of rows: that half stands also when rows go that alone had a badge. Only markup has a
fingerprint; what an answer in JSON must hold is the parser's business.
"""

from __future__ import annotations

import hashlib
import re
from html.parser import HTMLParser

from sources.source import Page

_EMPTY = "area base br col embed hr img input link meta source track wbr"
_EMPTY_ELEMENTS = frozenset(_EMPTY.split())
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
        skeleton.feed(page.text)
        skeleton.close()
    except AssertionError:  # the standard parser's way to give up on a broken declaration
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


class _Skeleton(HTMLParser):
    """Collects `parent > child` of all elements, each once, and the titles of tables."""

    def __init__(self) -> None:
        super().__init__()
        self.frame: set[str] = set()
        self.in_rows: set[str] = set()
        self._row_depth = 0  # how many elements were open when a row began; 0 outside of one
        self._open: list[tuple[str, str]] = []  # tag, tag with classes
        self._title: list[str] = []
        self._title_depth = 0  # how many elements were open when a title began; 0 outside of one
        self._below_titles = False  # a row of data of this table was seen: a th from here on heads a row

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        said = dict(attrs)
        named = ".".join([tag, *sorted(_designed(said.get("class") or ""))])
        parts = self.in_rows if self._row_depth else self.frame
        parts.add(f"{self._open[-1][1] if self._open else ''}>{named}")
        if not self._row_depth and (tag in _ROWS or said.get("role") in _ROW_ROLES):
            self._row_depth = len(self._open) + 1
        if tag == "table":
            self._below_titles = False
        self._below_titles |= tag == "td"
        heads_a_row = said.get("scope") == "row" or self._below_titles
        if said.get("role") == "columnheader" or (tag == "th" and not heads_a_row):
            self._title, self._title_depth = [], len(self._open) + 1
        if tag not in _EMPTY_ELEMENTS:
            self._open.append((tag, named))

    def handle_endtag(self, tag: str) -> None:
        if not any(opened == tag for opened, _ in self._open):
            return
        while self._open.pop()[0] != tag:
            pass
        if len(self._open) < self._title_depth:
            self.frame.add(f"title {' '.join(' '.join(self._title).lower().split())}")
            self._title_depth = 0
        if len(self._open) < self._row_depth:
            self._row_depth = 0

    def handle_data(self, data: str) -> None:
        if self._title_depth:
            self._title.append(re.sub(r"[\d.,$€£]+", "", data))


def _designed(classes: str) -> set[str]:
    """Class names that a designer chose, without what a build adds and without numbers."""
    return {
        plain
        for name in classes.split()
        if not name.startswith(_NAMED_BY_A_BUILD) and (plain := re.sub(r"\d+", "", _ADDED_BY_A_BUILD.sub("", name)))
    }
