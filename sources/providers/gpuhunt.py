"""gpuhunt's published catalogue (dstack): a zip per provider with one CSV file, USD per instance-hour.

A witness: what it says is set beside our own reading and never becomes an offer. A small file names the version, which
starts with the day it was made; the archive stands under it. Its one CSV file is kept, not the archive around it.
Names collapse SXM and PCIe, which the instance name often still tells; a wrong memory makes a card unknown here (its
MI325X has 288 GB). Google's locations are zones. TPU rows count a whole slice as one, so they are passed over; some of
its A3 prices are those of another kind of purchase, near half of the list price.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta

from models.offers import Pricing, Quote, Unreadable, Witness
from sources.brokers import provider_named
from sources.catalogues import card_text, csv_rows
from sources.http import MAX_BYTES, Http
from sources.reading import decimal_of
from sources.source import ErrorAnswer, Page, Source

BASE = "https://dstack-gpu-pricing.s3.eu-west-1.amazonaws.com/v3"
PROVIDERS = ("aws", "azure", "cloudrift", "gcp", "lambdalabs", "nebius", "oci", "runpod", "verda")
COLUMNS = ("instance_name", "location", "price", "gpu_count", "gpu_name", "gpu_memory", "spot")
LARGEST_ARCHIVE = 32 << 20  # bytes; they have less than one MB
VERSION = re.compile(r"(\d{4})(\d\d)(\d\d)[\w.-]{0,40}")  # 20260822-1234
SPOT: dict[str, Pricing] = {"true": "spot", "false": "on_demand"}


def only_file(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The one CSV file of the archive. Raises ErrorAnswer where there is none, or the archive does not end."""
    archive = bytearray()
    for piece in pieces:
        archive += piece
        if len(archive) > LARGEST_ARCHIVE:
            raise ErrorAnswer(f"the archive has more than {LARGEST_ARCHIVE >> 20} MB")
    try:
        with zipfile.ZipFile(io.BytesIO(archive)) as opened:
            names = [name for name in opened.namelist() if name.endswith(".csv")]
            if len(names) != 1 or opened.getinfo(names[0]).file_size > MAX_BYTES:
                raise ErrorAnswer(f"the archive holds {', '.join(names)[:200] or 'no CSV file'}")
            with opened.open(names[0]) as file:
                yield from iter(lambda: file.read(1 << 16), b"")
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError) as error:
        raise ErrorAnswer(f"the answer is not an archive but {bytes(archive[:40])!r}") from error


def parse(pages: Sequence[Page]) -> Iterator[Witness | Unreadable]:
    for page in pages:
        as_of = _day(page.url)
        for row in csv_rows(page, COLUMNS):
            count, memory = decimal_of(row["gpu_count"]), decimal_of(row["gpu_memory"])
            if not count or not memory:
                continue  # a machine without GPUs, or a TPU slice
            instance, amount, pricing = row["instance_name"], decimal_of(row["price"]), SPOT.get(row["spot"].lower())
            if not amount or pricing is None:
                detail = f"{instance}: {row['price'][:40]!r}, spot {row['spot'][:40]!r}"
                yield Unreadable("not_a_price", detail, instance, row["gpu_name"], row["location"])
                continue
            yield Witness(
                of=provider_named(page.book),
                says=Quote(
                    sku=instance,
                    gpu=card_text(row["gpu_name"], instance),
                    gpu_count=count,
                    amount=amount,
                    unit="per_instance_hour",
                    pricing=pricing,
                    region=row["location"].rpartition("-")[0] if page.book == "gcp" else row["location"],
                    gpu_memory_gb=memory,
                ),
                as_of=as_of,
            )


def _day(url: str) -> datetime | None:
    """The day in the version that stands in the address."""
    for part in url.split("/"):
        if version := VERSION.fullmatch(part):
            try:
                return datetime(int(version[1]), int(version[2]), int(version[3]), tzinfo=UTC)
            except ValueError:
                return None
    return None


def _fetch(provider: str) -> Callable[[Http], Iterator[Page]]:
    def fetch(http: Http) -> Iterator[Page]:
        version = http.get(f"{BASE}/{provider}/version").text.strip()
        if not VERSION.fullmatch(version):
            raise ErrorAnswer(f"the version of {provider} reads {version[:40]!r}")
        url = f"{BASE}/{provider}/{version}/catalog.zip"
        yield http.get(url, name=f"{provider}.csv", book=provider, reduce=only_file)

    return fetch


SOURCE = Source(
    name="gpuhunt",
    title="gpuhunt catalogue",
    homepage="https://github.com/dstackai/gpuhunt",
    kind="aggregator",
    access="catalogue",
    every=timedelta(days=1),
    unit_note="USD per instance-hour, on demand and spot",
    parts={provider: _fetch(provider) for provider in PROVIDERS},
    parse=parse,
    traps="SXM and PCIe collapse into one name; half of Google's A3 prices are of another kind of purchase; its "
    "locations are zones; a TPU slice counts as one",
)
