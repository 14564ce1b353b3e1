"""AWS: EC2 instances with accelerators. Every price is for one hour of a whole instance under plain Linux.

Four lists, none of which needs a key, and none of which names a GPU (instances.csv does, by instance type):
- on demand, a small JSON file per region (ondemand_feed.py);
- spot, one JSON file for all regions (spot_feed.py);
- reserved instances, in bulk CSV files of a few main regions (offer_file.py), hundreds of megabytes each, which
  are cut while they stream (bulk_lines.py) and downloaded by version, rarely (bulk_files.py);
- savings plans, in files of the same kind (savings_plan.py).
Capacity blocks are left out: their fee moves with supply and is quoted to an account for a moment.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial

from models.offers import Quote, Unreadable
from sources.http import Http, json_of
from sources.providers.aws import bulk_files, offer_file, ondemand_feed, savings_plan, spot_feed
from sources.providers.aws.bulk_lines import is_price_file, reduce
from sources.providers.aws.instances import locations
from sources.source import LayoutChanged, Page, Source


def parse(pages: Sequence[Page]) -> Iterator[Quote | Unreadable]:
    """The prices of one book; each page is read as what it is, so that a saved file needs no book."""
    for page in pages:
        for row in _rows(page):
            yield replace(row, page_sha256=page.sha256)


def _rows(page: Page) -> Iterator[Quote | Unreadable]:
    if is_price_file(page.body):
        return savings_plan.quotes(page) if b"DiscountedRate" in page.body[:65536] else offer_file.quotes(page)
    answer = json_of(page)
    if isinstance(answer, dict) and "config" in answer:
        return spot_feed.quotes(answer, page)
    if isinstance(answer, dict) and "regions" in answer:
        return ondemand_feed.quotes(answer, page)
    raise LayoutChanged(f"AWS {page.name}: neither the on-demand feed, nor spot prices, nor a bulk price file")


PARTS: dict[str, Callable[[Http], Iterable[Page]]] = {  # the small first: a slow download may use up the time
    **{f"feed/{region}": partial(ondemand_feed.fetch, region) for region in locations()},
    spot_feed.BOOK: spot_feed.fetch,
    offer_file.BOOK: partial(bulk_files.fetch, bulk_files.EC2, offer_file.BOOK),
    savings_plan.BOOK: partial(bulk_files.fetch, bulk_files.SAVINGS_PLANS, savings_plan.BOOK),
}

SOURCE = Source(
    name="aws",
    title="Amazon Web Services",
    homepage="https://aws.amazon.com/ec2/pricing/",
    kind="hyperscaler",
    access="catalogue",
    every=timedelta(days=1),
    unit_note="one hour of a whole EC2 instance, Linux; reservations add a fee for the term",
    parts=PARTS,
    parse=parse,
    reduce=reduce,
    deadline=timedelta(minutes=15),
    requests_per_second=2.0,
    traps=(
        "Capacity-block products stand beside the real ones at 0, or at the fee of a paid system; reserved capacity "
        "repeats the price or shows 0; Windows, licences and dedicated hosts share every other attribute; dates "
        "are the first of the month for every row; spot prices of N/A* and $0; GPU memory as the driver sees it; "
        "p5e, trn2 and GB200 are sold in capacity blocks only."
    ),
)
