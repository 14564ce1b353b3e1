"""What aggregators say beside what we read: like with like, never a price of ours."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from ledgers import Ledger, keep_look, moment, offer

from models.offers import Offer
from models.witnesses import WitnessedPrice

TOLD = WitnessedPrice(
    witness="teller",
    book="",
    provider="acme",
    gpu="h100_sxm",
    gpu_family="h100",
    form_factor="SXM",
    gpu_memory_gb=Decimal(80),
    gpu_count=Decimal(8),
    pricing="on_demand",
    term_months=None,
    tier="",
    region="",
    country=None,
    usd_per_gpu_hour=Decimal("3.00"),
    sku="8xh100",
    gpu_text="H100",
    as_of=None,
    observed_at=moment(1),
    origin="live",
    page_sha256="bb" * 32,
)


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger(tmp_path)


def tell(ledger: Ledger, at: datetime, *told: WitnessedPrice, book: str = "") -> None:
    said = [replace(one, observed_at=at, book=book) for one in told]
    keep_look(ledger.files, at, provider="teller", books=[book], witnesses=said)


def agreement(ledger: Ledger) -> list[dict[str, Any]]:
    ledger.load()
    ledger.refer()
    return ledger.rows("FROM price_agreement ORDER BY gpu, pricing, tier, region")


def compared(ledger: Ledger) -> list[tuple[Any, ...]]:
    return [
        (row["gpu"], row["region"], row["our_usd_per_gpu_hour"], row["their_usd_per_gpu_hour"], row["verdict"])
        for row in agreement(ledger)
    ]


def per_gpu(sku: str, price: str, **said: Any) -> Offer:
    return offer(sku, str(8 * Decimal(price)), **said)


def test_a_difference_of_more_than_a_fifth_is_told(ledger: Ledger):
    ledger.look(moment(1), per_gpu("8xh100", "3.70"))
    tell(ledger, moment(2), TOLD)
    (row,) = agreement(ledger)
    assert (row["our_usd_per_gpu_hour"], row["their_usd_per_gpu_hour"]) == (Decimal("3.70"), Decimal("3.00"))
    assert row["difference_percent"] == pytest.approx(23.333333)
    assert (row["verdict"], row["days_apart"]) == ("differs", 1)
    assert (row["our_date"], row["their_date"]) == (moment(1), moment(2))


def test_the_lowest_of_both_sides_are_compared_where_no_region_is_shared(ledger: Ledger):
    ledger.look(moment(1), per_gpu("1xh100", "3.29", region="us"), per_gpu("8xh100", "2.99", region="us"))
    tell(ledger, moment(1), replace(TOLD, region="Iowa"), replace(TOLD, region="Texas", usd_per_gpu_hour=Decimal(5)))
    assert compared(ledger) == [("h100_sxm", "", Decimal("2.99"), Decimal("3.00"), "agrees")]


def test_region_by_region_where_both_name_it(ledger: Ledger):
    ledger.look(moment(1), per_gpu("a", "3.00", region="east"), per_gpu("b", "9.00", region="west"))
    tell(
        ledger,
        moment(1),
        replace(TOLD, region="east"),
        replace(TOLD, region="west", usd_per_gpu_hour=Decimal("4.50")),
        replace(TOLD, region="north", usd_per_gpu_hour=Decimal("1.00")),
    )
    assert compared(ledger) == [
        ("h100_sxm", "east", Decimal("3.00"), Decimal("3.00"), "agrees"),
        ("h100_sxm", "west", Decimal("9.00"), Decimal("4.50"), "differs"),
    ]


def test_a_witness_that_does_not_know_the_form_is_met_by_any_of_the_family_but_not_by_other_cards(ledger: Ledger):
    pcie = per_gpu("pcie", "2.00", gpu="h100_pcie", form_factor="PCIe")
    h200 = per_gpu("h200", "1.00", gpu="h200_sxm", gpu_family="h200", gpu_memory_gb=Decimal(141))
    ledger.look(moment(1), per_gpu("sxm", "3.00"), pcie, h200)
    tell(ledger, moment(1), replace(TOLD, gpu="h100", form_factor=None), TOLD)
    assert compared(ledger) == [
        ("h100", "", Decimal("2.00"), Decimal("3.00"), "differs"),
        ("h100_sxm", "", Decimal("3.00"), Decimal("3.00"), "agrees"),
    ]


def test_editions_of_one_card_are_not_compared_and_the_same_card_goes_before_one_that_is_not_told(ledger: Ledger):
    """RunPod, August 2026: the Server Edition at 2.09 stood beside the Workstation's 1.89."""
    pro = {"gpu_family": "rtx_pro_6000", "form_factor": "PCIe", "gpu_memory_gb": Decimal(96)}
    ledger.look(
        moment(1),
        per_gpu("max q", "1.64", gpu="rtx_pro_6000_max_q", **pro),
        per_gpu("workstation", "1.89", gpu="rtx_pro_6000_workstation", **pro),
        per_gpu("server", "2.09", gpu="rtx_pro_6000_server", **pro),
        per_gpu("not told", "1.00", gpu="rtx_pro_6000", **pro),
        per_gpu("its only", "1.20", provider="bolt", gpu="rtx_pro_6000_max_q", **pro),
    )
    told = replace(TOLD, usd_per_gpu_hour=Decimal("2.09"), **pro)
    tell(
        ledger,
        moment(1),
        replace(told, gpu="rtx_pro_6000_server"),
        replace(told, gpu="rtx_pro_6000"),
        replace(told, gpu="rtx_pro_6000_server", provider="bolt"),
    )
    assert compared(ledger) == [
        ("rtx_pro_6000", "", Decimal("1.00"), Decimal("2.09"), "differs"),
        ("rtx_pro_6000_server", "", Decimal("2.09"), Decimal("2.09"), "agrees"),
    ]


