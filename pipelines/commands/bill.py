"""Commands on everything that is paid: own, bill."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import click

from pipelines.commands.inputs import (
    GPUS,
    PRICE,
    USED,
    Count,
    Day,
    Experiments,
    Model,
    Money,
    Number,
    SourceName,
    chip_named,
    known_name,
    model_named,
)
from pipelines.commands.printing import format_option, print_lines, short

if TYPE_CHECKING:
    from models.costs.bill import Split
    from models.llms import Llm
    from pipelines.answers.prices import HourPrice

GRID = "grid_g_co2_"
SPLITS: tuple[Split, ...] = ("guide", "measured")


@click.command()
@click.argument("llm", type=Model())
@click.option("--tokens", type=Count(), help="Training tokens; default: those of the model.")
@click.option("--gpu", default="h100_sxm", show_default=True, help="GPU, any usual spelling.")
@click.option("--gpus", type=GPUS, help="Size of the cluster; default: enough for memory and 90 days.")
@click.option("--on", type=Day(), help="Day on which owned hardware is put to use; default: today.")
@click.option("--on-demand", type=PRICE, help="USD per GPU-hour by the hour; default: the cheapest that can.")
@click.option("--reserved", type=PRICE, help="USD per GPU-hour of a commitment; default: the cheapest that can.")
@click.option("--used", type=USED, default=1, show_default=True, help="Share of the term.")
@click.option("--hyperscaler", is_flag=True, help="Owned in a data centre with the PUE of a hyperscaler.")
@click.option(
    "--usd-per-kwh",
    type=Number(0, 100, what="the price of a kWh in USD"),
    help="Electricity; default: US industry, that year.",
)
@click.option("--country", default="US", show_default=True, help="Where it stands: the grid's CO2.")
@format_option
def own(
    llm: str,
    tokens: int | None,
    gpu: str,
    gpus: int | None,
    on: date | None,
    on_demand: Decimal | None,
    reserved: Decimal | None,
    used: float,
    hyperscaler: bool,
    usd_per_kwh: float | None,
    country: str,
    style: str,
) -> None:
    """LLM rented by the hour, reserved, or on owned hardware.

    The final run on three bases side by side; what is owned with its electricity.

    Owned hardware by Epoch's method: the server loses value each year, the network is added. A rent holds its
    electricity already. CO2 is by the grid, for whoever owns the hardware.
    """
    from models.constants import constants
    from models.costs.bases import three_bases
    from models.costs.energy import energy
    from models.training.estimate import Range
    from models.training.requirement import requirement

    chip, day = chip_named(gpu), on or datetime.now(UTC).date()
    model = model_named(llm, tokens)
    need = requirement(model, chip, gpus=gpus)
    hours = Range(need.gpu_hours_p10, need.gpu_hours_p50, need.gpu_hours_p90)
    rented = _rent(model, chip.gpu, "on_demand", on_demand)
    committed = _rent(model, chip.gpu, "reserved", reserved)
    rents = {"rented": rented, "reserved": committed}
    bases = three_bases(
        hours,
        chip,
        day,
        on_demand_usd=rented.usd_per_gpu_hour if rented else None,
        reserved_usd=committed.usd_per_gpu_hour if committed else None,
        used=used,
        hyperscaler=hyperscaler,
        usd_per_kwh=usd_per_kwh,
    )
    grids = [name.removeprefix(GRID).upper() for name in constants() if name.startswith(GRID)]
    known_name(country.upper(), grids, "country with a known grid")
    power = energy(hours.mid, chip, day.year, hyperscaler=hyperscaler, usd_per_kwh=usd_per_kwh, country=country)
    found = [
        {
            "llm": need.llm,
            "basis": one.basis,
            "gpu": chip.gpu,
            "gpu_hours": hours.mid,
            "usd_per_gpu_hour": one.usd_per_gpu_hour,
            "usd_low": one.usd and one.usd.low,
            "usd_mid": one.usd and one.usd.mid,
            "usd_high": one.usd and one.usd.high,
            "kwh": power.kwh if one.basis == "owned" else None,
            "energy_usd": power.usd if one.basis == "owned" else None,
            "kg_co2": power.kg_co2_location if one.basis == "owned" else None,
            "detail": one.detail,
            **_rests_on(rents.get(one.basis), one.basis, chip.gpu_family),
        }
        for one in bases
    ]
    lines = {
        "basis": lambda row: row["basis"],
        "USD/GPU-h": lambda row: row["usd_per_gpu_hour"],
        "final run USD": lambda row: row["usd_mid"] and short(row["usd_mid"]),
        "low to high": lambda row: row["usd_mid"] and f"{short(row['usd_low'])} to {short(row['usd_high'])}",
        "MWh": lambda row: row["kwh"] and round(row["kwh"] / 1000),
        "t CO2": lambda row: row["kg_co2"] and round(row["kg_co2"] / 1000),
        "detail": lambda row: row["detail"],
    }
    told = [f"{row['basis']}: {row['price_source']}" for row in found]
    title = "\n".join([f"{need.llm}: {hours.mid:,.0f} hours of {chip.gpu}", *told])
    print_lines(found, style, lines, title=title, notes=("detail",))


@click.command()
@click.argument("llm", type=Model())
@click.option("--tokens", type=Count(), help="Training tokens; default: those of the model.")
@click.option("--gpu", default="h100_sxm", show_default=True, help="GPU, any usual spelling.")
@click.option(
    "--provider", type=SourceName(), help="Take the price of this provider; default: the cheapest on-demand offer."
)
@click.option("--price", type=PRICE, help="USD per GPU-hour.")
@click.option("--experiments", type=Experiments(), help="lean, usual, first_time, exploratory or a multiplier.")
@click.option("--people", type=Number(0, 1e6, what="the heads"), default=0, help="How many work on it full time.")
@click.option("--salary", type=Money(), help="USD a head and year, all included; default 300,000, an assumption.")
@click.option(
    "--months",
    type=Number(0, 1200, what="the months"),
    default=6,
    show_default=True,
    help="Months the people work on it.",
)
@click.option("--data", "data", type=Money(), default="0", help="USD of licences and preparation of data.")
@click.option("--infrastructure", type=Money(), default="0", help="USD of what else is bought.")
@click.option("--teacher", type=Money(), default="0", help="USD of a teacher's passes, when it is distilled.")
@click.option("--raw-data", is_flag=True, help="Keep the raw text beside the tokens.")
@format_option
def bill(
    llm: str,
    tokens: int | None,
    gpu: str,
    provider: str | None,
    price: Decimal | None,
    experiments: Any,
    people: float,
    salary: Decimal | None,
    months: float,
    data: Decimal,
    infrastructure: Decimal,
    teacher: Decimal,
    raw_data: bool,
    style: str,
) -> None:
    """Everything in the bill of LLM, line by line.

    Below it what published shares make of the compute alone.

    People are in the bill where --people is given: so many, full time, for --months, at --salary. The shares below
    are of whole bills that others published: cost guides (65/15/12/8) and measured ones disagree on people by a
    factor of three.
    """
    from models.constants import constants
    from models.costs.bill import bill as whole_bill
    from models.costs.bill import by_split, people_term
    from models.costs.explanation import explain_bill
    from models.costs.run_bill import setup_term
    from models.training.estimate import Range
    from models.training.requirement import HOURS_PER_DAY, requirement
    from pipelines.answers.prices import HourPrice, price_of_run

    chip, model = chip_named(gpu), model_named(llm, tokens)
    rent = HourPrice(price) if price else price_of_run(model, chip.gpu, provider)
    price, source = rent.usd_per_gpu_hour, rent.source
    need = requirement(model, chip)
    hours = (need.gpu_hours_p10, need.gpu_hours_p50, need.gpu_hours_p90)
    compute = Range(*(one * float(price) for one in hours))
    extras = {"data": data, "infrastructure": infrastructure, "teacher": teacher}
    more = _kept_lines(model, need.wall_days * HOURS_PER_DAY, raw_data)
    if rent.offer and rent.offer.setup_usd:
        more.append(setup_term(rent.offer, need.gpus))
    if people:
        more.append(people_term(people, None if salary is None else float(salary), months))
    result = whole_bill(
        compute,
        compute_formula=f"{need.gpu_hours_p50:,.0f} GPU-hours x {price.normalize():f} USD",
        compute_source=source,
        experiments=experiments,
        lines=more,
        extras={name: float(usd) for name, usd in extras.items() if usd},
    )
    found: list[dict[str, Any]] = [{"part": "bill", **asdict(step)} for step in explain_bill(result)]
    for split in SPLITS:
        for line in by_split(compute.mid, split):
            told = constants().get(f"split_{split}_{line.part}")
            share = (
                f"{line.share.low:.0%} to {line.share.high:.0%}"
                if line.share.low < line.share.high
                else f"{line.share.mid:.0%}"
            )
            found.append(
                {"part": f"shares, {split}", "name": line.part, "value": line.usd.mid, "low": line.usd.low}
                | {"high": line.usd.high, "unit": "USD", "formula": f"{share} of the bill"}
                | {"source": told.source if told else "computed"}
            )
    lines = {
        "part": lambda row: row["part"],
        "line": lambda row: row["name"],
        "USD": lambda row: short(row["value"]),
        "low to high": lambda row: f"{short(row['low'])} to {short(row['high'])}",
        "how": lambda row: row["formula"],
        "source": lambda row: row["source"],
    }
    print_lines(found, style, lines, notes=("source", "how"))


def _rent(llm: Llm, gpu: str, pricing: str, given: Decimal | None) -> HourPrice | None:
    """The price given, else that of the cheapest offer that can; None where none can."""
    from pipelines.answers import NothingFits
    from pipelines.answers.prices import HourPrice, price_of_run

    if given is not None:
        return HourPrice(given)
    try:
        return price_of_run(llm, gpu, pricing=pricing)
    except NothingFits:
        return None


def _rests_on(rent: HourPrice | None, basis: str, gpu_family: str) -> dict[str, Any]:
    """The columns that say what the price of a basis rests on: an offer, or what a server was sold for."""
    from models.costs.ownership import servers
    from pipelines.answers.prices import HourPrice

    if rent is not None:
        return rent.columns()
    told = "no offer of it can train this"
    if basis == "owned":
        server = servers().get(gpu_family)
        told = (
            f"{server.usd:,f} USD a GPU, {server.scope}, {server.priced_on}: {server.source}" if server else "unknown"
        )
    return HourPrice(Decimal(0), source=told).columns()


def _kept_lines(model: Llm, wall_hours: float, raw_data: bool) -> list[Any]:
    """Checkpoints, data set and the weights that leave, as lines of a bill."""
    from models.constants import constant, constants
    from models.costs.bill import Term
    from models.costs.storage import checkpoint_gb, dataset_gb, egress_usd, storage_usd
    from models.training.estimate import Range

    months = wall_hours / constant("hours_per_month")
    checkpoints = constant("checkpoints_kept") * checkpoint_gb(model.params_total)
    data, weights = dataset_gb(model.tokens, raw_data), checkpoint_gb(model.params_total, "weights")
    lines = (
        ("checkpoints", storage_usd(checkpoints, months), f"{checkpoints:,.0f} GB kept", "storage_usd_per_gb_month"),
        ("data set", storage_usd(data, months), f"{data:,.0f} GB kept", "storage_usd_per_gb_month"),
        ("egress", egress_usd(weights), f"{weights:,.0f} GB of weights leave", "egress_usd_per_gb"),
    )
    return [Term(name, Range(usd, usd, usd), how, constants()[price].source) for name, usd, how, price in lines]
