"""Serving a model, and when that beats buying its tokens."""

from __future__ import annotations

import math
from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.costs.build_or_buy import (
    api_usd,
    at_parity,
    break_even,
    break_even_tokens,
    months_to_pay_back,
)
from models.costs.hosting import (
    Served,
    annual_usd,
    capacity_per_month,
    replica,
    replica_gpus,
    replicas_for,
    usd_per_million,
)
from models.gpus import gpus

H100 = gpus()["h100_sxm"]
LLAMA_70B = Served(params_total=70_600_000_000, params_active=70_600_000_000, layers=80, kv_heads=8, head_size=128)
DEEPSEEK = Served(params_total=671 * 10**9, params_active=37 * 10**9, layers=61, kv_heads=1, head_size=288)


def test_the_kv_cache_of_a_70b():
    assert replace(LLAMA_70B, precision="bf16").kv_bytes_per_token == pytest.approx(328e3, abs=500)


@pytest.mark.parametrize(
    ("batch", "tokens_per_second", "usd"), [(1, 227, 19.6), (64, 11_200, 0.40), (256, 26_300, 0.17)]
)
def test_a_70b_in_fp8_on_eight_h100(batch, tokens_per_second, usd):
    one = replica(LLAMA_70B, H100, batch=batch, gpus=8, price=Decimal(2))
    assert one.decode_tokens_per_second == pytest.approx(tokens_per_second, rel=0.003)
    assert one.usd_per_million_output == pytest.approx(usd, abs=0.05 if usd > 1 else 0.005)
    assert one.decode_bound == "bandwidth"


def test_a_large_batch_of_short_contexts_is_bound_by_arithmetic():
    assert replica(LLAMA_70B, H100, batch=4096, context=64, gpus=8).decode_bound == "compute"


def test_prefill_reads_faster_than_decode_writes():
    one = replica(LLAMA_70B, H100, gpus=8)
    assert one.prefill_tokens_per_second == pytest.approx(8 * 1978.9e12 * 0.5 / (2 * 70.6e9))
    assert one.prefill_tokens_per_second > one.decode_tokens_per_second


def test_gpus_of_a_replica():
    # 141 GB of BF16 weights on 80 GB cards
    assert replica_gpus(replace(LLAMA_70B, precision="bf16"), 1, 2048, 80) == 2
    with pytest.raises(ValueError, match="are needed"):
        replica(replace(LLAMA_70B, precision="bf16"), H100, gpus=1)


def test_a_chip_without_fp8_holds_and_computes_in_what_it_has():
    # 70.6 GB of FP8 weights are 141.2 GB in the 16 bits of a V100 or an A100: five and two of them with the cache
    for gpu, precision in (("v100_sxm_32", "fp16"), ("a100_sxm_80", "bf16"), ("h100_sxm", "fp8")):
        chip = gpus()[gpu]
        one = replica(LLAMA_70B, chip, batch=1, gpus=8)
        assert one.precision == precision
        same = replica(replace(LLAMA_70B, precision=precision), chip, batch=1, gpus=8)
        assert one.decode_tokens_per_second == same.decode_tokens_per_second
    with pytest.raises(ValueError, match="5 are needed"):
        replica(LLAMA_70B, gpus()["v100_sxm_32"], batch=1, gpus=4)


def test_a_mixture_of_experts_reads_more_of_itself_with_every_sequence():
    assert DEEPSEEK.weights_read_bytes(1) == pytest.approx(37e9)
    assert DEEPSEEK.weights_read_bytes(1) < DEEPSEEK.weights_read_bytes(8) < DEEPSEEK.weights_read_bytes(512)
    assert DEEPSEEK.weights_read_bytes(512) == pytest.approx(671e9, rel=1e-6)
    assert LLAMA_70B.weights_read_bytes(1) == 70.6e9


def test_idle_capacity_is_paid_for():
    assert usd_per_million(16, 11_200, 0.4) == pytest.approx(usd_per_million(16, 11_200) / 0.4)
    with pytest.raises(ValueError, match="share of the capacity"):
        usd_per_million(16, 11_200, 40)


@pytest.mark.parametrize(("gpu_count", "price", "usd"), [(4, "1.50", 52_560), (8, "7", 490_560)])
def test_a_year_of_serving(gpu_count, price, usd):
    assert annual_usd(gpu_count, Decimal(price)) == usd
    assert annual_usd(gpu_count, Decimal(price), spare_gpus=gpu_count) == 2 * usd


@pytest.mark.parametrize(("api", "tokens"), [("10", 1.2e9), ("2.50", 4.7e9), ("0.50", 23e9)])
def test_break_even_with_eight_h100_at_two_dollars(api, tokens):
    assert 8 * 2 * 730 == 11_680
    assert break_even_tokens(11_680, Decimal(api)) == pytest.approx(tokens, rel=0.03)
    one = replica(LLAMA_70B, H100, batch=64, gpus=8, price=Decimal(2))
    found = break_even(one, Decimal(api))
    assert found.monthly_usd == 11_680
    assert found.tokens_per_month == break_even_tokens(11_680, Decimal(api))
    assert found.reachable


def test_no_volume_beats_an_api_that_is_cheaper_than_a_full_replica():
    one = replica(LLAMA_70B, H100, batch=1, gpus=8, price=Decimal(2))  # 19.6 per million
    found = break_even(one, Decimal("10"))
    assert not found.reachable
    assert found.used_share > 1


def test_replicas_cover_the_traffic():
    one = replica(LLAMA_70B, H100, batch=64, gpus=8)
    assert replicas_for(1, one) == 1
    assert replicas_for(capacity_per_month(one), one) == 3  # at 40%
    # a token waits 3 / 112,100 s for its input and takes 1 / 11,200 s itself: a quarter more time, 3.1 replicas
    assert replicas_for(capacity_per_month(one), one, input_per_output=3) == 4


def test_an_api_bill_by_kind_of_token():
    prices = {"input": Decimal("2.50"), "output": Decimal("10")}
    assert api_usd({"input": 3e6, "output": 1e6}, prices) == 17.5
    with pytest.raises(ValueError, match="no API price for cached"):
        api_usd({"cached": 1}, prices)


def test_owned_hardware_pays_back_or_never():
    assert months_to_pay_back(120_000, 15_000, 5_000) == 12
    assert months_to_pay_back(120_000, 5_000, 5_000) == math.inf


def test_only_models_within_twenty_percent_are_compared():
    assert at_parity(72, 88)
    assert not at_parity(60, 88)


@given(st.floats(20, 300), st.floats(20, 300), st.integers(1, 512), st.integers(128, 65536))
def test_less_memory_never_takes_fewer_gpus(one, other, batch, context):
    small, large = min(one, other), max(one, other)
    assert replica_gpus(LLAMA_70B, batch, context, small) >= replica_gpus(LLAMA_70B, batch, context, large)


@given(st.integers(1, 256), st.integers(1, 256))
def test_larger_batches_make_tokens_cheaper(one, other):
    small, large = min(one, other), max(one, other)
    cost = [replica(LLAMA_70B, H100, batch=b, gpus=8, price=Decimal(2)).usd_per_million_output for b in (small, large)]
    assert cost[1] <= cost[0] * (1 + 1e-9)
