"""Recovery: offers and ledger from the kept pages alone, by reading every look again with the rates it names."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence

from pipelines.home import Home
from pipelines.looking import keep_reading
from pipelines.reference import reference_frames
from sources.pages import PageStore
from sources.source import Source, all_sources
from warehouse.load import load_reference, recompute
from warehouse.load import rebuild as rebuild_ledger
from warehouse.offer_files import OfferFiles
from warehouse.publish import publish


def rebuild(at: Home, say: Callable[[str], None], sources: Sequence[Source] | None = None) -> None:
    """Read every kept look again, lay the ledger anew and publish it. Gives the tables that were there before."""
    store, sources = PageStore(at.raw), list(all_sources().values() if sources is None else sources)
    known = {source.name for source in sources}
    draft = at.offers.with_name("offers.rebuilding")
    shutil.rmtree(draft, ignore_errors=True)
    files, looks = OfferFiles(draft), 0
    for provider in store.providers():
        if provider not in known:
            say(f"{provider}: no such source any more; its pages stay, its offers are left out")
            continue
        for moment in store.moments(provider):
            keep_reading(store.look(provider, moment), store, files, sources)
            looks += 1
    say(f"read {looks:,} looks again")
    draft.mkdir(parents=True, exist_ok=True)
    retired = at.offers.with_name("offers.before-rebuild")
    shutil.rmtree(retired, ignore_errors=True)
    if at.offers.exists():
        at.offers.rename(retired)
    draft.rename(at.offers)
    loaded = rebuild_ledger(at.warehouse, OfferFiles(at.offers))
    load_reference(at.warehouse, reference_frames(sources))
    recompute(at.warehouse)
    published = publish(at.warehouse, at.published)
    shutil.rmtree(retired, ignore_errors=True)
    say(f"laid {loaded.observations:,} observations anew; published {published.offers:,} offers")
