"""GPU Rental Prices, SkyPilot and gpuhunt as witnesses: what they printed, and what is easily misread in it."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from exchanges import Replay, Site, http_for

from models.currencies import Rates
from models.offers import Unreadable, Witness
from models.witnesses import WitnessedPrice, witnessed
from sources.pages import recorded_pages
from sources.providers import gpuhunt, gpurentalprices, skypilot
from sources.source import ErrorAnswer, LayoutChanged, Page, Source, TruncatedAnswer, Unreachable, all_sources

NOW = datetime(2026, 8, 22, tzinfo=UTC)


def heard(source: Source, pages: Sequence[Page]) -> list[WitnessedPrice]:
    """What a witness says, brought to our terms."""
    prices, _ = witnessed(
        source.parse(pages),
        witness=source.name,
        book=pages[0].book,
        observed_at=pages[0].observed_at,
        origin="recorded",
        rates=Rates.of(()),
        page_sha256="",
    )
    return prices


def newest(source: Source, book: str = "") -> list[WitnessedPrice]:
    look = list(recorded_pages(source.name).values())[-1]
    return heard(source, [recorded.page for recorded in look if recorded.page.book == book])


def said(source: Source, text: str, book: str = "", url: str = "https://example.test/x") -> list[Any]:
    return list(source.parse([Page(url, text.encode(), NOW, "page", book)]))


# --- GPU Rental Prices


@pytest.mark.parametrize(
    ("provider", "gpu", "pricing", "tier", "usd"),
    [
        ("runpod", "b200", "on_demand", "secure", "6.79"),
        ("runpod", "h100_sxm", "on_demand", "secure", "3.29"),
        ("runpod", "h100_sxm", "on_demand", "community", "2.69"),
        ("runpod", "mi300x", "on_demand", "secure", "2.39"),
        ("lambda", "b200", "on_demand", "", "6.69"),
    ],
)
def test_gpurentalprices_of_22_august_2026(provider: str, gpu: str, pricing: str, tier: str, usd: str):
    """adriannutiu/gpu-rental-prices data/latest.json at ae6435a."""
    found = [
        p
        for p in newest(gpurentalprices.SOURCE)
        if (p.provider, p.gpu, p.pricing, p.tier) == (provider, gpu, pricing, tier)
    ]
    assert [price.usd_per_gpu_hour for price in found] == [Decimal(usd)]


def test_gpurentalprices_dates_each_price_by_its_own_reading():
    by_provider = {price.provider: price.as_of for price in newest(gpurentalprices.SOURCE)}
    assert by_provider["runpod"] == datetime(2026, 8, 22, 6, 21, 49, 413000, tzinfo=UTC)
    assert min(moment for moment in by_provider.values() if moment) < datetime(2026, 8, 22, 6, tzinfo=UTC)


def test_gpurentalprices_calls_verda_by_its_old_name():
    providers = {price.provider for price in newest(gpurentalprices.SOURCE)}
    assert "verda" in providers
    assert "datacrunch" not in providers


def test_gpurentalprices_rows_that_are_no_price():
    row = {"provider": "acme", "gpu": "h100", "vram_gb": 80, "usd_hr": 2.0, "kind": "on-demand", "fetched_at": "soon"}
    rows = [row, row | {"usd_hr": None}, row | {"kind": "lease"}, row | {"provider": ""}]
    good, *rest = said(gpurentalprices.SOURCE, json.dumps({"offers": rows}))
    assert (good.of, good.says.amount, good.as_of) == ("acme", Decimal(2), None)
    assert [row.reason for row in rest] == ["not_a_price", "unknown_pricing", "not_a_price"]


@pytest.mark.parametrize("text", ['{"rows": []}', json.dumps({"offers": [{"provider": "acme"}]})])
def test_gpurentalprices_in_another_format(text: str):
    with pytest.raises(LayoutChanged):
        said(gpurentalprices.SOURCE, text)


# --- SkyPilot

HEADER = "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,SpotPrice,Region,GpuInfo\n"


@pytest.mark.parametrize(
    ("gpu", "usd", "count"),
    [
        ("h100_sxm", "3.99", 8),
        ("b200", "6.69", 8),
        ("gh200", "2.29", 1),
        ("rtx_a6000", "1.09", 1),
        ("v100_16", "0.79", 8),
    ],
)
def test_skypilot_on_lambda(gpu: str, usd: str, count: int):
    """skypilot-org/skypilot-catalog catalogs/v8/lambda/vms.csv at 0f40703: whole instances, in each region."""
    found = [price for price in newest(skypilot.SOURCE, "lambda") if price.gpu.startswith(gpu)]
    assert {(price.usd_per_gpu_hour, price.gpu_count) for price in found} == {(Decimal(usd), count)}
    assert {price.region for price in found} == {"europe-central-1", "us-east-1", "us-west-2"}


@pytest.mark.parametrize(
    ("info", "gigabytes"),
    [
        ("\"{'Gpus': [{'Name': 'A100', 'MemoryInfo': {'SizeInMiB': 40960}}], 'TotalGpuMemoryInMiB': 327680}\"", 40),
        ('"{""Gpus"": [{""Name"": ""A100"", ""MemoryInfo"": {""SizeInMiB"": 81920}}]}"', 80),
        ("\"{'Gpus': [{'Name': 'A100 PCIe', 'MemoryInfo': {'SizeInMiB': 80}}], 'TotalGpuMemoryInMiB': 80}\"", 80),
        ("", None),
    ],
)
def test_skypilot_memory_in_a_python_literal_in_json_and_in_gigabytes(info: str, gigabytes: int | None):
    (row,) = said(skypilot.SOURCE, f"{HEADER}box,A100,8.0,124.0,1800.0,10.32,,us-east-1,{info}\n", "lambda")
    assert row.says.gpu_memory_gb == gigabytes
    assert (row.says.amount, row.says.unit, row.says.gpu_count) == (Decimal("10.32"), "per_instance_hour", 8)


def test_skypilot_form_is_in_the_type_and_the_cloud_of_runpod_in_its_ending():
    rows = "1x_H100-NVL_SECURE,H100,1.0,8.0,94.0,3.19,3.19,US,\ngpu_1x_h100_pcie,H100,1.0,26.0,200.0,3.29,,us-west-3,\n"
    secure, spot, pcie = said(skypilot.SOURCE, HEADER + rows, "runpod")
    assert (secure.says.gpu, secure.says.tier, spot.says.pricing) == ("H100 NVL", "secure", "spot")
    assert (pcie.says.gpu, pcie.says.tier) == ("H100 PCIE", "")


def test_skypilot_spot_of_zero_is_none_and_words_are_no_price():
    rows = "a,H100,1,32,64,2.13,0.00,TX,\nb,H100,1,32,64,soon,,TX,\ncpu,,,4,16,0.2,,TX,\n"
    good, bad = said(skypilot.SOURCE, HEADER + rows, "aws")
    assert (good.says.amount, good.says.pricing) == (Decimal("2.13"), "on_demand")
    assert isinstance(bad, Unreadable)


def test_skypilot_columns_in_another_order_and_one_that_is_gone():
    moved = "Region,Price,GpuInfo,AcceleratorCount,AcceleratorName,InstanceType\nFIN-02,2.29,,1.0,H100,1H100.80S.32V\n"
    (row,) = said(skypilot.SOURCE, moved, "verda")
    assert (row.says.region, row.says.amount, row.says.sku) == ("FIN-02", Decimal("2.29"), "1H100.80S.32V")
    with pytest.raises(LayoutChanged, match="no column 'Price'"):
        said(skypilot.SOURCE, moved.replace("Price", "Cost"), "verda")


@pytest.mark.parametrize("source", [skypilot.SOURCE, gpuhunt.SOURCE], ids=lambda source: source.name)
def test_a_catalogue_that_is_cut_says_so_and_a_short_row_in_the_middle_costs_no_other(source: Source):
    (kept, *_), *_ = recorded_pages(source.name).values()
    lines = kept.page.text.splitlines(keepends=True)
    good, cut = lines[1], lines[2][: len(lines[2]) // 3]
    for body in (lines[0], lines[0] + good + cut):
        with pytest.raises(TruncatedAnswer, match="cut short"):
            said(source, body, "aws")
    assert len(said(source, lines[0] + cut + "\n" + good, "aws")) >= 1


def test_skypilot_keeps_the_lines_with_gpus_however_the_body_is_cut():
    whole = recorded_pages("skypilot")[NOW][0].page.body
    body = whole.replace(b"\ngpu_1x_gh200", b"\ncpu_4x_general,,,4.0,16.0,0.2,us-east-1,,\ngpu_1x_gh200")
    for size in (1, 7, 100, 10_000):
        assert b"".join(skypilot.reduce(body[at : at + size] for at in range(0, len(body), size))) == whole
    assert b"".join(skypilot.reduce([body.rstrip(b"\n")])) == whole


def test_skypilot_clouds_fail_apart():
    body = recorded_pages("skypilot")[NOW][0].page.body
    site = Site(lambda request: {"body": body} if "/lambda/" in (request.url or "") else {"status": 404})
    http = http_for(skypilot.SOURCE, site)
    (page,) = skypilot.SOURCE.fetchers()["lambda"](http)
    assert (page.book, page.body) == ("lambda", body)
    with pytest.raises(Unreachable, match="404"):
        list(skypilot.SOURCE.fetchers()["verda"](http))


# --- gpuhunt


def archive(**files: str) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as zipped:
        for name, text in files.items():
            zipped.writestr(name.replace("_", "."), text)
    return packed.getvalue()


def test_gpuhunt_on_aws_and_on_google_of_22_august_2026():
    """p5.48xlarge at 55.04, and A3 of which about half are of another kind of purchase."""
    aws = {price.region: price.usd_per_gpu_hour for price in newest(gpuhunt.SOURCE, "aws")}
    assert (aws["us-east-1"], aws["eu-north-1"], aws["sa-east-1"]) == (
        Decimal("6.88"),
        Decimal("7.36125"),
        Decimal("11.55875"),
    )
    pages = [recorded.page for recorded in recorded_pages("gpuhunt").popitem()[1] if recorded.page.book == "gcp"]
    gcp = {(row.says.sku, row.says.region): row.says.amount for row in gpuhunt.SOURCE.parse(pages)}
    assert gcp["a3-highgpu-8g", "us-central1"] == pytest.approx(Decimal("88.49"), abs=Decimal("0.005"))
    assert gcp["a3-highgpu-8g", "us-east4"] == pytest.approx(Decimal("43.79"), abs=Decimal("0.005"))


def test_gpuhunt_is_dated_by_its_version():
    assert {price.as_of for price in newest(gpuhunt.SOURCE, "gcp")} == {NOW}
    text = recorded_pages("gpuhunt").popitem()[1][1].page.text
    for version in ("latest", "20261399", "v3"):
        assert {
            row.as_of for row in said(gpuhunt.SOURCE, text, "aws", f"https://example.test/{version}/catalog.zip")
        } == {None}


def test_gpuhunt_fetches_the_version_and_then_the_file_in_its_archive():
    text = recorded_pages("gpuhunt").popitem()[1][1].page.text
    http = http_for(
        gpuhunt.SOURCE,
        Replay(
            [
                {"request": {"url": f"{gpuhunt.BASE}/aws/version"}, "response": {"body": "20260822-417\n"}},
                {
                    "request": {"url": f"{gpuhunt.BASE}/aws/20260822-417/catalog.zip"},
                    "response": {"body": archive(aws_csv=text)},
                },
            ]
        ),
    )
    (page,) = gpuhunt.SOURCE.fetchers()["aws"](http)
    assert (page.book, page.text) == ("aws", text)
    assert all(isinstance(row, Witness) and row.as_of == NOW for row in gpuhunt.SOURCE.parse([page]))


@pytest.mark.parametrize(
    "body",
    [b"<html></html>", b"", archive(), archive(a_csv="x", b_csv="y"), archive(a_csv="x" * 999)[:60]],
    ids=["markup", "nothing", "no file", "two files", "cut off"],
)
def test_gpuhunt_answers_that_are_no_archive(body: bytes):
    answers = [{"response": {"body": "20260822"}}, {"response": {"body": body}}]
    with pytest.raises(ErrorAnswer):
        list(gpuhunt.SOURCE.fetchers()["gcp"](http_for(gpuhunt.SOURCE, Replay(answers))))


@pytest.mark.parametrize("version", ["<Error>AccessDenied</Error>", "", "../../etc"])
def test_gpuhunt_version_that_is_none(version: str):
    with pytest.raises(ErrorAnswer, match="version"):
        list(gpuhunt.SOURCE.fetchers()["gcp"](http_for(gpuhunt.SOURCE, Replay([{"response": {"body": version}}]))))


def test_gpuhunt_slices_of_tpus_and_machines_without_gpus_are_passed_over():
    head = "instance_name,location,price,cpu,memory,gpu_count,gpu_name,gpu_memory,spot,disk_size\n"
    rows = "v5litepod-8,us-west4,9.6,,,1,v5e,0,False,\ne2-small,us-west4,0.02,2,2,0,,,False,\n"
    assert said(gpuhunt.SOURCE, head + rows, "gcp") == []
    (bad,) = said(gpuhunt.SOURCE, f"{head}a,us-west4-b,,8,64,1,L4,24,False,\n", "gcp")
    assert bad.reason == "not_a_price"


# --- whoever tells it


def test_a_wrong_memory_makes_a_card_unknown_rather_than_another():
    """gpuhunt gives the MI325X 288 GB; it has 256."""
    head = "instance_name,location,price,gpu_count,gpu_name,gpu_memory,spot\n"
    page = Page("https://example.test/x", f"{head}a,r,16,8,MI325X,288,False\n".encode(), NOW, "x", "acme")
    prices, rejected = witnessed(
        gpuhunt.SOURCE.parse([page]),
        witness="gpuhunt",
        book="acme",
        observed_at=NOW,
        origin="live",
        rates=Rates.of(()),
        page_sha256="",
    )
    assert (prices, [row.reason for row in rejected]) == ([], ["unknown_gpu"])


def test_only_the_lowest_of_a_card_is_told_and_slices_are_not():
    rows = "a,H100,8,1,1,32.0,,us,\nb,H100,8,1,1,24.0,,us,\nc,H100,0.5,1,1,0.5,,us,\nd,H100,1,1,1,3.5,,eu,\n"
    page = Page("https://example.test/x", (HEADER + rows).encode(), NOW, "x", "lambda")
    assert {(price.region, price.sku, price.usd_per_gpu_hour) for price in heard(skypilot.SOURCE, [page])} == {
        ("us", "b", Decimal(3)),
        ("eu", "d", Decimal("3.5")),
    }


def test_two_providers_in_one_list_keep_their_own_lowest():
    page = list(recorded_pages("gpurentalprices").values())[-1][0].page
    prices = heard(gpurentalprices.SOURCE, [replace(page)])
    on_demand = {price.provider for price in prices if (price.gpu, price.pricing) == ("b200", "on_demand")}
    assert {"runpod", "lambda", "nebius"} <= on_demand


@pytest.mark.parametrize("name", ["gpuhunt", "gpurentalprices", "skypilot"])
def test_witnesses_are_none_of_our_prices(name: str):
    source = all_sources()[name]
    assert source.kind == "aggregator"
    for look in recorded_pages(name).values():
        assert all(isinstance(row, (Witness, Unreadable)) for recorded in look for row in source.parse([recorded.page]))
