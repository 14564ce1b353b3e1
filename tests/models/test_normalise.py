"""From quotes to offers: the arithmetic, the identity and every reason for which a row is not an offer."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from hashlib import blake2b

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.currencies import Rates
from models.moments import parse_moment
from models.normalise import normalise
from models.offers import PRICINGS, UNITS, CurrencyRate, Quote, Unreadable

NOW = datetime(2026, 12, 1, 6, tzinfo=UTC)
RATES = Rates.of([CurrencyRate(date(2026, 11, 30), "USD", Decimal("1.10"))])


def quote(amount="98.00", **said):
    said = {
        "sku": "Standard_ND96isr_H100_v5",
        "gpu": "H100 SXM",
        "gpu_count": Decimal(8),
        "unit": "per_instance_hour",
        "pricing": "on_demand",
        "region": "eastus",
        **said,
    }
    return Quote(amount=Decimal(amount), **said)


def read(*rows, provider="azure", now=NOW, rates=RATES):
    return normalise(
        rows, provider=provider, book="", observed_at=now, origin="live", rates=rates, page_sha256="ab" * 32
    )


def only_offer(*rows, **look):
    (offer,), rejected = read(*rows, **look)
    assert not rejected
    return offer


def only_reason(*rows, **look):
    offers, (rejected,) = read(*rows, **look)
    assert not offers
    assert rejected.detail
    assert "\n" not in rejected.detail
    return rejected.reason


# Units: each expected figure is worked by hand from the price a provider prints.
@pytest.mark.parametrize(
    ("amount", "unit", "gpus", "said", "usd_per_hour", "usd_per_gpu_hour"),
    [
        ("98.00", "per_instance_hour", 8, {}, "98", "12.25"),
        ("2.99", "per_gpu_hour", 8, {}, "23.92", "2.99"),
        ("0.001097", "per_gpu_second", 1, {}, "3.9492", "3.9492"),  # 0.001097 x 3600
        ("0.0014", "per_instance_second", 2, {}, "5.04", "2.52"),  # 0.0014 x 3600
        ("0.1625", "per_instance_minute", 3, {}, "9.75", "3.25"),  # 0.1625 x 60
        ("1752.00", "per_instance_month", 2, {}, "2.4", "1.2"),  # 1752 / 730
        ("1460.00", "per_gpu_month", 2, {}, "4", "2"),  # 1460 / 730 x 2
        ("1785.60", "per_instance_month", 1, {"hours_per_month": Decimal(744)}, "2.4", "2.4"),
        ("525600", "per_term", 8, {"pricing": "reserved", "term_months": 12}, "60", "7.5"),  # / 8,760
        ("1051200", "per_term", 8, {"pricing": "reserved", "term_months": 36}, "40", "5"),  # / 26,280
    ],
)
def test_one_hour_of_every_unit(amount, unit, gpus, said, usd_per_hour, usd_per_gpu_hour):
    offer = only_offer(quote(amount, unit=unit, gpu_count=Decimal(gpus), **said))
    assert offer.usd_per_hour == Decimal(usd_per_hour)
    assert offer.usd_per_gpu_hour == Decimal(usd_per_gpu_hour)
    assert (offer.list_price, offer.unit, offer.currency) == (Decimal(amount), unit, "USD")


def test_a_month_that_does_not_divide_is_kept_to_eight_places():
    offer = only_offer(quote("355", unit="per_instance_month", gpu="RTX A6000", gpu_count=Decimal(1)))
    assert offer.usd_per_hour == Decimal("0.48630137")  # 355 / 730
    assert offer.usd_per_gpu_hour == Decimal("0.48630137")


@pytest.mark.parametrize(
    ("hourly", "upfront", "tier", "usd_per_hour", "usd_per_gpu_hour"),
    [
        ("34.00", None, "no_upfront", "34", "4.25"),
        ("17.00", "140160", "partial_upfront", "33", "4.125"),  # 17 + 140160 / 8760
        ("0.00", "280320", "all_upfront", "32", "4"),  # 280320 / 8760
    ],
)
def test_a_fee_paid_upfront_is_spread_over_its_term(hourly, upfront, tier, usd_per_hour, usd_per_gpu_hour):
    fee = None if upfront is None else Decimal(upfront)
    offer = only_offer(quote(hourly, pricing="reserved", term_months=12, upfront=fee, tier=tier))
    assert offer.usd_per_hour == Decimal(usd_per_hour)
    assert offer.usd_per_gpu_hour == Decimal(usd_per_gpu_hour)


def test_a_fee_without_a_commitment_is_no_part_of_the_hour():
    # due once however long it is rented: spread over a month it would be paid again every month
    offer = only_offer(quote("17", upfront=Decimal(1499), term_months=1))
    assert (offer.usd_per_hour, offer.upfront) == (Decimal(17), Decimal(1499))
    assert only_reason(quote("0", upfront=Decimal(1499))) == "not_a_price"


def test_three_ways_to_pay_upfront_are_three_offers_even_without_a_tier():
    ways = [("34.00", None), ("17.00", Decimal(140160)), ("0.00", Decimal(280320))]
    offers, rejected = read(*(quote(a, pricing="reserved", term_months=12, upfront=u) for a, u in ways))
    assert len({offer.offer_key for offer in offers}) == 3
    assert not rejected


def test_another_currency_is_converted_at_yesterdays_rate_and_the_list_price_kept():
    offer = only_offer(quote("31.50", currency="EUR", gpu="A100", gpu_memory_gb=Decimal(80)))
    assert (offer.usd_per_hour, offer.usd_per_gpu_hour) == (Decimal("34.65"), Decimal("4.33125"))
    assert (offer.list_price, offer.currency) == (Decimal("31.50"), "EUR")
    assert (offer.fx_rate, offer.fx_date) == (Decimal("1.10"), date(2026, 11, 30))


def test_hourly_and_monthly_billing_of_one_machine_are_two_offers():
    plan = quote("2.80", currency="EUR", sku="h100-380", gpu_count=Decimal(1), region="")
    offers, rejected = read(plan, replace(plan, amount=Decimal(1400), unit="per_instance_month"), provider="ovh")
    assert sorted(offer.usd_per_hour for offer in offers) == [Decimal("2.10958904"), Decimal("3.08")]
    assert not rejected


def test_a_fraction_of_a_card_costs_its_share_and_compares_as_a_whole_card():
    sixth = quote("0.45", sku="Standard_NV6ads_A10_v5", gpu="A10", gpu_count=Decimal(1) / 6, gpu_memory_gb=Decimal(4))
    offer = only_offer(sixth)
    assert offer.gpu_count < 1
    assert offer.usd_per_hour == Decimal("0.45")
    assert offer.usd_per_gpu_hour == Decimal("2.70")  # 0.45 x 6
    assert (offer.gpu_memory_gb, offer.form_factor) == (Decimal(4), "vGPU")
    elsewhere = only_offer(sixth, provider="somecloud")  # nothing is known of its slices: the share tells
    assert (elsewhere.gpu, elsewhere.usd_per_gpu_hour, elsewhere.gpu_memory_gb) == ("a10", Decimal("2.70"), 4)
    assert elsewhere.form_factor == "vGPU"


def test_a_slice_sold_as_one_piece_counts_as_its_share():
    slice_ = quote("0.30", sku="mig", gpu="NVIDIA A100 MIG 1g.5gb", gpu_count=Decimal(1), unit="per_gpu_hour")
    offer = only_offer(slice_, provider="runpod")
    assert offer.gpu_count == Decimal("0.0625")  # 5 of 80 GB
    assert (offer.usd_per_hour, offer.usd_per_gpu_hour) == (Decimal("0.30"), Decimal("4.80"))
    assert offer.form_factor == "MIG"
    assert only_reason(replace(slice_, gpu="H100 MIG")) == "unknown_gpu"


@pytest.mark.parametrize("count", ["0", "-8", "NaN", "Infinity", "100001", "0.001"])
def test_a_count_that_cannot_be_rented_is_held(count):
    assert only_reason(quote(gpu_count=Decimal(count))) == "bad_count"


@pytest.mark.parametrize("amount", ["0", "-31.20", "NaN", "sNaN", "Infinity", "-Infinity", "9999.99"])
def test_what_is_not_a_price_is_held(amount):
    assert only_reason(quote(amount)) == "not_a_price"


def test_dirty_values_never_become_the_cheapest():
    listed = {"a": "2.49", "b": None, "c": "NaN", "d": "0", "e": "-1", "f": "N/A", "g": "2.10"}
    read_rows = []
    for site, text in listed.items():
        if text is None or text == "N/A":
            row = Unreadable("not_a_price", f"{text!r} is not a number", sku="h100-1", gpu="H100")
        else:
            row = quote(text, sku="h100-1", gpu="H100", gpu_count=Decimal(1))
        read_rows.append((site, *read(row, provider=site)))
    read_rows.append(("h", *read(quote("inf", sku="h100-8", gpu="H100"), provider="h")))
    read_rows.append(("i", *read(quote("NaN", sku="b200-1", gpu="B200"), provider="i")))
    read_rows.append(("j", *read(Unreadable("not_a_price", "empty", sku="b200-8", gpu="B200"), provider="j")))
    offers = [offer for _, found, _ in read_rows for offer in found]
    assert {(offer.provider, offer.usd_per_gpu_hour) for offer in offers} == {
        ("a", Decimal("2.49")),
        ("g", Decimal("2.10")),
    }
    assert sum(len(rejected) for _, _, rejected in read_rows) == 8
    assert {r.reason for _, _, rejected in read_rows for r in rejected} == {"not_a_price"}


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (quote(gpu="RTX_PRO_9900", gpu_memory_gb=Decimal(128)), "unknown_gpu"),
        (quote(unit="per_fortnight"), "unknown_unit"),
        (quote("700", unit="per_instance_month", hours_per_month=Decimal(24)), "unknown_unit"),
        (quote(pricing="barter"), "unknown_pricing"),
        (quote(currency="AKT"), "unknown_currency"),
        (quote(currency="SEK"), "no_rate"),
        (quote(pricing="reserved"), "missing_term"),
        (quote("525600", unit="per_term", pricing="savings_plan"), "missing_term"),
        (quote("17", upfront=Decimal(140160), pricing="savings_plan"), "missing_term"),
        (quote("60", pricing="reserved", term_months=0), "missing_term"),
        (quote("0.0005", currency="EUR", gpu="T4", gpu_count=Decimal(1), pricing="spot"), "out_of_bounds"),
        (quote("8000.01"), "out_of_bounds"),  # above 1000 USD per GPU-hour
        (quote("2392", sku="gpu_8x_h100_sxm5"), "out_of_bounds"),  # cents read as dollars: 299 per GPU-hour
        (quote("1e15"), "out_of_bounds"),
        (quote(effective_from=date(2027, 2, 1)), "future_price"),
        (quote(effective_from=NOW + timedelta(seconds=1)), "future_price"),
        (quote(sku="  "), "unreadable"),
        (Unreadable("unreadable", "no price cell"), "unreadable"),
        (Unreadable("", "no\nprice\ncell"), "unreadable"),
    ],
)
def test_every_other_reason(row, reason):
    assert only_reason(row) == reason


def test_a_rejection_says_what_the_row_said():
    _, (rejected,) = read(quote("2.45", gpu="RTX_PRO_9900", sku="x@somecloud", gpu_count=Decimal(1)))
    assert (rejected.sku, rejected.gpu_text, rejected.amount) == ("x@somecloud", "RTX_PRO_9900", Decimal("2.45"))
    assert (rejected.currency, rejected.unit, rejected.pricing) == ("USD", "per_instance_hour", "on_demand")
    assert "RTX_PRO_9900" in rejected.detail


def test_one_bad_row_loses_no_good_one():
    bad = [quote("NaN"), quote(gpu="???"), quote(unit="?"), quote(gpu_count=Decimal("sNaN")), Unreadable("x", "y")]
    offers, rejected = read(*bad, quote("39.20", pricing="spot"), *bad)
    assert [offer.usd_per_hour for offer in offers] == [Decimal("39.2")]
    assert len(rejected) == 2 * len(bad)


# Dates: the latest price that is in force, whatever the order of the rows and the zone of the machine.
def test_an_announced_price_waits_and_an_ended_one_is_superseded():
    current, announced, ended = (
        quote(amount, sku="Standard_ND96asr_v4", gpu="A100", gpu_memory_gb=Decimal(40), effective_from=since)
        for amount, since in [
            ("27.20", datetime(2026, 1, 1, tzinfo=UTC)),
            ("24.00", datetime(2027, 2, 1, tzinfo=UTC)),
            ("30.40", datetime(2025, 3, 1, tzinfo=UTC)),
        ]
    )
    for rows in ([current, announced, ended], [ended, announced, current], [announced, ended, current]):
        (offer,), rejected = read(*rows)
        assert (offer.usd_per_hour, offer.effective_from) == (Decimal("27.2"), date(2026, 1, 1))
        assert {(r.reason, r.amount) for r in rejected} == {
            ("future_price", Decimal(24)),
            ("superseded", Decimal("30.4")),
        }


@pytest.mark.parametrize(
    ("text", "in_force", "day"),
    [
        ("2026-11-30T00:00:00Z", True, date(2026, 11, 30)),
        ("2026-11-30T23:30:00-08:00", False, None),  # 07:30 UTC on 1 December, half an hour ahead
        ("2026-12-01T00:15:00+01:00", True, date(2026, 11, 30)),
        ("2026-12-01", True, date(2026, 12, 1)),
        ("30/11/2026", True, date(2026, 11, 30)),
    ],
)
def test_an_effective_date_counts_in_utc(text, in_force, day):
    seven = datetime(2026, 12, 1, 7, tzinfo=UTC)
    offers, rejected = read(quote(effective_from=parse_moment(text)), now=seven)
    assert [offer.effective_from for offer in offers] == ([day] if in_force else [])
    assert [r.reason for r in rejected] == ([] if in_force else ["future_price"])


# Rivals: two prices for one thing.
def test_an_exact_repeat_collapses_and_is_counted():
    row = quote("3.60", sku="Standard_NC24ads_A100_v4", gpu="A100", gpu_count=Decimal(1), gpu_memory_gb=Decimal(80))
    (offer,), rejected = read(row, row, row)
    assert offer.usd_per_hour == Decimal("3.6")
    assert [r.reason for r in rejected] == ["duplicate", "duplicate"]


def test_of_two_prices_for_one_offer_the_lower_stands_and_the_other_is_kept_as_a_duplicate():
    for rows in ([quote("98"), quote("91")], [quote("91"), quote("98")]):
        (offer,), (rejected,) = read(*rows)
        assert offer.usd_per_hour == 91
        assert (rejected.reason, rejected.amount) == ("duplicate", Decimal(98))
        assert "91" in rejected.detail


def test_of_two_equal_rows_the_one_in_stock_stands():
    for rows in ([quote(available=False), quote(available=True)], [quote(available=True), quote(available=False)]):
        (offer,), _ = read(*rows)
        assert offer.available is True


def pair(sku, gpu, gpus, on_demand, spot):
    row = quote(on_demand, sku=sku, gpu=gpu, gpu_count=Decimal(gpus))
    return [row, replace(row, amount=Decimal(spot), pricing="spot")]


def test_spot_above_on_demand_holds_both_rows_of_that_machine_only():
    rows = [
        *pair("1x_L40S_SECURE", "L40S", 1, "0.43", "0.86"),
        *pair("8x_A100_SECURE", "A100 80GB", 8, "13.12", "4.80"),
        *pair("p5en.48xlarge", "H200", 8, "79.12", "79.12"),  # equal is legal
        *pair("Standard_ND96isr_H100_v5", "H100", 8, "39.20", "98.00"),
        quote("60", gpu="H100", pricing="reserved", term_months=12),
    ]
    offers, rejected = read(*rows)
    assert sorted((offer.sku, offer.pricing) for offer in offers) == [
        ("8x_A100_SECURE", "on_demand"),
        ("8x_A100_SECURE", "spot"),
        ("Standard_ND96isr_H100_v5", "reserved"),
        ("p5en.48xlarge", "on_demand"),
        ("p5en.48xlarge", "spot"),
    ]
    assert {r.reason for r in rejected} == {"spot_above_on_demand"}
    assert sorted((r.sku, r.pricing) for r in rejected) == [
        ("1x_L40S_SECURE", "on_demand"),
        ("1x_L40S_SECURE", "spot"),
        ("Standard_ND96isr_H100_v5", "on_demand"),
        ("Standard_ND96isr_H100_v5", "spot"),
    ]


def test_spot_is_compared_within_a_region_and_a_tier():
    dear, cheap = quote("98", region="westeurope"), quote("20", region="eastus")
    spot = quote("39.20", region="westeurope", pricing="spot")
    offers, rejected = read(dear, cheap, spot, replace(spot, tier="secure", region="eastus"))
    assert (len(offers), rejected) == (4, [])


# Identity: what joins today's price to yesterday's.
def test_the_key_names_the_offer_and_nothing_that_changes():
    row = quote(gpu="H100", region="eastus", tier="")
    key = only_offer(row).offer_key
    identity = ["azure", "Standard_ND96isr_H100_v5", "h100", "8", "eastus", "on_demand", "", "", "none", "", "USD", ""]
    assert key == blake2b("\x1f".join(identity).encode(), digest_size=16).hexdigest()
    same = replace(
        row,
        amount=Decimal("91.5"),
        gpu_count=Decimal("8.0"),
        available=True,
        quantity=3,
        vcpus=Decimal(96),
        effective_from=date(2026, 1, 1),
        page_sha256="cd" * 32,
    )
    assert only_offer(same, now=NOW - timedelta(days=1)).offer_key == key


def test_every_part_of_the_identity_makes_another_offer():
    others = [
        quote(sku="Standard_ND96is_H100_v5"),
        quote(gpu="H200"),
        quote(gpu_count=Decimal(4)),
        quote(region="westus"),
        quote(pricing="spot"),
        quote(pricing="reserved", term_months=12),
        quote(pricing="reserved", term_months=36),
        quote(tier="secure"),
        quote(broker_of="crusoe"),
        quote(currency="EUR"),
    ]
    keys = {only_offer(row).offer_key for row in [quote(), *others]}
    keys.add(only_offer(quote(), provider="gcp").offer_key)
    assert len(keys) == 1 + len(others) + 1


def test_the_offer_says_where_it_is_and_where_it_comes_from():
    offer = only_offer(quote(region="westeurope", vcpus=Decimal(96), memory_gb=Decimal("NaN")))
    assert (offer.country, offer.region) == ("NL", "westeurope")
    assert (offer.vcpus, offer.memory_gb) == (Decimal(96), None)
    assert (offer.page_sha256, offer.observed_at, offer.origin) == ("ab" * 32, NOW, "live")
    assert only_offer(quote(region="nowhere")).country is None


def test_a_broker_prints_the_region_of_the_provider_behind_it():
    row = quote("0.50", gpu="A6000", sku="A6000@hyperstack", gpu_count=Decimal(1), region="CANADA-1")
    assert only_offer(row, provider="skypilot").country is None
    assert only_offer(replace(row, broker_of="hyperstack"), provider="skypilot").country == "CA"


def test_text_that_no_file_can_hold_costs_no_row():
    offer = only_offer(quote(sku="8x\ud83d H100 ", tier="\udcff"))
    assert (offer.sku, offer.tier) == ("8x? H100", "?")


def test_a_look_without_a_time_zone_is_refused():
    with pytest.raises(ValueError, match="time zone"):
        read(quote(), now=datetime(2026, 12, 1))  # noqa: DTZ001


# Laws.
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


@settings(max_examples=150, deadline=None)
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


@settings(deadline=None)
@given(PRICES, COUNTS)
def test_the_instance_costs_its_gpus(price, count):
    offer = only_offer(quote(price, unit="per_gpu_hour", gpu_count=count))
    assert offer.usd_per_hour == price * count
    assert offer.usd_per_gpu_hour == price
    instance = only_offer(quote(price * count, gpu_count=count))
    assert abs(instance.usd_per_hour - instance.usd_per_gpu_hour * count) <= Decimal("1e-8") * count
    assert abs(instance.usd_per_gpu_hour - price) <= Decimal("1e-8")


@settings(deadline=None)
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


@settings(deadline=None)
@given(st.data())
def test_the_order_of_the_rows_does_not_change_what_comes_out(data):
    rows = data.draw(st.lists(a_row, max_size=7))
    shuffled = data.draw(st.permutations(rows))
    for one, other in zip(read(*rows), read(*shuffled), strict=True):
        assert sorted(map(repr, one)) == sorted(map(repr, other))
