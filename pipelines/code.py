"""Digests of code and data: what was made by other code than today's is made again, or said to be old."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from pathlib import Path

from pipelines.home import CHECKOUT

# What models.normalise and its neighbours are made of; the models of training and cost read no page.
READING = """
    billing.py currencies.py drift.py gpu_table.py gpus.csv gpus.py moments.py moves.py normalise.py offers.py
    quantities.py rate_moves.py regions.csv regions.py rivals.py stamps.py weighing.py witnesses.py
"""


def code_and_data(folder: Path) -> list[Path]:
    """The modules and tables under a folder."""
    return [*folder.rglob("*.py"), *folder.rglob("*.csv")]


def digest_of(files: Iterable[Path]) -> str:
    """128 bits in hex over files of the checkout, by name and content."""
    digest = blake2b(digest_size=16)
    for file in sorted(files):
        content = file.read_bytes()
        digest.update(f"{file.relative_to(CHECKOUT)} {len(content)} ".encode() + content)
    return digest.hexdigest()


def reading_code() -> list[Path]:
    """What makes offers out of pages: the sources, and what normalises and judges."""
    parsers = [*(CHECKOUT / "sources").glob("*.py"), *code_and_data(CHECKOUT / "sources" / "providers")]
    judges = [
        CHECKOUT / "pipelines" / "looks" / name for name in ("drifting.py", "judging.py", "keeping.py", "reading.py")
    ]
    models = [CHECKOUT / "models" / name for name in READING.split()] + code_and_data(CHECKOUT / "models" / "naming")
    return [*parsers, *models, *judges]
