"""Catalogues in CSV, as aggregators publish them: rows by the names of their columns, and which card a row means.

What each catalogue's columns are called, and what its figures cover, is in its provider file.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence

from sources.source import LayoutChanged, Page

# Catalogues drop the form of a card from its name; the instance type often still has it.
_FORM = re.compile(r"sxm|pcie|nvl", re.IGNORECASE)


def csv_rows(page: Page, columns: Sequence[str]) -> Iterator[dict[str, str]]:
    """The rows by column name. Raises LayoutChanged where one of `columns` is missing or the text is no CSV."""
    lines = csv.DictReader(page.text.splitlines(), restval="")
    try:
        header = lines.fieldnames or ()
        for name in columns:
            if name not in header:
                raise LayoutChanged(f"{page.name}: no column {name!r} among {', '.join(header)[:200] or 'none'}")
        yield from lines
    except csv.Error as error:
        raise LayoutChanged(f"{page.name} is not CSV: {error}") from error


def card_text(gpu: str, instance: str) -> str:
    """The name of a card with the form that the instance type gives it: ("H100", "gpu_8x_h100_sxm5") is "H100 SXM"."""
    form = _FORM.search(instance)
    return gpu if form is None or form[0].lower() in gpu.lower() else f"{gpu} {form[0].upper()}"
