"""Commands on one run beyond its estimate: what-if, phases, reliability, commitment."""

from __future__ import annotations

from dataclasses import asdict
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import click

from pipelines.commands.inputs import Count, Model, Name, Number, OfferedBy, Whole
from pipelines.commands.naming import asked_countries, at_most_all, chip_named, model_named, refuse_with_price
from pipelines.commands.options import GPUS, PRICE, SHARE, USED, country_option
from pipelines.commands.printing import format_option, print_lines, print_rows, short, shown_days

if TYPE_CHECKING:
    from models.training.phases import Phase, PhaseKind

ENDS = ("low", "mid", "high")
PHASES: tuple[PhaseKind, ...] = ("pretrain", "context_extension", "finetune", "rl")


@click.command("what-if")
@click.argument("llm", type=Model())
@click.option("--tokens", type=Count(), help="Training tokens; default: those of the model.")
@click.option("--gpu", type=Name(), default="h100_sxm", show_default=True, help="GPU, any usual spelling.")
@click.option("--gpus", type=GPUS, help="Size of the cluster; default: enough for memory and 90 days.")
@click.option(
    "--provider", type=OfferedBy(), help="Take the price of this provider; default: the cheapest on-demand offer."
)
@country_option
@click.option("--price", type=PRICE, help="USD per GPU-hour.")
@click.option("--active-params", type=Count(), help="As a mixture of experts with so many active parameters.")
@click.option("--student-params", type=Count(), help="Distilled into a student of so many parameters.")
@format_option
def what_if(
    llm: str,
    tokens: int | None,
    gpu: str,
    gpus: int | None,
    provider: str | None,
    country: tuple[str, ...] | None,
    price: Decimal | None,
    active_params: int | None,
    student_params: int | None,
    style: str,
) -> None:
    """LLM in FP8 or FP4, as a mixture of experts, distilled.

    Low precision never halves the hours. What takes longer than nine months on the cluster of the model says so.
    """
    from models.training.what_if import what_if as variants
    from pipelines.answers.one_run import rented_run

    model = model_named(llm, tokens)
    at_most_all(active_params, model.params_total)
    refuse_with_price(price, provider, country)
    chip = chip_named(gpu)
    countries = asked_countries(country, gpu=chip.gpu, provider=provider, pricings=["on_demand"])
    run = rented_run(model, chip, price, provider=provider, countries=countries, gpus=gpus)
    rent, chip = run.rent, run.chip
    found: list[dict[str, Any]] = []
    sized = {"active_params": active_params, "student_params": student_params, "gpus": run.gpus}
    for one in variants(model, chip, price=rent.usd_per_gpu_hour, **sized):
        why_not, usd = run.why_not(one.gpu_hours.mid, one.min_gpus), one.compute_usd
        found.append(
            {"llm": model.llm, "variant": one.name, "feasible": why_not is None, "why_not": why_not}
            | {"gpu": chip.gpu, "usd_per_gpu_hour": rent.usd_per_gpu_hour}
            | {f"gpu_hours_{end}": getattr(one.gpu_hours, end) for end in ENDS}
            | {"hours_ratio": one.hours_ratio, "min_gpus": one.min_gpus, **run.columns()}
            | {"wall_days": run.days_of(one.gpu_hours.mid)}
            # what cannot be done has no cost
            | {f"compute_usd_{end}": None if why_not else getattr(usd, end) for end in ENDS}
            | {"note": one.note}
        )
    spare = ("GPUs for memory", "GPUs", "low to high", "GPU-hours", "days")
    lines = {
        "variant": lambda row: row["variant"],
        "GPU-hours": lambda row: round(row["gpu_hours_mid"]),
        "x hours": lambda row: round(row["hours_ratio"], 3),
        "GPUs for memory": lambda row: row["min_gpus"],
        "GPUs": lambda row: row["gpus"],
        "days": lambda row: shown_days(row["wall_days"]),
        "final run USD": lambda row: short(row["compute_usd_mid"]) if row["feasible"] else "",
        "low to high": lambda row: (
            f"{short(row['compute_usd_low'])} to {short(row['compute_usd_high'])}" if row["feasible"] else ""
        ),
        "note": lambda row: "; ".join(filter(None, (row["why_not"], row["note"]))),
    }
    print_lines(found, style, lines, title=f"{model.llm} on {chip.gpu}\n{run.line}", notes=("note",), spare=spare)


