"""Open Telekom Cloud: rows in the shape of its price calculator, with made-up prices of GPU flavours.

Field names and the S3 row are those of an answer of 2026-05-06; no GPU row of a known date could be had.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from models.currencies import Rates
from models.normalise import normalise
from models.offers import CurrencyRate, Offer, Rejected
from sources.providers.otc import SOURCE, URL
from sources.source import ErrorAnswer, LayoutChanged, Page, TruncatedAnswer

NOW = datetime(2026, 10, 8, tzinfo=UTC)
RATES = Rates.of([CurrencyRate(datetime(2026, 10, 7, tzinfo=UTC).date(), "USD", Decimal("1.2"))])
S3 = {
    "id": "OTC_S3M1_LI", "region": "eu-de", "opiFlavour": "s3.medium.1", "osUnit": "Open Linux", "unit": "h",
    "currency": "EUR", "priceAmount": "0.051175 EUR", "R12": "23.150000 EUR", "RU12": "21.500000 EUR",
    "RU24": "19.541667 EUR", "vCpu": "1", "ram": "1 GiB",
}  # fmt: skip


def row(flavour: str = "p3.8xlarge.8", price: str = "10.000000 EUR", **fields: Any) -> dict[str, Any]:
    terms = {f"{kind}{months}": "0.000000 EUR" for kind in ("R", "RU") for months in (12, 24, 36)}
    return {**S3, **terms, "opiFlavour": flavour, "priceAmount": price, "vCpu": "32", "ram": "256 GiB", **fields}


def page(*rows: dict[str, Any], listed: bool = False, **answer: Any) -> Page:
    result = list(rows) if listed else {"ecs": list(rows)}
    return Page(URL, json.dumps({"response": {"result": result, **answer}}).encode(), NOW, "ecs.json")


def read(one: Page) -> tuple[list[Offer], list[Rejected]]:
    return normalise(
        SOURCE.parse([one]),  # type: ignore[arg-type]
        provider="otc",
        book="",
        observed_at=NOW,
        origin="live",
        rates=RATES,
        page_sha256="",
    )


@pytest.mark.parametrize("listed", [False, True])
def test_a_machine_is_priced_whole_by_the_hour_in_either_shape_of_the_answer(listed):
    offers, rejected = read(page(S3, row(), row("p2v.16xlarge.8", "20.000000 EUR", region="eu-nl"), listed=listed))
    assert not rejected
    assert [(o.gpu, o.gpu_count, o.list_price, o.currency, o.usd_per_gpu_hour, o.country) for o in offers] == [
        ("a100_pcie_80", 4, Decimal(10), "EUR", Decimal(3), "DE"),
        ("v100_sxm_16", 8, Decimal(20), "EUR", Decimal(3), "NL"),
    ]
    assert (offers[0].vcpus, offers[0].memory_gb) == (32, 256)


def test_contract_prices_are_for_a_month_or_for_the_whole_term_in_advance():
    offers, rejected = read(page(row(price="10 EUR", R12="3650.000000 EUR", RU24="2433.333333 EUR")))
    assert not rejected
    found = {(o.pricing, o.term_months, o.tier): (o.usd_per_hour, o.upfront) for o in offers}
    assert found == {
        ("on_demand", None, ""): (Decimal(12), None),
        ("reserved", 12, ""): (Decimal(6), None),  # 3,650 EUR / 730 h
        ("reserved", 24, "all_upfront"): (Decimal(4), Decimal(58400)),  # 58,400 EUR / 24 months of 730 h
    }


def test_licensed_systems_and_machines_without_gpus_are_passed_over():
    offers, rejected = read(page(S3, row(), row(price="12.000000 EUR", osUnit="Windows")))
    assert [offer.list_price for offer in offers] == [10]
    assert not rejected


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (row("p9.2xlarge.8"), "unknown_sku"),
        (row(price="0.000000 EUR"), "not_a_price"),
        (row(price="10.000000 USD"), "not_a_price"),  # the row says EUR
        (row(price="10,00 EUR"), "not_a_price"),
        (row(unit="Monat"), "unknown_unit"),
    ],
)
def test_an_odd_row_costs_only_itself(bad, reason):
    offers, rejected = read(page(bad, row("pi2.2xlarge.4", "1.000000 EUR")))
    assert [offer.gpu for offer in offers] == ["t4"]
    assert [row.reason for row in rejected] == [reason]


def test_errors_and_changes_are_named():
    for said, error in {
        b'{"message": "internal error"}': ErrorAnswer,
        b'{"response": {"result": {"evs": []}}}': LayoutChanged,
    }.items():
        with pytest.raises(error):
            read(Page(URL, said, NOW, "ecs.json"))
    with pytest.raises(LayoutChanged, match="GPUs"):
        read(page(S3))
    with pytest.raises(TruncatedAnswer, match="2 of 828"):
        read(page(S3, row(), stats={"count": 828}))
    for field in ("opiFlavour", "osUnit", "unit", "currency", "priceAmount", "region"):
        with pytest.raises(LayoutChanged, match=field):
            read(page({name: value for name, value in row().items() if name != field}))
