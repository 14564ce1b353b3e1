"""Nebius: a price table inside scripts whose columns have moved before."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from exchanges import Site, http_for

from models.currencies import Rates
from models.normalise import normalise
from models.offers import Offer, Quote, Rejected
from sources.pages import recorded_pages
from sources.providers.nebius import SOURCE, URL
from sources.source import LayoutChanged, Page

AUGUST = datetime(2026, 8, 22, tzinfo=UTC)
FIVE = ["Item", "vCPUs", "RAM, GB", "Preemptible, GPU-hour", "On-demand, GPU-hour"]
H100 = ["NVIDIA HGX H100", "16", "200", "$2.15", "$3.85"]


def recorded() -> str:
    return recorded_pages("nebius")[AUGUST][0].page.text


def price_page(body: str) -> Page:
    return Page(URL, body.encode(), AUGUST, "prices.html")


def holding(*table: list[str], **block: object) -> str:
    """A page whose only block is the given table."""
    told = {"type": "highlight-table-block", "title": "NVIDIA GPU Instances", "table": {"content": table}, **block}
    text = json.dumps({"blocks": [told]}, separators=(",", ":"))
    return f"<html><script>self.__next_f.push([1,{json.dumps(text)}])</script></html>"


def quotes(body: str) -> list[Quote]:
    return [row for row in SOURCE.parse([price_page(body)]) if isinstance(row, Quote)]


def amounts(body: str) -> dict[tuple[str, str], Decimal]:
    return {(quote.gpu, quote.pricing): quote.amount for quote in quotes(body)}


def offers(body: str) -> tuple[list[Offer], list[Rejected]]:
    rows = SOURCE.parse([price_page(body)])
    return normalise(
        rows, provider="nebius", book="", observed_at=AUGUST, origin="live", rates=Rates.of([]), page_sha256=""
    )


def test_preemptible_and_on_demand_are_told_apart():
    # nebius.com/prices, 2026-08-22
    read = amounts(recorded())
    assert read[("NVIDIA HGX H100", "on_demand")] == Decimal("3.85")
    assert read[("NVIDIA HGX H100", "spot")] == Decimal("2.15")
    assert read[("NVIDIA HGX H200", "on_demand")] == Decimal("4.50")
    assert read[("NVIDIA HGX B200", "spot")] == Decimal("3.95")
    assert read[("NVIDIA HGX B300", "on_demand")] == Decimal("7.85")
    assert read[("NVIDIA RTX PRO 6000", "spot")] == Decimal("0.95")
    assert len(read) == 14


def test_a_price_per_gpu_is_left_undivided():
    found, _ = offers(recorded())
    assert {(o.gpu, o.usd_per_gpu_hour) for o in found if o.gpu == "h100_sxm"} == {
        ("h100_sxm", Decimal("3.85")),
        ("h100_sxm", Decimal("2.15")),
    }


def test_a_from_price_is_that_of_the_smallest_size():
    l40s = [quote for quote in quotes(recorded()) if quote.gpu == "NVIDIA L40S with AMD CPU"]
    assert [(q.amount, q.pricing, q.tier, q.vcpus, q.memory_gb) for q in l40s] == [
        (Decimal("0.74"), "spot", "from", 8, 32),
        (Decimal("1.55"), "on_demand", "from", 8, 32),
    ]


def test_contact_us_is_no_price_and_dashes_are_no_offer():
    _, rejected = offers(recorded())
    assert [(row.gpu_text, row.reason) for row in rejected] == [
        ("NVIDIA GB300 NVL72", "not_a_price"),
        ("NVIDIA GB200 NVL72", "not_a_price"),
    ]


def test_the_older_table_of_four_columns_is_read_by_its_title():
    older = holding(["Item", "vCPUs", "RAM, GB", "Price per GPU-hour"], ["NVIDIA HGX H100", "16", "200", "$2.95"])
    assert amounts(older) == {("NVIDIA HGX H100", "on_demand"): Decimal("2.95")}


def test_moved_columns_are_followed():
    order = [4, 0, 3, 1, 2]
    moved = holding([FIVE[place] for place in order], [H100[place] for place in order])
    assert amounts(moved) == amounts(holding(FIVE, H100)) != {}


@pytest.mark.parametrize(
    "header",
    [
        ["Item", "vCPUs", "RAM, GB", "Preemptible", "On-demand"],
        ["Item", "vCPUs", "RAM, GB", "Preemptible, GPU-hour", "Reserved, GPU-hour"],
        ["Item", "vCPUs", "RAM, GB", "Preemptible, GPU-hour", "Discount"],
        ["Name", "vCPUs", "RAM, GB", "Preemptible, GPU-hour", "On-demand, GPU-hour"],
        ["Item", "Cores", "RAM, GB", "Preemptible, GPU-hour", "On-demand, GPU-hour"],
        ["Item", "vCPUs", "RAM, GB", "Price with 1-year commitment, GPU-hour", "On-demand, GPU-hour"],
        ["Item", "vCPUs", "RAM, GB", "Price per GPU-hour", "On-demand, GPU-hour"],
        ["Item", "vCPUs", "RAM, GB", "On-demand, GPU-hour", "On-demand, GPU-hour"],
        ["Item", "vCPUs", "RAM, GB", "On-demand, GPU-hour", "Price with commitment"],
    ],
)
def test_an_unknown_column_is_a_redesign(header):
    with pytest.raises(LayoutChanged):
        quotes(holding(header, H100))


@pytest.mark.parametrize("title", ["Term", "Duration", "Lease", "Billing period", "Min. term"])
def test_a_column_that_says_for_how_long_is_a_redesign(title):
    with pytest.raises(LayoutChanged, match="not known"):
        quotes(holding([*FIVE, title], [*H100, "12 months"]))


def test_a_row_that_lacks_a_cell_is_a_redesign():
    """Without the cell of vCPUs the on-demand price became the preemptible one."""
    with pytest.raises(LayoutChanged, match="a row of 4 cells under 5 titles"):
        quotes(holding(FIVE, [*H100[:1], *H100[2:]]))


@pytest.mark.parametrize(("day", "amount"), [(30, "3.85"), (31, "4.50")])
def test_a_column_with_a_date_counts_from_its_day_beside_the_older_one(day, amount):
    # the page of 2026-10-06: H100 at 4.50 from October 1, the older column still there with 3.85
    header = [*FIVE, "GPU-hour (Effective October 1, 2026)"]
    rows = SOURCE.parse([price_page(holding(header, [*H100, "$4.50"]))])
    at = datetime(2026, 9, 30, tzinfo=UTC) + timedelta(days=day - 30)
    found, rejected = normalise(
        rows,
        provider="nebius",
        book="",
        observed_at=at,
        origin="live",
        rates=Rates.of([]),
        page_sha256="",
        one_seller=True,
    )
    assert {(o.pricing, o.usd_per_gpu_hour) for o in found} == {
        ("on_demand", Decimal(amount)),
        ("spot", Decimal("2.15")),
    }
    assert [row.reason for row in rejected] == ["future_price" if day == 30 else "superseded"]


def test_the_new_prices_of_october_replace_the_older_column():
    # nebius.com/prices, 2026-10-06
    october = datetime(2026, 10, 6, tzinfo=UTC)
    rows = SOURCE.parse([kept.page for kept in recorded_pages("nebius")[october]])
    found, rejected = normalise(
        rows, provider="nebius", book="", observed_at=october, origin="recorded", rates=Rates.of([]), page_sha256=""
    )
    assert {(o.gpu, o.pricing, o.usd_per_gpu_hour) for o in found} == {
        ("h100_sxm", "on_demand", Decimal("4.50")),
        ("h200_sxm", "on_demand", Decimal("5.40")),
        ("b200", "on_demand", Decimal("8.50")),
    }
    assert sorted(row.reason for row in rejected) == ["not_a_price"] * 3 + ["superseded"] * 3


def test_the_lowest_of_prices_that_move_is_no_price():
    # "from $0.79" for preemptible H100 on 2026-10-06, with one size of 16 vCPUs
    floor = holding(FIVE, ["NVIDIA HGX H100", "16", "200", "from $0.79", "$3.85"])
    assert amounts(floor) == {("NVIDIA HGX H100", "on_demand"): Decimal("3.85")}


def test_a_third_price_is_a_redesign_and_never_the_on_demand_one():
    third = holding([*FIVE, "Price with commitment, GPU-hour"], [*H100, "$2.50"])
    with pytest.raises(LayoutChanged, match="Price with commitment"):
        quotes(third)


def test_a_table_of_prices_under_a_contract_is_no_list_price():
    reserved = holding(FIVE, ["NVIDIA HGX H100", "16", "200", "$1.50", "$2.50"], title="Reserved capacity")
    both = holding(FIVE, H100) + reserved
    assert amounts(both) == amounts(holding(FIVE, H100))
    assert [row.reason for row in SOURCE.parse([price_page(both)]) if not isinstance(row, Quote)] == ["missing_term"]


@pytest.mark.parametrize("end", [0.3, 0.6, 0.9])
def test_a_page_cut_short_never_gives_half_a_table(end):
    body = holding(FIVE, H100, *[[f"NVIDIA HGX H{n}00", "16", "200", "$2", "$3"] for n in range(50)])
    with pytest.raises(LayoutChanged):
        quotes(body[: int(len(body) * end)])


def test_a_table_in_plain_html_only_is_a_redesign():
    with pytest.raises(LayoutChanged, match="no table has a column of prices per GPU-hour"):
        quotes("<html><table><tr><td>NVIDIA HGX H100</td><td>$3.85</td></tr></table></html>")


def test_an_announced_table_is_dated():
    announced = holding(FIVE, H100, description="Prices effective October 1, 2026")
    _, rejected = offers(announced)
    assert {row.reason for row in rejected} == {"future_price"}


def test_hgx_hosts_can_be_joined_and_l40s_cannot():
    fabric = {quote.gpu: quote.fabric for quote in quotes(recorded())}
    assert fabric["NVIDIA HGX H100"] == "multi_node"
    assert fabric["NVIDIA L40S with Intel CPU"] == "single_node"


def test_one_request_brings_the_page():
    site = Site(lambda request: {"body": recorded()})
    pages = list(SOURCE.fetchers()[""](http_for(SOURCE, site)))
    assert [request.url for request in site.requests] == [URL]
    assert len([row for row in SOURCE.parse(pages) if isinstance(row, Quote)]) == 14
