"""The EC2 price list of a region (bulk CSV): on-demand prices, and reserved ones for one and three years.

One machine is sold under many rows: nine systems and licences, shared and dedicated hosts, capacity that is used,
reserved and idle (at the same price) or reserved and allotted (at 0), and capacity blocks (at 0, or at the price
of a paid system alone). Only plain Linux on shared hosts in use is read. `EffectiveDate` is the first of the month
for every row and says nothing about the price. Standard reservations only: a convertible one is another contract
for the same machine. A reservation with an upfront part is two rows, "Quantity" (the fee) and "Hrs".

On-demand prices of an offer stand in the books of the feed, so in the ledger (books offer_file/...) they are left
to it; in a file that is read by itself they come out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal

from models.offers import Quote, Unreadable
from sources.providers.aws.bulk_lines import PLAIN_LINUX, accelerated, table
from sources.providers.aws.instances import quote
from sources.reading import decimal_of
from sources.source import Page

BOOK = "offer_file"
NEEDED = (
    *("SKU", "OfferTermCode", "TermType", "Unit", "PricePerUnit", "Currency"),
    *("LeaseContractLength", "PurchaseOption", "OfferingClass"),
    *("Instance Type", "Region Code", "Tenancy", "Operating System", "License Model", "operation"),
    *("CapacityStatus", "GPU", "MarketOption", "Pre Installed S/W"),
)
MONTHS = {"1yr": 12, "3yr": 36}
TIERS = {"No Upfront": "no_upfront", "Partial Upfront": "partial_upfront", "All Upfront": "all_upfront"}


@dataclass(slots=True)
class Reservation:
    """The rows of one reservation so far."""

    first: Mapping[str, str]
    hourly: Decimal | None = None
    upfront: Decimal | None = None


def quotes(page: Page) -> Iterator[Quote | Unreadable]:
    """The prices of plain Linux on shared hosts. Raises LayoutChanged and ErrorAnswer."""
    on_demand: dict[tuple[str, str], list[Mapping[str, str]]] = {}
    reservations: dict[tuple[str, str], Reservation] = {}
    for row in table(page, NEEDED):
        if isinstance(row, Unreadable):
            yield row
        elif not _is_plain(row):
            continue
        elif row["TermType"] == "OnDemand" and row["MarketOption"] == "OnDemand" and row["Unit"] == "Hrs":
            on_demand.setdefault((row["Instance Type"], row["Region Code"]), []).append(row)
        elif row["TermType"] == "Reserved" and row["OfferingClass"] == "standard":
            reservation = reservations.setdefault((row["SKU"], row["OfferTermCode"]), Reservation(row))
            if row["Unit"] == "Hrs":
                reservation.hourly = decimal_of(row["PricePerUnit"])
            elif row["Unit"] == "Quantity":
                reservation.upfront = decimal_of(row["PricePerUnit"])
    if not page.book.startswith(f"{BOOK}/"):
        for rows in on_demand.values():
            yield _on_demand(rows)
    for reservation in reservations.values():
        yield _reserved(reservation)


def _is_plain(row: Mapping[str, str]) -> bool:
    return (
        row["operation"] == PLAIN_LINUX
        and row["Tenancy"] == "Shared"
        and row["Operating System"] == "Linux"
        and row["License Model"] == "No License required"
        and row["CapacityStatus"] == "Used"
        and row["Pre Installed S/W"] in ("NA", "")
        and row["MarketOption"] in ("OnDemand", "")  # reserved rows may leave it out
        and accelerated(row["Instance Type"], row["GPU"])
    )


def _on_demand(rows: list[Mapping[str, str]]) -> Quote | Unreadable:
    """The one price of a type in a region; two prices mean that the rows are not told apart as they should be."""
    instance_type, region = rows[0]["Instance Type"], rows[0]["Region Code"]
    prices = {(decimal_of(row["PricePerUnit"]), row["Currency"]) for row in rows}
    if len(prices) > 1:
        figures = ", ".join(sorted(row["PricePerUnit"] for row in rows))
        detail = f"{instance_type} has {len(prices)} on-demand prices in {region}: {figures}"
        return Unreadable("ambiguous", detail, sku=instance_type, region=region)
    amount, currency = prices.pop()
    return quote(instance_type, region, amount, "on_demand", currency=currency)


def _reserved(reservation: Reservation) -> Quote | Unreadable:
    row, upfront = reservation.first, reservation.upfront
    instance_type, region, option = row["Instance Type"], row["Region Code"], row["PurchaseOption"]
    months, tier = MONTHS.get(row["LeaseContractLength"].replace(" ", "")), TIERS.get(option)
    whole = reservation.hourly is not None and bool(upfront) == (option != "No Upfront")
    if months is None or tier is None or not whole:
        detail = f"{instance_type}: a reservation for {row['LeaseContractLength']!r}, {option!r}, lacks a part"
        return Unreadable("missing_term", detail, sku=instance_type, region=region)
    return quote(
        instance_type,
        region,
        reservation.hourly,
        "reserved",
        currency=row["Currency"],
        term_months=months,
        upfront=upfront or None,
        tier=tier,
    )
