"""`gpuledger finetune`: what adapting a model costs, by method and provider."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import click

from pipelines.answers import READ_FROM
from pipelines.commands.inputs import Count, Model, Names, Number
from pipelines.commands.naming import at_offer, chip_named, model_named, offer_name, read_on, with_day_of_prices
from pipelines.commands.options import MARKET, SHARE, with_options
from pipelines.commands.printing import format_option, print_lines, short

if TYPE_CHECKING:
    from models.gpu_table import Gpu
    from models.llms import Llm
    from models.training.clusters import RentalOffer

COLUMNS = (
    "llm", "method", "provider", "pricing", "term_months", "gpu", "sku", "region", "country", "offered_until",
    "usd_per_gpu_hour", "setup_usd",
    "commitment_usd", "gpus", "tokens", "flop", "gpu_hours",
    "wall_hours", "usd_low", "usd_mid", "usd_high", "state_gb", "min_gpus", "sold_out", *READ_FROM,
)  # fmt: skip
METHOD_NAMES = ("full", "lora", "qlora", "dpo")


@click.command()
@click.argument("llm", type=Model())
@click.option("--tokens", type=Count(), default="1B", show_default=True, help="Tokens of the job, one epoch.")
@click.option("--epochs", type=Number(0.001, 10_000, what="the epochs"), default=1, show_default=True)
@click.option("--method", "methods", type=Names(METHOD_NAMES), default=",".join(METHOD_NAMES), show_default=True)
@click.option("--utilisation", type=SHARE, help="Share of the dense peak; default 0.35, from 0.25 to 0.40.")
@with_options(MARKET)
@format_option
def finetune(
    llm: str,
    tokens: int,
    epochs: float,
    methods: tuple[Any, ...],
    utilisation: float | None,
    limit: int | None,
    style: str,
    gpu: str | None,
    provider: str | None,
    kinds: tuple[str, ...],
    country: tuple[str, ...] | None,
    price: Decimal | None,
) -> None:
    """What fine-tuning LLM costs: full, LoRA, QLoRA, DPO.

    On the cheapest offer of each provider that holds it and ends it within nine months, in a block as long as that
    lasts; a term or block is paid to its end, used or not.

    `by utilisation`, `usd_low` and `usd_high` in JSON, is the cost from the high end of the utilisation to the low one:
    the range that is usual of it, and no P10 to P90.

    The base model was trained before and is not in the cost. Below one GPU-hour the set-up dominates.
    """
    from models.training.requirement import why_no_requirement
    from pipelines.answers import NothingFits
    from pipelines.commands.market import offers_by_chip

    if gpu and (reason := why_no_requirement(chip_named(gpu))):
        raise NothingFits(f"no offer of {chip_named(gpu).gpu} counts: {reason}")
    model, market = model_named(llm), offers_by_chip(gpu, provider, kinds, country, price)
    most = limit or (5 if style == "table" else None)
    found = [row for method in methods for row in _jobs(model, method, tokens, epochs, utilisation, market)[:most]]
    lines = {
        "method": lambda row: row["method"],
        "provider": lambda row: row["provider"] + (" (sold out)" if row["sold_out"] else ""),
        "GPUs": lambda row: f"{row['gpus']:,} x {row['gpu']}",
        "offer": offer_name,
        "USD/GPU-h": lambda row: row["usd_per_gpu_hour"],
        "GPU-hours": lambda row: row["gpu_hours"],
        "hours": lambda row: short(row["wall_hours"]),
        "USD": lambda row: short(row["usd_mid"]),
        "by utilisation": lambda row: f"{short(row['usd_low'])} to {short(row['usd_high'])}",
        "read": read_on,
    }
    if any(row["commitment_usd"] for row in found):
        lines["to be taken"] = lambda row: short(row["commitment_usd"]) if row["commitment_usd"] else ""
    never = "no offer holds it and ends it within nine months, or its longest block"
    passes = f" x {epochs:g} epochs" if epochs != 1 else ""
    title = with_day_of_prices(f"{model.llm} on {short(tokens)} tokens{passes}, set-up and fees included", found)
    spare = ("read", "GPU-hours", "by utilisation", "USD/GPU-h", "offer", "hours")
    print_lines(found, style, lines, columns=COLUMNS, title=title, empty=never, spare=spare)


def _jobs(
    model: Llm,
    method: Any,
    tokens: int,
    epochs: float,
    utilisation: float | None,
    market: Iterable[tuple[Gpu, Sequence[RentalOffer]]],
) -> list[dict[str, Any]]:
    """The cheapest job of each provider and kind of price."""
    from models.constants import constant
    from models.costs.run_bill import commitment_usd, longest_days, paid_hours
    from models.peak import NoPeak
    from models.training.clusters import joinable_gpus
    from models.training.finetuning import fine_tune, group_of
    from models.training.requirement import HOURS_PER_DAY
    from pipelines.answers.instances import fees_usd, whole_instances
    from pipelines.answers.prices import one_each

    found, set_up = [], constant("finetune_setup_hours")
    for chip, offers in market:
        if not chip.trains:
            continue
        try:
            least = fine_tune(model, chip, tokens, method, epochs=epochs, utilisation=utilisation)
        except NoPeak:
            continue
        for offer in offers:
            longest_hours = longest_days(offer) * HOURS_PER_DAY - set_up
            if longest_hours <= 0:  # it ends on the day of the look
                continue
            in_time = math.ceil(least.gpu_hours.mid / longest_hours)
            wanted = max(least.gpus, group_of(in_time, chip.gpus_per_node_typical or 1))
            rented = whole_instances(offer, wanted)
            if rented > joinable_gpus(offer) or (offer.term_months and offer.pricing == "on_demand"):
                continue
            job = fine_tune(
                model, chip, tokens, method,
                epochs=epochs, utilisation=utilisation, gpus=rented, price=offer.usd_per_gpu_hour,
            )  # fmt: skip
            assert job.usd is not None
            fees = fees_usd(offer, rented)
            taken = commitment_usd(offer, rented, job.wall_hours / HOURS_PER_DAY, 1.0)
            billed = job.billed_gpu_hours
            if not offer.term_months and offer.pricing != "capacity_block":  # those are told beside the job
                billed, _, _ = paid_hours(offer, billed, rented, job.wall_hours / HOURS_PER_DAY, 1.0)
            usd = billed.times(float(offer.usd_per_gpu_hour))
            found.append(
                {"llm": model.llm, "method": method, **at_offer(offer), "gpus": rented, "tokens": job.tokens}
                | {"flop": job.flop, "gpu_hours": billed.mid, "wall_hours": job.wall_hours}
                | {"usd_low": usd.low + fees, "usd_mid": usd.mid + fees, "usd_high": usd.high + fees}
                | {"setup_usd": fees, "commitment_usd": taken}
                | {"state_gb": job.state_gb, "min_gpus": job.min_gpus}
            )
    found.sort(key=_due)
    return one_each(found, "provider", "pricing")


def _due(row: dict[str, Any]) -> tuple[bool, float, str]:
    """Sold out last, then by all that is to be paid."""
    taken = (row["commitment_usd"] or 0) + row["setup_usd"]
    return row["sold_out"], max(row["usd_mid"], taken), row["offer_key"]
