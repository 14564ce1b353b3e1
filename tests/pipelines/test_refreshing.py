"""A refresh by hand: what it refuses, what stops a publish, and a day on which every site is down."""

from __future__ import annotations

import shutil
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from exchanges import Site
from recorded_site import keep_good_look, publish_ledger, recorded_site

from pipelines.frames.reference import reference_made_of
from pipelines.home import Home
from pipelines.looks.keeping import keep_reading
from pipelines.refreshing import RefreshFailed, refresh
from sources.pages import Look, PageStore
from sources.source import MissingSecret, all_sources
from warehouse.database import WarehouseDamaged, opened_to_read, opened_to_write, rows
from warehouse.laying import reference_stands
from warehouse.offer_files import OfferFiles
from warehouse.publish import publish

LONG_AGO = datetime.now(UTC).replace(microsecond=0) - timedelta(days=30)
IN_A_HURRY = {"deadline": timedelta(seconds=3), "requests_per_second": 1e6}


@pytest.fixture(scope="module")
def month_old(laid_home: Home, tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A ledger of Oracle's and Nebius' prices, published a month ago; copy it."""
    home = Home(shutil.copytree(laid_home.root, tmp_path_factory.mktemp("month_old") / "home"))
    sources = [all_sources()["oci"], all_sources()["nebius"]]
    for source in sources:
        keep_good_look(home, source, LONG_AGO, sources)
    publish_ledger(home, sources)
    return home


@pytest.fixture(scope="module")
def with_recordings(month_old: Home, tmp_path_factory: pytest.TempPathFactory) -> Home:
    """The same, after a refresh of Oracle's recordings; copy it."""
    home = Home(shutil.copytree(month_old.root, tmp_path_factory.mktemp("with_recordings") / "home"))
    assert refresh(home, ["oci"], recorded=True) == []
    return home


@pytest.fixture
def home(month_old: Home, tmp_path: Path) -> Home:
    return Home(shutil.copytree(month_old.root, tmp_path / "home"))


@pytest.fixture
def refreshed(with_recordings: Home, tmp_path: Path) -> Home:
    return Home(shutil.copytree(with_recordings.root, tmp_path / "home"))


def test_nothing_is_published_while_a_blocking_check_fails(home: Home) -> None:
    with opened_to_write(home.warehouse) as ledger:
        ledger.execute("UPDATE core.observation SET gpu = 'zx81' WHERE provider = 'nebius'")
    before = home.ledger.read_bytes()
    with pytest.raises(
        RefreshFailed, match=r"offers_have_a_known_gpu failed, for example provider nebius, .*gpu zx81; the"
    ):
        refresh(home, sources=[all_sources()["oci"]], adapters={"oci": recorded_site("oci")})
    assert home.ledger.read_bytes() == before


def test_on_a_day_when_every_site_is_down_the_ledger_is_published_and_says_so(home: Home) -> None:
    sources = [replace(all_sources()[name], **IN_A_HURRY) for name in ("oci", "nebius")]
    down = {source.name: Site(lambda _: {"error": "no route to host"}) for source in sources}
    with opened_to_read(home.ledger) as ledger:
        before = rows(ledger, "SELECT * EXCLUDE (age_hours) FROM price_now ORDER BY offer_key")
    assert sorted(refresh(home, sources=sources, adapters=down)) == ["nebius", "oci"]
    with opened_to_read(home.ledger) as ledger:
        assert rows(ledger, "SELECT * EXCLUDE (age_hours) FROM price_now ORDER BY offer_key") == before
        found = rows(ledger, "SELECT DISTINCT status, last_good_at FROM provider_freshness")
    assert found == [{"status": "stale", "last_good_at": LONG_AGO}]


def test_only_the_sources_that_are_named_are_looked_at(home: Home) -> None:
    sources = [all_sources()["oci"], all_sources()["nebius"]]
    sites = {source.name: recorded_site(source.name) for source in sources}
    assert refresh(home, ("oci",), sources=sources, adapters=sites) == []
    assert sites["oci"].requests
    assert not sites["nebius"].requests


def test_an_unknown_source_is_refused_before_anything_happens(tmp_path: Path) -> None:
    with pytest.raises(KeyError, match="no source is called 'orakle'; there are oci"):
        refresh(Home(tmp_path), ("orakle",), sources=[all_sources()["oci"]])
    assert not list(tmp_path.iterdir())


def test_a_source_without_its_key_says_which(tmp_path: Path) -> None:
    gcp = all_sources()["gcp"]
    with pytest.raises(MissingSecret, match=gcp.secret):
        refresh(Home(tmp_path), ("gcp",), sources=[gcp])


def test_sources_without_their_key_are_left_out_of_a_refresh_of_all(home: Home) -> None:
    sites = {"oci": recorded_site("oci"), "gcp": Site(lambda _: {"status": 500})}
    assert refresh(home, sources=[all_sources()["oci"], all_sources()["gcp"]], adapters=sites) == []
    assert not sites["gcp"].requests
    with opened_to_read(home.ledger) as ledger:
        (row,) = rows(ledger, "FROM provider_freshness WHERE provider = 'gcp'")
    assert row["status"] == "needs a key"
    assert all_sources()["gcp"].secret in row["reason"]


def test_a_live_look_that_failed_is_no_fault_of_the_recording(refreshed: Home) -> None:
    home, oci = refreshed, all_sources()["oci"]
    store, now = PageStore(home.raw), datetime.now(UTC)
    failed = Look("oci", now, "live", (), {"": ("unreachable", "no connection to the host")})
    store.keep(failed)
    keep_reading(failed, store, OfferFiles(home.offers), [oci])
    assert refresh(home, ["oci"], recorded=True) == []
    with opened_to_read(home.ledger) as ledger:
        (row,) = rows(ledger, "FROM provider_freshness WHERE provider = 'oci'")
    assert (row["last_looked_at"], row["reason"]) == (now, "no connection to the host")
    assert row["rejected"] == 2  # of the 23 rows that were read last, 21 of which stand as offers


def test_what_is_damaged_is_made_again_by_the_next_refresh(refreshed: Home) -> None:
    home = refreshed
    with opened_to_read(home.ledger) as ledger:
        before = rows(ledger, "SELECT * EXCLUDE (age_hours) FROM price_now ORDER BY offer_key")
    content = bytearray(home.warehouse.read_bytes())
    for block in range(1_048_576, len(content) - 1024, 131_072):  # half a block of DuckDB's
        content[block : block + 16] = b"garbage, garbage"
    home.warehouse.write_bytes(content)
    published = home.ledger.read_bytes()
    with pytest.raises(WarehouseDamaged, match="is set aside: `gpuledger refresh` lays it anew"):
        publish(home.warehouse, home.published)
    assert home.ledger.read_bytes() == published
    home.warehouse.write_bytes(content)
    (newest, *_) = sorted((home.offers / "oci").glob("*.scrape.json"), reverse=True)
    newest.write_bytes(b"")
    (page, *_) = (home.raw / "oci" / "pages").rglob("*.gz")
    page.unlink()
    said: list[str] = []
    assert refresh(home, ["oci"], recorded=True, say=said.append) == []
    with opened_to_read(home.ledger) as ledger:
        assert rows(ledger, "SELECT * EXCLUDE (age_hours) FROM price_now ORDER BY offer_key") == before
    assert [line for line in said if "damaged" in line]


def test_reference_tables_stand_until_something_they_are_made_of_changes(
    refreshed: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, sources = refreshed, list(all_sources().values())
    assert reference_stands(home.warehouse, reference_made_of(sources))
    monkeypatch.setenv("SEEWEB_API_TOKEN", "a key")  # the table of sources says that it is ready now
    assert not reference_stands(home.warehouse, reference_made_of(sources))
    home.warehouse.unlink()
    monkeypatch.delenv("SEEWEB_API_TOKEN")
    assert not reference_stands(home.warehouse, reference_made_of(sources))
