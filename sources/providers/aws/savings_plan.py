"""Compute savings plans of a region (bulk CSV): the hourly price of a machine under a commitment to spend.

A row names the machine by what it discounts (usage type, operation, instance type). Two kinds of plan discount the
same machine: Compute plans, good for any, and EC2 Instance plans, good for one family in one region. The rate is
the price of an hour whatever part of the commitment is paid upfront, so there is no fee to add.
"""

from __future__ import annotations

from collections.abc import Iterator

from models.offers import Quote, Unreadable
from sources.providers.aws.bulk_lines import PLAIN_LINUX, table
from sources.providers.aws.instances import instances, quote
from sources.providers.aws.offer_file import TIERS
from sources.reading import decimal_of
from sources.source import Page

BOOK = "savings_plan"
NEEDED = (
    *("Unit", "DiscountedRate", "Currency", "PurchaseOption", "LeaseContractLength", "LeaseContractLengthUnit"),
    *("Product Family", "DiscountedUsageType", "DiscountedOperation"),
    *("DiscountedRegionCode", "DiscountedInstanceType"),
)
PLANS = {"ComputeSavingsPlans": "compute", "EC2InstanceSavingsPlans": "ec2_instance"}
MONTHS = {"1 year": 12, "3 year": 36}


def quotes(page: Page) -> Iterator[Quote | Unreadable]:
    """The plan rates of plain Linux on shared hosts. Raises LayoutChanged and ErrorAnswer."""
    for row in table(page, NEEDED):
        if isinstance(row, Unreadable):
            yield row
            continue
        instance_type, region = row["DiscountedInstanceType"], row["DiscountedRegionCode"]
        kind, _, of_type = row["DiscountedUsageType"].partition(":")
        if (
            row["DiscountedOperation"] != PLAIN_LINUX
            or instance_type not in instances()
            or of_type != instance_type
            or not (kind == "BoxUsage" or kind.endswith("-BoxUsage"))  # DedicatedUsage, HostBoxUsage, UnusedBox
        ):
            continue
        plan, option = PLANS.get(row["Product Family"]), TIERS.get(row["PurchaseOption"])
        length = f"{row['LeaseContractLength']} {row['LeaseContractLengthUnit']}"
        if plan is None or option is None or length not in MONTHS or row["Unit"] != "Hrs":
            detail = f"{instance_type}: a plan {row['Product Family']!r}, {length!r}, {row['PurchaseOption']!r}"
            yield Unreadable("missing_term", detail, sku=instance_type, region=region)
            continue
        yield quote(
            instance_type,
            region,
            decimal_of(row["DiscountedRate"]),
            "savings_plan",
            currency=row["Currency"],
            term_months=MONTHS[length],
            tier=f"{plan}_{option}",
        )
