"""Of several prices for one thing one stands: which, and by what an offer is known from day to day."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from hashlib import blake2b

import pytest
from quotes import NOW, only_offer, quote, read

from models.moments import parse_moment


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


def test_two_prices_of_one_seller_for_one_offer_contradict_each_other_and_both_go():
    for rows in ([quote("98"), quote("91")], [quote("91"), quote("98")]):
        offers, rejected = read(*rows, quote("12", gpu="L40S"), one_seller=True)
        assert [offer.usd_per_hour for offer in offers] == [12]
        assert {(r.reason, r.amount) for r in rejected} == {("ambiguous", Decimal(98)), ("ambiguous", Decimal(91))}
        assert all("91 and 98" in r.detail for r in rejected)


def test_repeats_and_ended_prices_of_one_seller_are_no_contradiction():
    since = [replace(quote(amount), effective_from=date(year, 1, 1)) for amount, year in (("98", 2025), ("91", 2026))]
    (offer,), rejected = read(*since, since[1], one_seller=True)
    assert offer.usd_per_hour == 91
    assert sorted(r.reason for r in rejected) == ["duplicate", "superseded"]


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


def test_machines_of_several_sizes_at_one_total_are_priced_by_the_gpu_or_by_nobody_knows_what():
    sizes = [quote("3.20", sku=f"h100x{count}", gpu_count=Decimal(count)) for count in (1, 2, 8)]
    offers, rejected = read(
        *sizes, quote("3.20", sku="a100", gpu="A100 SXM 80GB", gpu_count=Decimal(1)), one_seller=True
    )
    assert [offer.sku for offer in offers] == ["a100"]
    assert {(row.sku, row.reason) for row in rejected} == {(f"h100x{count}", "unknown_unit") for count in (1, 2, 8)}
    assert len(read(*sizes)[0]) == 3  # on a market two hosts may ask the same
    by_gpu = [replace(row, unit="per_gpu_hour") for row in sizes]
    assert len(read(*by_gpu, one_seller=True)[0]) == 3


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
