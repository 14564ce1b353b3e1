"""Pages of markup: what they show as a tree and as words, and what they hand to their scripts.

What a number or a price is, is sources.reading; tables are in sources.tables.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Protocol

from bs4 import BeautifulSoup, Tag
from bs4.element import CData, NavigableString
from lxml import etree

from models.naming.conditions import names_commitment
from sources.source import ErrorAnswer, LayoutChanged, Page

_PUSHED = re.compile(r'self\.__next_f\.push\(\[1,\s*("[^"\\]*(?:\\.[^"\\]*)*")\]\)')
LARGEST_HTML_BYTES = 12 << 20  # the largest price pages have 2 MB
MOST_TAGS = 250_000  # the longest price pages have a tenth
DEEPEST_HTML = 100  # elements inside elements; price pages have about 40, and the work per element grows with it
MARKUP_PIECE_BYTES = 1 << 14
LONGEST_NOTE = 300  # characters that stand in place of its mark
_NOT_SHOWN = re.compile(r"(?:^|;|\s)(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)
_HIDING = frozenset({"hidden", "d-none", "w-hidden", "w-condition-invisible"})  # of Tailwind, Bootstrap and Webflow
_SHOWN_ON_LARGER = re.compile(r"(?:\w+:|d-\w+-)(?:block|flex|grid|contents|table[\w-]*|inline[\w-]*)")
_STRUCK = frozenset({"del", "s", "strike"})
_STRUCK_BY_CLASS = re.compile(
    r"line-?through|strike(?:-?through)?|(?:old|former|previous|was|original|regular)-?price", re.I
)
_FOOTNOTE = re.compile(r"\W*(?:\d|[a-z]|tm)?\W*", re.IGNORECASE)  # a raised mark; cents have a point or two digits


def pushed_text(page: Page) -> str:
    """The text that a page of Next.js hands to its scripts in pieces, put together; "" where there is none.

    It holds what the page shows as JSON. Raises LayoutChanged for a piece that is no JSON string.
    """
    try:
        return "".join(json.loads(piece) for piece in _PUSHED.findall(page.text))
    except ValueError as error:
        raise LayoutChanged(f"{page.name}: a hydration script does not hold a JSON string") from error


def soup_of(page: Page) -> BeautifulSoup:
    """What the page shows as a tree, as UTF-8 whatever it declares: a broken declaration stops lxml.

    Raises ErrorAnswer for a page no site would print, larger or deeper: its tree takes a kilobyte an element.
    """
    if len(page.body) > LARGEST_HTML_BYTES:
        raise ErrorAnswer(f"{page.name} has {len(page.body) >> 20} MB; no price page in HTML is that large")
    if (tags := page.body.count(b"<")) > MOST_TAGS:
        raise ErrorAnswer(f"{page.name} has {tags} tags; no price page in HTML has that many")
    try:
        feed_markup(page.text, _Depth())
    except TooDeep as error:
        raise ErrorAnswer(f"{page.name} has {error}; no price page in HTML is that deep") from None
    soup = BeautifulSoup(page.text, "lxml")
    for hidden in soup.find_all(_is_hidden):
        hidden.extract()
    _write_out_footnotes(soup)
    return soup


def _write_out_footnotes(soup: BeautifulSoup) -> None:
    """In place of the mark of a footnote that binds the buyer its words: the price beside it is not for everybody."""
    marks: dict[str, list[Tag]] = {}
    for mark in soup.find_all("sup"):
        marks.setdefault(cell_text(mark), []).append(mark)
    for same in marks.values():
        notes = [
            mark.parent for mark in same if mark.parent and not any(str(at).strip() for at in mark.previous_siblings)
        ]
        said = next((text[:LONGEST_NOTE] for note in notes if names_commitment(text := cell_text(note))), "")
        for mark in same if said else ():
            mark.string = said


def _is_hidden(tag: Tag) -> bool:
    """Whether nobody sees it, whatever they choose: old rows and drafts are, the panel of another tab is not."""
    if _NOT_SHOWN.search(str(tag.get("style", ""))):
        return True
    if tag.get("role") == "tabpanel":
        return False
    classes = tag.get("class") or ()
    by_class = not _HIDING.isdisjoint(classes) and not any(map(_SHOWN_ON_LARGER.fullmatch, classes))
    streamed = str(tag.get("id", "")).startswith("S:")  # React puts it in its place
    return by_class or (tag.get("hidden", "until-found") != "until-found" and not streamed)


class Elements(Protocol):
    """What is told of the elements of a page one after the other; every start has its end."""

    def start(self, tag: str, attributes: Mapping[str, str]) -> None: ...
    def end(self, tag: str) -> None: ...
    def data(self, text: str) -> None: ...
    def close(self) -> None: ...


class TooDeep(Exception):
    """Elements inside more than DEEPEST_HTML others."""


def feed_markup(text: str, elements: Elements) -> None:
    """Tell of the elements of a page, if any, without its tree. Raises whatever `elements` raises, at once."""
    parser = etree.HTMLParser(target=elements, encoding="utf-8", recover=True)
    body = text.encode("utf-8", "replace")
    for start in range(0, len(body), MARKUP_PIECE_BYTES):
        parser.feed(body[start : start + MARKUP_PIECE_BYTES])
    with suppress(etree.XMLSyntaxError):  # a page without a single element
        parser.close()


class _Depth:
    """Raises TooDeep where too many elements stand inside each other."""

    def __init__(self) -> None:
        self._open = 0

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        self._open += 1
        if self._open > DEEPEST_HTML:
            raise TooDeep(f"more than {DEEPEST_HTML} elements inside each other")

    def end(self, tag: str) -> None:
        self._open -= 1

    def data(self, text: str) -> None: ...
    def close(self) -> None: ...


def _is_struck(tag: Tag) -> bool:
    """Whether its text is struck out, by its element, its style or the name of its class: a former price."""
    return (
        tag.name in _STRUCK
        or "line-through" in str(tag.get("style", ""))
        or any(_STRUCK_BY_CLASS.fullmatch(name) for name in tag.get("class") or ())
    )


def cell_text(cell: Tag) -> str:
    """The words of a cell on one line, without struck-out text and footnote marks; what else is raised stands apart."""
    words: list[str] = []
    left = cell.contents[::-1]
    while left:
        part = left.pop()
        if isinstance(part, Tag):
            mark = part.name == "sup" and _FOOTNOTE.fullmatch(part.get_text().strip())
            left += [] if mark or _is_struck(part) else part.contents[::-1]
        elif type(part) in (NavigableString, CData):  # not its kinds: comments, scripts, styles
            words.append(str(part))
    return " ".join(" ".join(words).replace("\u00a0", " ").split())
