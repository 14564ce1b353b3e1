"""What a plan has to keep to: budget, deadline, countries, kinds of price. Whether it does is models.costs.plan."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from models.constants import constant
from models.costs.bill import Experiments
from models.training.clusters import RentalOffer

UNPLACED = "it stands in an unknown country"


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the plan has to keep to; None where it does not matter."""

    budget_usd: float | None = None
    deadline_days: float | None = None
    sure: float = 0.9  # chance at least to be done by the deadline
    countries: Collection[str] | None = None  # ISO 3166 alpha-2
    pricings: Collection[str] | None = None  # on_demand, spot, reserved, ...
    provider_kinds: Collection[str] | None = None  # hyperscaler, gpu_cloud, marketplace, ...
    experiments: Experiments | float | None = None
    rest_of_term_used: bool = False  # a commitment's idle rest serves something else
    monthly_interruption: float | None = None  # of one spot node; None: 10%
    gpus: int | None = None  # the cluster, in whole instances; None: what memory and time ask for


def refuse_impossible(wishes: Wishes) -> None:
    """Raises ValueError for a budget, a deadline or a chance that no plan can be made for."""
    if wishes.deadline_days is not None and wishes.deadline_days <= 0:
        raise ValueError(f"the deadline must be a positive number of days, not {wishes.deadline_days:g}")
    longest, days = constant("longest_run_days"), wishes.deadline_days or 0.0
    if days > longest:
        raise ValueError(f"the deadline must be at most {longest:g} days, not {days:g}: later runs outrun longer")
    if not 0.5 <= wishes.sure < 1:
        raise ValueError(f"how sure the deadline is must be a share from 0.5 to below 1, not {wishes.sure:g}")
    if wishes.budget_usd is not None and wishes.budget_usd <= 0:
        raise ValueError(f"the budget must be positive, not {wishes.budget_usd:g}")


def not_asked_for(offer: RentalOffer, wishes: Wishes) -> str | None:
    """Why an offer is not of the kinds or countries wished for; None where it is."""
    if wishes.pricings is not None and offer.pricing not in wishes.pricings:
        return f"{offer.pricing} is not among the kinds allowed"
    if wishes.provider_kinds is not None and offer.provider_kind not in wishes.provider_kinds:
        return f"a {offer.provider_kind or 'provider of unknown kind'} is not among the kinds allowed"
    if wishes.countries is not None and offer.country not in wishes.countries:
        return f"it stands in {offer.country}" if offer.country else UNPLACED
    return None
