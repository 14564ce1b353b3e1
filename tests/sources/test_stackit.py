"""STACKIT: machines that name their card by type alone, metro machines, products that are not for sale, paging."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from exchanges import Replay, http_for
from trials import recorded_rates

from models.normalise import normalise
from models.offers import Offer, Rejected
from sources.pages import recorded_pages
from sources.providers.stackit import SOURCE, URL, fetch
from sources.source import ErrorAnswer, LayoutChanged, Page, TruncatedAnswer

READ_AT = datetime(2026, 9, 23, 11, 5, 43, tzinfo=UTC)


def sku(kind: str = "n2.14d.g1", value: Any = 1.74290277778, metro: bool = False, **fields: Any) -> dict[str, Any]:
    """A product as the list of 2026-09-23 has it."""
    return {
        "region": "eu01", "deprecated": False, "priceListVisibility": True, "unit": "Hours", "unitBilling": "per hour",
        "price": {"list": {"value": value, "currencyCode": "EUR"}, "monthly": {"value": 1254.89}},
        "productSpecificAttributes": {
            "discriminator": "ComputeEngineGPU", "flavor": kind, "hardware": "GPU", "metro": metro,
            "ram": 50, "vCPU": 14,
        },
        **fields,
    }  # fmt: skip


def page(*skus: dict[str, Any], following: str = "", number: int = 1) -> Page:
    meta = {"hasNextPage": bool(following), "nextCursor": following or None}
    return Page(URL, json.dumps({"data": skus, "meta": meta}).encode(), READ_AT, f"skus-{number}.json")


def read(*pages: Page) -> tuple[list[Offer], list[Rejected]]:
    return normalise(
        SOURCE.parse(pages),  # type: ignore[arg-type]
        provider="stackit",
        book="",
        observed_at=READ_AT,
        origin="recorded",
        rates=recorded_rates(),
        page_sha256="",
    )


@pytest.mark.parametrize(
    ("kind", "gpu", "gpus", "eur_per_hour"),
    [  # the list of 2026-09-23
        ("n1.14d.g1", "a100_80", 1, "2.65808333"),
        ("n1.56d.g4", "a100_80", 4, "16.33806944444"),
        ("n2.56d.g4", "l40s", 4, "6.97161111"),
        ("n3.14d.g1", "h100_sxm", 1, "8.04134722"),
        ("n3.104d.g8", "h100_sxm", 8, "64.33080556"),
    ],
)
def test_recorded_prices_are_of_the_whole_machine(kind, gpu, gpus, eur_per_hour):
    offers, rejected = read(*(kept.page for kept in recorded_pages("stackit")[READ_AT]))
    assert (len(offers), rejected) == (10, [])
    (found,) = [offer for offer in offers if offer.sku == kind]
    assert (found.gpu, found.gpu_count, found.currency, found.country) == (gpu, gpus, "EUR", "DE")
    assert found.list_price == Decimal(eur_per_hour).quantize(Decimal("1e-8"))
    assert abs(found.usd_per_gpu_hour * gpus / Decimal(eur_per_hour) - found.fx_rate) < Decimal("1e-6")


def test_a_machine_over_several_zones_is_a_product_of_its_own():
    offers, rejected = read(page(sku(), sku(value=3.48580555556, metro=True)))
    assert not rejected
    assert {offer.tier: offer.list_price for offer in offers} == {
        "": Decimal("1.74290278"),
        "metro": Decimal("3.48580556"),
    }


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (sku("n9.14d.g1"), "unknown_sku"),  # a family that is not known has no card
        (sku("n3.14d"), "unknown_sku"),
        (sku("c1.4.g1"), "unknown_sku"),
        (sku(deprecated=True), "not_a_price"),
        (sku(priceListVisibility=False), "not_a_price"),
        (sku(value=0), "not_a_price"),
        (sku(value=None), "not_a_price"),
        (sku(unitBilling="per month"), "unknown_unit"),
        (sku(title="GPU Server, reserved for 12 months"), "missing_term"),
    ],
)
def test_what_is_not_for_sale_costs_only_itself(bad, reason):
    offers, rejected = read(page(bad, sku("n3.14d.g1", 8.04)))
    assert [offer.sku for offer in offers] == ["n3.14d.g1"]
    assert [row.reason for row in rejected] == [reason]


def test_pages_follow_their_cursor_and_a_list_cut_short_is_no_list():
    first, last = page(sku(), following="abc"), page(sku("n3.14d.g1", 8.04), number=2)
    site = Replay([{"response": {"body": one.body}} for one in (first, last)])
    fetched = list(fetch(http_for(SOURCE, site)))
    assert [(asked.url or "").partition("&cursor=")[2] for asked in site.requests] == ["", "abc"]
    assert [offer.sku for offer in read(*fetched)[0]] == ["n2.14d.g1", "n3.14d.g1"]
    with pytest.raises(TruncatedAnswer):
        read(first)


def test_errors_and_changes_are_named():
    with pytest.raises(ErrorAnswer, match="try later"):
        read(Page(URL, b'{"message": "try later"}', READ_AT, "skus-1.json"))
    with pytest.raises(LayoutChanged, match="GPUs"):
        read(page({"productSpecificAttributes": {"discriminator": "ComputeEngine"}}))
    with pytest.raises(LayoutChanged, match="unitBilling"):
        read(page({name: value for name, value in sku().items() if name != "unitBilling"}))
