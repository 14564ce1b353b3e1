"""docs/tables.md is what the ledger says of itself, and the ledger leaves nothing unsaid."""

from pathlib import Path

import pytest
from ledgers import Ledger

from pipelines.frames.reference import reference_frames
from sources.source import all_sources
from warehouse.catalogue import described, tables_markdown

DOCUMENT = Path(__file__).parents[2] / "docs" / "tables.md"


@pytest.fixture(scope="module")
def objects(tmp_path_factory):
    ledger = Ledger(tmp_path_factory.mktemp("ledger"))
    ledger.load()
    ledger.refer(**reference_frames(list(all_sources().values())))
    ledger.recompute()
    with ledger.opened() as connection:
        return described(connection)


def test_everything_has_words(objects):
    silent = [f"{item.schema}.{item.name}" for item in objects if not item.comment] + [
        f"{item.schema}.{item.name}.{column.name}"
        for item in objects
        for column in item.columns
        if item.kind in ("Table", "View") and not column.comment
    ]
    assert silent == []


def test_what_people_query_is_there(objects):
    assert {item.name for item in objects if item.schema == "main"} >= {
        "currency_rate", "focus", "price_asof", "price_history", "price_move", "price_now", "provider_freshness",
        "rejected", "training_cost", "training_cost_by_provider", "training_plan", "training_requirement",
        "utc_moment",
    }  # fmt: skip


def test_a_column_takes_the_words_of_where_it_comes_from(objects):
    words = {(item.name, column.name): column.comment for item in objects for column in item.columns}
    assert words["training_cost_by_provider", "observed_at"] == words["price_now", "observed_at"]
    assert words["rejected", "observed_at"] == "The look that first saw the row."
    assert words["price_history", "page_sha256"] == words["observation", "page_sha256"]
    assert words["price_now", "observed_at"] != words["observation", "observed_at"]


def test_the_document_is_current(objects):
    assert DOCUMENT.read_text() == tables_markdown(objects) + "\n", (
        "run `gpuledger tables > docs/tables.md` after a refresh"
    )
