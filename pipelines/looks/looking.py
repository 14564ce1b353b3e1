"""Looking at sources: every part of a source asked, many sources at once.

Plain Python without Dagster, so that a look is the same from the schedule and the command line. Keeping a look and
reading it is in keeping.py. A source that fails costs the others nothing: every fault ends as a named failure of its
own look.
"""

from __future__ import annotations

import os
import queue
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime

from requests.adapters import BaseAdapter

from sources.http import Http
from sources.pages import Look, PageStore
from sources.redaction import redact
from sources.robots import refuse_forbidden
from sources.source import EmptyAnswer, Page, Source, SourceError

GRACE_SECONDS = 5.0  # past a source's own deadline before its look is given up from outside
SECONDS_BETWEEN_WORDS = 5.0  # on who is waited for


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
    except Exception as error:  # a defect in one look must not cost the other sources theirs
        return Look(source.name, observed_at, "live", (), {"": _failure(error, secrets)})
    for part, fetch in source.fetchers().items():
        try:
            pages += list(fetch(http))
        except Exception as error:  # nor one part the other parts
            failures[part] = _failure(error, secrets)
    if not pages and not failures:
        failures[""] = (EmptyAnswer.code, "no page was fetched")
    return Look(source.name, observed_at, "live", pages, failures)


def _failure(error: Exception, secrets: Mapping[str, str]) -> tuple[str, str]:
    """Code and reason of a failed fetch; whatever is no SourceError is a defect of ours."""
    if isinstance(error, SourceError):
        return error.code, redact(str(error), secrets)
    return "defect", redact(f"{type(error).__name__} while fetching: {error}", secrets)


def look_at_all(
    sources: Sequence[Source],
    store: PageStore,
    *,
    adapters: Mapping[str, BaseAdapter] | None = None,
    say: Callable[[str], None] = lambda line: None,
) -> Iterator[Look]:
    """Look at many sources at once, each in its own thread; currencies come out first, then each as it ends.

    A look that outlasts its source's own deadline is given up, so that this takes about as long as the slowest source;
    who is still waited for is said meanwhile.
    """
    done: queue.Queue[Look] = queue.Queue()

    def run(source: Source) -> None:
        done.put(look_at(source, store, adapter=(adapters or {}).get(source.name)))

    started, began, words = utc_now(), time.monotonic(), 0
    for source in sources:
        threading.Thread(target=run, args=(source,), name=f"look-{source.name}", daemon=True).start()
    waiting = {source.name: source for source in sources}
    currencies = {source.name for source in sources if source.kind == "currency"}
    held: list[Look] = []
    while waiting:
        ends = {name: source.deadline.total_seconds() + GRACE_SECONDS for name, source in waiting.items()}
        next_words = SECONDS_BETWEEN_WORDS * (words + 1)
        try:
            look = done.get(timeout=max(0.0, min(next_words, *ends.values()) - (time.monotonic() - began)))
        except queue.Empty:
            passed = time.monotonic() - began
            for name in (name for name, end in ends.items() if passed >= end):
                done.put(_given_up(waiting[name], started))
            if passed >= next_words:
                words = int(passed / SECONDS_BETWEEN_WORDS)
                say(f"{passed:.0f} s, waiting for {_listed(list(waiting))}")
            continue
        if waiting.pop(look.provider, None) is None:
            continue
        held.append(look)
        if not currencies & waiting.keys():
            yield from sorted(held, key=lambda look: look.provider not in currencies)
            held.clear()


def _listed(names: Sequence[str], most: int = 6) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def _given_up(source: Source, started: datetime) -> Look:
    reason = f"no answer within {source.deadline}"
    return Look(source.name, started, "live", (), {"": ("unreachable", reason)})
