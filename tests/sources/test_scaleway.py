"""Scaleway: whole machines in euros, zones that are looked at apart, and what is sold out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import requests
from exchanges import Site, http_for

from models.currencies import Rates
from models.normalise import normalise
from models.offers import CurrencyRate, Quote, Unreadable
from sources.pages import recorded_pages
from sources.providers.scaleway import SOURCE, URL, ZONES
from sources.source import ErrorAnswer, LayoutChanged, Page, TruncatedAnswer

NOW = datetime(2026, 8, 22, tzinfo=UTC)
GIB = 2**30


def server(gpus: int, name: str | None, price: Any, memory_gib: int = 80, **fields: Any) -> dict[str, Any]:
    info = {"gpu_manufacturer": "NVIDIA", "gpu_name": name, "gpu_memory": memory_gib * GIB} if name else None
    listed = {"ncpus": 24, "ram": 240 * GIB, "gpu": gpus, "gpu_info": info, "mig_profile": None, "hourly_price": price}
    return {**listed, "monthly_price": 2092.545, "end_of_service": False, **fields}


H100 = server(1, "H100-PCIe", 2.8665)


def page(servers: Mapping[str, Any], name: str = "servers-1.json", zone: str = "fr-par-2") -> Page:
    return Page(URL.format(zone=zone), json.dumps({"servers": servers}).encode(), NOW, name, zone)


def rows(servers: Mapping[str, Any]) -> list[Quote | Unreadable]:
    return list(SOURCE.parse([page(servers)]))  # type: ignore[arg-type]


def recorded(moment: datetime) -> dict[str, Quote]:
    pages = [kept.page for kept in recorded_pages("scaleway")[moment]]
    return {row.sku: row for row in SOURCE.parse(pages) if isinstance(row, Quote)}


@pytest.mark.parametrize(
    ("sku", "usd_per_gpu_hour"),
    [  # adriannutiu/gpu-rental-prices, snapshot of 22 August 2026, in USD of that day's rate
        ("B300-SXM-8-288G", "8.7743"),
        ("H100-1-80G", "3.3535"),
        ("H100-SXM-2-80G", "3.8723"),
        ("L4-1-24G", "0.9213"),
        ("L40S-1-48G", "1.7197"),
    ],
)
def test_prices_of_august_agree_with_an_independent_reading(sku, usd_per_gpu_hour):
    offers, rejected = normalise(
        recorded(NOW).values(),
        provider="scaleway",
        book="fr-par-2",
        observed_at=NOW,
        origin="recorded",
        rates=Rates.of([CurrencyRate(date(2026, 8, 21), "USD", Decimal("1.1699"))]),
        page_sha256="",
    )
    (offer,) = [offer for offer in offers if offer.sku == sku]
    assert abs(offer.usd_per_gpu_hour - Decimal(usd_per_gpu_hour)) <= Decimal("0.00005")
    assert (offer.currency, offer.country) == ("EUR", "FR")
    assert not rejected


def test_a_smaller_machine_costs_more_for_each_gpu():
    # 22 August 2026: 18.96 for two, 34.08 for four, 60 for eight
    machines = [recorded(NOW)[f"B300-SXM-{count}-288G"] for count in (2, 4, 8)]
    assert [(row.gpu_count, row.amount) for row in machines] == [
        (2, Decimal("18.96")),
        (4, Decimal("34.08")),
        (8, Decimal(60)),
    ]


def test_what_is_short_keeps_its_price_and_is_not_for_sale():
    august = recorded(NOW)
    on_sale = {sku: august[sku].available for sku in ("H100-1-80G", "H100-2-80G", "L4-8-24G", "RENDER-S")}
    assert on_sale == {"H100-1-80G": True, "H100-2-80G": False, "L4-8-24G": False, "RENDER-S": True}
    scarce = page({"H100-1-80G": {"availability": "scarce"}}, "availability-1.json")
    new_word = page({"H100-1-80G": {"availability": "on_order"}}, "availability-1.json")
    listed = page({"H100-1-80G": H100})
    read = [row for pages in ([listed, scarce], [new_word, listed]) for row in SOURCE.parse(pages)]
    assert [row.available for row in read if isinstance(row, Quote)] == [True, None]


def test_sizes_are_those_of_one_gpu_and_of_the_host():
    machine = recorded(NOW)["H100-SXM-8-80G"]
    assert (machine.gpu_memory_gb, machine.memory_gb, machine.vcpus) == (80, 960, 128)


def test_parts_of_a_card_old_types_and_machines_without_a_gpu_are_passed_over():
    passed = {
        "H100-1-MIG-10G": server(1, "H100-PCIe", 0.5, mig_profile="MIG 1g.10gb"),
        "GPU-3070-S": server(1, "RTX-3070", 0.98, 8, end_of_service="true"),
        "BASIC3-X2C-4G": server(0, None, 0.039449),
    }
    assert [row.sku for row in rows({"H100-1-80G": H100, **passed})] == ["H100-1-80G"]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (server(1, "H100-PCIe", 0), "not_a_price"),
        (server(1, "H100-PCIe", None), "not_a_price"),
        (server(1, None, 2.8665), "unknown_sku"),
        (server(0, "H100-PCIe", 2.8665), "unknown_sku"),
        (server(1, "H100-PCIe", 2.8665, end_of_service="2026-12-31"), "unreadable"),
    ],
)
def test_a_bad_row_is_reported_and_the_others_are_kept(row, reason):
    bad, good = rows({"X": row, "H100-1-80G": H100})
    assert isinstance(bad, Unreadable)
    assert bad.reason == reason
    assert isinstance(good, Quote)


@pytest.mark.parametrize(
    ("body", "error"),
    [
        (b"<html>502</html>", ErrorAnswer),
        (b'{"message":"authentication is denied","type":"denied_authentication"}', LayoutChanged),
        (b'{"servers":[]}', LayoutChanged),
        (b'{"servers":{"H100-1-80G":{"availability":"available"}}}', LayoutChanged),
        (json.dumps({"servers": {"H100-1-80G": {"gpu": 1, "price_per_hour": 2.8665}}}).encode(), LayoutChanged),
    ],
)
def test_answers_that_are_no_list_raise_a_named_error(body, error):
    with pytest.raises(error):
        list(SOURCE.parse([Page(URL, body, NOW, "servers-1.json", "fr-par-2")]))


def test_each_zone_is_a_part_and_both_lists_are_read_to_their_end():
    asked: list[str] = []

    def respond(request: requests.PreparedRequest) -> Mapping[str, Any]:
        address = urlsplit(request.url or "")
        number = parse_qs(address.query)["page"][0]
        asked.append(f"{address.path.removeprefix('/instance/v1/zones/')} {number}")
        if address.path.endswith("availability"):
            types = {"1": {"H100-1-80G": {"availability": "shortage"}}}
        else:
            types = {"1": {"H100-1-80G": H100}, "2": {"RENDER-S": server(1, "P100", 1.221, 16)}}
        return {"body": {"servers": types.get(number, {})}}

    assert set(SOURCE.fetchers()) == set(ZONES)
    pages = list(SOURCE.fetchers()["fr-par-2"](http_for(SOURCE, Site(respond))))
    assert asked == [
        "fr-par-2/products/servers 1",
        "fr-par-2/products/servers 2",
        "fr-par-2/products/servers 3",
        "fr-par-2/products/servers/availability 1",
        "fr-par-2/products/servers/availability 2",
    ]
    read = {row.sku: row for row in SOURCE.parse(pages) if isinstance(row, Quote)}
    assert {sku: (row.region, row.available) for sku, row in read.items()} == {
        "H100-1-80G": ("fr-par-2", False),
        "RENDER-S": ("fr-par-2", None),
    }
    assert read["RENDER-S"].page_sha256 == pages[1].sha256


def test_a_list_without_an_end_is_not_followed_for_ever():
    endless = Site(lambda request: {"body": {"servers": {"H100-1-80G": H100}}})
    with pytest.raises(TruncatedAnswer):
        list(SOURCE.fetchers()["fr-par-2"](http_for(SOURCE, endless)))
    assert len(endless.requests) == 20
