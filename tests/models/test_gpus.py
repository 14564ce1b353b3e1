"""GPU names as providers print them: the card they mean, or unknown. And prices seen, each within its bounds."""

from __future__ import annotations

import csv
from decimal import Decimal
from itertools import groupby
from pathlib import Path

import pytest

from models.gpu_table import families
from models.gpus import Resolved, gpus, resolve
from models.naming.spellings import spellings

HERE = Path(__file__).parent


def table(name: str) -> list[dict[str, str]]:
    with (HERE / name).open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(line for line in lines if not line.startswith("#")))


def identity(found: Resolved | None) -> tuple[str, str, str] | None:
    if found is None:
        return None
    memory = "" if found.gpu_memory_gb is None else f"{found.gpu_memory_gb:f}"
    return found.gpu.gpu_family, memory, found.form_factor or ""


@pytest.mark.parametrize("row", table("gpu_names_seen.csv"), ids=lambda row: f"{row['provider']}: {row['text']}")
def test_a_published_name_is_the_card_it_means_there(row):
    meant = (row["gpu_family"], row["memory_gb"], row["form_factor"]) if row["gpu_family"] else None
    assert identity(resolve(row["text"], row["provider"])) == meant


# (provider, text, memory stated beside it, row of gpus.csv or None)
UNSEEN = [
    # the finest level that is stated, and no finer
    (None, "H100", None, "h100"),
    (None, "NVIDIA H100 80GB", None, "h100"),
    (None, "H100 SXM 80GB", None, "h100_sxm"),
    (None, "nvidia-h100-80gb-pcie", None, "h100_pcie"),
    (None, "A100", None, "a100"),
    (None, "A100 80", None, "a100_80"),
    (None, "a100-pcie-40", None, "a100_pcie_40"),
    (None, "A100 SXM 40GB", None, "a100_sxm_40"),
    (None, "Tesla V100", None, "v100"),
    (None, "V100-SXM2", None, "v100_sxm"),
    (None, "Tesla P100-PCIE-16GB", None, "p100_pcie"),
    (None, "RTX PRO 6000", None, "rtx_pro_6000"),
    (None, "RTX PRO 6000 Blackwell Max-Q Workstation Edition", None, "rtx_pro_6000_max_q"),
    (None, "NVIDIA RTX PRO™ 6000 Blackwell Server Edition", None, "rtx_pro_6000_server"),
    (None, "RTX PRO Server 6000", None, "rtx_pro_6000_server"),
    # the longest whole word: GB200 is not B200, H200 not H20, L40S not L40, A100X not A100, V100S not V100
    (None, "GB200", None, "gb200"),
    (None, "H20", None, "h20"),
    (None, "l40", None, "l40"),
    (None, "NVIDIA A100X", None, "a100x"),
    (None, "Tesla V100S", None, "v100s"),
    (None, "A10G", None, "a10g"),
    (None, "RTX 4070 Ti", None, "rtx_4070_ti"),
    (None, "RTX 4070 SUPER", None, "rtx_4070_super"),
    (None, "RTX 4080S", None, "rtx_4080_super"),
    (None, "RTX 4090 D", None, "rtx_4090_d"),
    (None, "RTX 4000 Ada", None, "rtx_4000_ada"),
    (None, "RTX PRO 4000 Blackwell SFF", None, "rtx_pro_4000_sff"),
    # NVL is a card, NVL72 a rack, NVLink neither; HGX means SXM, and so does HBM3 on an H100 of 80 GB
    (None, "H100 NVL 94GB", None, "h100_nvl"),
    (None, "H100 NVL PCIe 94 GB", None, "h100_nvl"),
    (None, "NVIDIA GB200 NVL72", None, "gb200"),
    (None, "A100 80GB NVLink", None, "a100_80"),
    (None, "DGX H100", None, "h100_sxm"),
    (None, "NVIDIA H100 80GB HBM3", None, "h100_sxm"),
    (None, "NVIDIA H100 PCIe 80GB HBM2e", None, "h100_pcie"),
    ("packet-ai", "NVIDIA B200 NVL", Decimal(180), None),
    # a hyphen in a word by itself; apart from it, or in the id of a plan, a letter may be anything
    (None, "L40-S", None, "l40s"),
    (None, "NVIDIA V100-S 32GB", None, "v100s"),
    (None, "MI-300-X", None, "mi300x"),
    (None, "A-10G", None, "a10g"),
    (None, "RTXPRO-6000", None, "rtx_pro_6000"),
    (None, "RTX-6000-ADA", None, "rtx_6000_ada"),
    (None, "GPU L4-0", None, "l4"),
    (None, "gpu-l40-s", None, None),
    (None, "H100-T", None, None),
    # several of a card; an S that is of the card's name stays
    (None, "4x V100s", None, "v100s"),
    (None, "L40s", None, "l40s"),
    (None, "8x L40Ss", None, "l40s"),
    (None, "RTX 4080s", None, "rtx_4080_super"),
    (None, "RTX PRO 6000s", None, "rtx_pro_6000_server"),
    (None, "RTX 1650s", None, None),
    # four cards answer to RTX 6000: memory or generation must tell, and 48 GB is two of them
    (None, "RTX 6000", None, None),
    (None, "RTX 6000 24GB", None, "quadro_rtx_6000"),
    (None, "RTX 6000", Decimal(96), "rtx_pro_6000"),
    (None, "RTX 6000 48GB", None, None),
    ("akamai", "RTX 6000 (Turing)", Decimal(24), "quadro_rtx_6000"),
    (None, "RTX 6000 Pro (Blackwell)", None, "rtx_pro_6000"),
    (None, "RTX 5000", None, None),
    (None, "RTX 5000 32GB", None, "rtx_5000_ada"),
    (None, "RTX 8000", None, "quadro_rtx_8000"),
    # counts and totals
    (None, "8xH100", None, "h100"),
    (None, "8 x H100 SXM", None, "h100_sxm"),
    (None, "8x B200 SXM6 180GB", None, "b200"),
    (None, "H100-SXM-8-80G", None, "h100_sxm"),
    (None, "gpu-mi300x8-1536gb", None, "mi300x"),
    (None, "gpu-a100x8-640gb", None, "a100_80"),
    (None, "gpu-a100x8-320gb", None, "a100_40"),
    (None, "gx2-80x1280x8a100", None, "a100"),
    ("verda", "8H100.80S.176V", None, "h100_sxm"),
    ("skypilot", "1x_RTXPRO6000_28V_160G", None, "rtx_pro_6000"),
    ("skypilot", "8x-RTX_4090-32-65536", None, "rtx_4090"),
    # usable memory is that of the card; 40 and 80, 24 and 48 stay apart
    ("vast", "A100 SXM4", Decimal(40960) / 1024, "a100_sxm_40"),
    ("vast", "A100 SXM4", Decimal(81920) / 1024, "a100_sxm_80"),
    ("vast", "H100 NVL", Decimal(95830) / 1024, "h100_nvl"),
    ("vast", "L40S", Decimal(46068) / 1024, "l40s"),
    ("vast", "L4", Decimal(22), "l4"),
    ("vast", "H200", Decimal(143771) / 1024, "h200_sxm"),
    ("vast", "RTX 4090", Decimal(24564) / 1024, "rtx_4090"),
    ("vast", "RTX 4090", Decimal(49140) / 1024, "rtx_4090_48"),
    (None, "B200 192GB", None, "b200"),
    (None, "B300", Decimal("262.5"), "b300"),
    (None, "GH200 480GB", None, "gh200"),
    ("akash", "NVIDIA B300", Decimal(180), None),
    ("runpod", "A40", Decimal(16), None),
    (None, "A100-SXM-64GB", None, None),
    (None, "A100 40GB", Decimal(80), None),
    # the same text at two sellers
    ("lambda", "RTX 6000", None, "quadro_rtx_6000"),
    ("nebius", "gpu-rtx6000", None, "rtx_pro_6000"),
    ("hyperstack", "NVIDIA H100", None, "h100_pcie"),
    ("jarvislabs", "H100", None, "h100_sxm"),
    ("spheron", "H100_NVL", None, "h100_pcie"),
    ("runpod", "A100 PCIe", None, "a100_pcie_80"),
    ("lambda", "A100 PCIe", None, "a100_pcie_40"),
    ("scaleway", "H100-1-80G", None, "h100_pcie"),
    # other makers
    (None, "AMD Instinct MI355X", None, "mi355x"),
    (None, "InstinctMI250X", None, "mi250x"),
    (None, "Intel Gaudi 3", None, "gaudi3"),
    (None, "Gaudi HL-205", None, "gaudi1"),
    (None, "Trainium2", None, "trainium2"),
    (None, "TPU v5p", None, "tpu_v5p"),
    (None, "tpu7x", None, "tpu_v7"),
    (None, "Radeon Pro V520", None, "radeon_pro_v520"),
    # two cards, a word that makes another card, a number that is no model, a machine size
    (None, "A6000/A40", None, None),
    (None, "L4, A5000 or RTX 3090", None, None),
    ("runpod", "ADA_48_PRO", None, None),
    (None, "RTX 4090 Laptop GPU", None, None),
    (None, "RTX 4090 Ti", None, None),
    (None, "RTX 2080 Super Max-Q", None, None),
    (None, "GTX 3090", None, None),
    (None, "L40 S", None, None),
    (None, "A40 SXM4", None, None),
    (None, "H100 Ampere", None, None),
    ("oci", "H100T", None, None),
    (None, "v5p", None, None),
    (None, "Intel Gaudi AI accelerator", None, None),
    ("gcp", "a2-highgpu-1g", None, None),
    ("aws", "t4g.micro", None, None),
    (None, "MI300", None, None),
    ("massedcompute", "(96GB)", Decimal(96), None),
    (None, "", None, None),
]


