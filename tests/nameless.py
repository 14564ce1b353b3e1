"""Pages that name no card: every word by which a book names its cards and machines made into one that means nothing.

Whatever offer is still read of such pages has its card from nowhere; not a test by itself. What must hold is in
trials.py, how pages break otherwise in mutations.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from models.offers import Quote, Unreadable, Witness
from sources.source import Page, Row

# "H100", "80GB", "48xlarge", "4090": what tells one card from another has a digit; of bare figures only long ones are
# names, as those of prices and counts must stay.
WORD = re.compile(r"(?!\d{1,2}(?![^\W_]))[^\W_]*\d[^\W_]*")
PRINTED = re.compile(r"\d+\.\d+(?![^\W_])|[^\W_]+")  # a decimal as one, so that no part of it is taken for a name


def nameless(pages: Sequence[Page], rows: Iterable[Row]) -> list[Page]:
    """The pages without the words that name what is offered in their rows; the rest of them as it was."""
    words = {word.lower() for row in rows for text in _names(row) for word in WORD.findall(text)}

    def without(found: re.Match[str]) -> str:
        if found[0].lower() not in words:
            return found[0]
        return "0" if found[0].isdigit() else "zz"  # JSON stays JSON

    return [replace(page, body=PRINTED.sub(without, page.text).encode()) for page in pages]


def _names(row: Row) -> Sequence[str]:
    said = row.says if isinstance(row, Witness) else row
    return (said.gpu, said.sku) if isinstance(said, (Quote, Unreadable)) else ()
