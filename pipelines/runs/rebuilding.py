"""Recovery: offers and ledger from the kept pages alone, by reading every look again with the rates it names.

Offers are replaced look by look where the pages come to something else now, so that a crash on the way costs
nothing: the next load lays the ledger anew from what is there, and the next rebuild goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from pipelines.frames.priced import priced_frames
from pipelines.home import Home
from pipelines.looks.keeping import DAMAGED, read_kept, unread
from pipelines.looks.readers import note_reader, read_by_earlier_code, said_of
from pipelines.looks.replaying import said_of_corrected
from pipelines.runs.laying import lay_reference
from sources.pages import DamagedPage, PageStore
from sources.source import Source, all_sources
from warehouse.database import LedgerOfAnotherVersion
from warehouse.laying import recompute
from warehouse.load import Loaded, load
from warehouse.load import rebuild as rebuild_ledger
from warehouse.offer_files import OfferFiles
from warehouse.publish import publish

FEW_LOOKS = 300  # read in seconds; all recordings are about a hundred


def rebuild(at: Home, say: Callable[[str], None], sources: Sequence[Source] | None = None) -> None:
    """Read every kept look again, lay the ledger anew and publish it. Gives the tables that were there before.

    Raises FileNotFoundError where no page is kept.
    """
    if not PageStore(at.raw).providers():
        raise FileNotFoundError(f"no page is kept under {at.raw}, of which to rebuild: run `gpuledger refresh`")
    sources = list(all_sources().values() if sources is None else sources)
    looks = read_all_again(at, sources, say)
    say(f"read {looks:,} looks again")
    loaded = rebuild_ledger(at.warehouse, OfferFiles(at.offers))
    for name in loaded.set_aside:
        say(f"{name} was damaged and is set aside; no page is kept that it could be made of")
    lay_reference(at, sources)
    recompute(at.warehouse, priced_frames)
    published = publish(at.warehouse, at.published)
    say(f"laid {loaded.observations:,} observations anew; published {published.offers:,} offers")


def load_mended(at: Home, sources: Sequence[Source], say: Callable[[str], None]) -> Loaded:
    """Load the looks that wait. What is damaged, or of another version, is first made again from the kept pages."""
    store, files = PageStore(at.raw), OfferFiles(at.offers)
    try:
        loaded = load(at.warehouse, files)
    except LedgerOfAnotherVersion:
        say("the ledger was laid by another version: every kept look is read again and the ledger laid anew")
        read_all_again(at, sources, say)
        return rebuild_ledger(at.warehouse, files)
    if not loaded.set_aside:
        return loaded
    for name in loaded.set_aside:
        say(f"{name} was damaged and is set aside; what was in it is made again from what is kept")
    for source in sources:
        for moment in unread(source.name, store, files):
            read_kept(source.name, moment, store, files, sources)
    again = load(at.warehouse, files)
    return again if again.rebuilt else loaded


def read_all_again(at: Home, sources: Sequence[Source], say: Callable[[str], None], taken: Collection[str] = ()) -> int:
    """Read every kept look again; returns how many. What is damaged is said, and what was read of it before stands.

    Recordings that were corrected are said too, but of sources whose recordings are `taken` next.
    """
    store, files, looks = PageStore(at.raw), OfferFiles(at.offers), 0
    known = {source.name for source in sources}
    for provider in store.providers():
        if provider not in known:
            say(f"{provider}: no such source any more; its offers stand as they were last read, and `status` says so")
            continue
        for moment in store.moments(provider):  # oldest first: a price is judged by the look before
            try:
                _, (scrape, _) = read_kept(provider, moment, store, files, sources)
            except DamagedPage as error:
                say(f"{provider}: {error}; what was read before stands")
                continue
            if scrape.code == DAMAGED:
                say(f"{provider}: {scrape.reason}")
            looks += 1
    if line := said_of_corrected([source for source in sources if source.name not in taken], store):
        say(line)
    note_reader(files, all_again=True)
    return looks


def read_what_earlier_code_read(
    at: Home, sources: Sequence[Source], say: Callable[[str], None], taken: Collection[str] = ()
) -> None:
    """Read every kept look again where other code than today's read some, and they are few; else say so.

    `taken` are the sources whose recordings are taken next.
    """
    if not (earlier := read_by_earlier_code(OfferFiles(at.offers))):
        return
    if earlier > FEW_LOOKS:
        say(said_of(earlier))
        return
    say(f"pages are read by other code than before: what is kept of {earlier} looks is read again")
    read_all_again(at, sources, say, taken)
