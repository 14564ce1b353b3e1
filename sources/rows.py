"""The rows of one book of a source, with what holds for every source alike.

How a page of a source reads is its provider file; what an answer states of all its rows is sources.stated, what may
come in place of a price list sources.challenges.
"""

from __future__ import annotations

from collections.abc import Sequence

from sources.challenges import refuse_other_pages
from sources.source import EmptyAnswer, LayoutChanged, Page, Row, Source, TruncatedAnswer
from sources.stated import refuse_conditions_of_all, refuse_cut_lists, refuse_other_currencies, unread_conditions


def rows_read(source: Source, pages: Sequence[Page]) -> list[Row]:
    """The rows of one book. Raises SourceError: ErrorAnswer where another page came in place of the prices."""
    try:
        rows = list(source.parse(pages))
    except (LayoutChanged, EmptyAnswer, TruncatedAnswer):
        refuse_other_pages(pages)
        raise
    if not rows:
        refuse_other_pages(pages)
    if source.kind not in ("aggregator", "currency"):
        refuse_cut_lists(pages)
        refuse_conditions_of_all(pages)
        if not source.one_of_several_currencies:
            refuse_other_currencies(rows, pages)
        rows += unread_conditions(source, pages)
    return rows
