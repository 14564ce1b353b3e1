"""Thousands of broken pages of every source: which promises of the parsers break.

    python -m bench.fuzz --mutations 2000 [--source vast] [--first 0]

The same changes and the same checks as tests/sources/test_fuzz.py, which runs a sample. A line it prints ends the
search for a defect: the same source and seed give the same page again. Exit code 1 when anything broke.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from trials import recorded_books, trial

from sources.source import all_sources

MOST_SHOWN = 5  # of each source: defects come in swarms


def main(mutations: int = 200, only: str = "", first: int = 0) -> int:
    """Prints a line for each source, and its first broken promises; the number of sources that broke any."""
    failed = 0
    for source in all_sources().values():
        if only and source.name != only:
            continue
        began = time.perf_counter()
        books = list(recorded_books(source))
        if not books:
            print(f"{source.name:20} has no recorded pages")
            continue
        promises = [trial(books[seed % len(books)], seed) for seed in range(first, first + mutations)]
        broken = [promise for promise in promises if promise]
        failed += bool(broken)
        print(f"{source.name:20} {mutations:6} mutations {time.perf_counter() - began:6.1f} s {len(broken):5} broken")
        for promise in list(Counter(broken))[:MOST_SHOWN]:
            print(f"    {promise}", flush=True)
    return failed


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mutations", type=int, default=2000, help="of each source (2000)")
    parser.add_argument("--source", default="", help="only this one")
    parser.add_argument("--first", type=int, default=0, help="the first seed (0)")
    given = parser.parse_args()
    sys.exit(1 if main(given.mutations, given.source, given.first) else 0)
