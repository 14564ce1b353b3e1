"""Commands that read prices and their costs from the published ledger: status, offers, cost."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import click

from models.gpu_table import meant_by
from models.offer_names import readable
from pipelines.commands.inputs import Model, Money, Name, Number, Whole
from pipelines.commands.naming import (
    chip_named,
    countries_named,
    model_named,
    offer_name,
    read_on,
    say_removed,
    say_unplaced,
    with_day_of_prices,
)
from pipelines.commands.options import PRICINGS, country_option, pricing_option, provider_option
from pipelines.commands.printing import format_option, print_rows, short, shown_days
from pipelines.home import home

_STATUS = """
SELECT provider, status, last_looked_at, age_hours, allowed_hours, oldest_offer_at, offers, rejected, code, reason
FROM provider_freshness ORDER BY provider
"""
_OFFERS = """
SELECT provider, gpu, gpu_count, sku, region, country, pricing, term_months, tier, minimum_gpus,
    minimum_hours, offered_until, usd_per_gpu_hour, usd_per_hour, list_price, currency, unit, fx_rate, fx_date,
    setup_usd, available, observed_at, origin, offer.form, url AS page_url, page_sha256, offer_key
FROM price_now AS offer LEFT JOIN price_page USING (provider, page_sha256)
WHERE ($gpus IS NULL OR list_contains($gpus, gpu))
  AND ($provider IS NULL OR provider = $provider)
  AND ($pricing IS NULL OR list_contains($pricing, pricing))
  AND ($country IS NULL OR list_contains($country, country))
  AND ($min_gpus IS NULL OR gpu_count >= $min_gpus)
  AND ($max_price IS NULL OR usd_per_gpu_hour <= $max_price)
  AND coalesce(offered_until >= $today, true)
"""
_MOST_ROWS = 10**9
MARKET = "provider and price"  # in one column: a terminal of 80 characters holds six sizes beside it
_MATRIX_TITLE = (
    "Training cost in USD, failed runs and experiments included; a dash: `gpuledger cost LLM` says why not; "
    "an asterisk: sold out when it was read; a plus: the whole term, block or shortest rental that "
    "has to be taken, which costs more than the run"
)
_SORTS = {
    "price": "available IS NOT DISTINCT FROM false, usd_per_gpu_hour, provider, sku, region, pricing, offer_key",
    "provider": "provider, gpu, gpu_count, usd_per_gpu_hour, sku, region, offer_key",
    "gpu": "gpu, available IS NOT DISTINCT FROM false, usd_per_gpu_hour, provider, sku, region, offer_key",
    "age": "observed_at DESC, provider, usd_per_gpu_hour, offer_key",
}
_COST = """
SELECT llm, provider, pricing, gpu, gpus, sku, region, country, round(gpu_hours) AS gpu_hours,
    wall_days, list_price, currency, unit, usd_per_gpu_hour,
    round(setup_usd) AS setup_usd, round(total_usd_low) AS total_usd_low,
    round(total_usd_mid) AS total_usd_mid, round(total_usd_high) AS total_usd_high,
    round(commitment_usd) AS commitment_usd, feasible, why_not, assumption, in_stock,
    observed_at, origin, cost.form, url AS page_url, page_sha256, offer_key
FROM {costs} AS cost LEFT JOIN price_page USING (provider, page_sha256)
WHERE ($llm IS NULL AND llm_kind = 'size_class' OR llm = $llm)
  AND ($provider IS NULL OR provider = $provider)
  AND ($pricing IS NULL OR list_contains($pricing, pricing))
ORDER BY min(gpu_hours) OVER (PARTITION BY llm), llm, feasible DESC,
    in_stock IS NOT DISTINCT FROM false, greatest(cost.total_usd_mid, cost.commitment_usd + cost.setup_usd),
    provider, pricing
"""
_SPARE = ("read", "P10 to P90", "set-up", "USD/GPU-h", "offer", "days", "GPU")
_UNPLACED = """
SELECT DISTINCT provider, offer_key FROM training_cost
WHERE feasible AND country IS NULL AND ($llm IS NULL OR llm = $llm)
  AND ($gpus IS NULL OR list_contains($gpus, gpu))
  AND ($provider IS NULL OR provider = $provider) AND ($pricing IS NULL OR list_contains($pricing, pricing))
