"""How fast the bulk EC2 price file of a region becomes offers, and whether they are the right ones.

    python -m bench.aws_offer_file --mb 1000

Writes a price file of that size in a temporary folder and removes it. Every offer is compared with what the
generator says must come out, so that a fast wrong answer fails. Beside the reader stand csv.reader over the same
file and a bare count of its newlines, each in a process of its own, for time and for peak memory; the time to load
the program is left out.
"""

from __future__ import annotations

import argparse
import csv
import pickle
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from bench.generated_price_file import HOURS, Wanted, write_price_file


def offers_of(path: Path) -> Wanted:
    """The file read as the ledger reads it: cut while it streams, parsed, normalised; USD per hour and upfront."""
    from models.currencies import Rates
    from models.normalise import normalise
    from models.offers import CurrencyRate
    from sources.providers.aws import SOURCE
    from sources.source import Page

    assert SOURCE.reduce
    with path.open("rb", buffering=0) as file:
        body = b"".join(SOURCE.reduce(iter(lambda: file.read(1 << 16), b"")))
    page = Page(path.name, body, datetime(2026, 11, 30, tzinfo=UTC), path.name)
    offers, rejected = normalise(
        (row for row in SOURCE.parse([page]) if not isinstance(row, CurrencyRate)),
        provider="aws",
        book="",
        observed_at=page.observed_at,
        origin="live",
        rates=Rates.of(()),
        page_sha256=page.sha256,
    )
    if rejected:
        raise SystemExit(f"{len(rejected)} rows rejected, the first: {rejected[0]}")
    return {
        (offer.sku, offer.region, offer.pricing, offer.term_months, offer.tier): (
            offer.usd_per_hour,
            offer.upfront or Decimal(0),
        )
        for offer in offers
    }


def rows_by_csv(path: Path) -> int:
    with path.open(newline="") as file:
        return sum(1 for _ in csv.reader(file))


def newlines(path: Path) -> int:
    buffer, count = bytearray(1 << 20), 0
    with path.open("rb", buffering=0) as file:
        while size := file.readinto(buffer):
            count += buffer.count(b"\n", 0, size)
    return count


WAYS: dict[str, Callable[[Path], object]] = {"offers": offers_of, "csv.reader": rows_by_csv, "newlines": newlines}


def measure(way: str, path: Path) -> None:
    """In a process of its own: do it once and print seconds, peak megabytes and the result."""
    if way == "offers":
        import sources.providers.aws  # noqa: F401  the time to load the program is not the time to read the file
    started = time.perf_counter()
    result = WAYS[way](path)
    seconds = time.perf_counter() - started
    pickle.dump((seconds, _peak_megabytes(), result), sys.stdout.buffer)


def _peak_megabytes() -> float:
    """Of this process alone (Linux); ru_maxrss would carry the parent's."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1000


def measured(path: Path, runs: int) -> dict[str, tuple[float, float, Any]]:
    """The best time, the highest peak and the result of each way; turn about, so that a busy machine is fair."""
    found: dict[str, list[tuple[float, float, Any]]] = {way: [] for way in WAYS}
    for run in range(runs):
        for way in WAYS if run == 0 else ("offers", "newlines"):  # csv.reader takes a minute or so
            command = [sys.executable, "-m", "bench.aws_offer_file", "--measure", way, "--file", str(path)]
            done = subprocess.run(command, check=True, stdout=subprocess.PIPE, cwd=Path(__file__).parent.parent)
            found[way].append(pickle.loads(done.stdout))
    return {way: (min(r[0] for r in every), max(r[1] for r in every), every[-1][2]) for way, every in found.items()}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument(
        "--mb", type=int, nargs="+", default=[100, 1000], help="sizes of the file in millions of bytes: memory is flat"
    )
    options.add_argument("--seed", type=int, default=20261130)
    options.add_argument("--runs", type=int, default=5, help="runs of each way; the best time counts")
    options.add_argument("--measure", choices=WAYS, help=argparse.SUPPRESS)
    options.add_argument("--file", type=Path, help=argparse.SUPPRESS)
    asked = options.parse_args()
    if asked.measure:
        measure(asked.measure, asked.file)
        return
    for megabytes in asked.mb:
        _of_size(megabytes, asked.seed, asked.runs)


def _of_size(megabytes: int, seed: int, runs: int) -> None:
    with tempfile.TemporaryDirectory(prefix="gpuledger-bench-") as folder:
        path = Path(folder) / "us-east-1.csv"
        wanted = {
            price: ((running + upfront / HOURS[f"{price[3] // 12}yr"] if price[3] else running), upfront)
            for price, (running, upfront) in write_price_file(path, megabytes, seed).items()
        }
        gigabytes = path.stat().st_size / 1e9
        found = measured(path, runs)
        offers = found["offers"][2]
        if offers.keys() != wanted.keys():
            raise SystemExit(f"{len(offers)} offers where {len(wanted)} belong")
        wrong = [
            key
            for key, (usd, upfront) in wanted.items()
            if abs(offers[key][0] - usd) > Decimal("1e-8") or offers[key][1] != upfront
        ]
        if wrong:
            raise SystemExit(
                f"{len(wrong)} wrong prices, the first {wrong[0]}: {offers[wrong[0]]}, not {wanted[wrong[0]]}"
            )
    print(f"{gigabytes:.3f} GB, {found['newlines'][2]} lines, {len(offers)} offers, every one as generated")
    print(f"{'way':12}{'seconds':>9}{'MB/s':>8}{'peak MB':>9}")
    for way, (seconds, peak, _) in found.items():
        print(f"{way:12}{seconds:9.2f}{gigabytes * 1000 / seconds:8.0f}{peak:9.0f}")
    seconds = found["offers"][0]
    print(
        f"{found['csv.reader'][0] / seconds:.1f} times as fast as csv.reader; "
        f"{seconds / found['newlines'][0]:.2f} times a bare newline count"
    )


if __name__ == "__main__":
    main()