@pytest.mark.parametrize(("provider", "text", "memory_gb", "gpu"), UNSEEN)
def test_a_name_follows_the_rules(provider, text, memory_gb, gpu):
    found = resolve(text, provider, memory_gb)
    assert (found and found.gpu.gpu) == gpu


@pytest.mark.parametrize(
    "text", ["RTX 9999", "H300", "B999", "RTX_PRO_9900", "RX 9999 XTX", "GH900", "MI999X", "L99", "A1000", "H1000"]
)
def test_a_model_number_nobody_sells_is_unknown(text):
    for said in (text, text.lower(), f"NVIDIA {text} 80GB", f"8x{text}", f"{text} SXM5", f"H100 or {text}"):
        assert resolve(said) is None


@pytest.mark.parametrize(
    ("provider", "text", "memory_gb", "family", "form", "slice_gb", "share"),
    [
        (None, "RTX PRO 6000 Blackwell Server Edition MIG 1g.24gb", None, "rtx_pro_6000", "MIG", 24, "0.25"),
        (None, "H100 MIG 1g.10gb", None, "h100", "MIG", 10, "0.125"),
        (None, "A100 3g.20gb", None, "a100", "MIG", 20, None),
        ("vultr", "vcg-a100-1c-6g-4vram", None, "a100", "vGPU", 4, "0.05"),
        ("vultr", "vcg-a100-6c-60g-40vram", None, "a100", "vGPU", 40, "0.5"),
        ("vultr", "NVIDIA_A100", Decimal(40), "a100", "vGPU", 40, "0.5"),
        ("azure", "A10", Decimal(12), "a10", "vGPU", 12, "0.5"),
    ],
)
def test_a_slice_never_passes_for_a_card(provider, text, memory_gb, family, form, slice_gb, share):
    found = resolve(text, provider, memory_gb)
    assert found is not None
    assert found.slice
    assert identity(found) == (family, str(slice_gb), form)
    assert found.fraction == (share and Decimal(share))
    assert not found.gpu.trains
    assert (found.gpu.form_factor, found.gpu.memory_gb) == (form, slice_gb)


