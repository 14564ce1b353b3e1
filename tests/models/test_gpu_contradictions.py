"""Names that look like a card and are not, or are a part of one: unknown, or a slice; never the whole card."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.gpu_table import families
from models.gpus import gpus, resolve

UNKNOWN = {
    "another card": """
        RTX PRO 6000D; RTX PRO 6000 D; RTX 6000D; L40D; L40 D; L40C; Rubin CPX; Rubin Ultra; Rubin Ultra NVL576;
        Vera Rubin NVL144 CPX; H100 CNX; H100 Ultra; B200 Blackwell Ultra; GB200 Ultra; GH200 NVL2; TITAN V CEO;
        RTX 5090 D v2; RTX 5090D V2 24GB; RTX 4090D 48GB; RTX 2080 Ti 22GB; RTX 3080 20GB; RTX 3050 6GB; A30X; A10M;
        Quadro GV100; GRID K520; GRID M60; Trainium2 Ultra; Trainium4; TPU v4i; TPU 8i; MI308X; MI350P; RX 7900 GRE;
        Arc A770M; Intel Arc A770 8GB; Gaudi3 HL-338; Gaudi 2D; Gaudi2 HL-225D; Jetson T4000;
        DRIVE A100; BlueField-2 A30X
    """,
    "a memory that no card of the name has": """
        H100 PCIe 96GB; H100 96GB; H100 SXM5 96GB; H100 SXM 94GB; H100 64GB; A100 64GB; A100-64; Ampere A100-64;
        A40 24GB; L4 48GB; L40S 96GB; T4 32GB; P40 48GB; MI300X 256GB; H20 141GB
    """,
    "two memories, so that it stays open which": """
        A100 40/80GB; A100 40 / 80 GB; A100 40-80GB; A100 40 or 80GB; A100 40 to 80 GB; A100 40GB/80GB; V100 16/32GB;
        Tesla V100 16&32GB; RTX 3060 8/12GB; 8 vCPU A100 40/80GB
    """,
    "a part of unknown share": "MI250 (1 GCD); MI250X GCD; Max 1550 (1 tile)",
    "said not to be the card": """
        no H100; No NVIDIA H100; non-H100; without A100; A100 successor; H100 replacement; H100 killer; H100 clone;
        similar to H100; unlike A100
    """,
    "another maker": """
        Gaudi HL-2080; HL-2080Ti; Intel A100; Intel Arc A40; Intel Arc Pro A40; Arc Pro A30M; Intel 4090; AMD A30;
        AMD A40; AMD L4; AMD 4090; NVIDIA MI300X; NVIDIA 7900 XTX; NVIDIA TPU v4; NVIDIA Trainium; Apple A16; Apple A10;
        Apple M40; Qualcomm A100; Adreno A40; Iluvatar V100; Enflame T4; Hygon DCU A100; Huawei Ascend A100;
        Tenstorrent A100; Radeon HD 5070; Radeon RX 5060; FirePro A300
    """,
    "a CPU": """
        AMD A10-7850K; AMD A10 7850K; A16 Bionic; Apple A16 Bionic; SPARC T4; SPARC T4-1; Oracle SPARC T4; Cortex-A40;
        ARM Cortex-A30; Intel Xeon 3070; Xeon A10; Xeon L4; Xeon E5-2080; AMD EPYC 3090; EPYC 4090; Opteron 2080;
        Ryzen 9 3090; Ryzen 5 5060; Core i9-3090; Core i7 2080; i9-4090K; Threadripper PRO 5090WX; Graviton 4090;
        Pentium 4 3060; Itanium 2080; AmpereOne A192-32X; Ampere Altra Q80-30; Ryzen 7900 XT; Grace CPU
    """,
    "a number of something else": """
        Port 5060; Storage 5090; Server 4090; Rack 3080; item 2080; Zone 4090; plan 3070; model 1080; HD 5090; GT 3090;
        MX 4090; Quadro 4000; year 2060; 2080 hours; USD 3090; 1080p; vGPU-48GB; half node H100; half rack GB200;
        H100 equivalent; H100-like; H100 alternative; 4x cheaper than A100; Galaxy A16; Tegra T4; Layer L4
    """,
    "a good sold beside it": """
        H100 storage; A100 block storage; Storage for H100 with NVMe; H100 80GB storage; H100 egress;
        H100 data transfer; H100 license; NVIDIA vWS licence L40S; H100 support plan; H100 setup fee; H100 RAM;
        H100 snapshot; H100 volume; H100 public IP; H100 maintenance; RTX 4090 water block; H100 cooler;
        H100 spare part; H100 training course; H100 credits; H100 colocation; H100 CPU only; CPU-only H100
        node; H100 vCPU; vCPU for H100; H100 purchase; H100 network only; H100 host without GPU; H100 (no
        GPU); H100 excl. GPU; H100 GPU not included
    """,
}


@pytest.mark.parametrize(
    "text", [text.strip() for texts in UNKNOWN.values() for text in texts.split(";")], ids=lambda text: text
)
def test_what_is_not_the_card_is_unknown(text):
    assert resolve(text) is None


CARDS = {
    # a CPU beside the card
    "H100 with AMD EPYC 9654": "h100",
    "8x H100 SXM5, 2x Intel Xeon Platinum 8480C": "h100_sxm",
    "AMD EPYC 7763 64-Core NVIDIA A100 80GB": "a100_80",
    "Intel Xeon Platinum 8462Y+ NVIDIA H100 80GB": "h100",
    "Xeon W-2295 RTX A6000": "rtx_a6000",
    "Core i9-13900K RTX 4090": "rtx_4090",
    "Threadripper 3970X 4x3090": "rtx_3090",
    "epyc-genoa-l40s-graphics": "l40s",
    "A100 (AMD Milan)": "a100",
    "L40S Intel Ice Lake": "l40s",
    "CPU: AMD, GPU: A100": "a100",
    "4th Gen Intel Xeon Scalable H100 SXM": "h100_sxm",
    "Intel Xeon + Intel Gaudi 2": "gaudi2",
    "AMD MI300X w/ Intel Xeon": "mi300x",
    "AWS Graviton2 + T4G": "t4g",
    # a cloud that makes chips rents those of others too
    "AWS A100": "a100",
    "Google L4": "l4",
    # a bare number where nothing else is said, or beside its brand
    "4090": "rtx_4090",
    "GPU 4090": "rtx_4090",
    "NVIDIA 4090": "rtx_4090",
    "GeForce 3090": "rtx_3090",
    "4090D": "rtx_4090_d",
    "8x4090": "rtx_4090",
    "4090 24GB": "rtx_4090",
    "Host 4080 SUPER": "rtx_4080_super",
    "7900 XTX": "rx_7900_xtx",
    # what looks like another card and is this one
    "B300 Blackwell Ultra": "b300",
    "GB300 Blackwell Ultra": "gb300",
    "NVIDIA Ampere A100": "a100",
    "H100 NVL 96GB": "h100_nvl",
    "H100 PCIe 94GB": "h100_nvl",
    "tpu-v6e-slice": "tpu_v6e",
    "TPU 7x": "tpu_v7",
    "Trn2 UltraServer": "trainium2",
    "NVIDIA A100 80GB (shared vCPU)": "a100_80",
    "T4/16GB": "t4",
    "RTX A6000 48GB / 64GB RAM": "rtx_a6000",
    "A100 80GB, 240/480 GB SSD": "a100_80",
    "H100 PCIe 5.0 x16": "h100_pcie",
    "H100 NDR 400": "h100",
    # what comes with the card
    "H100 NVMe storage included": "h100",
    "H100 with NVMe storage": "h100",
    "H100 + 2TB storage": "h100",
    "H100, 10 TB traffic": "h100",
    "H100, no egress fees": "h100",
    "L40S incl. vWS license": "l40s",
    "H100 with FP8 support": "h100",
    "RTX A6000 48GB (64GB RAM)": "rtx_a6000",
    "A6000_PCIE_LOW_RAM": "rtx_a6000",
    "H100 host memory 2TB": "h100",
    "H100 air-cooled": "h100",
    # a part of something else
    "half price H100": "h100",
    "H100 at a quarter of the price": "h100",
    "fraction of the cost A100": "a100",
    "H100 1/2 price": "h100",
    "H100 20% off": "h100",
    "H100 99.9% uptime": "h100",
    "half month H100": "h100",
    "H100 half hour minimum": "h100",
    "partial upfront H100": "h100",
    "third-party H100": "h100",
    "half-height L4": "l4",
    "A100 first half of 2026": "a100",
    "A100, save 30%": "a100",
    "A100 at 0.5x the price": "a100",
    "H100, 30 vCPUs": "h100",
}


@pytest.mark.parametrize(("text", "gpu"), CARDS.items())
def test_what_stands_beside_a_card_does_not_hide_it(text, gpu):
    found = resolve(text)
    assert found is not None
    assert (found.gpu.gpu, found.slice) == (gpu, False)


# Text, family, GB of the part and its share, as far as the text tells.
SLICES = [
    ("L40S-12Q", "l40s", 12, "0.25"),
    ("A10-4Q", "a10", 4, None),
    ("vGPU A16-8Q", "a16", 8, "0.5"),
    ("GRID T4-8Q", "t4", 8, "0.5"),
    ("NVIDIA A40-24A", "a40", 24, "0.5"),
    ("A2-4B", "a2", 4, "0.25"),
    ("RTX 6000 Ada-12Q", "rtx_6000_ada", 12, "0.25"),
    ("RTX PRO 6000 Blackwell DC-24Q", "rtx_pro_6000", 24, "0.25"),
    ("H100-40C", "h100", 40, "0.5"),
    ("GRID A100-10C", "a100", 10, None),
    ("A100-1-5CME", "a100", 5, None),
    ("Half A100", "a100", None, "0.5"),
    ("Quarter L40S", "l40s", None, "0.25"),
    ("one eighth of an L40S", "l40s", None, "0.125"),
    ("½ A100", "a100", None, "0.5"),
    ("0.5x A100", "a100", None, "0.5"),
    ("0.25 GPU L40S", "l40s", None, "0.25"),
    ("0.5 x H100", "h100", None, "0.5"),
    ("H100 x 0.5", "h100", None, "0.5"),
    ("H100:0.5", "h100", None, "0.5"),
    ("L40S: .25", "l40s", None, "0.25"),
    ("2/3 A40", "a40", None, None),
    ("50% A100", "a100", None, None),
    ("shared T4", "t4", None, None),
    ("time-sliced T4", "t4", None, None),
    ("fractional H100", "h100", None, None),
]


@pytest.mark.parametrize(("text", "family", "slice_gb", "share"), SLICES)
def test_a_part_in_figures_or_words_is_a_slice(text, family, slice_gb, share):
    found = resolve(text)
    assert found is not None
    assert (found.slice, found.gpu.gpu_family, found.gpu_memory_gb) == (True, family, slice_gb)
    assert share is None or found.fraction == Decimal(share)
    assert not found.gpu.trains


@pytest.mark.parametrize("text", ["A16-16Q", "L40S-48Q", "T4-16C", "NVIDIA L4-24Q"])
def test_a_profile_of_all_the_memory_is_no_card_either(text):
    assert resolve(text) is None


# --- for every card there is

NAMED = st.sampled_from(sorted(card.name for card in gpus().values() if card.level == "card"))
MAKERS = {
    "NVIDIA": ["NVIDIA", "GeForce", "Tesla", "Quadro"],
    "AMD": ["AMD", "Radeon", "AMD Instinct", "FirePro"],
    "Intel": ["Intel", "Habana", "Intel Arc", "Gaudi"],
    "others": ["Apple", "Qualcomm", "Moore Threads", "Cerebras", "Cambricon", "Ascend"],
}
CPUS = st.sampled_from(
    [
        "AMD EPYC {}",
        "2x AMD EPYC {}",
        "Intel Xeon {}",
        "Intel(R) Xeon(R) Gold {}R",
        "dual Xeon Platinum {}C",
        "Xeon E5-{} v4",
        "Xeon w9-{}X",
        "Core i9-{}K",
        "Ryzen 9 {}X",
        "Ryzen Threadripper PRO {}WX",
        "Opteron {}",
        "Athlon {}",
        "SPARC T{}",
        "Cortex-A{}",
        "Graviton{}",
    ]
)
NUMBERS = st.integers(1000, 9999) | st.sampled_from(
    [int(digits) for family in families() for digits in family.split("_") if digits.isdigit() and len(digits) == 4]
)


@given(NAMED, st.sampled_from(sorted(MAKERS)), st.data())
def test_a_word_of_another_maker_makes_every_card_unknown(name, maker, data):
    vendor = next(card.vendor for card in gpus().values() if card.name == name)
    word = data.draw(st.sampled_from(MAKERS[maker]))
    if maker != vendor:
        assert resolve(f"{word} {name}") is None
        assert resolve(f"{name} {word}") is None


@given(CPUS, NUMBERS)
def test_a_cpu_is_no_gpu_whatever_its_number(cpu, number):
    assert resolve(cpu.format(number)) is None


@given(NAMED, CPUS, NUMBERS)
def test_a_cpu_beside_it_leaves_every_card_what_it_is(name, cpu, number):
    for text in (f"{name}, {cpu.format(number)}", f"{cpu.format(number)} + {name}"):
        assert resolve(text) == resolve(name)
