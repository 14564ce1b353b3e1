"""Many looks at once: the waits overlap, a look that hangs is given up, currencies come first."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from recorded_site import recorded_site

from pipelines.looks import looking
from pipelines.looks.looking import look_at_all
from sources.http import Http
from sources.pages import PageStore
from sources.source import Page, Source, all_sources

NAMES = ("coreweave", "lambda", "nebius", "oci")


def _meeting(source: Source, place: threading.Barrier) -> Source:
    """The source, whose answer comes only when all sources are being asked."""

    def fetch(http: Http) -> Iterator[Page]:
        place.wait(timeout=30)
        yield from (http.get(url) for url in source.urls)

    return replace(source, fetch=fetch)


def test_all_sources_are_asked_at_once(tmp_path: Path) -> None:
    place = threading.Barrier(len(NAMES))
    sources = [_meeting(all_sources()[name], place) for name in NAMES]
    looks = list(look_at_all(sources, PageStore(tmp_path), adapters={name: recorded_site(name) for name in NAMES}))
    assert sorted(look.provider for look in looks) == sorted(NAMES)
    assert all(look.pages and not look.failures for look in looks)


def test_a_look_that_hangs_is_given_up_and_the_others_come_out_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(looking, "GRACE_SECONDS", 0.1)
    over = threading.Event()

    def hang(http: Http) -> Iterator[Page]:
        over.wait()
        return iter(())

    hanging = replace(all_sources()["oci"], fetch=hang, deadline=timedelta(seconds=0.2))
    slower = replace(all_sources()["lambda"], fetch=hang, deadline=timedelta(hours=1))
    looks = look_at_all(
        [hanging, slower, all_sources()["nebius"]], PageStore(tmp_path), adapters={"nebius": recorded_site("nebius")}
    )
    first = {look.provider: look for look in (next(looks), next(looks))}
    over.set()
    assert [look.provider for look in looks] == ["lambda"]
    assert first["nebius"].pages
    assert first["oci"].failures == {"": ("unreachable", "no answer within 0:00:00.200000")}


def test_who_is_waited_for_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(looking, "SECONDS_BETWEEN_WORDS", 0.05)
    told = threading.Event()
    said: list[str] = []

    def slow(http: Http) -> Iterator[Page]:
        told.wait(timeout=30)
        yield from (http.get(url) for url in http.source.urls)

    def say(line: str) -> None:
        said.append(line)
        told.set()

    source = replace(all_sources()["nebius"], fetch=slow)
    looks = list(look_at_all([source], PageStore(tmp_path), adapters={"nebius": recorded_site("nebius")}, say=say))
    assert looks[0].pages
    assert said[0] == "0 s, waiting for nebius"


@pytest.mark.parametrize("order", [("ecb", "nebius"), ("nebius", "ecb")])
def test_currencies_come_out_first_whoever_ends_first(tmp_path: Path, order: Sequence[str]) -> None:
    """Prices are converted with the rates of the same refresh."""
    first_is_done = threading.Event()
    known = all_sources()

    def first(http: Http) -> Iterator[Page]:
        yield http.get(known[order[0]].urls[0])
        first_is_done.set()

    def second(http: Http) -> Iterator[Page]:
        first_is_done.wait(timeout=30)
        yield http.get(known[order[1]].urls[0])

    sources = [replace(known[order[0]], fetch=first), replace(known[order[1]], fetch=second)]
    looks = look_at_all(sources, PageStore(tmp_path), adapters={name: recorded_site(name) for name in order})
    assert [look.provider for look in looks] == ["ecb", "nebius"]


def test_a_fetcher_with_a_defect_fails_by_itself(tmp_path: Path) -> None:
    def broken(http: Http) -> Iterator[Page]:
        raise KeyError("prices")

    sources = [replace(all_sources()["oci"], fetch=broken), all_sources()["nebius"]]
    adapters = {"nebius": recorded_site("nebius")}
    looks = {look.provider: look for look in look_at_all(sources, PageStore(tmp_path), adapters=adapters)}
    assert looks["oci"].failures == {"": ("defect", "KeyError while fetching: 'prices'")}
    assert looks["nebius"].pages
