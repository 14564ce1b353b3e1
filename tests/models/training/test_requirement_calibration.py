"""The priors against the runs they were measured on, and against two that were kept out.

published_runs.csv holds every run with published GPU-hours, parameters and tokens. Its `why` says what the
hours cover, and for an excluded run why it cannot be used: rumoured sizes (GPT-4), hours that a database
inferred and nobody measured (Megatron-LM 8.3B, Nemotron-4 340B), a re-run that was only estimated (MPT-30B),
distilled models whose teacher's compute is elsewhere (Llama 3.2 1B and 3B).
"""

from __future__ import annotations

import csv
import math
from dataclasses import replace
from pathlib import Path
from statistics import mean, median, quantiles

import pytest

from models.constants import constant, constants
from models.gpus import gpus
from models.llms import llm_named
from models.peak import sixteen_bit_peak
from models.training.flop import ATTENTIONS, training_flop
from models.training.plausibility import doubts, implied_utilisation
from models.training.requirement import requirement
from models.training.utilisation import RUN_GROUP

GROUPS = ("a100_dense", "h100_dense", "h100_moe", "tpu_dense")

with Path(__file__).with_name("published_runs.csv").open(newline="", encoding="utf-8") as file:
    RUNS = list(csv.DictReader(file))


def runs(use, group=None):
    return [run for run in RUNS if run["use"] == use and group in (None, group_of(run))]


def group_of(run):
    family = gpus()[run["gpu"]].gpu_family
    return f"{RUN_GROUP.get(family)}_{llm_named(run['llm']).architecture}"


def measured(run):
    """Effective utilisation in 6ND of a published run."""
    flop = training_flop(llm_named(run["llm"]), "none").total
    return implied_utilisation(flop, float(run["gpu_hours"]), sixteen_bit_peak(gpus()[run["gpu"]]).tflops)


def predicted_over_published(run):
    cluster = int(run["gpus"]) if run["gpus"] else 1  # 1: size unknown, no loss of scale
    need = requirement(llm_named(run["llm"]), gpus()[run["gpu"]], gpus=cluster)
    return need.gpu_hours_p50 / float(run["gpu_hours"])


def factor(ratio):
    return max(ratio, 1 / ratio)


@pytest.mark.parametrize("group", GROUPS)
def test_each_prior_is_what_its_runs_show(group):
    low, mid, high = quantiles([measured(run) for run in runs("prior", group)], n=4, method="inclusive")
    prior = constants()[f"utilisation_{group}"]
    assert (prior.low, prior.value, prior.high) == pytest.approx((low, mid, high), abs=0.0051)
    assert prior.source.startswith(f"{len(runs('prior', group))} published runs")


def test_the_prior_of_all_runs():
    assert len(runs("prior")) == 34
    assert constant("utilisation_all") == pytest.approx(median(map(measured, runs("prior"))), abs=0.005)


def test_the_priors_hold_the_attention_of_sequences_as_long_as_their_runs_had():
    lengths = [llm_named(run["llm"]).seq_len or 0 for run in runs("prior")]
    assert constant("prior_longest_seq_len") == max(lengths)


@pytest.mark.parametrize("name", ["GPT-3 175B", "DeepSeek-V3", "Llama 3.1 405B"])
def test_hours_are_the_same_whether_attention_is_counted_or_not(name):
    llm, chip = llm_named(name), gpus()["h100_sxm"]
    hours = {requirement(llm, chip, gpus=64, attention=how).gpu_hours_p50 for how in ATTENTIONS}
    assert max(hours) == pytest.approx(min(hours))


def test_sequences_longer_than_those_of_the_runs_cost_more():
    llama = llm_named("Llama 3.1 405B")
    longer = replace(llama, seq_len=131_072)
    share = training_flop(llama, "full").attention_share
    hours = [requirement(llm, gpus()["h100_sxm"], gpus=64).gpu_hours_p50 for llm in (llama, longer)]
    assert hours[1] / hours[0] == pytest.approx((1 + 16 * share) / (1 + share))


def test_the_published_hours_are_met():
    factors = [factor(predicted_over_published(run)) for run in runs("prior")]
    assert median(factors) <= 1.25
    assert sum(f <= 1.5 for f in factors) / len(factors) >= 0.85


def test_a_flat_forty_percent_would_not_meet_them():
    # 40% of the peak for every run predicts too few hours: why the priors are measured and not benchmarks
    ratios = [measured(run) / 0.40 for run in runs("prior")]
    assert median(ratios) == pytest.approx(1 - 0.29, abs=0.03)
    assert median(map(factor, ratios)) > 1.35


def test_runs_kept_out_of_the_priors_are_met_too():
    for run in runs("held_out"):
        assert factor(predicted_over_published(run)) < 1.25, run["llm"]


def test_p10_to_p90_holds_about_eighty_percent_of_the_runs():
    inside = 0
    for run in runs("prior"):
        need = requirement(llm_named(run["llm"]), gpus()[run["gpu"]], gpus=int(run["gpus"] or 1))
        inside += need.gpu_hours_p10 <= float(run["gpu_hours"]) <= need.gpu_hours_p90
    assert 0.75 <= inside / len(runs("prior")) <= 0.90


def test_the_group_spread_is_what_is_left_after_the_group():
    left = [
        math.log(measured(run) / constant(f"utilisation_{group_of(run)}")) for g in GROUPS for run in runs("prior", g)
    ]
    assert constant("utilisation_sigma_group") == pytest.approx(math.sqrt(mean(x * x for x in left)), abs=0.015)


def test_no_published_run_is_impossible():
    for run in RUNS:
        found = doubts(llm_named(run["llm"]), float(run["gpu_hours"]), sixteen_bit_peak(gpus()[run["gpu"]]).tflops)
        assert found == [], run["llm"]


def test_the_clusters_the_effective_utilisation_was_measured_on():
    sizes = [int(run["gpus"]) for run in runs("prior") if run["gpus"]]
    assert 512 < median(sizes) <= constant("scale_loss_from_gpus_effective")
