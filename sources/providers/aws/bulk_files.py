"""When a bulk price file is downloaded: by the version stamp in AWS's index, rarely, and one at a time.

Each service has a small index that names, region by region, the file of the current version. A file whose version
we hold is confirmed without a download. One that has changed is downloaded only when what we hold of it is older
than READ_AGAIN_AFTER, and at most one of each service at a look, whose turn goes by the day; until then its book
keeps its own date. Reserved and savings-plan prices move a few times a year, while versions change every few days.

What that costs: the file of us-east-1, the largest, had 303 MB on 2026-07-28, and savings plans are taken to be no
smaller. 4 regions x 2 services x 303 MB / 35 days = 69 MB a day on average. The pages looked at every day are at
most 32 regions x 0.7 MB + 2.7 MB of spot prices = 25 MB before compression, and nothing where unchanged. On a
normal day, one on which no bulk file is due, it is those 25 MB.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

from sources.http import Http, json_of
from sources.providers.aws.bulk_lines import reduce
from sources.reading import field_of, rows_of, text_of
from sources.source import LayoutChanged, Page

HOST = "https://pricing.us-east-1.amazonaws.com"
EC2 = f"{HOST}/offers/v1.0/aws/AmazonEC2/current/region_index.json"
SAVINGS_PLANS = f"{HOST}/savingsPlan/v1.0/aws/AWSComputeSavingsPlan/current/region_index.json"
REGIONS = ("us-east-1", "us-east-2", "us-west-2", "ap-south-1")
READ_AGAIN_AFTER = timedelta(days=35)

_VERSION = re.compile(rb'^"?Version"?,"?(\w+)"?\r?$', re.MULTILINE)


def fetch(index_url: str, book: str, http: Http) -> Iterator[Page]:
    """The file of each of REGIONS whose version is the one held, and at most one that is due, by `book`/region.

    A page stands under the address of the index and its region, whatever version it is of.
    """
    addresses, due = _addresses(http.get(index_url)), []
    for region in REGIONS:
        held = http.held(f"{index_url}#{region}")
        if held and _version(held) in addresses[region].split("/"):
            yield http.confirmed(held)
        elif held is None or http.now() - held.observed_at > READ_AGAIN_AFTER:
            due.append(region)
    if due:
        region = due[http.now().toordinal() % len(due)]
        page = http.get(addresses[region], name=f"{region}.csv", book=f"{book}/{region}", reduce=reduce)
        yield replace(page, url=f"{index_url}#{region}")


def _addresses(index: Page) -> dict[str, str]:
    """The CSV file of each of REGIONS. Raises LayoutChanged. EC2 lists regions by name, savings plans in an array."""
    regions = field_of(json_of(index), "regions", index)
    listed = list(regions.values()) if isinstance(regions, dict) else regions
    found = {
        text_of(row.get("regionCode")): text_of(row.get("versionUrl")) or text_of(row.get("currentVersionUrl"))
        for row in rows_of(listed)
    }
    for region in REGIONS:
        if not re.fullmatch(r"/[\w./-]+\.json", found.get(region, "")):
            raise LayoutChanged(f"AWS {index.url}: names no file for {region}")
    return {region: f"{HOST}{found[region].removesuffix('.json')}.csv" for region in REGIONS}


def _version(page: Page) -> str:
    """The version a price file says it is of; "" where it does not say."""
    found = _VERSION.search(page.body[:4096])
    return found.group(1).decode() if found else ""
