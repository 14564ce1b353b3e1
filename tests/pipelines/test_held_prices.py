"""Moves of prices through real looks: what is held back never reaches a published table, and its offer stays."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from functools import cache

import pytest

from models.offers import CurrencyRate, Quote
from pipelines.frames.reference import reference_frames
from pipelines.looks.keeping import keep_reading
from pipelines.runs.rebuilding import load_mended, rebuild
from sources.pages import Look, PageStore
from sources.source import Page, Source
from warehouse.database import opened_to_write, rows
from warehouse.laying import load_reference
from warehouse.load import load
from warehouse.offer_files import OfferFiles

DAY_BEFORE, DAY = datetime(2026, 10, 30, 6, tzinfo=UTC), datetime(2026, 10, 31, 6, tzinfo=UTC)
# provider, SKU, region, GPU, GPUs, USD per hour the day before and on the day
MOVES = [
    ("lambda", "gpu_1x_h100_sxm5", "us-west-1", "H100 SXM5 80GB", 1, "2.99", "299.00"),
    ("vultr", "vcg-h100-1c", "ewr", "H100", 1, "2.99", "0.0299"),
    ("aws", "p5.48xlarge", "us-east-2", "H100", 8, "98.32", "55.04"),
    ("runpod", "NVIDIA A100 80GB PCIe", "US-KS-2", "A100 80GB PCIe", 1, "1.64", "1.69"),
    ("verda", "8H100.80S.176V", "FIN-01", "H100 SXM5 80GB", 8, "18.32", "2.29"),
    ("ovh", "h100-380", "", "H100", 1, "3.08", "2.80"),
    ("crusoe", "h100-80gb-sxm-ib.8x", "us-east1-a", "H100 SXM 80GB", 8, "31.20", "-31.20"),
]


def source(name, kind="gpu_cloud", parse=None):
    return Source(
        name=name, title=name, homepage="https://example.org", kind=kind, access="api", every=timedelta(hours=1),
        unit_note="", parse=parse or parse_rows,
    )  # fmt: skip


def parse_rows(pages):
    for page in pages:
        for sku, region, gpu, count, amount in json.loads(page.body, parse_float=Decimal):
            yield Quote(sku, gpu, Decimal(count), Decimal(amount), "per_instance_hour", "on_demand", region=region)


def parse_rates(pages):
    yield CurrencyRate(date(2026, 10, 29), "USD", Decimal("1.10"))


SOURCES = [source("ecb", "currency", parse_rates), *(source(name) for name, *_ in MOVES)]


@pytest.fixture
def at(new_home):
    home = new_home
    see(home, "ecb", DAY_BEFORE - timedelta(hours=1), b"rates")
    for provider, sku, region, gpu, count, before, _ in MOVES:
        see(
            home,
            provider,
            DAY_BEFORE,
            rows_of((sku, region, gpu, count, before), ("other", region, gpu, count, before)),
        )
    return home


def rows_of(*prices):
    return json.dumps(prices).encode()


def see(home, provider, observed_at, body):
    store, files = PageStore(home.raw), OfferFiles(home.offers)
    page = Page(f"https://{provider}.example", body, observed_at, "list.json")
    rates = [Page("", b"rates", observed_at, "").sha256] if provider != "ecb" else []
    look = Look(provider, observed_at, "live", [page], rates_from=rates)
    store.keep(look)
    return keep_reading(look, store, files, SOURCES)[0]


def see_the_day(home, at=DAY):
    for provider, sku, region, gpu, count, before, after in MOVES:
        see(home, provider, at, rows_of((sku, region, gpu, count, after), ("other", region, gpu, count, before)))


@cache
def reference():
    return reference_frames(SOURCES)


def stored(home, query):
    """What a load stores, for which the views and the reference tables are not laid."""
    load(home.warehouse, OfferFiles(home.offers))
    with opened_to_write(home.warehouse) as connection:
        return rows(connection, query)


def ledger(home, query):
    load(home.warehouse, OfferFiles(home.offers))
    load_reference(home.warehouse, reference())
    return stored(home, query)


PRICES = """
SELECT provider, usd_per_hour, observed_at, changed_at FROM price_now WHERE sku <> 'other' ORDER BY provider
"""


def test_a_broken_page_is_held_back_and_a_real_cut_is_not(at):
    see_the_day(at)
    stale, fresh = (DAY_BEFORE, DAY_BEFORE), (DAY, DAY)
    found = ledger(at, PRICES)
    assert {row["provider"]: (row["usd_per_hour"], (row["observed_at"], row["changed_at"])) for row in found} == {
        "aws": (Decimal("55.04"), fresh),
        "crusoe": (Decimal("31.20"), stale),  # the last good price under its own date
        "lambda": (Decimal("2.99"), stale),
        "ovh": (Decimal("2.80"), fresh),
        "runpod": (Decimal("1.69"), fresh),
        "verda": (Decimal("18.32"), stale),
        "vultr": (Decimal("2.99"), stale),
    }
    with opened_to_write(at.warehouse) as connection:
        moved = rows(connection, "SELECT provider, held, reason FROM price_move ORDER BY provider")
        refused = rows(connection, "SELECT provider, amount FROM rejected ORDER BY provider")
        gone = rows(connection, "FROM core.observation WHERE NOT listed")
        others = rows(connection, "SELECT DISTINCT observed_at, changed_at FROM price_now WHERE sku = 'other'")
    assert [tuple(row.values()) for row in moved] == [
        ("aws", False, "large_move"),
        ("crusoe", True, "not_a_price"),
        ("lambda", True, "out_of_bounds"),
        ("ovh", False, "currency_rate"),
        ("verda", True, "suspicious_move"),
        ("vultr", True, "out_of_bounds"),
    ]
    assert {row["provider"]: Decimal(row["amount"]) for row in refused} == {
        "crusoe": Decimal("-31.20"),
        "lambda": Decimal(299),
        "verda": Decimal("2.29"),
        "vultr": Decimal("0.0299"),
    }
    assert gone == []
    assert others == [{"observed_at": DAY, "changed_at": DAY_BEFORE}]


def test_what_the_page_keeps_saying_is_believed_in_the_end_and_a_rebuild_says_the_same(at):
    for hours in (0, 12, 24, 36):
        see_the_day(at, DAY + timedelta(hours=hours))
    found = {row["provider"]: row["usd_per_hour"] for row in ledger(at, PRICES)}
    assert found == {  # three looks and a day on: the eighth is the price, what is no price is gone
        "aws": Decimal("55.04"),
        "ovh": Decimal("2.80"),
        "runpod": Decimal("1.69"),
        "verda": Decimal("2.29"),
    }
    tables = ("core.observation", "core.move", "core.rejected", "core.scrape")
    before = {table: stored(at, f"FROM {table} ORDER BY ALL") for table in tables}
    assert [row["reason"] for row in before["core.move"] if row["provider"] == "verda"] == [
        "suspicious_move",
        "suspicious_move",
        "confirmed_move",
    ]
    rebuild(at, say=lambda line: None, sources=SOURCES)
    assert {table: stored(at, f"FROM {table} ORDER BY ALL") for table in tables} == before


def test_a_list_that_is_mostly_held_back_was_not_read_whole(at):
    rows_per_gpu = [("8H100.80S.176V", "FIN-01", "H100 SXM5 80GB", 8, "2.29"), ("new", "FIN-01", "H100", 8, "16.00")]
    scrape = see(at, "verda", DAY, rows_of(*rows_per_gpu))
    assert (scrape.status, scrape.offers, scrape.rejected) == ("ok", 1, 1)
    assert scrape.reason.startswith("1 price held back, for example 8H100.80S.176V from 18.32 to 2.29 USD per hour")
    rows_per_gpu[1] = ("other", "FIN-01", "H100 SXM5 80GB", 8, "2.29")
    scrape = see(at, "verda", DAY, rows_of(*rows_per_gpu))
    assert (scrape.status, scrape.code, scrape.offers) == ("partial", "suspicious_move", 0)


@pytest.mark.parametrize("name", ["20261030T060000.000000Z.scrape.json", "20261031T060000.000000Z.moves.parquet"])
@pytest.mark.parametrize("content", [b"", b"PAR1 of which the middle is gone PAR1"])
def test_a_damaged_file_is_set_aside_and_made_again_from_the_kept_pages(at, name, content):
    see_the_day(at)
    before = stored(at, "FROM core.observation ORDER BY ALL")
    damaged = at.offers / "verda" / name
    damaged.write_bytes(content)  # a power cut
    at.warehouse.unlink()
    said = []
    load_mended(at, SOURCES, said.append)
    assert any(str(damaged) in line and "set aside" in line for line in said)
    assert damaged.with_name(f"{name}.damaged").read_bytes() == content
    assert stored(at, "FROM core.observation ORDER BY ALL") == before


def test_a_damaged_file_of_one_source_costs_a_rebuild_nothing(at):
    see_the_day(at)
    before = stored(at, "FROM core.observation ORDER BY ALL")
    (at.offers / "verda" / "20261030T060000.000000Z.offers.parquet").write_bytes(b"")
    (at.offers / "verda" / "20261031T060000.000000Z.rates.parquet").write_bytes(b"")
    rebuild(at, say=lambda line: None, sources=SOURCES)
    assert stored(at, "FROM core.observation ORDER BY ALL") == before
    assert not (at.offers / "verda" / "20261031T060000.000000Z.rates.parquet").exists()


def test_the_next_look_mends_a_damaged_file_that_it_is_judged_by(at):
    damaged = at.offers / "verda" / "20261030T060000.000000Z.offers.parquet"
    damaged.write_bytes(b"PAR1")
    see_the_day(at)
    (row,) = [row for row in ledger(at, PRICES) if row["provider"] == "verda"]
    assert row["usd_per_hour"] == Decimal("18.32")  # the price before, which the look after holds against
    assert damaged.stat().st_size > 4
    assert "was damaged and is set aside" in OfferFiles(at.offers).last("verda").reason
