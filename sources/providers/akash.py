"""Akash: what one GPU of a model has been bid for in the last month, as the network's console counts it; no key.

No provider here has a list price: providers bid for each deployment in a token. The console turns a month of bids for
one GPU, with the CPU and memory asked for, into USD per GPU-hour and gives least, most, mean, median and a weighted
mean. The weighted mean is what the site's own price page shows, and what is taken here; the least may be a test bid
of 0. `price` is null where nobody has bid, and `priceUakt` is the same in the token. A model is named in four fields:
nvidia, a100, 80Gi, SXM4. Machines are single ones of many owners.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from decimal import Decimal
from typing import Any

from models.offers import MEAN_OF_BIDS, Quote, Unreadable
from sources.http import json_of
from sources.reading import at, decimal_of, field_of, require_fields, rows_of, text_of, whole_of
from sources.source import ErrorAnswer, LayoutChanged, Page, Source

URL = "https://console-api.akash.network/v1/gpu-prices"
FIGURE = "weightedAverage"


def parse(pages: Sequence[Page]) -> Iterator[Quote | Unreadable]:
    for page in pages:
        body = json_of(page)
        if isinstance(body, dict) and "models" not in body and ("error" in body or "message" in body):
            said = text_of(body.get("message")) or text_of(body.get("error"))
            raise ErrorAnswer(f"Akash answered an error: {said[:120] or 'without a message'}")
        listed = field_of(body, "models", page)
        if not isinstance(listed, list):
            raise LayoutChanged(f"{page.name}: 'models' is not a list")
        models = list(rows_of(listed))
        require_fields(models, ("model", "ram", "interface", "price"), page)
        require_fields(rows_of([model.get("price") for model in models]), ("currency", FIGURE), page)
        for model in models:
            yield _model(model)


def _model(model: Mapping[str, Any]) -> Quote | Unreadable:
    words = [text_of(model.get(field)) for field in ("model", "ram", "interface")]
    sku, gpu = "-".join(filter(None, words)), " ".join(filter(None, words))
    price, free = decimal_of(at(model, "price", FIGURE)), whole_of(at(model, "availability", "available"))
    if not words[0]:
        return Unreadable("unreadable", f"a row without a model, {gpu!r}", sku, gpu)
    if price is None or price <= 0:
        said = at(model, "price", FIGURE) if model.get("price") else "nobody has bid"
        return Unreadable("not_a_price", f"{gpu}: {str(said)[:40]}", sku, gpu)
    return Quote(
        sku=sku,
        gpu=gpu,
        gpu_count=Decimal(1),
        amount=price,
        unit="per_gpu_hour",
        pricing="on_demand",
        currency=text_of(at(model, "price", "currency")).upper(),
        tier=MEAN_OF_BIDS,
        available=None if free is None else free > 0,
        quantity=free,
        fabric="single_node",
    )


SOURCE = Source(
    name="akash",
    title="Akash Network",
    homepage="https://akash.network/pricing/gpus/",
    kind="marketplace",
    access="api",
    every=timedelta(hours=1),
    urls=(URL,),
    parse=parse,
    unit_note="USD per GPU-hour, the weighted mean of a month of bids for one GPU with its host",
    traps="no list price but a mean of bids; the least bid may be a test; price is null where nobody has bid; "
    "priceUakt is in the token; the answer is cached for minutes",
)
