"""Spare Cores: its database of servers and prices at eight clouds, as an SQL dump for SQLite packed with xz.

A witness: what it says is set beside our own reading and never becomes an offer. The dump is large, so it is unpacked
while it streams and only the statements of `server` and `server_price` are kept that concern a machine with GPUs.
Prices are of a whole instance per hour; SPOT and ONDEMAND; Windows rows stand beside Linux; memory is in MiB per card.
Columns are read by the names that the dump's own CREATE TABLE gives them: from October 2026 the gpu_ columns are called
accelerator_ and count TPUs and Trainium too. Data under CC BY-SA 4.0.
"""

from __future__ import annotations

import lzma
import re
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta

from models.offers import Pricing, Quote, Unreadable, Witness
from sources.bodies import LONGEST_LINE, CutShort, whole_lines
from sources.brokers import provider_named
from sources.reading import decimal_of
from sources.source import LayoutChanged, Page, Source

URL = "https://cdn.sparecores.net/sc-data/latest/sc-data-all.sql.xz"
VENDORS = {"hcloud": "hetzner"}
PRICINGS: dict[str, Pricing] = {"ONDEMAND": "on_demand", "SPOT": "spot"}
STATEMENT = re.compile(rb'(CREATE TABLE(?: IF NOT EXISTS)?|INSERT INTO) "?(server|server_price)"?[ (]')
OF_SERVER = re.compile(rb"VALUES\('((?:[^']|'')*)','((?:[^']|'')*)'")  # vendor_id, server_id
OF_PRICE = re.compile(rb"VALUES\('((?:[^']|'')*)','(?:[^']|'')*','(?:[^']|'')*','((?:[^']|'')*)'")
PRICES = """
SELECT price.vendor_id, price.region_id, price.server_id, price.allocation, CAST(price.price AS TEXT), price.currency,
    CAST(price.observed_at AS TEXT), CAST(server.{gpu}_count AS TEXT), server.{gpu}_model, server.{gpu}_memory_min
FROM server_price AS price JOIN server USING (vendor_id, server_id)
WHERE server.{gpu}_count > 0 AND price.unit = 'HOUR' AND price.operating_system = 'Linux' AND price.status = 'ACTIVE'
ORDER BY 1, 2, 3, 4, 5
"""
TWICE = "SELECT server_id FROM server GROUP BY vendor_id, server_id HAVING count(*) > 1 LIMIT 1"
# What making a table and putting a row of values into it takes; no query, so that no statement makes rows of rows.
RESTORING = "CREATE_INDEX CREATE_TABLE INSERT PRAGMA READ REINDEX TRANSACTION UPDATE"
ALLOWED = frozenset(getattr(sqlite3, f"SQLITE_{action}") for action in RESTORING.split())
WRITING_LINE_ENDS = frozenset({"replace", "char"})  # functions by which SQLite's shell writes a value of several lines
STEPS, MOST_STEPS = 100_000, 10_000  # of SQLite's machine: a thousand for each of a million prices, and no more
DECODER_BYTES = 256 << 20  # the densest xz takes 65 MB to unpack
UNPACKED_BYTES = 1 << 20  # at a time
MOST_UNPACKED = 16 << 30
DENSEST = 200  # bytes unpacked for one packed; a dump has about 20
MOST_OF_SERVERS = 512 << 20  # bytes of statements on machines, held until their GPUs are known


