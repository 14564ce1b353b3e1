"""Cost tables: requirements within 0.5 s, all current tables within 2 s, history of 1e8 observations within 8 s."""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import polars as pl

from models.constants import Constant, constants
from models.gpus import gpus
from models.llms import llms
from models.training.requirement import training_requirement
from pipelines.frames.priced import priced_frames
from pipelines.frames.reference import frame_of, reference_frames
from pipelines.home import Home
from sources.source import all_sources
from warehouse.cost_history import lay_history
from warehouse.database import migrate, opened_to_write, statement
from warehouse.laying import load_reference, recompute

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

T = TypeVar("T")
GPULEDGER = Path(sys.executable).with_name("gpuledger")
OBSERVATIONS = 100_000_000
PROVIDERS, GPUS, REGIONS, DAYS, LOOKS_A_DAY = 30, 20, 40, 730, 6
MODELS = 60
MEMORY, THREADS = "2GB", 2
RUNS = 3

# What the history is made of, without the key of the ledger's table: laying an index over 1e8 rows is not the question.
_EMPTY = """
CREATE TABLE core.unkeyed AS FROM core.observation LIMIT 0;
DROP TABLE core.observation;
ALTER TABLE core.unkeyed RENAME TO observation;
INSERT INTO core.scrape
SELECT format('provider_{:02d}', provider), to_timestamp(1704067200 + day * 86400), 'live', 'ok', '', '', [''], 0, 0, 0
FROM range($days) AS _(day), range($providers) AS _(provider);
"""
_OFFERS = """
CREATE OR REPLACE TEMP TABLE generated AS
SELECT md5(CAST(i AS VARCHAR)) AS offer_key, format('provider_{:02d}', i % $providers) AS provider,
    format('gpu_{:02d}', i // $providers % $gpus) AS gpu,
    CASE WHEN i // ($providers * $gpus) % 2 = 0 THEN 'on_demand' ELSE 'spot' END AS pricing, i
FROM range($providers * $gpus * $regions) AS _(i);
"""
# An offer says something at most looks, not at all; now and then it is gone until a later one.
_MONTH = """
INSERT INTO core.observation BY NAME
SELECT offer_key, to_timestamp(1704067200 + look * 14400) AS observed_at, hash(i, look) % 64 <> 0 AS listed,
    provider, gpu, pricing, '' AS tier, 8 AS gpu_count, 'multi_node' AS fabric, 4096 AS cluster_gpus,
    CAST(1 + i % 20 * 0.3 + hash(i, look) % 1000 / 1000 AS DECIMAL(18, 8)) AS usd_per_gpu_hour
FROM range($first, $past) AS _(look), generated WHERE hash(look, i) % 1000 < $said
"""
_BARE = """
CREATE OR REPLACE TEMP TABLE bare AS
SELECT provider, pricing, gpu, gpu_count, fabric, cluster_gpus, minimum_gpus,
    epoch_us(observed_at) // 86400000000 AS day, min(usd_per_gpu_hour) AS usd
FROM core.observation WHERE listed GROUP BY ALL
"""


def main() -> None:
    """Print the best of several runs of each, and the memory of the history."""
    _requirements()
    with tempfile.TemporaryDirectory() as folder:
        _current_tables(Path(folder))
    with tempfile.TemporaryDirectory() as folder:
        _history(Path(folder) / "history.duckdb")


def _requirements() -> None:
    chips = list(gpus().values())[:165]
    models = [replace(llm, llm=f"{llm.llm} {copy}") for copy in range(2) for llm in llms()][:75]
    training_requirement(models[:1], chips[:1])
    seconds, frame = _best(lambda: training_requirement(models, chips))
    print(
        f"requirements of {len(models)} LLMs x {len(chips)} chips: {frame.height:,} rows in {seconds:.2f} s (bound 0.5)"
    )


def _current_tables(folder: Path) -> None:
    refresh = [str(GPULEDGER), "refresh", "--recorded"]
    subprocess.run(refresh, env={"GPULEDGER_HOME": str(folder), "PATH": ""}, check=True, capture_output=True)
    at = Home(folder)
    seconds, frames = _timed(lambda: reference_frames(list(all_sources().values())))  # kept from then on
    load_reference(at.warehouse, frames)
    print(f"what every question takes: {sum(frame.height for frame in frames.values()):,} rows in {seconds:.2f} s")
    seconds, _ = _best(lambda: recompute(at.warehouse, priced_frames))
    with opened_to_write(at.warehouse) as connection:
        found = connection.execute("SELECT count(*) FROM price_now").fetchall()
    print(f"all current cost tables: {len(llms())} LLMs x {found[0][0]:,} offers in {seconds:.2f} s (bound 2)")


