"""Spare Cores: a dump as its database makes one, with made-up prices, for none with a known date could be had."""

from __future__ import annotations

import lzma
import random
import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal

import pytest
from exchanges import Site, http_for

from models.offers import Unreadable, Witness
from sources.providers import sparecores
from sources.providers.sparecores import SOURCE, reduce
from sources.source import LayoutChanged, Page, Unreachable

NOW = datetime(2026, 11, 30, tzinfo=UTC)
# Columns and their order as in the migrations of SpareCores/sc-crawler, v0.9; columns between them left out.
TABLES = """
CREATE TABLE vendor (vendor_id VARCHAR NOT NULL, name VARCHAR NOT NULL, PRIMARY KEY (vendor_id));
CREATE TABLE server (
    vendor_id VARCHAR NOT NULL, server_id VARCHAR NOT NULL, name VARCHAR NOT NULL, description VARCHAR NOT NULL,
    vcpus INTEGER NOT NULL, gpu_count FLOAT NOT NULL, gpu_memory_min INTEGER, gpu_memory_total INTEGER,
    gpu_manufacturer VARCHAR, gpu_family VARCHAR, gpu_model VARCHAR, gpus JSON NOT NULL, status VARCHAR(8) NOT NULL,
    observed_at DATETIME NOT NULL, CONSTRAINT pk_server PRIMARY KEY (vendor_id, server_id),
    CONSTRAINT fk_server_vendor_id_vendor FOREIGN KEY(vendor_id) REFERENCES vendor (vendor_id)
);
CREATE TABLE server_price (
    vendor_id VARCHAR NOT NULL, region_id VARCHAR NOT NULL, zone_id VARCHAR NOT NULL, server_id VARCHAR NOT NULL,
    operating_system VARCHAR NOT NULL, allocation VARCHAR(8) NOT NULL, unit VARCHAR(8) NOT NULL, price FLOAT NOT NULL,
    price_upfront FLOAT NOT NULL, price_tiered JSON NOT NULL, currency VARCHAR NOT NULL, status VARCHAR(8) NOT NULL,
    observed_at DATETIME NOT NULL, PRIMARY KEY (vendor_id, region_id, zone_id, server_id, operating_system, allocation)
);
CREATE TABLE benchmark (benchmark_id VARCHAR NOT NULL, name VARCHAR NOT NULL);
"""
KEY = ", PRIMARY KEY (vendor_id, region_id, zone_id, server_id, operating_system, allocation)"
SEEN = "2026-11-29 03:12:01.000000"
SERVERS = [
    ("aws", "p5.48xlarge", 192, 8.0, 81920, "NVIDIA", "Hopper", "H100", "8x H100\nwith a line end; and a ';'"),
    ("aws", "c7i.large", 2, 0.0, None, None, None, None, "no GPU"),
    ("aws", "p4d.24xlarge", 96, 8.0, 40960, "NVIDIA", "Ampere", "A100", "it's an A100"),
    ("hcloud", "gex", 16, 1.0, 20480, "NVIDIA", "Ada Lovelace", "RTX 4000 Ada", ""),
    ("aws", "trn9", 16, 1.0, 0, None, None, None, "a chip without a name"),
]
PRICES = [
    ("aws", "us-east-1", "a", "p5.48xlarge", "Linux", "ONDEMAND", "HOUR", 55.04, "USD", "ACTIVE"),
    ("aws", "us-east-1", "a", "p5.48xlarge", "Windows", "ONDEMAND", "HOUR", 63.872, "USD", "ACTIVE"),
    ("aws", "us-east-1", "b", "p5.48xlarge", "Linux", "SPOT", "HOUR", 20.787, "USD", "ACTIVE"),
    ("aws", "us-east-1", "a", "p5.48xlarge", "Linux", "RESERVED", "HOUR", 23.777, "USD", "ACTIVE"),
    ("aws", "us-west-9", "a", "p5.48xlarge", "Linux", "ONDEMAND", "HOUR", 1.0, "USD", "INACTIVE"),
    ("aws", "us-east-1", "a", "p4d.24xlarge", "Linux", "ONDEMAND", "MONTH", 16000.0, "USD", "ACTIVE"),
    ("aws", "us-east-1", "a", "c7i.large", "Linux", "ONDEMAND", "HOUR", 0.0893, "USD", "ACTIVE"),
    ("aws", "us-east-1", "a", "trn9", "Linux", "ONDEMAND", "HOUR", 2.0, "USD", "ACTIVE"),
    ("hcloud", "fsn1", "fsn1-dc14", "gex", "Linux", "ONDEMAND", "HOUR", 0.2877, "EUR", "ACTIVE"),
    ("aws", "us-east-2", "a", "p5.48xlarge", "Linux", "ONDEMAND", "HOUR", 0.0, "USD", "ACTIVE"),
]


