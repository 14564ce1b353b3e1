"""Commands on serving a model: host it, or buy its tokens. Prices from the ledger, or one given by hand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import click

from pipelines.answers import NothingFits
from pipelines.commands.inputs import Count, Model, Money, Number
from pipelines.commands.naming import at_offer, model_named, offer_name
from pipelines.commands.options import GPUS, SERVING_MARKET, TOKENS_OF_CONTEXT, USED, with_options
from pipelines.commands.printing import format_option, print_lines, short

if TYPE_CHECKING:
    from pipelines.answers.instances import Hosting

PER_TOKEN = "usd_per_million_output"
_SERVED = (
    click.option(
        "--precision",
        type=click.Choice(["bf16", "fp8", "fp4"]),
        default="fp8",
        show_default=True,
        help="Of the weights; a GPU without it takes the next it has: FP8, then 16 bits.",
    ),
    click.option(
        "--batch", type=click.IntRange(1, 10**6), default=64, show_default=True, help="Sequences decoded at once."
    ),
    click.option(
        "--context", type=Count(TOKENS_OF_CONTEXT), default="2048", show_default=True, help="Tokens of context of each."
    ),
    click.option("--gpus", type=GPUS, help="GPUs of a replica; default: the fewest that hold it."),
)


@click.command()
@click.argument("llm", type=Model())
@click.option("--used", type=USED, help="Share of the capacity used; default 0.4.")
@click.option("--tokens-per-month", type=Count(), help="Output tokens a month: what serving them costs.")
@with_options(_SERVED)
@with_options(SERVING_MARKET)
@format_option
def host(
    llm: str, used: float | None, tokens_per_month: int | None, limit: int | None, style: str, **given: Any
) -> None:
    """What serving LLM costs per million tokens and per month.

    With the GPUs of a replica and its prefill and decode speed.

    Decoding is bound by memory bandwidth or arithmetic; links between the GPUs of a replica are not counted.

    Offers with a term are compared by what has to be taken to serve for a month: the shortest term comes first.
    """
    from models.constants import constant
    from pipelines.answers.prices import one_each

    share = used or constant("serving_utilisation")
    rows = [(one, _hosting_row(llm, one, share, tokens_per_month, given)) for one in _hostings(llm, given)]
    order = PER_TOKEN if tokens_per_month is None else "bill_usd_per_month"
    rows.sort(key=lambda one: (one[1]["sold_out"], one[1][order] * one[0].due, one[1][PER_TOKEN], one[1]["offer_key"]))
    found = [row for _, row in rows]
    lines = {
        "provider": lambda row: row["provider"] + (" (sold out)" if row["sold_out"] else ""),
        "GPUs": lambda row: f"{row['rented_gpus']:,} x {row['gpu']}",
        "offer": offer_name,
        "weights in": lambda row: row["precision"].upper(),
        "replicas": lambda row: row["replicas"],
        "bound by": lambda row: row["decode_bound"],
        "output tok/s": lambda row: round(row["output_tokens_per_second"]),
        "input tok/s": lambda row: round(row["input_tokens_per_second"]),
        "USD/h": lambda row: row["usd_per_hour"],
        "USD/month": lambda row: short(row["monthly_usd"]),
        f"USD/M output at {share:.0%}": lambda row: row["usd_per_million_output"],
        "fully used": lambda row: row["usd_per_million_output_full"],
        "price seen": lambda row: row["observed_at"] and row["observed_at"].date(),
    }
    _shown_terms(lines, found)
    if tokens_per_month is not None:
        lines["USD for so many tokens"] = lambda row: short(row["bill_usd_per_month"])
    print_lines(
        one_each(found, "provider", "pricing")[: limit or (15 if style == "table" else None)],
        style,
        lines,
        empty="no offer holds it",
        spare=("price seen", "input tok/s", "bound by", "offer", "fully used", "replicas", "USD/h"),
    )


@click.command()
@click.argument("llm", type=Model())
@click.option("--api", help="API model to compare with, such as gpt-5; default: LLM itself at every API that lists it.")
@click.option(
    "--api-price",
    type=Money(False, "0.000001", "1e6", "a price of a million tokens"),
    help="USD per million output tokens, in place of the list's.",
)
@click.option(
    "--api-input-price",
    type=Money(most="1e6", what="a price of a million tokens"),
    default="0",
    help="USD per million input tokens; with --api-price.",
)
@click.option(
    "--input-per-output",
    type=Number(0, 1e6, what="input tokens per output token"),
    help="Input tokens with each output token; default 3.",
)
@click.option("--tokens-per-month", type=Count(), help="Output tokens a month: what each way costs.")
@with_options(_SERVED)
@with_options(SERVING_MARKET)
@format_option
def buy(
    llm: str,
    api: str | None,
    api_price: Decimal | None,
    api_input_price: Decimal,
    input_per_output: float | None,
    tokens_per_month: int | None,
    limit: int | None,
    style: str,
    **given: Any,
) -> None:
    """Serve LLM on rented GPUs, or buy its tokens at an API.

    The volume a month from which serving it oneself is cheaper.

    Against the GPUs that cost least a month of those that can generate so much at all. Whether another model is as
    good is not judged. API prices come from the list of the package genai-prices, which names its pages.
    """
    from models.constants import constant

    ratio = constant("input_tokens_per_output") if input_per_output is None else input_per_output
    own = _hostings(llm, given)
    found = [
        _break_even_row(llm, price, own, ratio, tokens_per_month)
        for price in _api_prices(llm, api, api_price, api_input_price)
    ]
    found.sort(key=lambda row: (row["usd_per_million_output"], row["api_provider"], row["api_model"]))
    lines = {
        "API": lambda row: row["api_provider"],
        "model": lambda row: row["api_model"].rpartition("/")[2],
        "USD/M with input": lambda row: row["usd_per_million_output"],
        "own": lambda row: f"{row['rented_gpus']:,} x {row['gpu']} at {row['provider']}",
        "offer": offer_name,
        "USD/month": lambda row: short(row["monthly_usd"]),
        "break-even tokens/month": lambda row: short(row["break_even_tokens_per_month"]),
        "they generate at most": lambda row: short(row["capacity_tokens_per_month"]),
        "own pays": lambda row: row["reachable"],
        "price seen": lambda row: row["observed_at"] and row["observed_at"].date(),
    }
    _shown_terms(lines, found)
    if tokens_per_month is not None:
        lines["API bill"] = lambda row: short(row["api_bill_usd"])
        lines["own bill"] = lambda row: short(row["own_bill_usd"])
    print_lines(
        found[: limit or (15 if style == "table" else None)],
        style,
        lines,
        empty="no offer holds it",
        spare=("price seen", "offer"),
    )


def _shown_terms(lines: dict[str, Any], found: Sequence[dict[str, Any]]) -> None:
    """Add what has to be taken, where it is more than a month."""
    if any((row["commitment_usd"] or 0) > row["monthly_usd"] for row in found):
        lines["to be taken"] = lambda row: short(row["commitment_usd"]) if row["commitment_usd"] else ""


def _hostings(llm: str, given: dict[str, Any]) -> list[Hosting]:
    from models.costs.hosting import served
    from pipelines.answers.instances import hostings, why_not_hosted
    from pipelines.commands.market import offers_by_chip

    offers = offers_by_chip(given["gpu"], given["provider"], given["kinds"], given["price"])
    model = served(model_named(llm), given["precision"])
    asked = {"batch": given["batch"], "context": given["context"], "gpus_of_replica": given["gpus"], "offers": offers}
    if found := list(hostings(model, **asked)):
        return found
    raise NothingFits(f"no offer there serves {llm}: {why_not_hosted(model, **asked)}")


def _hosting_row(
    llm: str, one: Hosting, share: float, tokens_per_month: int | None, given: dict[str, Any]
) -> dict[str, Any]:
    from models.constants import constant
    from models.costs.hosting import replicas_for, usd_per_million
    from pipelines.answers.instances import fees_usd

    row = {"llm": llm, **at_offer(one.offer), "replica_gpus": one.one.gpus, "rented_gpus": one.rented_gpus}
    row |= {"replicas": one.replicas, "precision": one.one.precision, "batch": given["batch"]}
    row |= {"context": given["context"], "decode_bound": one.one.decode_bound}
    row |= {"output_tokens_per_second": one.output_tokens_per_second}
    row |= {"input_tokens_per_second": one.replicas * one.one.prefill_tokens_per_second}
    row |= {"usd_per_hour": one.usd_per_hour, "monthly_usd": one.monthly_usd, "commitment_usd": one.commitment_usd}
    row |= {"setup_usd": fees_usd(one.offer, one.rented_gpus)}
    row |= {"annual_usd": one.usd_per_hour * constant("hours_per_year"), "used": share}
    row |= {"usd_per_million_output": usd_per_million(one.usd_per_hour, one.output_tokens_per_second, share)}
    row |= {"usd_per_million_output_full": usd_per_million(one.usd_per_hour, one.output_tokens_per_second)}
    if tokens_per_month is not None:
        needed = math.ceil(replicas_for(tokens_per_month, one.one, share) / one.replicas)
        row |= {"instances_needed": needed, "bill_usd_per_month": needed * one.monthly_usd}
    return row


def _api_prices(llm: str, api: str | None, api_price: Decimal | None, input_price: Decimal) -> list[Any]:
    from pipelines.frames.api_prices import ApiPrice, api_prices, api_prices_of

    if api_price is not None:
        return [ApiPrice(llm, "given", api or llm, input_price, api_price, "", "")]
    if api:
        return api_prices_of(api)
    found = api_prices([model_named(llm)])
    if not found:
        raise click.UsageError(f"no API lists a price for {llm}; name a model with --api, or give --api-price")
    return found


def _break_even_row(
    llm: str, price: Any, own: Sequence[Hosting], ratio: float, tokens_per_month: int | None
) -> dict[str, Any]:
    """The hosting that breaks even at the smallest volume it can generate, else the one that comes nearest."""
    from models.costs.build_or_buy import break_even_tokens, capacity_per_month, with_input_usd

    usd = with_input_usd(price.input_usd_per_million, price.output_usd_per_million, ratio)
    compared = []
    for one in own:
        volume, capacity = break_even_tokens(one.monthly_usd, usd), one.replicas * capacity_per_month(one.one, ratio)
        reachable = volume <= capacity
        rank = volume if reachable else volume / capacity
        compared.append((not reachable, rank * one.due, one.offer.offer_key, one, volume, capacity))
    unreachable, _, _, best, volume, capacity = min(compared, key=lambda each: each[:3])
    month = best.monthly_usd
    row = {"llm": llm, "api_provider": price.api_provider, "api_model": price.api_model}
    row |= {
        "input_usd_per_million": price.input_usd_per_million,
        "output_usd_per_million": price.output_usd_per_million,
    }
    row |= {"input_per_output": ratio, "usd_per_million_output": usd, **at_offer(best.offer)}
    row |= {"rented_gpus": best.rented_gpus, "replicas": best.replicas, "monthly_usd": month}
    row |= {"commitment_usd": best.commitment_usd}
    row |= {"break_even_tokens_per_month": volume, "capacity_tokens_per_month": capacity, "reachable": not unreachable}
    if tokens_per_month is not None:
        bill = tokens_per_month / 1e6 * float(usd)
        needed = max(1, math.ceil(tokens_per_month / capacity))
        row |= {
            "api_bill_usd": bill,
            "own_bill_usd": needed * month,
            "cheaper": "own" if needed * month < bill else "api",
        }
    return row | {
        "pricing_url": price.pricing_url,
        "list_version": price.list_version,
    }
