"""AWS: savings plans, the two feeds, what is in a machine, and what was recorded."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from aws_answers import PLAN, feed, machine, offers, page, plan_file, quotes, refusals, spot
from exchanges import Site, http_for

from sources.pages import recorded_pages
from sources.providers.aws import SOURCE
from sources.providers.aws.instances import instances, locations
from sources.source import ErrorAnswer, LayoutChanged, SourceError, Unreachable

# --- savings plans


def test_savings_plan_rates_are_the_price_of_an_hour():
    rows = [
        PLAN,
        PLAN | {"Product Family": "EC2InstanceSavingsPlans", "DiscountedRate": "12.5", "PurchaseOption": "All Upfront"},
        PLAN | {"LeaseContractLength": "3", "DiscountedRate": "8.7", "PurchaseOption": "Partial Upfront"},
        PLAN | {"DiscountedOperation": "RunInstances:0002", "DiscountedRate": "20"},  # Windows
        PLAN | {"DiscountedUsageType": "DedicatedUsage:p4d.24xlarge", "DiscountedRate": "21"},
        PLAN | {"DiscountedUsageType": "HostBoxUsage:p4d.24xlarge", "DiscountedRate": "22"},
        PLAN | {"DiscountedUsageType": "UnusedBox:p4d.24xlarge", "DiscountedRate": "23"},
        PLAN | {"DiscountedInstanceType": "m7i.large", "DiscountedUsageType": "BoxUsage:m7i.large"},
    ]
    found, rejected = offers(page(plan_file(*rows), "savings_plan/us-east-1"))
    assert not rejected
    assert {(offer.term_months, offer.tier): offer.usd_per_hour for offer in found} == {
        (12, "compute_no_upfront"): Decimal("13.9"),
        (12, "ec2_instance_all_upfront"): Decimal("12.5"),
        (36, "compute_partial_upfront"): Decimal("8.7"),
    }
    assert {(offer.pricing, offer.gpu, offer.upfront) for offer in found} == {("savings_plan", "a100_sxm_40", None)}


def test_savings_plan_of_an_unknown_kind_is_counted():
    body = plan_file(PLAN, PLAN | {"Product Family": "DatabaseSavingsPlans"})
    assert refusals(page(body)) == [("missing_term", "p4d.24xlarge")]


# --- the on-demand feed


def test_feed_is_read_by_its_fields_not_by_its_keys():
    body = feed(
        machine("p5.48xlarge", "55.0400000000"),
        machine("trn1.32xlarge", "21.5000000000", **{"Instance Family": "Machine Learning ASIC Instances"}),
        machine("m5.large", "0.0960000000", **{"Instance Family": "General purpose"}),
        machine("p5.48xlarge", "63.8720000000", **{"Operating System": "Windows"}),
        machine("p5.48xlarge", "57.4400000000", **{"Pre Installed S/W": "SQL Std"}),
        machine("g9.xlarge", "3.0000000000"),
        machine("g6.xlarge", "N/A"),
        machine("g6e.xlarge", "0.0000000000"),
    )
    found, rejected = offers(page(body, "feed/us-east-1"))
    assert {(offer.sku, offer.usd_per_hour, offer.region) for offer in found} == {
        ("p5.48xlarge", Decimal("55.04"), "us-east-1"),
        ("trn1.32xlarge", Decimal("21.5"), "us-east-1"),
    }
    assert sorted((row.reason, row.sku) for row in rejected) == [
        ("not_a_price", "g6.xlarge"),
        ("not_a_price", "g6e.xlarge"),
        ("unknown_sku", "g9.xlarge"),
    ]


def test_two_prices_of_one_type_in_the_feed_are_both_refused():
    # p5.48xlarge, Linux, us-east-1, 2026-08-22: 55.04 (AWS price list); 39.33 is another product of the same type
    twice = [machine("p5.48xlarge", "55.0400000000"), machine("p5.48xlarge", "39.3300000000")]
    for rows in (twice, twice[::-1]):
        body = page(feed(*rows, machine("p4d.24xlarge", "21.96")), "feed/us-east-1")
        assert [offer.sku for offer in offers(body)[0]] == ["p4d.24xlarge"]
        assert refusals(body) == [("ambiguous", "p5.48xlarge")]
    same = page(feed(twice[0], machine("p5.48xlarge", "55.04")), "feed/us-east-1")
    assert [(quote.sku, quote.amount) for quote in quotes(same)] == [("p5.48xlarge", Decimal("55.04"))]


def test_feed_of_another_region_is_refused():
    body = feed(machine("p5.48xlarge", "58.89"), location="EU (Stockholm)")
    with pytest.raises(ErrorAnswer, match="us-east-1"):
        quotes(page(body, "feed/us-east-1"))
    assert quotes(page(body))[0].region == "eu-north-1"


@pytest.mark.parametrize(
    ("body", "error"),
    [
        (b"<html>Access denied</html>", ErrorAnswer),
        ({"message": "Forbidden"}, LayoutChanged),
        ([], LayoutChanged),
        ({"regions": []}, LayoutChanged),
        ({"regions": {"US East (N. Virginia)": []}}, LayoutChanged),
        (feed({"type": "p5.48xlarge", "price": "55"}), LayoutChanged),
        (feed({"Instance Type": "p5.48xlarge", "cost": "55"}), LayoutChanged),
        ({"config": None}, LayoutChanged),
        ({"config": {"rate": "permonth", "regions": []}}, LayoutChanged),
        ({"config": {"rate": "perhr", "regions": [{"region": "us-east"}]}}, LayoutChanged),
        (b'"FormatVersion","v1.0"\n"Version","1"\n', LayoutChanged),
    ],
)
def test_answers_that_are_no_price_list_are_named_errors(body: object, error: type[SourceError]):
    with pytest.raises(error):
        quotes(page(body))


# --- the spot feed


def test_spot_prices_are_texts_and_some_are_no_prices():
    body = spot(
        p5_48xlarge="19.7342",
        p4d_24xlarge="N/A*",
        g6_xlarge="$0",
        g6f_large="9.0E-2",
        m6i_xlarge="0.0615",
        p9_48xlarge="12.5",
        g5_xlarge="soon",
    )
    assert {(quote.sku, quote.amount, quote.pricing, quote.region) for quote in quotes(page(body, "spot"))} == {
        ("p5.48xlarge", Decimal("19.7342"), "spot", "us-east-1"),
        ("g6f.large", Decimal("0.09"), "spot", "us-east-1"),
    }
    assert refusals(page(body, "spot")) == [
        ("not_a_price", "g6.xlarge"),
        ("unknown_sku", "p9.48xlarge"),
        ("not_a_price", "g5.xlarge"),
    ]


# --- what is in a machine


def test_memory_and_counts_are_of_whole_cards_whatever_the_api_reports():
    """DescribeInstanceTypes gives 179 GB for one of eight L4s, and 0 GPUs for an eighth of one."""
    counts = {name: instances()[name].gpu_count for name in ("g6.xlarge", "g6.12xlarge", "g6.48xlarge", "g6f.large")}
    assert counts == {"g6.xlarge": 1, "g6.12xlarge": 4, "g6.48xlarge": 8, "g6f.large": Decimal("0.125")}
    assert {instances()[name].gpu_memory_gb for name in counts} == {24}
    slice_ = instances()["g6f.large"]
    assert slice_.gpu_count * slice_.gpu_memory_gb == 3
    assert "c7i.large" not in instances()


def test_machines_join_over_a_fabric_only_where_aws_documents_one():
    fabrics = {name: instances()[name].fabric for name in ("p5.48xlarge", "trn1.32xlarge", "g6.xlarge", "g7.48xlarge")}
    assert fabrics == {
        "p5.48xlarge": "multi_node",
        "trn1.32xlarge": "multi_node",
        "g6.xlarge": "single_node",
        "g7.48xlarge": None,
    }


def test_fraction_of_a_card_is_priced_as_the_fraction_it_is():
    [offer] = offers(page(feed(machine("g6f.large", "0.2020000000"))))[0]
    assert (offer.gpu_count, offer.usd_per_hour, offer.usd_per_gpu_hour) == (
        Decimal("0.125"),
        Decimal("0.202"),
        Decimal("1.616"),
    )


# --- what was recorded


def recorded(day: str) -> dict[tuple[str, str, str, str], Decimal]:
    """Instance type, region, pricing, tier -> USD per instance-hour."""
    found: dict[tuple[str, str, str, str], Decimal] = {}
    for moment, pages in recorded_pages("aws").items():
        if moment.date().isoformat() == day:
            for quote in quotes(*(recorded.page for recorded in pages)):
                found[quote.sku, quote.region, quote.pricing, quote.tier] = quote.amount
    return found


def test_recorded_prices_are_those_of_their_sources():
    july = recorded("2026-07-20")  # karpenter-provider-aws zz_generated.pricing_aws*.go@1d927085d
    assert len(july) == 145
    assert july["p5en.48xlarge", "us-east-1", "on_demand", ""] == Decimal("63.296")
    assert july["p6-b300.48xlarge", "us-east-1", "on_demand", ""] == Decimal("142.416")
    assert july["g6f.large", "us-east-1", "on_demand", ""] == Decimal("0.202")
    assert july["dl1.24xlarge", "us-east-1", "on_demand", ""] == Decimal("13.10904")
    assert july["p4d.24xlarge", "us-gov-west-1", "on_demand", ""] == Decimal("26.3511")
    august = recorded("2026-08-22")  # Compute-Index eucri.db@f656459c; gpu-price-dashboard prices.json@9dabad1
    assert august["p5.48xlarge", "sa-east-1", "on_demand", ""] == Decimal("92.4672")
    assert august["p5.48xlarge", "ap-south-1", "on_demand", ""] / 8 == Decimal("8.256")
    assert august["g5.xlarge", "ap-south-1", "on_demand", ""] == Decimal("1.208")
    later = recorded("2026-08-26")  # tsaol/aws-gpu data/*_instances.js of that day
    assert abs(later["p4d.24xlarge", "ap-south-1", "on_demand", ""] / 8 - Decimal("3.2931")) < Decimal("0.0001")
    assert later["p4d.24xlarge", "us-east-1", "reserved", "no_upfront"] == Decimal("13.921094")
    assert later["trn1.32xlarge", "us-west-2", "reserved", "no_upfront"] == Decimal("13.22895")


def test_recorded_history_shows_the_cut_of_june_2025_and_no_offer_vanishes():
    """Archived EC2 price lists: p5 98.32 and p4d 32.7726 to the end of May 2025, 55.04 and 21.957642 from June on."""
    steps = {
        day: recorded(day)["p5.48xlarge", "us-east-1", "on_demand", ""]
        for day in ("2024-02-05", "2025-05-29", "2025-07-03", "2026-07-20")
    }
    assert list(steps.values()) == [Decimal("98.32"), Decimal("98.32"), Decimal("55.04"), Decimal("55.04")]
    assert recorded("2025-05-29")["p4d.24xlarge", "us-east-1", "on_demand", ""] == Decimal("32.7726")
    assert recorded("2025-07-03")["p4d.24xlarge", "us-east-1", "on_demand", ""] == Decimal("21.957642")
    listed: dict[str, set[tuple[str, str]]] = {}
    for pages in recorded_pages("aws").values():
        for kept in pages:
            now = {(quote.sku, quote.tier) for quote in quotes(kept.page)}
            assert listed.get(kept.page.book, set()) <= now
            listed[kept.page.book] = now


# --- fetching the feeds


def test_region_without_a_page_is_absent_and_a_dead_site_is_not():
    def respond(request: Any) -> dict[str, Any]:
        return {"status": 404} if "Stockholm" in request.url or "Virginia" in request.url else {"status": 500}

    parts = SOURCE.fetchers()
    http = http_for(SOURCE, Site(respond))
    assert list(parts["feed/eu-north-1"](http)) == []
    with pytest.raises(Unreachable, match="404"):
        list(parts["feed/us-east-1"](http))
    with pytest.raises(Unreachable, match="500"):
        list(parts["feed/us-west-2"](http))


def test_feed_is_asked_for_by_the_location_name():
    site = Site(lambda request: {"body": feed(machine("p5.48xlarge", "55.04"))})
    [got] = SOURCE.fetchers()["feed/us-east-1"](http_for(SOURCE, site))
    assert site.requests[0].url.endswith(
        "/ec2-ondemand-without-sec-sel/US%20East%20%28N.%20Virginia%29/Linux/index.json"
    )
    assert (got.book, quotes(got)[0].region) == ("feed/us-east-1", "us-east-1")
    assert len(locations()) == 32
