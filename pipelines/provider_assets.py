"""raw/<provider> and offers/<provider>: one step that looks at all selected sources at once.

Every provider has its own keys, freshness and checks, made from the registry. The waits overlap in threads; each
provider is materialised as it ends, and one that fails gets a failed check and no materialisation, and stops nobody.
"""

# no `from __future__ import annotations`: Dagster reads the annotation of `context` as an object
from collections.abc import Iterator, Mapping, Sequence

import dagster as dg
from requests.adapters import BaseAdapter

from models.offers import Offer
from pipelines.drifting import drift_check_spec, drift_numbers, drift_of, drift_result
from pipelines.home import Home
from pipelines.looking import currency_pages, keep_reading, look_at_all
from pipelines.running import ALIVE
from pipelines.triggers import freshness_policy
from sources.pages import Look, PageStore, recorded_looks, with_rates
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
    home: Home, sources: Sequence[Source], *, recorded: bool, adapters: Mapping[str, BaseAdapter]
) -> dg.AssetsDefinition:
    """The step that looks. `recorded` replays the recordings in place of the network."""
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
        store, files = PageStore(home.raw), OfferFiles(home.offers)
        selected = context.selected_asset_keys
        asked = [source for name, source in by_name.items() if raw_key(name) in selected]
        kept = [source for name, source in by_name.items() if offers_key(name) in selected and source not in asked]
        live = ([look] for look in look_at_all([] if recorded else asked, store, adapters=adapters))
        outcomes: list[Scrape] = []
        for looks in _recorded(asked, store) if recorded else live:
            for look in looks:
                currency = by_name[look.provider].kind == "currency"
                rated = look if currency else with_rates(look, currency_pages(store, sources))
                store.keep(rated)
                scrape, offers = keep_reading(rated, store, files, sources)
                outcomes.append(scrape)
            yield from _results(context, by_name[rated.provider], rated, scrape, offers, files)
        for source in kept:
            if last := store.last_good_look(source.name):
                scrape, offers = keep_reading(last, store, files, sources)
                yield from _results(context, source, last, scrape, offers, files)
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


def _recorded(sources: Sequence[Source], store: PageStore) -> Iterator[list[Look]]:
    """The recorded looks of each source that are not kept yet, oldest first; currencies come first."""
    for source in sorted(sources, key=lambda source: source.kind != "currency"):
        held = set(store.moments(source.name))
        if new := [look for look in recorded_looks(source.name) if look.observed_at not in held]:
            yield new


def _results(
    context: dg.AssetExecutionContext,
    source: Source,
    look: Look,
    scrape: Scrape,
    offers: Sequence[Offer],
    files: OfferFiles,
) -> Iterator[Result]:
    selected = context.selected_asset_keys
    name = look.provider
    if look.pages and raw_key(name) in selected:
        yield dg.MaterializeResult(
            asset_key=raw_key(name),
            metadata={
                "pages": len(look.pages),
                "bytes": sum(len(page.body) for page in look.pages),
                "unchanged_pages": sum(page.unchanged for page in look.pages),
                "observed_at": dg.MetadataValue.timestamp(look.observed_at),
                "addresses": dg.MetadataValue.md("\n".join(f"- {page.url}" for page in look.pages[:20])),
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
    if scrape.status != "ok":
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
    lines = [f"| {s.provider} | {s.status} | {s.offers:,} | {s.rejected:,} | {s.reason} |" for s in outcomes]
    table = "\n".join(["| provider | status | offers | rejected | reason |", "|---|---|---|---|---|", *lines])
    return dg.MaterializeResult(
        asset_key=LOOKS,
        metadata={
            "looks": len(outcomes),
            "failed": sum(scrape.status == "failed" for scrape in outcomes),
            "outcomes": dg.MetadataValue.md(table),
        },
    )


def _preview(offers: Sequence[Offer]) -> str:
    """The cheapest offers per GPU-hour as a Markdown table."""
    cheapest = sorted(offers, key=lambda offer: offer.usd_per_gpu_hour)[:10]
    lines = [
        f"| {offer.gpu} | {offer.gpu_count.normalize():f} | {offer.sku} | {offer.region} | {offer.pricing} |"
        f" {offer.usd_per_gpu_hour:.4f} | {offer.list_price.normalize():f} {offer.currency} {offer.unit} |"
        for offer in cheapest
    ]
    head = [
        "| GPU | count | SKU | region | pricing | USD per GPU-hour | as published |",
        "|---|---|---|---|---|---|---|",
    ]
    return "\n".join([*head, *lines])
