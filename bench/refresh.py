"""`gpuledger refresh --recorded`: 13 sources on an empty home at most 12 s, all of them 20 s, again 8 s, on 2 cores."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

THIRTEEN = [
    *("aws", "azure", "gcp", "oci", "lambda", "runpod", "vast"),
    *("verda", "nebius", "coreweave", "ovh", "vultr", "ecb"),
]
GPULEDGER = Path(sys.executable).with_name("gpuledger")
# The same look, load and publish without Dagster: what is left of a refresh when its share is taken out.
BARE = """
from pathlib import Path
import sys
from pipelines.home import Home
from pipelines.looks.keeping import currency_pages, keep_reading
from pipelines.frames.priced import priced_frames
from pipelines.frames.reference import reference_frames
from sources.pages import PageStore, recorded_looks, with_rates
from sources.source import all_sources
from warehouse.laying import load_reference, recompute
from warehouse.load import load
from warehouse.offer_files import OfferFiles
from warehouse.publish import publish
home = Home(Path(sys.argv[1]))
store, files, sources = PageStore(home.raw), OfferFiles(home.offers), list(all_sources().values())
for source in sorted(sources, key=lambda source: source.kind != "currency"):
    for look in recorded_looks(source.name):
        look = look if source.kind == "currency" else with_rates(look, currency_pages(store, sources))
        store.keep(look)
        keep_reading(look, store, files, sources)
load(home.warehouse, files)
load_reference(home.warehouse, reference_frames(sources))
recompute(home.warehouse, priced_frames)
publish(home.warehouse, home.published)
"""


def main() -> None:
    """Print wall seconds, CPU seconds and peak memory of each run."""
    with tempfile.TemporaryDirectory() as folder:
        for what, names in (("13 sources", THIRTEEN), ("all sources", [])):
            environment = os.environ | {"GPULEDGER_HOME": f"{folder}/{len(names)}"}
            command = [str(GPULEDGER), "refresh", "--recorded", "--format", "json", *names]
            for state in ("empty home", "nothing changed"):
                print(f"{what}, {state:15}   {_timed(command, environment)}", flush=True)
        bare = _timed([sys.executable, "-c", BARE, f"{folder}/bare"], dict(os.environ))
    print(f"all, without Dagster           {bare}   (the difference to the first run is Dagster's share)")


def _timed(command: list[str], environment: dict[str, str]) -> str:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wall = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return f"{wall:6.2f} s wall  {cpu:6.2f} s CPU  {after.ru_maxrss / 1024:5.0f} MB peak so far"


if __name__ == "__main__":
    main()
