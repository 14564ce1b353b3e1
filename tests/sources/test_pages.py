"""The page store: what is kept comes back, a crash leaves whole files, and damage costs a request at most."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from exchanges import Replay, http_for

from models.stamps import moment_of, stamp
from sources.pages import Look, PageStore, recorded_looks, write_whole
from sources.source import Page, Source

NOON = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
URL = "https://example.test/prices?page=1"
SOURCE = Source(
    name="example",
    title="Example",
    homepage="https://example.test",
    kind="gpu_cloud",
    access="api",
    every=timedelta(hours=1),
    unit_note="",
    parse=lambda pages: (),
)


def page(body: bytes = b'{"price": 1}', url: str = URL, **fields: str) -> Page:
    return Page(url, body, NOON, "prices.json", **fields)


def look(*pages: Page, moment: datetime = NOON, **fields: object) -> Look:
    return replace(Look("example", moment, "live", pages), **fields)


@pytest.fixture
def store(tmp_path: Path) -> PageStore:
    return PageStore(tmp_path / "raw", now=lambda: NOON + timedelta(days=30))


def test_look_comes_back_with_its_bytes(store: PageStore):
    kept = look(
        page(book="eu", etag='"a"', last_modified="Mon, 30 Nov 2026 10:00:00 GMT"),
        page(b"\x00\xff binary \r\n", url="https://example.test/b", book="us"),
        failures={"asia": ("unreachable", "no answer in time")},
        rates_from=("ab" * 32,),
    )
    store.keep(kept)
    back = PageStore(store.root).look("example", NOON)
    assert list(back.pages) == list(kept.pages)
    assert (back.failures, list(back.rates_from)) == (kept.failures, list(kept.rates_from))
    assert (back.provider, back.observed_at, back.origin) == ("example", NOON, "live")
    assert store.providers() == ["example"]


def test_failed_look_is_kept_too_and_is_not_a_good_one(store: PageStore):
    store.keep(look(page()))
    later = NOON + timedelta(hours=1)
    store.keep(look(moment=later, failures={"": ("error_answer", "login page")}))
    assert store.moments("example") == [NOON, later]
    good = store.last_good_look("example")
    assert good is not None
    assert good.observed_at == NOON
    assert store.last_good_look("nobody") is None


def test_same_bytes_are_kept_once(store: PageStore):
    store.keep(look(page()))
    (first,) = store.root.rglob("*.gz")
    written = first.stat()
    store.keep(look(page(), page(url="https://example.test/mirror"), moment=NOON + timedelta(hours=1)))
    assert [path.stat().st_ino for path in store.root.rglob("*.gz")] == [written.st_ino]


def test_order_of_looks_is_that_of_time_in_any_zone(store: PageStore):
    east = NOON.astimezone(timezone(timedelta(hours=9)))
    moments = [NOON + timedelta(microseconds=1), NOON - timedelta(days=400), east]
    for moment in moments:
        store.keep(look(page(), moment=moment))
    assert store.moments("example") == sorted(moments)
    assert moment_of(f"{stamp(east)}.json") == NOON


# --- conditional requests


def test_held_page_is_asked_for_conditionally_and_comes_back_on_a_304(store: PageStore):
    store.keep(look(page(etag='"a"')))
    replay = Replay([{"response": {"status": 304}}])
    later = NOON + timedelta(days=1)
    back = http_for(SOURCE, replay, kept=store.of("example"), now=later).get(
        "https://example.test/prices", params={"page": 1}
    )
    assert replay.requests[0].headers["If-None-Match"] == '"a"'
    assert (back.body, back.observed_at, back.unchanged) == (b'{"price": 1}', later, True)
    store.keep(look(back, moment=later))
    assert [len(store.look("example", moment).pages) for moment in store.moments("example")] == [1, 1]


def test_last_page_of_an_address_is_the_held_one_and_a_failed_look_does_not_change_it(store: PageStore):
    store.keep(look(page(b"old", etag='"a"')))
    store.keep(look(page(b"new", etag='"b"'), moment=NOON + timedelta(hours=1)))
    store.keep(look(moment=NOON + timedelta(hours=2), failures={"": ("unreachable", "")}))
    held = store.held_page("example", URL)
    assert held is not None
    assert (held.body, held.etag) == (b"new", '"b"')
    assert store.held_page("example", "https://example.test/other") is None


def test_recorded_page_is_never_held_as_if_the_site_had_answered(store: PageStore):
    store.keep(look(page(etag='"a"'), origin="recorded"))
    assert store.held_page("example", URL) is None


DAMAGE = pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda path: path.unlink(), id="gone"),
        pytest.param(lambda path: path.write_bytes(b""), id="empty"),
        pytest.param(lambda path: path.write_bytes(path.read_bytes()[:-9]), id="cut"),
        pytest.param(lambda path: path.write_bytes(b"nonsense" * 9), id="overwritten"),
    ],
)


@DAMAGE
def test_damaged_page_is_never_read_as_a_page_and_is_mended_by_the_next_answer(store: PageStore, damage):
    store.keep(look(page()))
    damage(next(store.root.rglob("*.gz")))
    with pytest.raises(OSError, match=r"damaged|No such file"):
        store.look("example", NOON)
    store.keep(look(page(), moment=NOON + timedelta(hours=1)))
    assert store.look("example", NOON).pages[0].body == b'{"price": 1}'


@DAMAGE
def test_damaged_page_or_note_costs_an_unconditional_request(store: PageStore, damage):
    store.keep(look(page(etag='"a"')))
    damage(next(store.root.rglob("*.gz")))
    assert store.held_page("example", URL) is None
    other = PageStore(store.root.with_name("other"))
    other.keep(look(page(etag='"a"')))
    damage(other.root / "example" / "addresses.json")
    assert other.held_page("example", URL) is None
    other.keep(look(page(etag='"c"'), moment=NOON + timedelta(hours=1)))
    held = other.held_page("example", URL)
    assert held is not None
    assert held.etag == '"c"'


# --- crashes


def test_crash_before_the_rename_leaves_the_old_file_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    target = tmp_path / "file"
    write_whole(target, b"old")

    def power_cut(self: Path, to: Path) -> Path:
        raise SystemExit

    monkeypatch.setattr(Path, "replace", power_cut)
    with pytest.raises(SystemExit):
        write_whole(target, b"new")
    assert target.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [target]


def test_crash_while_writing_a_page_leaves_no_record_of_it(store: PageStore, monkeypatch: pytest.MonkeyPatch):
    store.keep(look(page()))

    def full_disk(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full_disk)
    with pytest.raises(OSError, match="No space left"):
        store.keep(look(page(b"new"), moment=NOON + timedelta(hours=1)))
    assert store.moments("example") == [NOON]
    good = store.last_good_look("example")
    assert good is not None
    assert good.pages[0].body == b'{"price": 1}'


def test_half_written_files_of_a_killed_process_are_no_looks(store: PageStore):
    store.keep(look(page()))
    (store.root / "example" / "looks" / ".writing-x1y2").write_bytes(b'{"half')
    assert store.moments("example") == [NOON]


def test_words_of_a_site_that_no_file_can_hold_do_not_lose_the_look(store: PageStore):
    words = json.loads('"refused \\ud800"')
    store.keep(look(page(), failures={"eu": ("error_answer", words)}))
    assert store.look("example", NOON).failures["eu"][1].startswith("refused ")


# --- recordings


def test_recorded_looks_carry_their_own_dates_oldest_first():
    looks = list(recorded_looks("runpod"))
    assert [f"{look.observed_at:%Y-%m-%d}" for look in looks] == ["2026-07-18", "2026-08-22"]
    assert {look.origin for look in looks} == {"recorded"}
    assert all(page.observed_at == look.observed_at for look in looks for page in look.pages)


def test_a_copy_under_another_name_is_no_look(store: PageStore):
    store.keep(look(page()))
    (kept,) = (store.root / "example" / "looks").glob("*.json")
    kept.with_name(f"{kept.stem} (copy).json").write_bytes(kept.read_bytes())
    assert store.moments("example") == [NOON]
