"""Answers of another shape, of every source: a named error, or rows that say what is wrong; never nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from models.offers import Unreadable
from pipelines.looks.parsing import parse_files
from sources.pages import recorded_pages
from sources.source import Page, Source, SourceError, all_sources, in_books

NOW = datetime(2026, 11, 30, tzinfo=UTC)
CHALLENGE = b"""<!DOCTYPE html><html><head><title>Just a moment...</title></head><body><h1>Checking your browser</h1>
<table><tr><th>Ray ID</th><td>8c1f</td></tr></table><form><input type="password" name="login"></form></body></html>"""
SHAPES = [
    b"{}", b"[]", b"null", b'"x"', b"0", b"true", b"[[]]", b"[null]", b"[{}]", b'{"data": []}', b'{"data": {}}',
    b'{"data": null}', b'{"data": [null]}', b'{"items": [], "total": 0}', b'{"error": "x"}', b'{"message": "x"}',
    b'{"errors": ["x"]}', b"<html></html>", CHALLENGE, b"", b" \n", b"\x00", b"\xff\xfe", b"a,b\n1,2\n", b"not found",
    b"[" * 5000, b'{"data":' * 5000, b"<table><tr><td>" * 500, b"<div>" * 5000,
]  # fmt: skip
# A table in CSV that stops after a line is a shorter table: drift tells of it, not the parser.
WITHOUT_TABLES = [source for source in all_sources().values() if source.kind != "aggregator"]
EVERY_SOURCE = pytest.mark.parametrize("source", all_sources().values(), ids=lambda source: source.name)


def books(source: Source) -> Iterator[Sequence[Page]]:
    """The books of the first recorded look, else a page made up."""
    for recorded in recorded_pages(source.name).values():
        yield from in_books(page.page for page in recorded).values()
        return
    yield [Page("https://example.test/prices", b"", NOW, "prices")]


@EVERY_SOURCE
def test_no_other_shape_is_read_as_a_list_without_prices(source: Source):
    for pages in books(source):
        for shape in SHAPES:
            with suppress(SourceError):
                rows = list(source.parse([replace(page, body=shape) for page in pages]))
                assert rows, f"{shape[:40]!r} gives nothing, and says nothing"
                assert all(isinstance(row, Unreadable) for row in rows), f"prices out of {shape[:40]!r}"


@EVERY_SOURCE
def test_one_page_of_another_shape_is_told_whatever_the_others_hold(source: Source):
    for pages in books(source):
        for place, page in enumerate(pages[:3]):
            for shape in SHAPES:
                with suppress(SourceError):
                    assert list(source.parse([*pages[:place], replace(page, body=shape), *pages[place + 1 :]]))


@pytest.mark.parametrize("source", WITHOUT_TABLES, ids=lambda source: source.name)
def test_a_page_that_stops_in_the_middle_is_told(source: Source):
    for pages in books(source):
        for share in (2, 10):
            with suppress(SourceError):
                assert list(source.parse([replace(page, body=page.body[: len(page.body) // share]) for page in pages]))


@pytest.mark.parametrize("shape", [b"{}", b"[]", b'{"data": []}', b"<html></html>", b""], ids=ascii)
def test_a_saved_file_of_another_shape_is_an_error(shape: bytes, tmp_path: Path):
    saved = tmp_path / "saved"
    saved.write_bytes(shape)
    for source in all_sources().values():
        if source.kind not in ("aggregator", "currency"):
            with pytest.raises(SourceError):
                parse_files(source.name, [saved], NOW, None)
