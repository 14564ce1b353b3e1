"""What a load makes of looks: rows only for changes, nothing lost or invented by looks that failed or saw a part."""

from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest
from ledgers import HISTORY, Ledger, moment, offer, rate, refused

from warehouse.load import load, rebuild


@pytest.fixture
def ledger(tmp_path):
    return Ledger(tmp_path)


def told(ledger, columns="sku, day(observed_at) AS seen_on, listed, list_price"):
    """The history in short."""
    return [tuple(row.values()) for row in ledger.rows(f"SELECT {columns} FROM ({HISTORY})")]


def test_a_row_when_an_offer_appears_changes_vanishes_and_comes_back(ledger):
    for day, price in [(1, "24.00"), (2, "24.00"), (3, "20.00"), (4, None), (5, None), (6, "20.00")]:
        ledger.look(moment(day), *([offer("box", price)] if price else []), offer("other", "9.00"))
        ledger.load()
    assert told(ledger) == [
        ("box", 1, True, Decimal("24.00")),
        ("box", 3, True, Decimal("20.00")),
        ("box", 4, False, Decimal("20.00")),  # gone: the row repeats the last price
        ("box", 6, True, Decimal("20.00")),
        ("other", 1, True, Decimal("9.00")),
    ]
    assert len(ledger.rows("FROM core.scrape")) == 6  # looked is not the same as changed


SEEN_BY_A_READER = [
    {"available": False},
    {"available": None},
    {"quantity": 3},
    {"minimum_gpus": 16},
    {"fabric": "multi_node"},
    {"cluster_gpus": 512},
    {"effective_from": date(2026, 8, 2)},
    {"vcpus": Decimal(96)},
    {"memory_gb": Decimal(1024)},
    {"country": None},
    {"form_factor": None},
    {"book": "elsewhere"},
    {"upfront": Decimal(100)},
    {"unit": "per_gpu_hour"},
    {"list_price": Decimal("24.01")},
    {"usd_per_hour": Decimal("24.048")},  # the same list price, read with another month
]
NO_CHANGE = [
    {},
    {"page_sha256": "bb" * 32},
    {"gpu_text": "NVIDIA H100"},
]


def test_whatever_a_reader_sees_is_a_change_and_another_page_saying_the_same_is_none(ledger):
    was = {str(change): offer(str(change), "24.00") for change in (*SEEN_BY_A_READER, *NO_CHANGE)}
    now = [replace(was[str(change)], **change) for change in (*SEEN_BY_A_READER, *NO_CHANGE)]
    ledger.look(moment(1), *was.values(), books=["", "elsewhere"])
    ledger.look(moment(2), *now, books=["", "elsewhere"])
    ledger.load()
    assert {row["sku"] for row in ledger.rows(HISTORY) if row["observed_at"] == moment(2)} == {
        str(change) for change in SEEN_BY_A_READER
    }


def test_a_moved_exchange_rate_is_no_change(ledger):
    for day, usd_per_euro in [(1, "1.1"), (2, "1.0733"), (3, "1.1842")]:
        ledger.look(moment(day), offer("box", "0.0031", usd_per_euro, currency="EUR"))  # a rounded USD price
    ledger.load()
    assert [row["observed_at"].day for row in ledger.rows(HISTORY)] == [1]


def test_failed_and_partial_looks_leave_what_they_did_not_read(ledger):
    spot, demand = offer("box", "9.00", pricing="spot", book="spot"), offer("box", "24.00", book="demand")
    ledger.look(moment(1), spot, demand, books=["demand", "spot"])
    ledger.look(moment(2), books=[], failure="no answer within 60 s")
    ledger.look(moment(3), replace(demand, available=False), books=["demand"], failure="spot: layout changed")
    ledger.look(moment(4), books=["demand"], failure="spot: layout changed")
    ledger.load()
    assert told(ledger, "pricing, day(observed_at) AS seen_on, listed") == [
        ("on_demand", 1, True),
        ("on_demand", 3, True),
        ("on_demand", 4, False),
        ("spot", 1, True),  # its book was never read again, so nothing is known of it
    ]
    assert [row["status"] for row in ledger.rows("FROM core.scrape ORDER BY observed_at")] == [
        "ok",
        "failed",
        "partial",
        "partial",
    ]