def test_instances_of_one_series_are_compared_where_both_name_it(ledger: Ledger):
    """Google, August 2026: a3-highgpu at 11.06 stood beside a3-megagpu at 5.75."""
    ledger.look(moment(1), per_gpu("a3-highgpu-1g", "11.06", region="us-west1"))
    mega = replace(TOLD, gpu="h100", form_factor=None, region="us-west1", sku="a3-megagpu-8g")
    high = replace(mega, sku="a3-highgpu-8g", usd_per_gpu_hour=Decimal("11.06"))
    tell(ledger, moment(1), mega, high)
    assert compared(ledger) == [("h100", "us-west1", Decimal("11.06"), Decimal("11.06"), "agrees")]


def test_a_machine_put_together_of_parts_does_not_differ_from_the_price_of_a_part(ledger: Ledger):
    """TensorDock: an RTX A4000 with its host at 0.1385 beside the 0.10 of the card alone."""
    card = {"gpu": "rtx_a4000", "gpu_family": "rtx_a4000", "form_factor": "PCIe", "gpu_memory_gb": Decimal(16)}
    ledger.look(moment(1), per_gpu("a4000", "0.1385", tier="composed", **card))
    tell(ledger, moment(1), replace(TOLD, usd_per_gpu_hour=Decimal("0.10"), **card))
    assert compared(ledger) == [("rtx_a4000", "", Decimal("0.1385"), Decimal("0.10"), "composed differently")]


def test_kinds_of_price_and_tiers_are_not_mixed(ledger: Ledger):
    ledger.look(
        moment(1),
        per_gpu("secure", "3.00", tier="secure"),
        per_gpu("community", "2.00", tier="community"),
        per_gpu("spot", "0.50", pricing="spot"),
    )
    tell(ledger, moment(1), replace(TOLD, tier="secure"), replace(TOLD, pricing="reserved", term_months=12))
    assert compared(ledger) == [("h100_sxm", "", Decimal("3.00"), Decimal("3.00"), "agrees")]


def test_slices_of_ours_are_left_out(ledger: Ledger):
    sliced = per_gpu("mig", "0.10", gpu="h100_mig", form_factor="MIG")
    ledger.look(moment(1), per_gpu("whole", "3.00"), sliced, per_gpu("half", "0.5", gpu_count=Decimal("0.5")))
    tell(ledger, moment(1), TOLD)
    assert compared(ledger) == [("h100_sxm", "", Decimal("3.00"), Decimal("3.00"), "agrees")]


def test_prices_read_many_weeks_apart_are_told_apart_from_real_differences(ledger: Ledger):
    ledger.look(moment(31), per_gpu("8xh100", "6.00"))
    tell(ledger, moment(31), replace(TOLD, as_of=moment(31) - timedelta(days=60)))
    (row,) = agreement(ledger)
    assert (row["days_apart"], row["verdict"]) == (60, "dates too far apart")


def test_the_newest_word_of_a_witness_stands_and_its_other_books_stay(ledger: Ledger):
    ledger.look(moment(1), per_gpu("8xh100", "3.00"), per_gpu("b200", "6.00", gpu="b200", gpu_family="b200"))
    tell(ledger, moment(1), TOLD, book="one")
    tell(ledger, moment(2), replace(TOLD, gpu="b200", gpu_family="b200", form_factor=None), book="two")
    tell(ledger, moment(3), replace(TOLD, usd_per_gpu_hour=Decimal("3.10")), book="one")
    ledger.load()
    tell(ledger, moment(4), replace(TOLD, usd_per_gpu_hour=Decimal("3.20")), book="one")
    keep_look(ledger.files, moment(5), provider="teller", books=[], failure="no answer")
    assert [row[3] for row in compared(ledger)] == [Decimal("3.00"), Decimal("3.20")]


def test_a_witness_is_no_offer(ledger: Ledger):
    tell(ledger, moment(1), TOLD)
    assert agreement(ledger) == []
    assert ledger.rows("FROM price_now") == []
    assert ledger.rows("FROM training_cost") == []
