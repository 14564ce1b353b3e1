"""raw/<provider> and offers/<provider>: one step that looks at all selected sources at once.

Every provider has its own keys, freshness and checks, made from the registry. The waits overlap in threads; each
provider is materialised as it ends, and one that fails gets a failed check and no materialisation, and stops nobody.
"""

# no `from __future__ import annotations`: Dagster reads the annotation of `context` as an object
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime

import dagster as dg
from requests.adapters import BaseAdapter

from models.moments import is_ahead_of_clocks, require_clock
from models.offers import Offer
from pipelines.assets.drifting import drift_check_spec, drift_numbers, drift_result
from pipelines.assets.triggers import freshness_policy
from pipelines.home import Home
from pipelines.looks.drifting import drift_of
from pipelines.looks.keeping import AHEAD, NOT_KEPT, Outcome, mending, read_kept, take_in, unread
from pipelines.looks.looking import look_at_all, utc_now
from pipelines.looks.readers import note_reader, said_of
from pipelines.looks.replaying import new_recordings
from pipelines.markdown import bullets, table
from pipelines.runs.running import ALIVE
from sources.pages import Look, PageStore
from sources.source import Source
from warehouse.offer_files import OfferFiles, Scrape

LOOKS = dg.AssetKey(["raw", "looks"])
CHECK = "look_is_whole"
Result = dg.MaterializeResult[None] | dg.AssetCheckResult


def raw_key(provider: str) -> dg.AssetKey:
    return dg.AssetKey(["raw", provider])


def offers_key(provider: str) -> dg.AssetKey:
    return dg.AssetKey(["offers", provider])


def look_asset(
    home: Home,
    sources: Sequence[Source],
    *,
    recorded: bool,
    adapters: Mapping[str, BaseAdapter],
    say: Callable[[str], None],
) -> dg.AssetsDefinition:
    """The step that looks. `recorded` replays the recordings in place of the network; `say` hears who is waited for."""
    by_name = {source.name: source for source in sources}

    @dg.multi_asset(
        name="look",
        specs=[*(spec for source in sources for spec in _specs(source)), _looks_spec()],
        check_specs=[check for source in sources for check in _check_specs(source)],
        can_subset=True,
        required_resource_keys={ALIVE},
    )
    def look_at_sources(
        context: dg.AssetExecutionContext,
    ) -> Iterator[Result]:
        require_clock(utc_now())
        store, files = PageStore(home.raw), OfferFiles(home.offers)
        if earlier := note_reader(files):
            context.log.warning(said_of(earlier))
        selected = context.selected_asset_keys
        asked = [source for name, source in by_name.items() if raw_key(name) in selected]
        kept = [source for name, source in by_name.items() if offers_key(name) in selected and source not in asked]
        looks_now = look_at_all([] if recorded else asked, store, adapters=adapters, say=say)
        live = ((look.provider, [look]) for look in looks_now)
        outcomes: list[Scrape] = []

        def read(source: Source, looks: Iterable[Look]) -> Iterator[tuple[Look, Outcome]]:
            for moment in unread(source.name, store, files):
                yield read_kept(source.name, moment, store, files, sources)
            for look in looks:
                yield take_in(look, store, files, sources)

        def read_again(source: Source) -> Iterator[tuple[Look, Outcome]]:
            if last := store.last_good_look(source.name):
                yield read_kept(source.name, last.observed_at, store, files, sources)

        def told(source: Source, taken: Iterator[tuple[Look, Outcome]]) -> list[Result]:
            """Results of the last of these looks; what the disk refuses fails this source alone."""
            last: tuple[Look, Outcome] | None = None
            try:
                for last in taken:
                    outcomes.append(last[1][0])
                if last is None:
                    return []
                return mending(
                    lambda: list(_results(context, source, *last, files)),
                    source.name, store, files, sources, context.log.warning,
                )  # fmt: skip
            except OSError as error:
                failed = _not_kept(source, error)
                outcomes.append(failed[1][0])
                return list(_results(context, source, *failed, files))

        for name, looks in _recorded(asked, store, sources) if recorded else live:
            yield from told(by_name[name], read(by_name[name], looks))
        for source in kept:
            yield from told(source, read_again(source))
        if LOOKS in selected:
            yield _looks_result(outcomes)

    return look_at_sources


def _specs(source: Source) -> Iterator[dg.AssetSpec]:
    tags = {"provider": source.name, "access": source.access, "kind": source.kind}
    yield dg.AssetSpec(
        raw_key(source.name),
        description=f"Pages of {source.title} as the site gave them, kept by hash. {source.unit_note}",
        group_name="raw",
        kinds={"python", "file"},
        tags=tags,
        skippable=True,
        metadata={"homepage": dg.MetadataValue.url(source.homepage), "cadence": str(source.every)},
    )
    what = {"currency": "Reference rates", "aggregator": "Prices of others as told"}.get(source.kind, "Offers")
    yield dg.AssetSpec(
        offers_key(source.name),
        deps=[raw_key(source.name)],
        description=f"{what} of {source.title}, normalised; rows that are no price are in quarantine.",
        group_name="offers",
        kinds={"python", "parquet"},
        tags=tags,
        skippable=True,
        freshness_policy=freshness_policy(source.every),
    )


