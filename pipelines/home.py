"""Where everything is kept: one folder, GPULEDGER_HOME, by default data/ in the checkout."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

PATTERNS = "*?[]{}#%\\"  # what DuckDB takes for a pattern of paths or for a slash, and SQLite for a part of an address
CHECKOUT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, slots=True)
class Home:
    """The folders under the home."""

    root: Path

    @property
    def raw(self) -> Path:
        return self.root / "raw"

    @property
    def offers(self) -> Path:
        return self.root / "offers"

    @property
    def warehouse(self) -> Path:
        return self.root / "warehouse.duckdb"

    @property
    def published(self) -> Path:
        return self.root / "published"

    @property
    def ledger(self) -> Path:
        from warehouse.publish import NAME  # brings DuckDB, which half of the commands do without

        return self.published / NAME

    @property
    def dagster(self) -> Path:
        return self.root / "dagster"

    @property
    def running(self) -> Path:
        return self.root / "running"


def home() -> Home:
    """The home that the environment names, as an absolute path; ValueError where nothing could be kept under it."""
    try:
        root = Path(os.environ.get("GPULEDGER_HOME") or CHECKOUT / "data").expanduser().resolve()
    except RuntimeError as error:
        raise ValueError(f"GPULEDGER_HOME is {os.environ['GPULEDGER_HOME']}: {error}") from None
    if found := next((one for one in str(root) if one in PATTERNS), None):
        raise ValueError(f"GPULEDGER_HOME is {root}: choose a folder without {found!r} in its path")
    if not is_text(str(root)):
        raise ValueError(f"GPULEDGER_HOME is {root}: choose a folder whose path is text, or set LC_ALL=C.UTF-8")
    return Home(root)


def is_text(text: str) -> bool:
    """Whether it can be written in UTF-8: bytes of the command line that are none come as lone surrogates."""
    return text == text.encode("utf-8", "replace").decode()
