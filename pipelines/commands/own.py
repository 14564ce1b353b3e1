"""`gpuledger own`: a run rented by the hour, reserved, or on owned hardware, side by side."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import click

from pipelines.commands.inputs import Count, Day, Model, Name, Number
from pipelines.commands.naming import chip_named, known_name, model_named
from pipelines.commands.options import GPUS, PRICE, USED
from pipelines.commands.printing import format_option, print_lines, short, shown_days

if TYPE_CHECKING:
    from models.costs.bases import Basis, CostBasis
    from models.costs.plan import Need
    from models.gpu_table import Gpu
    from models.llms import Llm
    from pipelines.answers.one_run import RentedRun

GRID = "grid_g_co2_"


@click.command()
@click.argument("llm", type=Model())
@click.option("--tokens", type=Count(), help="Training tokens; default: those of the model.")
@click.option("--gpu", type=Name(), default="h100_sxm", show_default=True, help="GPU, any usual spelling.")
@click.option("--gpus", type=GPUS, help="Size of the cluster; default: enough for memory and 90 days.")
@click.option("--on", type=Day(), help="Day it begins; of a past day the rents that stood then. Default: today.")
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

    Each basis on its own cluster. A commitment is to be taken in all, whatever the run uses: that stands beside it.

    Owned hardware by Epoch's method: the server loses value each year, the network is added. A rent holds its
    electricity already. CO2 is by the grid, for whoever owns the hardware.
    """
    from models.constants import constants
    from models.costs.bases import CostBasis, owned
    from models.costs.energy import energy
    from models.costs.ownership import bought_chip, purchase
    from pipelines.answers.one_run import sized
    from pipelines.answers.prices import HourPrice

    chip, today = chip_named(gpu), datetime.now(UTC).date()
    model, day = model_named(llm, tokens), on or today
    grids = [name.removeprefix(GRID).upper() for name in constants() if name.startswith(GRID)]
    known_name(country.upper(), grids, "country with a known grid")
    past = day if day < today else None
    found = [
        _hired_row(model, chip, gpus, "rented", on_demand, past),
        _hired_row(model, chip, gpus, "reserved", reserved, past, used),
    ]
    try:
        mine, bought, unknown = bought_chip(chip), purchase(chip.gpu_family), ""
    except KeyError as reason:
        mine, bought, unknown = chip, None, str(reason.args[0])
    free = HourPrice(Decimal(0), source=bought.line(day) if bought else "unknown")
    run = sized(model, mine, free, gpus, _of_the_least(mine))
    powered: dict[str, Any] = {"hyperscaler": hyperscaler, "usd_per_kwh": usd_per_kwh}
    one = owned(run.gpu_hours, mine, day, **powered) if bought else CostBasis("owned", None, None, unknown)
    power = energy(run.gpu_hours.mid, mine, day.year, **powered, country=country)
    used_up: dict[str, Any] = {"kwh": power.kwh, "energy_usd": power.usd, "kg_co2": power.kg_co2_location}
    if bought:
        used_up |= {"server_usd": bought.usd, "server_priced_on": bought.server.priced_on}
        used_up |= {"server_value_usd": bought.value_usd(day), "commitment_usd": run.gpus * bought.outlay_usd(day)}
        what = "servers" if mine is chip else f"servers of {mine.gpu}"
        one = replace(one, detail=f"{what} and network are bought, and used on or sold after the run; {one.detail}")
    found.append(_row(model, run, one) | used_up)
    lines = {
        "basis": lambda row: row["basis"],
        "GPUs": lambda row: row["gpus"],
        "days": lambda row: row["wall_days"] and shown_days(row["wall_days"]),
        "USD/GPU-h": lambda row: row["usd_per_gpu_hour"],
        "final run USD": lambda row: row["usd_mid"] and short(row["usd_mid"]),
        "low to high": lambda row: row["usd_mid"] and f"{short(row['usd_low'])} to {short(row['usd_high'])}",
        "to be taken in all": lambda row: row["commitment_usd"] and short(row["commitment_usd"]),
        "MWh": lambda row: row["kwh"] and round(row["kwh"] / 1000),
        "t CO2": lambda row: row["kg_co2"] and round(row["kg_co2"] / 1000),
        "detail": lambda row: row["detail"],
    }
    told = [f"{row['basis']}: {row['price_source']}" for row in found]
    title = "\n".join([f"{model.llm} on {chip.gpu}", *told])
    print_lines(found, style, lines, title=title, notes=("detail",), spare=("t CO2", "MWh", "low to high", "days"))


def _hired_row(
    model: Llm, chip: Gpu, gpus: int | None, basis: Basis, price: Decimal | None, past: date | None, used: float = 1.0
) -> dict[str, Any]:
    """The row of a rent: at the price given, else of the cheapest offer that can; why not where none can."""
    from models.costs.bases import hired
    from models.training.estimate import Range
    from pipelines.answers import NothingFits
    from pipelines.answers.one_run import rented_run, sized
    from pipelines.answers.prices import HourPrice

    pricing = "reserved" if basis == "reserved" else "on_demand"
    try:
        run = rented_run(model, chip, price, pricings=[pricing], gpus=gpus, on=past)
    except NothingFits as reason:
        never = sized(model, chip, HourPrice(Decimal(0), source=str(reason)), gpus, _of_the_least(chip))
        none = replace(hired(basis, Range(0, 0, 0), None), detail="no offer that can")
        return _row(model, never, none) | dict.fromkeys(("gpu_hours", "gpus", "wall_days"))
    one = hired(basis, run.gpu_hours, run.rent.usd_per_gpu_hour, used)
    if taken := run.commitment():
        one = replace(one, detail=f"for this run and its experiments alone {taken[1]}; {one.detail}")
    return _row(model, run, one)


def _of_the_least(chip: Gpu) -> Need:
    """What a run takes; of a group whose memory is left open, with the least of its cards."""
    from functools import partial

    from models.gpus import gpus
    from models.training.memory import least_memory_gb
    from models.training.requirement import requirement

    return requirement if chip.memory_gb else partial(requirement, gpu_memory_gb=least_memory_gb(chip, gpus().values()))


def _row(model: Llm, run: RentedRun, one: CostBasis) -> dict[str, Any]:
    taken = run.commitment()
    return {
        "llm": model.llm,
        "basis": one.basis,
        "gpu": run.chip.gpu,
        "gpu_hours": run.gpu_hours.mid,
        "usd_per_gpu_hour": one.usd_per_gpu_hour,
        "usd_low": one.usd and one.usd.low,
        "usd_mid": one.usd and one.usd.mid,
        "usd_high": one.usd and one.usd.high,
        "commitment_usd": taken[0] if taken else None,
        **dict.fromkeys(("kwh", "energy_usd", "kg_co2", "server_usd", "server_priced_on", "server_value_usd")),
        "detail": one.detail,
        **run.columns(),
    }
