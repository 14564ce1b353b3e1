"""The command line, `gpuledger`: what changes the ledger is here; every question has a module in commands/.

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 with --strict when a source failed.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import click

from pipelines.commands.bill import bill_commands
from pipelines.commands.estimate import estimate_commands
from pipelines.commands.finetune import finetune_commands
from pipelines.commands.ledger import ledger_commands
from pipelines.commands.offline import offline_commands
from pipelines.commands.plan import plan_commands
from pipelines.commands.run import run_commands
from pipelines.commands.serving import serving_commands
from pipelines.commands.sizing import sizing_commands
from pipelines.home import CHECKOUT, home
from pipelines.printing import format_option, print_rows


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="gpuledger")
def cli() -> None:
    """What GPUs rent for, and what training a language model on them costs."""


for command in (
    *ledger_commands,
    *plan_commands,
    *estimate_commands,
    *finetune_commands,
    *serving_commands,
    *sizing_commands,
    *bill_commands,
    *run_commands,
    *offline_commands,
):
    cli.add_command(command)


@cli.command()
@click.argument("sources", nargs=-1, metavar="[SOURCE]...")
@click.option("--recorded", is_flag=True, help="Replay the recorded pages in place of the network.")
@click.option("--strict", is_flag=True, help="Exit with 3 when a source failed.")
@format_option
def refresh(sources: tuple[str, ...], recorded: bool, strict: bool, style: str) -> None:
    """Look at the sources, load, recompute and publish; then print the status of every source."""
    from pipelines.commands.ledger import status_rows
    from pipelines.refreshing import RefreshFailed
    from pipelines.refreshing import refresh as run

    try:
        failed = run(home(), sources, recorded=recorded, say=lambda line: click.echo(line, err=True))
    except RefreshFailed as error:
        raise click.ClickException(str(error)) from None
    print_rows(status_rows(), style)
    if failed and strict:
        sys.exit(3)
    if sources and set(failed) >= set(sources):
        sys.exit(1)


@cli.command()
def rebuild() -> None:
    """Make the offers and the ledger anew from the kept pages; nothing else is needed and nothing is fetched."""
    from pipelines.rebuilding import rebuild as run

    run(home(), say=lambda line: click.echo(line, err=True))


@cli.command()
def publish() -> None:
    """Check the ledger and publish it again."""
    from warehouse.publish import publish as run

    published = run(home().warehouse, home().published)
    click.echo(f"{published.path}: {published.offers:,} offers")


@cli.command()
@click.argument("source")
@click.option("--to", "target", type=click.Path(path_type=Path), help="Folder to write into; default: the recordings.")
def record(source: str, target: Path | None) -> None:
    """Look at SOURCE live and keep its pages as a recording, to review before it is committed."""
    from pipelines.recording import record as run

    for line in run(source, target):
        click.echo(line)


@cli.command()
@click.option("--port", default=3000, show_default=True, help="Port on the loopback address.")
def ui(port: int) -> None:
    """Open Dagster's UI with its daemon on the loopback address; schedules run while it is open."""
    from pipelines.instance import prepare_dagster_home

    prepare_dagster_home(home())
    program = Path(sys.executable).with_name("dagster")
    click.echo(f"Dagster on http://127.0.0.1:{port} (stop with Ctrl-C)", err=True)
    os.chdir(CHECKOUT)  # where pyproject.toml tells Dagster what to load
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # a shell's background job ignores it, and Dagster would inherit that
    os.execv(program, [str(program), "dev", "-h", "127.0.0.1", "-p", str(port)])


def main() -> None:
    """Run a command; a foreseeable fault is one line on standard error and exit code 1."""
    from duckdb import CatalogException

    from sources.source import SourceError
    from warehouse.database import QueryFailed, WarehouseBusy
    from warehouse.publish import NotPublishable

    try:
        cli()
    except CatalogException as error:
        reason = str(error).splitlines()[0]
        click.echo(
            f"gpuledger: the published ledger is of an older version ({reason}): run `gpuledger refresh`", err=True
        )
        sys.exit(1)
    except (SourceError, WarehouseBusy, QueryFailed, NotPublishable, FileNotFoundError, PermissionError) as error:
        click.echo(f"gpuledger: {error}", err=True)
        sys.exit(1)
    except (KeyError, ValueError) as error:
        click.echo(f"gpuledger: {error.args[0] if error.args else error}", err=True)
        sys.exit(1)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
