"""Spot prices of every region: the one JSON file behind the table on AWS's spot page. Undocumented, hourly.

Prices are texts; a type that is not sold there reads "N/A*" and is passed over, a price of "$0" is none and counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from models.offers import Quote, Unreadable
from sources.http import Http
from sources.providers.aws.instances import ACCELERATED_NAME, instances, locations, quote
from sources.reading import decimal_of, field_of, rows_of, text_of
from sources.source import LayoutChanged, Page

URL = "https://website.spot.ec2.aws.a2z.com/spot.json"
BOOK = "spot"


def fetch(http: Http) -> Iterator[Page]:
    """The one page."""
    yield http.get(URL, name="spot.json", book=BOOK)


def quotes(answer: Mapping[str, Any], page: Page) -> Iterator[Quote | Unreadable]:
    """Linux spot prices of the accelerated types. Raises LayoutChanged."""
    config = answer["config"]
    if field_of(config, "rate", page) != "perhr":
        raise LayoutChanged(f"AWS {page.name}: prices are not per hour but {str(config['rate'])[:40]!r}")
    regions = list(rows_of(field_of(config, "regions", page)))
    if not any(text_of(region.get("region")) in locations() for region in regions):
        raise LayoutChanged(f"AWS {page.name}: not one region is named as AWS names regions")
    for region in regions:
        for group in rows_of(region.get("instanceTypes")):
            for size in rows_of(group.get("sizes")):
                instance_type, text = text_of(size.get("size")), _linux_price(size)
                if instance_type not in instances() and not ACCELERATED_NAME.match(instance_type):
                    continue
                if text.startswith("N/A"):
                    continue  # not sold as spot there
                amount = decimal_of(text.removeprefix("$")) or None
                yield quote(instance_type, text_of(region.get("region")), amount, "spot")


def _linux_price(size: Any) -> str:
    for column in rows_of(size.get("valueColumns")):
        prices = column.get("prices")
        if column.get("name") == "linux" and isinstance(prices, dict):
            return text_of(prices.get("USD"))
    return ""
