"""A table in a terminal of 80, 120 and 200 characters: no figure is broken, and what is left out is named."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from collections.abc import Callable, Sequence

import pytest

from pipelines.home import Home

COMMANDS = (
    "plan 70B", "cost 70B", "cost", "claims", "offers --limit 300", "sql 'FROM price_now LIMIT 3'",
)  # fmt: skip
# of each the columns that answer it
ANSWERS = {
    "host 70B --pricing reserved": "provider GPUs USD/M to be taken",
    "host 405B --pricing on_demand,reserved,savings_plan": "provider GPUs USD/M to be taken",
    "host 70B --tokens-per-month 10B": "provider GPUs USD/month USD/M",
    "buy Llama-3.1-70B --gpu h100_sxm": "API USD/M own GPUs break-even own pays",
    "buy Llama-3.1-70B --pricing reserved --tokens-per-month 10B": "API own GPUs at USD/month API bill cheaper",
    "buy Llama-3.1-70B --provider azure --pricing reserved": "API own GPUs break-even own pays to be taken",
    "buy Llama-3.1-70B --provider azure --pricing reserved --tokens-per-month 10B": "API to be taken API bill cheaper",
    "finetune 70B --pricing reserved": "method provider GPUs USD/GPU-h hours USD to be taken",
    "afford --budget 1M": "provider GPUs parameters tokens",
    "afford --budget 1M --kinds reserved": "provider GPUs parameters tokens to be taken",
    "what-if 70B": "variant x hours final run USD",
    "own 70B": "basis USD/GPU-h final run USD",
    "past 70B": "day gpu USD/GPU-h final run USD all",
    "size --params 13B --inference-tokens 2T": "params tokens saved share",
    "afford --gpu-hours 1.5M --params 405B": "gpu utilisation tokens low tokens mid tokens high",
    "commitment --on-demand 3.29 --reserved 2.19": "on demand reserved break even use pays by use pays against decline",
    "reliability --gpus 4096": "stopped by mtbf hours minutes between saves loss",
    "cost 70B --pricing reserved": "provider total USD to be taken",
    "plan 70B": "provider price GPUs days total USD",
}
# of those whose table holds no price of an offer what the title says they are of
UNPRICED = {
    "afford --gpu-hours 1.5M --params 405B": "405B parameters in 1.5M GPU-hours",
    "commitment --on-demand 3.29 --reserved 2.19": "yearly decline of prices: 20%",
    "reliability --gpus 4096": "4,096 GPUs on 512 nodes",
    "size --params 13B --inference-tokens 2T": "In place of 13B parameters on its best tokens by each fit",
}
END = "-- end of a command --"
SAY = f"""
import fcntl, shlex, struct, sys, termios
from pipelines.cli import main
for asked in sys.argv[1:]:
    width, command = asked.split(":", 1)
    if width:
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 40, int(width), 0, 0))
    sys.argv = ["gpuledger", *shlex.split(command)]
    try:
        main()
    except SystemExit as end:
        assert not end.code
    print({END!r}, flush=True)
