"""One run and what it is rented on: offer, price, GPUs, hours and days, as `gpuledger plan` sizes them.

Every command that prices a run asks here, so that the hours of one cluster are never priced at another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from functools import partial
from typing import Any

from models.costs.bill import Experiments
from models.costs.plan import Need, Plan, plans
from models.costs.run_bill import commitment, paid_hours
from models.costs.wishes import Wishes
from models.gpu_table import Gpu
from models.gpus import gpus
from models.llms import Llm
from models.quantities import counted
from models.training.clusters import RentalOffer, cluster, memory_gb, too_long
from models.training.estimate import Estimate, Range, custom_llm, estimate, interrupted, with_setup
from models.training.requirement import HOURS_PER_DAY, Requirement, requirement
from pipelines.answers import NothingFits
from pipelines.answers.instances import fees_usd
from pipelines.answers.prices import HourPrice, hour_price, rental_offers
from pipelines.home import home
from warehouse.database import opened_to_read

RENTED = Wishes(sure=0.5)  # a deadline is that of the median run


@dataclass(frozen=True, slots=True)
class RentedRun:
    """A run on the cluster that is paid for. `chip` is that of the offer, where a family was asked for."""

    rent: HourPrice
    chip: Gpu
    gpus: int
    gpu_hours: Range
    wall_days: Range
    experiments: Experiments | float | None = None

    @property
    def line(self) -> str:
        """For people, in lines: what the price rests on, the cluster with its days, and what has to be taken there."""
        days = self.wall_days
        spread = "" if days.low == days.high else f" ({days.low:,.0f} to {days.high:,.0f})"
        taken = self.commitment()
        least = "" if taken is None else f"\n{taken[1]}: {taken[0]:,.0f} USD, for the run and its experiments"
        return f"{self.rent.line}\n{self.gpus:,} x {self.chip.gpu} for {counted(days.mid, 'day')}{spread}{least}"

    def commitment(self) -> tuple[float, str] | None:
        """USD of the terms to be taken for this run with its experiments, and how many they are; None without one."""
        offer = self.rent.offer
        return None if offer is None else commitment(offer, self.gpus, self.wall_days.mid, self.experiments)

    def columns(self) -> dict[str, Any]:
        """The columns that say what a row's price and days rest on."""
        return {"gpus": self.gpus, "wall_days": self.wall_days.mid} | self.rent.columns()

    def days_of(self, gpu_hours: float) -> float:
        """Days that other hours take on the same cluster."""
        return gpu_hours / self.gpus / HOURS_PER_DAY

    def why_not(self, gpu_hours: float, min_gpus: int) -> str | None:
        """Why other hours, or a model of more memory, cannot be done on the same cluster; None where they can."""
        if min_gpus > self.gpus:
            return f"memory needs {counted(min_gpus, 'GPU')}"
        return too_long(self.days_of(gpu_hours), self.gpus)


def rented_run(
    llm: Llm,
    chip: Gpu,
    price: Decimal | None = None,
    *,
    provider: str | None = None,
    pricings: Sequence[str] = ("on_demand",),
    countries: Sequence[str] | None = None,
    experiments: Experiments | float | None = None,
    offer_key: str | None = None,
    gpus: int | None = None,
    on: date | None = None,
    need: Need = requirement,
) -> RentedRun:
    """The run on the cheapest offer of `chip` that can do it, sold out ones last; at `price` on a cluster of its own.

    `experiments` are done there too. `offer_key` asks for one offer of today, `gpus` are to be joined there, `on` a
    past day whose prices count, `need` what the run takes (of several phases, say). NothingFits with the reason where
    no offer can, or the GPUs given cannot hold the model.
    """
    if price is not None:
        return sized(llm, chip, HourPrice(price), gpus, need)
    with opened_to_read(home().ledger) as ledger:
        if offer_key:
            offers = rental_offers(ledger, offer_key=offer_key)
        else:
            sellers: dict[str, Any] = {"provider": provider, "pricings": pricings, "countries": countries}
            offers = rental_offers(ledger, gpu=chip.gpu, on=on, **sellers)
        wishes = replace(RENTED, gpus=gpus, experiments=experiments)
        best = best_plan(llm, offers, wishes, need)
        if best is None:
            at = f" at {provider}" if provider else ""
            within = f" in {', '.join(countries) if len(countries) < 4 else 'those countries'}" if countries else ""
            asked = f"{chip.gpu}{at}{within}{f' as of {on}' if on else ''}"
            sought = f"offer with the key {offer_key}" if offer_key else f"{' or '.join(pricings)} offer of {asked}"
            raise NothingFits(f"no {sought} can train {llm.llm}: {_why_not(llm, offers, wishes, need)}")
        return replace(on_offer(best, hour_price(best.offer)), experiments=experiments)


