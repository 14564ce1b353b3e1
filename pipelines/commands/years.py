"""Commands on a run's cost along time: past, project."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal

import click

from models.offer_names import readable
from pipelines.answers import READ_FROM
from pipelines.commands.inputs import Count, Day, Model, Name, Whole
from pipelines.commands.naming import (
    asked_countries,
    chip_named,
    model_named,
    refuse_with_price,
    with_day_of_prices,
)
from pipelines.commands.options import PRICE, country_option, pricing_option, provider_option
from pipelines.commands.printing import format_option, print_rows, short
from pipelines.home import home

UNSHOWN = ("sku", "gpu_hours", *READ_FROM)  # in a table
SHOWN_AS = {
    "usd_per_gpu_hour": "USD/GPU-h", "wall_days": "days", "compute_usd": "final run USD",
    "commitment_usd": "to be taken", "compute_usd_same_capability": "of the same capability", "gpus": "GPUs",
}  # fmt: skip


@click.command()
@click.argument("llm", type=Model())
@click.option("--on", "days", type=Day(), multiple=True, help="A day; more than once for several. Default: each year.")
@click.option("--tokens", type=Count(), help="Training tokens; default: those of the model.")
@click.option("--gpu", type=Name(), help="Always this GPU: then only its price moves.")
@provider_option
@pricing_option()
@country_option
@format_option
def past(
    llm: str,
    days: tuple[date, ...],
    tokens: int | None,
    gpu: str | None,
    provider: str | None,
    kinds: tuple[str, ...],
    country: tuple[str, ...] | None,
    style: str,
) -> None:
    """What LLM would have cost on past days, and why less now.

    The final run alone, as in `project`; `plan` and `bill` hold the experiments and the rest.

    At the cheapest feasible offer that stood that day, a term or block paid whole (to be taken), sold out ones last;
    `seen` is the last look at it. Price is what the GPU of that day rents for by the last look, hardware the step to
    the best GPU by then, algorithms the compute the same capability took that day beside now.
    """
    from pipelines.answers.replay import replay, yearly_days
    from warehouse.database import opened_to_read

    today = datetime.now(UTC).date()
    chip = gpu and chip_named(gpu).gpu
    market = (chip, provider, kinds, asked_countries(country, gpu=chip, provider=provider, pricings=kinds))
    with opened_to_read(home().ledger) as ledger:
        when = days or yearly_days(ledger, today)
        found = replay(ledger, model_named(llm, tokens), when, today, *market)
    title = with_day_of_prices("Factors from that day to the last look at the market", found)
    if style == "table":
        found = [row | {"region": readable(row["region"] or "")} for row in found]
        unshown = (*UNSHOWN, *(() if any(row["commitment_usd"] for row in found) else ("commitment_usd",)))
        found = [{SHOWN_AS.get(key, key): value for key, value in row.items() if key not in unshown} for row in found]
    spare = ("region", "seen", "provider", "GPUs", "days", "of the same capability", "hardware", "algorithm", "price")
    print_rows(found, style, title=title, empty="no day to show", notes=("note",), spare=spare)


@click.command()
@click.argument("llm", type=Model())
@click.option("--years", type=Whole(1, 20), default=5, show_default=True, help="How far to look ahead.")
@click.option("--tokens", type=Count(), help="Training tokens; default: those of the model.")
@click.option(
    "--gpu", type=Name(), default="h100_sxm", show_default=True, help="GPU to train on, and whose price is projected."
)
@provider_option
@country_option
@click.option("--price", type=PRICE, help="USD per GPU-hour today; default: the cheapest on-demand offer.")
@click.option("--same-capability", is_flag=True, help="Let algorithms get better too: less compute for the same.")
@format_option
def project(
    llm: str,
    years: int,
    tokens: int | None,
    gpu: str,
    provider: str | None,
    country: tuple[str, ...] | None,
    price: Decimal | None,
    same_capability: bool,
    style: str,
) -> None:
    """What training LLM may cost in the years to come.

    A fan from P10 to P90, by the ledger's own trend of the price and the spread of published runs.

    The first day is that of the last look at the price. Where the ledger's series of the GPU is shorter than a year,
    that of its family counts, else the published fall of the price of a FLOP.
    """
    from pipelines.answers.one_run import rented_run
    from pipelines.answers.replay import projection
    from warehouse.database import opened_to_read

    refuse_with_price(price, provider, country)
    today, model = datetime.now(UTC).date(), model_named(llm, tokens)
    chip = chip_named(gpu)
    countries = asked_countries(country, gpu=chip.gpu, provider=provider, pricings=["on_demand"])
    run = rented_run(model, chip, price, provider=provider, countries=countries)
    with opened_to_read(home().ledger) as ledger:
        found = projection(ledger, model, run, provider, today, years, same_capability)
    if style != "table":
        print_rows(found, style)
        return
    lines = [
        {
            "day": row["day"],
            "USD/GPU-h": row["usd_per_gpu_hour_mid"],
            "price P10 to P90": f"{short(row['usd_per_gpu_hour_low'])} to {short(row['usd_per_gpu_hour_high'])}",
            "final run USD": short(row["compute_usd_mid"]),
            "run P10 to P90": f"{short(row['compute_usd_low'])} to {short(row['compute_usd_high'])}",
        }
        for row in found
    ]
    print_rows(lines, style, title=f"{model.llm} on {run.chip.gpu}: {found[0]['basis']}\n{run.line}")
