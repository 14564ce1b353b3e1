"""Which recordings a home does not hold as they are now: new ones, and those that were corrected since.

A corrected recording takes the place of the one of its moment; the bytes kept before stay. Making recordings is in
recording.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sources.pages import Look, PageStore, recorded_looks, written_of
from sources.source import Source


def new_recordings(source: Source, store: PageStore, sources: Sequence[Source]) -> Iterator[Look]:
    """The recorded looks at a source that are not kept, or kept with other pages or older rates, or lost a page."""
    checked = dict[frozenset[str], bool]()
    for look in recorded_looks(source.name):
        kept = store.record(source.name, look.observed_at)
        if not kept:
            yield look
        elif kept.get("origin") == "recorded":
            rates = frozenset(kept.get("rates_from", ()))
            if rates not in checked:
                checked[rates] = source.kind != "currency" and _lacks_rates(rates, store, sources)
            changed = kept.get("pages") != [written_of(page) for page in look.pages]
            if checked[rates] or changed or not all(store.has(source.name, page.sha256) for page in look.pages):
                yield look


def said_of_corrected(sources: Sequence[Source], store: PageStore) -> str:
    """The line about kept recordings that were corrected since, with what takes the corrected ones; "" for none."""
    corrected = {
        source.name: sum(
            1 for look in new_recordings(source, store, sources) if store.record(source.name, look.observed_at)
        )
        for source in sources
    }
    if not (looks := sum(corrected.values())):
        return ""
    names = " ".join(name for name, found in corrected.items() if found)
    were = "recording is kept as it was" if looks == 1 else "recordings are kept as they were"
    return f"{looks:,} {were} before a correction: `gpuledger refresh --recorded {names}` takes what is shipped now"


def _lacks_rates(used: frozenset[str], store: PageStore, sources: Sequence[Source]) -> bool:
    """Whether prices that were converted with recorded rates lack some of those that are recorded now."""
    banks = [source.name for source in sources if source.kind == "currency"]
    if all(_recorded_hashes(bank) <= used for bank in banks):
        return False
    return not any(
        page["sha256"] in used
        for bank in banks
        for moment in store.moments(bank)
        if (record := store.record(bank, moment)).get("origin") == "live"
        for page in record["pages"]
    )


def _recorded_hashes(provider: str) -> set[str]:
    return {page.sha256 for look in recorded_looks(provider) for page in look.pages}
