"""Commands that hand out what is kept as it is: page, sql, tables, export."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from pipelines.commands.inputs import Name
from pipelines.commands.printing import format_option, formats, print_rows, printable
from pipelines.home import home

MOST_SHOWN = 10_000  # rows of a table; a query can have more than memory holds
_PAGES = """
SELECT page.provider, page_sha256, url, last_seen_at, origin
FROM price_page AS page JOIN core.scrape AS look ON look.provider = page.provider AND observed_at = last_seen_at
WHERE starts_with(page_sha256, $sha256) ORDER BY page_sha256, last_seen_at DESC
"""
_BESIDE = """
SELECT DISTINCT other.sha256, other.url
FROM (SELECT provider, book, max(observed_at) AS observed_at FROM core.scrape_page
      WHERE provider = $provider AND sha256 = $page_sha256 GROUP BY ALL)
JOIN core.scrape_page AS other USING (provider, book, observed_at)
WHERE other.sha256 <> $page_sha256 ORDER BY url, sha256
"""
MOST_BESIDE = 6  # named


@click.command()
@click.argument("sha256", type=Name())
def page(sha256: str) -> None:
    """The kept bytes of the page that a price was read from.

    SHA256 is its page_sha256, or the first digits. Its address, date and form go to standard error, and the pages read
    together with it: a price may be put together from several, such as a rate and a discount.
    """
    from sources.pages import PageStore
    from warehouse.database import opened_to_read, rows

    with opened_to_read(home().ledger) as ledger:
        found = rows(ledger, _PAGES, {"sha256": sha256.lower()})
        named = {name: found[0][name] for name in ("provider", "page_sha256")} if found else {}
        beside = rows(ledger, _BESIDE, named) if found else []
    if len({row["page_sha256"] for row in found}) > 1:
        raise click.BadParameter(f"{len(found)} pages begin with {sha256!r}; give more digits")
    if not found:
        raise click.BadParameter(f"no page is called {sha256!r}; `gpuledger offers --format json` names them")
    kept = found[0]
    body = PageStore(home().raw).body(kept["provider"], kept["page_sha256"])
    told = f"{kept['provider']}: {kept['url']}, {kept['last_seen_at']:%Y-%m-%d %H:%M} UTC, {len(body):,} bytes"
    click.echo(printable(f"{told}, {_form(kept)}"), err=True)
    for other in beside[:MOST_BESIDE]:
        click.echo(printable(f"read together with {other['sha256'][:12]}, {other['url']}"), err=True)
    if len(beside) > MOST_BESIDE:
        click.echo(f"and {len(beside) - MOST_BESIDE:,} more: core.scrape_page, same provider and book", err=True)
    if sys.stdout.isatty():
        click.echo(printable(body.decode("utf-8", "replace"), keep="\n\t"))
    else:
        sys.stdout.buffer.write(body)


@click.command(context_settings={"ignore_unknown_options": True})  # a query may begin with a comment: -- ...
@click.argument("query")
@format_option
def sql(query: str, style: str) -> None:
    """Run a read-only QUERY on the published ledger.

    A table shows the first 10,000 rows; --format csv and json give all.
    """
    from warehouse.asking import asked
    from warehouse.database import opened_to_read

    with opened_to_read(home().ledger, engine_of_its_own=True) as ledger:
        columns, found = asked(ledger, query)
        if not columns:
            raise click.UsageError('nothing was asked; try "SELECT * FROM provider_freshness"')
        print_rows(found, style, columns=columns, most=MOST_SHOWN, verbatim=True)


@click.command()
@formats("md")
def tables(style: str) -> None:
    """Every table and column with what it says; as Markdown, docs/tables.md."""
    from warehouse.catalogue import described, tables_markdown
    from warehouse.database import opened_to_read

    with opened_to_read(home().ledger) as ledger:
        known = described(ledger)
    if style == "md":
        click.echo(tables_markdown(known))
        return
    print_rows(
        [
            {"schema": one.schema, "table": one.name, "kind": one.kind, "column": column.name, "type": column.type}
            | {"comment": column.comment, "table_comment": one.comment}
            for one in known
            for column in one.columns
        ],
        style,
    )


@click.command()
@click.argument("folder", type=Name())
def export(folder: str) -> None:
    """Write what people query into FOLDER as Parquet files."""
    from warehouse.publish import export as run

    if Path(folder).is_file():
        raise click.BadParameter(f"{folder} is a file")
    for path in run(home().ledger, Path(folder)):
        click.echo(path)


def _form(kept: dict[str, Any]) -> str:
    """How a page came to be kept: read over the network, or a recording that was captured, reduced or reconstructed."""
    from sources.pages import recorded_pages

    if kept["origin"] != "recorded":
        return "read live"
    for looks in recorded_pages(kept["provider"]).values():
        for recorded in looks:
            if recorded.page.sha256 == kept["page_sha256"]:
                return f"{recorded.form}: {recorded.origin}"
    return "recorded"