def dump(changed: Callable[[str], str] = lambda text: text) -> bytes:
    """The database as SQLite writes it out."""
    database = sqlite3.connect(":memory:")
    database.executescript(changed(TABLES))
    database.execute("INSERT INTO vendor VALUES ('aws', 'Amazon Web Services')")
    for vendor, server, vcpus, count, memory, maker, family, model, words in SERVERS:
        row = (vendor, server, server, words, vcpus, count, memory, memory, maker, family, model, "[]", "ACTIVE", SEEN)
        database.execute(f"INSERT INTO server VALUES ({','.join('?' * len(row))})", row)
    for vendor, region, zone, server, system, allocation, unit, price, currency, status in PRICES:
        row = (vendor, region, zone, server, system, allocation, unit, price, 0.0, "[]", currency, status, SEEN)
        database.execute(f"INSERT INTO server_price VALUES ({','.join('?' * len(row))})", row)
    database.execute("INSERT INTO benchmark VALUES ('x', 'INSERT INTO server')")
    return "\n".join(database.iterdump()).encode() + b"\n"


def kept(body: bytes, size: int = 1000) -> bytes:
    packed = lzma.compress(body)
    return b"".join(reduce(packed[at : at + size] for at in range(0, len(packed), size)))


def said(body: bytes) -> list[Witness | Unreadable]:
    return list(SOURCE.parse([Page("https://example.test/x", body, NOW, "sc-data-all.sql")]))  # type: ignore[arg-type]


def test_prices_of_machines_with_gpus_per_instance_hour():
    rows = said(kept(dump()))
    assert [
        (row.of, row.says.sku, row.says.gpu, row.says.amount, row.says.currency, row.says.pricing, row.says.region)
        for row in rows
        if isinstance(row, Witness)
    ] == [
        ("aws", "p5.48xlarge", "H100", Decimal("55.04"), "USD", "on_demand", "us-east-1"),
        ("aws", "p5.48xlarge", "H100", Decimal("20.787"), "USD", "spot", "us-east-1"),
        ("hetzner", "gex", "RTX 4000 Ada", Decimal("0.2877"), "EUR", "on_demand", "fsn1"),
    ]
    first = next(row for row in rows if isinstance(row, Witness))
    assert (first.says.gpu_count, first.says.gpu_memory_gb, first.says.unit) == (8, 80, "per_instance_hour")
    assert first.as_of == datetime(2026, 11, 29, 3, 12, 1, tzinfo=UTC)


def test_a_price_of_zero_is_put_aside():
    assert [(row.sku, row.reason) for row in said(kept(dump())) if isinstance(row, Unreadable)] == [
        ("p5.48xlarge", "not_a_price")
    ]


def test_windows_other_units_retired_rows_and_unnamed_chips_are_left_out():
    amounts = {row.says.amount for row in said(kept(dump())) if isinstance(row, Witness)}
    assert not amounts & {Decimal("63.872"), Decimal("23.777"), Decimal(1), Decimal(16000), Decimal(2)}


def test_the_columns_of_october_2026():
    renamed = kept(dump(lambda text: text.replace("gpu_", "accelerator_")))
    assert len(said(renamed)) == len(said(kept(dump()))) > 0


