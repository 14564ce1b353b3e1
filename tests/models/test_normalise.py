"""From quotes to offers: the arithmetic, and every reason for which a row is not an offer."""

from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal

import pytest
from quotes import NOW, only_offer, only_reason, quote, read

from models.offers import Unreadable


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
    assert (offer.gpu_memory_gb, offer.form_factor) == (24, "vGPU")  # of the card, of which there is a sixth
    elsewhere = only_offer(sixth, provider="somecloud")  # nothing is known of its slices: the share tells
    assert (elsewhere.gpu, elsewhere.usd_per_gpu_hour, elsewhere.gpu_memory_gb) == ("a10", Decimal("2.70"), 24)
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


@pytest.mark.parametrize(
    "sku", ["H100 (1-year commitment)", "h100_annual", "H100 with 12-month contract", "H100 reserved"]
)
def test_a_name_that_binds_is_no_price_of_an_hour_without_its_term(sku):
    assert only_reason(quote(sku=sku)) == "missing_term"
    assert only_reason(quote(sku=sku, pricing="spot")) == "missing_term"
    assert only_offer(quote(sku=sku, pricing="reserved", term_months=12)).term_months == 12


@pytest.mark.parametrize(
    "sku", ["H100, no commitment", "H100 without a long-term contract", "gpu-1x-h100-committee", "rtx-pro-6000-wk"]
)
def test_a_name_that_binds_nobody_is_a_price(sku):
    assert only_offer(quote(sku=sku)).sku == sku


@pytest.mark.parametrize("word", ["coming soon", "Available Q1", "(pre-order)", "waitlist", "discontinued"])
def test_what_cannot_be_had_yet_or_any_more_is_no_offer(word):
    assert only_reason(quote(sku=f"H100 {word}")) == "not_a_price"


def test_what_is_sold_out_keeps_its_price_and_is_not_available():
    offer = only_offer(quote(sku="H100 - sold out", available=None))
    assert (offer.usd_per_gpu_hour, offer.available) == (Decimal("12.25"), False)
