"""`gpuledger plan`: where a model can be trained within what is wished, and why not elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from pipelines.commands.inputs import (
    KINDS,
    PROVIDER_KINDS,
    Count,
    Experiments,
    Model,
    Money,
    Names,
    Number,
    chip_named,
    country_named,
    model_named,
    provider_option,
)
from pipelines.home import home
from pipelines.printing import format_option, print_rows, short

if TYPE_CHECKING:
    from models.costs.plan import Plan

PLAN_COLUMNS = (
    "llm", "feasible", "why_not", "provider", "provider_kind", "gpu", "pricing", "term_months", "sku", "region",
    "country", "gpus", "gpu_hours", "wall_days", "wall_days_high", "usd_per_gpu_hour", "total_usd_low",
    "total_usd_mid", "total_usd_high", "bill", "risk_late", "risk_over_budget", "notes", "offer_key", "page_sha256",
)  # fmt: skip


@click.command()
@click.argument("llm", type=Model())
@click.option("--tokens", type=Count(), help="Training tokens; default: those of the model.")
@click.option(
    "--deadline-days",
    type=Number(0.01, 270, what="a deadline in days"),
    help="Days the run may take; default: sized for 90, where fewer GPUs can be had at most nine months.",
)
@click.option("--budget", type=Money(least="1", what="a budget"), help="USD for everything in the bill.")
@click.option("--country", type=Names(upper=True), help="ISO 3166 codes the GPUs may stand in: US,NO.")
@click.option("--kinds", type=Names(KINDS), help="Kinds of price allowed: on_demand,spot,reserved,...")
@click.option("--provider-kinds", type=Names(PROVIDER_KINDS), help="hyperscaler,gpu_cloud,marketplace,...")
@provider_option
@click.option("--gpu", help="One GPU, any usual spelling.")
@click.option("--experiments", type=Experiments(), help="lean, usual, first_time, exploratory or a multiplier.")
@click.option(
    "--monthly-interruption",
    type=Number(0, 1, max_open=True, what="a share of nodes"),
    help="Share of spot nodes reclaimed a month.",
)
@click.option("--rest-of-term-used", is_flag=True, help="The idle rest of a commitment serves something else.")
@click.option("--every-offer", is_flag=True, help="Every offer, not the best of each provider, GPU and kind of price.")
@click.option("--limit", type=click.IntRange(1), help="Print only so many feasible and so many infeasible plans.")
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
    checkpoints and the weights that leave; a commitment is paid to its end.
    """
    from models.costs.plan import Wishes, plans
    from models.gpus import gpus
    from pipelines.prices import one_each, rental_offers
    from warehouse.database import opened_to_read

    model = model_named(llm, tokens)
    wishes = Wishes(
        budget_usd=None if wished["budget"] is None else float(wished["budget"]),
        deadline_days=wished["deadline_days"],
        countries=wished["country"],
        pricings=wished["kinds"],
        provider_kinds=wished["provider_kinds"],
        experiments=wished["experiments"],
        rest_of_term_used=wished["rest_of_term_used"],
        monthly_interruption=wished["monthly_interruption"],
    )
    with opened_to_read(home().ledger) as ledger:
        for country in wished["country"] or ():
            country_named(ledger, country)
        offers = rental_offers(ledger, gpu=gpu and chip_named(gpu).gpu, provider=provider)
    found = [_plan_row(one) for one in plans(model, offers, gpus(), wishes)]
    if not every_offer:
        found = one_each(found, "feasible", "provider", "gpu", "pricing", "term_months")
    if style == "table":
        limit = limit or 15
    shown = [[row for row in found if row["feasible"] is sort][:limit] for sort in (True, False)]
    if style != "table":
        print_rows([*shown[0], *shown[1]], style, columns=PLAN_COLUMNS, empty="no offer there to plan with")
        return
    count = sum(row["feasible"] for row in found)
    title = f"{model.llm} on {model.tokens:,} tokens: {count} of {len(found)} plans are feasible"
    print_rows([_plan_line(row) for row in shown[0]], style, title=title, empty="no plan is feasible")
    print_rows([_not_line(row) for row in shown[1]], style, title="Not feasible", empty="every plan is feasible")


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
        "sku": offer.sku,
        "region": offer.region,
        "country": offer.country,
        "gpus": one.gpus,
        "gpu_hours": hours and hours.mid,
        "wall_days": days and days.mid,
        "wall_days_high": days and days.high,
        "usd_per_gpu_hour": one.usd_per_gpu_hour,
        "total_usd_low": total and total.low,
        "total_usd_mid": total and total.mid,
        "total_usd_high": total and total.high,
        "bill": "; ".join(f"{term.name} {term.usd.mid:,.0f}" for term in one.bill.terms) if one.bill else None,
        "risk_late": one.risk_late,
        "risk_over_budget": one.risk_over_budget,
        "notes": "; ".join(one.notes),
        "offer_key": offer.offer_key,
        "page_sha256": offer.page_sha256,
    }


def _plan_line(row: dict[str, Any]) -> dict[str, Any]:

    term = f" {row['term_months']} mo" if row["term_months"] else ""
    line = {
        "provider": row["provider"],
        "price": row["pricing"] + term,
        "GPUs": f"{row['gpus']:,} x {row['gpu']}",
        "region": row["region"],
        "USD/GPU-h": row["usd_per_gpu_hour"],
        "days": round(row["wall_days"]),
        "total USD": short(row["total_usd_mid"]),
        "P10 to P90": f"{short(row['total_usd_low'])} to {short(row['total_usd_high'])}",
        "late": f"{row['risk_late']:.0%}",
    }
    if row["risk_over_budget"] is not None:
        line["over budget"] = f"{row['risk_over_budget']:.0%}"
    return line | {"notes": row["notes"]}


def _not_line(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "provider": row["provider"],
        "price": row["pricing"],
        "GPU": row["gpu"],
        "region": row["region"],
        "USD/GPU-h": row["usd_per_gpu_hour"],
        "why not": row["why_not"],
    }


plan_commands = (plan,)
