"""Commands that need no ledger: estimate one run, resolve GPU names, parse a saved response, list the sources."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import click

from pipelines.printing import as_json, format_option, print_rows

FILE = click.Path(path_type=Path, exists=True, dir_okay=False)


class Count(click.ParamType[Any]):
    """A count such as 7B, 1.4T, 7e9 or 7000000000."""

    name = "count"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        from models.quantities import parse_count

        try:
            return value if isinstance(value, int) else parse_count(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)


class Money(click.ParamType[Any]):
    """A decimal amount."""

    name = "usd"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Decimal:
        from sources.reading import decimal_of

        amount = decimal_of(value)
        if amount is None:
            self.fail(f"{value!r} is not an amount", param, ctx)
        return amount


@click.command()
@click.option("--params", type=Count(), required=True, help="Parameters: 7B, 1.8T.")
@click.option("--tokens", type=Count(), required=True, help="Training tokens: 1T, 140B.")
@click.option("--active-params", type=Count(), help="Parameters one token passes through (mixture of experts).")
@click.option("--layers", type=click.IntRange(1), help="With --width and --seq-len: count attention.")
@click.option("--width", type=click.IntRange(1), help="Model width.")
@click.option("--seq-len", type=click.IntRange(1), help="Tokens in a training sequence.")
@click.option("--attention", type=click.Choice(["full", "causal", "none"]), help="How attention is counted.")
@click.option("--gpu", default="h100_sxm", show_default=True, help="GPU, any usual spelling.")
@click.option("--gpus", type=click.IntRange(1), help="Size of the cluster; default: enough for memory and 90 days.")
@click.option("--precision", type=click.Choice(["bf16", "fp16", "fp8", "fp4"]), default="bf16", show_default=True)
@click.option("--utilisation", type=float, help="Share of the dense peak, 0.40 and not 40; default: published runs.")
@click.option("--peak-tflops", type=float, help="Dense peak in place of the datasheet's.")
@click.option("--price", type=Money(), help="USD per GPU-hour.")
@click.option("--overhead", type=float, help="Multiplier for failed runs and experiments; default 1.3 / 1.4 / 1.5.")
@click.option("--deadline-days", type=float, help="Days the run may take when --gpus is not given.")
@click.option("--format", "style", type=click.Choice(["table", "json"]), default="table", show_default=True)
def estimate(gpu: str, style: str, **given: Any) -> None:
    """One training run from FLOP to dollars, with every step between."""
    from models.estimate import estimate as run
    from models.gpus import gpus, resolve

    chip = gpus().get(gpu) or (found.gpu if (found := resolve(gpu)) else None)
    if chip is None:
        raise click.BadParameter(f"no GPU is called {gpu!r}; try `gpuledger gpu {gpu!r}`")
    result = run(gpu=chip, **given).as_dict()
    if style == "json":
        click.echo(as_json(result))
        return
    print_rows(
        [{"what": key, "value": _line(value)} for key, value in result.items() if value not in (None, ())], style
    )


@click.command()
@click.argument("text", nargs=-1, required=True)
@click.option("--provider", help="Whose name it is: the same text means different cards at different sites.")
@format_option
def gpu(text: tuple[str, ...], provider: str | None, style: str) -> None:
    """How GPU names resolve; `-` reads lines `provider<TAB>name` from standard input."""
    print_rows([_resolved(who, name) for who, name in _named(text, provider)], style)


@click.command()
@click.argument("source")
@click.argument("files", nargs=-1, required=True, type=FILE)
@click.option("--observed-at", help="When the response was given (ISO 8601); default: now.")
@click.option(
    "--fx", type=click.Path(path_type=Path, exists=True, dir_okay=False), help='{"usd_per_unit": {"EUR": 1.1}}'
)
def parse(source: str, files: tuple[Path, ...], observed_at: str | None, fx: Path | None) -> None:
    """Read saved responses of SOURCE as one look: {"offers": [...], "rejected": [...]}."""
    from pipelines.parsing import parse_files

    moment = datetime.fromisoformat(observed_at) if observed_at else datetime.now(UTC)
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    offers, rejected = parse_files(source, files, moment, fx)
    click.echo(as_json({"offers": [asdict(offer) for offer in offers], "rejected": [asdict(row) for row in rejected]}))


@click.command()
def sources() -> None:
    """Every source with its unit, cadence, key and traps, as Markdown."""
    from pipelines.source_docs import sources_markdown

    click.echo(sources_markdown())


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


def _line(value: Any) -> str:
    if isinstance(value, dict):
        return f"{_line(value['mid'])}  (low {_line(value['low'])}, high {_line(value['high'])})"
    if isinstance(value, float):
        return f"{value:,.4g}" if abs(value) < 100 or abs(value) >= 1e15 else f"{value:,.0f}"
    if isinstance(value, (list, tuple)):
        return "; ".join(map(str, value))
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


offline_commands = (estimate, gpu, parse, sources)
