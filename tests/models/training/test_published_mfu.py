"""The attention term against published MFU.

published_mfu.csv: rows of the benchmark tables of mosaicml/llm-foundry (scripts/train/benchmarking/README.md
rev 061f2c7), spread over sizes, contexts, chips and precisions; shapes from its yamls.
"""

from __future__ import annotations

import csv
from pathlib import Path
from statistics import median

import pytest

from models.gpus import gpus
from models.llms import Llm
from models.peak import peak
from models.training.flop import training_flop

with Path(__file__).with_name("published_mfu.csv").open(newline="", encoding="utf-8") as file:
    ROWS = list(csv.DictReader(file))


def mfu_percent(row, attention):
    params = int(row["params"])
    shape = (int(row["layers"]), int(row["width"]), int(row["seq_len"]))
    per_token = training_flop(Llm(row["model"], "named", params, params, 1, *shape, "dense"), attention).per_token
    reached = float(row["tokens_per_second_per_gpu"]) * per_token
    return 100 * reached / (peak(gpus()[row["gpu"]], row["precision"]).tflops * 1e12)


@pytest.mark.parametrize("row", ROWS, ids=lambda r: f"{r['model']}-{r['seq_len']}-{r['gpu']}-{r['precision']}")
def test_full_attention_reproduces_the_published_mfu_to_a_percent(row):
    assert mfu_percent(row, "full") == pytest.approx(float(row["mfu_percent"]), rel=0.01)


def test_without_attention_the_long_contexts_are_far_off():
    off = [1 - mfu_percent(row, "none") / float(row["mfu_percent"]) for row in ROWS]
    assert median(off) > 0.1
    assert max(off) == pytest.approx(0.88, abs=0.02)
