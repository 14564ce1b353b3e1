"""A ledger made of every recording, without Dagster; not a test by itself."""

from __future__ import annotations

from pathlib import Path

from pipelines.home import Home
from pipelines.looks.keeping import currency_pages
from pipelines.runs.rebuilding import rebuild
from sources.pages import PageStore, recorded_looks, with_rates
from sources.source import all_sources


def keep_recordings(at: Home) -> None:
    """Every recorded look put into the page store, currencies first, as a recorded refresh does."""
    store, sources = PageStore(at.raw), list(all_sources().values())
    for source in sorted(sources, key=lambda source: source.kind != "currency"):
        for look in recorded_looks(source.name):
            store.keep(look if source.kind == "currency" else with_rates(look, currency_pages(store, sources)))


def recorded_ledger(root: Path) -> Home:
    """The home of a published ledger with everything the recordings hold."""
    at = Home(root)
    keep_recordings(at)
    rebuild(at, say=lambda line: None)
    return at
