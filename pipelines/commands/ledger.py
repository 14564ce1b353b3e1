"""Commands that read the published ledger: status, offers, cost, sql, tables, export."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from pipelines.home import home
from pipelines.printing import format_option, print_rows, short
from warehouse.database import QueryFailed, opened_to_read, rows

_STATUS = """
SELECT provider, status, last_looked_at, age_hours, allowed_hours, offers, rejected, reason
FROM provider_freshness ORDER BY provider
"""
_OFFERS = """
SELECT provider, gpu, gpu_count, sku, region, country, pricing, term_months, tier, usd_per_gpu_hour, usd_per_hour,
    list_price, currency, unit, available, observed_at, origin
FROM price_now
WHERE ($gpu IS NULL OR gpu = $gpu OR gpu_family = $gpu)
  AND ($provider IS NULL OR provider = $provider)
  AND ($pricing IS NULL OR pricing = $pricing)
  AND ($country IS NULL OR country = $country)
  AND ($min_gpus IS NULL OR gpu_count >= $min_gpus)
  AND ($max_price IS NULL OR usd_per_gpu_hour <= $max_price)
"""
_MATRIX_TITLE = "Training cost in USD, failed runs and experiments included; a dash: `gpuledger cost LLM` says why not"
_SORTS = {
    "price": "usd_per_gpu_hour, provider, sku, region, pricing",
    "provider": "provider, gpu, gpu_count, usd_per_gpu_hour, sku, region",
    "gpu": "gpu, usd_per_gpu_hour, provider, sku, region",
    "age": "observed_at DESC, provider, usd_per_gpu_hour",
}
_COST = """
SELECT llm, provider, pricing, gpu, gpus, sku, region, round(gpu_hours) AS gpu_hours, round(wall_days, 1) AS wall_days,
    usd_per_gpu_hour, round(total_usd_low) AS total_usd_low, round(total_usd_mid) AS total_usd_mid,
    round(total_usd_high) AS total_usd_high, feasible, why_not, observed_at, origin
FROM training_cost_by_provider
WHERE ($llm IS NULL AND llm_kind = 'size_class' OR lower(llm) = lower($llm))
  AND ($provider IS NULL OR provider = $provider)
  AND ($pricing IS NULL OR pricing = $pricing)
