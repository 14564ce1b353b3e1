"""What every source owes, whoever wrote it: honest recordings, reviewed figures, known cards, sane prices, no secrets.

quotes.json holds the reviewed reading of each recorded look; sources.quotes knows how. GPU texts that are rightly
unknown stand in its list `unknown_gpus`.
"""

from __future__ import annotations

import importlib
import json
import math
import pkgutil
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from trials import recorded_rates

from models.gpus import resolve
from models.normalise import normalise
from models.offers import CurrencyRate, Offer, Quote, Rejected, Unreadable, Witness
from models.witnesses import WitnessedPrice, witnessed
from sources.pages import RECORDED, RecordedPage, recorded_pages
from sources.quotes import UNKNOWN_GPUS, cells, priced, same
from sources.source import Kind, Page, Source, all_sources, in_books

PRICED = [source for source in all_sources().values() if source.kind not in ("currency", "aggregator")]
# No figure of theirs with a known date could be had; their parsers are tested on answers made by hand.
UNRECORDED = {"otc", "sparecores"}
WITNESSES = [source for source in all_sources().values() if source.kind == "aggregator"]
EVERY_PROVIDER = pytest.mark.parametrize(
    "source", [source for source in PRICED if source.name not in UNRECORDED], ids=lambda source: source.name
)
EVERY_WITNESS = pytest.mark.parametrize(
    "source", [source for source in WITNESSES if source.name not in UNRECORDED], ids=lambda source: source.name
)
EVERY_SOURCE = pytest.mark.parametrize("source", all_sources().values(), ids=lambda source: source.name)
FORMS = {"captured", "reduced", "reconstructed"}
LARGEST_RECORDING_KB = 500
# What a recorded page may hold on purpose: these rows show a trap. Anything else normalise refuses is a defect.
TRAPS = {"future_price", "superseded", "duplicate", "spot_above_on_demand", "unknown_gpu"}
# Region texts without a country: none where the page gives one price for all its regions ("" below), a continent, or a
# name of a place that its provider says nothing of.
ONE_PRICE_FOR_ALL = """
    akash baseten cloudrift crusoe digitalocean exoscale fal hyperstack jarvislabs lambda linode massedcompute mithril
    modal nebius novita oci replicate salad seeweb sfcompute thundercompute verda voltagepark vultr
"""
NAMES_NO_COUNTRY = {name: {""} for name in ONE_PRICE_FOR_ALL.split()} | {
    "coreweave": {"NORTH AMERICA", "EUROPE"},
    "hyperbolic": {"eu-north-4", "eu-north-5", "eu-north-6", "eu-north-7", "eu-west-3", "eu-west-4"},
    "ovh": {"EU", "WORLD"},
    "runpod": {"any"},
    "voltagepark": {"", "a3111bd4-550a-47d0-838a-0a52bff2ae3f"},
}
SECRETS = [
    re.compile(pattern)
    for pattern in (
        r"AKIA[0-9A-Z]{16}",
        r"AIza[0-9A-Za-z_\-]{35}",
        r"\brpa_[0-9A-Z]{30,}",
        r"\bsk-[0-9A-Za-z_\-]{20,}",
        r"\bgh[pousr]_[0-9A-Za-z]{30,}",
        r"\beyJ[0-9A-Za-z_\-]{20,}\.[0-9A-Za-z_\-]{10,}",
        r"(?i)bearer\s+[0-9a-z._\-]{16,}",
        r"(?i)[?&\"'](?:api[_-]?key|access[_-]?token|secret|password)[\"']?\s*[=:]\s*[\"']?[0-9a-z_\-]{12,}",
        r"(?i)[\"'][\w.-]*(?:token|secret|csrf|session|sessid|signature)\\*[\"']\s*:\s*\\*[\"']"
        r"(?![$\d.,]+\\*[\"'])[^\"'\s]{6,}[\"']",
        r"(?i)<(?:meta|input)\b[^>]*\b(?:name|id)=[\"'][\w.-]*(?:token|secret|csrf|session|signature)[\"'][^>]*"
        r"\b(?:content|value)=[\"'](?!removed)[^\"']{6,}",
        r"(?i)[?&;][\w.-]*(?:token|secret|session|signature|credential)=(?!removed)[^&\"'\s<>]{6,}",
        r"(?i)\bdata-[\w-]*(?:account|customer|tenant|user)[_-]?id=[\"'](?!removed)[^\"']+",
        r"(?i)\baccount(?:\s+(?:id|no\.?|number))?\s*[:#]?\s*\d[\d-]{4,}\d\b",
        r"-----BEGIN [A-Z ]*PRIVATE KEY-----",
        r"\b[\w.+-]+@[\w-]+\.(?:com|net|org|io|ai|eu|de)\b",
        r"\b(?!(?:0|127|10|192\.168)\.)(?:\d{1,3}\.){3}\d{1,3}\b(?=[\"'<\s:])",
    )
]


