"""FLOP, hours and peaks of one run, against figures worked out by hand or published."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.gpus import gpus
from models.llms import Llm, llm_named, llms
from models.peak import NoPeak
from models.training.flop import training_flop
from models.training.requirement import gpus_for_deadline, requirement, training_requirement, why_no_requirement
from models.training.utilisation import restated, scale_efficiency

SEVEN_B = llm_named("7B")


def custom(params=7 * 10**9, tokens=10**12, active=None):
    return Llm("custom", "custom", params, active or params, tokens, None, None, None, "moe" if active else "dense")


# FLOP


def test_seven_billion_on_one_trillion_tokens_is_42e21():
    assert training_flop(SEVEN_B).total == 42 * 10**21  # and not 42e18


def test_attention_adds_what_the_shape_says():
    # 12 L d s over 6 N: Llama 3.1 405B +8.3% at 8k and +133% at 128k; a 7B at 4k +16%
    llama = llm_named("Llama 3.1 405B")
    assert training_flop(llama, "full").attention_share == pytest.approx(0.083, abs=0.0005)
    long_context = replace(llama, seq_len=131_072)
    assert training_flop(long_context, "full").attention_share == pytest.approx(1.33, abs=0.005)
    assert training_flop(llm_named("Llama 2 7B"), "full").attention_share == pytest.approx(0.16, abs=0.005)
    assert training_flop(llama, "causal").attention_per_token * 2 == training_flop(llama, "full").attention_per_token


def test_attention_is_as_wide_as_its_heads_and_not_as_the_hidden_state():
    # 12 x 61 layers x 4,096 tokens x 128 heads of 160 (192 for keys, 128 for values) over 6 x 37e9; the state is 7,168
    deepseek = training_flop(llm_named("DeepSeek-V3"), "full")
    assert deepseek.attention_per_token == 12 * 61 * 4096 * 128 * 160
    assert deepseek.attention_share == pytest.approx(0.277, abs=0.001)
    assert training_flop(llm_named("GLM-4.5"), "full").attention_per_token == 12 * 92 * 4096 * 96 * 128


def test_a_mixture_of_experts_computes_with_its_active_parameters_and_stores_all():
    deepseek = llm_named("DeepSeek-V3")
    need = requirement(deepseek, gpus()["h100_sxm"])
    assert training_flop(deepseek, "none").total == 6 * 37 * 10**9 * 14_800 * 10**9
    assert need.state_gb == 671 * 16
    assert need.min_gpus == 168  # 671B x 16 B over 0.8 x 80 GB; 37B would be 10


def test_counting_attention_without_a_shape_is_refused():
    with pytest.raises(ValueError, match="layers, width and sequence length"):
        training_flop(llm_named("GPT-4"), "full")


# hours


@pytest.mark.parametrize(("share", "hours"), [(1.0, 11_792), (0.40, 29_479), (0.28, 42_113)])
def test_hours_of_the_worked_example(share, hours):
    # 4.2e22 over 989.4 TFLOPS
    need = requirement(SEVEN_B, gpus()["h100_sxm"], utilisation=share)
    assert need.gpu_hours_p50 == pytest.approx(hours, abs=1)
    assert need.gpu_hours_p10 == need.gpu_hours_p50 == need.gpu_hours_p90


@pytest.mark.parametrize(("share", "peak", "hours"), [(1.0, 990, 11_785), (0.40, 989, 29_491)])
def test_hours_of_the_worked_example_at_rounded_peaks(share, peak, hours):
    need = requirement(SEVEN_B, gpus()["h100_sxm"], utilisation=share, peak_tflops=peak)
    assert need.gpu_hours_p50 == pytest.approx(hours, abs=0.6)


def test_median_hours_use_the_effective_utilisation_and_not_a_benchmark():
    need = requirement(SEVEN_B, gpus()["h100_sxm"])
    assert need.utilisation_mid == pytest.approx(0.26)
    assert need.gpu_hours_p50 == pytest.approx(4.2e22 / (989.4e12 * 0.26 * 3600))
    assert requirement(SEVEN_B, gpus()["a100_sxm_80"]).utilisation_mid == pytest.approx(0.37)


def test_p10_and_p90_are_those_of_a_lognormal():
    need = requirement(SEVEN_B, gpus()["h100_sxm"])
    spread = math.exp(1.2816 * 0.32)
    assert need.gpu_hours_p90 / need.gpu_hours_p50 == pytest.approx(spread, rel=1e-4)
    assert need.gpu_hours_p50 / need.gpu_hours_p10 == pytest.approx(spread, rel=1e-4)
    unknown = requirement(SEVEN_B, gpus()["l40s"])  # no runs on it: wider
    assert unknown.gpu_hours_p90 / unknown.gpu_hours_p50 == pytest.approx(math.exp(1.2816 * 0.38), rel=1e-4)


def test_a_chip_without_runs_takes_over_h100s_by_its_matmul_ceiling():
    # B200 reaches 1745 of 2250 TFLOPS in a matmul, H100 0.80 of its peak
    need = requirement(SEVEN_B, gpus()["b200"])
    assert need.utilisation_mid == pytest.approx(0.26 * (1745 / 2250) / 0.80)
    assert "matmul ceiling 0.78" in need.basis


def test_hours_hardly_depend_on_the_attention_convention():
    # the prior is restated with it; only the model's own share against the group's is left
    llama = llm_named("Llama 3.1 70B")
    hours = [
        requirement(llama, gpus()["h100_sxm"], attention=kind, gpus=1024).gpu_hours_p50
        for kind in ("none", "causal", "full")
    ]
    assert max(hours) / min(hours) < 1.05


def test_a_longer_context_costs_hours():
    llama = llm_named("Llama 3.1 405B")
    short, long = (
        requirement(replace(llama, seq_len=context), gpus()["h100_sxm"], gpus=16_384).gpu_hours_p50
        for context in (8_192, 131_072)
    )
    assert long / short == pytest.approx(2.333 / 1.083, rel=0.001)


# peaks: the traps


def test_each_form_of_the_h100_has_its_own_hours():
    hours = {gpu: requirement(SEVEN_B, gpus()[gpu]).gpu_hours_p50 for gpu in ("h100_sxm", "h100_nvl", "h100_pcie")}
    assert hours["h100_sxm"] < hours["h100_nvl"] < hours["h100_pcie"]
    assert hours["h100_pcie"] / hours["h100_sxm"] == pytest.approx(989.4 / 756, rel=1e-3)


def test_the_sparse_peak_is_refused():
    with pytest.raises(ValueError, match="sparse"):
        requirement(SEVEN_B, gpus()["h100_sxm"], peak_tflops=1979)


def test_consumer_cards_count_at_fp32_accumulate():
    # 165 and not 330; 71 and not 142
    assert requirement(SEVEN_B, gpus()["rtx_4090"]).peak_tflops == pytest.approx(165.2)
    assert requirement(SEVEN_B, gpus()["rtx_3090"]).peak_tflops == pytest.approx(71, rel=0.01)


def test_fp8_has_its_own_basis():
    bf16, fp8 = (requirement(SEVEN_B, gpus()["h100_sxm"], precision=p) for p in ("bf16", "fp8"))
    assert (bf16.precision, fp8.precision) == ("bf16", "fp8")
    assert fp8.peak_tflops == pytest.approx(1978.9)
    assert fp8.utilisation_mid == pytest.approx(0.26 * 1.2 / 2, rel=1e-3)
    assert bf16.gpu_hours_p50 / fp8.gpu_hours_p50 == pytest.approx(1.2)  # not 2, the ratio of the peaks
    assert fp8.gpu_hours_p90 / fp8.gpu_hours_p10 > bf16.gpu_hours_p90 / bf16.gpu_hours_p10
    assert restated(0.389, 989.4, 1978.9) == pytest.approx(0.1945, abs=0.0001)  # DeepSeek-V3


def test_volta_and_turing_run_in_fp16():
    t4 = requirement(SEVEN_B, gpus()["t4"])
    assert (t4.precision, t4.peak_tflops) == ("fp16", 65)


def test_a_precision_the_chip_lacks_is_refused():
    with pytest.raises(NoPeak, match="a100_sxm_80: no dense FP8"):
        requirement(SEVEN_B, gpus()["a100_sxm_80"], precision="fp8")
    with pytest.raises(ValueError, match="int3"):
        requirement(SEVEN_B, gpus()["a100_sxm_80"], precision="int3")


@pytest.mark.parametrize("share", [0, -0.4, 1.01, 40, 400, math.nan])
def test_utilisation_is_a_share(share):
    with pytest.raises(ValueError, match="above 0 and at most 1"):
        requirement(SEVEN_B, gpus()["h100_sxm"], utilisation=share)


def test_percent_is_answered_with_the_share():
    with pytest.raises(ValueError, match=r"40% is 0.4"):
        requirement(SEVEN_B, gpus()["h100_sxm"], utilisation=40)


# clusters and days


def test_the_default_cluster_is_the_smallest_of_whole_nodes_that_is_in_time():
    need = requirement(SEVEN_B, gpus()["h100_sxm"])
    assert need.gpus % 8 == 0
    assert need.gpus >= need.min_gpus
    assert need.wall_days <= 90
    assert need.gpu_hours_p50 / (need.gpus - 8) / 24 > 90
    assert need.wall_days == need.gpu_hours_p50 / need.gpus / 24


def test_no_cluster_is_larger_than_any_that_was_built():
    need = requirement(llm_named("1T"), gpus()["t4"])
    assert need.gpus == 100_000
    assert need.gpus_for_deadline > 100_000
    assert need.wall_days > 90


def test_large_clusters_lose_scale():
    assert scale_efficiency(128, 128) == 1
    assert scale_efficiency(512, 128) == pytest.approx(0.95)  # two doublings of 2.5%
    assert scale_efficiency(2**60, 128) == 0.5
    slow, fast = (requirement(llm_named("405B"), gpus()["h100_sxm"], gpus=n) for n in (1_024, 16_384))
    assert fast.gpu_hours_p50 / slow.gpu_hours_p50 == pytest.approx(1 / 0.9)
    given_share = requirement(llm_named("405B"), gpus()["h100_sxm"], gpus=16_384, utilisation=0.4)
    assert given_share.scale_efficiency == 1  # a share of the billed hours has it in


# the table


def test_the_table_has_every_llm_on_every_chip_that_trains():
    chips = gpus().values()
    frame = training_requirement(llms(), chips)
    without = [chip.gpu for chip in chips if why_no_requirement(chip)]
    assert frame.height == len(llms()) * (len(gpus()) - len(without))
    assert not set(frame["gpu"]) & set(without)
    assert set(frame["llm"]) >= {"1B", "7B", "13B", "70B", "405B", "1T", "Llama 3.1 405B", "DeepSeek-V3"}
    assert frame.null_count().sum_horizontal().item() == 0
    assert frame.select("llm", "gpu").is_unique().all()
    seven = frame.filter(llm="7B", gpu="h100_sxm").row(0, named=True)
    assert seven["flop"] == 4.2e22
    assert seven["gpu_hours_p50"] == requirement(SEVEN_B, gpus()["h100_sxm"]).gpu_hours_p50


def test_a_form_that_does_not_say_its_memory_counts_the_least_of_its_family():
    frame = training_requirement([llm_named("70B")], gpus().values())
    fewest = dict(frame.select("gpu", "min_gpus").iter_rows())
    assert fewest["a100"] == fewest["a100_sxm_40"] == 35
    assert fewest["a100_sxm_80"] == 18


def test_size_classes_cost_more_the_larger_they_are():
    hours = [
        requirement(llm_named(size), gpus()["h100_sxm"]).gpu_hours_p50
        for size in ("1B", "7B", "13B", "70B", "405B", "1T")
    ]
    assert hours == sorted(hours)


# properties

counts = st.integers(min_value=10**6, max_value=10**13)


@given(counts, counts, st.integers(min_value=1, max_value=10**12))
def test_hours_grow_with_parameters_and_tokens(params, tokens, more):
    h100 = gpus()["h100_sxm"]
    base = requirement(custom(params, tokens), h100).gpu_hours_p50
    assert requirement(custom(params + more, tokens), h100).gpu_hours_p50 >= base
    assert requirement(custom(params, tokens + more), h100).gpu_hours_p50 >= base


@given(counts, counts, st.integers(min_value=1, max_value=1000))
def test_only_the_product_of_parameters_and_tokens_counts(params, tokens, factor):
    h100 = gpus()["h100_sxm"]
    wide = requirement(custom(params * factor, tokens), h100, gpus=1024)
    long = requirement(custom(params, tokens * factor), h100, gpus=1024)
    assert wide.flop == long.flop
    assert wide.gpu_hours_p50 == long.gpu_hours_p50
    assert wide.gpu_hours_p50 == pytest.approx(
        factor * requirement(custom(params, tokens), h100, gpus=1024).gpu_hours_p50
    )


@given(st.floats(min_value=1, max_value=1e12), st.floats(min_value=1, max_value=1e5))
def test_the_cluster_for_a_deadline_is_in_time_and_one_gpu_fewer_is_not(gpu_hours, deadline_hours):
    def days(gpus):
        return gpu_hours / scale_efficiency(gpus, 1024) / gpus

    enough = gpus_for_deadline(gpu_hours, deadline_hours)
    assert days(enough) <= deadline_hours * (1 + 1e-9)
    assert enough == 1 or days(enough - 1) > deadline_hours * (1 - 1e-9)
