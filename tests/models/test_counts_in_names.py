"""Counts that a name says, and counts that no machine has: the price of eight cards never passes for that of one."""

from __future__ import annotations

from decimal import Decimal

import pytest
from quotes import only_offer, only_reason, quote

from models.naming.counts import counts_said

SAID = {
    "8x NVIDIA H100": {8},
    "NVIDIA H100 x8": {8},
    "NVIDIA H100 (8 GPUs)": {8},
    "8×H100": {8},  # noqa: RUF001
    "H100 * 8": {8},
    "H100:8": {8},
    "H100 (8)": {8},
    "8 NVIDIA H100": {8},
    "HGX H100 8-GPU": {8},
    "H100 8-way": {8},
    "H100_sxm5x8": {8},
    "MI300Xx8": {8},
    "A100 40 x 8": {8},
    "H100 8x80GB": {8},
    "8x80GB H100": {8},
    "4 x 24GB RTX 4090": {4},
    "256x H100": {256},
    "H100 x256": {256},
    "X999_9GB": set(),
    "8x4090": {8},
    "Dual RTX 4090": {2},
    "eight H100": {8},
    "single A100": {1},
    "72x GB200 NVL72": {72},
    # numbers that count no cards
    "H100 SXM5 80GB": set(),
    "GB200 NVL72": set(),
    "RTX 4090 (24)": set(),
    "H100 PCIe 5.0 x16": set(),
    "H100, 2x Intel Xeon Platinum 8480C": set(),
    "Dual Xeon Gold 6430, RTX 4090": set(),
    "TPU 7x": set(),
    "gx2-80x1280x8a100": {8},
    "H100 [1]": set(),  # a footnote
    "W7900 Dual Slot": set(),
    "TPU v5e 2x4": set(),  # a topology
    "4x16 T4": set(),  # four, or four of 16 GB
    "T4 (single slot)": set(),
    # in pieces, in brackets, in words, in front of the card
    "8 pcs H100": {8},
    "8 units H100": {8},
    "H100, 8 pieces": {8},
    "[8] H100": {8},
    "NVIDIA 8 H100": {8},
    "AMD 8 MI300X": {8},
    "Server with 8 H100": {8},
    "Server with 4 NVIDIA L40S": {4},
    "2x4 H100": {8},
    "8x8 H100": {64},
    "a dozen H100": {12},
    "twelve A100": {12},
    "H100 pair": {2},
    "pair of H100": {2},
    "AMD MI300X octa": {8},
    "AMD MI300X (eight)": {8},
}


@pytest.mark.parametrize(("text", "counts"), SAID.items())
def test_a_count_in_a_name_is_read(text, counts):
    assert counts_said(text) == counts


@pytest.mark.parametrize("name", ["8x NVIDIA H100", "NVIDIA H100 x8", "NVIDIA H100 (8 GPUs)", "H100_sxm5x8"])
def test_a_price_of_eight_is_not_that_of_one(name):
    node = quote("23.92", gpu=name, gpu_count=Decimal(8))
    assert only_offer(node).usd_per_gpu_hour == Decimal("2.99")  # a node of eight at 23.92
    assert only_reason(quote("23.92", gpu=name, gpu_count=Decimal(1))) == "bad_count"


def test_nodes_times_their_cards_agree_and_a_part_may_be_of_one():
    assert only_offer(quote("40", gpu="2 x 8xH100", gpu_count=Decimal(16))).usd_per_gpu_hour == Decimal("2.5")
    part = quote("0.45", gpu="1x A10", gpu_count=Decimal("0.5"), gpu_memory_gb=Decimal(12))
    assert only_offer(part).usd_per_gpu_hour == Decimal("0.90")


@pytest.mark.parametrize(
    ("gpu", "count", "fabric"),
    [
        ("GB200", "41", "multi_node"),  # four, and the mark of footnote 1
        ("H100 SXM", "81", None),
        ("H100 SXM", "17", None),
        ("H100 SXM", "24", "single_node"),
        ("H100 SXM", "1.5", None),
        ("A10", "2.5", None),
    ],
)
def test_a_count_that_no_machine_has_is_held(gpu, count, fabric):
    price = Decimal(count) * 2
    assert only_reason(quote(str(price), gpu=gpu, gpu_count=Decimal(count), fabric=fabric)) == "bad_count"


@pytest.mark.parametrize(
    ("gpu", "count", "fabric"),
    [
        ("GB200 NVL72", "72", "multi_node"),
        ("GB200 NVL72", "36", "single_node"),  # a rack is one domain
        ("GB200", "4", None),
        ("H100 SXM", "64", "multi_node"),
        ("H100 SXM", "256", "multi_node"),
        ("H100 SXM", "16", "single_node"),
        ("RTX A4000", "10", "single_node"),
        ("V100 SXM2 32GB", "15", "single_node"),  # marketplaces sell what is left of a machine
        ("TPU v5e", "256", None),
        ("Trainium2", "64", "single_node"),
    ],
)
def test_counts_that_machines_racks_and_clusters_have_are_kept(gpu, count, fabric):
    price = Decimal(count) * gpu_price(gpu)
    offer = only_offer(quote(str(price), gpu=gpu, gpu_count=Decimal(count), fabric=fabric))
    assert offer.usd_per_gpu_hour == gpu_price(gpu)


def gpu_price(gpu: str) -> Decimal:
    return Decimal("0.5") if gpu.startswith(("RTX", "V100")) else Decimal(2)