def test_providers_do_not_touch_each_other(ledger):
    ledger.look(moment(1), offer("box", "24.00"))
    ledger.look(moment(2), offer("box", "20.00", provider="bolt"), provider="bolt")
    ledger.look(moment(3), provider="bolt")
    ledger.load()
    assert told(ledger, "provider, day(observed_at) AS seen_on, listed") == [
        ("acme", 1, True),
        ("bolt", 2, True),
        ("bolt", 3, False),
    ]


@pytest.mark.parametrize("at_once", [True, False])
def test_an_offer_that_moved_to_another_book_is_not_missed_in_the_old_one(ledger, at_once):
    moved = replace(offer("box", "24.00"), book="new")
    for day, offers, books in [
        (1, [offer("box", "24.00", book="old")], ["old", "new"]),
        (2, [moved], ["old", "new"]),
        (3, [], ["old"]),
        (4, [], ["new"]),
    ]:
        ledger.look(moment(day), *offers, books=books)
        if not at_once:
            ledger.load()
    ledger.load()
    assert told(ledger, "book, day(observed_at) AS seen_on, listed") == [
        ("old", 1, True),
        ("new", 2, True),
        ("new", 4, False),
    ]


def test_an_offer_in_two_books_of_one_look_counts_once_at_the_lower_price(ledger):
    dear, cheap = offer("box", "24.00", book="a"), offer("box", "20.00", book="b")
    ledger.look(moment(1), dear, cheap, books=["a", "b"])
    ledger.load()
    assert told(ledger) == [("box", 1, True, Decimal("20.00"))]


def test_the_vanished_row_repeats_the_stored_price_however_the_looks_came_in(tmp_path):
    looks = [
        (1, [offer("box", "10.00", "1.1", currency="EUR")]),
        (2, [offer("box", "10.00", "1.2", currency="EUR", page_sha256="bb" * 32)]),
        (3, []),
    ]
    at_once, in_turn = Ledger(tmp_path / "once"), Ledger(tmp_path / "turn")
    for ledger in (at_once, in_turn):
        for day, offers in looks:
            ledger.look(moment(day), *offers)
            if ledger is in_turn:
                ledger.load()
        ledger.load()
    assert at_once.rows(HISTORY) == in_turn.rows(HISTORY)
    assert [row["usd_per_hour"] for row in at_once.rows(HISTORY)] == [Decimal(11), Decimal(11)]


def test_loading_again_adds_nothing(ledger):
    ledger.look(moment(1), offer("box", "24.00"), rejected=[refused("odd", "unknown_gpu")])
    ledger.look(moment(2), provider="ecb", rates=[rate(date(2026, 8, 1), "USD", "1.1")])
    first = load(ledger.path, ledger.files)
    assert (first.scrapes, first.observations, first.rejected, first.rates) == (2, 1, 1, 1)
    again = load(ledger.path, ledger.files)
    assert (again.scrapes, again.observations, again.rejected, again.rates) == (0, 0, 0, 0)


def test_a_late_look_lays_the_history_anew_as_if_it_had_come_in_time(tmp_path):
    late, ordered = Ledger(tmp_path / "late"), Ledger(tmp_path / "ordered")
    looks = {day: [offer("box", price)] for day, price in [(1, "24.00"), (2, "20.00"), (3, "20.00")]}
    for day in (1, 3, 2):
        late.look(moment(day), *looks[day])
        outcome = load(late.path, late.files)
        assert outcome.rebuilt == (day == 2)
    for day in (1, 2, 3):
        ordered.look(moment(day), *looks[day])
    ordered.load()
    for table in ("core.scrape", "core.scrape_page", "core.observation", "core.rejected"):
        assert late.rows(f"FROM {table} ORDER BY ALL") == ordered.rows(f"FROM {table} ORDER BY ALL")
    assert told(late) == [("box", 1, True, Decimal("24.00")), ("box", 2, True, Decimal("20.00"))]


