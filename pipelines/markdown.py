"""Tables and lists as Dagster shows them: words of a page stand in them as text, whatever signs they hold."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_SIGNS = re.compile(r"[\\`*\[\]<>|#]")


def text(words: object) -> str:
    """Words on one line in which no sign means anything to Markdown or HTML."""
    return _SIGNS.sub(lambda sign: f"&#{ord(sign[0])};", " ".join(str(words).replace("&", "&amp;").split()))


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table; a cell is any words."""
    lines = [head, ["---"] * len(head), *([text(cell) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def bullets(lines: Iterable[object]) -> str:
    """A list, one line each."""
    return "\n".join(f"- {text(line)}" for line in lines)
