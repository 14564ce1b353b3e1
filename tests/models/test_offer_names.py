"""Names that sites give their offers, read at the sites: what a person can read of them stays, ids go."""

from __future__ import annotations

from decimal import Decimal

import pytest

from models.offer_names import offer_named, readable


@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("a3111bd4-550a-47d0-838a-0a52bff2ae3f", ""),  # a place of Voltage Park
        ("14", ""),  # a machine of Vast.ai
        ("md1ca7555bd-8x", ""),  # a machine of Lium
        ("a40-pcie-48gb@d9319bb3", "a40-pcie-48gb"),
        ("L4_677dc00033f3247083221e73_warsaw-poland-1", "L4_warsaw-poland-1"),
        *[(same, same) for same in ("p5.48xlarge", "rtx5000-28", "8RTXPRO6000.240V.CC", "europe-west4", "ECS1GPU9")],
        *[(same, same) for same in ("1-Click Cluster NVIDIA HGX B200 256 GPUs", "h100-80gb.sxm.8x", "n3.104d.g8")],
    ],
)
def test_an_id_is_no_name_and_a_name_is_no_id(name: str, read: str) -> None:
    assert readable(name) == read


def test_an_offer_without_a_name_is_told_by_its_gpus_and_place() -> None:
    assert offer_named(Decimal("8.0"), "h100_sxm", "14", "India, IN") == "8 x h100_sxm in India, IN"
    nameless = ("bare-metal ethernet", "a3111bd4-550a-47d0-838a-0a52bff2ae3f")
    assert offer_named(Decimal(8), "h100_sxm", *nameless) == "bare-metal ethernet"
