"""One run and what it is rented on: offer, price, GPUs, hours and days, as `gpuledger plan` sizes them.

Every command that prices a run asks here, so that the hours of one cluster are never priced at another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from typing import Any

from models.costs.plan import Need, Plan, Wishes, plans
from models.costs.run_bill import paid_hours
from models.gpu_table import Gpu
from models.gpus import gpus
from models.llms import Llm
from models.quantities import counted
from models.training.clusters import RentalOffer
from models.training.estimate import Range
from models.training.requirement import HOURS_PER_DAY, requirement
from pipelines.answers import NothingFits
from pipelines.answers.prices import HourPrice, hour_price, rental_offers
from pipelines.home import home
from warehouse.database import opened_to_read


@dataclass(frozen=True, slots=True)
class RentedRun:
    """A run on the cluster that is paid for. `chip` is that of the offer, where a family was asked for."""

    rent: HourPrice
    chip: Gpu
    gpus: int
    gpu_hours: Range
    wall_days: Range

    @property
    def line(self) -> str:
        """For people, in two lines: what the price rests on, and the cluster with its days."""
        days = self.wall_days
        spread = "" if days.low == days.high else f" ({days.low:,.0f} to {days.high:,.0f})"
        return f"{self.rent.line}\n{self.gpus:,} x {self.chip.gpu} for {counted(days.mid, 'day')}{spread}"

    def commitment(self) -> tuple[float, str] | None:
        """USD of the terms that have to be taken for this run, and how many they are; None without a term."""
        offer = self.rent.offer
        if offer is None or not offer.term_months:
            return None
        paid, _, (told,) = paid_hours(offer, self.gpu_hours, self.gpus, self.wall_days.mid, 1.0)
        return paid.mid * float(offer.usd_per_gpu_hour), told

    def columns(self) -> dict[str, Any]:
        """The columns that say what a row's price and days rest on."""
        return {"gpus": self.gpus, "wall_days": self.wall_days.mid} | self.rent.columns()

    def days_of(self, gpu_hours: float) -> float:
        """Days that other hours take on the same cluster."""
        return gpu_hours / self.gpus / HOURS_PER_DAY


def rented_run(
    llm: Llm,
    chip: Gpu,
    price: Decimal | None = None,
    *,
    provider: str | None = None,
    pricing: str = "on_demand",
    gpus: int | None = None,
    on: date | None = None,
    need: Need = requirement,
) -> RentedRun:
    """The run on the cheapest offer of `chip` that can do it, sold out ones last; at `price` on a cluster of its own.

    `gpus` are to be joined there, `on` a past day whose prices count, `need` what the run takes (of several phases,
    say). NothingFits with the reason where no offer can, or the GPUs given cannot hold the model.
    """
    if price is not None:
        return sized(llm, chip, HourPrice(price), gpus, need)
    with opened_to_read(home().ledger) as ledger:
        offers = rental_offers(ledger, gpu=chip.gpu, provider=provider, pricings=[pricing], on=on)
        best = best_plan(llm, offers, gpus, need)
        if best is None:
            asked = f"{chip.gpu}{f' at {provider}' if provider else ''}{f' as of {on}' if on else ''}"
            raise NothingFits(f"no {pricing} offer of {asked} can train {llm.llm}: {_why_not(llm, offers, gpus, need)}")
        return _on_offer(best, hour_price(ledger, best.offer))


def best_plan(
    llm: Llm, offers: Sequence[RentalOffer], cluster: int | None = None, need: Need = requirement
) -> Plan | None:
    """The cheapest feasible plan, the rest of a term used; of sold out offers only where nothing else can do it.

    None where none can.
    """
    wishes, as_told = Wishes(rest_of_term_used=True, gpus=cluster), {offer.offer_key: offer for offer in offers}
    stocked = [replace(offer, available=None, quantity=None) for offer in offers]
    for among in (offers, stocked):
        best = next(iter(plans(llm, among, gpus(), wishes, need)), None)
        if best is not None and best.feasible:
            return replace(best, offer=as_told[best.offer.offer_key])
    return None


def _on_offer(best: Plan, rent: HourPrice) -> RentedRun:
    if best.gpus is None or best.gpu_hours is None or best.wall_days is None:
        raise ValueError(f"a feasible plan of {best.offer.offer_key} has no cluster")
    return RentedRun(rent, gpus()[best.offer.gpu], best.gpus, best.gpu_hours, best.wall_days)


def sized(llm: Llm, chip: Gpu, rent: HourPrice, cluster: int | None = None, need: Need = requirement) -> RentedRun:
    """The run on a cluster of no offer: what memory and 90 days ask for, or `cluster`, which has to hold the model."""
    found = need(llm, chip, gpus=cluster)
    if found.gpus < found.min_gpus:
        raise NothingFits(f"memory needs {counted(found.min_gpus, 'GPU')}; {found.gpus:,} are asked for")
    hours = Range(found.gpu_hours_p10, found.gpu_hours_p50, found.gpu_hours_p90)
    days = Range(*(one / found.gpus / HOURS_PER_DAY for one in (hours.low, hours.mid, hours.high)))
    return RentedRun(rent, chip, found.gpus, hours, days)


def _why_not(llm: Llm, offers: Sequence[RentalOffer], cluster: int | None, need: Need) -> str:
    """Why the offer that comes nearest cannot."""
    nearest = next(iter(plans(llm, offers, gpus(), Wishes(rest_of_term_used=True, gpus=cluster), need)), None)
    return "there is none" if nearest is None else f"nearest is {nearest.offer.provider}, {nearest.why_not}"
