"""The command line, `gpuledger`: what changes the ledger is here; every question has a module in commands/.

Exit codes: 0 done, also where nothing fits; 1 failed, 2 wrong usage, 3 with --strict when a source failed or
is to be doubted: a part of it was not read, or its list drifted.
"""

from __future__ import annotations

import gc
import io
import os
import signal
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from pipelines.commands.inputs import SourceName
from pipelines.commands.printing import format_option, printable
from pipelines.home import CHECKOUT, home, is_text

RARELY = (50_000, 20, 50)  # a sixth of a refresh was the search for cycles among modules, which stay

SECTIONS = {
    "The ledger": ("refresh", "status", "sql", "tables", "export", "ui"),
    "Prices": ("offers", "gpu", "page"),
    "Training a model": ("cost", "plan", "estimate", "bill", "what-if", "phases", "reliability", "own", "commitment"),
    "How large a model": ("size", "afford"),
    "Fine-tuning and serving": ("finetune", "host", "buy"),
    "Then, later, and what others say": ("past", "project", "claims"),
    "Sources and upkeep": ("sources", "record", "parse", "rebuild", "publish"),
}
MODULES = {  # of commands/: imported when one of its commands is asked for
    "bill": ("bill",),
    "claims": ("claims",),
    "estimate": ("estimate",),
    "finetune": ("finetune",),
    "ledger": ("status", "offers", "cost"),
    "offline": ("gpu", "parse", "sources"),
    "own": ("own",),
    "plan": ("plan",),
    "raw": ("page", "sql", "tables", "export"),
    "run": ("what-if", "phases", "reliability", "commitment"),
    "serving": ("host", "buy"),
    "sizing": ("size", "afford"),
    "years": ("past", "project"),
}


class Sections(click.Group):
    """Commands under the question they answer, so that a new user finds his way in the help."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for heading, names in SECTIONS.items():
            commands = [(name, self.get_command(ctx, name)) for name in names]
            with formatter.section(heading):
                lines = [(name, one.get_short_help_str(limit=90)) for name, one in commands if one]
                formatter.write_dl(lines, col_max=12)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(name for names in SECTIONS.values() for name in names)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        for module, names in MODULES.items():
            if name in names:
                command: click.Command = getattr(import_module(f"pipelines.commands.{module}"), name.replace("-", "_"))
                return command
        return super().get_command(ctx, name)

    def invoke(self, ctx: click.Context) -> Any:
        """Of an option that the command has not, say which commands of its section do."""
        try:
            return super().invoke(ctx)
        except click.NoSuchOption as error:
            raise self._no_such_option(ctx, error) from None

    def _no_such_option(self, ctx: click.Context, error: click.NoSuchOption) -> click.UsageError:
        asked, wanted = error.ctx, error.option_name
        if asked is None or asked is ctx:
            return error
        beside = next((names for names in SECTIONS.values() if asked.info_name in names), ())
        if have := [name for name in beside if (one := self.get_command(ctx, name)) and wanted in _options(one)]:
            also = f" (also {', '.join(have[1:])})" if have[1:] else ""
            return click.UsageError(f"No such option '{wanted}'. `gpuledger {have[0]}` takes it{also}", asked)
        near = [name for name in error.possibilities or [] if name in _options(asked.command)]
        return click.NoSuchOption(wanted, possibilities=near, ctx=asked)


def _options(command: click.Command) -> list[str]:
    """The options that the help of a command tells."""
    return [name for option in command.params for name in (*option.opts, *option.secondary_opts)]


@click.group(cls=Sections, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="gpuledger")
def cli() -> None:
    """What GPUs rent for, and what training a language model on them costs.

    Begin with `gpuledger refresh --recorded` (no network, no key) or `gpuledger refresh`, then `gpuledger cost`.
    """


@cli.command()
@click.argument("sources", nargs=-1, type=SourceName(), metavar="[SOURCE]...")
@click.option("--recorded", is_flag=True, help="Replay the recorded pages in place of the network.")
@click.option("--strict", is_flag=True, help="Exit with 3 when a source failed or is to be doubted.")
@format_option
def refresh(sources: tuple[str, ...], recorded: bool, strict: bool, style: str) -> None:
    """Look at the sources, load, recompute, publish; print status."""
    from pipelines.refreshing import RefreshFailed, doubts
    from pipelines.refreshing import refresh as run
    from pipelines.runs.laying import laid_beside

    try:
        with laid_beside(home()):
            failed = run(home(), sources, recorded=recorded, say=_say)
    except RefreshFailed as error:
        raise click.ClickException(str(error)) from None
    from pipelines.commands.ledger import print_status

    doubted = doubts(home(), sources, recorded=recorded)
    for name, reason in doubted.items():
        _say(f"{name} is to be doubted: {reason}")
    print_status(style)
    if (failed or doubted) and strict:
        sys.exit(3)
    if sources and set(failed) >= set(sources):
        sys.exit(1)


@cli.command()
def rebuild() -> None:
    """Make the ledger anew from the kept pages; fetch nothing."""
    from pipelines.runs.rebuilding import rebuild as run

    run(home(), say=_say)


@cli.command()
def publish() -> None:
    """Check the ledger and publish it again."""
    from warehouse.publish import publish as run

    published = run(home().warehouse, home().published)
    click.echo(f"{published.path}: {published.offers:,} offers")


@cli.command()
@click.argument("source", type=SourceName())
@click.option("--to", "target", type=click.Path(path_type=Path), help="Folder to write into; default: the recordings.")
@click.option("--kept", is_flag=True, help="Read the pages that are recorded, and write quotes.json of them; offline.")
def record(source: str, target: Path | None, kept: bool) -> None:
    """Keep a live look at SOURCE as a recording, to review."""
    from pipelines.looks.recording import read_kept
    from pipelines.looks.recording import record as run

    if kept and target:
        raise click.UsageError("--kept reads the recordings themselves, without --to")
    for line in read_kept(source) if kept else run(source, target):
        click.echo(printable(line))


@cli.command()
@click.option(
    "--port", type=click.IntRange(1, 65535), default=3000, show_default=True, help="Port on the loopback address."
)
def ui(port: int) -> None:
    """Open Dagster's UI on loopback; schedules run meanwhile."""
    from pipelines.runs.instance import prepare_dagster_home

    prepare_dagster_home(home(), _say)
    program = Path(sys.executable).with_name("dagster")
    click.echo(f"Dagster on http://127.0.0.1:{port} (stop with Ctrl-C)", err=True)
    os.chdir(CHECKOUT)  # where pyproject.toml tells Dagster what to load
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # a shell's background job ignores it, and Dagster would inherit that
    os.execv(program, [str(program), "dev", "-h", "127.0.0.1", "-p", str(port)])


