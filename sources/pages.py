"""Where looked-at bytes are kept: pages by hash, and one record per look, written before anything is parsed.

    <root>/<provider>/pages/<sha[:2]>/<sha256>.gz     the bytes, written once
    <root>/<provider>/looks/<moment>.json             what one look asked and got, also when it failed
    <root>/<provider>/addresses.json                  the last page of each address, for conditional requests

Files are only ever written whole, by rename, under a key that is never reused, so any worker may write them. One that
is found damaged is renamed to <name>.damaged; one dated in the future is left out until its time has come.
What a page says is in providers/; offers are kept by the warehouse.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import re
import tempfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from models.moments import is_ahead_of_clocks
from models.stamps import STAMP, moment_of, stamp
from sources.source import Page

Origin = Literal["live", "recorded"]


@dataclass(frozen=True)
class Look:
    """One look at a provider. `failures` are by part: (code, reason); with pages present it is a partial look."""

    provider: str
    observed_at: datetime
    origin: Origin
    pages: Sequence[Page] = ()
    failures: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    rates_from: Sequence[str] = ()  # hashes of the currency pages whose rates this look is converted with


class DamagedPage(OSError):
    """Kept bytes that are gone or no longer those of their hash, or a look's record that is no record."""


class PageStore:
    """The kept pages and look records under one folder."""

    def __init__(self, root: Path, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self.root = root
        self._now = now

    def keep(self, look: Look) -> None:
        """Write the pages of a look, then its record: a record never points at bytes that are not there."""
        folder = self.root / look.provider
        for page in look.pages:
            if not self._holds(look.provider, page.sha256):
                target = self._page_path(look.provider, page.sha256)
                write_whole(target, gzip.compress(page.body, compresslevel=5, mtime=0))
        record = {
            "provider": look.provider,
            "observed_at": look.observed_at.isoformat(),
            "origin": look.origin,
            "failures": {part: list(failure) for part, failure in look.failures.items()},
            "rates_from": list(look.rates_from),
            "pages": [written_of(page) for page in look.pages],
        }
        write_whole(folder / "looks" / f"{stamp(look.observed_at)}.json", _json(record))
        if look.origin == "live":
            addresses = {**self._addresses(look.provider), **{p.url: written_of(p) for p in look.pages}}
            write_whole(folder / "addresses.json", _json(addresses))

    def providers(self) -> list[str]:
        """Providers that were ever looked at."""
        return sorted(path.parent.name for path in self.root.glob("*/looks")) if self.root.exists() else []

    def moments(self, provider: str) -> list[datetime]:
        """When the provider was looked at, oldest first."""
        now = self._now()
        return [moment for moment in self._moments(provider) if not is_ahead_of_clocks(moment, now)]

    def moments_ahead(self, provider: str) -> list[datetime]:
        """Looks that cannot have been made yet, oldest first: a clock was wrong, so they are left out."""
        now = self._now()
        return [moment for moment in self._moments(provider) if is_ahead_of_clocks(moment, now)]

    def look(self, provider: str, observed_at: datetime) -> Look:
        """The look of that moment, with its bytes. Raises DamagedPage."""
        path = self.root / provider / "looks" / f"{stamp(observed_at)}.json"
        try:
            record = json.loads(path.read_bytes())
            return Look(
                provider=provider,
                observed_at=datetime.fromisoformat(record["observed_at"]),
                origin=record["origin"],
                pages=[self._with_body(provider, page) for page in record["pages"]],
                failures={part: (code, reason) for part, (code, reason) in record["failures"].items()},
                rates_from=record["rates_from"],
            )
        except FileNotFoundError:
            raise DamagedPage(f"{path} is gone; restore it from a backup and run `gpuledger rebuild`") from None
        except (AttributeError, KeyError, TypeError, ValueError):
            raise _set_aside(path) from None

    def record(self, provider: str, observed_at: datetime) -> dict[str, Any]:
        """What is written of the look of that moment, without its bytes; empty where nothing whole is."""
        try:
            record = json.loads((self.root / provider / "looks" / f"{stamp(observed_at)}.json").read_bytes())
        except (OSError, ValueError):
            return {}
        return record if isinstance(record, dict) else {}

    def last_good_look(self, provider: str) -> Look | None:
        """The newest look that brought pages; None when there is none. Raises DamagedPage."""
        for moment in reversed(self.moments(provider)):
            look = self.look(provider, moment)
            if look.pages:
                return look
        return None

    def body(self, provider: str, sha256: str) -> bytes:
        """The kept bytes of a page. Raises DamagedPage when they are gone or not what was kept."""
        path = self._page_path(provider, sha256)
        try:
            content = gzip.decompress(path.read_bytes())
        except FileNotFoundError:
            raise DamagedPage(f"{path} is gone; restore it from a backup and run `gpuledger rebuild`") from None
        except (EOFError, gzip.BadGzipFile, zlib.error):
            raise _set_aside(path) from None
        if hashlib.sha256(content).hexdigest() != sha256:
            raise _set_aside(path)
        return content

    def has(self, provider: str, sha256: str) -> bool:
        """Whether the bytes of a page are there; damaged ones are renamed when they are read."""
        return self._page_path(provider, sha256).exists()

    def of(self, provider: str) -> ProviderPages:
        """The view of one provider that its HTTP client asks for held pages."""
        return ProviderPages(self, provider)

    def held_page(self, provider: str, url: str) -> Page | None:
        """The last live page of an address; None where it, or the note of it, is gone or damaged."""
        entry = self._addresses(provider).get(url)
        try:
            return None if entry is None else self._with_body(provider, entry)
        except (OSError, KeyError, TypeError, ValueError):
            return None  # only costs an unconditional request

    def _moments(self, provider: str) -> list[datetime]:
        """A file of another name, a copy say, is no look."""
        looks = (self.root / provider / "looks").glob("*.json")
        return sorted(moment_of(path.name) for path in looks if re.fullmatch(STAMP, path.stem))

    def _addresses(self, provider: str) -> dict[str, Any]:
        try:
            addresses = json.loads((self.root / provider / "addresses.json").read_bytes())
        except (FileNotFoundError, ValueError):
            return {}
        return addresses if isinstance(addresses, dict) else {}

    def _holds(self, provider: str, sha256: str) -> bool:
        try:
            self.body(provider, sha256)
        except OSError:
            return False
        return True

    def _page_path(self, provider: str, sha256: str) -> Path:
        return self.root / provider / "pages" / sha256[:2] / f"{sha256}.gz"

    def _with_body(self, provider: str, entry: Mapping[str, Any]) -> Page:
        return Page(
            url=entry["url"],
            body=self.body(provider, entry["sha256"]),
            observed_at=datetime.fromisoformat(entry["observed_at"]),
            name=entry["name"],
            book=entry["book"],
            etag=entry["etag"],
            last_modified=entry["last_modified"],
            unchanged=entry["unchanged"],
            form=entry.get("form", ""),
            excerpt=entry.get("excerpt", False),
        )


@dataclass(frozen=True)
class ProviderPages:
    """What http.KeptPages asks for, for one provider."""

    store: PageStore
    provider: str

    def last_page(self, url: str) -> Page | None:
        return self.store.held_page(self.provider, url)


@dataclass(frozen=True)
class RecordedPage:
    """A page of a recording and where it is from."""

    page: Page
    form: Literal["captured", "reduced", "reconstructed"]
    origin: str


RECORDED = Path(__file__).parent / "recorded"


def recorded_pages(provider: str) -> dict[datetime, list[RecordedPage]]:
    """The recorded looks of a provider by their true date, oldest first, as its provenance.json lists them."""
    folder = RECORDED / provider
    provenance = folder / "provenance.json"
    looks: dict[datetime, list[RecordedPage]] = {}
    for look in json.loads(provenance.read_bytes())["looks"] if provenance.exists() else ():
        moment = datetime.fromisoformat(look["observed_at"])
        looks[moment] = [
            RecordedPage(
                page=Page(
                    url=entry["url"],
                    body=(folder / entry["file"]).read_bytes(),
                    observed_at=moment,
                    name=Path(entry["file"]).name,
                    book=entry.get("book", ""),
                    excerpt=entry.get("excerpt", False),
                ),
                form=entry["form"],
                origin=entry["origin"],
            )
            for entry in look["pages"]
        ]
    return dict(sorted(looks.items()))


def recorded_looks(provider: str) -> Iterator[Look]:
    """The recorded looks of a provider, oldest first, as if they had been looked at on their own day."""
    for moment, pages in recorded_pages(provider).items():
        yield Look(provider, moment, "recorded", [replace(one.page, form=one.form) for one in pages])


def is_recorded(provider: str) -> bool:
    """Whether there is a recorded look at the provider."""
    return bool(recorded_moments(provider))


def recorded_moments(provider: str) -> list[datetime]:
    """When the provider's recorded looks were made, without reading their pages."""
    provenance = RECORDED / provider / "provenance.json"
    looks = json.loads(provenance.read_bytes())["looks"] if provenance.exists() else ()
    return [datetime.fromisoformat(look["observed_at"]) for look in looks]


def write_whole(target: Path, content: bytes) -> None:
    """Write a file so that a reader, or a crash, sees all of it or none."""
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=".writing-")
    draft = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())  # or the new name may outlive a power cut that the bytes do not
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)


