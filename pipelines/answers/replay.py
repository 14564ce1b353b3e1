"""The cost of a run along time: on past days from the prices of the ledger, in the years to come from their trend."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Any

from models.costs.past import RunThen, effects, run_then
from models.costs.trends import (
    Trend,
    algorithmic_trend,
    independent_product,
    later_days,
    price_trend,
    project,
    years_between,
)
from models.llms import Llm
from models.training.estimate import Range
from models.training.requirement import requirement
from pipelines.answers import READ_FROM, NothingFits
from pipelines.answers.one_run import RentedRun, best_plan, on_offer
from pipelines.answers.prices import hour_price, price_indices, rental_offers
from warehouse.database import rows

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


def yearly_days(ledger: DuckDBPyConnection, today: date) -> tuple[date, ...]:
    """The last day of each year that the ledger knows a price of, and today."""
    found = rows(ledger, "SELECT DISTINCT year(valid_from) AS year FROM price_history ORDER BY year")
    return (*(day for row in found if (day := date(row["year"], 12, 31)) < today), today)


def replay(
    ledger: DuckDBPyConnection,
    llm: Llm,
    days: Sequence[date],
    today: date,
    gpu: str | None = None,
    provider: str | None = None,
    pricings: Sequence[str] = ("on_demand",),
    countries: Sequence[str] | None = None,
) -> list[dict[str, Any]]:
    """What the final run of `llm` would have cost on each day, and the factors from then to the last look.

    `compute_usd` is the run as it is, without experiments; `compute_usd_same_capability` the compute that reached the
    same before algorithms got better. An offer that ended before a day is not to be had on it, today neither. A day
    without a feasible offer has a row that says so; where today is one, no row has factors. NothingFits where today and
    all of the days are.
    """
    if any(day > today for day in days):
        raise ValueError(f"{max(days)} is not past; `gpuledger project` looks ahead")
    asked: dict[str, Any] = {"provider": provider, "pricings": pricings, "countries": countries}
    now = _best(ledger, llm, today, today, gpu, asked)
    algorithm = algorithmic_trend().per_year.mid
    found = []
    for day in sorted(days):
        then = _best(ledger, llm, day, today, gpu, asked)
        if then is None:
            found.append(dict.fromkeys(_COLUMNS) | {"day": day, "note": "no feasible offer is known of that day"})
            continue
        rented, run = then
        offer, taken = rented.rent.offer, rented.commitment()
        assert offer is not None
        years = years_between(day, today)
        same = replace(run, flop=run.flop / algorithm**years)
        change, note = None, "nothing is known to be rented for it today: there are no factors"
        if now is not None:
            note, still = "", _best(ledger, llm, today, today, run.gpu, asked)
            if still is None:
                note = f"{run.gpu} is no longer rented for it: all of the change is hardware"
            change = effects(same, now[1], run.usd_per_gpu_hour if still is None else still[1].usd_per_gpu_hour)
        found.append(
            {
                "day": day,
                "provider": offer.provider,
                "sku": offer.sku,
                "region": offer.region,
                "seen": offer.observed_at and offer.observed_at.date(),
                "gpu": run.gpu,
                "usd_per_gpu_hour": float(run.usd_per_gpu_hour),
                "gpu_hours": run.gpu_hours,
                "gpus": rented.gpus,
                "wall_days": rented.wall_days.mid,
                "compute_usd": run.usd,
                "commitment_usd": taken and taken[0],
                "compute_usd_same_capability": same.usd,
                "price": change and change.price,
                "hardware": change and change.hardware,
                "algorithm": change and change.algorithm,
                "all": change and change.total,
                "note": note,
            }
            | {name: getattr(offer, name) for name in READ_FROM}
        )
    if now is None and all(row["provider"] is None for row in found):
        raise NothingFits(f"no feasible offer for {llm.llm} is known of any of these days; see `gpuledger plan`")
    return found


_COLUMNS = (
    "day", "provider", "sku", "region", "seen", "gpu", "usd_per_gpu_hour", "gpu_hours", "gpus", "wall_days",
    "compute_usd", "commitment_usd", "compute_usd_same_capability", "price", "hardware", "algorithm", "all",
    "note", *READ_FROM,
)  # fmt: skip


def projection(
    ledger: DuckDBPyConnection,
    llm: Llm,
    run: RentedRun,
    provider: str | None,
    today: date,
    years: int,
    same_capability: bool = False,
) -> list[dict[str, Any]]:
    """The price of a GPU and the cost of a run on it: on the day of its last look, and in each year from `today`.

    The cost holds the spread of the hours beside that of the price: the two are independent.
    """
    series, chip, rent = price_indices(ledger, provider=provider), run.chip, run.rent
    trend = price_trend(series.get(chip.gpu, []), series.get(chip.gpu_family, []))
    basis = requirement(llm, chip, gpus=run.gpus, gpu_memory_gb=rent.offer.gpu_memory_gb if rent.offer else None).basis
    offer, usd = rent.offer, float(rent.usd_per_gpu_hour)
    seen = offer.observed_at.date() if offer and offer.observed_at else today
    dates = [seen, *later_days(today, years)]
    rents = project(usd, seen, dates, trend)
    costs = project(usd, seen, dates, _with_algorithms(trend)) if same_capability else rents
    algorithms = "; compute for the same capability halves every 8 months" if same_capability else ""
    return [
        {
            "day": price.on,
            "llm": llm.llm,
            "gpu": chip.gpu,
            **_low_mid_high("usd_per_gpu_hour", price.value),
            **_low_mid_high("compute_usd", independent_product(cost.value, run.gpu_hours)),
            "basis": f"{trend.basis}{algorithms}; hours: {basis}",
            **run.columns(),
        }
        for price, cost in zip(rents, costs, strict=True)
    ]


def _best(
    ledger: DuckDBPyConnection,
    llm: Llm,
    day: date,
    today: date,
    gpu: str | None,
    asked: Mapping[str, Any],
) -> tuple[RentedRun, RunThen] | None:
    """The run on a day and its cluster, where it costs least: a term paid whole, sold out ones last; None without.

    `asked` is what else pipelines.answers.prices.rental_offers is asked for.
    """
    offers = rental_offers(ledger, gpu=gpu, on=None if day == today else day, **asked)
    best = best_plan(llm, offers)
    if best is None:
        return None
    run = on_offer(best, hour_price(best.offer))
    need = requirement(llm, run.chip, gpus=run.gpus, gpu_memory_gb=best.offer.gpu_memory_gb)
    goodput = need.gpu_hours_p50 / run.gpu_hours.mid
    return run, run_then(need, day, best.offer.usd_per_gpu_hour, goodput)


def _with_algorithms(trend: Trend) -> Trend:
    """The trend of a cost whose compute shrinks as well: the rates multiply, low with low."""
    gain = algorithmic_trend().per_year
    rate = trend.per_year
    low, mid, high = sorted((rate.low * gain.low, rate.mid * gain.mid, rate.high * gain.high))
    return replace(trend, per_year=Range(low, mid, high))


def _low_mid_high(name: str, value: Range) -> dict[str, float]:
    return {f"{name}_low": value.low, f"{name}_mid": value.mid, f"{name}_high": value.high}