ORDER BY gpu_hours_of_class, llm, feasible DESC, total_usd_mid
"""


def status_rows() -> list[dict[str, Any]]:
    """Freshness of every source, as published."""
    with opened_to_read(home().ledger) as ledger:
        return rows(ledger, _STATUS)


@click.command()
@format_option
def status(style: str) -> None:
    """Freshness of every source: last look, age, offers, quarantine and what is wrong."""
    print_rows(status_rows(), style)


@click.command()
@click.option("--gpu", help="GPU or family, as in `gpuledger gpu` (h100, h100_sxm), or any usual spelling.")
@click.option("--provider", help="One provider.")
@click.option("--pricing", help="on_demand, spot, reserved, savings_plan, capacity_block or serverless.")
@click.option("--country", help="ISO 3166 code of the region's country.")
@click.option("--min-gpus", type=float, help="Least GPUs in the instance.")
@click.option("--max-price", type=float, help="Most USD per GPU-hour.")
@click.option("--sort", type=click.Choice(list(_SORTS)), default="price", show_default=True)
@click.option("--limit", type=click.IntRange(1), help="Print only so many.")
@format_option
def offers(
    gpu: str | None,
    provider: str | None,
    pricing: str | None,
    country: str | None,
    min_gpus: float | None,
    max_price: float | None,
    sort: str,
    limit: int | None,
    style: str,
) -> None:
    """Current offers, the cheapest per GPU-hour first."""
    query = f"{_OFFERS} ORDER BY {_SORTS[sort]} LIMIT {limit or 1_000_000_000}"
    wanted = {
        "gpu": _gpu_slug(gpu),
        "provider": provider,
        "pricing": pricing,
        "country": country and country.upper(),
        "min_gpus": min_gpus,
        "max_price": max_price,
    }
    with opened_to_read(home().ledger) as ledger:
        found = rows(ledger, query, wanted)
    print_rows([_offer_line(row) for row in found] if style == "table" else found, style, empty="no offer matches")


@click.command()
@click.argument("llm", required=False)
@click.option("--provider", help="One provider.")
@click.option("--gpu", help="One GPU or family: the cheapest offer with it.")
@click.option("--pricing", help="on_demand, spot, reserved, savings_plan or capacity_block.")
@format_option
def cost(llm: str | None, provider: str | None, gpu: str | None, pricing: str | None, style: str) -> None:
    """What training LLM costs at each provider: a size (7B) or a named model; without LLM, every size class."""
    slug = _gpu_slug(gpu)
    source = "training_cost_by_provider"
    if slug:
        source = """(
            SELECT *, gpu_hours_p50 AS gpu_hours FROM training_cost
            WHERE gpu = $gpu OR gpu IN (SELECT gpu FROM ref.gpu WHERE gpu_family = $gpu)
            QUALIFY row_number() OVER (PARTITION BY llm, provider, pricing
                                       ORDER BY feasible DESC, total_usd_mid, offer_key) = 1)"""
    query = _COST.replace("FROM training_cost_by_provider", f"FROM {source}").replace(
        "gpu_hours_of_class", "min(gpu_hours) OVER (PARTITION BY llm)"
    )
    wanted = {"llm": llm, "provider": provider, "pricing": pricing} | ({"gpu": slug} if slug else {})
    with opened_to_read(home().ledger) as ledger:
        if llm and not rows(ledger, "SELECT 1 FROM ref.llm WHERE lower(llm) = lower($llm)", {"llm": llm}):
            from models.llms import llm_named

            llm_named(llm)  # raises with the nearest names
        found = rows(ledger, query, wanted)
    if style != "table":
        print_rows(found, style)
    elif llm:
        print_rows([_cost_line(row) for row in found], style, empty="no offer for that model, provider and price")
    else:
        print_rows(cost_matrix(found), style, title=_MATRIX_TITLE, empty="no offer for that provider and price")


@click.command()
@click.argument("query")
@format_option
def sql(query: str, style: str) -> None:
    """Run a read-only QUERY on the published ledger."""
    import duckdb

    with opened_to_read(home().ledger) as ledger:
        ledger.execute("SET enable_external_access = false")
        try:
            found = rows(ledger, query)
        except duckdb.Error as error:
            raise QueryFailed(str(error)) from None
    print_rows(found, style)


@click.command()
def tables() -> None:
    """Every table and column of the published ledger with what it says, as Markdown."""
    from warehouse.catalogue import described, tables_markdown

    with opened_to_read(home().ledger) as ledger:
        click.echo(tables_markdown(described(ledger)))


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
def export(folder: Path) -> None:
    """Write what people query as Parquet files into FOLDER."""
    from warehouse.publish import export as run

    for path in run(home().ledger, folder):
        click.echo(path)


def cost_matrix(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A row a provider and kind of price, a column an LLM: the median total, a dash where it cannot be done there."""
    models = list(dict.fromkeys(row["llm"] for row in found))
    lines: dict[tuple[str, str], dict[str, Any]] = {}
    for row in found:
        key = (row["provider"], row["pricing"])
        line = lines.setdefault(key, {"provider": key[0], "pricing": key[1], **dict.fromkeys(models, "")})
        line[row["llm"]] = short(row["total_usd_mid"]) if row["feasible"] else "-"
    return [lines[key] for key in sorted(lines)]


def _offer_line(row: dict[str, Any]) -> dict[str, Any]:
    """The offer as it fits on a screen; the other formats have every column."""
    return {
        "provider": row["provider"],
        "GPU": f"{row['gpu_count'].normalize():f} x {row['gpu']}",
        "sku": row["sku"],
        "region": row["region"],
        "pricing": " ".join(str(part) for part in (row["pricing"], row["term_months"], row["tier"]) if part),
        "USD/GPU-h": row["usd_per_gpu_hour"],
        "free": {True: "yes", False: "no", None: ""}[row["available"]],
        "read": f"{row['observed_at']:%Y-%m-%d} {row['origin']}",
    }


def _cost_line(row: dict[str, Any]) -> dict[str, Any]:
    """The cost row as it fits on a screen."""
    return {
        "provider": row["provider"],
        "pricing": row["pricing"],
        "GPU": f"{row['gpus']:,} x {row['gpu']}",
        "days": round(row["wall_days"]),
        "USD/GPU-h": row["usd_per_gpu_hour"],
        "total USD": short(row["total_usd_mid"]) if row["feasible"] else "",
        "low to high": f"{short(row['total_usd_low'])} to {short(row['total_usd_high'])}" if row["feasible"] else "",
        "read": f"{row['observed_at']:%Y-%m-%d} {row['origin']}",
        "why not": row["why_not"] or "",
    }


def _gpu_slug(text: str | None) -> str | None:
    """A GPU as the ledger names it, from its slug or any spelling that resolves."""
    if text is None:
        return None
    from models.gpus import gpus, resolve

    if text in gpus() or any(chip.gpu_family == text for chip in gpus().values()):
        return text
    found = resolve(text)
    if found is None:
        raise click.BadParameter(f"no GPU is called {text!r}; `gpuledger gpu {text!r}` shows how names resolve")
    return found.gpu.gpu


ledger_commands = (status, offers, cost, sql, tables, export)