def reduce(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The statements about machines with GPUs, unpacked. Raises CutShort where the archive is broken or cut."""
    servers: list[bytes] = []
    held = 0
    with_gpus: set[tuple[bytes, bytes]] | None = None
    for statement in _statements(_unpacked(pieces)):
        kind = STATEMENT.match(statement)
        assert kind is not None
        if kind[2] == b"server":
            servers.append(statement)
            held += len(statement)
            if held > MOST_OF_SERVERS:
                raise LayoutChanged(f"the machines of the dump take more than {MOST_OF_SERVERS >> 20} MB")
            continue
        if with_gpus is None:
            with_gpus = _machines_with_gpus(servers)
            yield from (one for one in servers if not (found := OF_SERVER.search(one)) or found.groups() in with_gpus)
        found = OF_PRICE.search(statement)
        if found is None or found.groups() in with_gpus:
            yield statement


def parse(pages: Sequence[Page]) -> Iterator[Witness | Unreadable]:
    for page in pages:
        restored = _restored(_statements([page.body]), page.name)
        _bounded(restored)
        try:
            if twice := restored.execute(TWICE).fetchone():
                raise LayoutChanged(f"{page.name}: the machine {twice[0]} stands in it twice")
            found = restored.execute(PRICES.format(gpu=_prefix(restored, page.name))).fetchall()
        except sqlite3.Error as error:
            raise LayoutChanged(f"{page.name}: the tables do not have the columns that are read: {error}") from error
        for row in found:
            vendor, region, server, allocation, price, currency, observed_at, count, model, mib = map(_text, row)
            if allocation not in PRICINGS or not model:
                continue  # reservations, and machines whose card is not named
            amount, number, memory = decimal_of(price), decimal_of(count), decimal_of(mib)
            if not amount or number is None:
                yield Unreadable("not_a_price", f"{server}: {price[:40]!r} {currency[:8]}", server, model, region)
                continue
            yield Witness(
                of=VENDORS.get(vendor, provider_named(vendor)),
                says=Quote(
                    sku=server,
                    gpu=model,
                    gpu_count=number,
                    amount=amount,
                    unit="per_instance_hour",
                    pricing=PRICINGS[allocation],
                    currency=currency,
                    region=region,
                    gpu_memory_gb=memory / 1024 if memory else None,
                ),
                as_of=_moment(observed_at),
            )


def _unpacked(pieces: Iterable[bytes]) -> Iterator[bytes]:
    decoder = lzma.LZMADecompressor(memlimit=DECODER_BYTES)
    packed = unpacked = 0
    try:
        for piece in pieces:
            packed += len(piece)
            while not decoder.eof:
                plain = decoder.decompress(piece, UNPACKED_BYTES)
                unpacked += len(plain)
                if unpacked > min(MOST_UNPACKED, DENSEST * packed + UNPACKED_BYTES):
                    raise LayoutChanged(f"the dump grows from {packed} bytes to more than {unpacked}; none is so dense")
                yield plain
                piece = b""
                if decoder.needs_input:
                    break
    except lzma.LZMAError as error:
        raise CutShort("the dump cannot be unpacked") from error
    if not decoder.eof:
        raise CutShort("the dump stops in the middle")


def _statements(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The statements on the two tables, each with its line end; a value may hold line ends."""
    begun: list[bytes] = []
    size = 0
    for line in whole_lines(pieces):
        if begun or STATEMENT.match(line):
            begun.append(line + b"\n")
            size += len(line)
            if size > LONGEST_LINE:
                raise LayoutChanged(f"a statement has more than {LONGEST_LINE >> 20} MB")
            if line.endswith(b";"):
                yield b"".join(begun)
                begun, size = [], 0
    if begun:
        yield b"".join(begun)


def _restored(statements: Iterable[bytes], name: str) -> sqlite3.Connection:
    """The two tables in memory; whatever else a statement tries is refused. Raises LayoutChanged."""
    database = sqlite3.connect(":memory:", isolation_level=None)
    database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_LINE + 1)
    database.set_authorizer(_restoring)
    _bounded(database)
    try:
        for statement in statements:
            database.execute(statement.decode("utf-8", "replace"))
    except (sqlite3.Error, sqlite3.Warning, ValueError) as error:
        raise LayoutChanged(f"{name}: a statement of the dump cannot be run: {error}") from error
    database.set_authorizer(None)
    return database


def _restoring(action: int, name: str | None, function: str | None, *_: str | None) -> int:
    """Whether a statement of the dump may do it."""
    allowed = action in ALLOWED or (action == sqlite3.SQLITE_FUNCTION and function in WRITING_LINE_ENDS)
    return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY


def _bounded(database: sqlite3.Connection) -> None:
    """Interrupt the database after so many steps from now on."""
    left = iter(range(MOST_STEPS))
    database.set_progress_handler(lambda: next(left, None) is None, STEPS)


def _machines_with_gpus(servers: Sequence[bytes]) -> set[tuple[bytes, bytes]]:
    """(vendor_id, server_id) as the dump writes them."""
    restored = _restored(servers, "sc-data-all.sql")
    count = f"{_prefix(restored, 'sc-data-all.sql')}_count"
    found = restored.execute(f"SELECT vendor_id, server_id FROM server WHERE {count} > 0").fetchall()
    return {(vendor.replace("'", "''").encode(), server.replace("'", "''").encode()) for vendor, server in found}


def _prefix(database: sqlite3.Connection, name: str) -> str:
    columns = {row[1] for row in database.execute("PRAGMA table_info(server)")}
    for prefix in ("accelerator", "gpu"):
        if f"{prefix}_count" in columns:
            return prefix
    raise LayoutChanged(f"{name}: the table server has no column gpu_count or accelerator_count")


def _text(value: object) -> str:
    return "" if value is None else str(value)


def _moment(text: str) -> datetime | None:
    """A time of the database, which is UTC."""
    try:
        moment = datetime.fromisoformat(text)
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


SOURCE = Source(
    name="sparecores",
    title="Spare Cores",
    homepage="https://sparecores.com",
    kind="aggregator",
    access="catalogue",
    every=timedelta(days=7),
    unit_note="currency per instance-hour, on demand and spot",
    fetch=lambda http: (http.get(URL, name="sc-data-all.sql", reduce=reduce) for _ in range(1)),
    parse=parse,
    reduce=reduce,
    deadline=timedelta(minutes=45),
    traps="a database of all clouds in one dump; Windows beside Linux; columns renamed from gpu_ to accelerator_, "
    "which count other chips too; no GPU cloud stands in it",
)
