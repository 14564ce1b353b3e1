"""RunPod: GraphQL `gpuTypes`, open without a key. Every listed price is USD per GPU-hour, for a pod of any size;
here for one GPU and for the largest pod.

`securePrice` and `communityPrice` are two products, each real only beside its flag `secureCloud` or
`communityCloud`: without it the field holds 0 or a filler of 0.5, and the filler is believed nowhere else either: a
card of more than 48 GB, or with another price above a dollar, is not to be had for it. The largest pod is told for each
cloud, by older answers for both. `lowestPrice` answers for one cloud and one
pod size, so the question is kept in front of the answer as `request_variables`. Its figures have been the
whole pod's (8 x 1.39 = 11.12, July 2026) and one GPU's; the list price beside them tells which they are.
`minimumBidPrice` is the least bid that is taken for a pod that can be outbid, not what one goes for: its tier says so,
and no cost is reckoned with it. The lower of the two clouds' is kept. A bid equal to the on-demand figure is no spot
market. A MIG slice is its share of the memory of the card it is cut from. Instant clusters join 2 to 8 nodes of the
largest pod.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import Any

from models.offers import BID_FLOOR, Quote, Unreadable
from sources.http import Http, json_of
from sources.reading import decimal_of, field_of, flag_of, rows_of, text_of, whole_of
from sources.source import ErrorAnswer, LayoutChanged, Page, Source

URL = "https://api.runpod.io/graphql"
QUERY = """query GpuTypes($lowestPriceInput: GpuLowestPriceInput) {
  gpuTypes {
    id displayName memoryInGb secureCloud communityCloud securePrice communityPrice
    maxGpuCount maxGpuCountSecureCloud maxGpuCountCommunityCloud
    oneMonthPrice threeMonthPrice sixMonthPrice clusterPrice nodeGroupDatacenters { id }
    lowestPrice(input: $lowestPriceInput) { minimumBidPrice uninterruptablePrice stockStatus }
  }
}"""
CLOUDS = ("secure", "community")
POD_SIZES = (1, 8)
PLANS = {"oneMonthPrice": 1, "threeMonthPrice": 3, "sixMonthPrice": 6}  # months, in the secure cloud
FEWEST_NODES, MOST_NODES = 2, 8
FILLER, FILLER_MAX_GB, FILLER_MAX_OTHER = Decimal("0.5"), 48, 1  # USD per GPU-hour, GB, USD per GPU-hour
SLICE = re.compile(r"(.+) MIG \d+g\.\d+gb", re.IGNORECASE)
Row = Quote | Unreadable


def fetch(http: Http) -> Iterator[Page]:
    for cloud in CLOUDS:
        for size in POD_SIZES:
            asked = {"lowestPriceInput": {"gpuCount": size, "secureCloud": cloud == "secure"}}
            page = http.post(URL, json={"query": QUERY, "variables": asked}, name=f"{cloud}-{size}.json")
            yield replace(page, body=_after_question(asked, page.body))


def _after_question(asked: Mapping[str, Any], answer: bytes) -> bytes:
    """The answer with its question as its first field; what is no JSON object stays as it came."""
    if not answer.startswith(b'{"'):
        return answer
    return b'{"request_variables":' + json.dumps(asked, separators=(",", ":")).encode() + b"," + answer[1:]


def parse(pages: Sequence[Page]) -> Iterator[Row]:
    """Each row once: of the answers to several questions, the one that knows the stock; of two bids, the lower."""
    found: dict[tuple[object, ...], Row] = {}
    for page in pages:
        asked, rows = _answer(page)
        memory = {text_of(row.get("id")): decimal_of(row.get("memoryInGb")) for row in rows}
        for row in rows:
            for said in _rows(row, asked, memory):
                if _says_more(said, found.get(_identity(said))):
                    found[_identity(said)] = replace(said, page_sha256=page.sha256)
    yield from found.values()


def _answer(page: Page) -> tuple[Mapping[str, Any], list[Mapping[str, Any]]]:
    """What was asked (empty where the page does not say) and the GPU types. Raises ErrorAnswer, LayoutChanged."""
    body = json_of(page)
    if isinstance(body, dict) and body.get("errors"):
        message = next((text_of(error.get("message")) for error in rows_of(body["errors"])), "")
        raise ErrorAnswer(f"RunPod answered an error under HTTP 200: {message or 'without a message'}")
    rows = list(rows_of(field_of(field_of(body, "data", page), "gpuTypes", page)))
    for field in ("id", "memoryInGb", "secureCloud", "securePrice", "communityCloud", "communityPrice"):
        if not any(field in row for row in rows):
            raise LayoutChanged(f"{page.name}: no GPU type has the field {field!r}")
    variables = body.get("request_variables")
    asked = variables.get("lowestPriceInput") if isinstance(variables, dict) else None
    return asked if isinstance(asked, dict) else {}, [row for row in rows if text_of(row.get("id")) != "unknown"]


def _rows(row: Mapping[str, Any], asked: Mapping[str, Any], memory: Mapping[str, Decimal | None]) -> Iterator[Row]:
    sku, lowest = text_of(row.get("id")), row.get("lowestPrice")
    pod = Quote(
        sku, sku, Decimal(1), Decimal(0), "per_gpu_hour", "on_demand", region="any",
        gpu_memory_gb=memory.get(sku), fabric="single_node",
    )  # fmt: skip
    quoted = isinstance(lowest, dict) and _price(lowest, "uninterruptablePrice") is not None
    proven = (whole_of(asked.get("gpuCount")) if quoted else None) or 1
    whole_card = SLICE.fullmatch(sku)
    for cloud in CLOUDS:
        sold = flag_of(row.get(f"{cloud}Cloud"))
        if sold is None:
            said = f"{cloud}Cloud is {str(row.get(f'{cloud}Cloud'))[:40]}"
            yield Unreadable("unknown_pricing", said, sku, sku)
        if not sold:
            continue
        price = _price(row, f"{cloud}Price")
        if price is None or _is_filler(price, row):
            yield Unreadable("not_a_price", f"{cloud} cloud at {row.get(f'{cloud}Price')!r}", sku, sku)
        elif whole_card:
            yield _slice(replace(pod, amount=price, tier=f"{cloud}_slice"), memory.get(whole_card[1]))
        else:
            for size in sorted({1, _largest(row, cloud) or proven}):
                listed = replace(pod, gpu_count=Decimal(size), amount=price, tier=cloud)
                mine = asked.get("secureCloud") is (cloud == "secure") and asked.get("gpuCount") == size
                yield from _asked(listed, lowest, asked) if mine and isinstance(lowest, dict) else (listed,)
                if cloud == "secure":
                    yield from _plans(listed, row)
    yield from _clusters(pod, row)


def _asked(pod: Quote, lowest: Mapping[str, Any], asked: Mapping[str, Any]) -> Iterator[Row]:
    """The pod that `lowestPrice` was asked about: with its stock, and the least bid for it."""
    pod = replace(pod, region=text_of(asked.get("dataCenterId")) or "any")
    bid, on_demand = _price(lowest, "minimumBidPrice"), _price(lowest, "uninterruptablePrice")
    if bid is not None and on_demand is not None and bid > on_demand:
        said = f"a least bid of {bid} above the on-demand price {on_demand}; the fields look swapped"
        yield Unreadable("spot_above_on_demand", said, pod.sku, pod.gpu)
        return
    yield replace(pod, available=bool(text_of(lowest.get("stockStatus"))))
    if bid is None or bid == on_demand:
        return
    spot = replace(pod, amount=bid, pricing="spot", tier=BID_FLOOR, available=True)
    if on_demand is not None and _same(on_demand, pod.amount):
        yield spot
    elif on_demand is not None and _same(on_demand, pod.amount * pod.gpu_count):
        yield replace(spot, unit="per_instance_hour")
    else:
        yield Unreadable("unknown_unit", f"a bid of {bid} beside {on_demand}: for one GPU or all?", pod.sku, pod.gpu)


def _plans(pod: Quote, row: Mapping[str, Any]) -> Iterator[Quote]:
    for field, months in PLANS.items():
        if price := _price(row, field):
            yield replace(pod, amount=price, pricing="savings_plan", term_months=months)


def _clusters(pod: Quote, row: Mapping[str, Any]) -> Iterator[Quote]:
    """One row for each data centre that joins nodes; a cluster price without one is not on sale."""
    price, node = _price(row, "clusterPrice"), _largest(row, "secure")
    if price is None or node is None:
        return
    cluster = replace(
        pod, gpu_count=Decimal(node), amount=price, tier="cluster", fabric="multi_node",
        minimum_gpus=FEWEST_NODES * node, cluster_gpus=MOST_NODES * node,
    )  # fmt: skip
    for centre in rows_of(row.get("nodeGroupDatacenters")):
        if region := text_of(centre.get("id")):
            yield replace(cluster, region=region)


def _slice(piece: Quote, whole: Decimal | None) -> Row:
    part = piece.gpu_memory_gb
    if part is None or whole is None or not 0 < part < whole:
        return Unreadable("slice", "a slice of a card that is not listed", piece.sku, piece.gpu)
    return replace(piece, gpu_count=part / whole, unit="per_instance_hour")


def _largest(row: Mapping[str, Any], cloud: str) -> int | None:
    """GPUs of the largest pod in a cloud; None where the answer does not say."""
    said = (whole_of(row.get(field)) for field in (f"maxGpuCount{cloud.title()}Cloud", "maxGpuCount"))
    return next((size for size in said if size is not None and size > 0), None)


def _is_filler(price: Decimal, row: Mapping[str, Any]) -> bool:
    """Half a dollar that the rest of the row denies, whatever the flag says."""
    prices = [_price(row, field) for field in ("securePrice", "communityPrice", "clusterPrice", *PLANS)]
    memory = decimal_of(row.get("memoryInGb"))
    dear = memory is not None and memory > FILLER_MAX_GB
    return price == FILLER and (dear or any(other is not None and other > FILLER_MAX_OTHER for other in prices))


def _price(record: Mapping[str, Any], field: str) -> Decimal | None:
    price = decimal_of(record.get(field))
    return price if price is not None and price > 0 else None


def _same(figure: Decimal, other: Decimal) -> bool:
    return abs(figure - other) <= other / 1_000_000


def _says_more(row: Row, held: Row | None) -> bool:
    if not isinstance(held, Quote) or not isinstance(row, Quote):
        return held is None
    return row.amount < held.amount if row.tier == BID_FLOOR else held.available is None


def _identity(row: Row) -> tuple[object, ...]:
    if isinstance(row, Unreadable):
        return row.reason, row.sku, row.detail
    return row.sku, row.tier, row.region, row.gpu_count, row.pricing, row.term_months


SOURCE = Source(
    name="runpod",
    title="RunPod",
    homepage="https://www.runpod.io/pricing",
    kind="marketplace",
    access="api",
    every=timedelta(hours=1),
    urls=(URL,),
    fetch=fetch,
    parse=parse,
    requests_per_second=1.0,
    unit_note="USD per GPU-hour of a pod of 1 to 8 GPUs, host included; the least bid may be printed for the whole pod",
    traps=(
        "0.5 and 0 are fillers where the cloud's flag is false; the secure and the community price are two products; "
        "errors come under HTTP 200; minimumBidPrice is the least bid, not what a pod goes for, and one equal to the "
        "on-demand figure is no spot market; a MIG slice is no GPU"
    ),
)