def recording(source: Source) -> list[tuple[datetime, RecordedPage]]:
    return [(moment, page) for moment, pages in recorded_pages(source.name).items() for page in pages]


def readings(source: Source) -> Iterator[tuple[datetime, str, list[Page], list[Any]]]:
    """Every recorded book with its rows."""
    for moment, pages in recorded_pages(source.name).items():
        for book, of_book in in_books(recorded.page for recorded in pages).items():
            yield moment, book, of_book, list(source.parse(of_book))


def reviewed(source: Source) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((RECORDED / source.name / "quotes.json").read_bytes())
    return found


def normalised(source: Source) -> tuple[list[Offer], list[Rejected]]:
    return _normalised(source.name)


@cache
def _normalised(name: str) -> tuple[list[Offer], list[Rejected]]:
    source = all_sources()[name]
    offers: list[Offer] = []
    rejected: list[Rejected] = []
    for moment, book, pages, rows in readings(source):
        found, refused = normalise(
            rows,
            provider=source.name,
            book=book,
            observed_at=moment,
            origin="recorded",
            rates=recorded_rates(),
            page_sha256=pages[0].sha256,
            one_seller=source.kind != "marketplace",
        )
        offers += found
        rejected += refused
    return offers, rejected


def lacking(rejected: Sequence[Rejected]) -> str:
    """Why rows are no offers, and what to do where it is not the parser's fault."""
    reason, count = Counter(row.reason for row in rejected).most_common(1)[0] if rejected else ("no row", 0)
    example = next((f", for example {row.sku}: {row.detail}" for row in rejected if row.reason == reason), "")
    days = [row.on for _, _, _, rows in readings(all_sources()["ecb"]) for row in priced(rows)]
    remedy = (
        f"; recorded rates end on {max(days)}: `gpuledger record ecb` adds newer ones" if reason == "no_rate" else ""
    )
    return f"{count} x {reason}{example}{remedy}"


# --- who it is


def test_every_file_of_the_folder_is_a_source_of_its_name():
    package = importlib.import_module("sources.providers")
    files = {module.name for module in pkgutil.iter_modules(package.__path__)}
    assert {name.rstrip("_") for name in files} == set(all_sources())


@EVERY_SOURCE
def test_source_says_who_it_is_and_what_its_figures_cover(source: Source):
    assert re.fullmatch(r"[a-z][a-z0-9_]*", source.name)
    assert source.title
    assert source.homepage.startswith("https://")
    assert len(source.unit_note) > 10
    assert len(source.traps) > 10
    assert source.every.total_seconds() >= 600
    assert source.deadline < source.every
    assert not source.secret or re.fullmatch(r"[A-Z][A-Z0-9_]+", source.secret)
    assert source.urls or source.parts or source.fetch, "it has nothing to look at"
    assert all(url.startswith("https://") for url in source.urls)


# --- honest recordings


