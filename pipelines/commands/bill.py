"""`gpuledger bill`: everything that is paid for a model, line by line."""

from __future__ import annotations

from dataclasses import asdict
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import click

from pipelines.commands.inputs import Count, Experiments, Model, Money, Name, Number, OfferedBy
from pipelines.commands.naming import asked_countries, chip_named, model_named, refuse_with_price
from pipelines.commands.options import GPUS, PRICE, country_option, pricing_option
from pipelines.commands.printing import format_option, print_lines, short

if TYPE_CHECKING:
    from models.costs.bill import Split
    from models.llms import Llm

SPLITS: tuple[Split, ...] = ("guide", "measured")


@click.command()
@click.argument("llm", type=Model())
@click.option("--tokens", type=Count(), help="Training tokens; default: those of the model.")
@click.option("--gpu", type=Name(), default="h100_sxm", show_default=True, help="GPU, any usual spelling.")
@click.option("--provider", type=OfferedBy(), help="Take the price of this provider; default: the cheapest offer.")
@pricing_option()
@country_option
@click.option("--offer-key", type=Name(), help="Take GPU and price of this offer of the published ledger.")
@click.option("--gpus", type=GPUS, help="Size of the cluster; default: enough for memory and 90 days.")
@click.option("--price", type=PRICE, help="USD per GPU-hour.")
@click.option("--experiments", type=Experiments(), help="lean, usual, first_time, exploratory or a multiplier.")
@click.option("--people", type=Number(0, 1e6, what="the heads"), default=0, help="How many work on it full time.")
@click.option("--salary", type=Money(), help="USD a head and year, all included; default 300,000, an assumption.")
@click.option(
    "--months",
    type=Number(0, 1200, what="the months"),
    help="Months the people work on it; default: as long as the final run.",
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
    kinds: tuple[str, ...],
    country: tuple[str, ...] | None,
    offer_key: str | None,
    gpus: int | None,
    price: Decimal | None,
    experiments: Any,
    people: float,
    salary: Decimal | None,
    months: float | None,
    data: Decimal,
    infrastructure: Decimal,
    teacher: Decimal,
    raw_data: bool,
    style: str,
) -> None:
    """Everything in the bill of LLM, line by line.

    Below it what published shares make of the compute alone.

    The final run is that of `plan` on the same offer: its hours, GPUs and days. P10 and P90 are those of its hours. A
    term or block is paid whole and holds the experiments.

    People are in the bill where --people is given: so many, full time, for --months, at --salary. The shares below
    are of whole bills that others published: cost guides (65/15/12/8) and measured ones disagree on people by a
    factor of three.
    """
    from models.constants import constant, constants
    from models.costs.bill import bill as whole_bill
    from models.costs.bill import by_split, people_term
    from models.costs.explanation import explain_bill
    from models.costs.run_bill import paid_hours, setup_term
    from models.training.requirement import HOURS_PER_DAY
    from pipelines.answers.one_run import rented_run

    model = model_named(llm, tokens)
    refuse_with_price(price, provider, country, offer_key)
    if offer_key and (provider or country):
        raise click.UsageError("--offer-key is one offer: leave --provider and --country out")
    chip = chip_named(gpu)
    seller: dict[str, Any] = {"provider": provider, "pricings": kinds}
    countries = asked_countries(country, gpu=chip.gpu, **seller)
    asked: dict[str, Any] = {**seller, "countries": countries, "offer_key": offer_key}
    run = rented_run(model, chip, price, **asked, gpus=gpus, experiments=experiments)
    rent, usd = run.rent, run.rent.usd_per_gpu_hour
    paid, left, notes = run.gpu_hours, experiments, tuple[str, ...]()
    if rent.offer:
        paid, left, notes = paid_hours(rent.offer, run.gpu_hours, run.gpus, run.wall_days.mid, experiments)
    extras = {"data": data, "infrastructure": infrastructure, "teacher": teacher}
    lasts = run.wall_days.mid * HOURS_PER_DAY / constant("hours_per_month")
    more = _kept_lines(model, lasts, raw_data)
    if rent.offer and rent.offer.setup_usd:
        more.append(setup_term(rent.offer, run.gpus))
    if people:
        stay = (lasts, "of the final run") if months is None else (months, "as given")
        more.append(people_term(people, None if salary is None else float(salary), *stay))
    result = whole_bill(
        paid.times(float(usd)),
        compute_formula="; ".join((f"{paid.mid:,.0f} GPU-hours x {usd.normalize():f} USD", *notes)),
        compute_source=rent.source,
        experiments=left,
        lines=more,
        extras={name: float(more_usd) for name, more_usd in extras.items() if more_usd},
    )
    found: list[dict[str, Any]] = [{"part": "bill", **asdict(step)} for step in explain_bill(result)]
    for split in SPLITS:
        for line in by_split(run.gpu_hours.mid * float(usd), split):
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
    found = [row | run.columns() for row in found]
    title = f"{model.llm} on {run.chip.gpu}\n{run.line}"
    print_lines(found, style, lines, title=title, notes=("source", "how"))


def _kept_lines(model: Llm, months: float, raw_data: bool) -> list[Any]:
    """Checkpoints, data set and the weights that leave, as lines of a bill."""
    from models.constants import constant, constants
    from models.costs.bill import Term
    from models.costs.storage import checkpoint_gb, dataset_gb, egress_usd, storage_usd
    from models.quantities import counted
    from models.training.estimate import Range

    checkpoints = constant("checkpoints_kept") * checkpoint_gb(model.params_total)
    data, weights = dataset_gb(model.tokens, raw_data), checkpoint_gb(model.params_total, "weights")
    kept, rate = f"GB kept {counted(months, 'month')}", "storage_usd_per_gb_month"
    lines = (
        ("checkpoints", storage_usd(checkpoints, months), f"{checkpoints:,.0f} {kept}", rate),
        ("data set", storage_usd(data, months), f"{data:,.0f} {kept}", rate),
        ("egress", egress_usd(weights), f"{weights:,.0f} GB of weights leave", "egress_usd_per_gb"),
    )
    return [Term(name, Range(usd, usd, usd), how, constants()[price].source) for name, usd, how, price in lines]
