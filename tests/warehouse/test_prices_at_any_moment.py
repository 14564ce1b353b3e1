"""price_asof, price_now and price_history against a model in plain Python, over drawn sequences of looks."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

from duckdb import DuckDBPyConnection
from hypothesis import given, settings
from hypothesis import strategies as st
from ledgers import Ledger, moment, offer, rate

from models.offers import Offer
from warehouse.database import rows, statement
from warehouse.load import load

BOOKS = ("demand", "spot")
PRICES = ("1.00", "2.50", "2.51")
RATES = {day: Decimal(str(1.05 + day / 100)) for day in range(1, 29)}  # USD per euro of each day of August


@dataclass(frozen=True)
class Drawn:
    """A look: the provider, when, the books that could be read, and the price of each SKU in its book."""

    provider: str
    at: datetime
    books: tuple[str, ...]
    prices: dict[tuple[str, str], str]  # (book, sku): price

    @property
    def offers(self) -> list[Offer]:
        euros = {"currency": "EUR", "usd_per_unit": str(RATES[(self.at - timedelta(days=1)).day])}
        return [
            offer(sku, price, book=book, provider=self.provider, observed_at=self.at, **(euros if "eur" in sku else {}))
            for (book, sku), price in self.prices.items()
        ]


def looks(days: int = 20) -> st.SearchStrategy[list[Drawn]]:
    sku = st.sampled_from(["box", "box eur"])

    def look(drawn: tuple[str, int, tuple[str, ...], dict[str, tuple[str, str]]]) -> Drawn:
        provider, hours, books, prices = drawn
        shown = {(book, sku): price for sku, (book, price) in prices.items() if book in books}
        return Drawn(provider, moment(3) + timedelta(hours=hours), books, shown)

    one = st.tuples(
        st.sampled_from(["acme", "bolt"]),
        st.integers(0, days * 24),
        st.sampled_from([BOOKS, BOOKS[:1], BOOKS[1:], ()]),
        st.dictionaries(sku, st.tuples(st.sampled_from(BOOKS), st.sampled_from(PRICES)), max_size=2),
    ).map(look)
    return st.lists(one, min_size=1, max_size=8, unique_by=lambda look: (look.provider, look.at))


def standing(drawn: list[Drawn], at: datetime) -> dict[str, tuple[Offer, datetime, datetime]]:
    """What stood at a moment, from the looks until then: the offer, when it was last seen, since when it is so."""
    now: dict[str, tuple[Offer, datetime, datetime]] = {}
    for look in sorted(drawn, key=lambda look: look.at):
        if look.at > at:
            break
        seen = {one.offer_key: one for one in look.offers}
        for key, (last, _, since) in list(now.items()):
            if last.provider != look.provider:
                continue
            if key in seen:
                same = (seen[key].list_price, seen[key].book) == (last.list_price, last.book)
                now[key] = (seen[key], look.at, since if same else look.at)
            elif last.book in look.books:
                del now[key]
        for key, one in seen.items():
            now.setdefault(key, (one, look.at, look.at))
        for key, (last, _, since) in now.items():
            if last.provider == look.provider and last.book in look.books:
                now[key] = (last, look.at, since)
    return now


@settings(max_examples=8)
@given(drawn=looks(), order=st.randoms(use_true_random=False), asked=st.lists(st.integers(-24, 21 * 24), max_size=2))
def test_prices_at_any_moment_are_what_the_looks_until_then_say(drawn, order, asked):
    with tempfile.TemporaryDirectory() as folder:
        ledger = Ledger(Path(folder))
        ledger.look(
            moment(29), provider="ecb", rates=[rate(date(2026, 8, d), "USD", str(usd)) for d, usd in RATES.items()]
        )
        arrived = drawn[:]
        order.shuffle(arrived)  # late looks too
        for look in arrived:
            ledger.look(
                look.at, *look.offers, provider=look.provider, books=look.books, failure="" if look.books else "x"
            )
            if order.random() < 0.4:
                ledger.load()
        ledger.load()
        ledger.refer()
        assert load(ledger.path, ledger.files).scrapes == 0
        moments = [moment(3) + timedelta(hours=hours) for hours in asked] + [look.at for look in drawn]
        with ledger.opened() as connection:
            assert rows(connection, statement("checks/closing_prices_are_those_of_the_history")) == []
            for at in (*moments, None):
                agrees(connection, drawn, at)


def agrees(ledger: DuckDBPyConnection, drawn: list[Drawn], at: datetime | None) -> None:
    """The ledger says of a moment (None: now) what the model says."""
    expected = standing(drawn, at or moment(31))
    found = rows(ledger, "FROM price_now") if at is None else rows(ledger, "FROM price_asof($1)", [at])
    assert {row["offer_key"] for row in found} == set(expected)
    for row in found:
        one, seen_at, since = expected[row["offer_key"]]
        assert (row["observed_at"], row["changed_at"]) == (seen_at, since)
        assert (row["list_price"], row["book"], row["available"]) == (one.list_price, one.book, one.available)
        usd = one.list_price * (RATES[(seen_at - timedelta(days=1)).day] if one.currency == "EUR" else 1)
        assert abs(row["usd_per_hour"] - usd) < Decimal("1e-7")
        assert abs(row["usd_per_gpu_hour"] * 8 - usd) < Decimal("1e-6")
        if one.currency == "EUR":
            assert abs(row["fx_rate"] * one.list_price - usd) < Decimal("1e-6")
            assert row["fx_date"] in (None, (seen_at - timedelta(days=1)).date())  # these offers do not say theirs
        else:
            assert (row["fx_rate"], row["fx_date"]) == (None, None)
        if at is not None:
            assert abs(row["age_hours"] - (at - seen_at).total_seconds() / 3600) < 1e-6
    in_force = "FROM price_history WHERE valid_from <= $1 AND (valid_to > $1 OR valid_to IS NULL)"
    ranges = rows(ledger, in_force, [at or moment(31)])
    assert all((row["fx_rate"] is None) is (row["currency"] == "USD") for row in ranges)
    assert {(row["offer_key"], row["valid_from"]) for row in ranges} == {
        (key, since) for key, (_, _, since) in expected.items()
    }
