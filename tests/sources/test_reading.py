"""Prices, dates and tables as pages really print them: a misread cell is a wrong price in every table."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from models.currencies import Rates
from models.naming.conditions import names_commitment
from models.normalise import normalise
from models.offers import Quote, Unreadable
from sources.markup import cell_text, pushed_text, soup_of
from sources.reading import (
    PrintedPrice,
    decimal_of,
    effective_date,
    flag_of,
    money_of,
    price_of,
    require_fields,
    whole_of,
)
from sources.source import EmptyAnswer, ErrorAnswer, LayoutChanged, Page
from sources.tables import tables_with

NOW = datetime(2026, 11, 30, 6, 0, tzinfo=UTC)

# Eight cells of one price table: plain, several GPUs, a struck-out former price, no price, "From" with a
# footnote digit, a monthly price, sold out, and a reserved price per GPU in a row of eight.
CELLS = """<table><thead><tr><th>GPU</th><th>Memory</th><th>Config</th><th>Price</th><th>Note</th></tr></thead><tbody>
<tr><td>NVIDIA H100 SXM</td><td>80&nbsp;GB</td><td>1x</td><td>$2.49 / hr</td><td>Deploy</td></tr>
<tr><td>NVIDIA H100 SXM</td><td>80&nbsp;GB</td><td>8x</td><td>$19.92 / hr</td><td>Deploy</td></tr>
<tr><td>NVIDIA A100</td><td>80&nbsp;GB</td><td>1x</td><td><s>$1.79</s> <b>$1.39</b> / hr</td><td>Limited offer</td></tr>
<tr><td>NVIDIA H200 SXM</td><td>141&nbsp;GB</td><td>8x</td><td>Contact sales</td><td></td></tr>
<tr><td>NVIDIA L40S</td><td>48&nbsp;GB</td><td>1x</td><td>From $0.79 / hr<sup>1</sup></td><td>Deploy</td></tr>
<tr><td>NVIDIA RTX A6000</td><td>48&nbsp;GB</td><td>1x</td><td>$355.00 / mo</td><td>Deploy</td></tr>
<tr><td>NVIDIA B200</td><td>180&nbsp;GB</td><td>8x</td><td>$31.92 / hr</td><td>Sold out</td></tr>
<tr><td>NVIDIA B200</td><td>180&nbsp;GB</td><td>8x</td><td>$3.59 / GPU / hr</td><td>Reserved, 12 months</td></tr>
</tbody></table><p><sup>1</sup> Price with a 12-month commitment.</p>"""


def page(body: str) -> Page:
    return Page("https://example.com/pricing", body.encode(), NOW, "pricing.html")


def rows_of_cells(body: str) -> Iterator[Quote | Unreadable]:
    """A parser as a provider of such a table would write it."""
    for table in tables_with(soup_of(page(body)), ["GPU", "Memory", "Config", "Price", "Note"], page(body)):
        for row in table:
            said = {title: cell_text(cell) for title, cell in row.items()}
            printed, _, footnote = said["Price"].partition(" Price ")
            sku, price = f"{said['GPU']} {said['Config']}", price_of(printed)
            if price is None:
                yield Unreadable("not_a_price", said["Price"], sku)
                continue
            committed = names_commitment(f"{footnote} {said['Note']}")
            yield Quote(
                sku=sku,
                gpu=said["GPU"],
                gpu_count=Decimal(said["Config"].rstrip("x")),
                amount=price.amount,
                unit="per_instance_month" if price.period == "month" else f"per_{_what(price)}_hour",
                pricing="reserved" if committed else "on_demand",
                gpu_memory_gb=Decimal(said["Memory"].removesuffix(" GB")),
                term_months=12 if committed else None,
                tier="from" if price.lowest else "",
                available=False if said["Note"] == "Sold out" else None,
            )


def _what(price: PrintedPrice) -> str:
    return "gpu" if price.per_gpu else "instance"


def test_eight_kinds_of_price_cells_are_told_apart():
    offers, rejected = normalise(
        rows_of_cells(CELLS),
        provider="example",
        book="",
        observed_at=NOW,
        origin="live",
        rates=Rates.of([]),
        page_sha256="",
    )

    per_hour = {
        (offer.sku, offer.pricing, offer.available): (offer.usd_per_hour, offer.usd_per_gpu_hour, offer.gpu_memory_gb)
        for offer in offers
    }
    assert per_hour == {
        ("NVIDIA H100 SXM 1x", "on_demand", None): (Decimal("2.49"), Decimal("2.49"), 80),
        ("NVIDIA H100 SXM 8x", "on_demand", None): (Decimal("19.92"), Decimal("2.49"), 80),
        ("NVIDIA A100 1x", "on_demand", None): (Decimal("1.39"), Decimal("1.39"), 80),
        ("NVIDIA L40S 1x", "reserved", None): (Decimal("0.79"), Decimal("0.79"), 48),
        ("NVIDIA RTX A6000 1x", "on_demand", None): (Decimal("0.48630137"), Decimal("0.48630137"), 48),
        ("NVIDIA B200 8x", "on_demand", False): (Decimal("31.92"), Decimal("3.99"), 180),
        ("NVIDIA B200 8x", "reserved", None): (Decimal("28.72"), Decimal("3.59"), 180),
    }
    assert [(row.reason, row.sku) for row in rejected] == [("not_a_price", "NVIDIA H200 SXM 8x")]


@pytest.mark.parametrize(
    ("text", "amount", "period", "per_gpu", "lowest"),
    [
        ("$3.90/GPU-hr", "3.90", "hour", True, False),
        ("1,940.00 USD / month", "1940.00", "month", False, False),
        ("$0.000575 / sec", "0.000575", "second", False, False),
        ("from $1.82", "1.82", "", False, True),
        ("Starting at $2.10 per GPU per hour", "2.10", "hour", True, True),
        ("\u00a0$1.90\u00a0/\u00a0hr", "1.90", "hour", False, False),
        ("$4.50", "4.50", "", False, False),
    ],
)
def test_a_printed_price_says_what_it_covers(text, amount, period, per_gpu, lowest):
    assert price_of(text) == PrintedPrice(Decimal(amount), period, per_gpu, lowest)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "—",
        "\u2013\u2013",
        "--/hr",
        "N/A",
        "Free",
        "Contact us",
        "[Contact us](#form)",
        "$1.79 $1.39",
        "$2 - $3",
        "up to $2.99/hr",
        "$-1.00",
        "$1.2.3",
        "$1,23",
        "€2.49",
        "£ 2.49",
        "2.49 EUR",
        "C$2.49",
    ],
)
def test_words_ranges_and_other_currencies_are_not_prices(text):
    assert price_of(text) is None
    assert money_of(text) is None


@pytest.mark.parametrize("value", [None, True, "NaN", "Infinity", "", "1e", [], {}, float("nan")])
def test_what_is_no_number_is_none(value):
    assert decimal_of(value) is None
    assert whole_of(value) is None


def test_a_yes_or_no_is_read_in_every_notation_and_nothing_else_is_one():
    assert [flag_of(value) for value in (True, "true", " True ", 1, "1")] == [True] * 5
    assert [flag_of(value) for value in (False, "false", "FALSE", 0, "0")] == [False] * 5
    assert [flag_of(value) for value in (None, "", "spot", 2, [], {})] == [None] * 6


def test_whole_numbers_are_whole_and_sane():
    assert whole_of("8") == 8
    assert whole_of(Decimal("8.0")) == 8
    assert whole_of("0.5") is None
    assert whole_of("1e999999") is None


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("New prices effective November 16, 2026", date(2026, 11, 16)),
        ("Pricing effective from 2026-11-16.", date(2026, 11, 16)),
        ("Prices effective 16 November 2026", date(2026, 11, 16)),
        ("New prices apply from November 16, 2026", date(2026, 11, 16)),
        ("effective Nov. 16 2026", date(2026, 11, 16)),
        ("cost-effective GPUs since 2019", None),
        ("effective November 31, 2026", None),
        ("effective Brumaire 25, 2026", None),
    ],
)
def test_notices_of_coming_prices_give_their_day(text, day):
    assert effective_date(text) == day


def test_a_field_missing_in_one_row_is_a_bad_row_and_in_all_rows_a_changed_format():
    require_fields([{"price": 1}, {}], ["price"], page(""))
    with pytest.raises(EmptyAnswer, match="lists nothing"):
        require_fields([], ["price"], page(""))
    with pytest.raises(LayoutChanged, match="'price'"):
        require_fields([{"cost": 1}, {}], ["price"], page(""))


def pushed(*pieces: str) -> Page:
    scripts = "".join(f"<script>self.__next_f.push([1,{piece}])</script>" for piece in pieces)
    return Page("https://x.test/pricing", f"<html>{scripts}</html>".encode(), NOW, "pricing.html")


def test_text_pushed_in_pieces_is_one_text():
    assert pushed_text(pushed(r'"7d:[\"$\",\"span\",{\"children\":\"$"', r'"$23.36\"}]\n"')) == (
        '7d:["$","span",{"children":"$$23.36"}]\n'
    )
    assert pushed_text(pushed()) == ""


def test_a_pushed_piece_that_is_no_json_is_a_redesign():
    with pytest.raises(LayoutChanged, match="JSON string"):
        pushed_text(pushed(r'"\x7d"'))


def test_a_page_that_would_fill_the_memory_is_refused():
    body = b"<table>" + b"<td>1" * (3 << 20)
    page = Page("https://site.test/pricing", body, datetime(2026, 8, 22, tzinfo=UTC), "bomb.html")
    with pytest.raises(ErrorAnswer, match="15 MB"):
        soup_of(page)


@pytest.mark.parametrize(
    "body",
    [
        "<table><tr><td>" * 13_000,
        '<div role="table"><div role="row"><div role="cell">' * 4_000,
        "<div>" * 10_000,
        "<i>" * 30_000 + "</b>" * 30_000,
    ],
    ids=["tables", "grids", "boxes", "ends that match nothing"],
)
def test_elements_without_end_inside_each_other_are_refused_before_a_tree_is_built(body: str):
    with pytest.raises(ErrorAnswer, match="more than 100 elements inside each other"):
        soup_of(page(body))


@pytest.mark.parametrize("part", ["<i></i>", "<!-- -->", "<br>"])
def test_more_elements_than_memory_holds_are_refused_before_a_tree_is_built(part: str):
    with pytest.raises(ErrorAnswer, match="no price page in HTML has that many"):
        soup_of(page(part * 260_000))


def test_the_mark_of_a_footnote_that_binds_is_its_words():
    table = "<table><tr><td>$2.49<sup>{}</sup></td></tr></table><p><sup>1</sup> {}.</p>"
    bound = soup_of(page(table.format("1", "With a 12-month commitment"))).td
    assert price_of(cell_text(bound)) is None
    for mark, note in [("1", "Taxes are extra"), ("2", "With a 12-month commitment")]:
        assert cell_text(soup_of(page(table.format(mark, note))).td) == "$2.49"


def test_struck_out_words_stay_out_however_deep_and_comments_too():
    for raised in ("<sup>.90</sup>", "<sup>90</sup>", "<sup>,90</sup>"):  # of cents, which a price is not without
        assert price_of(cell_text(soup_of(page(f"<p>$3{raised}</p>")).p)) is None
    for raised in ("/month", "with 12-month commitment", "from", "each of 8"):
        assert cell_text(soup_of(page(f"<p>$3.90<sup>{raised}</sup></p>")).p) == f"$3.90 {raised}"
    for mark in ("1", "*", "(a)", "[2]", "\u2020", "TM"):
        assert cell_text(soup_of(page(f"<p>$3.90<sup>{mark}</sup></p>")).p) == "$3.90"
    for struck in (
        'style="color: red; text-decoration: line-through"',
        'class="mr-2 line-through"',
        'class="old-price"',
    ):
        assert cell_text(soup_of(page(f"<p><span {struck}>$3.90</span> $2.90</p>")).p) == "$2.90"
    cell = soup_of(page("<p>$2 <b><s>$3 <i>or $4</i></s></b><!-- $5 --><sup>1</sup>/ hr</p>")).p
    assert cell is not None
    assert cell_text(cell) == "$2 / hr"
