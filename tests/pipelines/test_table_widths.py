"""A table in a terminal of 80, 120 and 200 characters: no figure is broken, and what is left out is named."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import shlex
import struct
import subprocess
import sys
import termios

import pytest

from pipelines.home import Home

SAY = "import sys; from pipelines.cli import main; main()"
UNDER = re.compile(r"\(\d+\) ")


def shown(home: Home, width: int | None, command: str) -> list[str]:
    """The lines of a command as a terminal of that width gets them; without one, as a file does."""
    environment = os.environ | {"GPULEDGER_HOME": str(home.root), "TERM": "xterm", "COLUMNS": ""}
    arguments = [sys.executable, "-c", SAY, *shlex.split(command)]
    if width is None:
        return subprocess.run(
            arguments, env=environment, capture_output=True, text=True, check=True
        ).stdout.splitlines()
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, width, 0, 0))
    with subprocess.Popen(arguments, env=environment, stdin=theirs, stdout=theirs, stderr=subprocess.DEVNULL):
        os.close(theirs)
        found = b""
        while part := _read(ours):
            found += part
    os.close(ours)
    return re.sub(r"\x1b\[[0-9;]*m", "", found.decode()).splitlines()


def _read(end: int) -> bytes:
    try:
        return os.read(end, 1 << 16)
    except OSError:  # Linux says so where the other end is closed
        return b""


@pytest.mark.parametrize("command", ["plan 70B", "cost 70B", "cost", "claims", "offers --limit 300"])
def test_no_figure_and_no_name_is_broken(recorded_home: Home, command: str) -> None:
    words = {word for line in shown(recorded_home, None, command) for word in line.split()} | {"note"}
    for width in (80, 120, 200):
        table = [line for line in shown(recorded_home, width, command) if line.startswith(" ")]
        assert max(map(len, table)) <= width
        rows = [line for line in table if not line.startswith("   ")]  # without the second lines of notes
        found = {word for line in rows for word in line.split() if not re.fullmatch(r"─+|\(\d+\)", word)}
        assert not found - words, width


def test_notes_stand_once_under_the_table_and_what_is_left_out_is_named(recorded_home: Home) -> None:
    lines = shown(recorded_home, 80, "plan 70B")
    assert len(lines) < 80
    notes = [line for line in lines if UNDER.match(line)]
    assert len(notes) == len(set(notes)) > 2
    (told,) = {line for line in lines if line.startswith("Left out at 80 characters: ") and "P10 to P90" in line}
    assert told.endswith("; --format json has all.")
    heading = next(line for line in lines if "total USD" in line)
    assert "USD/GPU-h" not in heading
    assert "USD/GPU-h" in told


def test_a_query_with_more_columns_than_fit_keeps_the_first_whole(recorded_home: Home) -> None:
    lines = shown(recorded_home, 80, "sql 'FROM price_now LIMIT 3'")
    assert any("page sha256" in line for line in lines if line.startswith("Left out"))
    assert lines[1].split()[:2] == ["provider", "sku"]
