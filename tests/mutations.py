"""Ways in which a page breaks: seeded changes of recorded pages; not a test by itself.

Cut, re-encoded, fields deleted, renamed or of another type, figures absurd, columns swapped, rows doubled, pages
lost. What must hold of whatever is then read is in trials.py.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from decimal import Decimal
from typing import Any

from sources.source import Page

Change = Callable[[bytes, random.Random], bytes]

ABSURD = [0, -1, -0.0, 10**30, -(10**30), 1e300, 1e-300, 0.5, 9999, 10**400, "1e999999", "NaN", "Infinity", "-5"]
OTHER_TYPES = [
    None, True, False, "", "n/a", "—", "-", " ", "Contact sales", "from $2.00", "1,2,3", [], {}, [[]], {"": None},
    "\ud800", "\x00", "9" * 5000,
    "²", "$²",  # a digit to str.isdigit, no figure to int
    "٣",  # a figure to int
]  # fmt: skip
NOT_THE_PAGE = [
    b"", b"null", b"[]", b"{}", b"0", b'""', b"\xff\xfe", b"<html><title>Just a moment...</title></html>", b"a,b\n",
]  # fmt: skip
DEPTHS = (20, 300, 800, 5000)  # of lists in lists: JSON that can be read as deep as that is walked without recursion
NUMBER = re.compile(r"(?<![\w.\-])\d+(?:[.,]\d+)*(?![\w.])")
OTHER_UNITS = [Decimal(factor) for factor in ("100", "730", "1000", "1e5", "0.01", "0.001")]  # cents, a month, nanos
JSON_VALUE = re.compile(rb'(?<=[:\[,])\s*(\\?"[^"\\]*\\?"|-?\d[\d.eE+-]*|null|true|false)(?=\s*[,\]}])')


# --- of bytes and text


def _cut_short(body: bytes, chance: random.Random) -> bytes:
    return body[: chance.randrange(len(body))]


def _cut_out(body: bytes, chance: random.Random) -> bytes:
    start = chance.randrange(len(body))
    return body[:start] + body[start + chance.randint(1, 2000) :]


def _flipped(body: bytes, chance: random.Random) -> bytes:
    changed = bytearray(body)
    for _ in range(chance.randint(1, 20)):
        changed[chance.randrange(len(changed))] = chance.randrange(256)
    return bytes(changed)


def _reencoded(body: bytes, chance: random.Random) -> bytes:
    text = body.decode("utf-8", "replace")
    return text.encode(chance.choice(["utf-16", "utf-32", "utf-8-sig", "latin-1", "cp1252", "cp037"]), "replace")


def _not_the_page(body: bytes, chance: random.Random) -> bytes:
    return chance.choice(NOT_THE_PAGE)


def _figures(body: bytes, chance: random.Random) -> bytes:
    """Some figures of the text absurd; digits inside words (H100, 80GB) stay."""
    share = chance.choice([0.02, 0.3, 1.0])
    absurd = [str(figure) for figure in ABSURD]
    text = body.decode("utf-8", "replace")
    return NUMBER.sub(lambda found: chance.choice(absurd) if chance.random() < share else found[0], text).encode()


def _scaled(body: bytes, chance: random.Random) -> bytes:
    """Some figures, or all of them, in another unit."""
    share, factor = chance.choice([0.05, 1.0]), chance.choice(OTHER_UNITS)

    def other(found: re.Match[str]) -> str:
        figure = found[0].replace(",", "")
        return f"{Decimal(figure) * factor:f}" if chance.random() < share and figure.count(".") < 2 else found[0]

    return NUMBER.sub(other, body.decode("utf-8", "replace")).encode()


def _deepened(body: bytes, chance: random.Random) -> bytes:
    """A value of JSON, also of JSON in a page's scripts, in so many lists that what recurses into it gives up."""
    values = list(JSON_VALUE.finditer(body))
    if not values:
        return body
    value, depth = chance.choice(values), chance.choice(DEPTHS)
    return body[: value.start(1)] + b"[" * depth + value[1] + b"]" * depth + body[value.end(1) :]


