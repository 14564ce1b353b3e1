"""Laws of what becomes of rows: none raises, none is lost, units agree, and order says nothing."""

from datetime import UTC, date, datetime
from decimal import Decimal

from hypothesis import given, settings
from hypothesis import strategies as st
from quotes import only_offer, quote, read

from models.offers import PRICINGS, UNITS, Quote

ANY_DECIMAL = st.decimals() | st.sampled_from(
    [Decimal(text) for text in ("NaN", "sNaN", "-0", "Infinity", "1e999999", "1e-999999", "-1e400", "9" * 60)]
)
ANY_TEXT = st.text(max_size=12) | st.sampled_from(["", " ", "\ud800", "\x00", "H100", "A100 80GB", "us-east-1", "US"])
PRICES = st.decimals("0.5", "20", places=4)  # an H100 has been sold between about 0.9 and 15
COUNTS = st.sampled_from([Decimal(n) for n in (1, 2, 4, 8, 16, 72)])

any_quote = st.builds(
    Quote,
    sku=ANY_TEXT,
    gpu=ANY_TEXT,
    gpu_count=ANY_DECIMAL | COUNTS,
    amount=ANY_DECIMAL | PRICES,
    unit=st.sampled_from(UNITS) | ANY_TEXT,
    pricing=st.sampled_from(PRICINGS) | ANY_TEXT,
    currency=st.sampled_from(["USD", "EUR", "usd", "SEK"]) | ANY_TEXT,
    region=ANY_TEXT,
    gpu_memory_gb=st.none() | ANY_DECIMAL,
    vcpus=st.none() | ANY_DECIMAL,
    memory_gb=st.none() | ANY_DECIMAL,
    term_months=st.none() | st.integers(),
    upfront=st.none() | ANY_DECIMAL,
    hours_per_month=st.none() | ANY_DECIMAL,
    tier=ANY_TEXT,
    effective_from=st.none() | st.dates() | st.datetimes() | st.datetimes(timezones=st.timezones()),
    broker_of=ANY_TEXT,
)


@settings(max_examples=150)
@given(st.lists(any_quote, max_size=4))
def test_no_row_raises_and_none_is_lost(rows):
    offers, rejected = read(*rows)
    assert len(offers) + len(rejected) == len(rows)
    for offer in offers:
        assert offer.usd_per_hour.is_finite()
        assert offer.usd_per_gpu_hour > 0
        assert offer.list_price.as_tuple().exponent >= -8
        repr(offer).encode()
    for row in rejected:
        assert row.reason
        assert row.detail
        repr(row).encode()


@given(PRICES, COUNTS)
def test_the_instance_costs_its_gpus(price, count):
    offer = only_offer(quote(price, unit="per_gpu_hour", gpu_count=count))
    assert offer.usd_per_hour == price * count
    assert offer.usd_per_gpu_hour == price
    instance = only_offer(quote(price * count, gpu_count=count))
    assert abs(instance.usd_per_hour - instance.usd_per_gpu_hour * count) <= Decimal("1e-8") * count
    assert abs(instance.usd_per_gpu_hour - price) <= Decimal("1e-8")


@given(PRICES, COUNTS)
def test_every_unit_of_one_price_agrees(hourly, count):
    same = [
        quote(hourly, unit="per_gpu_hour", gpu_count=count),
        quote(hourly * count, unit="per_instance_hour", gpu_count=count),
        quote(hourly * 730, unit="per_gpu_month", gpu_count=count),
        quote(hourly * count * 730, unit="per_instance_month", gpu_count=count),
        quote(hourly * count * 8760, unit="per_term", gpu_count=count, term_months=12),
        quote(hourly * count / 60, unit="per_instance_minute", gpu_count=count),
        quote(hourly / 3600, unit="per_gpu_second", gpu_count=count),
        quote(hourly * count / 3600, unit="per_instance_second", gpu_count=count),
        quote("0", gpu_count=count, pricing="reserved", term_months=36, upfront=hourly * count * 26280),
    ]
    assert {only_offer(row).usd_per_hour for row in same} == {hourly * count}


a_row = st.builds(
    quote,
    amount=st.sampled_from(["98", "91", "39.2", "0", "NaN"]),
    sku=st.sampled_from(["a", "b"]),
    pricing=st.sampled_from(["on_demand", "spot"]),
    available=st.sampled_from([None, True, False]),
    effective_from=st.sampled_from([None, date(2026, 1, 1), datetime(2026, 1, 1, 5, tzinfo=UTC), date(2030, 1, 1)]),
)


@given(st.data())
def test_the_order_of_the_rows_does_not_change_what_comes_out(data):
    rows = data.draw(st.lists(a_row, max_size=7))
    shuffled = data.draw(st.permutations(rows))
    for one, other in zip(read(*rows), read(*shuffled), strict=True):
        assert sorted(map(repr, one)) == sorted(map(repr, other))
