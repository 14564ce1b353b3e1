"""One look at a source from end to end: fetch and keep the pages, have them read, keep what they came to.

Plain Python without Dagster, so that a look is the same from the schedule, the command line and a rebuild. What a
look came to is told in reading.py.
A source that fails costs the others nothing: every fault ends as a named failure of its own look.
"""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime

from requests.adapters import BaseAdapter

from models.currencies import Rates
from models.moments import utc_day
from models.moves import weigh
from models.offers import CurrencyRate, Offer
from pipelines.reading import layouts_before, read_look, with_held_back, with_redesign
from sources.http import Http, redact
from sources.pages import Look, PageStore
from sources.robots import refuse_forbidden
from sources.source import EmptyAnswer, Page, Source, SourceError
from warehouse.offer_files import OfferFiles, Scrape

GRACE_SECONDS = 5.0  # past a source's own deadline before its look is given up from outside


def utc_now() -> datetime:
    """Now, in UTC."""
    return datetime.now(UTC)


def look_at(
    source: Source, store: PageStore, *, adapter: BaseAdapter | None = None, now: Callable[[], datetime] = utc_now
) -> Look:
    """Fetch every part of a source; whatever goes wrong becomes a failure of that part."""
    secrets = {name: os.environ.get(name, "") for name in (source.secret, source.optional_secret) if name}
    http = Http(source, kept=store.of(source.name), adapter=adapter, now=now, secrets=secrets)
    observed_at, pages, failures = now(), list[Page](), dict[str, tuple[str, str]]()
    try:
        refuse_forbidden(http, source)
    except SourceError as error:
        return Look(source.name, observed_at, "live", (), {"": (error.code, str(error))})
    for part, fetch in source.fetchers().items():
        try:
            pages += list(fetch(http))
        except SourceError as error:
            failures[part] = (error.code, redact(str(error), secrets))
        except Exception as error:  # a defect in one fetcher must not cost the other sources their look
            failures[part] = ("defect", redact(f"{type(error).__name__} while fetching: {error}", secrets))
    if not pages and not failures:
        failures[""] = (EmptyAnswer.code, "no page was fetched")
    return Look(source.name, observed_at, "live", pages, failures)


def look_at_all(
    sources: Sequence[Source], store: PageStore, *, adapters: Mapping[str, BaseAdapter] | None = None
) -> Iterator[Look]:
    """Look at many sources at once, each in its own thread; currencies come out first, then each as it ends.

    A look that outlasts its source's deadline is given up, so that this takes about as long as the slowest source.
    """
    done: queue.Queue[Look] = queue.Queue()

    def run(source: Source) -> None:
        done.put(look_at(source, store, adapter=(adapters or {}).get(source.name)))

    started = utc_now()
    for source in sources:
        threading.Thread(target=run, args=(source,), name=f"look-{source.name}", daemon=True).start()
    waiting = {source.name: source for source in sources}
    currencies = {source.name for source in sources if source.kind == "currency"}
    held: list[Look] = []
    while waiting:
        ends = max(source.deadline.total_seconds() for source in waiting.values()) + GRACE_SECONDS
        left = ends - (utc_now() - started).total_seconds()
        try:
            look = done.get(timeout=max(left, 0.0))
        except queue.Empty:
            late = [_given_up(source, started) for source in waiting.values()]
            waiting.clear()
            yield from sorted(held + late, key=lambda look: look.provider not in currencies)
            return
        if waiting.pop(look.provider, None) is None:
            continue
        held.append(look)
        if not currencies & waiting.keys():
            yield from sorted(held, key=lambda look: look.provider not in currencies)
            held.clear()


def keep_reading(
    look: Look, store: PageStore, files: OfferFiles, sources: Sequence[Source]
) -> tuple[Scrape, list[Offer]]:
    """Read a kept look with the rates it names, judge its prices by those before, and keep what it came to."""
    source = next(source for source in sources if source.name == look.provider)
    rates = Rates.of(()) if source.kind == "currency" else _rates(store, sources, look.rates_from)
    read = read_look(look, source, rates, layouts_before(files, look))
    standing = files.standing(look.provider, look.origin, read.scrape.books, before=look.observed_at)
    day_rates = rates.usd_per_unit(utc_day(look.observed_at))
    offers, held_back, moves = weigh(read.offers, read.rejected, standing, day_rates, look.observed_at)
    scrape = with_held_back(with_redesign(read, standing), offers, held_back)
    files.write(scrape, offers, read.rejected + held_back, read.rates, moves, read.witnesses)
    return scrape, offers


def currency_pages(store: PageStore, sources: Sequence[Source]) -> list[Page]:
    """The pages whose rates are in use: of the newest live look at each currency source, else of all recorded ones."""
    pages: dict[str, Page] = {}
    for source in sources:
        if source.kind != "currency":
            continue
        for moment in reversed(store.moments(source.name)):
            look = store.look(source.name, moment)
            pages |= {page.sha256: page for page in look.pages}
            if look.origin == "live" and look.pages:
                break
    return list(pages.values())


_RATES: dict[tuple[str, ...], Rates] = {}  # parsing the bank's page once per process is enough


def _rates(store: PageStore, sources: Sequence[Source], hashes: Sequence[str]) -> Rates:
    key = tuple(sorted(hashes))
    if key not in _RATES:
        rows: list[CurrencyRate] = []
        for source in sources:
            if source.kind == "currency":
                pages = [Page("", store.body(source.name, sha256), utc_now(), sha256) for sha256 in key]
                rows += [row for page in pages for row in source.parse([page]) if isinstance(row, CurrencyRate)]
        _RATES[key] = Rates.of(rows)
    return _RATES[key]


def _given_up(source: Source, started: datetime) -> Look:
    reason = f"no answer within {source.deadline}"
    return Look(source.name, started, "live", (), {"": ("unreachable", reason)})
