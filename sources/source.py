"""What a source is: a Page, the Source record that every provider file exposes, and the errors it may raise.

How bytes travel is in http.py, where they are kept in pages.py, what they mean in models.
"""

from __future__ import annotations

import hashlib
import importlib
import os
import pkgutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cache, cached_property
from typing import TYPE_CHECKING, Literal

from models.offers import CurrencyRate, Quote, Unreadable, Witness

if TYPE_CHECKING:
    from sources.http import Http

Kind = Literal["hyperscaler", "gpu_cloud", "marketplace", "serverless", "aggregator", "currency"]
Access = Literal["api", "page", "catalogue"]
WARN_AFTER, FAIL_AFTER = 2, 3  # cadences without a good look


class SourceError(Exception):
    """A source did not give what it should; the last good rows stay. `code` is stable, the text is for people."""

    code = "source_error"


class Unreachable(SourceError):
    """No usable answer: refused, timed out, cut short, too large, or an HTTP error after the retries."""

    code = "unreachable"

    def __init__(self, text: str, status: int = 0) -> None:
        super().__init__(text)
        self.status = status  # HTTP status of a refusal that was not retried, else 0


class StaleAnswer(SourceError):
    """The answer came from a cache and is older than the source allows; it may not be dated today."""

    code = "stale_answer"


class ErrorAnswer(SourceError):
    """HTTP 200 that carries an error, a challenge page or a login instead of prices."""

    code = "error_answer"


class LayoutChanged(SourceError):
    """A header, element or required field that the parser reads by is missing: the page was redesigned."""

    code = "layout_changed"


class EmptyAnswer(SourceError):
    """A well-formed answer without a single price."""

    code = "empty_answer"


class TruncatedAnswer(SourceError):
    """Paging ended early, or the answer says that it holds fewer rows than the whole list."""

    code = "truncated_answer"


class ForbiddenByRobots(SourceError):
    """The site's robots.txt keeps crawlers from the page."""

    code = "forbidden_by_robots"


class MissingSecret(SourceError):
    """The source needs a key that is not set, or is set to what no request can carry."""

    code = "missing_secret"


@dataclass(frozen=True)
class Page:
    """Bytes as one look at an address gave them. `book` names the part of the price list they belong to."""

    url: str
    body: bytes = field(repr=False)
    observed_at: datetime  # UTC: when the provider was asked
    name: str  # a file name that reads well in a recording: prices.json, us-east-1.csv
    book: str = ""  # parts of a list that can be looked at separately: a region, a feed
    etag: str = ""
    last_modified: str = ""
    unchanged: bool = False  # the provider answered 304, or its version stamp is the one we hold
    form: str = ""  # of a recorded page: captured, reduced or reconstructed
    excerpt: bool = False  # of a recorded page: it shows a part of its book, and what it leaves out is not gone

    @cached_property
    def sha256(self) -> str:
        return hashlib.sha256(self.body).hexdigest()

    @property
    def text(self) -> str:
        """The body as UTF-8; undecodable bytes become U+FFFD so that a parser fails on content, not on bytes."""
        return self.body.decode("utf-8", errors="replace")


Row = Quote | Unreadable | CurrencyRate | Witness

# What to keep of a body too large to hold: takes it in pieces of any size, gives back exact lines of it.
Reduce = Callable[[Iterable[bytes]], Iterable[bytes]]


@dataclass(frozen=True)
class Source:
    """One provider: who it is, how often to look, how to fetch and how to read it.

    `fetch(http)` yields pages and does the paging, nothing else; by default it GETs each of `urls`.
    A list that can fail piecemeal (a region, a second feed) gives `parts` instead: fetchers by name, each
    tried on its own, so that a dead part leaves the others whole.
    `parse(pages)` gets the pages of ONE book in the order fetched and is pure: no clock, no network,
    no division by a GPU count. It yields Quotes, yields Unreadable for a row that is no price, and raises
    a SourceError when the whole answer is not to be trusted. A row it cannot read never loses a good one.
    An aggregator, which lists what others sell, yields Witness rows instead of Quotes: they are only compared.
    """

    name: str  # snake case, the name customers use; equals the file name
    title: str
    homepage: str
    kind: Kind
    access: Access
    every: timedelta  # how often to look
    unit_note: str  # what one printed number covers, in words: goes to docs/sources.md
    parse: Callable[[Sequence[Page]], Iterable[Row]]
    urls: Sequence[str] = ()
    fetch: Callable[[Http], Iterable[Page]] | None = None
    parts: Mapping[str, Callable[[Http], Iterable[Page]]] = field(default_factory=dict)
    secret: str = ""  # environment variable that must be set; without it the source is left out
    optional_secret: str = ""  # environment variable that upgrades the source when set
    hosts: Sequence[str] = ()  # hosts beside those of `urls` that redirects may lead to
    deadline: timedelta = timedelta(minutes=5)  # for the whole look, paging and retries included
    requests_per_second: float = 2.0  # per host
    reduce: Reduce | None = None  # huge files, where fetch passes it to http.get and `parse` of a saved file uses it
    passed_over: Sequence[str] = ()  # fields of an answer that sound like a condition of its prices and are none
    one_of_several_currencies: bool = False  # an answer prices each item in several, of which `parse` reads one
    traps: str = ""  # what readers of this page get wrong; goes to docs/sources.md

    @property
    def ready(self) -> bool:
        """False while a required secret is not set: the source is defined, left out of schedules, and says so."""
        return not self.secret or bool(os.environ.get(self.secret))

    def fetchers(self) -> Mapping[str, Callable[[Http], Iterable[Page]]]:
        """How to fetch each part of one look, by name; a source in one piece has the single part ""."""
        if self.parts:
            return self.parts
        return {"": self.fetch or (lambda http: (http.get(url) for url in self.urls))}


@cache
def all_sources() -> dict[str, Source]:
    """Every provider by name, in alphabetical order; found in sources/providers by file name."""
    found: dict[str, Source] = {}
    package = importlib.import_module("sources.providers")
    for module in sorted(pkgutil.iter_modules(package.__path__), key=lambda found_module: found_module.name):
        source: Source = importlib.import_module(f"sources.providers.{module.name}").SOURCE
        found[source.name] = source
    return found


def in_books(pages: Iterable[Page]) -> dict[str, list[Page]]:
    """Pages grouped by book, both in the order fetched."""
    books: dict[str, list[Page]] = {}
    for page in pages:
        books.setdefault(page.book, []).append(page)
    return books
