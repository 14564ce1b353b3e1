"""Catalogues in CSV, as aggregators publish them: rows by the names of their columns, and which card a row means.

What each catalogue's columns are called, and what its figures cover, is in its provider file.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence

from sources.source import LayoutChanged, Page, TruncatedAnswer

# Catalogues drop the form of a card from its name; the instance type often still has it.
_FORM = re.compile(r"sxm|pcie|nvl", re.IGNORECASE)


def csv_rows(page: Page, columns: Sequence[str]) -> Iterator[dict[str, str]]:
    """The rows by column name; a cell that is not there is empty.

    Raises LayoutChanged where one of `columns` is missing or the text is no CSV, and TruncatedAnswer where it stops
    after the header or within its last row: neither would show in the rows that are left.
    """
    lines = csv.DictReader(page.text.splitlines())
    whole = False
    try:
        header = lines.fieldnames or ()
        for name in columns:
            if name not in header:
                raise LayoutChanged(f"{page.name}: no column {name!r} among {', '.join(header)[:200] or 'none'}")
        for row in lines:
            whole = None not in row.values()
            yield {name: row[name] or "" for name in header}
    except csv.Error as error:
        raise LayoutChanged(f"{page.name} is not CSV: {error}") from error
    if not whole:
        raise TruncatedAnswer(f"{page.name} is cut short: it stops after the header or within line {lines.line_num}")


def card_text(gpu: str, instance: str) -> str:
    """The name of a card with the form that the instance type gives it: ("H100", "gpu_8x_h100_sxm5") is "H100 SXM"."""
    form = _FORM.search(instance)
    return gpu if form is None or form[0].lower() in gpu.lower() else f"{gpu} {form[0].upper()}"
