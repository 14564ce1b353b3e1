"""Seeweb: the plans of its cloud servers, whole machines in EUR per hour; needs a token.

The answer has named no currency: its prices are those that the product page prints in euros. One that it names, of a
plan or of all, is believed. Numbers are text, memory is
MiB, and GPUs are named with their memory in most labels ("L40s 48GB", "MI300X"). Boards of AMD and Tenstorrent stand
beside those of NVIDIA. `available` says that a plan is sold; where it can be started now is in `available_regions`,
which is empty while it is sold out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any

from models.offers import Quote, Unreadable
from sources.http import Http, json_of
from sources.reading import decimal_of, field_of, flag_of, require_fields, rows_of, stated_currency, text_of
from sources.source import ErrorAnswer, LayoutChanged, Page, Source

URL = "https://api.seeweb.it/ecs/v2/plans"
TOKEN = "SEEWEB_API_TOKEN"


def fetch(http: Http) -> Iterator[Page]:
    yield http.get(URL, secret_headers={"X-APITOKEN": http.secret(TOKEN)}, name="plans.json")


def parse(pages: Sequence[Page]) -> Iterator[Quote | Unreadable]:
    for page in pages:
        answer = json_of(page)
        if isinstance(answer, dict) and answer.get("status") not in ("ok", None):
            said = str(answer.get("message") or answer["status"])[:120]
            raise ErrorAnswer(f"Seeweb answered an error: {said}")
        listed = field_of(answer, "plans", page)
        if not isinstance(listed, list):
            raise LayoutChanged(f"{page.name}: 'plans' is not a list")
        plans = list(rows_of(listed))
        require_fields(plans, ("name", "gpu", "gpu_label", "hourly_price", "available_regions"), page)
        for plan in plans:
            if plan.get("gpu_label") is not None or decimal_of(plan.get("gpu")) != 0:
                yield from _plan(plan, stated_currency("EUR", plan, answer))


def _plan(plan: Mapping[str, Any], currency: str) -> Iterator[Quote | Unreadable]:
    sku, gpu = text_of(plan.get("name")), text_of(plan.get("gpu_label"))
    gpus, price, memory_mib = (decimal_of(plan.get(field)) for field in ("gpu", "hourly_price", "ram"))
    if not gpu or gpus is None or gpus <= 0:
        said = f"{str(plan.get('gpu'))[:20]} of {gpu[:60] or 'a GPU without a label'}"
        yield Unreadable("unknown_sku", f"plan {sku}: {said}", sku, gpu)
        return
    if price is None or price <= 0:
        yield Unreadable("not_a_price", f"plan {sku} at {str(plan.get('hourly_price'))[:40]}", sku, gpu)
        return
    regions = [text_of(region.get("location")) for region in rows_of(plan.get("available_regions"))]
    for region in [place for place in regions if place] or [""]:
        yield Quote(
            sku=sku,
            gpu=gpu,
            gpu_count=gpus,
            amount=price,
            currency=currency,
            unit="per_instance_hour",
            pricing="on_demand",
            region=region,
            vcpus=decimal_of(plan.get("cpu")),
            memory_gb=None if memory_mib is None else memory_mib / 1024,
            available=flag_of(plan.get("available")) if region else False,
            fabric="single_node",
        )


SOURCE = Source(
    name="seeweb",
    title="Seeweb",
    homepage="https://www.seeweb.it/en/products/cloud-server-gpu",
    kind="gpu_cloud",
    access="api",
    every=timedelta(days=1),
    urls=(URL,),
    fetch=fetch,
    parse=parse,
    secret=TOKEN,
    unit_note="EUR without VAT per hour of a whole plan of 1 to 8 GPUs",
    traps="no currency in the answer, and collectors have taken euros for dollars; numbers are text, memory is MiB; "
    "available means that a plan is sold, not that one is free",
)