"""
UNDER = re.compile(r"\(\d+\) ")
WIDTHS = (80, 120, 200)
Shown = Callable[[int | None, str], list[str]]


@pytest.fixture(scope="module")
def shown(recorded_home: Home) -> Shown:
    """The lines of a command as a terminal of that width gets them; without one, as a file does."""
    terminal = [(width, command) for width in WIDTHS for command in COMMANDS]
    terminal += [(60, "cost"), *((width, command) for width in (80, 120) for command in ANSWERS)]
    found = _printed(recorded_home, [(None, command) for command in COMMANDS]) | _printed(recorded_home, terminal)
    return lambda width, command: found[width, command]


def _printed(home: Home, asked: Sequence[tuple[int | None, str]]) -> dict[tuple[int | None, str], list[str]]:
    """What one process prints of all commands, each in a terminal of its width, or all in a file."""
    environment = os.environ | {"GPULEDGER_HOME": str(home.root), "TERM": "xterm", "COLUMNS": ""}
    arguments = [sys.executable, "-c", SAY, *(f"{width or ''}:{command}" for width, command in asked)]
    if asked[0][0] is None:
        printed = subprocess.run(arguments, env=environment, capture_output=True, text=True, check=True).stdout
    else:
        ours, theirs = pty.openpty()
        with subprocess.Popen(arguments, env=environment, stdin=theirs, stdout=theirs, stderr=subprocess.DEVNULL):
            os.close(theirs)
            said = b""
            while part := _read(ours):
                said += part
        os.close(ours)
        printed = re.sub(r"\x1b\[[0-9;]*m", "", said.decode())
    *commands, rest = (part.splitlines() for part in re.split(rf"{END}\r?\n", printed))
    assert (len(commands), rest) == (len(asked), [])
    return dict(zip(asked, commands, strict=True))


def _read(end: int) -> bytes:
    try:
        return os.read(end, 1 << 16)
    except OSError:  # Linux says so where the other end is closed
        return b""


@pytest.mark.parametrize("command", [command for command in COMMANDS if not command.startswith("sql")])
def test_no_figure_and_no_name_is_broken(shown: Shown, command: str) -> None:
    words = {word for line in shown(None, command) for word in line.split()} | {"note"}
    for width in WIDTHS:
        table = [line for line in shown(width, command) if line.startswith(" ")]
        assert max(map(len, table)) <= width
        rows = [line for line in table if not line.startswith("   ")]  # without the second lines of notes
        found = {word for line in rows for word in line.split() if not re.fullmatch(r"─+|\(\d+\)", word)}
        assert not sorted(found - words), width


@pytest.mark.parametrize("command", ANSWERS)
@pytest.mark.parametrize("width", [80, 120])
def test_the_columns_that_answer_are_kept(shown: Shown, width: int, command: str) -> None:
    lines = shown(width, command)
    heading = lines[next(number for number, line in enumerate(lines) if line.startswith(" ──")) - 1]
    assert len(heading.rstrip()) <= width
    assert re.fullmatch(".*" + ".*".join(map(re.escape, ANSWERS[command].split())) + ".*", heading)


@pytest.mark.parametrize("width", [80, 120])
def test_every_table_says_of_what_it_is_and_prices_their_days_and_that_they_are_recorded(
    shown: Shown, width: int
) -> None:
    for command in (*ANSWERS, "cost", "offers --limit 300"):
        lines = shown(width, command)
        title = " ".join(lines[: next(number for number, line in enumerate(lines) if line.startswith(" ──")) - 1])
        dated = r"\b(Recorded (prices|rents) of|seen) 20\d\d-\d\d-\d\d"
        assert re.search(re.escape(UNPRICED[command]) if command in UNPRICED else dated, title), command
        if command.startswith("buy"):
            assert "API prices by the list of genai-prices " in title
    assert shown(width, "finetune 70B --pricing reserved")[0].startswith("70B on 1B tokens, ")
    assert shown(width, "afford --budget 1M")[0].startswith("1M USD, ")


def test_where_to_go_and_rent_it_stays_longer_than_what_is_good_to_know(shown: Shown) -> None:
    for command in ("plan 70B", *(one for one in ANSWERS if re.match("host|buy|finetune|afford --budget", one))):
        lines = shown(120, command)
        headings = [lines[number - 1] for number, line in enumerate(lines) if line.startswith(" ──")]
        assert len(headings) == (2 if command == "plan 70B" else 1)
        assert all(" offer " in heading for heading in headings), command


def test_notes_stand_once_under_the_table_and_what_is_left_out_is_named(shown: Shown) -> None:
    lines = shown(80, "plan 70B")
    assert len(lines) < 80
    notes = [line for line in lines if UNDER.match(line)]
    assert len(notes) == len(set(notes)) > 2
    (told,) = re.findall(r"Left out at 80 characters: [^;]*P10 to P90[^;]*; --format json has all\.", " ".join(lines))
    heading = next(line for line in lines if "total USD" in line)
    assert "USD/GPU-h" not in heading
    assert "USD/GPU-h" in told


@pytest.mark.parametrize("width", [80, 60])
def test_a_plain_terminal_has_all_six_sizes(shown: Shown, width: int) -> None:
    lines = shown(width, "cost")
    assert not any(line.startswith("Left out") for line in lines)
    headings = [line.split() for line in lines if line.startswith(" provider")]
    assert len(headings) == (1 if width == 80 else 2)  # where they do not fit, one table under the other
    assert [size for words in headings for size in words[3:]] == ["1B", "7B", "13B", "70B", "405B", "1T"]
    assert sum(line.startswith(" aws on_demand ") for line in lines) == len(headings)


def test_a_query_with_more_columns_than_fit_keeps_the_first_whole(shown: Shown) -> None:
    lines = shown(80, "sql 'FROM price_now LIMIT 3'")
    told = " ".join(lines[next(n for n, line in enumerate(lines) if line.startswith("Left out")) :])
    assert "page_sha256" in told  # as a query has to call it
    assert "page sha256" not in told
    assert lines[1].split()[:2] == ["provider", "sku"]


@pytest.mark.parametrize(("width", "command"), [(None, "cost"), (80, "cost"), (80, "host 70B --pricing reserved")])
def test_captions_are_no_wider_than_the_table_or_80_characters(shown: Shown, width: int | None, command: str) -> None:
    lines = shown(width, command)
    rule = next(n for n, line in enumerate(lines) if set(line.strip()) == {"─"})
    widest = max(80, len(lines[rule]))
    captions = lines[: rule - 1]
    assert any(len(line) > 40 for line in captions)
    assert all(len(line) <= widest for line in captions if " " in line.strip())
