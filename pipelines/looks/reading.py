"""What a look came to: its pages read book by book, each of which may fail by itself, told in one line for people.

A page that was redesigned is named as that before anything is said of its rows. Fetching is in looking.py, what a look
means after those before in judging.py.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from models.currencies import Rates
from models.normalise import normalise
from models.offers import CurrencyRate, Offer, Quote, Rejected, Unreadable, Witness
from models.witnesses import WitnessedPrice, witnessed
from sources.fingerprint import fingerprint, redesigned, reframed
from sources.pages import Look
from sources.rows import rows_read
from sources.source import EmptyAnswer, LayoutChanged, Page, Source, SourceError, in_books
from warehouse.offer_files import OfferFiles, Scrape, ScrapedPage

DEFECT = "defect"
# What a redesign explains; an error page is another page, and says so itself.
EXPLAINED = frozenset({EmptyAnswer.code, LayoutChanged.code, DEFECT})


@dataclass(slots=True)
class Reading:
    """What the pages of a look say, before it is compared with what was believed."""

    scrape: Scrape
    offers: list[Offer] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)
    rates: list[CurrencyRate] = field(default_factory=list)
    witnesses: list[WitnessedPrice] = field(default_factory=list)
    reframed: dict[str, str] = field(default_factory=dict)  # by book: the page that is another around its rows


def read_look(look: Look, source: Source, rates: Rates, layouts: Mapping[str, str]) -> Reading:
    """What a look came to. A book that cannot be read fails by itself; its last good offers stay as they are.

    `layouts` are the fingerprints of the last good look by address.
    """
    pages = [_scraped(page) for page in look.pages]
    read = Reading(_unread(look, pages))
    moved: dict[str, str] = {}
    for page in pages:
        before = layouts.get(page.url, "")
        if redesigned(before, page.fingerprint):
            moved[page.book] = page.name
        if reframed(before, page.fingerprint):
            read.reframed[page.book] = page.name
    failures, good, quotes = dict(look.failures), list[str](), 0
    for book, of_book in in_books(look.pages).items():
        try:
            quotes += _read_book(read, look, source, rates, book, of_book)
            good.append(book)
        except SourceError as error:
            failures[book] = error.code, str(error)
        except Exception as error:  # a defect in one parser must not cost the other books and sources theirs
            failures[book] = DEFECT, f"{type(error).__name__} while reading {of_book[0].name}: {error}"
        if book in failures and book in moved and failures[book][0] in EXPLAINED:
            failures[book] = LayoutChanged.code, f"{moved[book]} was redesigned: {failures[book][1]}"
    code, reason = _summary(failures)
    read.scrape = replace(
        read.scrape,
        status="failed" if not good else "partial" if failures else "ok",
        code=code,
        reason=reason,
        books=sorted(set(good) - {page.book for page in look.pages if page.excerpt}),
        quotes=quotes,
        offers=len(read.offers) + len(read.rates) + len(read.witnesses),
        rejected=len(read.rejected),
    )
    return read


def layouts_before(files: OfferFiles, look: Look) -> dict[str, str]:
    """Fingerprints by address, as the newest earlier look that read each book whole saw them."""
    wanted = {page.book for page in look.pages}
    found: dict[str, str] = {}
    for _, summary in files.earlier(look.provider, look.origin, look.observed_at):
        if not wanted:
            break
        read = wanted & set(summary.books)
        found |= {page.url: page.fingerprint for page in summary.pages if page.book in read}
        wanted -= read
    return found


def _read_book(read: Reading, look: Look, source: Source, rates: Rates, book: str, pages: Sequence[Page]) -> int:
    """Add what the pages of one book say; returns how many rows were prices. Raises SourceError."""
    rows = rows_read(source, pages)
    refused: list[Rejected] = []
    accepted: Sequence[Offer | CurrencyRate | WitnessedPrice]
    match source.kind:
        case "currency":
            accepted = found = [_from_page(row, pages[0]) for row in rows if isinstance(row, CurrencyRate)]
            read.rates += found
        case "aggregator":
            accepted, refused = witnessed(
                (row for row in rows if isinstance(row, (Witness, Unreadable))),
                witness=look.provider,
                book=book,
                observed_at=look.observed_at,
                origin=look.origin,
                rates=rates,
                page_sha256=pages[0].sha256,
            )
            read.witnesses += accepted
        case _:
            accepted, refused = normalise(
                (row for row in rows if isinstance(row, (Quote, Unreadable))),
                provider=look.provider,
                book=book,
                observed_at=look.observed_at,
                origin=look.origin,
                rates=rates,
                page_sha256=pages[0].sha256,
                one_seller=source.kind != "marketplace",
            )
            read.offers += accepted
    read.rejected += refused
    _refuse_empty(accepted, pages[0], refused)
    return sum(not isinstance(row, Unreadable) for row in rows)


def _refuse_empty(accepted: Sequence[object], page: Page, rejected: Sequence[Rejected]) -> None:
    """Raises EmptyAnswer: an answer without one usable price is a failure, not an empty list."""
    if accepted:
        return
    if not rejected:
        raise EmptyAnswer(f"{page.name} holds no price")
    reason, count = Counter(row.reason for row in rejected).most_common(1)[0]
    example = next(row.detail for row in rejected if row.reason == reason)[:120]
    rows = f"none of the {len(rejected)} rows of {page.name} is a usable price"
    raise EmptyAnswer(f"{rows} ({count} x {reason}, for example {example})")


def _summary(failures: Mapping[str, tuple[str, str]]) -> tuple[str, str]:
    """One code and one line for all failures of a look."""
    if not failures:
        return "", ""
    part, (code, reason) = next(iter(failures.items()))
    line = f"{part}: {reason}" if part and part not in reason else reason
    return code, f"{line} (and {len(failures) - 1} more)" if len(failures) > 1 else line


def _unread(look: Look, pages: Sequence[ScrapedPage]) -> Scrape:
    return Scrape(
        provider=look.provider,
        observed_at=look.observed_at,
        origin=look.origin,
        status="failed",
        code="",
        reason="",
        books=(),
        quotes=0,
        offers=0,
        rejected=0,
        pages=pages,
    )


def _scraped(page: Page) -> ScrapedPage:
    return ScrapedPage(
        page.book, page.url, page.name, page.sha256, len(page.body), page.unchanged, fingerprint(page), page.form
    )


def _from_page(rate: CurrencyRate, page: Page) -> CurrencyRate:
    return rate if rate.page_sha256 else replace(rate, page_sha256=page.sha256)
