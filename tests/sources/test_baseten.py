"""Baseten: a Markdown table of instances, per minute, whose GPUs are told in words."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

import pytest
from exchanges import Site, http_for

from models.currencies import Rates
from models.normalise import normalise
from models.offers import Offer, Quote, Rejected, Unreadable
from sources.pages import recorded_pages
from sources.providers.baseten import SOURCE, URL
from sources.source import LayoutChanged, Page

AUGUST = datetime(2026, 8, 22, tzinfo=UTC)
HEADER = "| Instance | \\$/min | vCPU | RAM | GPU | VRAM |\n| --- | --- | --- | --- | --- | --- |\n"
# rows of the documentation of 2025
L4S = "| L4:4x48x192 | \\$0.08003 | 48 | 192 GiB | 4 NVIDIA L4s | 96 GiB |\n"
A10GS = "| A10G:2x24x96 | \\$0.05672 | 24 | 96 GiB | 2 NVIDIA A10Gs | 48 GiB |\n"
H100S = "| H100:8 | \\$0.86667 | - | - | 8 NVIDIA H100s | 640 GiB |\n"
MIG = "| H100MIG | \\$0.06250 | - | - | Fractional NVIDIA H100 | 40 GiB |\n"


def rows(body: str) -> list[Quote | Unreadable]:
    return list(SOURCE.parse([Page(URL, body.encode(), AUGUST, "resources.md")]))  # type: ignore[arg-type]


def read(body: str) -> tuple[list[Offer], list[Rejected]]:
    return normalise(
        rows(body),
        provider="baseten",
        book="",
        observed_at=AUGUST,
        origin="recorded",
        rates=Rates.of([]),
        page_sha256="",
    )


@pytest.mark.parametrize(
    "table",
    [
        "## Reserved instances\n\n{}",
        "## GPU instances (coming soon)\n\n{}",
        "<!--\n{}\n-->",
        "```\n{}\n```",
    ],
)
def test_a_table_under_a_condition_in_a_comment_or_as_code_is_none(table):
    text = recorded_pages("baseten")[AUGUST][0].page.text
    before, found = read(text)[0], read(text + "\n\n" + table.format(HEADER + MIG))[0]
    assert found == before


@pytest.mark.parametrize(
    ("gpu", "usd_per_hour"),
    [  # github.com/adriannutiu/gpu-rental-prices, 2026-08-22; per minute the page rounds 4.00 to 0.06667
        ("t4", "0.6312"),
        ("l4", "0.8484"),
        ("a10g", "1.2072"),
        ("a100_80", "4.0002"),
        ("h100", "6.4998"),
        ("b200", "9.9798"),
    ],
)
def test_minutes_become_hours(gpu, usd_per_hour):
    offers, rejected = read(recorded_pages("baseten")[AUGUST][0].page.text)
    (offer,) = [offer for offer in offers if offer.gpu == gpu]
    assert (offer.usd_per_gpu_hour, offer.pricing) == (Decimal(usd_per_hour), "serverless")
    assert (len(offers), rejected) == (6, [])


@pytest.mark.parametrize(
    ("line", "gpu", "count", "memory", "usd_per_hour"),
    [(L4S, "l4", 4, 24, "4.8018"), (A10GS, "a10g", 2, 24, "3.4032"), (H100S, "h100", 8, 80, "52.0002")],
)
def test_words_count_the_gpus_and_vram_is_that_of_all(line, gpu, count, memory, usd_per_hour):
    (offer,), rejected = read(HEADER + line)
    assert not rejected
    assert (offer.gpu, offer.gpu_count, offer.gpu_memory_gb) == (gpu, count, memory)
    assert offer.usd_per_hour == Decimal(usd_per_hour)


def test_a_fractional_gpu_is_never_a_whole_one():
    (offer,), _ = read(HEADER + MIG)
    assert (offer.gpu_count, offer.gpu_memory_gb, offer.tier) == (Decimal("0.5"), 80, "slice")
    assert offer.usd_per_hour == Decimal("3.75")


def test_cpu_instances_are_passed_over():
    text = recorded_pages("baseten")[AUGUST][0].page.text
    assert "| 1x2 " in text
    assert "1x2" not in {row.sku for row in rows(text)}


def test_columns_are_found_by_their_titles():
    moved = "| \\$/min | Instance | vCPU | RAM | GPU | VRAM |\n| - | - | - | - | - | - |\n"
    (quote,) = rows(moved + "| \\$0.86667 | H100:8 | - | - | 8 NVIDIA H100s | 640 GiB |\n")
    assert isinstance(quote, Quote)
    assert (quote.sku, quote.amount) == ("H100:8", Decimal("0.86667"))


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("\\$0.86667", "Contact us", "not_a_price"),
        ("\\$0.86667", "-", "not_a_price"),
        ("8 NVIDIA H100s", "8 of something new", "unknown_sku"),
        ("| H100:8 |", "| H100:8, 12-month commitment |", "missing_term"),
    ],
)
def test_a_row_that_cannot_be_read_is_reported(old, new, reason):
    bad, good = rows(HEADER + H100S.replace(old, new) + L4S)
    assert isinstance(bad, Unreadable)
    assert bad.reason == reason
    assert isinstance(good, Quote)


@pytest.mark.parametrize(
    "body",
    [
        "<html>Not found</html>",
        HEADER.replace("\\$/min", "\\$/hour") + L4S,
        HEADER.replace("VRAM", "Memory") + L4S,
        HEADER + L4S.replace("| 48 |", "|"),
    ],
)
def test_another_layout_is_a_named_error(body):
    with pytest.raises(LayoutChanged):
        rows(body)


def test_one_request_brings_the_page():
    site = Site(lambda request: {"body": HEADER + L4S})
    assert len(list(SOURCE.parse(list(SOURCE.fetchers()[""](http_for(SOURCE, site)))))) == 1
    assert [request.url for request in site.requests] == [URL]
