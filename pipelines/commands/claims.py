"""`gpuledger claims`: published figures of training cost beside ours."""

from __future__ import annotations

import click

from pipelines.commands.printing import format_option, print_rows
from pipelines.home import home

VERDICTS = ("match", "contradiction", "plausible", "input")
_CLAIMS = """
SELECT claim_id, verdict, statement, published_low, published_high, ours_low, ours_high, unit, reason, source, place,
    calculation
FROM claim WHERE ($verdict IS NULL OR verdict = $verdict) AND ($claim IS NULL OR claim_id ILIKE $claim)
ORDER BY NOT regexp_matches(claim_id, '^[A-Z]-'), string_split(claim_id, '-')[1],
    TRY_CAST(string_split(claim_id, '-')[2] AS INTEGER), claim_id
"""


@click.command()
@click.argument("claim", required=False)
@click.option("--verdict", type=click.Choice(VERDICTS), help="Only these.")
@format_option
def claims(claim: str | None, verdict: str | None, style: str) -> None:
    """Published figures of training cost judged beside ours.

    CLAIM is a name or its start. Each has a verdict and its reason.
    """
    from warehouse.database import columns_and_rows, opened_to_read

    with opened_to_read(home().ledger) as ledger:
        columns, found = columns_and_rows(ledger, _CLAIMS, {"verdict": verdict, "claim": claim and f"{claim}%"})
    if style == "table":
        found = [
            {
                "claim": row["claim_id"],
                "verdict": row["verdict"],
                "statement": row["statement"],
                "published": _span(row["published_low"], row["published_high"], row["unit"]),
                "ours": _span(row["ours_low"], row["ours_high"], row["unit"]),
                "unit": row["unit"],
                "reason": row["reason"],
                "where": f"{row['source']}: {row['place']}",
            }
            for row in found
        ]
    notes = ("where", "reason", "statement", "unit", "published", "ours")
    print_rows(found, style, columns=columns, empty="no claim matches", notes=notes)


def _span(low: float | None, high: float | None, unit: str) -> str:
    if low is None or high is None:
        return ""
    ends = [f"{end:.0f}" if unit == "year" else _figure(end) for end in (low, high)]
    return ends[0] if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"


def _figure(number: float) -> str:
    """1,500,000 and 4.9876, FLOP as 4.2e22."""
    if abs(number) >= 1e15:
        return f"{number:.4g}".replace("e+", "e")
    if abs(number) >= 1000:
        return f"{number:,.0f}"
    return f"{number:.4g}"
