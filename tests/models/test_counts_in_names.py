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
    # in packs, behind a dash or a stroke, of a whole, in other words and letters
    "H100 8-pack": {8},
    "H100 - 8": {8},
    "H100/8": {8},
    "H100, 8": {8},
    "H100 | 8": {8},
    "H100 SXM5 8": {8},
    "H100 80GB - 8": {8},
    "8卡 H100": {8},
    "H100 8장": {8},
    "八卡 H100": {8},
    "cluster of 8 H100": {8},
    "bundle of 8 H100": {8},
    "pack of eight H100": {8},
    "H100 (node of 8)": {8},
    "Eight-way H100": {8},
    "Octa-GPU H100": {8},
    "quad-GPU A100": {4},
    "quartet of L40S": {4},
    "RTX A6000 Duo": {2},
    "(8) H100": {8},
    "8-H100": {8},
    "8 RTX 4090": {8},
    "512 H100": {512},
    "8 of the H100": {8},
    "H100 qty 8": {8},
    "gpus=8 H100": {8},
    "8-OAM MI300X": {8},
    "HGX-8 H100": {8},
    "4 Gaudi 3": {4},
    "v5litepod-8": {8},
    "RTX 4090 - 8": {8},
    # nodes times their cards
    "2 nodes x 8 H100": {16},
    "Dual-node 8x H100": {16},
    "two nodes of eight H100": {16},
    "4 nodes with 8x H100": {32},
    "8 x 8xH100": {64},
    "8x8xH100": {64},
    "1x HGX B200 8-GPU": {8},
    "4 x HGX H100 8-GPU": {32},
    "16 H100 in 2 nodes": {16},
    "8 nodes H100 (64 GPUs)": {64},
    "1x GB200 NVL72": {72},
    "GB300 NVL72 x1": {72},
    "GB200 NVL72 rack": {72},
    "2 GB200 NVL72 racks": {144},
    "4x GB200 NVL72": {4},  # a tray
    # memories, versions, models, cores, terms and sizes of plans
    "RTX 3070 - 8": set(),
    "RTX 3070/8": set(),
    "A100 SXM 4": set(),
    "A100-SXM-4": set(),
    "TPU v4-8": set(),
    "Gaudi 3 accelerators": set(),
    "Trainium 2 chips": set(),
    "gpu_1x_a10_8": {1},
    "8-core H100": set(),
    "H100, term of 12 months": set(),
    "L-40S": set(),
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
    "of_a_name", ["{t} {n}-pack", "pack of {n} {t}", "{n}卡 {t}", "{t} - {n}", "{n} GPU {t} server"]
)
@pytest.mark.parametrize("name", ["H100", "NVIDIA A100", "L40S", "MI300X", "RTX 5090"])
def test_a_count_is_read_of_every_number_and_name(name, of_a_name):
    for n in range(2, 17):
        assert counts_said(of_a_name.format(t=name, n=n)) == {n}


SEVERAL = """
    HGX B300 node; full node of H100; H100 bundle; DGX H100 system; DGX H100 SuperPOD; rack of H100; H100 pod;
    H100 box; H100 machine; H100 server; HGX H100 baseboard; full HGX H100; MI300X platform; cluster of H100s;
    H100 nodes; 1x H100 node; one H100 server; 1 H100 node; single L4 server; 1x HGX H100; 1x DGX H100;
    multi-node H100; several H100; Trn2 UltraServer; TPU v5e pod; H100 服务器; RTX PRO 6000 Server Edition node;
    Gaudi 3 server; H100 per node
"""


@pytest.mark.parametrize("name", [name.strip() for name in SEVERAL.split(";")])
def test_a_whole_machine_is_never_the_price_of_one_card(name):
    one = quote("2.99", gpu=name, gpu_count=Decimal(1))
    assert only_reason(one) == "bad_count"
    assert only_offer(quote("23.92", gpu=name, gpu_count=Decimal(8))).usd_per_gpu_hour == Decimal("2.99")


@pytest.mark.parametrize("name", ["2x DGX H100", "2x HGX H100", "2 H100 nodes", "2x H100 servers", "2台 H100"])
def test_machines_are_not_counted_as_cards(name):
    assert only_reason(quote("40", gpu=name, gpu_count=Decimal(2))) == "bad_count"
    assert only_reason(quote("40", gpu=name, gpu_count=Decimal(15))) == "bad_count"
    assert only_offer(quote("40", gpu=name, gpu_count=Decimal(16))).usd_per_gpu_hour == Decimal("2.5")


@pytest.mark.parametrize(
    "name",
    [
        *(
            "NVIDIA HGX H100",
            "GB200 NVL72",
            "DGX A100 (80GB)",
            "RTX PRO 6000 Blackwell Server Edition",
            "H100 node (1 GPU)",
        ),
        *("RTX PRO 4500 Blackwell Server Edition", "RTX PRO Server 6000", "H100, 64 GB system memory", "H100 instance"),
        *("H100 virtual machine", "Serverless H100", "Multi-Instance GPU A100", "H100s"),
    ],
)
def test_a_name_of_a_kind_of_machine_may_be_of_one_card(name):
    assert only_offer(quote("2.50", gpu=name, gpu_count=Decimal(1))).usd_per_gpu_hour == Decimal("2.50")


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