def _lines(body: bytes, chance: random.Random) -> bytes:
    """Lines doubled, dropped or exchanged."""
    lines = body.splitlines(keepends=True) or [b""]
    for _ in range(chance.randint(1, 10)):
        one, other = chance.randrange(len(lines)), chance.randrange(len(lines))
        lines[one] = chance.choice([b"", lines[one] * 2, lines[other]])
    return b"".join(lines)


# --- of JSON


def _containers(tree: Any) -> list[Any]:
    found, left = [], [tree]
    while left:
        node = left.pop()
        if isinstance(node, (dict, list)) and node:
            found.append(node)
            left += node.values() if isinstance(node, dict) else node
    return found


def _slot(tree: Any, chance: random.Random) -> tuple[Any, Any]:
    """A container and a key or index in it; short and deep ones as likely as long ones."""
    node = chance.choice(_containers(tree))
    return node, chance.choice(list(node)) if isinstance(node, dict) else chance.randrange(len(node))


def _delete_one(tree: Any, chance: random.Random) -> None:
    node, key = _slot(tree, chance)
    del node[key]


def _delete_field(tree: Any, chance: random.Random) -> None:
    _, key = _slot_of_dict(tree, chance)
    for node in _containers(tree):
        if isinstance(node, dict):
            node.pop(key, None)


def _rename_field(tree: Any, chance: random.Random) -> None:
    _, key = _slot_of_dict(tree, chance)
    for node in _containers(tree):
        if isinstance(node, dict) and key in node:
            node[f"{key}New"] = node.pop(key)


def _retype(tree: Any, chance: random.Random) -> None:
    for _ in range(chance.choice([1, 1, 5, 50])):
        node, key = _slot(tree, chance)
        wrapped = [str(node[key])[:99], [node[key]], {"value": node[key]}]
        node[key] = deepcopy(chance.choice(OTHER_TYPES + ABSURD + wrapped))


def _retype_field(tree: Any, chance: random.Random) -> None:
    _, key = _slot_of_dict(tree, chance)
    value = chance.choice(OTHER_TYPES + ABSURD)
    for node in _containers(tree):
        if isinstance(node, dict) and key in node:
            node[key] = deepcopy(value)


def _swap_fields(tree: Any, chance: random.Random) -> None:
    """Two columns swapped in every row that has both."""
    node, one = _slot_of_dict(tree, chance)
    other = chance.choice(list(node))
    for row in _containers(tree):
        if isinstance(row, dict) and one in row and other in row:
            row[one], row[other] = row[other], row[one]


