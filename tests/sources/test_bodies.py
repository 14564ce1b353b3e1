"""Lines of a body however it is cut, and none without end."""

from __future__ import annotations

import tracemalloc
from itertools import repeat

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sources.bodies import LONGEST_LINE, whole_lines
from sources.providers import gpuhunt, skypilot
from sources.providers.aws import bulk_lines
from sources.source import ErrorAnswer, LayoutChanged


@given(st.lists(st.sampled_from([b"a", b"bc", b"\n", b"\n\n", b"d\ne", b""]), max_size=30))
def test_lines_do_not_depend_on_how_the_body_is_cut(pieces: list[bytes]):
    assert list(whole_lines(pieces)) == b"".join(pieces).split(b"\n")


def test_a_body_without_line_ends_is_given_up_before_it_fills_the_memory(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(bulk_lines, "LARGEST_BLOCK_BYTES", LONGEST_LINE)
    for read in (whole_lines, skypilot.reduce, bulk_lines.reduce):
        tracemalloc.start()
        with pytest.raises(LayoutChanged, match="a line has more than 8 MB"):
            list(read(repeat(b"x" * (1 << 16), 100_000)))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 3 * LONGEST_LINE


def test_an_archive_without_end_is_given_up_before_it_fills_the_memory(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(gpuhunt, "LARGEST_ARCHIVE", 1 << 20)
    with pytest.raises(ErrorAnswer, match="more than 1 MB"):
        list(gpuhunt.only_file(repeat(b"PK" * (1 << 15))))
