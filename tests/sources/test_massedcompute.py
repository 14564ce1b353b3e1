"""Massed Compute: machines shown twice in a tree of elements, with cells that come later."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from exchanges import Site, http_for

from models.currencies import Rates
from models.normalise import normalise
from models.offers import Offer, Quote, Rejected
from sources.pages import recorded_pages
from sources.providers.massedcompute import SOURCE, URL
from sources.source import LayoutChanged, Page

AUGUST = datetime(2026, 8, 22, tzinfo=UTC)


def recorded() -> str:
    return recorded_pages("massedcompute")[AUGUST][0].page.text


def read(body: str) -> tuple[list[Offer], list[Rejected]]:
    rows = SOURCE.parse([Page(URL, body.encode(), AUGUST, "pricing.html")])
    return normalise(
        rows, provider="massedcompute", book="", observed_at=AUGUST, origin="live", rates=Rates.of([]), page_sha256=""
    )


def element(tag: str, key: str | None, *children: Any) -> list[Any]:
    return ["$", tag, key, {"className": "x", "children": list(children)}]


def card(key: str, *price: Any, vcpus: str = "20", ram: str = "128 GB") -> list[Any]:
    """A machine as a card for phones."""
    figures = [element("div", None, element("dt", None, "vCPU"), element("dd", None, vcpus))]
    figures += [element("div", None, element("dt", None, "RAM"), element("dd", None, ram))]
    top = element("span", None, "x", "8"), element("span", None, *price)
    return element("div", key, *top, element("dl", None, *figures))


def showing(*lines: tuple[str, Any]) -> str:
    """A page that pushes the given lines, the text cut in the middle."""
    text = "".join(f"{name}:{json.dumps(line)}\n" for name, line in lines)
    halves = text[: len(text) // 2], text[len(text) // 2 :]
    return "".join(f"<script>self.__next_f.push([1,{json.dumps(half)}])</script>" for half in halves)


HOUR = element("small", None, "/hr")


def test_machines_are_priced_whole():
    # vm.massedcompute.com/pricing, 2026-08-22, and gpurentalprices.com of that day per GPU
    offers, _ = read(recorded())
    found = {offer.sku: (offer.gpu, offer.usd_per_hour, offer.usd_per_gpu_hour) for offer in offers}
    assert found["8x B300 SXM6"] == ("b300", Decimal("52.80"), Decimal("6.60"))
    assert found["8x H100 SXM5 (80GB)"] == ("h100_sxm", Decimal("25.12"), Decimal("3.14"))
    assert found["2x H100 NVL (94GB) NVLink"] == ("h100_nvl", Decimal("5.84"), Decimal("2.92"))
    assert found["4x H200 NVL (141GB) NVLink"] == ("h200_nvl", Decimal("15.28"), Decimal("3.82"))
    assert found["1x H100 (80GB)"] == ("h100", Decimal("2.73"), Decimal("2.73"))
    assert found["1x DGX A100 (80GB)"] == ("a100_sxm_80", Decimal("1.38"), Decimal("1.38"))
    assert found["1x RTX PRO 6000 Blackwell (96GB)"] == ("rtx_pro_6000", Decimal("2.19"), Decimal("2.19"))
    assert len(found) == 23


def test_cells_that_come_later_belong_to_their_own_machine():
    offers, rejected = read(recorded())
    assert {o.sku: o.usd_per_hour for o in offers}["8x H100 NVL (94GB) NVLink"] == Decimal("23.36")
    assert [(row.sku, row.reason) for row in rejected] == [
        ("8x H100 (80GB)", "not_a_price"),
        ("8x L40 (48GB)", "not_a_price"),
    ]


def test_each_machine_comes_out_once_with_its_shape():
    offers, _ = read(recorded())
    shape = {offer.sku: (offer.vcpus, offer.memory_gb) for offer in offers}
    assert shape["8x H100 SXM5 (80GB)"] == (124, 1800)
    assert len(shape) == len(offers)


def test_a_neighbours_price_is_never_taken():
    dear, request = card("A100 (80GB)-mobile-x 1-0", "$$1.35", HOUR), card("H100 (80GB)-mobile-x 8-3", "Request")
    offers, rejected = read(showing(("5", [request, dear])))
    assert [(offer.sku, offer.usd_per_hour) for offer in offers] == [("1x A100 (80GB)", Decimal("1.35"))]
    assert [row.sku for row in rejected] == ["8x H100 (80GB)"]


def test_copies_that_disagree_are_not_read():
    phone, row = card("A30 (24GB)-mobile-x 1-0", "$$0.35", HOUR), card("A30 (24GB)-x 1-0", "$$0.53", HOUR)
    _, rejected = read(showing(("5", [phone, row])))
    assert [(entry.sku, entry.reason) for entry in rejected] == [("1x A30 (24GB)", "unreadable")]


@pytest.mark.parametrize("cost", [("$$740.00", element("small", None, "/mo")), ("from $$0.35", HOUR), ("$$0.35",)])
def test_what_is_not_a_price_per_hour_is_none(cost):
    offers, rejected = read(showing(("5", [card("A30 (24GB)-mobile-x 1-0", *cost)])))
    assert offers == []
    assert len(rejected) == 1


def test_a_machine_with_words_of_a_commitment_is_not_on_demand():
    term = element("p", None, "with a 12-month contract")
    offers, rejected = read(showing(("5", [card("A30 (24GB)-mobile-x 1-0", "$$0.35", HOUR, term)])))
    assert (offers, [entry.reason for entry in rejected]) == ([], ["missing_term"])


def test_a_lost_name_is_no_card():
    _, rejected = read(showing(("5", [card("(96GB)-mobile-x 1-0", "$$2.19", HOUR)])))
    assert [row.reason for row in rejected] == ["unknown_gpu"]


def test_lines_that_refer_to_each_other_end():
    loop = card("A30 (24GB)-mobile-x 1-0", "$L6")
    _, rejected = read(showing(("5", [loop]), ("6", ["$L7", "$L7"]), ("7", "$L6")))
    assert [row.reason for row in rejected] == ["not_a_price"]


def test_the_table_alone_is_enough():
    offers, _ = read(recorded().replace("-mobile-x ", "-phone "))
    assert len(offers) == 23


@pytest.mark.parametrize(("old", "new"), [("__next_f.push", "__next_g.push"), ("-x ", "-by-")])
def test_a_redesign_is_named(old, new):
    with pytest.raises(LayoutChanged):
        read(recorded().replace("-mobile-x ", "-x ").replace(old, new))


def test_one_request_brings_the_page():
    site = Site(lambda request: {"body": recorded()})
    pages = list(SOURCE.fetchers()[""](http_for(SOURCE, site)))
    assert [request.url for request in site.requests] == [URL]
    assert sum(isinstance(row, Quote) for row in SOURCE.parse(pages)) == 23