@click.command()
@click.argument("llm", type=Model())
@click.option("--phase", "phases", multiple=True, required=True, help="kind:tokens[:context] or rl:trained:generated.")
@click.option("--gpu", type=Name(), default="h100_sxm", show_default=True, help="GPU, any usual spelling.")
@click.option("--gpus", type=GPUS, help="Size of the cluster; default: enough for memory and 90 days.")
@click.option("--utilisation", type=SHARE, help="Share of the dense peak in every phase.")
@click.option("--price", type=PRICE, help="USD per GPU-hour; default: the cheapest on-demand offer.")
@format_option
def phases(
    llm: str,
    phases: tuple[str, ...],
    gpu: str,
    gpus: int | None,
    utilisation: float | None,
    price: Decimal | None,
    style: str,
) -> None:
    """A run of several phases: pre-training, long context, RL.

    FLOP, hours and cost of each and of all, one after the other on one cluster that can end them within nine months.

    Phases: pretrain, context_extension (with its context), finetune, rl (tokens trained on and rolled out).
    For example: --phase pretrain:15T --phase context_extension:800B:131072 --phase rl:1B:20B
    """
    from functools import partial

    from models.training.phases import phase_needs, phases_requirement, total_hours
    from pipelines.answers.one_run import rented_run

    model, told = model_named(llm), [_phase(text) for text in phases]
    whole_run = partial(phases_requirement, phases=told, utilisation=utilisation)
    run = rented_run(model, chip_named(gpu), price, gpus=gpus, need=whole_run)
    usd = float(run.rent.usd_per_gpu_hour)
    needs = phase_needs(model, run.chip, told, gpus=run.gpus, utilisation=utilisation)
    whole = ("all phases", sum(n.tokens for n in needs), sum(n.flop for n in needs), total_hours(needs), "the sum")
    rows = [*((str(n.kind), n.tokens, n.flop, n.gpu_hours, n.basis) for n in needs), whole]
    found = [
        {"llm": model.llm, "phase": kind, "tokens": tokens, "flop": float(flop), "gpu_hours_low": hours.low}
        | {"gpu_hours_mid": hours.mid, "gpu_hours_high": hours.high, "usd_per_gpu_hour": usd}
        | {"usd_low": hours.low * usd, "usd_mid": hours.mid * usd, "usd_high": hours.high * usd, "basis": basis}
        | run.columns()
        | {"wall_days": run.days_of(hours.mid)}
        for kind, tokens, flop, hours, basis in rows
    ]
    lines = {
        "phase": lambda row: row["phase"],
        "tokens": lambda row: short(row["tokens"]),
        "FLOP": lambda row: f"{row['flop']:.4g}",
        "GPU-hours": lambda row: round(row["gpu_hours_mid"]),
        "days": lambda row: shown_days(row["wall_days"]),
        "USD": lambda row: short(row["usd_mid"]),
        "low to high": lambda row: f"{short(row['usd_low'])} to {short(row['usd_high'])}",
        "basis": lambda row: row["basis"],
    }
    print_lines(found, style, lines, title=f"{model.llm} on {run.chip.gpu}\n{run.line}", notes=("basis",))


