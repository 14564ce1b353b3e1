"""From a name that people type to what is called so, and from an offer to what people call it.

A name that is not known is wrong usage: the error lists those there are, the nearest first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import click

from models.offer_names import readable
from pipelines.answers import READ_FROM

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from models.gpu_table import Gpu
    from models.llms import Llm
    from models.training.clusters import RentalOffer

MOST_NAMES = 100  # that an error lists


def known_name(name: str, known: Sequence[str], what: str) -> str:
    """The name if it is known, else a usage error."""
    if name not in known:
        raise unknown(name, known, what)
    return name


def unknown(name: str, known: Sequence[str], what: str) -> click.BadParameter:
    """The error that lists the names there are, the nearest first; of very many only those."""
    from difflib import SequenceMatcher

    nearest = sorted(known, key=lambda one: -SequenceMatcher(None, name.casefold(), one.casefold()).ratio())
    listed = nearest if len(nearest) <= MOST_NAMES else [*nearest[:10], f"and {len(nearest) - 10} more"]
    return click.BadParameter(f"no {what} is called {name!r}; there are {', '.join(listed)}")


def at_most_all(active_params: int | None, params: int) -> None:
    """A usage error where more parameters are active than there are."""
    if active_params is not None and active_params > params:
        raise click.UsageError(f"{active_params:,} active parameters are more than all {params:,} of the model")


def chip_named(text: str) -> Gpu:
    """A GPU, or a family, by its slug or any spelling that resolves; a usage error brings the nearest names."""
    from models.gpus import gpus, resolve

    if text in gpus():
        return gpus()[text]
    found = resolve(text)
    if found is None:
        raise unknown(text, list(gpus()), "GPU")
    return found.gpu


def countries_named(ledger: DuckDBPyConnection, names: Sequence[str] | None) -> list[str] | None:
    """ISO 3166 codes of what is named, groups with all their members; None where nothing is.

    A country without an offer is said on standard error; where none of them has one it is a usage error. Either brings
    the code of a name that is none: UK, Germany.
    """
    from models.regions import GROUPS, country_of
    from warehouse.database import rows

    if not names:
        return None
    found = rows(ledger, "SELECT DISTINCT country FROM price_history WHERE country IS NOT NULL")
    offered = {row["country"] for row in found}
    codes = list(dict.fromkeys(code for name in names for code in sorted(GROUPS.get(name, {name}))))
    without = [name for name in names if not GROUPS.get(name, {name}) & offered]
    meant = [code for name in without if (code := country_of("", name)) and code != name]
    hint = f", did you mean {', '.join(meant)}?" if meant else ""
    if not offered.intersection(codes):
        there = ", ".join(sorted(offered | set(GROUPS)))
        raise click.BadParameter(f"nothing is offered in {', '.join(names)}{hint or ';'} there are {there}")
    if without:
        click.echo(f"nothing is offered in {', '.join(without)}{hint}", err=True)
    return codes


def asked_countries(
    names: Sequence[str] | None,
    *,
    gpu: str | None = None,
    provider: str | None = None,
    pricings: Sequence[str] | None = None,
) -> list[str] | None:
    """The same by the published ledger, with a word on the offers asked for that say no country and are left out."""
    from pipelines.answers.prices import rental_offers
    from pipelines.home import home
    from warehouse.database import opened_to_read

    if not names:
        return None
    with opened_to_read(home().ledger) as ledger:
        codes = countries_named(ledger, names)
        offers = rental_offers(ledger, gpu=gpu, provider=provider, pricings=pricings)
    say_unplaced([offer.provider for offer in offers if offer.country is None])
    return codes


def say_unplaced(providers: Sequence[str]) -> None:
    """Say, beside what a choice of countries left, how many more might stand there: each by its provider."""
    if providers:
        do = "does not say its" if len(providers) == 1 else "do not say their"
        of = ", ".join(sorted(set(providers)))
        click.echo(f"{len(providers):,} more, of {of}, {do} country: look without --country", err=True)


def say_removed(ledger: DuckDBPyConnection, providers: Iterable[str]) -> None:
    """Say of which sources prices are shown though nobody looks at them any more; nothing of none."""
    from warehouse.database import rows

    removed = {row["provider"] for row in rows(ledger, "FROM core.removed_source")}
    if shown := sorted(removed.intersection(providers)):
        click.echo(f"{', '.join(shown)}: no such source any more; prices stand as they were last read", err=True)


def refuse_with_price(price: Decimal | None, *sellers: object) -> None:
    """Raises a usage error where a price is given by hand, and a seller or a country of it besides."""
    if price is not None and any(sellers):
        raise click.UsageError("--price is given by hand, of no offer: leave --provider, --country and --offer-key out")


def model_named(name: str, tokens: int | None = None) -> Llm:
    """A model of the table, on other tokens where given."""
    from dataclasses import replace

    from models.llms import llm_named

    llm = llm_named(name)
    return llm if tokens is None else replace(llm, tokens=tokens)


def at_offer(offer: RentalOffer) -> dict[str, Any]:
    """The columns that say which offer a row is of, and where its price was read."""
    which = ("provider", "pricing", "term_months", "gpu", "sku", "region", "country", "offered_until")
    return {name: getattr(offer, name) for name in (*which, "usd_per_gpu_hour", "sold_out", *READ_FROM)}


def offer_name(row: Mapping[str, Any]) -> str:
    """SKU and region of a row as people know them, and its last day if it has one: its GPUs stand beside."""
    until = row.get("offered_until")
    return f"{readable(row['sku'])} {readable(row['region'])}".strip() + (f", to {until}" if until else "")


def with_day_of_prices(title: str, found: Sequence[Mapping[str, Any]], what: str = "prices") -> str:
    """The title of a table of prices, and in a line of its own the days they were read and whether they are recordings.

    A price given by hand has no day.
    """
    read = [row for row in found if row["observed_at"]]
    if not read:
        return title
    days = sorted({row["observed_at"].date() for row in read})
    recorded = sum(row["origin"] == "recorded" for row in read)
    some = f"{what.capitalize()}, some of them recorded," if recorded else what.capitalize()
    whose = f"Recorded {what}" if recorded == len(read) else some
    told = f"{whose} of {days[0]}" if len(days) == 1 else f"{whose} of {days[0]} to {days[-1]}"
    return f"{title}\n{told}" if title else told


def read_on(row: Mapping[str, Any]) -> str:
    """The day of the look that saw the price of a row, and that it was live, recorded or how it was recorded."""
    return f"{row['observed_at'].date()} {row.get('form') or row['origin']}" if row["observed_at"] else ""
