"""A live look kept as a recording, under sources/recorded/<source>: pages, provenance, and the quotes to review."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from requests.adapters import BaseAdapter

from models.gpus import resolve
from models.offers import Quote, Witness
from pipelines.looks.looking import utc_now
from pipelines.looks.parsing import source_named
from sources.http import Http
from sources.pages import RECORDED, recorded_pages, write_whole
from sources.private import without_private
from sources.quotes import UNKNOWN_GPUS, cells, priced, quotes_json
from sources.robots import refuse_forbidden
from sources.rows import rows_read
from sources.source import EmptyAnswer, ErrorAnswer, MissingSecret, Page, Row, Source, SourceError, in_books

LARGEST_KB = 500  # of a recording as a whole; what is more is to be cut down by hand


@dataclass(frozen=True, slots=True)
class _Public:
    """A page as it may be kept for all, and whether something private had to go for that."""

    page: Page
    cut: bool


def record(
    name: str,
    target: Path | None = None,
    *,
    adapter: BaseAdapter | None = None,
    now: Callable[[], datetime] = utc_now,
) -> Iterator[str]:
    """Look at a source and write its recording beside the looks it has; yields one line a file, then what to review.

    Secrets, keys, and the ids of accounts and hosts are taken out before anything is written, and the quotes are read
    from what is written. Raises SourceError when nothing came or it holds no price; then nothing is written.
    """
    source = source_named(name)
    if not source.ready:
        raise MissingSecret(f"{name} needs {source.secret} in the environment")
    secrets = {key: os.environ.get(key, "") for key in (source.secret, source.optional_secret) if key}
    http = Http(source, adapter=adapter, now=now, secrets=secrets)
    refuse_forbidden(http, source)
    found, failures = _fetched(source, http)
    public = [_public(page, secrets) for page in found]
    books = {book: rows_read(source, pages) for book, pages in in_books(kept.page for kept in public).items()}
    as_it_came = {book: rows_read(source, pages) for book, pages in in_books(found).items()}
    if changed := [book or "the answer" for book in books if _figures(books[book]) != _figures(as_it_came[book])]:
        raise ErrorAnswer(f"{name}: without what is private {', '.join(changed)} reads otherwise; nothing is written")
    if empty := [book for book, rows in books.items() if not priced(rows)]:
        raise EmptyAnswer(f"{name}: no price in {', '.join(empty) or 'the answer'}")

    folder, moment = target or RECORDED / name, public[0].page.observed_at
    entries = []
    for file, kept in zip(_file_names(folder, moment, public), public, strict=True):
        write_whole(folder / file, kept.page.body)
        entries.append(_entry(file, kept))
        yield f"{folder / file}: {len(kept.page.body):,} bytes"
    looks = [*_held(folder / "provenance.json").get("looks", []), {"observed_at": moment.isoformat(), "pages": entries}]
    write_whole(folder / "provenance.json", json.dumps({"looks": looks}, indent=1, ensure_ascii=False).encode() + b"\n")
    quotes = {moment.isoformat(): {book: priced(rows) for book, rows in books.items()}}
    write_whole(folder / "quotes.json", quotes_json(quotes, _held(folder / "quotes.json")))
    yield from failures
    yield from _to_review(source, [row for rows in books.values() for row in rows], folder)


def read_kept(name: str) -> Iterator[str]:
    """Write quotes.json anew of the recorded pages, also of those laid there by hand; yields what to review.

    Raises EmptyAnswer where provenance.json lists no page or a look at a book has no price, and what the parser raises.
    """
    source, folder = source_named(name), RECORDED / name
    looks = {
        moment.isoformat(): {book: list(source.parse(found)) for book, found in in_books(r.page for r in kept).items()}
        for moment, kept in recorded_pages(name).items()
    }
    empty = [
        f"{day} {book}".strip() for day, books in looks.items() for book, rows in books.items() if not priced(rows)
    ]
    if empty or not looks:
        raise EmptyAnswer(f"{name}: no price in {', '.join(empty) or folder / 'provenance.json'}")
    quotes = {day: {book: priced(rows) for book, rows in books.items()} for day, books in looks.items()}
    write_whole(folder / "quotes.json", quotes_json(quotes, _held(folder / "quotes.json")))
    yield from _to_review(source, [row for books in looks.values() for rows in books.values() for row in rows], folder)


def _fetched(source: Source, http: Http) -> tuple[list[Page], list[str]]:
    """The pages of all parts that answer, a line for each that does not. Raises what the first said if none does."""
    pages: list[Page] = []
    failures: dict[str, SourceError] = {}
    for part, fetch in source.fetchers().items():
        try:
            pages += fetch(http)
        except SourceError as error:
            failures[part] = error
    if not pages:
        raise next(iter(failures.values()), EmptyAnswer(f"{source.name}: no page was fetched"))
    return pages, [f"left out, as it failed: {part or 'a part'}: {error}" for part, error in failures.items()]


def _figures(rows: Sequence[Row]) -> list[str]:
    """What the rows say but for their names, which may hold the id of a host."""
    return sorted(json.dumps(cells(row)[1:]) for row in priced(rows))


def _public(page: Page, secrets: Mapping[str, str]) -> _Public:
    text = without_private(page.text, secrets)
    if text == page.text:
        return _Public(page, cut=False)
    return _Public(replace(page, body=text.encode(errors="replace")), cut=True)


def _file_names(folder: Path, moment: datetime, pages: Sequence[_Public]) -> list[str]:
    """`2026-11-30/prices.json`; numbered where a look has several pages, with the time where the day has a look."""
    day = f"{moment:%Y-%m-%d}"
    if (folder / day).exists():
        day = f"{moment:%Y-%m-%dT%H%M%S}"
    plain = [re.sub(r"[^\w.-]+", "-", kept.page.name).strip(".-") or "page" for kept in pages]
    return [f"{day}/{name}" if len(plain) == 1 else f"{day}/{place:02d}-{name}" for place, name in enumerate(plain)]


def _entry(file: str, kept: _Public) -> dict[str, str]:
    taken = "keys, tokens, addresses and ids of accounts and hosts taken out" if kept.cut else "kept as it came"
    return {
        "file": file,
        "url": without_private(kept.page.url),
        "book": kept.page.book,
        "form": "reduced" if kept.cut else "captured",
        "origin": f"the site itself, looked at on {kept.page.observed_at:%Y-%m-%d %H:%M} UTC; {taken}",
    }


def _to_review(source: Source, rows: Sequence[Row], folder: Path) -> Iterator[str]:
    prices = priced(rows)
    yield f"{len(prices):,} rows in {folder / 'quotes.json'}: compare them with the pages by eye before you commit them"
    if refused := len(rows) - len(prices):
        yield f"{refused:,} rows are no price; look whether that is right"
    quotes = [row.says if isinstance(row, Witness) else row for row in prices]
    cards = {(row.gpu, row.gpu_memory_gb) for row in quotes if isinstance(row, Quote)}
    listed = _held(folder / "quotes.json").get(UNKNOWN_GPUS, [])
    if unknown := sorted({gpu for gpu, memory in cards if resolve(gpu, source.name, memory) is None} - set(listed)):
        yield f"no known GPU: {', '.join(unknown[:20])}; map them, or list them as unknown_gpus if that is right"
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) >> 10
    if size > LARGEST_KB:
        yield f"the recording has {size} KB; cut its pages to {LARGEST_KB} KB by hand and say so in provenance.json"


def _held(file: Path) -> dict[str, Any]:
    return dict(json.loads(file.read_bytes())) if file.exists() else {}
