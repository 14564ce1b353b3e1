"""Kill -9 at random moments of a load, a rebuild and a publish: what was committed stays, what is published is whole.

    python -m bench.crashes --trials 10 [--work publish] [--first 0]

The same trials as tests/warehouse/test_crashes.py, which runs a few. Exit code 1 when a promise broke; the seed that
it names kills at the same moment again, as far as the machine is as fast.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

import duckdb
from crashes import TRIALS


def main(trials: int = 10, only: str = "", first: int = 0) -> int:
    """Prints a line for each kind of work and one for each broken promise; the number of those."""
    broken = 0
    for work, trial in TRIALS.items():
        if only and work != only:
            continue
        began, failed = time.perf_counter(), 0
        for seed in range(first, first + trials):
            with tempfile.TemporaryDirectory() as root:
                try:
                    trial(Path(root), seed)
                except (AssertionError, duckdb.Error, OSError) as promise:
                    failed += 1
                    print(f"{work} seed {seed}: {str(promise).splitlines()[0] if str(promise) else promise!r}")
        print(f"{work:8} {trials} kills, {failed} broken promises, {time.perf_counter() - began:.0f} s", flush=True)
        broken += failed
    return broken


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--trials", type=int, default=10)
    parser.add_argument("--work", default="", choices=["", *TRIALS])
    parser.add_argument("--first", type=int, default=0, help="First seed.")
    asked = parser.parse_args()
    sys.exit(1 if main(asked.trials, asked.work, asked.first) else 0)
