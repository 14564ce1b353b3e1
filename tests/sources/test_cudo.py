"""CUDO Compute: parts with a price each, put together to a machine of a stated shape."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from exchanges import Replay, http_for

from models.currencies import Rates
from models.normalise import normalise
from models.offers import Offer, Quote, Rejected, Unreadable
from sources.pages import recorded_pages
from sources.providers.cudo import SOURCE, URL
from sources.source import ErrorAnswer, LayoutChanged, Page

MARCH = datetime(2026, 3, 6, tzinfo=UTC)
# a machine type of github.com/Neotix-Dev/gpuhunt src/tests/providers/test_cudo.py
A5000 = {
    "dataCenterId": "no-luster-1", "machineType": "epyc-rome-rtx-a5000", "gpuModel": "RTX A5000",
    "minVcpuPerGpu": 1, "maxVcpuPerGpu": 16, "vcpuPriceHr": {"value": "0.002100"},
    "memoryGibPriceHr": {"value": "0.003400"}, "gpuPriceHr": {"value": "0.520000"}, "maxGpuFree": 4, "totalGpuFree": 7,
}  # fmt: skip


def page(body: object) -> Page:
    text = body if isinstance(body, bytes) else json.dumps(body).encode()
    return Page(URL, text, MARCH, "machine-types.json")


def rows(*types: dict[str, Any]) -> list[Quote | Unreadable]:
    return list(SOURCE.parse([page({"machineTypes": types})]))  # type: ignore[arg-type]


def read(given: Any) -> tuple[list[Offer], list[Rejected]]:
    return normalise(
        given, provider="cudo", book="", observed_at=MARCH, origin="recorded", rates=Rates.of([]), page_sha256=""
    )


@pytest.mark.parametrize(
    ("gpu", "gpu_alone", "host"),
    [  # github.com/cherielilili/gpu-pricing-tracker, 2026-03-06; 8 vCPUs and 16 GiB as SkyPilot's catalogue adds them
        ("a100_pcie_80", "1.35", "0.0936"),
        ("h100_sxm", "2.47", "0.1256"),
        ("l40s", "0.87", "0.1176"),
    ],
)
def test_recorded_gpus_are_quoted_with_their_host(gpu, gpu_alone, host):
    offers, rejected = read(SOURCE.parse([kept.page for kept in recorded_pages("cudo")[MARCH]]))
    (offer,) = [offer for offer in offers if offer.gpu == gpu]
    assert offer.usd_per_gpu_hour == Decimal(gpu_alone) + Decimal(host)
    assert (offer.vcpus, offer.memory_gb, offer.tier) == (8, 16, "composed")
    assert (len(offers), rejected) == (3, [])


@pytest.mark.parametrize(
    ("gpu_hour", "two_vcpus_four_gib", "eight"),
    [("0.87", "0.0294", "7.9008"), ("1.35", "0.0234", "11.5488"), ("1.79", "0.0314", "15.3248")],
)
def test_eight_gpus_cost_what_another_catalogue_has_for_them(gpu_hour, two_vcpus_four_gib, eight):
    """github.com/skypilot-org/skypilot-catalog catalogs/v9/cudo/vms.csv: 8 GPUs, 64 vCPUs, 128 GiB."""
    per_gib = Decimal(two_vcpus_four_gib) / 4
    parts = {"gpuPriceHr": gpu_hour, "vcpuPriceHr": "0", "memoryGibPriceHr": str(per_gib)}
    priced = {**A5000, **{part: {"value": value} for part, value in parts.items()}, "maxGpuFree": 8}
    offers, _ = read(rows(priced))
    assert [(o.gpu_count, o.usd_per_hour, o.vcpus, o.memory_gb) for o in offers][1] == (8, Decimal(eight), 64, 128)


def test_a_gpu_is_never_quoted_without_its_host():
    one, four = (row for row in rows(A5000) if isinstance(row, Quote))
    assert (one.amount, one.gpu_count) == (Decimal("0.52") + 8 * Decimal("0.0021") + 16 * Decimal("0.0034"), 1)
    assert (four.amount, four.gpu_count) == (one.amount * 4, 4)
    (without,) = rows({**A5000, "vcpuPriceHr": None})
    assert isinstance(without, Unreadable)
    assert without.reason == "gpu_part"


def test_what_is_free_in_one_host_counts():
    assert [row.available for row in rows(A5000) if isinstance(row, Quote)] == [True, True]
    (none_free,) = rows({**A5000, "maxGpuFree": 0})
    assert isinstance(none_free, Quote)
    assert (none_free.gpu_count, none_free.available) == (1, False)
    (not_said,) = rows({**A5000, "maxGpuFree": None})
    assert isinstance(not_said, Quote)
    assert not_said.available is None


def test_machine_types_without_a_gpu_are_passed_over():
    assert [row.sku for row in rows({**A5000, "gpuModel": "", "maxGpuFree": 0}, A5000)] == ["epyc-rome-rtx-a5000"] * 2


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"gpuPriceHr": {"value": "0"}}, "not_a_price"),
        ({"gpuPriceHr": "0.52"}, "not_a_price"),
        ({"memoryGibPriceHr": {"value": "-1"}}, "gpu_part"),
        ({"maxVcpuPerGpu": 4}, "gpu_part"),
        ({"maxGpuFree": 10_000}, "bad_count"),
    ],
)
def test_a_machine_type_that_cannot_be_read_is_reported(changed, reason):
    bad, *good = rows({**A5000, **changed}, A5000)
    assert isinstance(bad, Unreadable)
    assert bad.reason == reason
    assert len(good) == 2


@pytest.mark.parametrize(
    ("body", "error"),
    [
        (b"<html>Sign in</html>", ErrorAnswer),
        ({"code": 16, "message": "unauthenticated"}, ErrorAnswer),
        ({"machineTypes": {}}, LayoutChanged),
        ({"machineTypes": [{"machineType": "epyc-rome"}]}, LayoutChanged),
    ],
)
def test_answers_that_are_no_list_raise_a_named_error(body, error):
    with pytest.raises(error):
        list(SOURCE.parse([page(body)]))


@pytest.mark.parametrize("secrets", [{}, {"CUDO_API_KEY": "key-of-the-test"}])
def test_it_is_asked_with_a_key_where_there_is_one(secrets):
    replay = Replay([{"request": {"url": URL}, "response": {"body": {"machineTypes": [A5000]}}}])
    (kept,) = SOURCE.fetchers()[""](http_for(SOURCE, replay, secrets=secrets))
    assert ("Authorization" in replay.requests[0].headers) is bool(secrets)
    assert "key-of-the-test" not in kept.url + kept.text
