"""Who may import whom: a package its own modules and those of the layers below it; sources and warehouse never meet."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ALLOWED = {
    "models": {"models"},
    "sources": {"sources", "models"},
    "warehouse": {"warehouse", "models"},
    "pipelines": {"pipelines", "sources", "warehouse", "models"},
}
FOREIGN = {"models": {"dagster", "duckdb", "requests"}, "sources": {"dagster", "duckdb"}, "warehouse": {"dagster"}}


def imported(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            yield from (name.name.partition(".")[0] for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.partition(".")[0]


@pytest.mark.parametrize("package", ALLOWED)
def test_a_package_imports_itself_and_what_lies_below(package: str) -> None:
    for file in (ROOT / package).rglob("*.py"):
        found = set(imported(file))
        assert not (found & ALLOWED.keys()) - ALLOWED[package], file
        assert not found & FOREIGN.get(package, set()), file


def test_training_knows_no_money_and_the_base_of_models_knows_neither() -> None:
    above = {"": {"training", "costs", "claims"}, "training": {"costs", "claims"}, "costs": {"claims"}}
    for folder, forbidden in above.items():
        for file in (ROOT / "models" / folder).glob("*.py"):
            text = file.read_text()
            assert not [name for name in forbidden if f"from models.{name}" in text], file


def test_the_folders_of_pipelines_stand_one_above_the_other() -> None:
    order = ["home", "code", "markdown", "answers", "frames", "looks", "runs", "assets", "definitions", "refreshing"]
    for height, folder in enumerate(order):
        path = ROOT / "pipelines" / folder
        for file in path.rglob("*.py") if path.is_dir() else [path.with_suffix(".py")]:
            text = file.read_text()
            above = [name for name in [*order[height + 1 :], "commands", "cli"] if f"from pipelines.{name}" in text]
            assert not above, file


def test_only_one_module_opens_duckdb() -> None:
    opening = {file for file in (ROOT / "warehouse").rglob("*.py") if "duckdb.connect" in file.read_text()}
    opening |= {file for file in (ROOT / "pipelines").rglob("*.py") if "duckdb.connect" in file.read_text()}
    assert opening == {ROOT / "warehouse" / "database.py"}
