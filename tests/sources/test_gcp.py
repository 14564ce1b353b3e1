"""Google Cloud: machines put together from the parts of the billing catalogue, and what must not be taken for one."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from itertools import permutations
from typing import Any

import pytest
from gcp_answers import A2_HOST, A2_SPOT, A100, offers, quotes, read, reasons, sku

from models.offers import Quote
from sources.pages import recorded_pages
from sources.providers.gcp import BOOKS, MACHINES, parse


def test_a_machine_costs_its_gpu_and_its_cores_and_its_ram() -> None:
    found, rejected = offers(
        sku(A100, "GPU", "2.9"),
        *A2_HOST,
        *A2_SPOT,
        sku("Commitment v1: Nvidia Tesla A100 GPU running in Americas for 1 Year", "GPU", "1.83", "Commit1Yr"),
        sku("Reserved Nvidia Tesla A100 GPU running in Americas", "GPU", "1.74"),
    )
    single = {offer.pricing: offer.usd_per_hour for offer in found if offer.sku == "a2-highgpu-1g"}
    assert single == {"on_demand": Decimal("3.6"), "spot": Decimal("1.44")}
    assert {(offer.gpu, offer.gpu_memory_gb) for offer in found} == {("a100_sxm_40", 40)}
    sixteen = next(o for o in found if o.sku == "a2-megagpu-16g" and o.pricing == "on_demand")
    assert sixteen.usd_per_hour == Decimal("54.72")  # 16 x 2.90 + 96 x 0.03 + 1,360 x 0.004
    assert (sixteen.vcpus, sixteen.memory_gb, sixteen.gpu_count) == (96, 1360, 16)
    # the commitment has no host rates beside it, and a reservation is no price
    assert {row.reason for row in rejected} == {"missing_component", "other_purchase_kind"}


def test_a_commitment_is_put_together_from_committed_parts() -> None:
    def committed(year: str, usage: str, gpu: str, core: str, ram: str) -> list[dict[str, Any]]:
        return [
            sku(f"Commitment v1: Nvidia L4 GPU running in Americas for {year}", "GPU", gpu, usage),
            sku(f"Commitment v1: G2 Cpu in Americas for {year}", "CPU", core, usage),
            sku(f"Commitment v1: G2 Ram in Americas for {year}", "RAM", ram, usage),
        ]

    one, three = "1 Year", "3 Years"
    found = quotes(
        *committed(one, "Commit1Yr", "0.35", "0.015", "0.002"), *committed(three, "Commit3Yr", "0.25", "0.01", "0.001")
    )
    assert found["g2-standard-8", "us-central1", "reserved", 12, ""] == Decimal("0.534")
    assert found["g2-standard-8", "us-central1", "reserved", 36, ""] == Decimal("0.362")
    five = sku("Commitment v1: Nvidia L4 GPU in Americas for 5 Years", "GPU", "0.1", "Commit")
    assert reasons(five) == ["other_purchase_kind"]


def test_local_ssd_is_priced_by_the_month_of_730_hours() -> None:
    found = quotes(
        sku("Nvidia H100 80GB GPU running in Americas", "GPU", "10"),
        sku("A3 Instance Core running in Americas", "CPU", "0.02"),
        sku("A3 Instance Ram running in Americas", "RAM", "0.002"),
        sku("SSD backed Local Storage", "LocalSSD", "0.073"),
        sku("C4D Instance Local SSD running in Americas", "LocalSSD", "0.16"),
    )
    # 8 x 10 + 208 x 0.02 + 1,872 x 0.002 + 6,000 x 0.073 / 730
    assert found["a3-highgpu-8g", "us-central1", "on_demand", None, ""] == Decimal("88.504")


def test_flex_start_and_calendar_and_spot_never_stand_in_for_on_demand() -> None:
    # us-central1 A3 Mega figures as published by peers in 2026: 10.344276, 4.841121, 4.423936
    mega = [
        sku("Nvidia H100 80GB Plus GPU running in Americas", "GPU", "10.344276"),
        sku("Reserved Nvidia H100 80GB Mega GPU in Americas in Calendar Mode", "GPU", "4.841121"),
        sku("Nvidia H100 Mega 80GB GPU attached to DWS Defined Duration VMs running in Americas", "GPU", "4.423936"),
    ]
    host = [
        sku("A3Plus Instance Core running in Americas", "CPU", "0.026924"),
        sku("A3Plus Instance Ram running in Americas", "RAM", "0.002344"),
        sku("SSD backed Local Storage", "LocalSSD", "0.08"),
    ]
    flex = [
        sku("DWS Defined Duration A3Plus Core running in Americas", "CPU", "0.0135"),
        sku("DWS Defined Duration A3Plus Ram running in Americas", "RAM", "0.0012"),
        sku("SSD backed Local Storage attached to DWS Defined Duration VMs", "LocalSSD", "0.04"),
    ]
    for order in permutations(mega):
        found = quotes(*order, *host, *flex)
        on_demand = found["a3-megagpu-8g", "us-central1", "on_demand", None, ""]
        assert on_demand == pytest.approx(Decimal("93.3999"), abs=Decimal("0.0001"))
        flexible = found["a3-megagpu-8g", "us-central1", "capacity_block", None, "flex_start"]
        assert flexible == pytest.approx(Decimal("40.7746"), abs=Decimal("0.0001"))
        assert len(found) == 2  # the calendar rate lacks its host


def test_a_slice_of_a4_covers_the_machine_and_its_spot_row_says_on_demand() -> None:
    found, _ = offers(
        sku("A4 Nvidia B200 (1 gpu slice) running in Americas", "GPU", "16.11"),
        sku("Spot Preemptible A4 Nvidia B200 (1 gpu slice) running in Americas", "GPU", "4.9542"),
        sku("Commitment v1: A4 Nvidia B200 (1 gpu slice) in Americas for 1 Year", "GPU", "11.11", "Commit1Yr"),
        sku("DWS Calendar Mode A4 Nvidia B200 (1 gpu slice) in Seoul", "GPU", "11.28", regions=["asia-northeast3"]),
    )
    assert {(o.pricing, o.tier, o.region): o.usd_per_gpu_hour for o in found} == {
        ("on_demand", "not_for_sale", "us-central1"): Decimal("16.11"),
        ("spot", "", "us-central1"): Decimal("4.9542"),
        ("reserved", "", "us-central1"): Decimal("11.11"),
        ("capacity_block", "calendar", "asia-northeast3"): Decimal("11.28"),
    }
    assert {(o.sku, o.gpu, o.gpu_count, o.fabric) for o in found} == {("a4-highgpu-8g", "b200", 8, "multi_node")}


def test_a_list_price_of_what_cannot_be_had_on_demand_says_so() -> None:
    rows = read(
        sku("A4 Nvidia B200 (1 gpu slice) running in Americas", "GPU", "16.11"),
        sku("Spot Preemptible A4 Nvidia B200 (1 gpu slice) running in Americas", "GPU", "4.9542"),
        sku(A100, "GPU", "2.9"),
        *A2_HOST,
    )
    said = {(row.sku, row.pricing): (row.available, row.tier) for row in rows if isinstance(row, Quote)}
    assert said["a4-highgpu-8g", "on_demand"] == (False, "not_for_sale")  # in no cost table, however old the look
    assert said["a4-highgpu-8g", "spot"] == (None, "")
    assert said["a2-highgpu-8g", "on_demand"] == (None, "")
    assert {machine.name for machine in MACHINES if not machine.orderable} >= {"a3-highgpu-1g", "a3-ultragpu-8g"}


def test_tpus_are_sold_by_the_chip() -> None:
    # catalogue of 2026-06-14
    found, _ = offers(
        sku("TpuV5e running in Delhi", "TPU", "1.44132", regions=["asia-south2"]),
        sku("TPU7x running in Americas", "TPU", "12", regions=["us-west1", "us-central1", "us-east1"]),
        sku("Reserved TpuV5p in Delhi in Calendar Mode", "TPU", "2.94", regions=["asia-south2"]),
        sku("TpuV5e attached to Spot Preemptible VMs running in Singapore", "TPU", "0.78", "Preemptible"),
        sku("DWS Defined Duration V6e running in Columbus", "TPU", "1.35", regions=["us-east5"]),
        sku("Reserved V5e TPU in Seoul in Calendar Mode", "TPU", "0.84", regions=["asia-northeast3"]),
        sku("Capacity Optimized TpuV6e running in Columbus", "TPU", "2.7", regions=["us-east5"]),
    )
    assert sorted((o.sku, o.gpu, o.region, o.pricing, o.tier, str(o.usd_per_gpu_hour.normalize())) for o in found) == [
        ("TPU7x", "tpu_v7", "us-central1", "on_demand", "", "12"),
        ("TPU7x", "tpu_v7", "us-east1", "on_demand", "", "12"),
        ("TPU7x", "tpu_v7", "us-west1", "on_demand", "", "12"),
        ("TpuV5e", "tpu_v5e", "asia-northeast3", "capacity_block", "calendar", "0.84"),
        ("TpuV5e", "tpu_v5e", "asia-south2", "on_demand", "", "1.44132"),
        ("TpuV5e", "tpu_v5e", "us-central1", "spot", "", "0.78"),
        ("TpuV5p", "tpu_v5p", "asia-south2", "capacity_block", "calendar", "2.94"),
        ("TpuV6e", "tpu_v6e", "us-east5", "capacity_block", "flex_start", "1.35"),
    ]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (sku("Nvidia B300 GPU running in Americas", "GPU", "18"), "unknown_sku"),
        (sku("TpuV9 running in Americas", "TPU", "20"), "unknown_sku"),
        (sku("Fixed price Nvidia H100 80GB GPU running in Americas", "GPU", "5"), "unknown_sku"),
        (
            sku("Nvidia H100 80GB GPU attached to Sole Tenancy VMs running in Americas", "GPU", "9"),
            "other_purchase_kind",
        ),
        (sku(A100, "GPU", "0"), "not_a_price"),
        (sku(A100, "GPU", "2.9", unit="mo"), "unknown_unit"),
        (sku(A100, "GPU", "2.9"), "missing_component"),
    ],
)
def test_what_is_no_price_of_a_machine_is_counted(row: object, reason: str) -> None:
    assert set(reasons(row)) == {reason}
    assert quotes(row) == {}


def test_cards_for_machines_of_any_size_have_no_machine_price() -> None:
    assert read(sku("Nvidia Tesla T4 GPU running in Americas", "GPU", "0.35")) == []


def test_parts_in_two_currencies_do_not_add_up() -> None:
    in_rupiah = sku("A2 Instance Core running in Americas", "CPU", "508.93", currency="IDR")
    assert set(reasons(sku(A100, "GPU", "2.9"), in_rupiah, A2_HOST[1])) == {"missing_component"}


def test_of_two_prices_for_one_part_the_higher_counts_in_either_order() -> None:
    northern = sku("A2 Instance Core running in Northern Virginia", "CPU", "0.05")
    for host in ([A2_HOST[0], northern], [northern, A2_HOST[0]]):
        rows = (sku(A100, "GPU", "2.9"), *host, A2_HOST[1])
        assert quotes(*rows)["a2-highgpu-1g", "us-central1", "on_demand", None, ""] == Decimal("3.84")
        assert reasons(*rows) == ["duplicate"]


def test_a_first_tier_at_zero_is_an_allowance() -> None:
    row = sku("A4 Nvidia B200 (1 gpu slice) running in Americas", "GPU", "16.11")
    (info,) = row["pricingInfo"]
    free = {"startUsageAmount": 0, "unitPrice": {"currencyCode": "USD", "units": "0", "nanos": 0}}
    info["pricingExpression"]["tieredRates"].insert(0, free)
    assert list(quotes(row).values()) == [Decimal("128.88")]


def test_of_a_timeline_the_price_in_force_counts_in_any_order() -> None:
    def priced(price: str, since: str) -> dict[str, Any]:
        return sku("A4", "GPU", price)["pricingInfo"][0] | {"effectiveTime": since}

    row = sku("A4 Nvidia B200 (1 gpu slice) running in Americas", "GPU", "16.11")
    older, current = priced("20", "2026-01-01T00:00:00Z"), priced("16.11", "2026-11-01T00:00:00.5Z")
    announced = priced("12", "2027-01-01T00:00:00Z")
    for timeline in permutations([older, current, announced]):
        assert list(quotes(row | {"pricingInfo": timeline}).values()) == [Decimal("128.88")]
    assert reasons(row | {"pricingInfo": [announced, announced]}) == ["future_price"]
    for unclear in ("", "2026-11-30"):
        assert reasons(row | {"pricingInfo": [older, priced("16.11", unclear)]}) == ["unreadable"]


def test_no_offer_is_dated_by_the_time_of_the_answer() -> None:
    found, rejected = offers(sku("TpuV6e running in Dallas", "TPU", "2.7"))
    assert [(offer.usd_per_gpu_hour, offer.effective_from) for offer in found] == [(Decimal("2.7"), None)]
    assert rejected == []


def test_each_book_holds_its_own_kind() -> None:
    everything = [
        sku(A100, "GPU", "2.9"),
        *A2_HOST,
        sku("A4 Nvidia B200 (1 gpu slice) running in Americas", "GPU", "16.11"),
        sku("TpuV6e running in Dallas", "TPU", "2.7"),
    ]
    by_book = {book: {key[0].split("-")[0] for key in quotes(*everything, book=book)} for book in BOOKS}
    assert by_book == {"machines": {"a2"}, "slices": {"a4"}, "tpu": {"TpuV6e"}}
    assert len(quotes(*everything)) == sum(len(quotes(*everything, book=book)) for book in BOOKS)


# --- the recording ------------------------------------------------------------------------------------------

# Cyclenerd/google-cloud-pricing-cost-calculator pricing.yml@fd66b26 (2026-07-30): on demand, spot, 1 year, 3 years
PUBLISHED = {
    ("us-central1", "a2-highgpu-1g"): ("3.673385", "1.92802", "2.314207", "1.285708"),
    ("us-central1", "a2-megagpu-16g"): ("55.739504", "29.25568", "35.115473", "19.5092"),
    ("us-central1", "a3-highgpu-1g"): ("11.06125", "6.326193", "7.672959", "4.858048"),
    ("us-central1", "a3-highgpu-8g"): ("88.49", "50.609541", "61.383672", "38.864381"),
    ("us-central1", "g2-standard-12"): ("1.000416", "0.562408", "0.630262", "0.450187"),
    ("us-central1", "g2-standard-96"): ("8.00333", "4.499264", "5.042098", "3.601498"),
    ("us-central1", "g4-standard-48"): ("4.49993", "1.79982", "3.105", "1.97945"),
    ("us-west1", "a3-highgpu-8g"): ("88.49", "50.609541", "61.383672", "38.864381"),
    ("us-east4", "a2-highgpu-8g"): ("31.474839", "18.8846", "19.656095", "11.060465"),
    ("us-east4", "a3-megagpu-8g"): ("92.937588", "23.275237", "63.943375", "40.486655"),
    ("us-east4", "g4-standard-24"): ("2.249965", "0.89991", "1.5525", "0.989725"),
    ("asia-southeast1", "a3-highgpu-8g"): ("114.278293", "51.218665", "79.279741", "50.188094"),
    ("asia-southeast1", "g2-standard-48"): ("4.936854", "2.962464", "3.110218", "2.221584"),
    ("asia-southeast1", "g4-standard-384"): ("43.199328", "17.28144", "29.808", "19.00272"),
    ("us-central1", "a2-ultragpu-8g"): ("40.550383", "22.07637", None, None),
    ("us-east4", "a2-ultragpu-1g"): ("5.707732", "2.367253", None, None),
}


def recorded(day: date) -> list[Quote]:
    looks = recorded_pages("gcp")
    (pages,) = (pages for moment, pages in looks.items() if moment.date() == day)
    return [row for row in parse([entry.page for entry in pages]) if isinstance(row, Quote)]


def test_recorded_parts_add_up_to_the_published_machines() -> None:
    found = {(q.region, q.sku, q.pricing, q.term_months): q.amount for q in recorded(date(2026, 7, 30))}
    compared = 0
    for (region, machine), listed in PUBLISHED.items():
        kinds = (("on_demand", None), ("spot", None), ("reserved", 12), ("reserved", 36))
        for (pricing, months), usd in zip(kinds, listed, strict=True):
            if usd is not None:
                assert found[region, machine, pricing, months] == pytest.approx(Decimal(usd), rel=Decimal("1e-6"))
                compared += 1
    assert compared == 60


def test_the_recording_of_2023_is_googles_own() -> None:
    # opencost/opencost pkg/cloud/gcp/test/skus.json@5f65333: 2.933908 + 12 x 0.031611 + 85 x 0.004237
    found = {(q.region, q.sku): q.amount for q in recorded(date(2023, 3, 24))}
    assert found["us-central1", "a2-highgpu-1g"] == Decimal("3.673385")
    assert found["us-west1", "a2-highgpu-8g"] == Decimal("29.38708")


def test_recorded_looks_do_not_make_each_other_vanish() -> None:
    seen: dict[str, set[tuple[str, str]]] = {}
    for entries in recorded_pages("gcp").values():
        for entry in entries:
            now = {(q.region, q.sku) for q in parse([entry.page]) if isinstance(q, Quote)}
            assert seen.get(entry.page.book, set()) <= now
            seen[entry.page.book] = now
    assert set(seen) == set(BOOKS)