@click.command()
@click.option("--gpus", type=GPUS, required=True, help="GPUs of the run.")
@click.option("--gpus-per-node", type=Whole(1, 10_000), default=8, show_default=True)
@click.option(
    "--failures",
    type=Number(0.001, 1e6, what="failures per 1,000 node-days"),
    help="Failures per 1,000 node-days; default 3.79.",
)
@click.option("--save-seconds", type=Number(0.001, 1e6, what="a save in seconds"), help="Time of a save; default 30.")
@click.option(
    "--restart-minutes", type=Number(0, 1e6, what="a restart in minutes"), help="Time of a restart; default 10."
)
@click.option(
    "--monthly-interruption", type=Number(0, 1, max_open=True, what="a share of nodes"), help="Of a spot node."
)
@format_option
def reliability(
    gpus: int,
    gpus_per_node: int,
    failures: float | None,
    save_seconds: float | None,
    restart_minutes: float | None,
    monthly_interruption: float | None,
    style: str,
) -> None:
    """How often a run stops and what that loses; also on spot.

    And how often to save.

    Hours of `cost` and `estimate` hold the failures of published runs already: this loss is not added to them.
    """
    from models.constants import constant
    from models.quantities import counted
    from models.training.reliability import interruption_loss, mtbf_hours, spare_nodes
    from models.training.spot import gang_interruptions_per_hour, per_node_hour, spot_loss

    nodes = -(-gpus // gpus_per_node)
    per_node = constant("failures_per_1000_node_days") if failures is None else failures
    save = (constant("checkpoint_save_seconds") if save_seconds is None else save_seconds) / 3600
    restart = (constant("restart_minutes") if restart_minutes is None else restart_minutes) / 60
    share = constant("spot_monthly_interruption") if monthly_interruption is None else monthly_interruption
    losses = {
        "failures": interruption_loss(mtbf_hours(nodes, per_node), save, restart),
        "spot": spot_loss(gang_interruptions_per_hour(nodes, per_node_hour(share))),
    }
    title = (
        f"{counted(gpus, 'GPU')} on {counted(nodes, 'node')}. Failures: {per_node:g} per 1,000 node-days, a save of "
        f"{save * 3600:g} s, a restart of {restart * 60:g} min; "
        f"on spot besides, told apart: {100 * share:.3g}% of nodes reclaimed a month, a save of "
        f"{constant('spot_save_minutes'):g} min, a restart of {constant('spot_restart_minutes'):g} min"
    )
    print_rows(
        [
            {
                "stopped_by": name,
                "gpus": gpus,
                "nodes": nodes,
                "mtbf_hours": loss.mtbf_hours,
                "minutes_between_saves": loss.interval_hours * 60,
                "loss": loss.share,
                "goodput": loss.goodput,
                "first_order": loss.first_order,
                "exact": loss.exact,
                "spare_nodes": spare_nodes(nodes),
            }
            for name, loss in losses.items()
        ],
        style,
        title=title,
    )


@click.command()
@click.option("--on-demand", type=PRICE, required=True, help="USD per GPU-hour by the hour.")
@click.option("--reserved", type=PRICE, required=True, help="USD per GPU-hour of the commitment.")
@click.option("--years", type=Number(0.01, 100, what="a term in years"), default=1, show_default=True)
@click.option("--used", type=USED, default=1, show_default=True, help="Share of the term used.")
@click.option(
    "--decline",
    type=Number(0, 0.99, what="a yearly decline"),
    default=0.2,
    show_default=True,
    help="Of prices, yearly.",
)
@format_option
def commitment(on_demand: Decimal, reserved: Decimal, years: float, used: float, decline: float, style: str) -> None:
    """Whether a commitment pays, and from what use on.

    With the highest price to lock in a falling market.
    """
    from models.costs.commitments import commitment as judge

    lines = {
        "on demand": lambda row: row["on_demand_usd"],
        "reserved": lambda row: row["reserved_usd"],
        "discount": lambda row: row["discount"],
        "break even use": lambda row: row["break_even_use"],
        "of a used hour": lambda row: row["effective_usd"],
        "pays by use": lambda row: row["pays_by_use"],
        "highest to lock": lambda row: row["highest_price_to_lock_usd"],
        "pays against decline": lambda row: row["pays_against_decline"],
    }
    title = (
        f"USD per GPU-hour. Years of the term: {years:g}, used: {100 * used:.3g}%, "
        f"yearly decline of prices: {100 * decline:.3g}%"
    )
    found = [asdict(judge(on_demand, reserved, years, used, decline))]
    print_lines(found, style, lines, title=title, spare=("of a used hour", "discount", "highest to lock"))


def _phase(text: str) -> Phase:
    from models.training.phases import Phase

    name, *numbers = text.split(":")
    kind = next((known for known in PHASES if known == name), None)
    if kind is None or not 1 <= len(numbers) <= 2:
        raise click.BadParameter(
            f"{text!r} is not kind:tokens or kind:tokens:more, the kind one of {', '.join(PHASES)}"
        )
    first, *more = (0 if number == "0" else int(Count().convert(number, None, None)) for number in numbers)
    if kind == "rl":
        return Phase("rl", first, generated_tokens=more[0] if more else 0)
    return Phase(kind, first, seq_len=more[0] if more else None)
