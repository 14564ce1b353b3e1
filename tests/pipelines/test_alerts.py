"""One message when a source becomes stale, one when it is back, to a receiver on the loopback address."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from recorded_site import keep_good_look, publish_ledger

from pipelines.assets.alerts import WEBHOOK, announce
from pipelines.assets.freshness import freshness_check
from pipelines.definitions import build_defs
from pipelines.home import Home
from sources.source import all_sources
from warehouse.database import opened_to_read, rows


class Receiver:
    """What a chat room would get."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.status = 200
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                receiver.texts.append(body["text"])
                self.send_response(receiver.status)
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/a-secret-path"


@pytest.fixture
def receiver(monkeypatch: pytest.MonkeyPatch) -> Iterator[Receiver]:
    receiver = Receiver()
    serving = threading.Thread(target=receiver.server.serve_forever, kwargs={"poll_interval": 0.05})
    serving.start()
    monkeypatch.setenv(WEBHOOK, receiver.url)
    yield receiver
    receiver.server.shutdown()
    serving.join()
    receiver.server.server_close()


def test_a_source_is_announced_when_it_becomes_stale_and_when_it_is_back(new_home: Home, receiver: Receiver) -> None:
    """The real check on a real ledger: an old look, the same again, then a look of today."""
    home, sources = new_home, [all_sources()["nebius"], all_sources()["oci"]]
    defs, instance = build_defs(home, sources), dg.DagsterInstance.ephemeral()
    now = datetime.now(UTC)
    keep_good_look(home, all_sources()["oci"], now, sources)
    keep_good_look(home, all_sources()["nebius"], now - timedelta(hours=19), sources)
    publish_ledger(home, sources)

    def check() -> dg.AssetCheckEvaluation:
        result = defs.resolve_job_def("check_freshness").execute_in_process(instance=instance)
        (evaluation,) = result.get_asset_check_evaluations()
        return evaluation

    assert not check().passed
    assert receiver.texts == ["gpuledger: nebius is stale: last good look 19 h ago, allowed 18 h"]
    assert not check().passed
    assert len(receiver.texts) == 1

    keep_good_look(home, all_sources()["nebius"], now, sources)
    publish_ledger(home, sources)
    assert check().passed
    assert receiver.texts[1:] == ["gpuledger: nebius is fresh again"]
    assert check().passed
    assert len(receiver.texts) == 2


def test_recordings_are_counted_and_not_called_fresh(recorded_home: Home, tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.published.mkdir(parents=True)
    home.ledger.symlink_to(recorded_home.ledger)
    check = freshness_check(home).op.compute_fn.decorated_fn()
    assert check.passed
    assert re.fullmatch(
        r"no source is looked at live; [45]\d as recorded, \d never looked at(, \d without a key)?", check.description
    )
    with opened_to_read(home.ledger) as ledger:
        found = rows(ledger, "FROM provider_freshness WHERE status = 'recorded' AND reason <> ''")
    told = {row["provider"]: row["reason"] for row in found}
    assert told["gcp"] == f"set {all_sources()['gcp'].secret} to look at it live"
    assert not {"aws", "vast"} & set(told)


def test_before_anything_is_published_the_check_has_nothing_to_say(tmp_path: Path, receiver: Receiver) -> None:
    job = build_defs(Home(tmp_path), [all_sources()["oci"]]).resolve_job_def("check_freshness")
    (evaluation,) = job.execute_in_process(instance=dg.DagsterInstance.ephemeral()).get_asset_check_evaluations()
    assert evaluation.passed
    assert receiver.texts == []


def test_without_an_address_nothing_is_sent_and_nothing_forgotten(
    tmp_path: Path, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(WEBHOOK)
    assert announce({"oci": "30 h"}, tmp_path / "announced.json") == ""
    monkeypatch.setenv(WEBHOOK, receiver.url)
    announce({"oci": "30 h"}, tmp_path / "announced.json")
    assert receiver.texts == ["gpuledger: oci is stale: 30 h"]


def test_a_webhook_that_fails_is_reported_without_its_address_and_tried_again(
    tmp_path: Path, receiver: Receiver
) -> None:
    receiver.status = 500
    said = announce({"oci": "30 h"}, tmp_path / "announced.json")
    assert said.startswith("the webhook failed (HTTPError)")
    assert "a-secret-path" not in said
    receiver.status = 200
    assert announce({"oci": "31 h"}, tmp_path / "announced.json") == "gpuledger: oci is stale: 31 h"
    assert announce({"oci": "32 h"}, tmp_path / "announced.json") == ""
    assert len(receiver.texts) == 2


@pytest.mark.parametrize("damage", [b"", b"{", b"\xff", b"5", b"null"])
def test_a_damaged_memory_is_an_empty_one(receiver: Receiver, tmp_path: Path, damage: bytes) -> None:
    memory = tmp_path / "announced.json"
    memory.write_bytes(damage)
    assert announce({"oci": "no answer"}, memory) == "gpuledger: oci is stale: no answer"
    assert receiver.texts == ["gpuledger: oci is stale: no answer"]
    assert announce({"oci": "no answer"}, memory) == ""


@pytest.mark.parametrize(
    "address", ["http://a..b/secret", "http://" + "a" * 64 + "/secret", "secret", "http://[secret"]
)
def test_an_address_that_is_none_is_told_without_it_and_stops_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, address: str
) -> None:
    monkeypatch.setenv(WEBHOOK, address)
    said = announce({"oci": "no answer"}, tmp_path / "announced.json")
    assert "the webhook failed" in said
    assert "secret" not in said
