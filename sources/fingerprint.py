"""The layout of a page as a short hash: the same while prices and rows change, another when the page is redesigned.

It covers which elements with which classes stand inside which, and the titles of tables, and blanks everything else:
texts, figures, addresses, the number of rows, and class names that a build makes anew. Only markup has one; what an
answer in JSON must hold is the parser's business.
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
_LARGEST = 8 << 20  # bytes; larger pages are lists, not designed


def fingerprint(page: Page) -> str:
    """16 hex digits for a page of HTML; "" for anything else."""
    if not page.body[:200].lstrip().lower().startswith((b"<!doctype html", b"<html")) or len(page.body) > _LARGEST:
        return ""
    skeleton = _Skeleton()
    try:
        skeleton.feed(page.text)
        skeleton.close()
    except AssertionError:  # the standard parser's way to give up on a broken declaration
        return ""
    return hashlib.sha256("\n".join(sorted(skeleton.parts)).encode(errors="replace")).hexdigest()[:16]


class _Skeleton(HTMLParser):
    """Collects `parent > child` of all elements, each once, and the titles of tables."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: set[str] = set()
        self._open: list[tuple[str, str]] = []  # tag, tag with classes
        self._title: list[str] = []
        self._title_depth = 0  # how many elements were open when a title began; 0 outside of one
        self._below_titles = False  # a row of data of this table was seen: a th from here on heads a row

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        said = dict(attrs)
        named = ".".join([tag, *sorted(_designed(said.get("class") or ""))])
        self.parts.add(f"{self._open[-1][1] if self._open else ''}>{named}")
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
            self.parts.add(f"title {' '.join(' '.join(self._title).lower().split())}")
            self._title_depth = 0

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