def test_a_whole_card_of_a_seller_of_fractions_is_whole():
    for text, memory in (("NVIDIA_A100", Decimal(80)), ("vcg-a100-12c-120g-80vram", None)):
        found = resolve(text, "vultr", memory)
        assert found is not None
        assert (found.gpu.gpu, found.slice) == ("a100_80", False)


def test_the_provider_may_be_the_whole_cell_or_spelled_with_a_gap():
    assert identity(resolve("A100 PCIe", "runpod (displayName)")) == ("a100", "80", "PCIe")
    assert identity(resolve("H100", "digital_ocean")) == identity(resolve("H100", "DigitalOcean (api)"))


def test_no_memory_and_zero_memory_say_the_same():
    assert resolve("L40S", None, Decimal(0)) == resolve("L40S") == resolve("L40S", None, Decimal("NaN"))


def test_the_spellings_name_rows_of_the_table_and_sellers_once():
    with Path(spellings.__wrapped__.__code__.co_filename).with_name("spellings.csv").open() as lines:
        rows = list(csv.DictReader(lines))
    for row in rows:
        assert not row["gpu"] or row["gpu"] in gpus(), row
        assert row["reason"], row
        assert row["match"] in {"words", "whole", "default", "printed", "sliced"}, row
        if row["match"] in {"default", "sliced"}:
            assert row["spelling"] in families(), row
    keys = [(row["providers"], row["match"], row["spelling"], row["gpu"]) for row in rows]
    assert len(keys) == len(set(keys))


# --- price bounds --------------------------------------------------------------------------------------------


def test_every_published_price_is_within_the_bounds_of_its_card():
    for row in table("gpu_prices_seen.csv"):
        found = resolve(row["text"], row["provider"], Decimal(row["memory_gb"]) if row["memory_gb"] else None)
        assert found is not None, row
        assert found.gpu.gpu_family == row["gpu_family"]
        price = Decimal(row["usd_per_gpu_hour"])
        assert found.gpu.usd_per_gpu_hour_low <= price <= found.gpu.usd_per_gpu_hour_high, row


def test_a_slip_of_a_hundred_is_outside_the_bounds():
    prices = table("gpu_prices_seen.csv")
    for family, rows in groupby(prices, key=lambda row: row["gpu_family"]):
        for row in rows:
            if row["rank"] == "middle":
                price, gpu = Decimal(row["usd_per_gpu_hour"]), gpus()[family]
                assert price * 100 > gpu.usd_per_gpu_hour_high, row
                assert price / 100 < gpu.usd_per_gpu_hour_low, row
    assert gpus()["h100"].usd_per_gpu_hour_high < 299
    assert gpus()["h100"].usd_per_gpu_hour_low > Decimal("0.0299")
    assert gpus()["t4"].usd_per_gpu_hour_low > Decimal("0.0005")
