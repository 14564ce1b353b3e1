"""JarvisLabs: the list of its pools that its own client starts machines from; needs a key.

A pool is one card in one region for one kind of work (vm, container); `num_gpus` is its largest machine, one GPU where
it says none, and every figure is per GPU. Prices come in the currency of the account, which the answer names. Spot is
sold for containers alone. Pools without a kind of work cannot be started. One card has two spellings, the memory is
text, and the region may be one that is not known. The list holds what an account may see, not always all cards.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import Any

from models.offers import Quote, Unreadable
from sources.http import Http, json_of
from sources.reading import decimal_of, field_of, require_fields, rows_of, text_of, whole_of
from sources.source import ErrorAnswer, LayoutChanged, Page, Source

URL = "https://backendn.jarvislabs.net/misc/server_meta"
KEY = "JL_API_KEY"
SPOT_IN = "container"


def fetch(http: Http) -> Iterator[Page]:
    yield http.get(URL, secret_headers={"Authorization": f"Bearer {http.secret(KEY)}"}, name="server_meta.json")


def parse(pages: Sequence[Page]) -> Iterator[Quote | Unreadable]:
    for page in pages:
        answer = json_of(page)
        if isinstance(answer, dict) and "server_meta" not in answer and ("detail" in answer or "message" in answer):
            raise ErrorAnswer(f"JarvisLabs answered an error: {str(answer.get('detail', answer.get('message')))[:120]}")
        listed, currency = field_of(answer, "server_meta", page), text_of(field_of(answer, "currency", page))
        if not isinstance(listed, list) or not currency:
            raise LayoutChanged(f"{page.name}: pools that are no list, or a currency that is no text")
        pools = list(rows_of(listed))
        require_fields(pools, ("gpu_type", "region", "price_per_hour", "vram", "workload_type"), page)
        for pool in pools:
            yield from _machines(pool, currency)


def _machines(pool: Mapping[str, Any], currency: str) -> Iterator[Quote | Unreadable]:
    """A machine of one GPU and the largest of the pool, and by spot where it is sold."""
    gpu, region, work = (text_of(pool.get(field)) for field in ("gpu_type", "region", "workload_type"))
    price, spot = decimal_of(pool.get("price_per_hour")), decimal_of(pool.get("spot_price"))
    largest = whole_of(pool.get("num_gpus") or 1)
    if largest is None or not 0 < largest <= 64:
        yield Unreadable("bad_count", f"{gpu}: up to {str(pool.get('num_gpus'))[:20]} GPUs", gpu, gpu, region)
    elif price is None or price <= 0:
        yield Unreadable("not_a_price", f"{gpu} at {str(pool.get('price_per_hour'))[:40]}", gpu, gpu, region)
    else:
        cpus, memory = decimal_of(pool.get("cpus_per_gpu")), decimal_of(pool.get("ram_per_gpu"))
        free, free_spot = whole_of(pool.get("effective_num_free_devices")), whole_of(pool.get("spot_num_free_devices"))
        for count in sorted({1, largest}):
            machine = Quote(
                sku=gpu,
                gpu=gpu,
                gpu_count=Decimal(count),
                amount=price,
                currency=currency,
                unit="per_gpu_hour",
                pricing="on_demand",
                region=region,
                gpu_memory_gb=decimal_of(pool.get("vram")),
                vcpus=None if cpus is None else cpus * count,
                memory_gb=None if memory is None else memory * count,
                tier=work,
                available=_enough(free, count) if work else False,
                fabric="single_node",
            )
            yield machine
            if work == SPOT_IN and spot is not None and spot > 0:
                yield replace(machine, amount=spot, pricing="spot", available=_enough(free_spot, count))


def _enough(free: int | None, count: int) -> bool | None:
    return None if free is None else free >= count


SOURCE = Source(
    name="jarvislabs",
    title="JarvisLabs",
    homepage="https://jarvislabs.ai/pricing",
    kind="gpu_cloud",
    access="api",
    every=timedelta(hours=6),
    urls=(URL,),
    fetch=fetch,
    parse=parse,
    secret=KEY,
    unit_note="per GPU-hour, host included, in the currency of the account (USD or INR)",
    traps="the currency follows the account; num_gpus is the largest machine of a pool, not its size; spot is for "
    "containers alone; a pool without a kind of work cannot be started; RTX PRO 6000 has two spellings",
)