def _rows(tree: Any, chance: random.Random) -> None:
    """A list doubled, shuffled, emptied, halved, or with strangers in it."""
    lists = [node for node in _containers(tree) if isinstance(node, list)]
    if not lists:
        return
    rows = chance.choice(lists)
    rows[:] = chance.choice(
        [rows * 2, chance.sample(rows, len(rows)), [], rows[: len(rows) // 2], [*rows, None, 1, "x", [], {}], [rows[:]]]
    )


def _slot_of_dict(tree: Any, chance: random.Random) -> tuple[Any, Any]:
    node = chance.choice([node for node in _containers(tree) if isinstance(node, dict)] or [{"": None}])
    return node, chance.choice(list(node))


def _of_json(change: Callable[[Any, random.Random], None]) -> Change:
    def changed(body: bytes, chance: random.Random) -> bytes:
        try:
            tree = json.loads(body)
            if _containers(tree):
                change(tree, chance)
            return json.dumps(tree).encode()
        except (ValueError, RecursionError):  # broken already, or too deep to write
            return body

    return changed


# --- of markup and of tables in text


TAG = re.compile(rb"<[a-zA-Z/][^>]*>")
ATTRIBUTE = re.compile(rb'\s[\w:-]+="[^"]*"')


def _tags(body: bytes, chance: random.Random) -> bytes:
    """Some tags, or all of one name, gone or of another name."""
    tags = TAG.findall(body)
    if not tags:
        return body
    name = re.split(rb"[\s>/]+", chance.choice(tags).strip(b"</"))[0]
    one = re.compile(rb"<(/?)" + re.escape(name) + rb"\b")
    if chance.random() < 0.5:
        return one.sub(rb"<\1div", body)
    return re.sub(rb"</?" + re.escape(name) + rb"\b[^>]*>", b"", body, count=chance.choice([0, 1, 3]))


def _attributes(body: bytes, chance: random.Random) -> bytes:
    """One attribute as it stands gone everywhere, or some attributes."""
    found = ATTRIBUTE.findall(body)
    if not found:
        return body
    if chance.random() < 0.5:
        return body.replace(chance.choice(found), b"")
    return ATTRIBUTE.sub(lambda match: b"" if chance.random() < 0.2 else match[0], body)


def _nested(body: bytes, chance: random.Random) -> bytes:
    """An element, as far as the next that ends, many times inside itself or in a row."""
    tags = list(TAG.finditer(body))
    if not tags:
        return body
    opening = chance.choice(tags)
    end = body.find(b">", body.find(b"</", opening.end())) + 1
    part = body[opening.start() : end] if chance.random() < 0.5 else opening[0]
    return body[: opening.start()] + part * chance.choice([2, 30, 300]) + body[opening.start() :]


def _columns(body: bytes, chance: random.Random) -> bytes:
    """Two columns of a comma-separated table swapped, or one gone; the header with them or not."""
    lines = body.split(b"\n")
    wide = max(line.count(b",") for line in lines)
    one, other = chance.randint(0, wide), chance.randint(0, wide)
    first = chance.choice([0, 0, 1])
    for place in range(first, len(lines)):
        cells = lines[place].split(b",")
        if max(one, other) < len(cells):
            if one == other:
                del cells[one]
            else:
                cells[one], cells[other] = cells[other], cells[one]
            lines[place] = b",".join(cells)
    return b"\n".join(lines)


ANY: Mapping[str, Change] = {
    "cut short": _cut_short,
    "cut out": _cut_out,
    "bytes flipped": _flipped,
    "re-encoded": _reencoded,
    "not the page": _not_the_page,
    "absurd figures": _figures,
    "figures in another unit": _scaled,
    "lines": _lines,
}
JSON: Mapping[str, Change] = {
    "one field deleted": _of_json(_delete_one),
    "field deleted": _of_json(_delete_field),
    "field renamed": _of_json(_rename_field),
    "values of other types": _of_json(_retype),
    "field of another type": _of_json(_retype_field),
    "fields swapped": _of_json(_swap_fields),
    "value in lists": _deepened,
    "rows": _of_json(_rows),
}
MARKUP: Mapping[str, Change] = {
    "tags": _tags,
    "attributes": _attributes,
    "nested": _nested,
    "value in lists": _deepened,
}
TABLE: Mapping[str, Change] = {"columns": _columns}
# These can cut one card's name to another's (H200 to H20), which a parser cannot know.
CUTS_NAMES = frozenset({"cut short", "cut out", "bytes flipped", "re-encoded"})


def mutated(body: bytes, chance: random.Random) -> tuple[str, bytes]:
    """The name of a change that fits the page's format, and the changed page."""
    start = body.lstrip()[:1]
    fitting = JSON if start in (b"{", b"[") else MARKUP if start == b"<" else TABLE
    # the format's own changes reach deepest, so they get more than half of the trials
    name, change = chance.choice([*ANY.items(), *fitting.items(), *fitting.items()])
    return name, change(body, chance)


def broken(pages: Sequence[Page], chance: random.Random) -> tuple[str, list[Page]]:
    """What happened to the pages of a book: mostly to one of them, sometimes twice, sometimes to their paging."""
    changed = list(pages)
    place = chance.randrange(len(changed))
    if len(changed) > 1 and chance.random() < 0.1:
        paging = chance.choice(["page lost", "page twice", "pages in another order"])
        if paging == "page lost":
            del changed[place]
        elif paging == "page twice":
            changed.insert(place, changed[place])
        else:
            chance.shuffle(changed)
        return paging, changed
    kinds: list[str] = []
    for _ in range(chance.choice([1, 1, 1, 2])):
        if body := changed[place].body:
            kind, body = mutated(body, chance)
            changed[place] = replace(changed[place], body=body)
            kinds.append(kind)
    return ", ".join(kinds), changed
