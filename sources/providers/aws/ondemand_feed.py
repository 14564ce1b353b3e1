"""On-demand prices of one region: the small JSON file behind the table on AWS's on-demand page.

Half a megabyte a region against 300 of the price list, the same figures, and undocumented. The key of a row is a
compound text ("p5 48xlarge US East N. Virginia Linux"); the type is in its field "Instance Type".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote as quoted

from models.offers import Quote, Unreadable
from sources.http import Http
from sources.providers.aws.instances import instances, locations, quote
from sources.reading import decimal_of, text_of
from sources.source import ErrorAnswer, LayoutChanged, Page, Unreachable

URL = "https://b0.p.awsstatic.com/pricing/2.0/meteredUnitMaps/ec2/USD/current/ec2-ondemand-without-sec-sel"
ACCELERATED_FAMILIES = frozenset({"GPU instance", "Machine Learning ASIC Instances"})
ALWAYS_THERE = "us-east-1"


def fetch(region: str, http: Http) -> Iterator[Page]:
    """The page of one region; none where the site has none (403 or 404), which for us-east-1 cannot be true."""
    address = f"{URL}/{quoted(locations()[region])}/Linux/index.json"
    try:
        yield http.get(address, name=f"{region}.json", book=f"feed/{region}")
    except Unreachable as error:
        if region == ALWAYS_THERE or error.status not in (403, 404):
            raise


def quotes(answer: Mapping[str, Any], page: Page) -> Iterator[Quote | Unreadable]:
    """Linux prices of the accelerated types. Raises LayoutChanged, and ErrorAnswer for another region's page."""
    regions, manifest = answer["regions"], answer.get("manifest")
    currency = text_of(manifest.get("currencyCode")) if isinstance(manifest, dict) else ""
    if not isinstance(regions, dict):
        raise LayoutChanged(f"AWS {page.name}: regions is no object")
    for location, rows in regions.items():
        region = _region(location, page)
        if not isinstance(rows, dict):
            raise LayoutChanged(f"AWS {page.name}: the rows of {location} are no object")
        machines = [row for row in rows.values() if isinstance(row, dict)]
        for title in ("Instance Type", "price"):
            if machines and not any(title in row for row in machines):
                raise LayoutChanged(f"AWS {page.name}: no row has the field {title!r}")
        prices: dict[str, list[object]] = {}
        for row in filter(_is_plain_accelerated, machines):
            prices.setdefault(text_of(row.get("Instance Type")), []).append(row.get("price"))
        for instance_type, printed in prices.items():
            yield _one_price(instance_type, region, printed, currency or "USD")


def _is_plain_accelerated(row: Mapping[str, Any]) -> bool:
    known = text_of(row.get("Instance Type")) in instances()
    if not known and text_of(row.get("Instance Family")) not in ACCELERATED_FAMILIES:
        return False
    return text_of(row.get("Operating System")) == "Linux" and text_of(row.get("Pre Installed S/W")) in ("", "NA")


def _one_price(instance_type: str, region: str, printed: Sequence[object], currency: str) -> Quote | Unreadable:
    """The one price of a type in a region; two prices mean that the rows are not told apart as they should be."""
    prices = {decimal_of(price) for price in printed}
    if len(prices) > 1:
        figures = ", ".join(sorted(str(price)[:20] for price in printed))
        detail = f"{instance_type} has {len(prices)} on-demand prices in {region}: {figures}"
        return Unreadable("ambiguous", detail, sku=instance_type, region=region)
    return quote(instance_type, region, prices.pop(), "on_demand", currency=currency)


def _region(location: str, page: Page) -> str:
    """The region code of a location; of a page that was asked for by region, that region."""
    codes = {name: code for code, name in locations().items()}
    asked = page.book.removeprefix("feed/")
    found = codes.get(location, asked or location)
    if asked and found != asked:
        raise ErrorAnswer(f"AWS {page.name}: asked for {asked}, answered for {location}")
    return found
