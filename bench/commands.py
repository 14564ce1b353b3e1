"""Reading commands on a published ledger: first row within 0.5 s."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

GPULEDGER = Path(sys.executable).with_name("gpuledger")
COMMANDS = {
    "sql": ["sql", "SELECT count(*) FROM price_now"],
    "offers": ["offers", "--gpu", "h100_sxm", "--limit", "20"],
    "cost": ["cost", "7B"],
    "status": ["status"],
    "estimate": ["estimate", "--params", "7B", "--tokens", "1T", "--price", "2.99"],
}
RUNS = 7


def main() -> None:
    """Print the median and the slowest of several whole processes, to the first byte and to the end."""
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"GPULEDGER_HOME": folder}
        refresh = [str(GPULEDGER), "refresh", "--recorded"]
        subprocess.run(refresh, env=environment, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for name, arguments in COMMANDS.items():
            first, whole = zip(*(_timed(arguments, environment) for _ in range(RUNS)), strict=True)
            print(
                f"{name:10} first byte {statistics.median(first):.2f} s (slowest {max(first):.2f})"
                f"   done {statistics.median(whole):.2f} s"
            )


def _timed(arguments: list[str], environment: dict[str, str]) -> tuple[float, float]:
    started = time.perf_counter()
    process = subprocess.Popen([str(GPULEDGER), *arguments], env=environment, stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.read(1)
    first = time.perf_counter() - started
    process.stdout.read()
    if process.wait() != 0:
        raise SystemExit(f"gpuledger {' '.join(arguments)} failed")
    return first, time.perf_counter() - started


if __name__ == "__main__":
    main()
