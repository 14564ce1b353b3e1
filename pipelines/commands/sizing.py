"""Commands on how large a model to train: size, afford."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

import click

from pipelines.answers import READ_FROM
from pipelines.commands.inputs import Count, Experiments, Money, Number
from pipelines.commands.naming import at_offer, chip_named, offer_name, read_on, with_day_of_prices
from pipelines.commands.options import MARKET, SHARE, with_options
from pipelines.commands.printing import format_option, print_lines, print_rows, short, shown_days

if TYPE_CHECKING:
    from models.training.scaling_laws import CoefficientSet

AFFORD_COLUMNS = (
    "budget_usd", "spent_usd", "provider", "pricing", "term_months", "gpu", "sku", "region", "country", "offered_until",
    "usd_per_gpu_hour", "sold_out",
    *READ_FROM, "min_gpus", "gpus", "commitment_usd", "scale_efficiency", "goodput",
    "wall_days", "gpu_hours", "flop_low", "flop_mid", "flop_high",
    "params_low", "params_mid", "params_high", "tokens_low", "tokens_mid", "tokens_high",
    "tokens_per_parameter", "sizing",
)  # fmt: skip
SETS: tuple[CoefficientSet, ...] = ("hoffmann_printed", "hoffmann_unrounded", "epoch_2024")


@click.command()
@click.option("--flop", type=Number(1e12, 1e36, what="the FLOP of a training"), help="Compute to spend: 5.8e23.")
@click.option("--params", type=Count(), help="Parameters: the tokens they are optimal for, or the model to replace.")
@click.option("--tokens", type=Count(), help="Training tokens of the model to replace; default: its optimum.")
@click.option("--inference-tokens", type=Count(), help="Tokens to be served: the size that is cheapest over its life.")
@click.option(
    "--serving-cost-ratio",
    type=Number(0.001, 1000, what="the ratio of two prices"),
    default=1,
    show_default=True,
    help="Price of a FLOP of serving over one of training.",
)
@format_option
def size(
    flop: float | None,
    params: int | None,
    tokens: int | None,
    inference_tokens: int | None,
    serving_cost_ratio: float,
    style: str,
) -> None:
    """How large a model is best for a compute budget.

    By three fits of the scaling law; with served tokens, the smaller model of the same loss that is cheapest
    over its life.

    The exponents as printed by Hoffmann et al. are rounded and drift: they are there to reproduce quotations.
    """
    if inference_tokens is not None:
        if params is None:
            raise click.UsageError("--inference-tokens takes the --params of the model to replace")
        found = _for_inference(params, tokens, inference_tokens, serving_cost_ratio)
        trained = "its best tokens by each fit" if tokens is None else f"{short(tokens)} tokens"
        title = (
            f"In place of {short(params)} parameters on {trained}: the size of the same loss that costs least with "
            f"{short(inference_tokens)} tokens served\nA FLOP of serving costs {serving_cost_ratio:g} x one of training"
        )
        print_rows(found, style, title=title, spare=("replaced_tokens", "replaced_params", "saved_flop"))
    elif (flop is None) == (params is None):
        raise click.UsageError("give --flop or --params")
    else:
        what = f"{short(params)} parameters" if params is not None else f"{flop:.3g} FLOP"
        title = f"Best for {what} by each fit: the final run alone, without experiments"
        print_rows(_optimal(flop, params), style, title=title)


@click.command()
@click.option(
    "--budget", type=Money(least="1", what="a budget"), help="USD: the largest sensible model, experiments included."
)
@click.option("--gpu-hours", type=Count(), help="With --params: the tokens that so many hours can have trained it on.")
@click.option("--params", type=Count(), help="Active parameters.")
@click.option("--sizing", type=click.Choice(SETS), help="Divide compute by this fit; default: 20 tokens per parameter.")
@click.option("--tokens-per-parameter", type=Number(0.01, 1e6, what="tokens per parameter"), help="Another ratio.")
@click.option("--experiments", type=Experiments(), help="lean, usual, first_time, exploratory or a multiplier.")
@click.option(
    "--utilisation",
    type=SHARE,
    help="Share of the dense peak, 0.40 and not 40; default: published runs.",
)
@with_options(MARKET)
@format_option
def afford(
    budget: Decimal | None,
    gpu_hours: int | None,
    params: int | None,
    utilisation: float | None,
    gpu: str | None,
    limit: int | None,
    style: str,
    **given: Any,
) -> None:
    """What a budget trains on each GPU; or what GPU-hours imply.

    On each GPU at the offer where the model is largest, on the fewest whole instances that hold it and end it within
    nine months; where no more can be joined, a part of the budget stays unspent. `lost` is what their number and
    interruptions take of the usual utilisation. Of an offer with a term, or a block, the budget pays all that has to be
    taken for the run and its experiments.
    """
    from models.costs.bill import experiments_multiplier

    if (budget is None) == (gpu_hours is None):
        raise click.UsageError("give --budget, or --gpu-hours with --params")
    if gpu_hours is not None:
        if params is None:
            raise click.UsageError("--gpu-hours takes --params")
        title = f"{short(params)} parameters in {short(gpu_hours)} GPU-hours, all of them of the final run"
        implied = [_implied(gpu_hours, params, gpu or "h100_sxm", utilisation)]
        less = ("utilisation_basis", "params_active", "gpu_hours", "tokens_per_parameter")
        print_rows(implied, style, title=title, spare=less)
        return
    found = _largest(budget, utilisation, gpu, **given)[: limit or (12 if style == "table" else None)]
    lines = {
        "provider": lambda row: row["provider"],
        "GPUs": lambda row: f"{row['gpus']:,} x {row['gpu']}",
        "offer": offer_name,
        "days": lambda row: shown_days(row["wall_days"]),
        "lost": lambda row: f"{1 - row['scale_efficiency'] * row['goodput']:.0%}",
        "USD/GPU-h": lambda row: row["usd_per_gpu_hour"],
        "parameters": lambda row: short(row["params_mid"]),
        "low to high": lambda row: f"{short(row['params_low'])} to {short(row['params_high'])}",
        "tokens": lambda row: short(row["tokens_mid"]),
        "GPU-hours": lambda row: round(row["gpu_hours"]),
        "FLOP": lambda row: f"{row['flop_mid']:.3g}",
        "sizing": lambda row: row["sizing"],
        "read": read_on,
    }
    if any(row["spent_usd"] < 0.99 * row["budget_usd"] and not row["commitment_usd"] for row in found):
        lines["spent USD"] = lambda row: short(row["spent_usd"])
    if any(row["commitment_usd"] for row in found):
        lines["to be taken"] = lambda row: short(row["commitment_usd"]) if row["commitment_usd"] else ""
    spare = ("sizing", "FLOP", "read", "lost", "GPU-hours", "days", "USD/GPU-h", "low to high", "spent USD", "offer")
    times = experiments_multiplier(given["experiments"])
    title = with_day_of_prices(
        f"{short(float(budget or 0))} USD, experiments in it: x {times:g} of the final run", found
    )
    never = "no offer holds a model of that budget"
    print_lines(found, style, lines, columns=AFFORD_COLUMNS, title=title, empty=never, spare=spare)


def _optimal(flop: float | None, params: int | None) -> list[dict[str, Any]]:
    from models.constants import constant
    from models.training.scaling_laws import (
        Size,
        by_tokens_per_parameter,
        coefficients,
        compute_optimal,
        optimal_tokens,
    )

    sizes: list[tuple[str, Size, float | None]] = []
    for name in SETS:
        best = compute_optimal(flop, name) if flop is not None else optimal_tokens(params or 0, name)
        sizes.append((name, best, coefficients(name).loss(best.params, best.tokens)))
    ratio = constant("tokens_per_parameter")
    usual = by_tokens_per_parameter(flop) if flop is not None else Size(params or 0, (params or 0) * ratio)
    return [
        {
            "coefficients": name,
            "params": best.params,
            "tokens": best.tokens,
            "tokens_per_parameter": best.tokens_per_parameter,
            "flop": best.flop,
            "loss": loss,
        }
        for name, best, loss in (*sizes, (f"{ratio:g} tokens per parameter", usual, None))
    ]


def _for_inference(params: int, tokens: int | None, inference_tokens: int, ratio: float) -> list[dict[str, Any]]:
    from models.training.scaling_laws import best_for_inference

    found = []
    for name in SETS:
        one = best_for_inference(
            params, inference_tokens, name, tokens=tokens, training_usd_per_flop=1.0, serving_usd_per_flop=ratio
        )
        found.append(
            {
                "coefficients": name,
                "replaced_params": one.replaced.params,
                "replaced_tokens": one.replaced.tokens,
                "params": one.best.params,
                "tokens": one.best.tokens,
                "saved_flop": one.saving,  # of training, serving counted at its ratio
                "saved_share": one.saving_share,
            }
        )
    return found


def _implied(gpu_hours: int, params: int, gpu: str, utilisation: float | None) -> dict[str, Any]:
    from models.costs.inverse import implied_tokens
    from models.training.utilisation import effective_utilisation, given_utilisation

    chip = chip_named(gpu)
    share = effective_utilisation(chip, "dense")
    if utilisation is not None:
        share = given_utilisation(utilisation, share.peak)
    low, mid, high = (
        implied_tokens(gpu_hours, params, share.peak.tflops, u) for u in (share.low, share.mid, share.high)
    )
    return {
        "gpu_hours": gpu_hours,
        "params_active": params,
        "gpu": chip.gpu,
        "utilisation": share.mid,
        "tokens_low": low,
        "tokens_mid": mid,
        "tokens_high": high,
        "tokens_per_parameter": mid / params,
        "utilisation_basis": share.basis,
    }


def _largest(
    budget: Decimal | None,
    utilisation: float | None,
    gpu: str | None,
    provider: str | None,
    kinds: tuple[str, ...],
    country: tuple[str, ...] | None,
    price: Decimal | None,
    sizing: Any,
    tokens_per_parameter: float | None,
    experiments: Any,
) -> list[dict[str, Any]]:
    """The largest model on the cheapest offer of each GPU that can train it, the largest first."""
    from models.costs.run_bill import commitment_usd
    from pipelines.answers.instances import largest_on, spent_usd
    from pipelines.commands.market import offers_by_chip

    found = []
    for chip, offers in offers_by_chip(gpu, provider, kinds, country, price):
        sized = {"sizing": sizing, "tokens_per_parameter": tokens_per_parameter}
        sized |= {"experiments": experiments, "utilisation": utilisation}
        largest = largest_on(chip, offers, float(budget or 0), **sized) if chip.trains else None
        if largest is None:
            continue
        offer, best = largest
        found.append(
            {"budget_usd": best.budget_usd, "spent_usd": spent_usd(offer, best, experiments)}
            | {**at_offer(offer), "min_gpus": best.min_gpus, "gpus": best.gpus}
            | {"commitment_usd": commitment_usd(offer, best.gpus, best.wall_days, experiments)}
            | {"scale_efficiency": best.scale_efficiency, "goodput": best.goodput, "wall_days": best.wall_days}
            | {"gpu_hours": best.gpu_hours}
            | {f"flop_{end}": getattr(best.flop, end) for end in ("low", "mid", "high")}
            | {f"params_{end}": getattr(best.params, end) for end in ("low", "mid", "high")}
            | {f"tokens_{end}": getattr(best.tokens, end) for end in ("low", "mid", "high")}
            | {"tokens_per_parameter": best.tokens_per_parameter, "sizing": best.sizing}
        )
    return sorted(found, key=lambda row: (-row["params_mid"], row["offer_key"]))
