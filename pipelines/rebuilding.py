"""Recovery: offers and ledger from the kept pages alone, by reading every look again with the rates it names.

Offers are replaced look by look where the pages come to something else now, so that a crash on the way costs
nothing: the next load lays the ledger anew from what is there, and the next rebuild goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pipelines.home import Home
from pipelines.looking import keep_reading
from pipelines.priced_frames import priced_frames
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
    files, looks = OfferFiles(at.offers), 0
    for provider in store.providers():
        if provider not in known:
            say(f"{provider}: no such source any more; its offers stay as they were read")
            continue
        for moment in store.moments(provider):  # oldest first: a price is judged by the look before
            keep_reading(store.look(provider, moment), store, files, sources)
            looks += 1
    say(f"read {looks:,} looks again")
    loaded = rebuild_ledger(at.warehouse, files)
    load_reference(at.warehouse, reference_frames(sources))
    recompute(at.warehouse, priced_frames)
    published = publish(at.warehouse, at.published)
    say(f"laid {loaded.observations:,} observations anew; published {published.offers:,} offers")
