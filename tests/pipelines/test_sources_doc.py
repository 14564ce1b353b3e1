"""docs/sources.md is what the sources say of themselves."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner

from pipelines.cli import cli
from pipelines.commands.source_docs import cadence, last_recorded, sources_markdown
from sources.source import all_sources

DOCUMENT = Path(__file__).parents[2] / "docs" / "sources.md"


def test_the_document_is_current():
    assert DOCUMENT.read_text() == sources_markdown() + "\n", "run `gpuledger sources > docs/sources.md`"


def test_the_command_prints_it():
    result = CliRunner().invoke(cli, ["sources"])
    assert (result.exit_code, result.output) == (0, sources_markdown() + "\n")


def test_every_source_stands_in_it_once_with_its_unit_its_key_and_its_traps():
    text = sources_markdown()
    for source in all_sources().values():
        assert text.count(f"\n### {source.name}\n") == 1
        assert source.unit_note.rstrip(".") in text
        assert source.traps.rstrip(".") in text
        assert not source.secret or f"`{source.secret}`" in text


def test_witnesses_are_credited_as_their_licence_asks():
    assert "GPU Rental Prices (gpurentalprices.com) is published under CC BY 4.0" in sources_markdown()


def test_the_last_recorded_day_and_its_rows():
    """RunPod of 22 August 2026, the European Central Bank of 7 October 2026."""
    runpod, bank = last_recorded(all_sources()["runpod"]), last_recorded(all_sources()["ecb"])
    assert runpod
    assert runpod.day >= "2026-08-22"
    assert runpod.rows > 50
    assert bank
    assert bank.day >= "2026-10-07"


@pytest.mark.parametrize(
    ("hours", "words"),
    [(1, "hourly"), (6, "every 6 hours"), (24, "daily"), (168, "every 7 days"), (0.5, "every 0.5 hours")],
)
def test_cadence_in_words(hours: float, words: str):
    assert cadence(timedelta(hours=hours)) == words
