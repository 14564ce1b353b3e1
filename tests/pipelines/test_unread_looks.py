"""What is kept and was never read, and what is kept and damaged: nothing is lost, and it costs its source only."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner
from ledgers import keep_look, offer
from recorded_site import keep_good_look, publish_ledger, recorded_site

from models.stamps import stamp
from pipelines.cli import cli
from pipelines.home import Home
from pipelines.looks.keeping import currency_pages
from pipelines.refreshing import refresh
from pipelines.runs.rebuilding import rebuild
from sources import pages
from sources.pages import PageStore, recorded_pages
from sources.source import Source, all_sources
from warehouse.database import opened_to_read, rows
from warehouse.offer_files import OfferFiles

NAMES = ("ecb", "lambda", "oci", "ovh")
AN_HOUR_AGO = datetime.now(UTC).replace(microsecond=0) - timedelta(hours=1)
DIES = """
import os, sys
from pathlib import Path
from warehouse.offer_files import OfferFiles
OfferFiles.write = lambda *_, **__: os._exit(9)  # the power goes between the pages and what they came to
from pipelines.home import Home
from pipelines.refreshing import refresh
refresh(Home(Path(sys.argv[1])), ("oci",), recorded=True)
"""


def _sources(*names: str) -> list[Source]:
    return [replace(all_sources()[name], requests_per_second=1e6) for name in names]


def _prices(home: Home, provider: str) -> int:
    with opened_to_read(home.ledger) as ledger:
        return len(rows(ledger, "FROM price_now WHERE provider = $provider", {"provider": provider}))


def _status(home: Home, provider: str) -> dict[str, str]:
    with opened_to_read(home.ledger) as ledger:
        return rows(ledger, "FROM provider_freshness WHERE provider = $provider", {"provider": provider})[0]


@pytest.fixture(scope="module")
def published(laid_home: Home, tmp_path_factory: pytest.TempPathFactory) -> Home:
    """Good looks at four sources, an hour old and published; copy it."""
    home, sources = Home(shutil.copytree(laid_home.root, tmp_path_factory.mktemp("good") / "home")), _sources(*NAMES)
    for source in sources:
        keep_good_look(home, source, AN_HOUR_AGO, sources)
    publish_ledger(home, sources)
    return home


@pytest.fixture
def home(published: Home, tmp_path: Path) -> Home:
    return Home(shutil.copytree(published.root, tmp_path / "home"))


@pytest.fixture(scope="module")
def died(laid_home: Home, tmp_path_factory: pytest.TempPathFactory) -> Home:
    """What a power cut left; copy it."""
    root = shutil.copytree(laid_home.root, tmp_path_factory.mktemp("died") / "home")
    victim = subprocess.run([sys.executable, "-c", DIES, str(root)], cwd=Path.cwd(), env=os.environ, check=False)
    assert victim.returncode == 9
    return Home(root)


@pytest.mark.parametrize("next_time", ["recorded", "live", "rebuild"])
def test_a_look_that_was_kept_and_not_read_is_read_the_next_time(died: Home, tmp_path: Path, next_time: str) -> None:
    home, oci = Home(shutil.copytree(died.root, tmp_path / "home")), _sources("oci")
    assert PageStore(home.raw).moments("oci")
    assert OfferFiles(home.offers).last("oci") is None
    match next_time:
        case "recorded":
            assert refresh(home, recorded=True, sources=oci) == []
        case "live":
            assert refresh(home, sources=oci, adapters={"oci": recorded_site("oci")}) == []
        case "rebuild":
            rebuild(home, say=lambda line: None, sources=oci)
    assert OfferFiles(home.offers).moments("oci") == set(PageStore(home.raw).moments("oci"))
    assert _prices(home, "oci") == 21  # as the page sells


def test_the_pages_of_one_source_lost_or_damaged_stop_no_other(home: Home) -> None:
    sources = _sources(*NAMES)
    before = _prices(home, "oci")
    look = home.raw / "oci" / "looks" / f"{stamp(AN_HOUR_AGO)}.json"
    look.write_text('{"provider": "oci", "pages": [')
    said: list[str] = []
    rebuild(home, said.append, sources)
    assert _prices(home, "oci") == before  # what was read of it stands
    assert look.with_name(f"{look.name}.damaged").exists()
    assert [line for line in said if line.startswith("oci: ")]


def test_a_damaged_look_that_nobody_has_read_is_a_failure_of_its_source(home: Home) -> None:
    sources = _sources(*NAMES)
    later = AN_HOUR_AGO + timedelta(minutes=5)
    (home.raw / "lambda" / "looks" / f"{stamp(later)}.json").write_bytes(b"\0\0\0")
    sites = {name: recorded_site(name) for name in ("ecb", "lambda")}
    assert refresh(home, list(sites), sources=sources, adapters=sites) == []  # the look of today is well
    with opened_to_read(home.ledger) as ledger:
        (row,) = rows(ledger, "FROM core.scrape WHERE provider = 'lambda' AND status = 'failed'")
    assert (row["observed_at"], row["code"]) == (later, "damaged_file")
    assert "was damaged and is kept as" in row["reason"]
    assert _status(home, "lambda")["status"] == "fresh"


@pytest.mark.parametrize("damage", ["a page that is no page", "an answer without rates"])
def test_prices_are_converted_with_the_newest_rates_that_can_be_read(home: Home, damage: str) -> None:
    store, sources = PageStore(home.raw), _sources(*NAMES)
    before = _prices(home, "ovh")
    newest = next(reversed(recorded_pages("ecb").values()))[0].page
    body = b"<Envelope/>" if damage == "an answer without rates" else b"another file, to be damaged"
    bad = replace(newest, body=body, observed_at=AN_HOUR_AGO + timedelta(minutes=9))
    look = store.look("ecb", AN_HOUR_AGO)
    store.keep(replace(look, observed_at=bad.observed_at, pages=[bad]))
    if damage == "a page that is no page":
        (home.raw / "ecb" / "pages" / bad.sha256[:2] / f"{bad.sha256}.gz").write_bytes(b"\0")
    assert [page.sha256 for page in currency_pages(store, sources)] == [newest.sha256]
    if damage == "an answer without rates":
        assert refresh(home, ("ovh",), sources=sources, adapters={"ovh": recorded_site("ovh")}) == []
    else:
        rebuild(home, lambda line: None, sources)
    assert _prices(home, "ovh") == before > 0


def test_a_look_dated_in_the_future_does_not_win_and_is_told(home: Home) -> None:
    (oci,) = _sources("oci")
    nothing_sold = AN_HOUR_AGO + timedelta(days=365)
    store = PageStore(home.raw, now=lambda: nothing_sold)
    store.keep(replace(store.look("oci", AN_HOUR_AGO), observed_at=nothing_sold, pages=(), failures={"": ("x", "x")}))
    good = OfferFiles(home.offers).last("oci")
    assert good
    OfferFiles(home.offers).write(replace(good, observed_at=nothing_sold, offers=0), [], [])
    rebuild(home, lambda line: None, [oci])
    assert _prices(home, "oci") == 21
    assert refresh(home, sources=[oci], adapters={"oci": recorded_site("oci")}) == []
    row = _status(home, "oci")
    assert (row["status"], row["offers"]) == ("fresh", 21)
    assert row["reason"].startswith("1 look dated in the future")


def test_a_source_whose_files_cannot_be_written_fails_alone(home: Home) -> None:
    sources = _sources(*NAMES)
    looks = home.raw / "oci" / "looks"
    looks.rename(looks.with_name("elsewhere"))
    looks.write_bytes(b"")  # where a folder should be: as a disk that refuses, also for root
    said: list[str] = []
    sites = {name: recorded_site(name) for name in ("lambda", "oci")}
    assert refresh(home, list(sites), sources=sources, adapters=sites, say=said.append) == ["oci"]
    assert [line for line in said if line.startswith(f"oci failed: {looks} is a file where a folder should be")]
    assert _status(home, "lambda")["last_looked_at"] > AN_HOUR_AGO


def test_a_recording_dated_in_the_future_is_refused_and_named(
    new_home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(pages.RECORDED / "oci", tmp_path / "recorded" / "oci")
    listed = tmp_path / "recorded" / "oci" / "provenance.json"
    looks = json.loads(listed.read_bytes())
    looks["looks"].append({**looks["looks"][-1], "observed_at": "2036-01-01T00:00:00+00:00"})
    listed.write_text(json.dumps(looks))
    monkeypatch.setattr(pages, "RECORDED", tmp_path / "recorded")
    home, said = new_home, list[str]()
    assert refresh(home, recorded=True, sources=_sources("oci"), say=said.append) == ["oci"]
    assert [line for line in said if "a recording is dated 2036-01-01, in the future" in line]
    assert _prices(home, "oci") == 21
    with opened_to_read(home.ledger) as ledger:
        (row,) = rows(ledger, "FROM core.scrape WHERE code = 'future_look'")
    assert row["observed_at"] < datetime.now(UTC)


def test_a_source_that_was_removed_is_seen_while_its_offers_stand(
    new_home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep_look(OfferFiles(new_home.offers), AN_HOUR_AGO, [offer("box", "0.80", fabric="single_node")], provider="acme")
    publish_ledger(new_home, _sources("oci"))
    row = _status(new_home, "acme")
    assert (row["status"], row["offers"], row["last_looked_at"]) == ("removed", 1, AN_HOUR_AGO)
    assert row["reason"].startswith("no source of this name any more")
    assert _status(new_home, "oci")["status"] == "never looked at"
    monkeypatch.setenv("GPULEDGER_HOME", str(new_home.root))
    for command in ("offers", "plan 7B", "cost 7B"):
        asked = CliRunner().invoke(cli, [*command.split(), "--provider", "acme", "--format", "json"])
        assert [row["provider"] for row in json.loads(asked.stdout)] == ["acme"]
        assert asked.stderr == "acme: no such source any more; prices stand as they were last read\n"
    unknown = CliRunner().invoke(cli, ["offers", "--provider", "acmee"])
    assert (unknown.exit_code, "there are acme, " in unknown.output) == (2, True)
