"""Oracle Cloud: which parts are rented GPUs, of which shapes, and what they cost."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from exchanges import Replay, http_for

from models.currencies import Rates
from models.normalise import normalise
from models.offers import Quote, Unreadable
from sources.pages import recorded_pages
from sources.providers.oci import SOURCE, URL
from sources.source import ErrorAnswer, LayoutChanged, Page

NOW = datetime(2026, 8, 22, tzinfo=UTC)


def part(number: str, name: str, value: Any, **fields: Any) -> dict[str, Any]:
    local = {"currencyCode": "USD", "prices": [{"model": "PAY_AS_YOU_GO", "value": value}]}
    listed = {
        "partNumber": number,
        "displayName": name,
        "metricName": "GPU Per Hour",
        "serviceCategory": "Compute - GPU",
    }
    return {**listed, "currencyCodeLocalizations": [local], **fields}


H100 = part("B98415", "Oracle Cloud Infrastructure - Compute - GPU - H100", 10)


def page(*items: dict[str, Any]) -> Page:
    return Page(URL, json.dumps({"lastUpdated": "2026-08-14T09:09:55.872Z", "items": items}).encode(), NOW, "products")


def rows(*items: dict[str, Any]) -> list[Quote | Unreadable]:
    return list(SOURCE.parse([page(*items)]))  # type: ignore[arg-type]


def recorded() -> list[Quote | Unreadable]:
    (pages,) = recorded_pages("oci").values()
    return list(SOURCE.parse([kept.page for kept in pages]))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("shape", "gpus", "per_gpu", "per_hour"),
    [  # Oracle's list of 14 August 2026, times the GPUs of the shape
        ("BM.GPU.H100.8", 8, "10.00", "80.00"),
        ("BM.GPU.H200.8", 8, "10.00", "80.00"),
        ("BM.GPU.B200.8", 8, "14.00", "112.00"),
        ("BM.GPU.GB200.4", 4, "16.00", "64.00"),
        ("BM.GPU.MI300X.8", 8, "6.00", "48.00"),
        ("BM.GPU.MI355X.8", 8, "8.60", "68.80"),
        ("BM.GPU.L40S.4", 4, "3.50", "14.00"),
        ("BM.GPU.A100-v2.8", 8, "4.00", "32.00"),
        ("BM.GPU4.8", 8, "3.05", "24.40"),
        ("VM.GPU.A10.2", 2, "2.00", "4.00"),
        ("VM.GPU2.1", 1, "1.275", "1.275"),
    ],
)
def test_a_part_costs_the_same_for_each_gpu_of_its_shapes(shape, gpus, per_gpu, per_hour):
    offers, _ = normalise(
        recorded(), provider="oci", book="", observed_at=NOW, origin="recorded", rates=Rates.of([]), page_sha256=""
    )
    (offer,) = [offer for offer in offers if offer.sku == shape]
    assert (offer.gpu_count, offer.usd_per_gpu_hour, offer.usd_per_hour) == (
        gpus,
        Decimal(per_gpu),
        Decimal(per_hour),
    )


def test_cards_are_told_apart_by_memory_and_board():
    offers, rejected = normalise(
        recorded(), provider="oci", book="", observed_at=NOW, origin="recorded", rates=Rates.of([]), page_sha256=""
    )
    cards = {offer.sku: (offer.gpu_family, offer.gpu_memory_gb) for offer in offers}
    assert cards["BM.GPU4.8"] == ("a100", 40)
    assert cards["BM.GPU.A100-v2.8"] == ("a100", 80)
    assert cards["VM.GPU3.4"] == ("v100", 16)
    # H100T and E4 have a price and no published shape: not guessed
    assert [(row.reason, row.sku) for row in rejected] == [("unknown_sku", "B93544"), ("unknown_sku", "B109480")]


def test_licences_customer_sites_and_other_metrics_are_passed_over():
    lookalikes = [
        part("B111824", "OCI - NVIDIA AI Enterprise - H100", 2.5),
        part("B111454", "Oracle Compute Cloud@Customer - Compute - GPU.L40S - Resource Commit", 0.6),
        part(
            "B108806", "Oracle Cloud VMware Solution - BM.GPU.A10.64 - Monthly Commit", 16, metricName="Node Per Hour"
        ),
        part("B109493", "Roving Edge Device - RED.2 GPU", 100, metricName="Resource Possession Per Day"),
        part("B108776", "WebCenter Imaging For OCI", 0.6394, metricName="OCPU Per Hour"),
    ]
    assert {row.sku for row in rows(H100, *lookalikes)} == {"BM.GPU.H100.8"}


def test_a_part_nobody_knows_is_reported_and_no_card_is_guessed():
    (unknown,) = [row for row in rows(H100, part("B119999", "OCI - Compute - GPU - R300", 20)) if row.sku == "B119999"]
    assert isinstance(unknown, Unreadable)
    assert unknown.reason == "unknown_sku"


def test_a_part_number_given_to_another_card_is_noticed():
    (row,) = rows(part("B98415", "OCI - Compute - GPU - H100T", 10.75))
    assert isinstance(row, Unreadable)
    assert row.reason == "unknown_sku"


@pytest.mark.parametrize("value", [0, -10, None, "contact us", True])
def test_no_price_is_no_quote(value):
    row = rows(part("B98415", H100["displayName"], value))
    assert [(type(bad), bad.reason) for bad in row if isinstance(bad, Unreadable)] == [(Unreadable, "not_a_price")]
    assert len(row) == 1


def test_a_price_from_a_volume_on_is_not_the_price_of_the_first_hour():
    (row,) = rows(json.loads(json.dumps(H100).replace('"value"', '"rangeMin": 1000, "value"')))
    assert isinstance(row, Unreadable)
    assert rows(json.loads(json.dumps(H100).replace('"value"', '"rangeMin": 0, "value"'))) == rows(H100)


def test_an_answer_in_another_currency_is_not_taken_for_dollars():
    euros = [{"currencyCode": "EUR", "prices": [{"model": "PAY_AS_YOU_GO", "value": 9.3}]}]
    (row,) = rows({**H100, "currencyCodeLocalizations": euros})
    assert isinstance(row, Unreadable)


def test_display_names_may_have_uneven_blanks():
    assert {row.sku for row in rows(part("B95909", "Compute  - GPU - A10", 2))} == {
        "VM.GPU.A10.1",
        "VM.GPU.A10.2",
        "BM.GPU.A10.4",
    }


@pytest.mark.parametrize(
    ("body", "error"),
    [
        (b"<html>Service Unavailable</html>", ErrorAnswer),
        (b'{"products":[]}', LayoutChanged),
        (b'{"items":[]}', LayoutChanged),
        (json.dumps({"items": [{**H100, "metricName": "GPU Hour"}]}).encode(), LayoutChanged),
        (b"[]", LayoutChanged),
    ],
)
def test_answers_that_are_no_price_list_raise_a_named_error(body, error):
    with pytest.raises(error):
        list(SOURCE.parse([Page(URL, body, NOW, "products")]))


def test_the_list_is_one_request_for_dollars():
    replay = Replay([{"request": {"url": URL}, "response": {"body": page(H100).body}}])
    (fetch,) = SOURCE.fetchers().values()
    assert [row.sku for row in SOURCE.parse(list(fetch(http_for(SOURCE, replay))))] == ["BM.GPU.H100.8"]
    assert (replay.requests[0].url or "").endswith("?currencyCode=USD")
