"""JarvisLabs: pools of one card in one region, in the currency of whoever asks."""

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
from sources.providers.jarvislabs import SOURCE, URL
from sources.source import ErrorAnswer, LayoutChanged, Page

AUGUST, OCTOBER = datetime(2026, 8, 22, tzinfo=UTC), datetime(2026, 10, 8, tzinfo=UTC)
# a pool of github.com/dstackai/gpuhunt src/tests/providers/test_jarvislabs.py
L4 = {
    "gpu_type": "L4", "region": "india-noida-01", "effective_num_free_devices": 3, "spot_num_free_devices": 2,
    "price_per_hour": 0.44, "spot_price": 0.29, "vram": "24", "cpus_per_gpu": 28, "ram_per_gpu": 124,
    "workload_type": "container", "num_gpus": "8",
}  # fmt: skip


def page(body: object) -> Page:
    return Page(URL, body if isinstance(body, bytes) else json.dumps(body).encode(), OCTOBER, "server_meta.json")


def rows(*pools: dict[str, Any], currency: str = "USD") -> list[Quote | Unreadable]:
    return list(SOURCE.parse([page({"currency": currency, "server_meta": pools})]))  # type: ignore[arg-type]


def read(given: Any, moment: datetime = OCTOBER) -> tuple[list[Offer], list[Rejected]]:
    return normalise(
        given,
        provider="jarvislabs",
        book="",
        observed_at=moment,
        origin="recorded",
        rates=Rates.of([]),
        page_sha256="",
    )


@pytest.mark.parametrize(
    ("moment", "gpu", "usd_per_gpu_hour"),
    [  # jarvislabs.ai/pricing by way of github.com/adriannutiu/gpu-rental-prices
        (AUGUST, "h200_sxm", "3.99"),
        (AUGUST, "h100_sxm", "2.69"),
        (AUGUST, "a100_40", "0.89"),
        (AUGUST, "a30", "0.41"),
        (OCTOBER, "h200_sxm", "4.59"),
        (OCTOBER, "h100_sxm", "3.49"),
        (OCTOBER, "rtx_pro_6000", "2.19"),
        (OCTOBER, "a100_80", "1.49"),
    ],
)
def test_recorded_prices(moment, gpu, usd_per_gpu_hour):
    pages = [kept.page for kept in recorded_pages("jarvislabs")[moment]]
    offers, rejected = read(SOURCE.parse(pages), moment)
    assert not rejected
    assert {offer.usd_per_gpu_hour for offer in offers if offer.gpu == gpu} == {Decimal(usd_per_gpu_hour)}


def test_every_figure_is_per_gpu_up_to_the_largest_machine():
    offers, _ = read(rows({**L4, "workload_type": "vm"}))
    assert [(o.gpu_count, o.usd_per_hour, o.vcpus, o.memory_gb) for o in offers] == [
        (1, Decimal("0.44"), 28, 124),
        (8, Decimal("3.52"), 224, 992),
    ]


def test_a_machine_that_the_free_gpus_do_not_fill_is_not_available():
    said = {(row.gpu_count, row.pricing): row.available for row in rows(L4) if isinstance(row, Quote)}
    assert said[(Decimal(1), "on_demand")] is True
    assert said[(Decimal(8), "on_demand")] is False
    assert said[(Decimal(1), "spot")] is True


def test_spot_is_sold_for_containers_alone():
    virtual = rows({**L4, "workload_type": "vm"})
    assert {row.pricing for row in virtual if isinstance(row, Quote)} == {"on_demand"}
    (spot,) = [row for row in rows(L4) if isinstance(row, Quote) and row.pricing == "spot" and row.gpu_count == 1]
    assert spot.amount == Decimal("0.29")


def test_a_pool_without_a_kind_of_work_cannot_be_started_and_is_one_gpu():
    pool = {name: value for name, value in L4.items() if name != "num_gpus"}
    (quote,) = rows({**pool, "region": "europe-01", "workload_type": None})
    assert isinstance(quote, Quote)
    assert (quote.gpu_count, quote.available) == (1, False)


def test_two_spellings_are_one_card():
    names = ({**L4, "gpu_type": name, "vram": "96"} for name in ("RTX-PRO6000", "RTX PRO 6000"))
    assert {offer.gpu for offer in read(rows(*names))[0]} == {"rtx_pro_6000"}


def test_rupees_are_never_taken_for_dollars():
    offers, rejected = read(rows({**L4, "price_per_hour": 37}, currency="INR"))
    assert not offers
    assert {row.reason for row in rejected} == {"no_rate"}


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"price_per_hour": 0}, "not_a_price"),
        ({"price_per_hour": None}, "not_a_price"),
        ({"num_gpus": "many"}, "bad_count"),
        ({"num_gpus": 10**9}, "bad_count"),
    ],
)
def test_a_pool_that_cannot_be_read_is_reported(changed, reason):
    bad, *good = rows({**L4, **changed}, {**L4, "workload_type": "vm"})
    assert isinstance(bad, Unreadable)
    assert bad.reason == reason
    assert len(good) == 2


@pytest.mark.parametrize(
    ("body", "error"),
    [
        (b"<html>Sign in</html>", ErrorAnswer),
        ({"detail": "Invalid token"}, ErrorAnswer),
        ({"currency": "USD", "server_meta": {}}, LayoutChanged),
        ({"server_meta": [L4]}, LayoutChanged),
        ({"currency": "USD", "server_meta": [{"gpu_type": "L4"}]}, LayoutChanged),
    ],
)
def test_answers_that_are_no_list_raise_a_named_error(body, error):
    with pytest.raises(error):
        list(SOURCE.parse([page(body)]))


def test_the_key_travels_in_the_header_alone():
    body = {"currency": "USD", "server_meta": [L4]}
    replay = Replay([{"request": {"url": URL}, "response": {"body": body}}])
    http = http_for(SOURCE, replay, secrets={"JL_API_KEY": "key-of-the-test"})
    (kept,) = SOURCE.fetchers()[""](http)
    assert replay.requests[0].headers["Authorization"] == "Bearer key-of-the-test"
    assert "key-of-the-test" not in kept.url + kept.text