@pytest.mark.parametrize("rows_at_once", [1, 1200, 1_000_000])
def test_a_rebuild_gives_the_same_tables_in_pieces_of_any_size(ledger, monkeypatch, rows_at_once):
    for day, price in [(1, "24.00"), (2, "20.00"), (3, "20.00"), (4, None), (5, "20.00")]:
        offers = [offer("box", price)] if price else []
        ledger.look(moment(day), *offers, rejected=[refused(f"odd{day}", "unknown_gpu")])
        ledger.load()
    monkeypatch.setattr("warehouse.load.BATCH_ROWS", rows_at_once)
    tables = ("core.scrape", "core.scrape_page", "core.observation", "core.rejected")
    before = {table: ledger.rows(f"FROM {table} ORDER BY ALL") for table in tables}
    rebuild(ledger.path, ledger.files)
    assert {table: ledger.rows(f"FROM {table} ORDER BY ALL") for table in tables} == before
    assert sorted(path.name for path in ledger.root.iterdir()) == ["offers", "warehouse.duckdb", "warehouse.lock"]


def test_a_row_in_quarantine_is_kept_once_when_it_was_first_seen(ledger):
    for day in (1, 2, 3):
        rows = [refused("odd", "unknown_gpu", "1.50"), refused("odd", "unknown_gpu", "1.50")]
        ledger.look(moment(day), rejected=[*rows, *([refused("odd", "not_a_price", "0")] if day == 3 else [])])
        if day != 2:
            ledger.load()
    kept = ledger.rows("SELECT reason, amount, day(observed_at) AS seen_on FROM core.rejected ORDER BY observed_at")
    assert kept == [
        {"reason": "unknown_gpu", "amount": "1.50", "seen_on": 1},
        {"reason": "not_a_price", "amount": "0", "seen_on": 3},
    ]
    assert [row["rejected"] for row in ledger.rows("FROM core.scrape ORDER BY observed_at")] == [2, 2, 3]


def test_an_unfinished_look_is_not_loaded(ledger):
    ledger.look(moment(1), offer("box", "24.00"))
    ledger.look(moment(2), offer("box", "20.00"))
    (ledger.files.root / "acme" / "20260802T000000.000000Z.scrape.json").unlink()  # it is written last
    ledger.load()
    assert told(ledger) == [("box", 1, True, Decimal("24.00"))]


def test_the_first_published_rate_of_a_day_stands(ledger):
    day = date(2026, 8, 1)
    ledger.look(moment(2), provider="ecb", rates=[rate(day, "USD", "1.1"), rate(day, "GBP", "0.85")])
    ledger.look(moment(3), provider="ecb", rates=[rate(day, "USD", "1.2"), rate(date(2026, 8, 2), "USD", "1.15")])
    ledger.load()
    assert [
        (row["currency"], row["rate_date"].day, row["per_eur"])
        for row in ledger.rows("FROM ref.currency_rate ORDER BY rate_date, currency")
    ] == [("GBP", 1, Decimal("0.85")), ("USD", 1, Decimal("1.1")), ("USD", 2, Decimal("1.15"))]


def test_a_price_that_an_excerpt_says_again_is_of_its_day(ledger):
    ledger.look(moment(1), offer("box", "24.00"), offer("other", "9.00"))
    ledger.look(moment(9), offer("box", "24.00"), books=[])  # a part of the list: no look at it
    ledger.load()
    ledger.refer()
    seen = {row["sku"]: row["observed_at"] for row in ledger.rows("FROM price_now")}
    assert seen == {"box": moment(9), "other": moment(1)}