def best_plan(
    llm: Llm, offers: Sequence[RentalOffer], wishes: Wishes = RENTED, need: Need = requirement
) -> Plan | None:
    """The cheapest feasible plan; of sold out offers only where nothing else can do it. None where none can."""
    as_told = {offer.offer_key: offer for offer in offers}
    stocked = [replace(offer, available=None, quantity=None) for offer in offers]
    for among in (offers, stocked):
        best = _nearest(llm, among, wishes, need)
        if best is not None and best.feasible:
            return replace(best, offer=as_told[best.offer.offer_key])
    return None


def estimate_on(offers: Sequence[RentalOffer], asked: dict[str, Any]) -> tuple[RentalOffer, Estimate, str | None]:
    """The run on the offer that every command takes; where none can do it on the nearest, and why not.

    `asked` are the options of models.training.estimate.estimate beside the GPU and its price.
    """
    model = ("params", "active_params", "tokens", "layers", "width", "seq_len", "attention_width")
    llm = custom_llm(**{name: asked.get(name) for name in model})  # type: ignore[arg-type]
    need: Need = partial(
        requirement, **{name: asked[name] for name in ("precision", "attention", "utilisation", "peak_tflops")}
    )
    wishes = replace(
        RENTED, gpus=asked["gpus"], deadline_days=asked["deadline_days"], experiments=asked.get("overhead")
    )
    plan = best_plan(llm, offers, wishes, need) or _nearest(llm, offers, wishes, need)
    if plan is None:
        raise NothingFits("there is no offer to train on")
    offer, chip = plan.offer, gpus()[plan.offer.gpu]
    together = plan.gpus or asked["gpus"] or _joined(offer, need(llm, chip))
    held = {"gpus": together, "gpu_memory_gb": memory_gb(offer, chip, gpus())}
    result = estimate(**{**asked, **held, "gpu": chip, "price": offer.usd_per_gpu_hour})
    result = with_setup(result, fees_usd(offer, result.gpus))
    if plan.gpu_hours is None or plan.wall_days is None:
        return offer, result, plan.why_not
    if offer.pricing == "spot":
        result = interrupted(result, plan.gpu_hours, plan.wall_days)
    taken = commitment(offer, result.gpus, result.wall_days.mid, wishes.experiments) if plan.feasible else None
    told = plan.notes if taken is None else (f"{taken[1]}: {taken[0]:,.0f} USD",)
    if taken is not None:
        hours, days = result.gpu_hours, result.wall_days.mid
        paid, _, _ = paid_hours(offer, hours, result.gpus, days, wishes.experiments)  # its experiments are in it
        usd = paid.times(float(offer.usd_per_gpu_hour))
        due = Range(*(one + result.setup_usd for one in (usd.low, usd.mid, usd.high)))
        result = replace(result, commitment_usd=taken[0], commitment=taken[1], due_usd=due)
    assumed = (f"assumes {plan.assumption}",) if plan.assumption else ()
    return offer, replace(result, notes=(*result.notes, *told, *assumed)), plan.why_not


def _joined(offer: RentalOffer, need: Requirement) -> int | None:
    """As many of the GPUs that a run needs as this offer joins; None of a part of a card."""
    return cluster(offer, need.gpus, need.gpus_per_node).gpus if offer.gpu_count >= 1 else None


def on_offer(best: Plan, rent: HourPrice) -> RentedRun:
    """The run of a feasible plan."""
    if best.gpus is None or best.gpu_hours is None or best.wall_days is None:
        raise ValueError(f"a feasible plan of {best.offer.offer_key} has no cluster")
    return RentedRun(rent, gpus()[best.offer.gpu], best.gpus, best.gpu_hours, best.wall_days)


def sized(llm: Llm, chip: Gpu, rent: HourPrice, cluster: int | None = None, need: Need = requirement) -> RentedRun:
    """The run on a cluster of no offer: what memory and 90 days ask for, or `cluster`.

    NothingFits where it does not hold the model, or would take longer than the longest run.
    """
    found = need(llm, chip, gpus=cluster)
    if found.gpus < found.min_gpus:
        raise NothingFits(f"memory needs {counted(found.min_gpus, 'GPU')}; {found.gpus:,} are asked for")
    hours = Range(found.gpu_hours_p10, found.gpu_hours_p50, found.gpu_hours_p90)
    days = Range(*(one / found.gpus / HOURS_PER_DAY for one in (hours.low, hours.mid, hours.high)))
    if long := too_long(days.mid, found.gpus):
        raise NothingFits(f"{llm.llm} {long}")
    return RentedRun(rent, chip, found.gpus, hours, days)


def _why_not(llm: Llm, offers: Sequence[RentalOffer], wishes: Wishes, need: Need) -> str:
    """Why the offer that comes nearest cannot."""
    nearest = _nearest(llm, offers, wishes, need)
    return "there is none" if nearest is None else f"nearest is {nearest.offer.provider}, {nearest.why_not}"


def _nearest(llm: Llm, offers: Sequence[RentalOffer], wishes: Wishes, need: Need) -> Plan | None:
    """The first of the plans, whether or not it can be done; None where there are no offers."""
    return next(iter(plans(llm, offers, gpus(), wishes, need)), None)