def test_only_machines_with_gpus_are_kept_however_the_archive_is_cut():
    whole = kept(dump(), 10**6)
    assert b"c7i.large" not in whole
    assert b"benchmark" not in whole
    assert whole.count(b"INSERT INTO") == 4 + 9
    assert {kept(dump(), size) for size in (1, 7, 64, 999)} == {whole}


def test_an_archive_that_is_cut_or_none_is_not_taken_for_whole():
    packed = lzma.compress(dump())
    for body in (packed[:-20], packed[: len(packed) // 2], b"<Error>AccessDenied</Error>", b""):
        http = http_for(SOURCE, Site(lambda _, body=body: {"body": body}))
        with pytest.raises(Unreachable, match="dump"):
            list(SOURCE.fetchers()[""](http))


def test_the_look_keeps_what_concerns_gpus():
    http = http_for(SOURCE, Site(lambda _: {"body": lzma.compress(dump())}))
    (page,) = SOURCE.fetchers()[""](http)
    assert page.body == kept(dump())


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("gpu_count FLOAT", "graphics FLOAT"),
        ("gpu_model VARCHAR", "gpu_name VARCHAR"),
        ("allocation VARCHAR", "kind VARCHAR"),
    ],
)
def test_columns_that_are_gone(old: str, new: str):
    with pytest.raises(LayoutChanged):
        said(kept(dump(lambda text: text.replace(old, new).replace(KEY, ""))))


@pytest.mark.parametrize(
    "statement",
    [
        b"INSERT INTO server VALUES('aws','x');\n",
        b"INSERT INTO server SELECT readfile('/etc/passwd');\n",
        b"CREATE TABLE server_price AS SELECT load_extension('x');\n",
        b"INSERT INTO server VALUES('aws'); ATTACH '/tmp/x.db' AS other;\n",
        b"INSERT INTO server SELECT one.* FROM server AS one, server AS other, server AS third;\n",
        b"INSERT INTO server_price VALUES(randomblob(999999999));\n",
        b"INSERT INTO server_price VALUES(replace(char(97,97),'a',replace(char(97,97),'a',zeroblob(99999999))));\n",
        b"INSERT INTO server VALUES((WITH RECURSIVE n AS (SELECT 1 UNION ALL SELECT 1 FROM n) SELECT 1 FROM n));\n",
    ],
)
def test_statements_that_do_not_fit_or_do_something_else_are_refused(statement: bytes):
    with pytest.raises(LayoutChanged):
        said(kept(dump()) + statement)


def test_a_machine_that_stands_there_twice_does_not_double_its_prices():
    def without_keys(text: str) -> str:
        return text.replace(KEY, "").replace(", CONSTRAINT pk_server PRIMARY KEY (vendor_id, server_id)", "")

    body = kept(dump(lambda text: without_keys(" ".join(text.split()))))
    again = next(line for line in body.splitlines(keepends=True) if b"gex" in line)
    with pytest.raises(LayoutChanged, match="gex stands in it twice"):
        said(body + again)


@pytest.mark.parametrize(
    ("plain", "reason"),
    [
        pytest.param(bytes(16 << 20), "grows from", id="nothing but zeros"),
        pytest.param(b"\n" * (16 << 20), "grows from", id="nothing but line ends"),
        pytest.param(
            b"INSERT INTO server VALUES('" + b"0123456789abcdef" * (1 << 20), "more than|grows", id="one value"
        ),
    ],
)
def test_a_small_archive_of_a_huge_dump_is_given_up_early(plain: bytes, reason: str):
    with pytest.raises(LayoutChanged, match=reason):
        kept(plain, 1 << 16)


def test_a_statement_without_end_is_given_up(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sparecores, "LONGEST_LINE", 1 << 20)
    chance = random.Random(7)
    lines = (chance.randbytes(99).hex().encode() + b"\n" for _ in range(9000))
    with pytest.raises(LayoutChanged, match="a statement has more than 1 MB"):
        kept(b"INSERT INTO server VALUES('" + b"".join(lines), 1 << 16)
