"""Providers as sites: each address answers with its newest recorded page; not a test by itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any
from urllib.parse import unquote_plus

import requests
from exchanges import Site

from pipelines.frames.priced import priced_frames
from pipelines.home import Home
from pipelines.looks.keeping import currency_pages, keep_reading
from pipelines.runs.laying import lay_reference
from sources.pages import Look, PageStore, recorded_pages, with_rates
from sources.source import Source
from warehouse.laying import recompute
from warehouse.load import load
from warehouse.offer_files import OfferFiles
from warehouse.publish import publish


def recorded_site(provider: str) -> Site:
    """Answers a recorded address with its newest page that is no excerpt, any other with 404."""
    bodies = {
        unquote_plus(recorded.page.url): recorded.page.body
        for look in recorded_pages(provider).values()
        for recorded in look
        if not recorded.page.excerpt
    }

    def respond(request: requests.PreparedRequest) -> Mapping[str, Any]:
        body = bodies.get(unquote_plus(request.url or ""))
        return {"status": 404} if body is None else {"body": body}

    return Site(respond)


def keep_good_look(home: Home, source: Source, moment: datetime, sources: list[Source]) -> None:
    """Keep the newest recorded look at a source, without excerpts, as if it had been a live one at `moment`."""
    looks = recorded_pages(source.name).values()
    *_, pages = filter(None, ([recorded for recorded in look if not recorded.page.excerpt] for look in looks))
    look = Look(source.name, moment, "live", [replace(recorded.page, observed_at=moment) for recorded in pages])
    store = PageStore(home.raw)
    if source.kind != "currency":
        look = with_rates(look, currency_pages(store, sources))
    store.keep(look)
    keep_reading(look, store, OfferFiles(home.offers), sources)


def publish_ledger(home: Home, sources: Sequence[Source]) -> None:
    """Load what is kept and publish it, without Dagster."""
    load(home.warehouse, OfferFiles(home.offers))
    lay_reference(home, sources)
    recompute(home.warehouse, priced_frames)
    publish(home.warehouse, home.published)
