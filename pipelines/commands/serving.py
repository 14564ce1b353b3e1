"""Commands on serving a model: host it, or buy its tokens. Prices from the ledger, or one given by hand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import click

from pipelines.answers import NothingFits
from pipelines.commands.inputs import Model, Money, Name
from pipelines.commands.naming import at_offer, model_named, offer_name, read_on, with_day_of_prices
from pipelines.commands.options import SERVED, SERVING_MARKET, with_options
from pipelines.commands.printing import format_option, print_lines, short

if TYPE_CHECKING:
    from pipelines.answers.instances import Hosting


@click.command()
@click.argument("llm", type=Model())
@with_options((*SERVED, *SERVING_MARKET))
@format_option
def host(llm: str, limit: int | None, style: str, **given: Any) -> None:
    """What serving LLM costs per million output tokens, with their input, and per month.

    With the GPUs of a replica and its prefill and decode speed; with --tokens-per-month, on as many as generate them.

    Decoding is bound by memory bandwidth or arithmetic; links between the GPUs of a replica are not counted.

    Offers with a term are compared by what has to be taken to serve for a month: the shortest term comes first.
    """
    from pipelines.answers.prices import one_each

    _usual(given)
    found = [_hosting_row(llm, one, given) for one in sorted(_hostings(llm, given), key=_order(given))]
    lines = {
        "provider": lambda row: row["provider"],
        "GPUs": lambda row: f"{row['rented_gpus']:,} x {row['gpu']}",
        "offer": offer_name,
        "weights in": lambda row: row["precision"].upper(),
        "replicas": lambda row: row["replicas"],
        "bound by": lambda row: row["decode_bound"],
        "output tok/s": lambda row: round(row["output_tokens_per_second"]),
        "input tok/s": lambda row: round(row["input_tokens_per_second"]),
        "USD/h": lambda row: row["usd_per_hour"],
        "USD/month": lambda row: short(row["monthly_usd"]),
        "USD/M": lambda row: row["usd_per_million_output"],
        "output alone, fully used": lambda row: row["usd_per_million_output_full"],
        "read": read_on,
    }
    _shown_terms(lines, found)
    if any(row["sold_out"] for row in found):
        lines["stock"] = lambda row: "sold out when it was read" if row["sold_out"] else ""
    found = one_each(found, "provider", "pricing")[: limit or (15 if style == "table" else None)]
    print_lines(
        found,
        style,
        lines,
        title=with_day_of_prices(f"{llm}: {_said_of_use(given)}", found),
        empty="no offer holds it",
        notes=("stock",),
        spare=(
            "read", "input tok/s", "bound by", "output alone, fully used", "replicas", "USD/h", "weights in",
            "output tok/s", "offer", "USD/month",
        ),
    )  # fmt: skip


@click.command()
@click.argument("llm", type=Model())
@click.option(
    "--api",
    type=Name(),
    help="API model to compare with, such as gpt-5; default: LLM itself at every API that lists it.",
)
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
@with_options((*SERVED, *SERVING_MARKET))
@format_option
def buy(
    llm: str,
    api: str | None,
    api_price: Decimal | None,
    api_input_price: Decimal,
    limit: int | None,
    style: str,
    **given: Any,
) -> None:
    """Serve LLM on rented GPUs, or buy its tokens at an API.

    The volume a month from which serving it oneself is cheaper.

    Against the GPUs that are paid off by the least tokens of those that can generate so many; with --tokens-per-month,
    against those of `host`. Of a term all counts that has to be taken to serve for a month. Whether another model is as
    good is not judged. API prices come from the list of the package genai-prices, which names its pages.
    """
    _usual(given)
    own = sorted(_hostings(llm, given), key=_order(given))
    found = [_break_even_row(llm, price, own, given) for price in _api_prices(llm, api, api_price, api_input_price)]
    found.sort(key=lambda row: (row["usd_per_million_output"], row["api_provider"], row["api_model"]))
    lines = {
        "API": lambda row: row["api_provider"],
        "model": lambda row: row["api_model"].rpartition("/")[2],
        "USD/M": lambda row: row["usd_per_million_output"],
        "own GPUs": lambda row: f"{row['rented_gpus']:,} x {row['gpu']}",
        "at": lambda row: row["provider"],
        "offer": offer_name,
        "USD/month": lambda row: short(row["monthly_usd"]),
        "they generate": lambda row: short(row["capacity_tokens_per_month"]),
        "break-even": lambda row: short(row["break_even_tokens_per_month"]),
        "own pays": lambda row: row["reachable"],
        "rent read": read_on,
    }
    _shown_terms(lines, found)
    spare = ["rent read", "they generate", "model", "USD/month", "offer", "at"]
    if given["tokens_per_month"] is not None:
        spare[3:4] = ["break-even", "USD/M"]
        del lines["own pays"]
        lines["API bill"] = lambda row: short(row["api_bill_usd"])
        lines["cheaper"] = lambda row: row["cheaper"]
    found = found[: limit or (15 if style == "table" else None)]
    title = f"{llm}: {_said_of_use(given)}; break-even: output tokens a month\n{_said_of_apis(found)}"
    title = with_day_of_prices(title, found, "rents")
    print_lines(found, style, lines, title=title, empty="no offer holds it", spare=spare)


def _usual(given: dict[str, Any]) -> None:
    """Fill the use and the input that are not given."""
    from models.constants import constant

    given["used"] = given["used"] or constant("serving_utilisation")
    if given["input_per_output"] is None:
        given["input_per_output"] = constant("input_tokens_per_output")


def _said_of_use(given: dict[str, Any]) -> str:
    """What both commands take for granted of the traffic."""
    volume = given["tokens_per_month"]
    tokens = "" if volume is None else f"{short(volume)} output tokens a month; "
    return (
        f"{tokens}USD/M is of output tokens, each with {given['input_per_output']:g} of input (--input-per-output)\n"
        f"Own GPUs are used to {100 * given['used']:.3g}% of their capacity (--used)"
    )


def _said_of_apis(found: Sequence[dict[str, Any]]) -> str:
    """Where the prices of the APIs are from: the list has no day, its version tells it."""
    lists = sorted({row["list_version"] for row in found} - {""})
    return (
        f"API prices by the list of {', '.join(lists)}; --format json names the page of each"
        if lists
        else "API price as given"
    )


def _order(given: dict[str, Any]) -> Callable[[Hosting], Any]:
    """What is cheapest first: of a million tokens, or of all that are asked for; sold out ones last."""

    def key(one: Hosting) -> tuple[Any, ...]:
        due, per_token = _due_usd(one, given), one.monthly_usd / _capacity(one, given)
        cost = due if given["tokens_per_month"] is not None else per_token * due / one.monthly_usd
        return one.sold_out, cost, per_token, one.offer.offer_key

    return key


def _due_usd(one: Hosting, given: dict[str, Any]) -> float:
    """What serving for a month takes: the whole of a term, unless its rest is used."""
    return one.monthly_usd if given["rest_of_term_used"] else one.due_usd


def _capacity(one: Hosting, given: dict[str, Any]) -> float:
    """Output tokens a month of all replicas, as they are used and with their input."""
    from models.costs.hosting import capacity_per_month

    return one.replicas * capacity_per_month(one.one, given["input_per_output"], given["used"])


def _shown_terms(lines: dict[str, Any], found: Sequence[dict[str, Any]]) -> None:
    """Add what has to be taken, where it is more than a month."""
    if any((row["commitment_usd"] or 0) > row["monthly_usd"] for row in found):
        lines["to be taken"] = lambda row: short(row["commitment_usd"]) if row["commitment_usd"] else ""


def _hostings(llm: str, given: dict[str, Any]) -> list[Hosting]:
    from models.costs.hosting import Replica, replicas_for, served
    from pipelines.answers.instances import hostings, why_not_hosted
    from pipelines.commands.market import offers_by_chip

    def replicas(one: Replica) -> int:
        return replicas_for(given["tokens_per_month"] or 0, one, given["input_per_output"], given["used"])

    market = ("gpu", "provider", "kinds", "country", "price")
    offers = offers_by_chip(*(given[name] for name in market))
    model = served(model_named(llm), given["precision"])
    asked = {"batch": given["batch"], "context": given["context"], "gpus_of_replica": given["gpus"], "offers": offers}
    if found := list(hostings(model, **asked, replicas=replicas)):
        return found
    raise NothingFits(f"no offer there serves {llm}: {why_not_hosted(model, **asked)}")


def _hosting_row(llm: str, one: Hosting, given: dict[str, Any]) -> dict[str, Any]:
    from models.constants import constant
    from models.costs.hosting import MILLION, usd_per_million
    from pipelines.answers.instances import fees_usd

    capacity = _capacity(one, given)
    row = {"llm": llm, **at_offer(one.offer), "sold_out": one.sold_out}
    row |= {"replica_gpus": one.one.gpus, "rented_gpus": one.rented_gpus}
    row |= {"replicas": one.replicas, "precision": one.one.precision, "batch": given["batch"]}
    row |= {"context": given["context"], "decode_bound": one.one.decode_bound}
    row |= {"output_tokens_per_second": one.output_tokens_per_second}
    row |= {"input_tokens_per_second": one.replicas * one.one.prefill_tokens_per_second}
    row |= {"usd_per_hour": one.usd_per_hour, "monthly_usd": one.monthly_usd, "commitment_usd": one.commitment_usd}
    row |= {"setup_usd": fees_usd(one.offer, one.rented_gpus)}
    row |= {"annual_usd": one.usd_per_hour * constant("hours_per_year")}
    row |= {"used": given["used"], "input_per_output": given["input_per_output"], "output_tokens_per_month": capacity}
    row |= {"usd_per_million_output": one.monthly_usd / capacity * MILLION}
    row |= {"usd_per_million_output_full": usd_per_million(one.usd_per_hour, one.output_tokens_per_second)}
    if given["tokens_per_month"] is not None:
        row |= {"tokens_per_month": given["tokens_per_month"], "bill_usd_per_month": one.monthly_usd}
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


def _break_even_row(llm: str, price: Any, own: Sequence[Hosting], given: dict[str, Any]) -> dict[str, Any]:
    """The first of `own` that generates the tokens given; without, that which breaks even at the smallest volume.

    Where none generates so much as to break even, that which comes nearest.
    """
    from models.costs.build_or_buy import break_even_tokens, with_input_usd
    from models.costs.hosting import MILLION

    ratio, tokens = given["input_per_output"], given["tokens_per_month"]
    usd = with_input_usd(price.input_usd_per_million, price.output_usd_per_million, ratio)

    def volume(one: Hosting) -> float:
        return break_even_tokens(_due_usd(one, given), usd)

    def rank(one: Hosting) -> tuple[Any, ...]:
        share = volume(one) / _capacity(one, given)
        return share > 1, one.sold_out, volume(one) if share <= 1 else share, one.offer.offer_key

    best = min(own, key=rank) if tokens is None else own[0]
    capacity = _capacity(best, given)
    row = {"llm": llm, "api_provider": price.api_provider, "api_model": price.api_model}
    row |= {
        "input_usd_per_million": price.input_usd_per_million,
        "output_usd_per_million": price.output_usd_per_million,
    }
    row |= {"used": given["used"], "input_per_output": ratio, "usd_per_million_output": usd, **at_offer(best.offer)}
    row |= {"sold_out": best.sold_out, "rented_gpus": best.rented_gpus, "replicas": best.replicas}
    row |= {"monthly_usd": best.monthly_usd, "commitment_usd": best.commitment_usd}
    row |= {"break_even_tokens_per_month": volume(best), "capacity_tokens_per_month": capacity}
    row |= {"reachable": volume(best) <= capacity}
    if tokens is not None:
        bill = tokens / MILLION * float(usd)
        row |= {"api_bill_usd": bill, "own_bill_usd": best.monthly_usd}
        row |= {"cheaper": "own" if _due_usd(best, given) < bill else "api"}
    return row | {"pricing_url": price.pricing_url, "list_version": price.list_version}
