"""The data model of a price: Quote (what a page printed), Offer (what it means), Rejected (why not), Witness (what
others say).

Quotes are made by `sources`, offers by `models.normalise`, and nothing else divides by a GPU count or
converts a currency. Storage and fetching do not belong here.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Literal, get_args

Unit = Literal[
    "per_gpu_hour",
    "per_instance_hour",
    "per_gpu_second",
    "per_instance_second",
    "per_instance_minute",
    "per_instance_month",
    "per_gpu_month",
    "per_term",  # amount covers the whole term of the whole instance: term_months is required
]
Pricing = Literal["on_demand", "spot", "reserved", "savings_plan", "capacity_block", "serverless"]
Fabric = Literal["multi_node", "single_node"]
# Tiers of figures that are shown, and in no cost table, as nobody is sure of a machine at them (core.to_be_had):
BID_FLOOR = "bid_floor"  # the least bid that an auction takes
MARKET_AVERAGE = "market_average"  # what others paid over some time
NOT_FOR_SALE = "not_for_sale"  # of a machine that is listed and that nobody can order
MEAN_OF_BIDS = "weighted_mean_of_bids"  # what hosts asked over some time
COMPOSED = "composed"  # tier of a machine put together here of parts that the site prices apart

UNITS: tuple[str, ...] = get_args(Unit)
PRICINGS: tuple[str, ...] = get_args(Pricing)


@dataclass(frozen=True, slots=True)
class Quote:
    """One price in the provider's own words; nothing is divided, converted or guessed.

    `amount` is in major units of `currency` per `unit` (a page in cents or nanos is scaled to the major
    unit by its parser, because that is what the page means). For reserved terms with an upfront part,
    `amount` is the running part in `unit` and `upfront` the one-time fee of the whole instance; beside a price
    without commitment `upfront` is a fee to set it up, due once and no part of the price.
    """

    sku: str  # the provider's name for what is rented; instance type, plan, or GPU name
    gpu: str  # GPU name as printed, or the text that stands for it (instance type, plan code)
    gpu_count: Decimal  # GPUs in the instance; fractions of a card are real products
    amount: Decimal
    unit: Unit
    pricing: Pricing
    currency: str = "USD"
    region: str = ""  # the provider's own region text; empty when the page names none
    gpu_memory_gb: Decimal | None = None  # per GPU, as stated, in GB (MiB already divided by 1024)
    vcpus: Decimal | None = None
    memory_gb: Decimal | None = None  # host memory of the instance
    term_months: int | None = None  # reserved, savings_plan: length of the commitment
    upfront: Decimal | None = None  # one-time fee for the whole instance, same currency
    hours_per_month: Decimal | None = None  # where the provider's month is not 730 hours
    tier: str = ""  # secure, community, verified, cluster, all_upfront, slice, bid_floor, ...
    available: bool | None = None  # None: the page does not say
    quantity: int | None = None  # how many instances are free, where said
    minimum_gpus: int | None = None  # smallest purchase
    minimum_hours: Decimal | None = None  # shortest rental; paid to its end, used or not
    offered_until: date | None = None  # last whole day on which it can be had: a host's offer ends then
    fabric: Fabric | None = None  # can instances be joined for one training run; None: not said
    cluster_gpus: int | None = None  # largest joined cluster the page states
    effective_from: datetime | date | None = None  # a future date is an announcement, not a price
    broker_of: str = ""  # a broker's row: the provider that really runs the machine
    machine: str = ""  # a marketplace's machine, hashed: offers of one machine are not several machines
    page_sha256: str = ""  # set it when a look has several pages; default: the book's first page


@dataclass(frozen=True, slots=True)
class Offer:
    """A quote understood: canonical GPU, USD per hour and per GPU-hour, beside the list price kept as printed."""

    offer_key: str  # stable identity: provider, sku, gpu, count, region, pricing, term, tier, upfront kind
    provider: str
    book: str  # the part of the provider's price list it stands in; looked at as one piece
    sku: str
    region: str
    country: str | None  # ISO 3166 alpha-2
    gpu: str  # slug of models/gpus.csv
    gpu_family: str
    form_factor: str | None
    gpu_memory_gb: Decimal | None  # per GPU, nominal; of a slice that of the whole card
    gpu_count: Decimal
    vcpus: Decimal | None
    memory_gb: Decimal | None
    pricing: Pricing
    term_months: int | None
    tier: str
    list_price: Decimal  # amount as printed
    upfront: Decimal | None
    currency: str
    unit: Unit
    usd_per_hour: Decimal  # whole instance
    usd_per_gpu_hour: Decimal
    fx_rate: Decimal  # USD per unit of currency, 1 for USD
    fx_date: date | None
    available: bool | None
    quantity: int | None
    minimum_gpus: int | None
    fabric: Fabric | None
    cluster_gpus: int | None
    effective_from: date | None
    minimum_hours: Decimal | None  # shortest rental
    offered_until: date | None  # last whole day on which it can be had
    broker_of: str
    machine: str
    gpu_text: str  # as printed
    observed_at: datetime  # UTC: when the page was looked at
    origin: Literal["live", "recorded"]
    page_sha256: str


@dataclass(frozen=True, slots=True)
class Rejected:
    """A row that is not a price we can stand behind: kept with its reason, never dropped silently."""

    provider: str
    book: str
    observed_at: datetime
    reason: str  # a code: unknown_gpu, not_a_price, out_of_bounds, future_price, duplicate, ...
    detail: str  # one line for people
    sku: str
    region: str
    gpu_text: str
    amount: Decimal | None
    currency: str
    unit: str
    pricing: str
    page_sha256: str


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A row that a parser could not read as a quote: what it says, and why it is not a price."""

    reason: str
    detail: str
    sku: str = ""
    gpu: str = ""
    region: str = ""
    page_sha256: str = ""


@dataclass(frozen=True, slots=True)
class Witness:
    """What somebody else says that a provider charges: set beside our offers, never one of them."""

    of: str  # whose price it is, by our name of the provider
    says: Quote  # in the witness's own words
    as_of: datetime | None = None  # when the witness read it, UTC; None where it does not say

    @property
    def page_sha256(self) -> str:
        return self.says.page_sha256


@dataclass(frozen=True, slots=True)
class CurrencyRate:
    """A reference rate of one day: how many units of `currency` one euro bought."""

    on: date
    currency: str
    per_eur: Decimal
    page_sha256: str = ""