@EVERY_SOURCE
def test_provenance_lists_every_page_and_nothing_else(source: Source):
    folder = RECORDED / source.name
    stated = json.loads((folder / "provenance.json").read_bytes())["looks"]
    listed = Counter((page["file"], page.get("book", "")) for look in stated for page in look["pages"])
    present = {str(path.relative_to(folder).as_posix()) for path in folder.rglob("*") if path.is_file()}
    assert {file for file, _ in listed} == present - {"provenance.json", "quotes.json"}
    assert set(listed.values()) == (set() if source.name in UNRECORDED else {1})
    moments = [look["observed_at"] for look in stated]
    assert len(moments) == len(set(moments))


@EVERY_SOURCE
def test_every_recorded_page_has_a_true_date_an_address_and_an_origin(source: Source):
    for moment, recorded in recording(source):
        assert moment.utcoffset() is not None
        assert datetime(2020, 1, 1, tzinfo=UTC) < moment < datetime.now(UTC)
        assert recorded.form in FORMS
        assert len(recorded.origin) >= 30, f"{recorded.page.name}: where is it from?"
        assert recorded.page.url.startswith("https://")
        assert recorded.page.body


@EVERY_SOURCE
def test_recordings_are_small_and_hold_no_secret_and_no_person(source: Source):
    size = sum(path.stat().st_size for path in (RECORDED / source.name).rglob("*") if path.is_file())
    assert size <= LARGEST_RECORDING_KB * 1024
    for _, recorded in recording(source):
        for pattern in SECRETS:
            found = pattern.search(recorded.page.text)
            assert not found, f"{recorded.page.name}: {found[0]}"


# --- the reviewed reading


@EVERY_SOURCE
def test_pages_read_as_reviewed(source: Source):
    wanted = reviewed(source)
    wanted.pop(UNKNOWN_GPUS, None)
    got: dict[str, dict[str, list[Any]]] = {}
    for moment, book, _, rows in readings(source):
        got.setdefault(moment.isoformat(), {})[book] = [cells(row) for row in priced(rows)]
    assert {moment: set(books) for moment, books in got.items()} == {
        moment: set(books) for moment, books in wanted.items()
    }
    for moment, books in got.items():
        for book, quotes in books.items():
            read, expected = Counter(map(same, quotes)), Counter(map(same, wanted[moment][book]))
            assert not (read - expected), f"{moment} {book!r}: read, not reviewed"
            assert not (expected - read), f"{moment} {book!r}: reviewed, not read"


@EVERY_SOURCE
def test_every_recorded_book_holds_prices_and_each_row_its_page(source: Source):
    for moment, book, pages, rows in readings(source):
        assert priced(rows), f"{moment} {book!r}"
        if len(pages) > 1:
            hashes = {page.sha256 for page in pages}
            assert {row.page_sha256 for row in rows} <= hashes | {""}
        for row in rows:
            if isinstance(row, Unreadable):
                assert re.fullmatch(r"[a-z][a-z0-9_]*", row.reason)
                assert row.detail
                assert "\n" not in row.detail


@EVERY_SOURCE
def test_reading_is_pure(source: Source):
    first = [(moment, book, rows) for moment, book, _, rows in readings(source)]
    assert first == [(moment, book, rows) for moment, book, _, rows in readings(source)]


@EVERY_SOURCE
def test_source_yields_what_its_kind_says(source: Source):
    special: dict[Kind, type] = {"currency": CurrencyRate, "aggregator": Witness}
    kinds = {type(row) for _, _, _, rows in readings(source) for row in priced(rows)}
    if source.name in UNRECORDED:
        assert not kinds
        return
    assert kinds == {special.get(source.kind, Quote)}, "a broker sells and is a marketplace; an aggregator only tells"


# --- known cards, sane prices


@EVERY_PROVIDER
def test_every_card_is_known_or_rightly_unknown(source: Source):
    unknown = {
        row.gpu
        for _, _, _, rows in readings(source)
        for row in rows
        if isinstance(row, Quote)
        and resolve(row.gpu, source.name, row.gpu_memory_gb) is None
        and (row.gpu_count >= 1 or resolve(row.gpu, source.name) is None)
    }
    assert unknown == set(reviewed(source).get(UNKNOWN_GPUS, ()))


