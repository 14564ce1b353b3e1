"""AWS's bulk price files: what is kept of them while they stream, and when they are downloaded at all."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from exchanges import Site, http_for
from hypothesis import given, settings
from hypothesis import strategies as st

from sources.http import Http
from sources.pages import Look, PageStore
from sources.providers.aws import SOURCE, bulk_lines, parse
from sources.providers.aws.bulk_files import EC2, REGIONS
from sources.providers.aws.bulk_lines import reduce
from sources.providers.aws.instances import instances
from sources.source import LayoutChanged, Page, Unreachable

DAY = datetime(2026, 11, 30, 6, tzinfo=UTC)
HEAD = (
    '"FormatVersion","v1.0"\n"Disclaimer","d"\n"Publication Date","2026-11-28T00:00:00Z"\n'
    '"Version","1"\n"OfferCode","AmazonEC2"\n'
)

# In the order of the real file; a few columns between usageType and GPU as there.
OFFER_COLUMNS = (
    *("SKU", "OfferTermCode", "TermType", "PriceDescription", "Unit", "PricePerUnit", "Currency"),
    *("LeaseContractLength", "PurchaseOption", "OfferingClass", "Instance Type", "Tenancy", "Operating System"),
    *("License Model", "usageType", "operation", "AvailabilityZone", "CapacityStatus", "ECU", "From Region Code"),
    *("GPU", "GPU Memory", "MarketOption", "Pre Installed S/W", "Processor Features", "Region Code"),
)
TYPES = ("p5.48xlarge", "g6f.large", "p9.48xlarge", "m7i.large", "c6i.32xlarge")
CELLS = {
    "SKU": st.sampled_from(["A1", "B2", "C3", "D4"]),
    "OfferTermCode": st.sampled_from(["JRTCKXETXF", "4NA7Y494T4"]),
    "TermType": st.sampled_from(["OnDemand", "Reserved"]),
    "PriceDescription": st.sampled_from(
        ["", "$1.0 per On Demand Linux", 'a "RunInstances", b', "x,RunInstances,y", "São Paulo; 8 GPU", 'say ""no""']
    ),
    "Unit": st.sampled_from(["Hrs", "Quantity"]),
    "PricePerUnit": st.sampled_from(["55.0400000000", "0.0000000000", "140160"]),
    "Currency": st.just("USD"),
    "LeaseContractLength": st.sampled_from(["", "1yr", "3yr"]),
    "PurchaseOption": st.sampled_from(["", "No Upfront", "All Upfront"]),
    "OfferingClass": st.sampled_from(["", "standard", "convertible"]),
    "Instance Type": st.sampled_from(TYPES),
    "Tenancy": st.sampled_from(["Shared", "Dedicated"]),
    "Operating System": st.sampled_from(["Linux", "Windows"]),
    "License Model": st.just("No License required"),
    "operation": st.sampled_from(["RunInstances", "RunInstances:CB", "RunInstances:0002", "", "Hourly"]),
    "AvailabilityZone": st.sampled_from(["NA", "", "a, b"]),
    "CapacityStatus": st.sampled_from(["Used", "UnusedCapacityReservation"]),
    "ECU": st.sampled_from(["NA", "", 'one "two"']),
    "From Region Code": st.just(""),
    "GPU": st.sampled_from(["", "NA", "0", "8", "0.125"]),
    "GPU Memory": st.sampled_from(["", "NA", "640 GB HBM3"]),
    "MarketOption": st.sampled_from(["OnDemand", "CapacityBlock", ""]),
    "Pre Installed S/W": st.sampled_from(["NA", "", "SQL Std"]),
    "Processor Features": st.sampled_from(["", "Intel AVX; Intel AVX2"]),
    "Region Code": st.just("us-east-2"),
}


@st.composite
def offer_rows(draw: st.DrawFn) -> dict[str, str]:
    row = {title: draw(cell) for title, cell in CELLS.items()}
    return row | {"usageType": draw(st.sampled_from(["", "USE2-"])) + f"BoxUsage:{row['Instance Type']}"}


def written(columns: Sequence[str], rows: Sequence[dict[str, str]], quoting: Sequence[str]) -> bytes:
    """A price file, each line quoted in its own way: as AWS does, everything, or only what must be."""
    text = io.StringIO()
    for number, row in enumerate([dict(zip(columns, columns, strict=True)), *rows]):
        cells, way = [row[title] for title in columns], quoting[number % len(quoting)]
        if way == "aws":
            text.write(",".join('"' + cell.replace('"', '""') + '"' if cell else "" for cell in cells) + "\n")
        else:
            style = csv.QUOTE_ALL if way == "all" else csv.QUOTE_MINIMAL
            csv.writer(text, quoting=style, lineterminator="\n").writerow(cells)
    return (HEAD + text.getvalue()).encode()


def in_pieces(body: bytes, size: int) -> Iterator[bytes]:
    for start in range(0, len(body), size):
        yield body[start : start + size]


def wanted_rows(body: bytes) -> list[list[str]]:
    """The oracle: every row as csv.reader reads it, of plain Linux with an accelerator."""
    rows = list(csv.reader(io.StringIO(body.decode(), newline="")))
    columns = next(cells for cells in rows if cells[:1] == ["SKU"])
    place = {title: columns.index(title) for title in ("operation", "Instance Type", "GPU")}
    return [
        cells
        for cells in rows[rows.index(columns) + 1 :]
        if cells[place["operation"]] == "RunInstances"
        and (cells[place["Instance Type"]] in instances() or cells[place["GPU"]] not in ("", "NA", "0"))
    ]


def readings(body: bytes) -> list[Any]:
    page = Page("https://pricing.us-east-1.amazonaws.com/x", body, DAY, "x.csv")
    return sorted(str(row).replace(page.sha256, "") for row in parse([page]))


QUOTINGS = st.lists(st.sampled_from(["aws", "all", "minimal"]), min_size=1, max_size=3)


@settings(max_examples=100)
@given(rows=st.lists(offer_rows(), max_size=30), quoting=QUOTINGS, size=st.integers(1, 4000), moved=st.booleans())
def test_cutting_a_file_while_it_streams_loses_no_wanted_row(
    rows: list[dict[str, str]], quoting: list[str], size: int, moved: bool
):
    columns = ("SKU", *reversed(OFFER_COLUMNS[1:])) if moved else OFFER_COLUMNS
    body = written(columns, rows, quoting)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bulk_lines, "BLOCK_BYTES", 1500)  # many blocks: the header fits into the first
        kept = b"".join(reduce(in_pieces(body, size)))
    assert wanted_rows(kept) == wanted_rows(body)
    assert readings(kept) == readings(body)
    lines = iter(body.splitlines(keepends=True))
    assert all(line in lines for line in kept.splitlines(keepends=True)), "lines of the file, in its order"


@settings(max_examples=50)
@given(rows=st.lists(offer_rows(), min_size=1, max_size=12), broken=st.sets(st.integers(0, 11)))
def test_row_over_several_lines_is_kept_whole(rows: list[dict[str, str]], broken: set[int]):
    for number in broken & set(range(len(rows))):
        rows[number]["PriceDescription"] = "two\nlines, RunInstances"
    body = written(OFFER_COLUMNS, rows, ["aws"])
    assert wanted_rows(b"".join(reduce([body]))) == wanted_rows(body)


def test_only_what_is_wanted_is_kept():
    plain = {title: "" for title in OFFER_COLUMNS} | {"Instance Type": "m7i.large", "usageType": "BoxUsage:m7i.large"}
    gpu = plain | {"Instance Type": "p5.48xlarge", "usageType": "BoxUsage:p5.48xlarge", "GPU": "8"}
    rows = [row | {"SKU": f"S{n}", "operation": "RunInstances"} for n, row in enumerate([plain, gpu, plain] * 500)]
    body = written(OFFER_COLUMNS, rows, ["aws"])
    kept = b"".join(reduce(in_pieces(body, 1 << 16)))
    assert kept.count(b"\n") == 6 + 500
    assert b"m7i" not in kept


def test_savings_plan_file_is_cut_to_the_known_types():
    columns = "SKU,DiscountedRate,DiscountedUsageType,DiscountedOperation,PurchaseOption"
    rows = [
        "A,1,BoxUsage:p4d.24xlarge,RunInstances,No Upfront",
        "B,1,USE2-BoxUsage:r7g.medium,RunInstances,No Upfront",
        "C,1,BoxUsage:p4d.24xlarge,RunInstances:0002,No Upfront",
    ]
    body = (HEAD.replace('"', "") + "\n".join([columns, *rows]) + "\n").encode()
    assert b"".join(reduce([body])).decode().splitlines()[-2:] == [columns, rows[0]]


@pytest.mark.parametrize("body", [b'{"config":{"regions":[]}}', b"<html></html>", b"", b"x" * 700_000])
def test_what_is_no_price_file_passes_whole(body: bytes):
    assert b"".join(reduce(in_pieces(body, 1000))) == body


def test_price_file_without_a_header_is_a_changed_layout():
    with pytest.raises(LayoutChanged, match="header"):
        list(reduce([HEAD.encode()]))


# --- when they are downloaded


class Amazon:
    """AWS as a site: an index of versions, the bulk files, the feeds; counts the bytes of the bodies it gave."""

    def __init__(self, version: str) -> None:
        self.version, self.given, self.asked = version, 0, list[str]()
        self.feed_bytes, self.bulk_bytes = 0, 0

    def respond(self, request: Any) -> dict[str, Any]:
        body = self.body(request.url)
        self.asked.append(request.url)
        self.given += len(body)
        return {"body": body}

    def body(self, url: str) -> bytes:
        if url.endswith("region_index.json"):
            return json.dumps(self.index(url)).encode()
        if url.endswith(".csv"):
            plan = "savingsPlan" in url
            columns = (*OFFER_COLUMNS, "DiscountedOperation", "DiscountedUsageType") if plan else OFFER_COLUMNS
            row = dict.fromkeys(columns, "") | {"SKU": "S", "operation": "RunInstances:0002"}
            body = written(columns, [row], ["aws"]).replace(b'"Version","1"', f'"Version","{self.version}"'.encode())
            line = body.splitlines(keepends=True)[-1]
            return body + line * (self.bulk_bytes // len(line))
        return b"{}" + b" " * self.feed_bytes

    def index(self, url: str) -> dict[str, Any]:
        service = url.partition(".com")[2].partition("/current/")[0]
        rows = [
            {"regionCode": region, "versionUrl": f"{service}/{self.version}/{region}/index.json"}
            for region in (*REGIONS, "us-west-2-den-1")
        ]
        # EC2 lists its regions by name, savings plans in an array
        return {"regions": rows if "savingsPlan" in url else {row["regionCode"]: row for row in rows}}

    def bulk_files(self) -> list[str]:
        found = [url.partition("/aws/")[2] for url in self.asked if url.endswith(".csv")]
        self.asked.clear()
        return found


def look(site: Amazon, store: PageStore, now: datetime, parts: Sequence[str] = ("offer_file", "savings_plan")) -> Look:
    http: Http = http_for(SOURCE, Site(site.respond), kept=store.of("aws"), now=now)
    pages = [page for part in parts for page in SOURCE.fetchers()[part](http)]
    seen = Look("aws", now, "live", pages)
    store.keep(seen)
    return seen


def test_same_version_is_confirmed_and_not_downloaded_again(tmp_path: Path):
    site, store = Amazon("20261129000000"), PageStore(tmp_path)
    for day in range(len(REGIONS)):
        look(site, store, DAY + timedelta(days=day))
    first = site.bulk_files()
    assert sorted(first) == sorted(
        f"{code}/20261129000000/{region}/index.csv"
        for code in ("AmazonEC2", "AWSComputeSavingsPlan")
        for region in REGIONS
    )
    later = DAY + timedelta(days=300)
    again = look(site, store, later)
    assert site.bulk_files() == []
    assert {(page.book, page.observed_at, page.unchanged) for page in again.pages} == {
        (f"{book}/{region}", later, True) for book in ("offer_file", "savings_plan") for region in REGIONS
    }


def test_at_most_one_file_of_each_service_a_look(tmp_path: Path):
    site, store = Amazon("20261129000000"), PageStore(tmp_path)
    first = look(site, store, DAY)
    assert len(site.bulk_files()) == 2
    assert {page.url.partition("#")[0] for page in first.pages} >= {EC2}
    assert all(page.url.partition("#")[2] == page.book.partition("/")[2] for page in first.pages)


def test_changed_version_waits_until_what_is_held_is_old(tmp_path: Path):
    site, store = Amazon("20261129000000"), PageStore(tmp_path)
    for day in range(len(REGIONS)):
        look(site, store, DAY + timedelta(days=day))
    site.bulk_files()
    site.version = "20261204000000"
    waiting = look(site, store, DAY + timedelta(days=10))
    assert (waiting.pages, site.bulk_files()) == ([], [])  # the books keep their own date
    downloaded = []
    for day in range(34, 45):
        look(site, store, DAY + timedelta(days=day))
        files = site.bulk_files()
        assert len(files) <= 2
        downloaded += files
    assert len(downloaded) == len(set(downloaded)) == 2 * len(REGIONS)


def test_file_that_fails_does_not_starve_the_others(tmp_path: Path):
    site, store = Amazon("20261129000000"), PageStore(tmp_path)
    respond = site.respond
    site.respond = lambda request: {"status": 404} if "us-east-2/index.csv" in request.url else respond(request)  # type: ignore[method-assign]
    got, refused = set[str](), 0
    for day in range(3 * len(REGIONS)):
        try:
            got |= {page.book for page in look(site, store, DAY + timedelta(days=day), ["offer_file"]).pages}
        except Unreachable:
            refused += 1
    assert refused
    assert got == {f"offer_file/{region}" for region in REGIONS if region != "us-east-2"}


def test_normal_day_downloads_less_than_100_megabytes(tmp_path: Path):
    """All feeds changed, at the size of the largest (us-east-1, 0.7 MB; spot 2.7 MB); a new version of every file."""
    site, store = Amazon("20261129000000"), PageStore(tmp_path)
    for day in range(len(REGIONS)):
        look(site, store, DAY + timedelta(days=day))
    site.version, site.feed_bytes, site.bulk_bytes, site.given = "20261204000000", 700_000, 200_000_000, 0
    parts = [part for part in SOURCE.fetchers() if part != "spot"]
    look(site, store, DAY + timedelta(days=5), parts)
    site.feed_bytes = 2_700_000
    look(site, store, DAY + timedelta(days=5, seconds=1), ["spot"])
    assert 20_000_000 < site.given < 100_000_000


def test_region_that_the_index_does_not_name_is_a_changed_layout(tmp_path: Path):
    site = Amazon("20261129000000")
    site.index = lambda url: {"regions": []}  # type: ignore[method-assign]
    with pytest.raises(LayoutChanged, match="us-east-1"):
        look(site, PageStore(tmp_path), DAY)
