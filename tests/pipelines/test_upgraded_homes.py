"""A home that an earlier version filled: what it read wrongly, and recordings that were corrected, do not stay."""

from __future__ import annotations

import ast
import json
import re
import shutil
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from click.testing import CliRunner
from recorded_site import keep_good_look, publish_ledger, recorded_site

from models.offers import Quote
from pipelines import code
from pipelines.cli import cli
from pipelines.frames.reference import reference_made_of
from pipelines.home import CHECKOUT, Home
from pipelines.refreshing import refresh
from pipelines.runs import rebuilding
from sources import pages
from sources.pages import PageStore
from sources.source import Row, Source, all_sources
from warehouse.database import opened_to_read, value
from warehouse.laying import reference_stands
from warehouse.offer_files import OfferFiles

AN_HOUR_AGO = datetime.now(UTC).replace(microsecond=0) - timedelta(hours=1)


def _prices(home: Home) -> object:
    with opened_to_read(home.ledger) as ledger:
        return value(ledger, "SELECT sum(list_price) FROM price_now WHERE provider = 'oci'")


@pytest.fixture(scope="module")
def misread_once(laid_home: Home, tmp_path_factory: pytest.TempPathFactory) -> tuple[Home, Sequence[Source], Decimal]:
    """A published home whose earlier code read twice what Oracle asks, its sources, and the sum of what it asks."""
    home = Home(shutil.copytree(laid_home.root, tmp_path_factory.mktemp("misread") / "home"))
    sources = [replace(all_sources()[name], requests_per_second=1e6) for name in ("ecb", "oci")]
    bank, oci = sources

    def doubled(said: Sequence[pages.Page]) -> list[Row]:
        return [replace(row, amount=2 * row.amount) if isinstance(row, Quote) else row for row in oci.parse(said)]

    keep_good_look(home, bank, AN_HOUR_AGO, sources)
    keep_good_look(home, oci, AN_HOUR_AGO, [bank, replace(oci, parse=doubled)])
    publish_ledger(home, sources)
    twice = _prices(home)
    assert isinstance(twice, Decimal)
    note = OfferFiles(home.offers).read_by
    note.write_text(json.dumps(json.loads(note.read_bytes()) | {"code": "of another day"}))
    return home, sources, twice / 2


@pytest.fixture
def misread(
    misread_once: tuple[Home, Sequence[Source], Decimal], tmp_path: Path
) -> tuple[Home, Sequence[Source], Decimal]:
    home, sources, asked = misread_once
    return Home(shutil.copytree(home.root, tmp_path / "home")), sources, asked


def test_few_looks_that_earlier_code_read_are_read_again(misread: tuple[Home, Sequence[Source], Decimal]) -> None:
    home, sources, asked = misread
    sites = {source.name: recorded_site(source.name) for source in sources}
    said: list[str] = []
    refresh(home, ["ecb"], sources=sources, adapters=sites, say=said.append)
    assert "pages are read by other code than before: what is kept of 2 looks is read again" in said
    assert _prices(home) == asked
    assert not [line for line in said if "earlier code" in line]
    again: list[str] = []
    refresh(home, ["ecb"], sources=sources, adapters=sites, say=again.append)
    assert again == ["looking at 1 sources", "loading, recomputing, publishing"]


def test_many_looks_of_earlier_code_are_said_until_they_are_read_again(
    misread: tuple[Home, Sequence[Source], Decimal], monkeypatch: pytest.MonkeyPatch
) -> None:
    home, sources, asked = misread
    monkeypatch.setattr(rebuilding, "FEW_LOOKS", 1)
    monkeypatch.setenv("GPULEDGER_HOME", str(home.root))
    line = "2 looks were read by earlier code: `gpuledger rebuild` reads every look again"
    for _ in range(2):  # looks that today's code reads meanwhile are not counted
        said: list[str] = []
        refresh(home, ["ecb"], sources=sources, adapters={"ecb": recorded_site("ecb")}, say=said.append)
        assert said.count(line) == 1
    assert _prices(home) == 2 * asked
    assert line in CliRunner().invoke(cli, ["status"]).stderr
    rebuilding.rebuild(home, lambda line: None, sources)
    assert _prices(home) == asked
    assert reference_stands(home.warehouse, reference_made_of(sources))  # the next refresh need not lay it
    assert "earlier code" not in CliRunner().invoke(cli, ["status"]).stderr


def test_a_corrected_recording_takes_the_place_of_the_old_one(
    new_home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bank's recording gained the rates of a day: prices of that day that had none have one now."""
    recorded = tmp_path / "recorded"
    for name in ("ecb", "stackit"):
        shutil.copytree(pages.RECORDED / name, recorded / name)
    monkeypatch.setattr(pages, "RECORDED", recorded)
    home, sources = new_home, [all_sources()[name] for name in ("ecb", "stackit")]
    bank = recorded / "ecb" / "2026-10-07" / "eurofxref-hist-90d.xml"
    whole = bank.read_bytes()
    bank.write_bytes(re.sub(rb'<Cube time="2026-0[89].*?</Cube>', b"", whole, flags=re.DOTALL))
    assert refresh(home, recorded=True, sources=sources) == ["stackit"]
    store = PageStore(home.raw)
    before = set(home.raw.rglob("*.gz"))
    bank.write_bytes(whole)
    said: list[str] = []
    rebuilding.rebuild(home, said.append, sources)  # of what is kept, so that it stands as it was
    line = "recordings are kept as they were before a correction: `gpuledger refresh --recorded ecb stackit` takes"
    assert [told for told in said if line in told]
    OfferFiles(home.offers).read_by.write_text("other code")  # as after an upgrade: all looks are read again first
    said.clear()
    assert refresh(home, recorded=True, sources=sources, say=said.append) == []
    assert [told for told in said if "is read again" in told]
    assert not [told for told in said if "correction" in told]
    assert store.look("ecb", max(pages.recorded_pages("ecb"))).pages[0].body == whole
    assert before <= set(home.raw.rglob("*.gz"))
    said.clear()
    rebuilding.read_all_again(home, sources, said.append)
    assert not [told for told in said if "correction" in told]
    with opened_to_read(home.ledger) as ledger:
        assert value(ledger, "SELECT count(*) FROM price_now WHERE provider = 'stackit'")


def test_what_normalises_is_in_the_digest_and_what_prices_training_is_not() -> None:
    judges = ("drifting.py", "judging.py", "keeping.py", "reading.py")
    named, left = set[Path](), [CHECKOUT / "pipelines" / "looks" / name for name in judges]
    assert set(left) <= set(code.reading_code())
    while left:
        for node in ast.walk(ast.parse(left.pop().read_text())):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("models."):
                file = CHECKOUT / f"{node.module.replace('.', '/')}.py"
                if file not in named:
                    named.add(file)
                    left.append(file)
    files = set(code.reading_code())
    assert named <= files
    ours = {file for file in files if file.is_relative_to(CHECKOUT / "models") and file.suffix == ".py"}
    assert {file for file in ours if file.name != "__init__.py"} == named
    assert not [file for file in files if "recorded" in file.parts]
