"""SkyPilot's catalogue: a CSV file per cloud with every instance type in every region, USD per instance-hour.

A witness: what it says is set beside our own reading and never becomes an offer. The order of the columns differs by
cloud, so they are read by name. AcceleratorName has lost SXM, PCIe and NVL, which the instance type still names; "A100"
without a size is the 40 GB card. SizeInMiB stands in a Python literal at most clouds and in JSON at others, and at
RunPod it is GB. SpotPrice 0.00 means none. Types stand in all regions, whether they can be had there or not.

Left out: Google (host and GPU are rows of their own), Vast (medians of buckets), Mithril (floors of an auction), and
brokers. Files are Apache-2.0; they may lag behind the cloud by months.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import timedelta
from decimal import Decimal

from models.offers import Pricing, Quote, Unreadable, Witness
from sources.bodies import whole_lines
from sources.brokers import provider_named
from sources.catalogues import card_text, csv_rows
from sources.http import Http
from sources.reading import decimal_of
from sources.source import Page, Source

URL = "https://raw.githubusercontent.com/skypilot-org/skypilot-catalog/master/catalogs/v8/{cloud}/vms.csv"
CLOUDS = ("aws", "azure", "hyperbolic", "hyperstack", "jarvislabs", "lambda", "nebius", "oci", "runpod", "verda")
COLUMNS = ("InstanceType", "AcceleratorName", "AcceleratorCount", "Price", "Region")
PRICES: dict[str, Pricing] = {"Price": "on_demand", "SpotPrice": "spot"}
TIER = re.compile(r"_(SECURE|COMMUNITY)$")  # the two clouds of RunPod
SIZE = re.compile(r"SizeInMiB\W+(\d+)")  # of the first card, in a Python literal or in JSON
SMALLEST_IN_MIB = 1024  # a smaller figure is in GB already


def reduce(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The header and the lines with a GPU: the file of AWS has ten times as many."""
    for number, line in enumerate(whole_lines(pieces)):
        if line and (number == 0 or b"Gpus" in line):
            yield line + b"\n"


def parse(pages: Sequence[Page]) -> Iterator[Witness | Unreadable]:
    for page in pages:
        for row in csv_rows(page, COLUMNS):
            instance, gpu, count = row["InstanceType"], row["AcceleratorName"], decimal_of(row["AcceleratorCount"])
            if not gpu:
                continue
            tier = TIER.search(instance)
            for column, pricing in PRICES.items():
                printed = row.get(column, "")
                amount = decimal_of(printed)
                if count is None or (amount is None and printed):
                    yield Unreadable("not_a_price", f"{instance}, {pricing}: {printed[:40]!r}", instance, gpu)
                elif amount:
                    yield Witness(
                        of=provider_named(page.book),
                        says=Quote(
                            sku=instance,
                            gpu=card_text(gpu, instance),
                            gpu_count=count,
                            amount=amount,
                            unit="per_instance_hour",
                            pricing=pricing,
                            region=row["Region"],
                            gpu_memory_gb=_gigabytes(row.get("GpuInfo", "")),
                            tier=tier[1].lower() if tier else "",
                        ),
                    )


def _gigabytes(info: str) -> Decimal | None:
    """Memory of one card; None where the row states none."""
    found = SIZE.search(info)
    size = Decimal(found[1]) if found else Decimal(0)
    return (size if size < SMALLEST_IN_MIB else size / 1024) or None


def _fetch(cloud: str) -> Callable[[Http], Iterator[Page]]:
    def fetch(http: Http) -> Iterator[Page]:
        yield http.get(URL.format(cloud=cloud), name=f"{cloud}-vms.csv", book=cloud, reduce=reduce)

    return fetch


SOURCE = Source(
    name="skypilot",
    title="SkyPilot catalogue",
    homepage="https://github.com/skypilot-org/skypilot-catalog",
    kind="aggregator",
    access="catalogue",
    every=timedelta(days=1),
    unit_note="USD per instance-hour, on demand and spot",
    parts={cloud: _fetch(cloud) for cloud in CLOUDS},
    parse=parse,
    reduce=reduce,
    deadline=timedelta(minutes=10),
    traps="names without SXM, PCIe and NVL; sizes in MiB, in GB or of all cards; SpotPrice 0.00 means none; every type "
    "in every region; months old at some clouds",
)
