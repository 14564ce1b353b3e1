"""Commands that need no ledger: resolve GPU names, parse a saved response, list the sources."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import asdict, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from pipelines.commands.inputs import Moment, SourceName
from pipelines.commands.printing import as_json, format_option, formats, print_rows, printable

FILE = click.Path(path_type=Path, exists=True, dir_okay=False)


@click.command()
@click.argument("text", nargs=-1, required=True)
@click.option("--provider", help="Whose name it is: the same text means different cards at different sites.")
@format_option
def gpu(text: tuple[str, ...], provider: str | None, style: str) -> None:
    """How GPU names resolve.

    `-` reads lines `provider<TAB>name` from standard input.
    """
    print_rows([_resolved(who, name) for who, name in _named(text, provider)], style)


@click.command()
@click.argument("source", type=SourceName())
@click.argument("files", nargs=-1, required=True, type=FILE)
@click.option("--observed-at", type=Moment(), help="When the response was given (ISO 8601, UTC); default: now.")
@click.option(
    "--fx", type=click.Path(path_type=Path, exists=True, dir_okay=False), help='{"usd_per_unit": {"EUR": 1.1}}'
)
@formats("json")
def parse(source: str, files: tuple[Path, ...], observed_at: datetime | None, fx: Path | None, style: str) -> None:
    """Read saved responses of SOURCE, without a ledger.

    The files are one look. As JSON {"offers": [...], "rejected": [...]}; else the offers, and what was rejected on
    standard error.
    """
    from models.offers import Offer
    from pipelines.looks.parsing import parse_files

    offers, rejected = parse_files(source, files, observed_at or datetime.now(UTC), fx)
    if style == "json":
        click.echo(as_json({"offers": list(map(asdict, offers)), "rejected": list(map(asdict, rejected))}))
        return
    print_rows(list(map(asdict, offers)), style, columns=[field.name for field in fields(Offer)], empty="no offers")
    for row in rejected:
        click.echo(printable(f"rejected, {row.reason}: {row.detail}"), err=True)


@click.command()
@formats("md")
def sources(style: str) -> None:
    """Every source: unit, cadence, key and traps; as Markdown, docs/sources.md."""
    from pipelines.commands.source_docs import source_rows, sources_markdown

    if style == "md":
        click.echo(sources_markdown())
    else:
        print_rows(source_rows(), style)


def _named(text: tuple[str, ...], provider: str | None) -> Iterator[tuple[str | None, str]]:
    for name in text:
        if name != "-":
            yield provider, name
            continue
        for line in sys.stdin:
            who, tab, rest = line.rstrip("\n").partition("\t")
            yield (who, rest) if tab else (provider, who)


def _resolved(provider: str | None, text: str) -> dict[str, Any]:
    from models.gpus import resolve

    found = resolve(text, provider)
    return {
        "provider": provider,
        "text": text,
        "gpu": found.gpu.gpu if found else None,
        "gpu_family": found.gpu.gpu_family if found else None,
        "gpu_memory_gb": found.gpu_memory_gb if found else None,
        "form_factor": found.form_factor if found else None,
        "vendor": found.gpu.vendor if found else None,
        "slice": found.slice if found else None,
    }
