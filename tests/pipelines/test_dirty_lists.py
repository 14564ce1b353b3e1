"""Dirty, late and stale price lists from the page to the table that people query."""

from __future__ import annotations

import csv
import io
import json
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import cache

import pytest

from models.offers import Quote, Unreadable
from pipelines.frames.reference import reference_frames
from pipelines.looks.keeping import keep_reading
from sources.pages import Look, PageStore
from sources.source import Page, Source, StaleAnswer
from warehouse.database import opened_to_write, rows
from warehouse.laying import load_reference
from warehouse.load import load
from warehouse.offer_files import OfferFiles

DIRTY = """provider,sku,gpu,usd_per_gpu_hour
a,h100-1,H100,2.49
b,h100-1,H100,
c,h100-1,H100,NaN
d,h100-1,H100,0
e,h100-1,H100,-1
f,h100-1,H100,N/A
g,h100-1,H100,2.10
h,h100-8,H100,inf
i,b200-1,B200,NaN
j,b200-8,B200,
"""


def parse_dirty(pages):
    for row in csv.DictReader(io.StringIO(pages[0].text)):
        sku = f"{row['provider']} {row['sku']}"
        try:
            amount = Decimal(row["usd_per_gpu_hour"])
        except ArithmeticError:
            yield Unreadable("not_a_price", f"{row['usd_per_gpu_hour']!r} is no price", sku, row["gpu"])
            continue
        yield Quote(sku, row["gpu"], Decimal(1), amount, "per_gpu_hour", "on_demand", broker_of=row["provider"])


def parse_lines(pages):
    for line in pages[0].text.splitlines():
        row = json.loads(line, parse_float=Decimal)
        for name, pricing in (("usd_per_hour", "on_demand"), ("spot_usd_per_hour", "spot")):
            if name in row:
                yield Quote(row["sku"], row["gpu"], Decimal(1), Decimal(row[name]), "per_instance_hour", pricing)


def source_of(parse):
    return Source(
        name="acme", title="Acme", homepage="https://acme.example", kind="gpu_cloud", access="api",
        every=timedelta(hours=6), unit_note="", parse=parse,
    )  # fmt: skip


@pytest.fixture
def home(new_home):
    return new_home


def see(home, source, observed_at, body=None, failures=()):
    store, files = PageStore(home.raw), OfferFiles(home.offers)
    pages = [Page("https://acme.example/prices", body.encode(), observed_at, "prices")] if body else []
    look = Look("acme", observed_at, "live", pages, dict(failures))
    store.keep(look)
    return keep_reading(look, store, files, [source])[0]


@cache
def reference():
    return reference_frames([source_of(parse_lines)])


def asked(home, query):
    load(home.warehouse, OfferFiles(home.offers))
    load_reference(home.warehouse, reference())
    with opened_to_write(home.warehouse) as connection:
        return rows(connection, query)


def test_nothing_that_is_no_price_is_ever_the_cheapest_or_in_an_average(home):
    source = source_of(parse_dirty)
    scrape = see(home, source, datetime(2026, 11, 30, tzinfo=UTC), DIRTY)
    assert (scrape.status, scrape.offers, scrape.rejected) == ("ok", 2, 8)
    found = asked(
        home,
        "SELECT gpu_family, min(usd_per_gpu_hour) AS cheapest, arg_min(broker_of, usd_per_gpu_hour) AS at,"
        " avg(usd_per_gpu_hour) AS average, count(*) AS rows FROM price_now GROUP BY gpu_family",
    )
    assert found == [
        {"gpu_family": "h100", "cheapest": Decimal("2.10"), "at": "g", "average": pytest.approx(2.295), "rows": 2}
    ]
    assert len(asked(home, "FROM rejected")) == 8


def test_prices_and_columns_that_appear_late_are_all_there(home):
    """130 records: whole numbers for the first 110, a column that first appears in the 121st."""
    lines = [{"sku": f"g-{n:03}", "gpu": "L4", "usd_per_hour": 1} for n in range(110)]
    lines += [{"sku": f"g-{n:03}", "gpu": "L4", "usd_per_hour": 0.79} for n in range(110, 120)]
    lines += [
        {"sku": f"g-{n:03}", "gpu": "L4", "usd_per_hour": 0.79, "spot_usd_per_hour": 0.31} for n in range(120, 130)
    ]
    source = source_of(parse_lines)
    see(home, source, datetime(2026, 11, 30, tzinfo=UTC), "\n".join(json.dumps(line) for line in lines))
    totals = "SELECT pricing, count(*) AS rows, sum(usd_per_hour) AS usd FROM price_now GROUP BY ALL ORDER BY pricing"
    assert asked(home, totals) == [
        {"pricing": "on_demand", "rows": 130, "usd": Decimal("125.8")},
        {"pricing": "spot", "rows": 10, "usd": Decimal("3.1")},
    ]


def test_a_copy_from_nine_days_ago_is_never_dated_today(home):
    source = source_of(parse_lines)
    now = datetime.now(UTC).replace(microsecond=0)
    good = now - timedelta(hours=216)
    see(
        home, source, good, "\n".join(json.dumps({"sku": f"g-{n}", "gpu": "L4", "usd_per_hour": 1}) for n in range(120))
    )
    stale = StaleAnswer("acme.example answered from a cache that is 216 h old")
    scrape = see(home, source, now, failures={"": (stale.code, str(stale))})
    assert (scrape.status, scrape.offers) == ("failed", 0)
    (freshness,) = asked(home, "FROM provider_freshness")
    assert (freshness["status"], freshness["offers"]) == ("stale", 120)
    assert freshness["age_hours"] == pytest.approx(216, abs=0.1)
    assert (freshness["last_looked_at"], freshness["last_good_at"]) == (now, good)
    assert "216 h old" in freshness["reason"]
    assert asked(home, "SELECT DISTINCT observed_at FROM price_now") == [{"observed_at": good}]
    assert len(asked(home, "FROM core.observation")) == 120
