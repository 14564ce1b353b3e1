"""A live look kept as a recording: pages, provenance and the quotes to review, under sources/recorded/<source>."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

from models.offers import Quote
from pipelines.parsing import source_named
from sources.http import Http, redact
from sources.pages import RECORDED, write_whole
from sources.source import in_books

_ACCOUNT = re.compile(
    r'("(?:account_?id|host_?id|customer_?id|email|hotkey|ip_?address|public_ipaddr)"\s*:\s*)("[^"]*"|\d+)',
    re.IGNORECASE,
)


def record(name: str, target: Path | None) -> Iterator[str]:
    """Look at a source and write its recording; yields one line a file. Raises SourceError when the look failed."""
    source = source_named(name)
    secrets = {key: os.environ.get(key, "") for key in (source.secret, source.optional_secret) if key}
    http = Http(source, secrets=secrets)
    pages = [page for fetch in source.fetchers().values() for page in fetch(http)]
    folder = target or RECORDED / name
    day = f"{pages[0].observed_at:%Y-%m-%d}"
    entries = []
    for number, page in enumerate(pages):
        file = f"{day}/{number:02d}-{page.name}"
        body = _ACCOUNT.sub(r"\1null", redact(page.text, secrets)).encode()
        write_whole(folder / file, body)
        entries.append({"file": file, "url": page.url, "book": page.book, "form": "captured", "origin": "live look"})
        yield f"{folder / file}: {len(body):,} bytes"
    provenance = folder / "provenance.json"
    looks = json.loads(provenance.read_bytes())["looks"] if provenance.exists() else []
    looks.append({"observed_at": pages[0].observed_at.isoformat(), "pages": entries})
    write_whole(provenance, json.dumps({"looks": looks}, indent=1).encode())
    quotes: dict[str, list[Quote]] = {}
    for book, held in in_books(pages).items():
        quotes[book] = [row for row in source.parse(held) if isinstance(row, Quote)]
    yield f"{sum(map(len, quotes.values())):,} quotes; review them, then write them with quotes.json"
