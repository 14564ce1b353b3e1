"""Salad: PCs of households that leave at will, four priorities, names that begin with a blank."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from exchanges import Replay, http_for

from models.currencies import Rates
from models.normalise import normalise
from models.offers import Offer, Rejected
from sources.pages import recorded_pages
from sources.providers.salad import SOURCE, URL
from sources.source import ErrorAnswer, LayoutChanged, MissingSecret, Page

NOW = datetime(2026, 10, 1, tzinfo=UTC)
FOUR = {"high": "0.330", "medium": "0.273", "low": "0.217", "batch": "0.160"}


def gpu(name: Any = "RTX 4090 (24 GB)", prices: Any = None, **fields: Any) -> dict[str, Any]:
    listed = [{"priority": priority, "price": price} for priority, price in (prices or FOUR).items()]
    return {"id": "ed563892-aacd-40f5-80b7-90c9be6c759b", "name": name, "prices": listed, **fields}


def answer(*classes: dict[str, Any]) -> Page:
    return Page(URL, json.dumps({"items": classes}).encode(), NOW, "gpu-classes.json")


def read(page: Page) -> tuple[list[Offer], list[Rejected]]:
    rows = SOURCE.parse([page])
    return normalise(
        rows, provider="salad", book="", observed_at=NOW, origin="live", rates=Rates.of([]), page_sha256=""
    )


def recorded(day: str) -> tuple[list[Offer], list[Rejected]]:
    return next(read(kept[0].page) for moment, kept in recorded_pages("salad").items() if f"{moment:%F}" == day)


def test_prices_of_every_priority_in_september():
    # salad.com/pricing as read on 2026-09-20: RTX 5090 .500/.417/.333/.250, RTX 4090 .330/.273/.217/.160
    offers, rejected = recorded("2026-09-20")
    found = {(offer.gpu, offer.tier): offer.usd_per_gpu_hour for offer in offers}
    assert (len(found), rejected) == (20, [])
    for card, prices in {"rtx_5090": "0.500 0.417 0.333 0.250", "rtx_4090": "0.330 0.273 0.217 0.160"}.items():
        for priority, price in zip(("high", "medium", "low", "batch"), prices.split(), strict=True):
            assert found[card, priority] == Decimal(price)


def test_batch_prices_of_march():
    # SALAD_GPU_PRICING.md of github.com/explaindio/musetalk_container, 2026-03-04
    offers, rejected = recorded("2026-03-04")
    found = {offer.gpu: offer.usd_per_gpu_hour for offer in offers}
    for card, price in {"rtx_3060_12": "0.04", "rtx_3060_8": "0.03", "rtx_a5000": "0.09", "rtx_4080": "0.11"}.items():
        assert found[card] == Decimal(price)
    assert [row.gpu_text for row in rejected] == ["GTX 1070, 1080, 1080Ti (8 GB)"]  # any of three cards


def test_nothing_on_a_household_pc_is_on_demand():
    offers, _ = read(answer(gpu(gpu_class_type="community"), gpu(" RTX 5080 (16 GB)")))
    assert {offer.pricing for offer in offers} == {"spot"}
    offers, _ = read(answer(gpu("RTX A5000 (24 GB)", gpu_class_type="secure")))
    assert {offer.tier: offer.pricing for offer in offers} == {
        "secure high": "on_demand",
        "secure medium": "spot",
        "secure low": "spot",
        "secure batch": "spot",
    }


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (gpu(prices={"batch": "0"}), "not_a_price"),
        (gpu(prices={"batch": "Contact us"}), "not_a_price"),
        (gpu(prices={"turbo": "9.99"}), "unknown_pricing"),
        (gpu(prices={"batch": "0.1"}, gpu_count=8), "unreadable"),
        (gpu("RTX 5090 Laptop (24 GB)", prices={"batch": "0.1"}), "unknown_gpu"),
    ],
)
def test_an_odd_class_costs_only_itself(row: dict[str, Any], reason: str):
    offers, rejected = read(answer(row, gpu(" RTX 5080 (16 GB)", {"batch": "0.150"})))
    assert [(offer.gpu, offer.usd_per_gpu_hour) for offer in offers] == [("rtx_5080", Decimal("0.150"))]
    assert [row.reason for row in rejected] == [reason]


def test_errors_and_changes_are_named():
    with pytest.raises(ErrorAnswer, match="Unauthorized"):
        read(Page(URL, b'{"type":"about:blank","title":"Unauthorized","status":401}', NOW, "gpu-classes.json"))
    with pytest.raises(ErrorAnswer, match="did not answer JSON"):
        read(Page(URL, b"<!DOCTYPE html><h1>Service Unavailable</h1>", NOW, "gpu-classes.json"))
    for field in ("name", "prices"):
        row = gpu()
        del row[field]
        with pytest.raises(LayoutChanged, match=field):
            read(answer(row))
    with pytest.raises(LayoutChanged, match="priority"):
        read(answer({"name": "RTX 4090 (24 GB)", "prices": [{"price": "0.16"}]}))


def test_neither_key_nor_organisation_is_kept():
    replay = Replay([{"request": {"url": f"{URL}/acme-labs/gpu-classes"}, "response": {"body": {"items": [gpu()]}}}])
    (page,) = SOURCE.fetchers()[""](http_for(SOURCE, replay, secrets={"SALAD_CLIENT": "acme-labs:salad-secret-1"}))
    assert replay.requests[0].headers["Salad-Api-Key"] == "salad-secret-1"
    assert "acme" not in page.url
    assert "secret" not in page.url + page.text


@pytest.mark.parametrize("client", ["", "salad-secret-1", "acme-labs:", "../v2:salad-secret-1"])
def test_a_key_without_its_organisation_asks_for_it_and_is_not_printed(client: str):
    with pytest.raises(MissingSecret, match="SALAD_CLIENT") as raised:
        list(SOURCE.fetchers()[""](http_for(SOURCE, Replay([]), secrets={"SALAD_CLIENT": client})))
    assert "salad-secret-1" not in str(raised.value)