def main() -> None:
    """Run a command; a fault is one line on standard error, and the exit code of what it was."""
    gc.set_threshold(*RARELY)
    _open_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal of another encoding still shows the rest
    try:
        _require_text(sys.argv[1:])
        code = cli(standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        code = error.exit_code
    except click.UsageError as error:
        hint = f"; see `{error.ctx.command_path} --help`" if error.ctx else ""
        code = _failed(f"{error.format_message().rstrip('.')}{hint}", error.exit_code)
    except click.ClickException as error:
        code = _failed(error.format_message(), error.exit_code)
    except click.Abort:
        code = _failed("stopped", 130)
    except BrokenPipeError:
        code = 1  # `gpuledger offers | head`: nobody is left to tell
        _let_go_of_stdout()
    except OSError as error:
        code = _failed(f"{error.filename or 'output'}: {error.strerror}" if error.strerror else str(error))
        _let_go_of_stdout()
    except _foreseeable() as error:
        code = _failed(_told(error))
    gc.freeze()  # what ends with the process need not be searched for cycles first
    sys.exit(code)


def _foreseeable() -> tuple[type[Exception], ...]:
    """Faults that are not of the program; evaluated after one only, as what raises them is slow to import."""
    import duckdb

    from sources.source import SourceError
    from warehouse.database import QueryFailed, WarehouseBusy, WarehouseDamaged
    from warehouse.publish import NotPublishable

    ours = (SourceError, WarehouseBusy, WarehouseDamaged, NotPublishable, QueryFailed)
    return (*ours, duckdb.Error, KeyError, ValueError, OverflowError)


def _told(error: Exception) -> str:
    import duckdb

    text = str(error.args[0] if error.args else error) or type(error).__name__
    # of our own query: a reader's comes as QueryFailed
    if isinstance(error, (duckdb.CatalogException, duckdb.BinderException)):
        return f"the published ledger is of an older version ({text.splitlines()[0]}): run `gpuledger refresh`"
    return text


def _require_text(arguments: Sequence[str]) -> None:
    """Raises UsageError for an argument that the locale's encoding does not cover: nothing could keep or print it."""
    for one in arguments:
        if not is_text(one):
            raise click.UsageError(f"{one!r} is no text in this locale: set LC_ALL=C.UTF-8 and write it in UTF-8")


def _open_closed_streams() -> None:
    """What the shell closed (`>&-`) leads nowhere, before a file of ours takes its number and is written into."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode))  # noqa: SIM115


def _failed(text: str, code: int = 1) -> int:
    """Say what went wrong in one line; the part in which DuckDB points at a query's words is left out."""
    lines = text.partition("\nLINE ")[0].split("\n")
    click.echo(f"gpuledger: {printable(' '.join(line.strip() for line in lines if line.strip()))}", err=True)
    return code


def _let_go_of_stdout() -> None:
    """What could not be written is not tried again at the end, which would print a traceback."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _say(line: str) -> None:
    click.echo(printable(line), err=True)