def _set_aside(path: Path) -> DamagedPage:
    """Give a damaged file another name, so that a good one can take its place; returns what to raise."""
    aside = path.with_name(f"{path.name}.damaged")
    try:
        path.replace(aside)
    except OSError:  # not ours to rename; it is as damaged where it is
        aside = path
    return DamagedPage(f"{path} was damaged and is kept as {aside.name}; restore it from a backup")


def with_rates(look: Look, currency_pages: Iterable[Page]) -> Look:
    """The look, saying which currency pages its prices are converted with."""
    return replace(look, rates_from=sorted({page.sha256 for page in currency_pages}))


def written_of(page: Page) -> dict[str, Any]:
    """A page as the record of its look has it, without its bytes."""
    return {
        "url": page.url,
        "name": page.name,
        "book": page.book,
        "sha256": page.sha256,
        "bytes": len(page.body),
        "observed_at": page.observed_at.isoformat(),
        "etag": page.etag,
        "last_modified": page.last_modified,
        "unchanged": page.unchanged,
        "form": page.form,
        **({"excerpt": True} if page.excerpt else {}),
    }


def _json(record: object) -> bytes:
    # a site's own words may hold lone surrogates, which no file can
    return json.dumps(record, indent=1, ensure_ascii=False).encode("utf-8", "replace")
