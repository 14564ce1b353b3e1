"""`gpuledger estimate`: one training run from FLOP to dollars, with every step between, its spread and its sources."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from pipelines.commands.inputs import Count, Model, Name, Number, OfferedBy, Whole
from pipelines.commands.naming import at_most_all, chip_named, model_named, refuse_with_price
from pipelines.commands.options import DAYS, GPUS, PRICE, SHARE, TOKENS_OF_CONTEXT
from pipelines.commands.printing import as_json, format_option, print_rows

if TYPE_CHECKING:
    from models.gpu_table import Gpu
    from models.training.estimate import Estimate
    from pipelines.answers.prices import HourPrice

NO_PRICE = "none: --price, --provider or --offer-key adds what it costs"
SPREADS = {
    "monte_carlo": "P10 to P90, the one to quote",
    "closed_form": "P10 to P90 as a product of lognormals, a check",
}
OF_USE = "P10 to P90 of what is used; what is paid is due_usd"


@click.command()
@click.argument("llm", required=False, type=Model())
@click.option("--params", type=Count(), help="Parameters: 7B, 1.8T; without LLM.")
@click.option("--tokens", type=Count(), help="Training tokens: 1T, 140B; default: those of LLM.")
@click.option("--active-params", type=Count(), help="Parameters one token passes through (mixture of experts).")
@click.option("--layers", type=Whole(1, 100_000), help="With --width and --seq-len: count attention.")
@click.option("--width", type=Whole(1, 10**7), help="Model width.")
@click.option("--seq-len", type=Whole(1, TOKENS_OF_CONTEXT), help="Tokens in a training sequence.")
@click.option("--attention", type=click.Choice(["full", "causal", "none"]), help="How attention is counted.")
@click.option("--gpu", type=Name(), default="h100_sxm", show_default=True, help="GPU, any usual spelling.")
@click.option("--gpus", type=GPUS, help="Size of the cluster; default: enough for memory and 90 days.")
@click.option("--precision", type=click.Choice(["bf16", "fp16", "fp8", "fp4"]), default="bf16", show_default=True)
@click.option(
    "--utilisation",
    type=SHARE,
    help="Share of the dense peak, 0.40 and not 40; default: published runs.",
)
@click.option(
    "--utilisation-log-sd",
    type=Number(0.001, 3, what="the spread of a logarithm"),
    help="Spread of its logarithm in the Monte Carlo; default: that of the runs.",
)
@click.option(
    "--peak-tflops",
    type=Number(0.1, 1e6, what="a dense peak in TFLOPS"),
    help="Dense peak in place of the datasheet's.",
)
@click.option("--price", type=PRICE, help="USD per GPU-hour.")
@click.option(
    "--provider", type=OfferedBy(), help="Take the price of this provider's cheapest on-demand offer of the GPU."
)
@click.option("--offer-key", type=Name(), help="Take GPU and price of this offer of the published ledger.")
@click.option(
    "--overhead",
    type=Number(1, 10, what="a multiplier"),
    help="Multiplier for failed runs and experiments; default 1.4, from 1.3 to 1.5.",
)
@click.option("--deadline-days", type=DAYS, help="Days the median run may take, at most 270; sizes the cluster.")
@click.option("--micro-batch", type=Whole(1, 10**6), default=1, show_default=True, help="Sequences at once on a GPU.")
@click.option("--seed", type=Whole(), default=7, show_default=True, help="Of the Monte Carlo.")
@click.option("--explain", is_flag=True, help="Lead the total back to every term, its formula and its source.")
@format_option
def estimate(
    llm: str | None,
    gpu: str,
    style: str,
    provider: str | None,
    offer_key: str | None,
    micro_batch: int,
    utilisation_log_sd: float | None,
    seed: int,
    explain: bool,
    **given: Any,
) -> None:
    """One training run from FLOP to dollars, step by step.

    LLM is a size class (70B) or a published model; without it, --params and --tokens. Its shape counts attention.
    """
    from models.quantities import counted
    from models.training.clusters import too_long
    from models.training.estimate import estimate as run
    from pipelines.answers.prices import HourPrice

    _of_model(llm, given)
    at_most_all(given["active_params"], given["params"])
    chip = chip_named(gpu)
    rent = None if given["price"] is None else HourPrice(given["price"])
    why_not = None
    refuse_with_price(given["price"], provider, offer_key)
    if provider or offer_key:
        result, rent, why_not = _on_offers(chip.gpu, provider, offer_key, given)
    else:
        result = run(gpu=chip, **given)
    if not result.fits_memory and why_not is None:
        why_not = f"{counted(result.gpus, 'GPU')} cannot hold the training state: {result.min_gpus:,} are needed"
    if why_not is None:
        why_not = too_long(result.wall_days.mid, result.gpus, given["deadline_days"])
    if why_not:  # what cannot be done has no cost
        priced = ("usd_per_gpu_hour", "compute_usd", "total_usd", "commitment_usd", "commitment", "due_usd")
        never = dict.fromkeys(priced)
        result = replace(result, **never)  # type: ignore[arg-type]
    if late := _late(result, given["deadline_days"]):
        result = replace(result, notes=(*result.notes, late))
    source = rent.source if rent else NO_PRICE
    steps = _explanation(result, chip_named(result.gpu), source, why_not)
    if style == "csv":
        print_rows(steps, style)
        return
    found: dict[str, Any] = {"feasible": why_not is None, "why_not": why_not, **result.as_dict()}
    found["price_source"] = source
    if rent is not None and rent.offer is not None:
        found["offer"] = rent.columns()
    found["memory"] = _memory(result, micro_batch, given)
    listed = rent is not None and rent.offer is not None
    found["uncertainty"] = _uncertainty(result, given["overhead"], utilisation_log_sd, seed, listed)
    if explain:
        found["explanation"] = steps
    if style == "json":
        click.echo(as_json(found))
    elif explain:
        lines = [{**step, **{key: _line(step[key]) for key in ("value", "low", "high")}} for step in steps]
        print_rows(lines, style, notes=("source", "formula"), spare=("low", "high"))
    else:
        print_rows([row for key, value in found.items() for row in _shown(key, value)], style)


def _of_model(llm: str | None, given: dict[str, Any]) -> None:
    """Fill what is not given from the model; without one, parameters and tokens have to be given."""
    if llm is None:
        if given["params"] is None or given["tokens"] is None:
            raise click.UsageError("give LLM (7B, Llama-3.1-405B), or --params and --tokens")
        return
    if given["params"] is not None:
        raise click.UsageError("give LLM or --params, not both")
    model = model_named(llm)
    given["params"] = model.params_total
    given["tokens"] = given["tokens"] or model.tokens
    given["active_params"] = given["active_params"] or model.params_active
    # the tables count no attention for a size class: whoever quotes 7B means 6 FLOP per parameter and token
    if model.kind == "named" and model.has_shape and not (given["layers"] or given["width"] or given["seq_len"]):
        given |= {name: getattr(model, name) for name in ("layers", "width", "attention_width", "seq_len")}


def _late(result: Estimate, deadline_days: float | None) -> str | None:
    """A warning where one run of ten, or more, misses the deadline."""
    from models.quantities import counted
    from models.training.uncertainty import P90, chance_above

    days = result.wall_days
    if deadline_days is None or days.high <= deadline_days:
        return None
    risk = chance_above(days.mid, deadline_days, math.log(days.high / days.mid) / P90)
    gpus = math.ceil(result.gpus * days.high / deadline_days)
    return (
        f"{risk:.0%} chance to take longer than {counted(deadline_days, 'day')} (P90 is {days.high:,.1f}); "
        f"some {counted(gpus, 'GPU')} would be in time in nine cases of ten"
    )


def _on_offers(
    gpu: str, provider: str | None, offer_key: str | None, given: dict[str, Any]
) -> tuple[Estimate, HourPrice, str | None]:
    """The run on the offer that `bill` and `plan` take; where none can do it, on the nearest, with the reason."""
    from pipelines.answers.one_run import estimate_on
    from pipelines.answers.prices import cheapest, hour_price, rental_offers
    from pipelines.home import home
    from warehouse.database import opened_to_read

    with opened_to_read(home().ledger) as ledger:
        if offer_key:
            offers = rental_offers(ledger, offer_key=offer_key)
            cheapest(offers, f"whole cards with the key {offer_key}")
        else:
            offers = rental_offers(ledger, gpu=gpu, provider=provider, pricings=["on_demand"])
            cheapest(offers, f"{gpu} on demand at {provider}")
        offer, result, why_not = estimate_on(offers, given)
        return result, hour_price(offer), why_not


def _explanation(result: Estimate, chip: Gpu, source: str, why_not: str | None) -> list[dict[str, Any]]:
    from dataclasses import asdict

    from models.costs.explanation import explain

    steps = [asdict(step) for step in explain(result, source)]
    for step in steps:
        if step["name"] == "peak":
            step["source"] = f"models/gpus.csv: {chip.source}"
    if why_not:
        never = dict.fromkeys(("value", "low", "high"), 0)
        steps.insert(0, {"name": "feasible", **never, "unit": "1 or 0", "formula": why_not, "source": source})
    return steps


def _memory(result: Estimate, micro_batch: int, given: dict[str, Any]) -> dict[str, Any] | None:
    """What one GPU has to hold, activations included; None where the shape is not known."""
    from dataclasses import asdict

    from models.gpus import gpus
    from models.training.activations import memory_check

    if given["layers"] is None:
        return None
    chip = gpus()[result.gpu]
    check = memory_check(
        layers=given["layers"],
        width=given["width"],
        seq_len=given["seq_len"],
        state_gb=result.state_gb,
        gpus=result.gpus,
        gpus_per_node=chip.gpus_per_node_typical or 1,
        gpu_memory_gb=float(chip.usable_memory_gb or chip.memory_gb or 0),
        micro_batch=micro_batch,
    )
    return asdict(check)


def _uncertainty(
    result: Estimate, overhead: float | None, log_sd: float | None, seed: int, listed: bool
) -> dict[str, Any] | None:
    """Closed form and Monte Carlo of the total, and what drives its spread; None without a price.

    The price of a `listed` offer is certain, one given by hand has the spread of offers of one chip.
    """
    from models.training.uncertainty import DRAWS, P90, Spread, closed_form, monte_carlo, run_factors, tornado

    if result.usd_per_gpu_hour is None:
        return None
    sigma = math.log(result.gpu_hours.high / result.gpu_hours.mid) / P90 if log_sd is None else log_sd
    price = (result.usd_per_gpu_hour,) if listed else result.usd_per_gpu_hour
    factors = run_factors(result.gpu_hours.mid, price, utilisation_log_sd=sigma, overhead=overhead)
    forms = {"closed_form": closed_form(factors), "monte_carlo": monte_carlo(factors, seed=seed)}

    def told(spread: Spread) -> dict[str, float]:
        return {"low": spread.p10, "mid": spread.p50, "high": spread.p90, "mean": spread.mean}

    return {
        **{name: {end: usd + result.setup_usd for end, usd in told(s).items()} for name, s in forms.items()},
        "quote": "due_usd" if result.due_usd else "monte_carlo",
        "draws": DRAWS,
        "seed": seed,
        "drivers": [
            {"input": one.name, "share": one.share, "low_factor": one.p10_factor, "high_factor": one.p90_factor}
            for one in tornado(factors)
        ],
    }


def _shown(key: str, value: Any) -> list[dict[str, str]]:
    """The rows of one result for people; what is not known has none."""
    if value in (None, ()) or key == "offer":  # whose line is the source of the price
        return []
    if key == "total_usd":
        return [{"what": key, "value": f"{_line(value)}, P10 to P90 by the hours, overhead and price fixed"}]
    if key == "due_usd":
        return [{"what": key, "value": f"{_line(value)}, the one to quote: taken whole, used or not"}]
    if key == "memory":
        return [{"what": "memory of one GPU", "value": value["line"]}]
    if key == "uncertainty":
        rows = [
            {"what": f"total_usd, {name.replace('_', ' ')}", "value": f"{_line(value[name])}, {means}"}
            for name, means in (SPREADS if value["quote"] != "due_usd" else {"monte_carlo": OF_USE}).items()
        ]
        shares = "; ".join(f"{one['input']} {one['share']:.0%}" for one in value["drivers"])
        return [*rows, {"what": "spread comes from", "value": shares}]
    return [{"what": key, "value": _line(value)}]


def _line(value: Any) -> str:
    if isinstance(value, dict):
        return f"{_line(value['mid'])}  (low {_line(value['low'])}, high {_line(value['high'])})"
    if isinstance(value, float):
        return f"{value:,.4g}" if abs(value) < 100 or abs(value) >= 1e15 else f"{value:,.0f}"
    if isinstance(value, (list, tuple)):
        return "; ".join(map(str, value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) else str(value)
