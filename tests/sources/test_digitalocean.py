"""DigitalOcean: the page and the API of the same prices, memory of eight cards, and sizes that cannot be had."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
import requests
from exchanges import Replay, Site, http_for

from models.currencies import Rates
from models.normalise import normalise
from models.offers import Offer, Quote, Unreadable
from sources.pages import recorded_pages
from sources.providers.digitalocean import PAGE, SIZES, SOURCE, TOKEN
from sources.source import ErrorAnswer, LayoutChanged, Page, TruncatedAnswer

NOW = datetime(2026, 8, 18, tzinfo=UTC)
OCTOBER = datetime(2026, 10, 8, tzinfo=UTC)


def size(slug: str, model: str, count: int, vram: int, price: Any, *regions: str, **fields: Any) -> dict[str, Any]:
    gpu_info = {"count": count, "vram": {"amount": vram, "unit": "gib"}, "model": model}
    listed = {"slug": slug, "memory": 1966080, "vcpus": 160, "price_monthly": 17796.48, "price_hourly": price}
    return {**listed, "regions": list(regions), "available": True, "gpu_info": gpu_info, **fields}


H100 = size("gpu-h100x8-640gb", "nvidia_h100", 8, 640, 23.92, "nyc2")


def sizes(*rows: dict[str, Any], total: int | None = None, following: str = "") -> Page:
    links = {"pages": {"next": following}} if following else {}
    body = {"sizes": rows, "links": links, "meta": {"total": len(rows) if total is None else total}}
    return Page(SIZES, json.dumps(body).encode(), NOW, "sizes-1.json")


def html(heading: str, *rows: tuple[str, str]) -> Page:
    cells = "".join(f"<tr><td>{label}</td><td>{price}</td></tr>" for label, price in rows)
    table = f"<table><thead><tr><th>GPU</th><th>Price</th></tr></thead><tbody>{cells}</tbody></table>"
    return Page(PAGE, f"<html><body><h2>{heading}</h2>{table}</body></html>".encode(), NOW, "pricing.html")


def rows(page: Page) -> list[Quote | Unreadable]:
    return list(SOURCE.parse([page]))  # type: ignore[arg-type]


def offers(said: list[Quote | Unreadable], moment: datetime = NOW) -> list[Offer]:
    found, _ = normalise(
        said,
        provider="digitalocean",
        book="",
        observed_at=moment,
        origin="recorded",
        rates=Rates.of([]),
        page_sha256="",
    )
    return found


def recorded(moment: datetime) -> list[Quote | Unreadable]:
    return list(SOURCE.parse([kept.page for kept in recorded_pages("digitalocean")[moment]]))  # type: ignore[arg-type]


def test_memory_is_that_of_all_cards_and_each_region_is_an_offer():
    # sizes of 2025: two regions, one, none
    found = offers(
        rows(
            sizes(
                {"slug": "s-1vcpu-512mb-10gb", "price_hourly": 0.00595, "regions": ["ams3", "nyc1"], "available": True},
                H100,
                size("gpu-mi300x8-1536gb", "amd_mi300x", 8, 1536, 15.92, "nyc1", "atl1"),
                size("gpu-l40sx1-48gb", "nvidia_l40s", 1, 48, 1.57, available=False),
            )
        )
    )
    assert {(o.sku, o.region, o.gpu_family, o.gpu_memory_gb, o.usd_per_gpu_hour, o.available) for o in found} == {
        ("gpu-h100x8-640gb", "nyc2", "h100", 80, Decimal("2.99"), True),
        ("gpu-mi300x8-1536gb", "nyc1", "mi300x", 192, Decimal("1.99"), True),
        ("gpu-mi300x8-1536gb", "atl1", "mi300x", 192, Decimal("1.99"), True),
        ("gpu-l40sx1-48gb", "", "l40s", 48, Decimal("1.57"), False),
    }


@pytest.mark.parametrize(
    ("label", "count"),
    [  # docs.digitalocean.com, 2026-08-18: NVIDIA H100 (8x) at 35.28 an hour, 4.41 for each
        ("NVIDIA H100 (8x)", 8),
        ("8x NVIDIA H100", 8),
        ("8 x NVIDIA H100", 8),
        ("NVIDIA H100 x8", 8),
        ("NVIDIA H100 x 8", 8),
        ("NVIDIA H100x8", 8),
        ("NVIDIA H100 (8 GPUs)", 8),
        ("NVIDIA H100 (x8)", 8),
        ("NVIDIA H100 \u00d78", 8),
        ("NVIDIA H100", 1),
        ("NVIDIA RTX 4000", 1),
        ("AMD MI300X", 1),
        ("AMD MI300X (8x)", 8),
        ("8 GPUs NVIDIA H100", None),
        ("NVIDIA H100 (8)", None),
        ("2x NVIDIA H100 (8x)", None),
        ("NVIDIA 8x H100", None),
        ("NVIDIA H100 (8x) SXM", None),
        ("NVIDIA H100, 8 GPUs", None),
        ("NVIDIA H100 (0x)", None),
    ],
)
def test_a_count_in_a_label_is_read_or_refused_and_never_taken_for_one(label, count):
    (row,) = rows(html("On-Demand GPU Droplets", (label, "$35.28/hour")))
    if count is None:
        assert (type(row), row.reason if isinstance(row, Unreadable) else "") == (Unreadable, "bad_count")
    else:
        assert isinstance(row, Quote)
        assert (row.gpu_count, row.gpu.rstrip("X")[-1:].isdigit()) == (count, True)


@pytest.mark.parametrize("label", ["AMD MI300X octa", "AMD MI300X (eight)", "Eight AMD MI300X"])
def test_eight_in_words_never_passes_for_one(label):
    assert offers(rows(html("On-Demand GPU Droplets", (label, "$20.72/hour")))) == []  # 2.59 for each, 2026-08-18


def test_a_size_whose_name_says_another_count_is_refused():
    (row,) = rows(sizes(size("gpu-h100x8-640gb", "nvidia_h100", 1, 640, 23.92, "nyc2")))
    assert isinstance(row, Unreadable)
    assert row.reason == "bad_count"


def test_a_size_without_regions_cannot_be_had():
    (row,) = rows(sizes(size("gpu-h200x8-1128gb", "nvidia_h200", 8, 1128, 35.76)))
    assert isinstance(row, Quote)
    assert (row.region, row.available) == ("", False)


@pytest.mark.parametrize(
    ("slug", "pricing", "per_gpu", "regions"),
    [  # read from the API on 8 October 2026
        ("gpu-h100x8-640gb", "on_demand", "4.41", {""}),
        ("gpu-h200x1-141gb", "on_demand", "4.47", {""}),
        ("gpu-mi325x8-2048gb", "on_demand", "3.8", {"nyc2", "tor1"}),
        ("gpu-mi350x8-2304gb-spot", "spot", "2.46", {"ric1"}),
        ("gpu-b300x8-2304gb-lc-spot", "spot", "8", {"mkc1"}),
        ("gpu-4000adax1-20gb", "on_demand", "0.76", {""}),
    ],
)
def test_sizes_of_october(slug, pricing, per_gpu, regions):
    found = [offer for offer in offers(recorded(OCTOBER), OCTOBER) if offer.sku == slug]
    assert {offer.region for offer in found} == regions
    assert {(offer.pricing, offer.usd_per_gpu_hour) for offer in found} == {(pricing, Decimal(per_gpu))}


@pytest.mark.parametrize(
    ("label", "gpu", "pricing", "per_gpu"),
    [  # the page as verified on 18 August 2026
        ("NVIDIA H100 (8x)", "h100_sxm", "on_demand", "4.41"),
        ("NVIDIA H200", "h200_sxm", "on_demand", "4.47"),
        ("AMD MI300X (8x)", "mi300x", "on_demand", "2.59"),
        ("NVIDIA L40s", "l40s", "on_demand", "1.57"),
        ("NVIDIA RTX 4000", "rtx_4000_ada", "on_demand", "0.76"),
        ("NVIDIA RTX 6000", "rtx_6000_ada", "on_demand", "1.57"),
        ("AMD MI350X (8x)", "mi350x", "spot", "4"),
        ("NVIDIA B300, liquid-cooled (8x)", "b300", "spot", "11.19"),
    ],
)
def test_prices_of_the_page(label, gpu, pricing, per_gpu):
    (offer,) = [offer for offer in offers(recorded(NOW)) if offer.sku == label]
    assert (offer.gpu, offer.pricing, offer.usd_per_gpu_hour) == (gpu, pricing, Decimal(per_gpu))


@pytest.mark.parametrize(
    "heading", ["On-Demand GPU Droplet Pricing with 12-Month Commitment", "Spot GPU Droplets, reserved"]
)
def test_a_price_under_a_commitment_is_not_on_demand(heading):
    with pytest.raises(LayoutChanged, match="under the heading"):
        rows(html(heading, ("NVIDIA H100", "$2.59 per hour")))


def test_contract_prices_are_not_public():
    contract = [row for row in recorded(NOW) if isinstance(row, Unreadable)]
    assert {(row.reason, row.sku) for row in contract} == {
        ("not_a_price", "AMD MI350X"),
        ("not_a_price", "AMD MI350X (8x)"),
        ("not_a_price", "NVIDIA B300"),
        ("not_a_price", "NVIDIA B300 (8x)"),
    }
    (row,) = rows(sizes(size("gpu-mi350x8-2304gb-fabric-contracted", "amd_mi350x", 8, 2304, 17.6, "atl1")))
    assert isinstance(row, Unreadable)
    assert row.reason == "not_a_price"


@pytest.mark.parametrize("price", ["from $2.59 per hour", "$2.59 per month", "Coming soon", "$2.59"])
def test_what_is_no_price_per_hour_is_reported(price):
    good, bad = rows(html("On-Demand GPU Droplet Pricing", ("AMD MI300X", "$2.59 per hour"), ("AMD MI325X", price)))
    assert isinstance(good, Quote)
    assert isinstance(bad, Unreadable)
    assert bad.reason == "not_a_price"


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"price_hourly": 0}, "not_a_price"),
        ({"price_hourly": None}, "not_a_price"),
        ({"gpu_info": None}, "unknown_sku"),
        ({"gpu_info": {"count": 0, "model": "nvidia_h100"}}, "unknown_sku"),
    ],
)
def test_a_bad_size_is_reported_and_the_others_are_kept(fields, reason):
    bad, good = rows(sizes({**H100, **fields}, H100))
    assert isinstance(bad, Unreadable)
    assert bad.reason == reason
    assert isinstance(good, Quote)


@pytest.mark.parametrize(
    ("page", "error"),
    [
        (html("Reserved GPU Droplet Pricing", ("NVIDIA H100", "$4.41 per hour")), LayoutChanged),
        (Page(PAGE, b"<html><h1>Droplet Pricing</h1><table></table></html>", NOW, "pricing.html"), LayoutChanged),
        (Page(SIZES, b'{"id":"Unauthorized","message":"Unable to authenticate you"}', NOW, "sizes"), ErrorAnswer),
        (Page(SIZES, b'{"sizes":null}', NOW, "sizes"), LayoutChanged),
        (sizes(H100, total=147), TruncatedAnswer),
        (sizes(H100, following="https://api.digitalocean.com/v2/sizes?page=2"), TruncatedAnswer),
    ],
)
def test_answers_that_are_no_whole_list_raise_a_named_error(page, error):
    with pytest.raises(error):
        rows(page)


def test_without_a_token_the_page_is_read():
    page = html("Spot GPU Droplet Pricing", ("NVIDIA H100", "$2 per hour"))
    replay = Replay([{"request": {"url": PAGE}, "response": {"body": page.body}}])
    (fetch,) = SOURCE.fetchers().values()
    assert [row.sku for row in SOURCE.parse(list(fetch(http_for(SOURCE, replay))))] == ["NVIDIA H100"]


def test_with_a_token_the_sizes_are_read_to_their_end_and_the_token_stays_out_of_the_pages():
    def respond(request: requests.PreparedRequest) -> Mapping[str, Any]:
        assert request.headers["Authorization"] == "Bearer t0ken"
        if "page=2" in (request.url or "").split("?")[1].split("&"):
            return {"body": sizes(size("gpu-l40sx1-48gb", "nvidia_l40s", 1, 48, 1.57, "tor1"), total=2).body}
        return {"body": sizes(H100, total=2, following=f"{SIZES}?page=2").body}

    (fetch,) = SOURCE.fetchers().values()
    pages = list(fetch(http_for(SOURCE, Site(respond), secrets={TOKEN: "t0ken"})))
    read = [row for row in SOURCE.parse(pages) if isinstance(row, Quote)]
    assert [(row.sku, row.page_sha256) for row in read] == [
        ("gpu-h100x8-640gb", pages[0].sha256),
        ("gpu-l40sx1-48gb", pages[1].sha256),
    ]
    assert not any("t0ken" in page.url or b"t0ken" in page.body for page in pages)


def test_a_list_without_an_end_is_not_followed_for_ever():
    endless = Site(lambda request: {"body": sizes(H100, following="again").body})
    (fetch,) = SOURCE.fetchers().values()
    with pytest.raises(TruncatedAnswer):
        list(fetch(http_for(SOURCE, endless, secrets={TOKEN: "t0ken"})))
