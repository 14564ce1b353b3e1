"""Every way in which a source fails, all in one refresh beside sources that are well."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import dagster as dg
import pytest
from click.testing import CliRunner
from exchanges import Site
from recorded_site import keep_good_look, publish_ledger, recorded_site

from pipelines.assets.costs import PUBLISHED
from pipelines.assets.freshness import NAME
from pipelines.assets.providers import CHECK, offers_key, raw_key
from pipelines.cli import cli
from pipelines.home import Home
from pipelines.refreshing import refresh
from pipelines.runs.instance import dagster_home
from sources.source import Source, all_sources
from warehouse.database import opened_to_read, rows

KEY = "key-that-must-not-leak"
LONG_AGO = datetime.now(UTC).replace(microsecond=0) - timedelta(days=30)
AN_HOUR_AGO = datetime.now(UTC).replace(microsecond=0) - timedelta(hours=1)

CHALLENGE = "<!DOCTYPE html><html><head><title>Just a moment...</title></head><body>Checking your browser</body></html>"
REDESIGN = "<html><body><h1>Pricing</h1><div class='cards'><b>H100</b> from <i>$2.10</i> an hour</div></body></html>"


def _raise_type_error(pages: object) -> Iterator[Any]:
    raise TypeError("'NoneType' object is not subscriptable")


# provider: (code in the ledger, words that tell people what happened)
FAULTS = {
    "vast": ("unreachable", "the connection failed"),  # dead: refused
    "gcp": ("unreachable", "HTTP 500"),  # dead: an error for ever
    "nebius": ("unreachable", "took longer than"),  # slow: a body that drips
    "verda": ("empty_answer", "instance-types.json holds no price"),  # a well-formed empty list
    "runpod": ("error_answer", "rate limit reached"),  # lying: an error under HTTP 200
    "oci": ("error_answer", "did not answer JSON"),  # lying: a challenge page
    "azure": ("stale_answer", "from a cache that is 48 h old"),  # lying: yesterday's answer
    "coreweave": ("layout_changed", "no grid with a column"),  # redesigned
    "ovh": ("defect", "TypeError"),  # a fault of our own
}
YOUNG = "oci"  # its last good look is an hour old, so it has failed and is not stale
STALE = sorted(FAULTS.keys() - {YOUNG})
WELL = ("ecb", "lambda")
HALF = "vultr"  # one of its two lists is dead

SITES = {
    "vast": Site(lambda _: {"error": "connection refused"}),
    "gcp": Site(lambda _: {"status": 500, "body": "backend error"}),
    "verda": Site(lambda _: {"body": []}),
    "runpod": Site(lambda _: {"body": {"errors": [{"message": "rate limit reached"}], "data": None}}),
    "oci": Site(lambda _: {"body": CHALLENGE}),
    "azure": Site(lambda _: {"body": {"Items": []}, "headers": {"Age": "172800"}}),
    "coreweave": Site(lambda _: {"body": REDESIGN}),
    "lambda": recorded_site("lambda"),
    "ecb": recorded_site("ecb"),
    "ovh": recorded_site("ovh"),
}


def _half_dead(request: Any) -> Any:
    return {"status": 503} if "metal" in request.url else recorded_site("vultr").respond(request)


SITES[HALF] = Site(_half_dead)


@dataclass(frozen=True)
class Seen:
    """What a refresh with failing sources left, beside what was published before."""

    home: Home
    failed: list[str]
    before: dict[str, list[dict[str, Any]]]
    after: dict[str, list[dict[str, Any]]]
    freshness: dict[str, dict[str, Any]]
    scrapes: dict[str, dict[str, Any]]
    events: list[dg.EventLogEntry]
    runs: list[dg.DagsterRun]


@pytest.fixture(scope="module")
def dripping_url() -> Iterator[str]:
    """A site that sends a byte at a time and never ends."""
    over = threading.Event()

    class Drip(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", "100000")
            self.end_headers()
            while not over.wait(0.02):
                self.wfile.write(b" ")

        def log_message(self, *_: Any) -> None:
            pass

        def handle(self) -> None:
            with suppress(ConnectionError):  # the client has had enough
                super().handle()

    server = ThreadingHTTPServer(("127.0.0.1", 0), Drip)
    serving = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    serving.start()
    yield f"http://127.0.0.1:{server.server_port}/prices"
    over.set()
    server.shutdown()
    serving.join()
    server.server_close()


def _sources(dripping_url: str) -> list[Source]:
    """The real sources, in a hurry: no pause between requests, and dead ones are given up in seconds."""
    changed: dict[str, dict[str, Any]] = {
        "nebius": {"urls": (dripping_url,), "deadline": timedelta(seconds=0.5)},
        "vast": {"deadline": timedelta(seconds=3)},
        "gcp": {"deadline": timedelta(seconds=3)},
        "vultr": {"deadline": timedelta(seconds=3)},
        "ovh": {"parse": _raise_type_error},
    }
    known = all_sources()
    return [replace(known[name], requests_per_second=1e6, **changed.get(name, {})) for name in (*FAULTS, HALF, *WELL)]


@pytest.fixture(scope="module")
def seen(laid_home: Home, tmp_path_factory: pytest.TempPathFactory, dripping_url: str) -> Iterator[Seen]:
    home = Home(shutil.copytree(laid_home.root, tmp_path_factory.mktemp("failing") / "home"))
    known = all_sources()
    well = [known[name] for name in (*WELL, HALF, *FAULTS)]
    for source in well:
        keep_good_look(home, source, AN_HOUR_AGO if source.name == YOUNG else LONG_AGO, well)
    publish_ledger(home, well)
    before = _prices(home)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(known["gcp"].secret, KEY)
        failed = refresh(home, sources=_sources(dripping_url), adapters=SITES)
    with (
        opened_to_read(home.ledger) as ledger,
        dg.DagsterInstance.from_config(str(dagster_home(home))) as instance,
    ):
        runs = instance.get_runs()
        yield Seen(
            home,
            failed,
            before,
            _prices(home),
            {row["provider"]: row for row in rows(ledger, "SELECT * FROM provider_freshness")},
            {
                row["provider"]: row
                for row in rows(
                    ledger, "FROM core.scrape QUALIFY observed_at = max(observed_at) OVER (PARTITION BY provider)"
                )
            },
            [event for run in runs for event in instance.all_logs(run.run_id)],
            list(runs),
        )


def _prices(home: Home) -> dict[str, list[dict[str, Any]]]:
    with opened_to_read(home.ledger) as ledger:
        found = rows(ledger, "SELECT * EXCLUDE (age_hours) FROM price_now ORDER BY offer_key")
    return {name: [row for row in found if row["provider"] == name] for name in all_sources()}


def _checks(seen: Seen, key: dg.AssetKey, name: str) -> list[dg.AssetCheckEvaluation]:
    found = [event.dagster_event.event_specific_data for event in seen.events if event.dagster_event]
    checks = [data for data in found if isinstance(data, dg.AssetCheckEvaluation)]
    return [check for check in checks if check.asset_key == key and check.check_name == name]


def _materialised(seen: Seen) -> set[dg.AssetKey]:
    return {event.asset_materialization.asset_key for event in seen.events if event.asset_materialization}


def test_the_refresh_names_the_failed_sources_and_is_done(seen: Seen) -> None:
    assert sorted(seen.failed) == sorted(FAULTS)


@pytest.mark.parametrize("provider", FAULTS)
def test_the_last_good_rows_stay_published_with_their_own_date(seen: Seen, provider: str) -> None:
    assert seen.before[provider]
    assert seen.after[provider] == seen.before[provider]
    assert {row["observed_at"] for row in seen.after[provider]} == {AN_HOUR_AGO if provider == YOUNG else LONG_AGO}


@pytest.mark.parametrize("provider", FAULTS)
def test_the_ledger_names_the_fault(seen: Seen, provider: str) -> None:
    code, words = FAULTS[provider]
    scrape = seen.scrapes[provider]
    assert (scrape["status"], scrape["code"], scrape["offers"]) == ("failed", code, 0)
    assert words in scrape["reason"]
    assert scrape["observed_at"] > AN_HOUR_AGO


@pytest.mark.parametrize("provider", FAULTS)
def test_status_names_the_fault_beside_the_age_of_the_last_good_look(seen: Seen, provider: str) -> None:
    row = seen.freshness[provider]
    assert row["status"] == ("failed" if provider == YOUNG else "stale")
    assert FAULTS[provider][1] in row["reason"]
    assert row["last_good_at"] == (AN_HOUR_AGO if provider == YOUNG else LONG_AGO)
    assert row["last_looked_at"] > AN_HOUR_AGO
    assert row["offers"] == len(seen.before[provider])


@pytest.mark.parametrize("provider", FAULTS)
def test_the_run_shows_the_fault_on_the_sources_own_node(seen: Seen, provider: str) -> None:
    (check,) = _checks(seen, offers_key(provider), CHECK)
    assert not check.passed
    assert check.severity == dg.AssetCheckSeverity.ERROR
    assert FAULTS[provider][1] in (check.description or "")
    assert offers_key(provider) not in _materialised(seen)


def test_the_runs_succeed(seen: Seen) -> None:
    assert [run.status for run in seen.runs] == [dg.DagsterRunStatus.SUCCESS] * 2


def test_pages_that_could_not_be_read_are_kept(seen: Seen) -> None:
    """A redesign, or a defect of ours, is mended later and read again from the kept bytes."""
    assert {raw_key("coreweave"), raw_key("ovh"), raw_key("oci")} <= _materialised(seen)
    assert raw_key("vast") not in _materialised(seen)


@pytest.mark.parametrize("provider", WELL)
def test_the_other_sources_never_notice(seen: Seen, provider: str) -> None:
    assert seen.freshness[provider]["status"] == "fresh"
    assert [check.passed for check in _checks(seen, offers_key(provider), CHECK)] == [True]
    assert {raw_key(provider), offers_key(provider)} <= _materialised(seen)
    assert len(seen.after[provider]) == len(seen.before[provider])
    assert all(row["observed_at"] > AN_HOUR_AGO for row in seen.after[provider])


def test_a_list_that_is_dead_leaves_the_other_list_of_its_source_whole(seen: Seen) -> None:
    assert seen.freshness[HALF]["status"] == "partial"
    assert "HTTP 503" in seen.freshness[HALF]["reason"]
    assert len(seen.after[HALF]) == len(seen.before[HALF])
    looked_at = {row["book"]: row["observed_at"] for row in _offers_with_book(seen.home, HALF)}
    assert looked_at["metal"] == LONG_AGO
    assert looked_at["cloud"] > AN_HOUR_AGO
    (check,) = _checks(seen, offers_key(HALF), CHECK)
    assert (check.passed, check.severity) == (False, dg.AssetCheckSeverity.WARN)
    assert offers_key(HALF) in _materialised(seen)


def test_freshness_turns_red_and_names_every_stale_source(seen: Seen) -> None:
    (check,) = _checks(seen, PUBLISHED, NAME)
    assert (check.passed, check.severity) == (False, dg.AssetCheckSeverity.ERROR)
    named = {line.partition(":")[0] for line in (check.description or "").split("; ")}
    assert named == {*FAULTS, HALF}
    assert check.metadata["stale"].value == len(STALE)
    table = str(check.metadata["sources"].value)
    assert all(f"| {name} |" in table for name in (*FAULTS, HALF, *WELL))


def test_status_on_the_command_line_names_the_faults(seen: Seen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GPULEDGER_HOME", str(seen.home.root))
    printed = json.loads(CliRunner().invoke(cli, ["status", "--format", "json"], catch_exceptions=False).stdout)
    by_name = {row["provider"]: row for row in printed}
    for provider, (_, words) in FAULTS.items():
        assert words in by_name[provider]["reason"]


def test_a_key_is_in_no_file_that_a_refresh_leaves(seen: Seen) -> None:
    files = [path for path in seen.home.root.rglob("*") if path.is_file()]
    assert len(files) > 50
    assert not [path for path in files if KEY.encode() in path.read_bytes()]


def _offers_with_book(home: Home, provider: str) -> list[dict[str, Any]]:
    with opened_to_read(home.ledger) as ledger:
        return rows(ledger, "SELECT * FROM price_now WHERE provider = $provider", {"provider": provider})