"""
# The table holds the best offer of each provider over all its GPUs and regions; among some of them it is another.
_COSTS_OF_SOME = """(
    SELECT *, gpu_hours_p50 AS gpu_hours FROM training_cost
    WHERE ($gpus IS NULL OR list_contains($gpus, gpu))
        AND ($country IS NULL OR list_contains($country, country)) AND ($llm IS NULL OR llm = $llm)
    QUALIFY row_number() OVER (PARTITION BY llm, provider, pricing
                               ORDER BY feasible DESC, CASE WHEN NOT feasible THEN wall_days END,
                                   in_stock IS NOT DISTINCT FROM false,
                                   greatest(total_usd_mid, commitment_usd + setup_usd), offer_key) = 1)"""


def status_rows() -> list[dict[str, Any]]:
    """Freshness of every source, as published."""
    from warehouse.database import opened_to_read, rows

    with opened_to_read(home().ledger) as ledger:
        return rows(ledger, _STATUS)


def print_status(style: str) -> None:
    """Freshness of every source; for people, the oldest offer where it is older than the last look."""
    found = status_rows()
    if style == "table":
        for row in found:
            oldest = row.pop("oldest_offer_at")
            row["oldest offer"] = oldest if oldest and oldest < row["last_looked_at"] else None
            code, reason = row.pop("code"), row.pop("reason")
            row["reason"] = f"{reason} ({code})" if code else reason
            row |= {name: row[name] and round(row[name]) for name in ("age_hours", "allowed_hours")}
    spare = ("oldest offer", "allowed_hours", "last_looked_at", "rejected")
    print_rows(found, style, notes=("reason",), spare=spare)


@click.command()
@format_option
def status(style: str) -> None:
    """How fresh every source is, and what is wrong with it.

    A source of several parts, each with its own age, shows its oldest offer when that is older than the last look.
    """
    print_status(style)
    from pipelines.looks.readers import read_by_earlier_code, said_of
    from warehouse.offer_files import OfferFiles

    if earlier := read_by_earlier_code(OfferFiles(home().offers)):
        click.echo(said_of(earlier), err=True)


@click.command()
@click.option(
    "--gpu", type=Name(), help="GPU or family, as in `gpuledger gpu` (h100, h100_sxm), or any usual spelling."
)
@provider_option
@pricing_option(PRICINGS, None)
@country_option
@click.option("--min-gpus", type=Number(0), help="Least GPUs in the instance.")
@click.option("--max-price", type=Money(), help="Most USD per GPU-hour.")
@click.option("--sort", type=click.Choice(list(_SORTS)), default="price", show_default=True)
@click.option("--limit", type=Whole(1), help="Print only so many.")
@format_option
def offers(
    gpu: str | None,
    provider: str | None,
    kinds: tuple[str, ...] | None,
    country: tuple[str, ...] | None,
    min_gpus: float | None,
    max_price: Decimal | None,
    sort: str,
    limit: int | None,
    style: str,
) -> None:
    """Current offers, the cheapest per GPU-hour first, sold out last.

    One whose last day (`to 2026-09-28`) is past is no offer any more, however it was read.

    Read live, or from a recorded page: captured as it was, reduced, or reconstructed from real figures.

    JSON and CSV hold the address and the hash of the page of each: `gpuledger page HASH` prints it.
    """
    from models.quantities import counted
    from warehouse.database import columns_and_rows, opened_to_read, rows, value

    query = f"{_OFFERS} ORDER BY {_SORTS[sort]} LIMIT {min(limit or _MOST_ROWS, _MOST_ROWS)}"
    wanted = {
        "gpus": gpu and list(meant_by(chip_named(gpu).gpu)),
        "provider": provider,
        "pricing": kinds and list(kinds),
        "min_gpus": min_gpus,
        "max_price": max_price,
        "today": datetime.now(UTC).date(),
    }
    with opened_to_read(home().ledger) as ledger:
        wanted["country"] = countries_named(ledger, country)
        columns, found = columns_and_rows(ledger, query, wanted)
        say_removed(ledger, (row["provider"] for row in found))
        without = _OFFERS.replace("list_contains($country, country)", "country IS NULL")
        unplaced = rows(ledger, f"SELECT provider FROM ({without})", wanted) if country else []
        since = _OFFERS.replace("coalesce(offered_until >= $today, true)", "offered_until < $today")
        ended = value(ledger, f"SELECT count(*) FROM ({since})", wanted)
    say_unplaced([row["provider"] for row in unplaced])
    left_out = f"Left out, as ended since the look: {counted(ended, 'offer')}" if ended else ""
    title, empty = "", "; ".join(filter(None, ("no offer matches", left_out)))
    if style == "table":
        title = "\n".join(filter(None, (with_day_of_prices("", found), left_out)))
        found = [_offer_line(row) for row in found]
    spare = ("read", "region", "sku", "free")
    print_rows(found, style, columns=columns, title=title, empty=empty, spare=spare)


@click.command()
@click.argument("llm", required=False, type=Model())
@provider_option
@click.option(
    "--gpu", type=Name(), help="One GPU, or all that a name leaves open (A100, A100 80GB): the cheapest offer with it."
)
@pricing_option(PRICINGS, None)
@country_option
@format_option
def cost(
    llm: str | None,
    provider: str | None,
    gpu: str | None,
    kinds: tuple[str, ...] | None,
    country: tuple[str, ...] | None,
    style: str,
) -> None:
    """What training costs at each provider: LLM, or every size.

    LLM is a size class (7B) or a published model (Llama-3.1-405B).

    With a budget, a deadline, other tokens or the whole bill: `gpuledger plan`. Published models: ref.llm.
    """
    from warehouse.database import columns_and_rows, opened_to_read, rows

    wanted: dict[str, Any] = {"llm": llm, "provider": provider, "pricing": kinds and list(kinds)}
    costs = "training_cost_by_provider"
    with opened_to_read(home().ledger) as ledger:
        if gpu or country:
            costs = _COSTS_OF_SOME
            wanted["gpus"] = gpu and list(meant_by(chip_named(gpu).gpu))
            wanted["country"] = countries_named(ledger, country)
        columns, found = columns_and_rows(ledger, _COST.replace("{costs}", costs), wanted)
        say_removed(ledger, (row["provider"] for row in found))
        asked = {name: one for name, one in wanted.items() if name != "country"}
        unplaced = rows(ledger, _UNPLACED, asked) if country else []
    say_unplaced([row["provider"] for row in unplaced])
    title = ""
    if style == "table" and llm:
        title = with_day_of_prices(f"{llm} on {short(model_named(llm).tokens)} tokens", found)
        found = [_cost_line(row) for row in found]
    elif style == "table":
        found, title = cost_matrix(found), with_day_of_prices(_MATRIX_TITLE, found)
    empty = "no offer for that model, provider and kind of price"
    spare = _SPARE if llm else ()
    notes, keys = ("why not", "assumes"), (MARKET,)
    print_rows(found, style, columns=columns, title=title, empty=empty, notes=notes, spare=spare, keys=keys)


def cost_matrix(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A row a provider with a kind of price, a column an LLM: what is to be paid, a dash where it cannot be done there.

    That is the median total or, marked with a plus, what has to be taken in all, with fees, where it is more. An
    asterisk marks what was sold out when it was read.
    """
    models = list(dict.fromkeys(row["llm"] for row in found))
    lines: dict[tuple[str, str], dict[str, Any]] = {}
    for row in found:
        key = (row["provider"], row["pricing"])
        line = lines.setdefault(key, {MARKET: " ".join(key), **dict.fromkeys(models, "")})
        run, term = row["total_usd_mid"], (row["commitment_usd"] or 0) + row["setup_usd"]
        marks = ("+" if term > run else "") + ("*" if row["in_stock"] is False else "")
        line[row["llm"]] = f"{short(max(run, term))}{marks}" if row["feasible"] else "-"
    return [lines[key] for key in sorted(lines)]


