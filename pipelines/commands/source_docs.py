"""docs/sources.md: every source of the registry with what one figure of it covers, and what was last recorded."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sources.pages import RECORDED
from sources.quotes import UNKNOWN_GPUS
from sources.source import Kind, Source, all_sources

HEADINGS: dict[Kind, str] = {
    "hyperscaler": "Clouds",
    "gpu_cloud": "GPU clouds",
    "marketplace": "Marketplaces and brokers",
    "serverless": "Serverless",
    "aggregator": "Witnesses",
    "currency": "Exchange rates",
}
PARTICULARS: dict[Kind, str] = {
    "marketplace": "A broker's offer names the provider that runs the machine (`broker_of`), so that an index need not "
    "count it twice.",
    "serverless": "Billed by the second of use; left out of training costs.",
    "aggregator": "What they say that others charge is compared with our own reading (`price_agreement`, a warning "
    "over 20 %) and never becomes an offer. GPU Rental Prices (gpurentalprices.com) is published under CC BY 4.0, the "
    "SkyPilot catalogue under Apache-2.0, Spare Cores' data under CC BY-SA 4.0; gpuhunt's code is under MPL-2.0 and "
    "its catalogue states no licence.",
    "currency": "What prices in other currencies are converted with.",
}


@dataclass(frozen=True, slots=True)
class Recorded:
    """The newest look in a recording: its day, and the rows of its reviewed reading."""

    day: str
    rows: int


def sources_markdown(sources: Sequence[Source] | None = None) -> str:
    """The document; sources in alphabetical order under their kind."""
    known = list(all_sources().values()) if sources is None else list(sources)
    return "\n".join(_document(known))


def source_rows() -> list[dict[str, Any]]:
    """The same as rows, one a source."""
    found = []
    for source in all_sources().values():
        last = last_recorded(source)
        found.append(
            {"source": source.name, "title": source.title, "kind": source.kind, "access": source.access}
            | {"key": source.secret, "optional_key": source.optional_secret, "looked_at": cadence(source.every)}
            | {"recorded": last and last.day, "prices_recorded": last and last.rows, "homepage": source.homepage}
            | {"unit": source.unit_note, "traps": source.traps}
        )
    return found


def _document(sources: Sequence[Source]) -> Iterator[str]:
    own = [source for source in sources if source.kind not in ("aggregator", "currency")]
    keyed = [source for source in own if source.secret]
    yield "# Sources"
    yield ""
    yield "Generated from the sources themselves (`gpuledger sources > docs/sources.md`)."
    yield ""
    yield f"{len(own)} providers, {len(own) - len(keyed)} of them without any key. A source whose key is not set is"
    yield "left out of the schedules and says so in `gpuledger status`."
    for kind, heading in HEADINGS.items():
        if of_kind := [source for source in sources if source.kind == kind]:
            yield from _section(heading, PARTICULARS.get(kind, ""), of_kind)


def _section(heading: str, particulars: str, sources: Sequence[Source]) -> Iterator[str]:
    yield f"\n## {heading}\n"
    if particulars:
        yield f"{particulars}\n"
    yield "| source | site | access | key | looked at | recorded | prices recorded |"
    yield "|---|---|---|---|---|---|---|"
    for source in sources:
        last = last_recorded(source)
        cells = [
            f"[{source.name}](#{source.name})",
            f"[{source.title}]({source.homepage})",
            source.access,
            _key(source),
            cadence(source.every),
            last.day if last else "not yet",
            f"{last.rows:,}" if last else "",
        ]
        yield f"| {' | '.join(cells)} |"
    for source in sources:
        yield f"\n### {source.name}\n"
        yield f"- Unit: {source.unit_note.rstrip('.')}."
        yield f"- Traps: {source.traps.rstrip('.')}."


def last_recorded(source: Source) -> Recorded | None:
    """The newest look of a source's reviewed recording; None where it has none."""
    file = RECORDED / source.name / "quotes.json"
    looks = json.loads(file.read_bytes()) if file.exists() else {}
    looks.pop(UNKNOWN_GPUS, None)
    if not looks:
        return None
    newest = max(looks)
    return Recorded(newest[:10], sum(map(len, looks[newest].values())))


def cadence(every: timedelta) -> str:
    """hourly, every 6 hours, daily, every 7 days."""
    hours = every / timedelta(hours=1)
    count, unit = (hours / 24, "day") if hours % 24 == 0 else (hours, "hour")
    if count == 1:
        return {"day": "daily", "hour": "hourly"}[unit]
    return f"every {count:g} {unit}s"


def _key(source: Source) -> str:
    if source.secret:
        return f"`{source.secret}`"
    return f"`{source.optional_secret}` for more" if source.optional_secret else "none"