def _check_specs(source: Source) -> Iterator[dg.AssetCheckSpec]:
    asset = offers_key(source.name)
    yield dg.AssetCheckSpec(CHECK, asset=asset, description="The last look read the whole price list.")
    if source.kind != "currency":
        yield drift_check_spec(source, asset)


def _looks_spec() -> dg.AssetSpec:
    return dg.AssetSpec(
        LOOKS,
        description="The log of looks: one row a look, also of one that failed. The ledger is loaded when it grows.",
        group_name="raw",
        kinds={"json"},
        skippable=True,
    )


def _recorded(
    asked: Sequence[Source], store: PageStore, sources: Sequence[Source]
) -> Iterator[tuple[str, Iterator[Look]]]:
    """The recorded looks of each source asked that are news, oldest first; currencies come first."""
    for source in sorted(asked, key=lambda source: source.kind != "currency"):
        yield source.name, _of_the_past(source, new_recordings(source, store, sources), utc_now())


def _of_the_past(source: Source, looks: Iterable[Look], now: datetime) -> Iterator[Look]:
    for look in looks:
        if is_ahead_of_clocks(look.observed_at, now):
            reason = f"a recording is dated {look.observed_at:%Y-%m-%d}, in the future: correct its provenance.json"
            yield Look(source.name, now, "recorded", (), {"": (AHEAD, reason)})
        else:
            yield look


def _not_kept(source: Source, error: OSError) -> tuple[Look, Outcome]:
    """A look whose pages, or whose outcome, the disk refused: nothing of it is in the ledger."""
    look = Look(source.name, utc_now(), "live", (), {"": (NOT_KEPT, str(error))})
    scrape = Scrape(source.name, look.observed_at, "live", "failed", NOT_KEPT, str(error), (), 0, 0, 0, ())
    return look, (scrape, [])


def _results(
    context: dg.AssetExecutionContext,
    source: Source,
    look: Look,
    outcome: Outcome,
    files: OfferFiles,
) -> Iterator[Result]:
    selected = context.selected_asset_keys
    scrape, offers = outcome
    name = look.provider
    if look.pages and raw_key(name) in selected:
        yield dg.MaterializeResult(
            asset_key=raw_key(name),
            metadata={
                "pages": len(look.pages),
                "bytes": sum(len(page.body) for page in look.pages),
                "unchanged_pages": sum(page.unchanged for page in look.pages),
                "observed_at": dg.MetadataValue.timestamp(look.observed_at),
                "addresses": dg.MetadataValue.md(bullets(page.url for page in look.pages[:20])),
            },
            data_version=dg.DataVersion("-".join(sorted(page.sha256[:12] for page in look.pages))[:200]),
        )
    if offers_key(name) not in selected:
        return
    if scrape.status != "failed":
        drifted = None if source.kind == "currency" else drift_of(files, scrape)
        yield dg.MaterializeResult(
            asset_key=offers_key(name),
            metadata={
                **drift_numbers(drifted),
                "dagster/row_count": scrape.offers,
                "quotes": scrape.quotes,
                "rejected": scrape.rejected,
                "rejected_share": round(scrape.rejected / max(scrape.rejected + scrape.offers, 1), 4),
                "books": len(scrape.books),
                "origin": scrape.origin,
                "observed_at": dg.MetadataValue.timestamp(scrape.observed_at),
                "preview": dg.MetadataValue.md(_preview(offers)),
            },
        )
        if source.kind != "currency":
            yield drift_result(drifted, offers_key(name))
    if scrape.reason:
        context.log.warning(f"{name}: {scrape.reason}")
    yield dg.AssetCheckResult(
        asset_key=offers_key(name),
        check_name=CHECK,
        passed=scrape.status == "ok",
        severity=dg.AssetCheckSeverity.WARN if scrape.status == "partial" else dg.AssetCheckSeverity.ERROR,
        description=scrape.reason or "read whole",
        metadata={"status": scrape.status, "code": scrape.code, "offers": scrape.offers, "rejected": scrape.rejected},
    )


def _looks_result(outcomes: Sequence[Scrape]) -> dg.MaterializeResult[None]:
    lines = [(s.provider, s.status, f"{s.offers:,}", f"{s.rejected:,}", s.reason) for s in outcomes]
    return dg.MaterializeResult(
        asset_key=LOOKS,
        metadata={
            "looks": len(outcomes),
            "failed": sum(scrape.status == "failed" for scrape in outcomes),
            "outcomes": dg.MetadataValue.md(table(["provider", "status", "offers", "rejected", "reason"], lines)),
        },
    )


def _preview(offers: Sequence[Offer]) -> str:
    """The cheapest offers per GPU-hour as a Markdown table."""
    cheapest = sorted(offers, key=lambda offer: offer.usd_per_gpu_hour)[:10]
    lines = [
        (
            offer.gpu, f"{offer.gpu_count.normalize():f}", offer.sku, offer.region, offer.pricing,
            f"{offer.usd_per_gpu_hour:.4f}", f"{offer.list_price.normalize():f} {offer.currency} {offer.unit}",
        )
        for offer in cheapest
    ]  # fmt: skip
    return table(["GPU", "count", "SKU", "region", "pricing", "USD per GPU-hour", "as published"], lines)
