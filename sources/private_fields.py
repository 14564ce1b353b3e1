"""Fields of a page, in whichever notation it writes them: JSON, scripts, attributes, links, headers, lines of a text.

One pass over the text. A value that is private goes; JSON stays JSON, a script a script, and every other character is
left as it was. Which names are private is in private_names.py.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

from sources.private_names import (
    Kind,
    is_group,
    is_private_number,
    is_private_text,
    is_random,
    joined,
    kind_of,
    lists_owners,
    names_offer,
)

# A quote as it is, escaped, as markup, in an address.
_MARK = (
    r"""(?:\\{0,4}["'`]|&(?:amp;)?(?:quot|apos|\#(?:0{0,4}(?:34|39|96)|x0{0,4}(?:22|27|60)));"""
    r"""|%(?:25)?2[27]|\\{1,4}(?:u002[27]|x2[27]))"""
)
_BEFORE = r"(?:(?<![\w.-])|(?<=%26)|(?<=%3F)|(?<=\\u0026)|(?<=\\[nrt]))"
_STEP = re.compile(
    rf"""
    (?:(?P<mark>{_MARK})(?P<marked>[a-z_$@][\w.$@:\ -]{{0,80}}+)(?P=mark)\]?|{_BEFORE}(?P<bare>[a-z_$@][\w.-]*+))
        [ \t\r\n]{{0,40}}+(?P<is>=>|:=|[:=](?![:=])|%3[AD]|,(?=[ ]?["'`]))[ \t\r\n]{{0,40}}+
    |(?P<open>[\[{{])
    |(?P<close>[\]}}])
    |(?P<script></?script\b)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_OPENS = re.compile(_MARK, re.IGNORECASE)
_PLAIN = {mark: re.compile(rf"{mark}[^{mark}\\]*+(?:\\.[^{mark}\\]*+)*+{mark}", re.DOTALL) for mark in "\"'`"}
_LONGEST = 100_000  # characters of a value
_WITHOUT_FIELDS = re.compile(r"""(["'])[^"'\\:=,<]{0,400}+\1""")
_NUMBER = re.compile(r"-?\d{1,40}+(?:\.\d{1,40}+)?+(?!\.?[\w-])")
_ENDS_NUMBER = re.compile(r"\s{0,9}[,;}\])]")
_IN_LINK = re.compile(r"""(?:(?!%26|\\u0026)[^&?"'`\s<>#\\;,(){}]){1,4000}+""", re.IGNORECASE)
_STARTS_PARAMETER = re.compile(r"(?:[?&;]|%26|%3F|\\u0026)$", re.IGNORECASE)
_SENT = re.compile(  # in text, or as a header; a word in front says how to read it
    r"(?P<scheme>(?:basic|bearer|token|digest)[ \t]{1,3})?(?P<text>[\w+/.~!@$%^*|-]{4,4000}+={0,2}+)", re.IGNORECASE
)
_NO_WORD = re.compile(r"[\d=+/]|[a-z][A-Z]")
_LIKE_PASSWORD = re.compile(r"(?=.*[A-Za-z])(?=.*[\d!@$%^*~|]).{6,}")
_SHORT_KEY = re.compile(r"(?=.*[A-Za-z])(?=.*\d)\S{6,}")
_DIALLED = re.compile(r"(?:\+|\\{1,4}u002b|%2b)?\(?\d[\d ().-]{5,30}\d", re.IGNORECASE)
_STARTS_LINE = re.compile(r"(?:^|[\r\n])[ \t]{0,20}(?:(?:export|set|-|\*|\#)[ \t]{1,3})?$", re.IGNORECASE)
_LINE = re.compile(r"""(?![|>&*$]|(?:true|false|null)\b)[^\r\n<>{}\[\]"'`]{1,400}+(?=[\r\n]|$)""")
_BLANKS = re.compile(r"\s*")
_WORD_BEFORE = re.compile(r"[A-Za-z]{2,20} $")
_SHORTEST_ID = 5  # digits of an id in a sentence; fewer count something
_COUNTED = re.compile(r"\b(?:per|each|every) $", re.IGNORECASE)
_SECOND_WORDS = {"key", "id", "number", "no", "name", "token"}
_NAMED_BY = {"name", "key", "field", "header", "label", "id", "type", "parameter", "property", "variable"}
_VALUES = {"value", "content", "text", "data", "default"}


class _Edit(NamedTuple):
    start: int
    end: int
    text: str


class _Value(NamedTuple):
    """A text or a number where it stands, its marks too, and what takes its place."""

    start: int
    end: int
    inside: str
    removed: str
    is_number: bool = False

    def is_private(self, kind: Kind, name: str, *, listed: bool = False) -> bool:
        if self.is_number:
            return is_private_number(kind, self.inside)
        return is_private_text(kind, self.inside, name, listed=listed)

    def edit(self) -> _Edit:
        return _Edit(self.start, self.end, self.removed)


@dataclass(slots=True)
class _Level:
    """An object or a list that is open: the names it stands under, and what is decided when it closes."""

    bracket: str
    above: str = ""
    kind: Kind | None = None
    is_offer: bool = False
    of_group: list[_Value] = field(default_factory=list)  # go unless it is an offer
    beside: tuple[Kind, str] | None = None  # {"name": "apiKey", "value": "..."}
    values: list[_Value] = field(default_factory=list)

    def edits(self) -> list[_Edit]:
        going = [] if self.is_offer else list(self.of_group)
        if self.beside:
            kind, name = self.beside
            going += [value for value in self.values if value.is_private(kind, name)]
        return [value.edit() for value in going]


def without_private_fields(text: str) -> str:
    """The text without the values of the fields that are private."""
    kept, at = [], 0
    for edit in sorted(_Reading(text).edits(), key=lambda edit: (edit.start, -edit.end)):
        if edit.start >= at:
            kept += [text[at : edit.start], edit.text]
            at = edit.end
    return "".join([*kept, text[at:]])


class _Reading:
    """One pass over a text: what is open where it is, and what has to go of what it saw."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.levels: list[_Level] = []
        self.open: Counter[str] = Counter()
        self.found: list[_Edit] = []

    def edits(self) -> list[_Edit]:
        at = 0
        while step := _STEP.search(self.text, at):
            at = step.end()
            if step["open"]:
                level = self.levels[-1] if self.levels else None
                at = self._opened(at, level.above if level else "", level.kind if level else None)
            elif step["close"]:
                self._closed("[" if step["close"] == "]" else "{")
            elif step["script"]:
                self._all_closed()
            else:
                at = self._field(step)
        self._all_closed()
        return self.found

    def _opened(self, at: int, above: str, kind: Kind | None) -> int:
        bracket = self.text[at - 1]
        self.levels.append(_Level(bracket, above, kind))
        self.open[bracket] += 1
        if bracket == "[" and kind is None and lists_owners(above):
            kind = Kind.OWNER
        while bracket == "[" and kind and (value := self._value(_after_blanks(self.text, at), marked=True)):
            counted = value.is_number and lists_owners(above)
            if not counted and value.is_private(kind, above, listed=True):
                self.found.append(value.edit())
            at = _after_blanks(self.text, value.end)
            if self.text[at : at + 1] == ",":
                at += 1
        return at

    def _closed(self, bracket: str) -> None:
        """A bracket in a text may have no other half: what it left open closes with what is around it."""
        while self.open[bracket]:
            level = self.levels.pop()
            self.open[level.bracket] -= 1
            self.found += level.edits()
            if level.bracket == bracket:
                return

    def _all_closed(self) -> None:
        for level in self.levels:
            self.found += level.edits()
        self.levels.clear()
        self.open.clear()

    def _field(self, step: re.Match[str]) -> int:
        """What is to be read next, after a name and whatever of its value goes."""
        at, marked, name = step.end(), step["marked"] is not None, step["marked"] or step["bare"]
        level = self.levels[-1] if self.levels else None
        above = level.above if level else ""
        kind = kind_of(name, above)
        if kind and not marked and _COUNTED.search(self.text, max(0, step.start() - 6), step.start()):
            kind = None  # tokens per user: 1000000
        if kind is None and not marked and name.lower() in _SECOND_WORDS:
            word = _WORD_BEFORE.search(self.text, max(0, step.start() - 21), step.start())
            kind = kind_of(word[0] + name) if word else None
        if kind is None and marked and level and level.kind not in (None, Kind.OWNER, Kind.GROUP, Kind.PHONE):
            kind = Kind.PASSWORD if level.kind is Kind.PASSWORD else Kind.KEY  # {"tokens": {"mine": "..."}}
        if step["is"] == ",":
            value = self._value(at, marked=False)
            if value and kind and is_random(value.inside):
                self.found.append(value.edit())
                return value.end
            return at
        if level and names_offer(name):
            level.is_offer = True
        if self.text[at : at + 1] in ("[", "{") and (marked or step["is"] != "=>"):
            return self._opened(at + 1, joined(above, name), kind)
        if not marked and step["is"] in ("=", "%3D", "%3d") and self._starts_parameter(step.start()):
            return self._parameter(at, Kind.KEY if name.lower() == "key" else kind, name)
        value = self._value(at, marked=marked and step["is"] in (":", "%3A", "%3a"), bare=not marked)
        if value is None or (value.is_number and not marked and not (kind and value.is_private(kind, name))):
            return self._stated(step, kind) if kind else at
        if value.is_number and not marked and not level and step["is"] == ":" and len(value.inside) < _SHORTEST_ID:
            return at
        if level:
            if name.lower() in _NAMED_BY and (named := kind_of(value.inside)):
                level.beside = (named, value.inside)
            if name.lower() in _VALUES:
                level.values.append(value)
        if kind and value.is_private(kind, name):
            if level and kind_of(name) is None and is_group(above):
                level.of_group.append(value)
            else:
                self.found.append(value.edit())
            return value.end
        plain = _WITHOUT_FIELDS.match(self.text, at)
        return plain.end() if plain else at

    def _value(self, at: int, *, marked: bool, bare: bool = False) -> _Value | None:
        """The text or the number that begins there; `marked`: it is one of JSON, where null takes its place."""
        if number := _NUMBER.match(self.text, at):
            as_json = marked or bool(self.levels and _ENDS_NUMBER.match(self.text, number.end()))
            return _Value(at, number.end(), number[0], "null" if as_json else "removed", is_number=True)
        if not (opens := _OPENS.match(self.text, at)):
            return None
        mark = opens[0]
        if plain := _PLAIN.get(mark):
            whole = plain.match(self.text, at, at + _LONGEST)
            end = whole.end() if whole else None
        else:
            closes = re.compile(r"(?<!\\)" + re.escape(mark)).search(self.text, opens.end(), at + _LONGEST)
            end = closes.end() if closes else None
        if end is None:
            return None
        inside = self.text[opens.end() : end - len(mark)]
        if (bare or mark.startswith("&")) and re.search(r"[<>\r\n]", inside):
            return None  # a quote in a sentence, closed by another one
        return _Value(at, end, inside, "null" if marked else f"{mark}removed{mark}")

    def _starts_parameter(self, at: int) -> bool:
        return bool(_STARTS_PARAMETER.search(self.text, max(0, at - 6), at))

    def _parameter(self, at: int, kind: Kind | None, name: str) -> int:
        """Of an address: `?token=...`."""
        text = _IN_LINK.match(self.text, at) if kind else None
        if not (kind and text and is_private_text(kind, text[0], name)):
            return at
        self.found.append(_Edit(at, text.end(), "removed"))
        return text.end()

    def _stated(self, step: re.Match[str], kind: Kind) -> int:
        """Without marks: in a header, a sentence, or on a line of its own."""
        at, name = step.end(), step["marked"] or step["bare"]
        removed: tuple[int, int] | None = None
        sent = _SENT.match(self.text, at)
        starts_line = _STARTS_LINE.search(self.text, max(0, step.start() - 30), step.start())
        is_heading = kind is Kind.GROUP and step["is"] == ":"  # Project: H100 cluster
        line = _LINE.match(self.text, at) if starts_line and not is_heading else None
        dialled = _DIALLED.match(self.text, at)
        if sent and sent["scheme"] and _NO_WORD.search(sent["text"]):
            removed = sent.span("text")
        elif line and line[0][-1] not in ",;(" and _is_private_line(kind, line[0], name):
            removed = line.span()
        elif kind is Kind.PHONE and dialled and is_private_text(kind, dialled[0], name):
            removed = dialled.span()
        elif sent and _is_private_word(kind, sent["text"]):
            removed = sent.span("text")
        if removed:
            self.found.append(_Edit(*removed, "removed"))
            return removed[1]
        return at


def _is_private_line(kind: Kind, text: str, name: str) -> bool:
    if kind in (Kind.SECRET, Kind.TOKEN, Kind.KEY):
        return kind is Kind.SECRET and bool(_SHORT_KEY.fullmatch(text))
    return is_private_text(kind, text, name)


def _is_private_word(kind: Kind, text: str) -> bool:
    if kind is Kind.PASSWORD and _LIKE_PASSWORD.fullmatch(text):
        return True
    return is_random(text) or (kind is Kind.OWNER and sum(map(str.isdigit, text)) >= _SHORTEST_ID)


def _after_blanks(text: str, at: int) -> int:
    blanks = _BLANKS.match(text, at)
    return blanks.end() if blanks else at
