"""Broken pages of every source: only named errors come out, no absurd price, no card that the page does not name.

A sample; `python -m bench.fuzz --mutations 2000` runs as many as wanted of the same.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from trials import Book, book_of, recorded_books, trial

from models.offers import Quote
from sources.http import json_of
from sources.markup import soup_of
from sources.pages import is_recorded
from sources.reading import decimal_of, field_of, rows_of, text_of
from sources.source import Page, Source, all_sources

FEWEST, MOST = 10, 40  # trials of each source, spread over its recorded books


def sample_size(books: Sequence[Book]) -> int:
    """Fewer where a page takes long to read, so that all sources together stay within seconds; markup is slowest."""
    pages = [page.body for book in books for page in book.pages]
    effort = sum(len(body) * (10 if body.lstrip().startswith(b"<") else 1) for body in pages) // len(pages)
    return max(FEWEST, min(MOST, 2_500_000 // effort))


RECORDED = [source for source in all_sources().values() if is_recorded(source.name)]


@pytest.mark.parametrize("source", RECORDED, ids=lambda source: source.name)
def test_broken_pages_give_named_errors_and_sane_offers(source: Source):
    books = list(recorded_books(source))
    broken = [trial(books[seed % len(books)], seed) for seed in range(sample_size(books))]
    assert not [promise for promise in broken if promise]


@pytest.mark.parametrize("declared", [b"utf-16", b"u\x01f", b"\x00", b"no such", b""])
def test_markup_is_read_whatever_encoding_it_declares(declared: bytes):
    """A flipped bit in the declaration once stopped the reading with an unnamed error."""
    body = b'<html><head><meta charset="' + declared + b'"></head><body><p>\xe2\x82\xac 2.49</p></body></html>'
    page = Page("https://example.test", body, datetime(2026, 11, 30, tzinfo=UTC), "pricing.html")
    assert [p.get_text() for p in soup_of(page).find_all("p")] == ["€ 2.49"]


def test_careless_parsers_are_caught():
    """The trials find what they are for: an unnamed error, also in the depth, and a card made up where none is stated,
    even on a page that names that card in another row."""
    rows = [{"id": f"plan-{n}", "gpu": "L40S" if n else "H100 SXM", "price": 1.5} for n in range(20)]
    body = json.dumps({"rows": rows, "notes": [{"text": "prices before tax"}]}).encode()
    page = Page("https://example.test", body, datetime(2026, 11, 30, tzinfo=UTC), "prices.json")

    def promises(gpu_of: Callable[[dict[str, Any]], str], look: Callable[[Any], object] = bool) -> set[str]:
        def parse(pages: Sequence[Page]) -> Iterator[Quote]:
            answer = json_of(pages[0])
            look(answer)
            for row in rows_of(field_of(answer, "rows", pages[0])):
                price = decimal_of(row.get("price")) or Decimal(0)
                yield Quote(text_of(row.get("id")), gpu_of(row), Decimal(1), price, "per_gpu_hour", "on_demand")

        source = replace(all_sources()["runpod"], name="example", parse=parse)
        book = book_of(source, page.observed_at, "", [page])
        broken = filter(None, (trial(book, seed) for seed in range(500)))
        return {promise.partition("): ")[2].partition(" ")[0].rstrip(":") for promise in broken}

    def texts(node: Any) -> list[str]:
        inner = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
        return [text for one in inner for text in texts(one)] or [str(node)[:9]]

    assert not promises(lambda row: text_of(row.get("gpu")))
    assert "KeyError" in promises(lambda row: text_of(row["gpu"]))
    assert "RecursionError" in promises(lambda row: text_of(row.get("gpu")), texts)
    assert any(sku.startswith("plan-") for sku in promises(lambda row: text_of(row.get("gpu")) or "H100 SXM"))
