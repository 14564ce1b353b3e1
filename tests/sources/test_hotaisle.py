"""Hot Aisle: cards of sizes, prices without sizes beside them, a month at least for bare metal."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

import pytest
from exchanges import Site, http_for

from models.currencies import Rates
from models.normalise import normalise
from models.offers import Offer, Rejected
from sources.pages import recorded_pages
from sources.providers.hotaisle import SOURCE, URL
from sources.source import LayoutChanged, Page

AUGUST = datetime(2026, 8, 22, tzinfo=UTC)
VM = '<p class="mb-3 font-bold text-foreground">$2.99/GPU/hr</p><p class="text-muted-foreground text-sm">Ideal'


def recorded() -> str:
    return recorded_pages("hotaisle")[AUGUST][0].page.text


def read(body: str) -> tuple[list[Offer], list[Rejected]]:
    rows = SOURCE.parse([Page(URL, body.encode(), AUGUST, "pricing.html")])
    return normalise(
        rows, provider="hotaisle", book="", observed_at=AUGUST, origin="live", rates=Rates.of([]), page_sha256=""
    )


def test_every_size_of_a_card_has_its_price():
    # hotaisle.xyz/pricing, 2026-08-22
    offers, rejected = read(recorded())
    assert rejected == []
    found = {(o.gpu, o.gpu_count, o.pricing, o.term_months): (o.usd_per_gpu_hour, o.usd_per_hour) for o in offers}
    assert found == {
        ("mi300x", Decimal(1), "on_demand", None): (Decimal("2.99"), Decimal("2.99")),
        ("mi300x", Decimal(2), "on_demand", None): (Decimal("2.99"), Decimal("5.98")),
        ("mi300x", Decimal(4), "on_demand", None): (Decimal("2.99"), Decimal("11.96")),
        ("mi300x", Decimal(8), "reserved", 1): (Decimal("3.39"), Decimal("27.12")),
    }


@pytest.mark.parametrize("tag", ["li", "h3", "p", "span"])
@pytest.mark.parametrize("words", ["1-month commitment", "One-month minimum", "Interruptible", "Coming soon"])
def test_what_a_card_says_anywhere_counts_for_its_price(tag, words):
    offers, rejected = read(recorded().replace(VM, f"<{tag}>{words}</{tag}>{VM}"))
    assert ("on_demand", 1) not in {(offer.pricing, offer.gpu_count) for offer in offers}
    assert rejected


def test_the_rate_of_old_customers_is_not_offered():
    assert "$1.99/GPU/hr" in recorded()
    assert Decimal("1.99") not in {offer.usd_per_gpu_hour for offer in read(recorded())[0]}


def test_a_card_is_named_but_not_priced_by_a_menu():
    assert "MI355X" in recorded()
    assert {offer.gpu for offer in read(recorded())[0]} == {"mi300x"}


@pytest.mark.parametrize("price", ["Contact us", "$2.99/hr", "from $2.99/GPU/hr", "$2.99/GPU/mo", "$0/GPU/hr"])
def test_what_is_no_price_per_gpu_hour_costs_no_other_card(price):
    body = recorded().replace(VM, VM.replace("$2.99/GPU/hr", price))
    offers, rejected = read(body)
    assert {offer.gpu_count for offer in offers} == {2, 4, 8}
    assert [row.reason for row in rejected] == ["not_a_price"]


def test_a_minimum_that_is_not_understood_is_not_on_demand():
    offers, rejected = read(recorded().replace("one-month minimum", "minimum commitment applies"))
    assert {offer.gpu_count for offer in offers} == {1, 2, 4}
    assert [row.reason for row in rejected] == ["missing_term"]


@pytest.mark.parametrize(
    "condition",
    ["1-month commitment", "with a 12-month contract", "for new customers", "one-month minimum, 12-month contract"],
)
def test_a_condition_that_is_not_read_is_not_on_demand(condition: str):
    """A commitment of a month or of twelve came out as 3.39 on demand."""
    offers, rejected = read(recorded().replace("one-month minimum", condition))
    assert {offer.gpu_count for offer in offers} == {1, 2, 4}
    assert [row.reason for row in rejected] == ["missing_term"]


def test_a_commitment_elsewhere_in_the_card_counts():
    offers, rejected = read(recorded().replace("Ideal for experimentation", "With a 3-month contract, for experiments"))
    assert {offer.gpu_count for offer in offers} == {2, 4, 8}
    assert [row.reason for row in rejected] == ["missing_term"]


@pytest.mark.parametrize("condition", ["", "bare metal", "billed by the minute, 1 minute minimum"])
def test_billing_by_the_minute_is_no_term(condition: str):
    offers, rejected = read(recorded().replace("bare metal, one-month minimum", condition))
    assert ({offer.pricing for offer in offers}, rejected) == ({"on_demand"}, [])


@pytest.mark.parametrize(
    "note",
    [
        *("90-day term", "min. 6 mo. term", "Reserved capacity only", "billed quarterly", "24-month lease"),
        *("at least 45 days", "Minimum rental 45 days", "Minimum rental 3 days, minimum rental 7 days"),
    ],
)
def test_a_commitment_in_other_words_is_not_on_demand(note: str):
    offers, rejected = read(recorded().replace("Ideal for experimentation", f"{note}, for experiments"))
    assert {offer.gpu_count for offer in offers} == {2, 4, 8}
    assert [row.reason for row in rejected] == ["missing_term"]


@pytest.mark.parametrize(
    ("note", "pricing", "hours", "months"),
    [
        ("Minimum rental 7 days", "on_demand", 168, None),
        ("minimum rental: 48 hours", "on_demand", 48, None),
        ("Minimum rental 30 days", "reserved", None, 1),
        ("Minimum rental of 90 days", "reserved", None, 3),
    ],
)
def test_a_shortest_rental_is_read_and_binds_from_a_month_on(note: str, pricing: str, hours: int, months: int):
    offers, rejected = read(recorded().replace("Ideal for experimentation", f"{note}, for experiments"))
    (one,) = [offer for offer in offers if offer.gpu_count == 1]
    assert (one.pricing, one.minimum_hours, one.term_months, rejected) == (pricing, hours, months, [])


def test_another_term_is_read():
    offers, _ = read(recorded().replace("one-month minimum", "3-month minimum"))
    assert {offer.term_months for offer in offers} == {None, 3}


@pytest.mark.parametrize(("old", "new"), [("<h2", "<h5"), ("<span>1x", "<span>one"), ("<span", "<b")])
def test_a_redesign_is_named(old, new):
    body = recorded().replace("2x &amp; 4x", "1x").replace("<span>8x", "<span>1x")
    assert old in body
    with pytest.raises(LayoutChanged):
        read(body.replace(old, new))


def test_one_request_brings_the_page():
    site = Site(lambda request: {"body": recorded()})
    pages = list(SOURCE.fetchers()[""](http_for(SOURCE, site)))
    assert [request.url for request in site.requests] == [URL]
    assert len(list(SOURCE.parse(pages))) == 4
