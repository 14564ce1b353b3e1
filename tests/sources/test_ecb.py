"""European Central Bank: the reference rates of real days, and files that are no rates."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
from exchanges import Replay, http_for

from models.currencies import NoRate, Rates
from models.offers import CurrencyRate, Unreadable
from sources.pages import recorded_pages
from sources.providers.ecb import SOURCE, URL
from sources.source import ErrorAnswer, LayoutChanged, Page

NOW = datetime(2026, 10, 8, 6, 0, tzinfo=UTC)


def file_of(*days: str, head: str = '<?xml version="1.0" encoding="UTF-8"?>') -> bytes:
    """The layout of eurofxref-hist-90d.xml: one line of head, then a line for each day, newest first."""
    listed = "\n".join(days)
    return (
        f'{head}<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" '
        'xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref"><gesmes:subject>Reference rates</gesmes:subject>'
        "<gesmes:Sender><gesmes:name>European Central Bank</gesmes:name></gesmes:Sender>"
        f"<Cube>{listed}\n</Cube></gesmes:Envelope>\n"
    ).encode()


def day(on: str, **rates: str) -> str:
    return f'<Cube time="{on}">{"".join(f"<Cube currency={c!r} rate={r!r}/>" for c, r in rates.items())}</Cube>'


def page(body: bytes) -> Page:
    return Page(URL, body, NOW, "eurofxref-hist-90d.xml")


def recorded_rates() -> Rates:
    rows = [
        row
        for pages in recorded_pages("ecb").values()
        for row in SOURCE.parse([recorded.page for recorded in pages])
        if isinstance(row, CurrencyRate)
    ]
    return Rates.of(rows)


def test_rates_are_read_as_published_with_their_day():
    # The bank's file of 6 October 2026.
    body = file_of(day("2026-10-06", USD="1.1269", INR="108.6615"), day("2026-10-05", USD="1.1204", GBP="0.8472"))
    sha = page(body).sha256
    assert list(SOURCE.parse([page(body)])) == [
        CurrencyRate(date(2026, 10, 6), "USD", Decimal("1.1269"), sha),
        CurrencyRate(date(2026, 10, 6), "INR", Decimal("108.6615"), sha),
        CurrencyRate(date(2026, 10, 5), "USD", Decimal("1.1204"), sha),
        CurrencyRate(date(2026, 10, 5), "GBP", Decimal("0.8472"), sha),
    ]


@pytest.mark.parametrize(
    ("currency", "price_of", "usd", "rate_of"),
    [  # the bank's rates of those days, each also stated elsewhere
        ("EUR", "2026-06-18", "1.1591", "2026-06-17"),
        ("EUR", "2026-07-01", "1.1394", "2026-06-30"),
        ("EUR", "2026-07-20", "1.1435", "2026-07-17"),  # Monday: Friday's rate
        ("EUR", "2026-08-22", "1.1699", "2026-08-21"),
        ("EUR", "2026-08-24", "1.1699", "2026-08-21"),
        ("EUR", "2026-10-08", "1.1177", "2026-10-07"),
    ],
)
def test_recorded_rates_convert_the_days_of_the_recorded_prices(currency, price_of, usd, rate_of):
    rate, published = recorded_rates().usd_per(currency, date.fromisoformat(price_of))
    assert (rate, published) == (Decimal(usd), date.fromisoformat(rate_of))


def test_pounds_and_rupees_meet_the_dollar_through_the_euro():
    rates = recorded_rates()
    pound, on = rates.usd_per("GBP", date(2026, 8, 22))
    assert on == date(2026, 8, 21)
    assert round(pound, 4) == Decimal("1.3656")  # USD per GBP of that day
    rupee, on = rates.usd_per("INR", date(2026, 6, 19))
    assert on == date(2026, 6, 18)
    assert rupee == pytest.approx(Decimal("1.1461") / Decimal("108.1155"))
    rupee, _ = rates.usd_per("INR", date(2026, 8, 22))
    assert round(1 / rupee, 2) == Decimal("95.70")  # INR per USD of 21 August, Frankfurter API
    with pytest.raises(NoRate):  # no source states the rupee of early August, and none is made up
        rates.usd_per("INR", date(2026, 8, 10))


@pytest.mark.parametrize("rate", ["0", "-1.08", "1e9", "0.00001", "NaN", "Infinity", "1,08", "", "N/A"])
def test_a_rate_that_cannot_be_true_never_converts_a_price(rate):
    rows = list(SOURCE.parse([page(file_of(day("2026-10-06", USD="1.1269", GBP=rate)))]))
    assert [row.currency for row in rows if isinstance(row, CurrencyRate)] == ["USD"]
    bad = [row for row in rows if isinstance(row, Unreadable)]
    assert [row.reason for row in bad] == ["not_a_rate"]
    assert "GBP" in bad[0].detail


@pytest.mark.parametrize("on", ["2026-10-09", "2062-10-06", "2026-13-01", "yesterday", ""])
def test_days_that_are_none_or_yet_to_come_are_set_aside(on):
    rows = list(SOURCE.parse([page(file_of(day("2026-10-06", USD="1.1269"), day(on, USD="1.5")))]))
    assert [row.per_eur for row in rows if isinstance(row, CurrencyRate)] == [Decimal("1.1269")]
    assert sum(isinstance(row, Unreadable) for row in rows) == 1


@pytest.mark.parametrize(
    ("body", "error"),
    [
        (file_of(), LayoutChanged),  # an empty list
        (file_of(day("2026-10-06", GBP="0.8488")), LayoutChanged),  # without dollars nothing can be converted
        (file_of(day("2026-10-06", USD="1.1269")).replace(b"eurofxref", b"eurofxref2"), LayoutChanged),
        (b"<html><body>Just a moment</body></html>", LayoutChanged),
        (b"<!DOCTYPE html><title>Access denied<p>", ErrorAnswer),
        (b"Time,USD\n2026-10-06,1.1269\n", ErrorAnswer),
        (file_of(day("2026-10-06", USD="1.1269"))[:-30], ErrorAnswer),  # cut short
        (b"", ErrorAnswer),
    ],
)
def test_answers_that_are_no_rates_raise_a_named_error(body, error):
    with pytest.raises(error):
        list(SOURCE.parse([page(body)]))


def test_entities_are_never_expanded():
    head = '<?xml version="1.0"?><!DOCTYPE r [<!ENTITY a "1.5"><!ENTITY f SYSTEM "file:///etc/hostname">]>'
    for rate in ("&a;", "&f;"):
        with pytest.raises(ErrorAnswer):
            list(SOURCE.parse([page(file_of(day("2026-10-06", USD="1.1269", GBP=rate), head=head))]))


def test_the_file_is_fetched_in_one_request():
    body = file_of(day("2026-10-06", USD="1.1269"))
    replay = Replay([{"request": {"method": "GET", "url": URL}, "response": {"body": body}}])
    (fetch,) = SOURCE.fetchers().values()
    pages = list(fetch(http_for(SOURCE, replay, now=NOW)))
    assert [row.per_eur for row in SOURCE.parse(pages)] == [Decimal("1.1269")]
    assert replay.requests[0].url == URL
