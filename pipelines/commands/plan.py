"""`gpuledger plan`: where a model can be trained within what is wished, and why not elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from pipelines.answers import READ_FROM
from pipelines.commands.inputs import Count, Experiments, Model, Money, Name, Names, Number, Whole
from pipelines.commands.naming import (
    chip_named,
    countries_named,
    model_named,
    offer_name,
    read_on,
    say_removed,
    say_unplaced,
    with_day_of_prices,
)
from pipelines.commands.options import DAYS, PROVIDER_KINDS, country_option, pricing_option, provider_option
from pipelines.commands.printing import format_option, print_rows, short, shown_days
from pipelines.home import home

if TYPE_CHECKING:
    from models.costs.plan import Plan

PLAN_COLUMNS = (
    "llm", "feasible", "why_not", "provider", "provider_kind", "gpu", "pricing", "term_months", "minimum_hours",
    "offered_until", "sku", "region", "country", "gpus", "assumption", "gpu_hours", "wall_days", "wall_days_high",
    "list_price", "currency", "unit",
    "usd_per_gpu_hour", "setup_usd", "total_usd_low", "total_usd_mid", "total_usd_high", "bill", "on_time",
    "risk_late", "risk_over_budget", "notes", *READ_FROM,
)  # fmt: skip


@click.command()
@click.argument("llm", type=Model())
@click.option("--tokens", type=Count(), help="Training tokens; default: those of the model.")
@click.option(
    "--deadline-days",
    type=DAYS,
    help="Days the run may take, at most 270 (later runs outrun longer ones). Default: sized for 90, at most 270.",
)
@click.option(
    "--sure",
    type=Number(50, 99.9, what="how sure"),
    default=90,
    show_default=True,
    help="Percent of runs, at least, that are to be done by the deadline; 50: half of them.",
)
@click.option("--budget", type=Money(least="1", what="a budget"), help="USD for everything in the bill.")
@country_option
@pricing_option(default=None)
@click.option("--provider-kinds", type=Names(PROVIDER_KINDS), help="hyperscaler,gpu_cloud,marketplace,...")
@provider_option
@click.option("--gpu", type=Name(), help="One GPU, or all that a name leaves open (A100, A100 80GB).")
@click.option("--experiments", type=Experiments(), help="lean, usual, first_time, exploratory or a multiplier.")
@click.option(
    "--monthly-interruption",
    type=Number(0, 1, max_open=True, what="a share of nodes"),
    help="Share of spot nodes reclaimed a month.",
)
@click.option("--rest-of-term-used", is_flag=True, help="The idle rest of a commitment serves something else.")
@click.option("--every-offer", is_flag=True, help="Every offer, not the best of each provider, GPU and kind of price.")
@click.option("--limit", type=Whole(1), help="Print only so many feasible and so many infeasible plans.")
@format_option
def plan(
    llm: str,
    tokens: int | None,
    provider: str | None,
    gpu: str | None,
    every_offer: bool,
    limit: int | None,
    style: str,
    **wished: Any,
) -> None:
    """Where to train LLM within a budget, a deadline, countries.

    Feasible plans by their whole cost, with days and risk; the others with the reason.

    Memory, the largest cluster, stock and the deadline are checked before the price. The bill holds experiments,
    checkpoints, the weights that leave and fees to set up; a commitment is paid to its end.

    A plan is feasible if nine runs of ten would be done by the deadline (--sure), by the spread of published runs;
    without a deadline, if the median is done within nine months. Each row has its chance to be on time, the day its
    price was read, and what it takes for granted where nobody states how many GPUs can be joined.
    """
    from models.costs.plan import plans
    from models.costs.wishes import UNPLACED, Wishes, not_asked_for
    from models.gpus import gpus
    from models.quantities import counted
    from pipelines.answers.prices import one_each, rental_offers
    from warehouse.database import opened_to_read

    model = model_named(llm, tokens)
    with opened_to_read(home().ledger) as ledger:
        countries = countries_named(ledger, wished["country"])
        offers = rental_offers(ledger, gpu=gpu and chip_named(gpu).gpu, provider=provider)
        say_removed(ledger, {offer.provider for offer in offers})
    wishes = Wishes(
        budget_usd=None if wished["budget"] is None else float(wished["budget"]),
        deadline_days=wished["deadline_days"],
        sure=wished["sure"] / 100,
        countries=None if countries is None else tuple(countries),
        pricings=wished["kinds"],
        provider_kinds=wished["provider_kinds"],
        experiments=wished["experiments"],
        rest_of_term_used=wished["rest_of_term_used"],
        monthly_interruption=wished["monthly_interruption"],
    )
    sorted_plans = plans(model, offers, gpus(), wishes)
    asked = [_plan_row(one) for one in sorted_plans if not_asked_for(one.offer, wishes) is None]
    found = [_plan_row(one) for one in sorted_plans]
    say_unplaced([row["provider"] for row in found if row["why_not"] == UNPLACED])
    if not every_offer:
        asked, found = (
            one_each(rows, "feasible", "provider", "gpu", "pricing", "term_months") for rows in (asked, found)
        )
    if style == "table":
        limit = limit or 15
    shown = [[row for row in found if row["feasible"] is sort][:limit] for sort in (True, False)]
    if style != "table" or not found:
        print_rows([*shown[0], *shown[1]], style, columns=PLAN_COLUMNS, empty="no offer there to plan with")
        return
    count = sum(row["feasible"] for row in found)
    title = (
        f"{model.llm} on {short(model.tokens)} tokens: {count:,} of {counted(len(asked), 'plan')} asked for feasible"
    )
    if wishes.deadline_days is not None:
        title += f", done within {counted(wishes.deadline_days, 'day')} in {wished['sure']:g} runs of 100 at least"
    title = with_day_of_prices(title, [*shown[0], *shown[1]])
    print_rows(
        [_plan_line(row) for row in shown[0]], style, title=title, empty="no plan is feasible",
        notes=("notes",), spare=("read", "P10 to P90", "USD/GPU-h", "on time", "offer", "price"),
    )  # fmt: skip
    print_rows(
        [_not_line(row) for row in shown[1]], style, title="\nNot feasible", empty="every plan is feasible",
        notes=("why not",), spare=("read", "on time", "USD/GPU-h", "offer"),
    )  # fmt: skip


def _plan_row(one: Plan) -> dict[str, Any]:
    offer, total, hours, days = one.offer, one.total_usd, one.gpu_hours, one.wall_days
    return {
        "llm": one.llm,
        "feasible": one.feasible,
        "why_not": one.why_not,
        "provider": offer.provider,
        "provider_kind": offer.provider_kind,
        "gpu": offer.gpu,
        "pricing": offer.pricing,
        "term_months": offer.term_months,
        "minimum_hours": offer.minimum_hours,
        "offered_until": offer.offered_until,
        "sku": offer.sku,
        "region": offer.region,
        "country": offer.country,
        "gpus": one.gpus,
        "assumption": one.assumption,
        "gpu_hours": hours and hours.mid,
        "wall_days": days and days.mid,
        "wall_days_high": days and days.high,
        "list_price": offer.list_price,
        "currency": offer.currency,
        "unit": offer.unit,
        "usd_per_gpu_hour": one.usd_per_gpu_hour,
        "setup_usd": offer.setup_usd,
        "total_usd_low": total and total.low,
        "total_usd_mid": total and total.mid,
        "total_usd_high": total and total.high,
        "bill": "; ".join(f"{term.name} {term.usd.mid:,.0f}" for term in one.bill.terms) if one.bill else None,
        "on_time": None if one.risk_late is None else 1 - one.risk_late,
        "risk_late": one.risk_late,
        "risk_over_budget": one.risk_over_budget,
        "notes": "; ".join(one.notes),
    } | {name: getattr(offer, name) for name in READ_FROM}


def _plan_line(row: dict[str, Any]) -> dict[str, Any]:
    term = f" {row['term_months']} mo" if row["term_months"] else ""
    line = {
        "provider": row["provider"],
        "price": row["pricing"] + term,
        "GPUs": f"{row['gpus']:,} x {row['gpu']}",
        "offer": offer_name(row),
        "USD/GPU-h": row["usd_per_gpu_hour"],
        "read": read_on(row),
        "days": shown_days(row["wall_days"]),
        "total USD": short(row["total_usd_mid"]),
        "P10 to P90": f"{short(row['total_usd_low'])} to {short(row['total_usd_high'])}",
        "on time": f"{row['on_time']:.0%}",
    }
    if row["risk_over_budget"] is not None:
        line["over budget"] = f"{row['risk_over_budget']:.0%}"
    assumed = row["assumption"] and f"assumes {row['assumption']}"
    return line | {"notes": "; ".join(part for part in (row["notes"], assumed) if part)}


def _not_line(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "provider": row["provider"],
        "price": row["pricing"],
        "GPU": row["gpu"],
        "offer": offer_name(row),
        "USD/GPU-h": row["usd_per_gpu_hour"],
        "read": read_on(row),
        "on time": "" if row["on_time"] is None else f"{row['on_time']:.0%}",
        "why not": row["why_not"],
    }