def _history(file: Path) -> None:
    started = time.perf_counter()
    generate(file, OBSERVATIONS)
    took, size = time.perf_counter() - started, file.stat().st_size / 1e6
    print(f"generated {OBSERVATIONS:,} observations in {took:.0f} s, {size:,.0f} MB", flush=True)
    subprocess.run([sys.executable, "-m", "bench.cost", str(file)], check=True)


def generate(file: Path, observations: int) -> None:
    """A ledger of that many observations, about: offers of every provider, GPU and region over two years."""
    chips = [f"gpu_{number:02d}" for number in range(GPUS)]
    empty = pl.DataFrame({"llm": []}, schema={"llm": pl.String})
    load_reference(
        file,
        {
            "gpu": pl.DataFrame({"gpu": chips, "trains": [True] * GPUS}),
            "llm": empty,
            "constant": frame_of(Constant, list(constants().values())),
            "source": pl.DataFrame({"provider": []}, schema={"provider": pl.String}),
            "training_requirement": pl.DataFrame(
                [_need(f"model {model:02d}", gpu) for model in range(MODELS) for gpu in chips]
            ),
            "spot_gang": pl.DataFrame({"nodes": []}, schema={"nodes": pl.Int64}),
            "claim": pl.DataFrame({"claim_id": []}, schema={"claim_id": pl.String}),
            **dict.fromkeys(("fine_tuning_requirement", "hosting_requirement", "api_price"), empty),
        },
    )
    of_all = observations / (PROVIDERS * GPUS * REGIONS * DAYS * LOOKS_A_DAY)
    with opened_to_write(file) as connection:
        migrate(connection)
        connection.execute(f"SET threads = {THREADS}")
        connection.execute(_EMPTY, {"days": DAYS, "providers": PROVIDERS})
        connection.execute(_OFFERS, {"providers": PROVIDERS, "gpus": GPUS, "regions": REGIONS})
        for day in range(0, DAYS, 30):
            first, past = day * LOOKS_A_DAY, min(day + 30, DAYS) * LOOKS_A_DAY
            connection.execute(_MONTH, {"first": first, "past": past, "said": round(of_all * 1000)})
        laying, _ = _timed(lambda: _lay_closing_prices(connection))
        connection.execute("CHECKPOINT")
    print(f"closing prices of all {DAYS} days, which loads lay as they come: {laying:.0f} s")


def _lay_closing_prices(connection: DuckDBPyConnection) -> None:
    for day in range(0, DAYS, 28):
        looks = "SELECT * FROM core.scrape WHERE observed_at >= to_timestamp(1704067200 + $day * 86400)"
        connection.execute(
            f"CREATE OR REPLACE TEMP TABLE new_scrape AS {looks} ORDER BY observed_at LIMIT {PROVIDERS * 28}",
            {"day": day},
        )
        connection.execute(statement("load/closing_week"))


def _need(llm: str, gpu: str) -> dict[str, object]:
    hours = 10_000.0 * (1 + (int(llm[-2:]) * 31 + int(gpu[-2:]) * 17) % 100)
    need = {"llm": llm, "kind": "size_class", "gpu": gpu, "min_gpus": 8, "gpus_for_deadline": 64, "gpus_per_node": 8}
    need |= {"scale_efficiency": 1.0}
    return need | {"gpu_hours_p10": hours * 0.7, "gpu_hours_p50": hours, "gpu_hours_p90": hours * 1.5, "basis": ""}


def measure_history(file: Path) -> None:
    """The bare scan, then the history; the peak memory of this process is that of the larger."""
    with opened_to_write(file) as connection:
        connection.execute(
            f"SET threads = {THREADS}; SET memory_limit = '{MEMORY}'; SET preserve_insertion_order = false"
        )
        bares, whole = [], []
        for _ in range(RUNS):  # in turn, so that both meet the same machine
            bares.append(_timed(lambda: connection.execute(_BARE).fetchall())[0])
            whole.append(_timed(lambda: lay_history(connection))[0])
        rows = connection.execute("SELECT count(*) FROM core.cost_by_day").fetchall()[0][0]
    if not rows:
        sys.exit("the generated history gave no cost: it lacks something that the views ask for")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    bare, seconds = min(bares), min(whole)
    print(f"bare scan and aggregate of them: {bare:.1f} s")
    ratio = f"{seconds / bare:.1f} x the bare scan (bound 2)"
    print(f"history, {MODELS} models: {rows:,} rows in {seconds:.1f} s (bound 8), {ratio}")
    print(f"peak memory {peak:,.0f} MB (bound 2,500)")


def _best(task: Callable[[], T], runs: int = RUNS) -> tuple[float, T]:
    return min((_timed(task) for _ in range(runs)), key=lambda timed: timed[0])


def _timed(task: Callable[[], T]) -> tuple[float, T]:
    started = time.perf_counter()
    result = task()
    return time.perf_counter() - started, result


if __name__ == "__main__":
    arguments: Sequence[str] = sys.argv[1:]
    measure_history(Path(arguments[0])) if arguments else main()
