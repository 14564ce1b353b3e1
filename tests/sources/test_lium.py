"""Lium: one GPU's price whatever the machine's size, prices to come, owners that must not be kept."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from exchanges import Site, http_for

from models.currencies import Rates
from models.normalise import normalise
from models.offers import Offer, Rejected
from sources.pages import recorded_pages
from sources.providers.lium import SOURCE, URL
from sources.source import ErrorAnswer, LayoutChanged, Page

NOW = datetime(2026, 10, 1, tzinfo=UTC)
UUID, ADDRESS, HOTKEY = (
    "42ef8a0b-8b28-4a50-ad7c-4fcad8cc2734",
    "203.0.113.7",
    "5EbiNautKicKhkGsy3ohkboFieVAp9KChgbG59jRK",
)


def machine(price: Any = 1.75, gpus: Any = 8, *, free: int = 8, tier: str = "secure", **fields: Any) -> dict[str, Any]:
    place = {"country": "Finland", "country_code": "FI", "region_name": "Uusimaa", "zip": "00121", "lat": 60.1699}
    row = {"id": UUID, "machine_name": "NVIDIA H100 80GB HBM3", "gpu_count": gpus, "available_gpu_count": free}
    owner = {"executor_ip_address": ADDRESS, "miner_hotkey": HOTKEY, "validator_hotkey": HOTKEY}
    specs = {"is_spot": tier == "spot", "gpu": {"details": []}}
    return {**row, **owner, "price_per_gpu": price, "tier": tier, "specs": specs, "location": place, **fields}


def answer(*machines: dict[str, Any]) -> Page:
    return Page(URL, json.dumps(machines).encode(), NOW, "executors.json")


def read(page: Page) -> tuple[list[Offer], list[Rejected]]:
    rows = SOURCE.parse([page])
    return normalise(rows, provider="lium", book="", observed_at=NOW, origin="live", rates=Rates.of([]), page_sha256="")


def test_prices_are_one_gpus():
    # lium.io/api/executors, 2026-08-22, as github.com/getcomputable/gpu-index keeps it
    offers, rejected = read(next(iter(recorded_pages("lium").values()))[0].page)
    found = sorted((offer.gpu, offer.pricing, offer.usd_per_gpu_hour, offer.gpu_count) for offer in offers)
    for row in (
        ("b300", "on_demand", Decimal("7.97"), 8),
        ("b300", "on_demand", Decimal("8.0003"), 8),
        ("h200_sxm", "spot", Decimal("3.10"), 8),
        ("h200_sxm", "on_demand", Decimal("4.2262"), 1),
        ("h200_nvl", "on_demand", Decimal("3.90"), 1),
        ("h100_pcie", "on_demand", Decimal("2.24"), 1),
        ("rtx_pro_6000_server", "on_demand", Decimal("1.01"), 8),
        ("rtx_pro_6000_workstation", "on_demand", Decimal("1.30"), 8),
    ):
        assert row in found
    assert [row[3] for row in found if row[0] == "h100_sxm"] == [2, 8]  # the same price twice is two machines
    assert (len(found), rejected) == (17, [])
    assert {offer.country for offer in offers} == {"AE", "DE", "FI", "IN", "JP", "RU", "US"}


def test_the_price_of_a_machine_is_that_of_all_its_gpus():
    ((offer,), _) = read(answer(machine(1.75, 8)))
    assert (offer.usd_per_hour, offer.usd_per_gpu_hour) == (Decimal(14), Decimal("1.75"))
    assert offer.machine
    assert offer.sku == f"{offer.machine}-8x"  # a hash


def test_a_price_to_come_is_not_the_price():
    row = machine(pending_price_per_hour=9.5, price_change_effective_date="2020-01-01T00:00:00Z")
    offers, rejected = read(answer(row))
    assert [offer.usd_per_gpu_hour for offer in offers] == [Decimal("1.75")]
    assert [(row.reason, "9.5" in row.detail) for row in rejected] == [("future_price", True)]


def test_a_machine_in_part_taken_is_not_free_as_a_whole():
    ((offer,), _) = read(answer(machine(free=4, min_gpu_count_for_rental=1)))
    assert (offer.available, offer.minimum_gpus, offer.usd_per_gpu_hour) == (False, 1, Decimal("1.75"))


def test_only_a_rentable_fabric_joins_machines():
    plain, joined = machine(), machine(id="other", on_infiniband_fabric=True, infiniband_fabric_rentable=True)
    offers, _ = read(answer(plain, joined))
    assert sorted(str(offer.fabric) for offer in offers) == ["multi_node", "single_node"]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (machine(tier="reserved-enterprise"), "unknown_pricing"),
        (machine(specs={"is_spot": True}), "unknown_pricing"),
        (machine(specs={"is_spot": "true"}), "unknown_pricing"),
        (machine(specs={}), "unknown_pricing"),
        (machine(0), "not_a_price"),
        (machine(None), "not_a_price"),
        (machine(float("nan")), "not_a_price"),
        (machine(gpus=0), "unreadable"),
        (machine(machine_name="NVIDIA RTX PRO 9900"), "unknown_gpu"),
    ],
)
def test_an_odd_machine_costs_only_itself(row: dict[str, Any], reason: str):
    offers, rejected = read(answer(row, machine(2.24, 1, id="other", machine_name="NVIDIA H100 PCIe")))
    assert [offer.gpu for offer in offers] == ["h100_pcie"]
    assert [row.reason for row in rejected] == [reason]


@pytest.mark.parametrize("field", ["id", "machine_name", "price_per_gpu", "gpu_count", "tier"])
def test_a_field_gone_from_every_machine_is_named(field: str):
    row = machine()
    del row[field]
    with pytest.raises(LayoutChanged, match=field):
        read(answer(row))


def test_errors_under_http_200_are_errors():
    with pytest.raises(ErrorAnswer, match="Not authenticated"):
        read(Page(URL, b'{"detail":"Not authenticated"}', NOW, "executors.json"))
    with pytest.raises(LayoutChanged, match="not a list"):
        read(Page(URL, b'{"executors":[]}', NOW, "executors.json"))
    with pytest.raises(ErrorAnswer, match="did not answer JSON"):
        read(Page(URL, b"<!DOCTYPE html>", NOW, "executors.json"))


def test_owners_are_not_kept_and_machines_stay_recognisable():
    elsewhere = {**machine(2.5), "location": {"country": {"name": "Finland", "street": ADDRESS}}, "tier": [ADDRESS]}
    site = Site(lambda _: {"body": [machine(8.000300000000001), elsewhere]})
    (page,) = SOURCE.fetchers()[""](http_for(SOURCE, site))
    for secret in (UUID, ADDRESS, HOTKEY, "00121", "60.1699"):
        assert secret not in page.text
    assert "8.000300000000001" in page.text
    kept, raw = (read(one)[0][0] for one in (page, answer(machine(8.000300000000001))))
    assert (kept.sku, kept.offer_key, kept.usd_per_hour) == (raw.sku, raw.offer_key, raw.usd_per_hour)
