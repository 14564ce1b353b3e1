"""A figure in another currency is never read as one in the source's own: every recorded page, its signs exchanged."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest

from models.offers import Quote, Witness
from sources.pages import recorded_pages
from sources.source import Page, Row, Source, SourceError, all_sources, in_books

# The columns Currency and PricePerUnit say it; the sign stands in a sentence beside them that nobody reads.
STATED_BESIDE = {("aws", "$")}
EXCHANGED = [  # signs beside a figure, as "$" stands in scripts too
    ("USD", "$", "€", re.compile(rb"\$(?=\s?\d[\d.,]*\b)")),
    ("USD", "$", "£", re.compile(rb"\$(?=\s?\d[\d.,]*\b)")),
    ("EUR", "€", "$", re.compile("(?<=\\d)\\s?€|€(?=\\s?\\d)".encode())),
    ("USD", "USD", "EUR", re.compile(rb"USD\b")),
    ("USD", "usd", "eur", re.compile(rb"usd\b")),
    ("EUR", "EUR", "USD", re.compile(rb"EUR\b")),
]


def figures(rows: Iterable[Row], currency: str) -> Counter[tuple[object, ...]]:
    found = Counter[tuple[object, ...]]()
    with suppress(SourceError):
        for row in rows:
            said = row.says if isinstance(row, Witness) else row
            if isinstance(said, Quote) and said.currency == currency:
                found[said.sku, said.region, said.pricing, said.term_months, said.amount] += 1
    return found


def exchanged(page: Page, sign: re.Pattern[bytes], other: str) -> Page:
    return replace(page, body=sign.sub(other.encode(), page.body))


@pytest.mark.parametrize("source", all_sources().values(), ids=lambda source: source.name)
def test_a_figure_with_another_sign_is_not_read_as_before(source: Source):
    for moment, recorded in recorded_pages(source.name).items():
        for book, pages in in_books(one.page for one in recorded).items():
            for currency, sign, other, where in EXCHANGED:
                if (source.name, sign) in STATED_BESIDE or not any(where.search(page.body) for page in pages):
                    continue
                before = figures(source.parse(pages), currency)
                after = figures(source.parse([exchanged(page, where, other) for page in pages]), currency)
                assert not before & after, f"{moment} {book!r}: {other} read as {sign}"


def naming(currency: str, value: Any) -> Any:
    """JSON with a currency named in every object."""
    if isinstance(value, list):
        return [naming(currency, item) for item in value]
    if not isinstance(value, dict):
        return value
    return {"currency": currency, **{name: naming(currency, item) for name, item in value.items()}}


@pytest.mark.parametrize("name", ["scaleway", "seeweb", "upcloud"])
def test_an_api_that_names_no_currency_is_believed_once_it_does(name: str):
    """Euros are what these sites print; Seeweb's USD came out as EUR."""
    source = all_sources()[name]
    for recorded in recorded_pages(name).values():
        for pages in in_books(one.page for one in recorded).values():
            in_dollars = [replace(one, body=json.dumps(naming("USD", json.loads(one.body))).encode()) for one in pages]
            assert not figures(source.parse(in_dollars), "EUR")
            assert figures(source.parse(in_dollars), "USD") == figures(source.parse(pages), "EUR")