def _offer_line(row: dict[str, Any]) -> dict[str, Any]:
    """The offer as it fits on a screen; the other formats have every column."""
    least, until = row["minimum_hours"], row["offered_until"]
    term = row["term_months"] and f"{row['term_months']} mo"
    kind = (row["pricing"], term, row["tier"], least and f"{least:,.0f} h+")
    free = ({True: "yes", False: "sold out", None: ""}[row["available"]], until and f"to {until}")
    return {
        "provider": row["provider"],
        "GPU": f"{row['gpu_count'].normalize():f} x {row['gpu']}",
        "sku": row["sku"],
        "region": readable(row["region"]),
        "pricing": " ".join(str(part) for part in kind if part),
        "USD/GPU-h": row["usd_per_gpu_hour"],
        "free": " ".join(part for part in free if part),
        "read": read_on(row),
    }


def _cost_line(row: dict[str, Any]) -> dict[str, Any]:
    """The cost row as it fits on a screen."""
    return {
        "provider": row["provider"],
        "pricing": row["pricing"],
        "GPU": f"{row['gpus']:,} x {row['gpu']}",
        "offer": offer_name(row),
        "days": shown_days(row["wall_days"]),
        "USD/GPU-h": row["usd_per_gpu_hour"],
        "total USD": short(row["total_usd_mid"]) if row["feasible"] else "",
        "P10 to P90": f"{short(row['total_usd_low'])} to {short(row['total_usd_high'])}" if row["feasible"] else "",
        "set-up": short(row["setup_usd"]) if row["setup_usd"] else "",
        "to be taken": short(row["commitment_usd"]) if row["feasible"] and row["commitment_usd"] else "",
        "read": read_on(row),
        "assumes": (row["assumption"] or "").rpartition("(")[2].rstrip(")"),  # by the name of its constant
        "why not": row["why_not"] or ("sold out when it was read" if row["in_stock"] is False else ""),
    }
