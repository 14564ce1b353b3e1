"""From a look to what it came to: the pages kept, read with the rates they name, judged, and the outcome kept.

A look whose pages are kept and whose outcome is not (the process died in between, or a file was damaged) is read at
the next occasion. Damage costs its own source only, and what can be made again from the kept pages is. Asking the
sources is in looking.py, what pages say in reading.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TypeVar

from models.currencies import Rates
from models.moments import utc_day
from models.moves import waited_enough
from models.offers import CurrencyRate, Offer
from models.quantities import counted
from models.rate_moves import leaps
from models.stamps import moment_of
from models.weighing import weigh
from models.witnesses import WitnessedPrice
from pipelines.looks.drifting import before_drift, drift_since, profile_in
from pipelines.looks.judging import cut_by_redesign, judged, with_drift, with_leaps
from pipelines.looks.readers import note_reader
from pipelines.looks.reading import layouts_before, read_look
from sources.pages import DamagedPage, Look, PageStore, with_rates
from sources.source import Page, Source
from warehouse.offer_files import OfferFileBroken, OfferFiles, Scrape

DAMAGED, AHEAD, NOT_KEPT = "damaged_file", "future_look", "not_kept"  # codes of what befell a look after it was made
Outcome = tuple[Scrape, list[Offer]]
Result = TypeVar("Result")


def take_in(look: Look, store: PageStore, files: OfferFiles, sources: Sequence[Source]) -> tuple[Look, Outcome]:
    """Keep a look that was just made and read it; returns it with the rates that it was converted with."""
    rated = look if _of(look, sources).kind == "currency" else with_rates(look, currency_pages(store, sources, files))
    store.keep(rated)
    return rated, keep_reading(rated, store, files, sources)


def keep_reading(look: Look, store: PageStore, files: OfferFiles, sources: Sequence[Source]) -> Outcome:
    """Read a kept look with the rates it names, judge its prices by those before, and keep what it came to.

    What befell the looks before it is told in its summary. Raises DamagedPage where its rates are gone.
    """
    note_reader(files)
    source = _of(look, sources)
    rates = Rates.of(()) if source.kind == "currency" else _rates(store, sources, look.rates_from)
    befell: list[tuple[str, str]] = []
    if ahead := store.moments_ahead(look.provider):
        line = f"{counted(len(ahead), 'look')} dated in the future, up to {ahead[-1]:%Y-%m-%d %H:%M}, left out"
        befell.append((AHEAD, line))

    def read() -> Outcome:
        read = read_look(look, source, rates, layouts_before(files, look))
        standing = files.standing(look.provider, look.origin, read.scrape.books, before=look.observed_at)
        day_rates = rates.usd_per_unit(utc_day(look.observed_at))
        cut = cut_by_redesign(read, standing)
        good = before_drift(files, read.scrape)
        offers, held_back, moves = weigh(read.offers, read.rejected, standing, day_rates, look.observed_at, cut, good)
        rejected = read.rejected + held_back
        scrape = judged(read, offers, held_back, moves, cut)
        if source.kind == "currency":
            far = _unconfirmed(look, read.rates, store, files, source)
            scrape = with_leaps(scrape, far)
            read.rates = [row for row in read.rates if row not in far]
        else:
            told: list[Offer | WitnessedPrice] = [*offers, *read.witnesses]
            found = drift_since(files, scrape, lambda books: profile_in(books, told, rejected, moves))
            scrape = with_drift(scrape, found)
        if befell:
            lines = "; ".join(filter(None, [scrape.reason, *(line for _, line in befell)]))
            scrape = replace(scrape, code=scrape.code or befell[0][0], reason=lines)
        files.write(scrape, offers, rejected, read.rates, moves, read.witnesses)
        return scrape, offers

    return mending(read, look.provider, store, files, sources, lambda line: befell.append((DAMAGED, line)))


def read_kept(
    provider: str, moment: datetime, store: PageStore, files: OfferFiles, sources: Sequence[Source]
) -> tuple[Look, Outcome]:
    """Read the kept look of a moment; one that is damaged becomes a failed look of that moment.

    Raises DamagedPage where the look was read before: what it came to then stands.
    """
    try:
        look = store.look(provider, moment)
        return look, keep_reading(look, store, files, sources)
    except DamagedPage as error:
        if moment in files.moments(provider):
            raise
        look = Look(provider, moment, "live", (), {"": (DAMAGED, str(error))})
        return look, keep_reading(look, store, files, sources)


def unread(provider: str, store: PageStore, files: OfferFiles) -> list[datetime]:
    """The kept looks at a provider that nobody has read, oldest first."""
    read = files.moments(provider)
    return [moment for moment in store.moments(provider) if moment not in read]


def mending(
    work: Callable[[], Result],
    provider: str,
    store: PageStore,
    files: OfferFiles,
    sources: Sequence[Source],
    say: Callable[[str], None],
) -> Result:
    """What `work` gives, once every broken file that it meets is set aside and made again from the kept pages."""
    while True:
        try:
            return work()
        except OfferFileBroken as error:
            files.set_aside(error.path)  # a file fewer each time, so this ends
            moment, line = moment_of(error.path.name), f"{error.path.name} was damaged and is set aside"
            if moment in store.moments(provider):
                read_kept(provider, moment, store, files, sources)
                line += "; its look was read again from the kept pages"
            say(line)


def currency_pages(
    store: PageStore, sources: Sequence[Source], files: OfferFiles | None = None, before: datetime | None = None
) -> list[Page]:
    """The pages whose rates are in use: of the newest live look that gave rates, else of all recorded ones.

    Looks whose rates `files` says are to be doubted are passed over, and those that are not `before` a moment.
    """
    pages: dict[str, Page] = {}
    for source in sources:
        if source.kind != "currency":
            continue
        for look in _looks_back(store, source.name):
            if (before and look.observed_at >= before) or (files and _is_doubted(files, look)):
                continue
            rated = [page for page in look.pages if _rates_on(store, source, page.sha256)]
            pages |= {page.sha256: page for page in rated}
            if look.origin == "live" and rated:
                break
    return list(pages.values())


_RATES_ON: dict[str, list[CurrencyRate]] = {}  # parsing the bank's page once per process is enough
_RATES: dict[tuple[str, ...], Rates] = {}


def _is_doubted(files: OfferFiles, look: Look) -> bool:
    try:
        _, summary = next(files.earlier(look.provider, look.origin, look.observed_at + timedelta(microseconds=1)))
    except (StopIteration, OfferFileBroken):  # not read, or to be read again: its own look says so
        return False
    return summary.observed_at == look.observed_at and bool(summary.drift)


def _unconfirmed(
    look: Look, rates: Sequence[CurrencyRate], store: PageStore, files: OfferFiles, bank: Source
) -> list[CurrencyRate]:
    """The rates of a live look that leapt, until looks in a row have said so for as long as a held price waits."""
    if look.origin == "recorded":
        return []  # reviewed by hand, with gaps of months
    in_use = currency_pages(store, [bank], files, before=look.observed_at)
    far = leaps((row for page in in_use for row in _rates_on(store, bank, page.sha256)), rates)
    since, looks = look.observed_at, 1
    for _, before in files.earlier(look.provider, look.origin, look.observed_at) if far else ():
        said = [row for page in before.pages for row in _rates_on(store, bank, page.sha256)]
        if said and (not before.drift or leaps(said, rates)):
            break
        if said:
            since, looks = before.observed_at, looks + 1
    return [] if waited_enough(since, looks, look.observed_at) else far


def _rates(store: PageStore, sources: Sequence[Source], hashes: Sequence[str]) -> Rates:
    """The rates on these pages. Raises DamagedPage where one is gone."""
    key = tuple(sorted(hashes))
    if key not in _RATES:
        banks = [source for source in sources if source.kind == "currency"]
        _RATES[key] = Rates.of(row for bank in banks for sha256 in key for row in _rates_on(store, bank, sha256))
    return _RATES[key]


def _rates_on(store: PageStore, bank: Source, sha256: str) -> list[CurrencyRate]:
    if sha256 not in _RATES_ON:
        page = Page("", store.body(bank.name, sha256), datetime.now(UTC), sha256)
        try:
            _RATES_ON[sha256] = [row for row in bank.parse([page]) if isinstance(row, CurrencyRate)]
        except Exception:  # of the page or of the parser; the bank's own look says so, and the others go on
            _RATES_ON[sha256] = []
    return _RATES_ON[sha256]


def _looks_back(store: PageStore, provider: str) -> Iterator[Look]:
    """The looks that can be read, newest first."""
    for moment in reversed(store.moments(provider)):
        try:
            yield store.look(provider, moment)
        except DamagedPage:
            continue  # said where it is read as a look


def _of(look: Look, sources: Sequence[Source]) -> Source:
    return next(source for source in sources if source.name == look.provider)
