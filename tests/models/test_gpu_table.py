"""gpus.csv, the table of accelerators, and which of its rows a row asks for. Names as sites print them: test_gpus."""

from __future__ import annotations

from decimal import Decimal

import pytest

from models.gpu_table import cards, gpus, meant_by

FIGURES = (
    "mem_bw_gb_s",
    "fp16_dense_tflops",
    "bf16_dense_tflops",
    "fp8_dense_tflops",
    "fp4_dense_tflops",
    "int8_dense_tops",
    "scaleup_bw_gb_s",
    "gpus_per_node_typical",
)


def test_every_row_stands_in_a_family_with_its_own_row():
    for row in gpus().values():
        assert gpus()[row.gpu_family].gpu_family == row.gpu_family, row.gpu
        assert cards(row.gpu_family), row.gpu
        assert row.source, row.gpu
        assert row.vendor, row.gpu


def test_figures_are_positive_and_dense_is_below_sparse():
    for row in gpus().values():
        for figure in (*FIGURES, "memory_gb", "tdp_w", "bf16_matmul_achieved_tflops"):
            value = getattr(row, figure)
            assert value is None or value > 0, (row.gpu, figure)
        sixteen_bit = row.bf16_dense_tflops or row.fp16_dense_tflops
        if row.sparse_16bit_tflops and sixteen_bit:
            assert sixteen_bit * Decimal("1.9") < row.sparse_16bit_tflops, row.gpu
        if row.bf16_matmul_achieved_tflops and row.bf16_dense_tflops:
            assert row.bf16_matmul_achieved_tflops < row.bf16_dense_tflops, row.gpu


def test_what_a_site_left_open_is_the_least_of_its_cards():
    for row in gpus().values():
        if row.level == "group":
            open_cards = [
                card
                for card in cards(row.gpu_family)
                if not card.named_apart
                and row.form_factor in (None, card.form_factor)
                and row.memory_gb in (None, card.memory_gb)
            ]
            assert len(open_cards) > 1 or row.gpu in ("h200", "rtx_3060"), row.gpu
            for figure in FIGURES:
                value = getattr(row, figure)
                assert value is None or all(value <= getattr(card, figure) for card in open_cards), row.gpu


@pytest.mark.parametrize(
    ("gpu", "dense_bf16"),
    [  # datasheets; the sparse or half-precision-accumulate figures in circulation are twice these
        ("h100_sxm", "989.4"),
        ("h100_pcie", "756"),
        ("h100_nvl", "835.5"),
        ("a100_sxm_80", "312"),
        ("l40s", "362"),
        ("rtx_4090", "165.2"),
        ("rtx_5090", "209.5"),
        ("rtx_3090", "71"),
        ("rtx_6000_ada", "364.2"),
        ("b200", "2250"),
        ("gb200", "2500"),
        ("mi300x", "1307.4"),
        ("gaudi3", "1677"),
    ],
)
def test_rates_are_dense_and_accumulate_in_fp32(gpu, dense_bf16):
    assert gpus()[gpu].bf16_dense_tflops == Decimal(dense_bf16)
    assert gpus()[gpu].fp16_dense_tflops in (None, Decimal(dense_bf16), Decimal(459))  # Gaudi 3: FP16 is slower


def test_chips_without_bf16_and_for_inference():
    for gpu in ("v100_sxm_16", "t4", "quadro_rtx_6000"):
        assert gpus()[gpu].bf16_dense_tflops is None
    for gpu in ("t4", "inferentia2", "p100_sxm", "rtx_3070", "gaudi1", "rubin"):
        assert not gpus()[gpu].trains
    for gpu in ("h100", "a100", "v100_16", "l40s", "rtx_4090", "mi300x", "tpu_v5p", "trainium2", "gaudi3"):
        assert gpus()[gpu].trains


def test_bounds_are_a_range_inside_the_global_one():
    for row in gpus().values():
        low, high = row.usd_per_gpu_hour_low, row.usd_per_gpu_hour_high
        assert Decimal("0.001") <= low < high <= Decimal(1000), row.gpu


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("a100_80", {"a100_80", "a100_sxm_80", "a100_pcie_80"}),
        ("a100_sxm", {"a100_sxm", "a100_sxm_40", "a100_sxm_80"}),
        ("v100_32", {"v100_32", "v100_sxm_32", "v100_pcie_32"}),
        ("h100", {"h100", "h100_sxm", "h100_pcie", "h100_nvl"}),
        ("h100_sxm", {"h100_sxm"}),
        ("l4", {"l4"}),
    ],
)
def test_a_name_that_leaves_the_card_open_asks_for_all_of_them(asked, meant):
    """Of "A100 80GB" only the offers were shown whose site leaves the form factor open as well."""
    assert set(meant_by(asked)) == meant


def test_a_row_of_the_table_means_itself_and_nothing_of_another_family():
    for gpu, row in gpus().items():
        assert gpu in meant_by(gpu)
        assert {gpus()[one].gpu_family for one in meant_by(gpu)} == {row.gpu_family}


def test_what_a_name_asks_for_is_not_changed_by_whoever_asked():
    with pytest.raises((TypeError, AttributeError)):
        meant_by("h100")[0] = "a100"
