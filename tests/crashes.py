"""Processes killed with SIGKILL at random moments of a load, a rebuild and a publish; not a test by itself.

A victim does the work in a loop and says a line before and after each turn; the trial kills it somewhere in a later
turn and then looks at what is left, as the next refresh and the people who read the published ledger would find it.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import duckdb
import polars as pl
from ledgers import HISTORY, Ledger, moment, offer

from warehouse.database import opened_to_read, value
from warehouse.load import load, rebuild
from warehouse.publish import publish

OFFERS = 150  # of each look; a third of them moves from look to look
TABLES = ("core.scrape", "core.scrape_page", "core.observation", "core.rejected")
PATHS = os.pathsep.join(str(path) for path in (Path(__file__).parent.parent, Path(__file__).parent))


def take_looks(ledger: Ledger, first: int, count: int) -> None:
    """Keep `count` looks, an hour apart, not loaded yet."""
    for hour in range(first, first + count):
        prices = [f"{20 + (hour + number) % 3 // 2}.5" for number in range(OFFERS)]
        offers = [offer(f"box{number}", price) for number, price in enumerate(prices) if (hour + number) % 7]
        ledger.look(moment(1) + timedelta(hours=hour), *offers)


def load_forever(root: Path) -> None:
    """Take a look, load it, acknowledge it."""
    ledger = Ledger(root)
    for hour in range(1_000_000):
        print("begin", hour, flush=True)
        take_looks(ledger, hour, 1)
        load(ledger.path, ledger.files)
        print("done", hour, flush=True)


def rebuild_forever(root: Path) -> None:
    """Lay the same ledger anew again and again."""
    ledger = Ledger(root)
    for turn in range(1_000_000):
        print("begin", turn, flush=True)
        rebuild(ledger.path, ledger.files)
        print("done", turn, flush=True)


def publish_forever(root: Path) -> None:
    """Load a look, publish it, acknowledge it."""
    ledger = Ledger(root)
    for hour in range(1, 1_000_000):
        take_looks(ledger, hour, 1)
        ledger.load()
        print("begin", hour, flush=True)
        publish(ledger.path, root / "published")
        print("done", hour, flush=True)


def killed(work: str, root: Path, seed: int) -> int:
    """Run `work` (a function of this module) and kill it somewhere in its second or third turn.

    Returns the last turn that it had acknowledged.
    """
    chance = random.Random(seed)
    code = f"import sys, crashes; from pathlib import Path; crashes.{work}(Path(sys.argv[1]))"
    victim = subprocess.Popen(
        [sys.executable, "-c", code, str(root)],
        env={**os.environ, "PYTHONPATH": PATHS},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert victim.stdout
    acknowledged, turns = -1, 0
    fatal = chance.randint(2, 3)
    for line in victim.stdout:
        word, turn = line.split()
        if word == "done":
            acknowledged = int(turn)
        else:
            turns += 1
        if turns == fatal:
            break
    try:
        victim.wait(timeout=chance.uniform(0, 0.4))
    except subprocess.TimeoutExpired:
        victim.kill()
    rest, _ = victim.communicate()
    assert victim.returncode == -9, f"{work} ended by itself: {rest}"
    return max([acknowledged, *(int(line.split()[1]) for line in rest.splitlines() if line.startswith("done"))])


def tables(ledger: Ledger) -> Sequence[object]:
    return [ledger.rows(f"FROM {table} ORDER BY ALL") for table in TABLES]


def trial_of_load(root: Path, seed: int) -> None:
    """Every acknowledged look is there, nothing is there by halves, and the next load brings the rest."""
    ledger = Ledger(root)
    acknowledged = killed("load_forever", root, seed)
    found = [row["observed_at"] for row in ledger.rows("FROM core.scrape ORDER BY observed_at")]
    assert len(found) >= acknowledged + 1, f"{acknowledged + 1} looks were acknowledged, {len(found)} are there"
    whole = Ledger(root / "whole")  # the same looks in one load, without a crash
    take_looks(whole, 0, len(found))
    whole.load()
    assert tables(ledger) == tables(whole)
    take_looks(ledger, len(found), 3)
    take_looks(whole, len(found), 3)
    ledger.load()
    whole.load()
    assert tables(ledger) == tables(whole)


def trial_of_rebuild(root: Path, seed: int) -> None:
    """The ledger is the same as before, old or new, and the next load clears away what was left."""
    ledger = Ledger(root)
    take_looks(ledger, 0, 24)
    ledger.load()
    before = tables(ledger)
    killed("rebuild_forever", root, seed)
    assert tables(ledger) == before
    assert load(ledger.path, ledger.files).scrapes == 0
    assert tables(ledger) == before
    assert sorted(path.name for path in root.iterdir()) == ["offers", "warehouse.duckdb", "warehouse.lock"]


def trial_of_publish(root: Path, seed: int) -> None:
    """The published ledger is whole and no older than acknowledged; the next publish mends what lies beside it."""
    ledger, folder = Ledger(root), root / "published"
    take_looks(ledger, 0, 1)
    ledger.load()
    ledger.refer()
    ledger.recompute()
    acknowledged = killed("publish_forever", root, seed)
    target = folder / "gpuledger.duckdb"
    with opened_to_read(target) as published:
        looks = value(published, "SELECT count(*) FROM core.scrape")
        assert looks in (acknowledged + 1, acknowledged + 2)
        standing = value(published, "SELECT count(*) FROM price_now")
    assert standing == sum(1 for number in range(OFFERS) if (looks - 1 + number) % 7)
    for file in folder.rglob("*.parquet"):
        pl.read_parquet(file)
    for file in (folder / "daily").glob("*.duckdb"):
        with opened_to_read(file) as daily:
            assert value(daily, "SELECT count(*) FROM price_now")
    ledger.load()
    offers = publish(ledger.path, folder).offers
    assert pl.read_parquet(folder / "price_now.parquet").height == offers
    history = duckdb.connect().execute(f"SELECT offer_key, observed_at FROM '{folder}/history/*.parquet'").fetchall()
    assert sorted(history) == [(row["offer_key"], row["observed_at"]) for row in ledger.rows(HISTORY)]
    assert list(folder.rglob("*.publishing")) == []


TRIALS = {"load": trial_of_load, "rebuild": trial_of_rebuild, "publish": trial_of_publish}