@EVERY_PROVIDER
def test_no_price_is_refused_but_for_the_traps(source: Source):
    offers, rejected = normalised(source)
    assert offers, lacking(rejected)
    defects = [row for row in rejected if row.amount is not None and row.reason not in TRAPS]
    assert not defects, lacking(defects)
    assert all(Decimal("0.005") <= offer.usd_per_gpu_hour <= 200 for offer in offers)


def test_a_price_after_the_recorded_rates_says_what_is_lacking():
    def rejected(day: date) -> list[Rejected]:
        euros = Quote("a", "H100", Decimal(1), Decimal("2.50"), "per_instance_hour", "on_demand", "EUR")
        at = datetime(day.year, day.month, day.day, tzinfo=UTC)
        look = {"provider": "acme", "book": "", "observed_at": at, "origin": "recorded", "page_sha256": "ab" * 32}
        return normalise([euros], rates=recorded_rates(), **look)[1]

    assert rejected(date(2026, 10, 17)) == []
    said = lacking(rejected(date(2026, 10, 18)))
    assert said.startswith("1 x no_rate, for example a: no EUR rate of the 10 days before 2026-10-18")
    assert said.endswith("recorded rates end on 2026-10-07: `gpuledger record ecb` adds newer ones")
    assert lacking([]) == "0 x no row"


@EVERY_PROVIDER
def test_a_price_of_several_pages_stands_on_the_one_it_cites(source: Source):
    for moment, _, pages, rows in readings(source):
        if len(pages) > 1:
            figures = {page.sha256: set(map(Decimal, re.findall(r"\d+(?:\.\d+)?", page.text))) for page in pages}
            for row in rows:
                if isinstance(row, Quote):
                    printed = figures[row.page_sha256 or pages[0].sha256]
                    assert {row.amount, row.amount * 100} & printed, f"{moment:%Y-%m-%d} {row.sku} {row.amount}"


@EVERY_PROVIDER
def test_every_region_lies_in_a_country_or_names_none(source: Source):
    offers, _ = normalised(source)
    without = {offer.region for offer in offers if offer.country is None}
    assert without == NAMES_NO_COUNTRY.get(source.name, set())


@EVERY_PROVIDER
def test_offers_of_one_look_are_told_apart(source: Source):
    """Two products under one identity would lose one of them: duplicates are few, and at the same price."""
    _, rejected = normalised(source)
    duplicates = [row for row in rejected if row.reason == "duplicate"]
    assert len(duplicates) <= math.ceil(0.05 * sum(len(rows) for _, _, _, rows in readings(source)))


# --- witnesses


def heard(source: Source) -> tuple[list[WitnessedPrice], list[Rejected]]:
    prices: list[WitnessedPrice] = []
    rejected: list[Rejected] = []
    for moment, book, pages, rows in readings(source):
        found, refused = witnessed(
            rows,
            witness=source.name,
            book=book,
            observed_at=moment,
            origin="recorded",
            rates=recorded_rates(),
            page_sha256=pages[0].sha256,
        )
        prices += found
        rejected += refused
    return prices, rejected


@EVERY_WITNESS
def test_a_witness_speaks_of_providers_we_know_with_cards_we_know(source: Source):
    prices, rejected = heard(source)
    assert {price.provider for price in prices} & {provider.name for provider in PRICED}
    assert not {price.provider for price in prices} & {witness.name for witness in WITNESSES}
    assert {row.gpu_text for row in rejected if row.reason == "unknown_gpu"} == set(
        reviewed(source).get(UNKNOWN_GPUS, ())
    )
    assert all(price.as_of is None or price.as_of <= price.observed_at + timedelta(days=1) for price in prices)


def test_recordings_of_nobody_are_gone():
    assert {path.name for path in RECORDED.iterdir() if path.is_dir()} == set(all_sources())


def test_no_source_shares_a_recorded_file_by_link():
    assert not [path for path in Path(RECORDED).rglob("*") if path.is_symlink()]
