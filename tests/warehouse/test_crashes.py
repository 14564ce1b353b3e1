"""A few kills at random moments; `python -m bench.crashes` makes as many as wanted of the same."""

import pytest
from crashes import TRIALS


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("work", list(TRIALS))
def test_a_killed_process_costs_nothing_that_was_acknowledged(tmp_path, work, seed):
    TRIALS[work](tmp_path, seed)
