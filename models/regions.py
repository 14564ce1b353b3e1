"""Where a provider's region is: its country (ISO 3166-1 alpha-2) and a plain place name.

What is known stands in regions.csv: a provider's regions, and under `*` the names of countries. The rules
here only read what a region text says itself (a country code, a country name, a zone of a listed region).
Whatever neither the list nor the text says stays unknown: a country is never guessed from a likeness.
An empty `source` in the CSV repeats the one above it. An empty `region` is for a provider all of whose machines are
known to stand in one country: there a price without a region has its country too.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Place:
    country: str  # ISO 3166-1 alpha-2
    name: str


# Other names of the same provider, as brokers and older catalogues write them.
SAME_AS = {
    "akamai": "linode",
    "aws_sagemaker": "aws",
    "datacrunch": "verda",
    "do": "digitalocean",
    "genesis_cloud": "genesis",
    "lambda_labs": "lambda",
    "lambdalabs": "lambda",
    "open_telekom_cloud": "otc",
    "oracle": "oci",
}
# Their region texts extend a listed region: us-central1-a, us-east-1-atl-1, GRA11, EU-SOUTH-04A, FIN-03.
_ZONED = """
    aws civo coreweave crusoe digitalocean gcp genesis hetzner hyperstack ibm
    jarvislabs linode nebius oci otc ovh scaleway upcloud verda
"""
ZONED = frozenset(_ZONED.split())
# Members of the European Union (europa.eu, "EU countries": 27 since 2020-02-01), and with Iceland, Liechtenstein and
# Norway of the European Economic Area (efta.int).
_EU = """
    AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK
"""
EU = frozenset(_EU.split())
GROUPS = {"EU": EU, "EEA": EU | {"IS", "LI", "NO"}}
CONTINENTS = frozenset(["AF", "AN", "AS", "EU", "NA", "OC", "SA"])

_DATA_CENTRE = re.compile(r"(?:(US|CA)-[A-Z]+|[A-Z]{2,3}-([A-Z]{2}))-\d+")  # US-KS-2, EU-RO-1, EUR-IS-1
_CODE_FIRST = re.compile(r"([A-Za-z]{2})[-/].+")  # no-luster-1, FI/FIN-02
_CITY_COUNTRY = re.compile(r"(?:[a-z]+-)?([a-z]+)-\d+")  # desmoines-usa-2, canada-1
_UNITED_STATES = re.compile(r"us[-_].+", re.IGNORECASE)


def country_of(provider: str, region: str) -> str | None:
    """ISO 3166-1 alpha-2 code of the country a provider's region lies in; None where that is not known."""
    place = place_at(provider, region)
    return place.country if place else None


def place_of(provider: str, region: str) -> str | None:
    """Plain name of the place, as fine as it is known (a city, a state, else the country); None if unknown."""
    place = place_at(provider, region)
    return place.name if place else None


@lru_cache(maxsize=65_536)
def place_at(provider: str, region: str) -> Place | None:
    """Country and place of a region as the provider prints it. Case and outer blanks do not matter."""
    text = region.strip()
    provider = provider.strip().casefold().replace("-", "_").rstrip("_")
    provider = SAME_AS.get(provider, provider)
    listed = _listed().get(provider, {})
    return (
        listed.get(text.casefold())
        or (_zone_of_listed(listed, text.casefold()) if provider in ZONED else None)
        or _country_code(provider, text)
        or _country_name(provider, text)
        # AWS sells zones abroad under the name of a US region, so there the prefix proves nothing.
        or (Place("US", "United States") if provider != "aws" and _UNITED_STATES.fullmatch(text) else None)
    )


def _zone_of_listed(listed: Mapping[str, Place], text: str) -> Place | None:
    """The longest listed region that the text extends, unless its listed zones lie in several countries."""
    for end in range(len(text) - 1, 1, -1):
        region, rest = text[:end], text[end:]
        place = listed.get(region)
        if place is None or not (rest[0] == "-" or rest[0].isdigit() != region[-1].isdigit()):
            continue
        if len(rest) == 1:  # us-east-1a: a letter is an availability zone, which never leaves its region
            return place
        zones = {zone.country for name, zone in listed.items() if name.startswith(region + "-")}
        return place if zones <= {place.country} else None
    return None


def _country_code(provider: str, text: str) -> Place | None:
    """The ISO code in the texts of providers that are known to write one there."""
    code = ""
    if provider == "vast":  # "Iowa, US", ", US", "US", "Texas, US, NA"
        parts = [part.strip() for part in text.split(",")]
        if len(parts) > 2 and parts[-1] in CONTINENTS:
            parts.pop()
        code = parts[-1]
        if code in _codes() and parts[0] not in ("", code):
            return Place(code, ", ".join(parts[:-1]))
    elif provider in ("runpod", "primeintellect") and len(text) == 2:
        code = text
    elif provider == "runpod" and (found := _DATA_CENTRE.fullmatch(text)):
        code = found[1] or found[2]
    elif provider == "primeintellect" and "/" in text:
        code = text.partition("/")[0]
    elif provider == "cudo" and (found := _CODE_FIRST.fullmatch(text)):
        code = found[1].upper()
    return Place(code, _codes()[code]) if code in _codes() else None


def _country_name(provider: str, text: str) -> Place | None:
    """A country named in words: "Norway", "united_states", "India (Noida)", "Idaho, United States"."""
    names = _listed()["*"]
    words = text.casefold().replace("_", " ")
    if place := names.get(words) or names.get(words.partition(" (")[0]) or names.get(words.rpartition(", ")[2]):
        return place
    if provider in ("shadeform", "sesterce", "spheron") and (found := _CITY_COUNTRY.fullmatch(words)):
        return _names_run_together().get(found[1])
    return None


@cache
def _listed() -> dict[str, dict[str, Place]]:
    """provider -> region in lower case -> place."""
    listed: dict[str, dict[str, Place]] = {}
    with Path(__file__).with_name("regions.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            place = Place(row["country"], row["place"])
            listed.setdefault(row["provider"], {})[row["region"].casefold()] = place
    return listed


@cache
def _names_run_together() -> dict[str, Place]:
    return {name.replace(" ", ""): place for name, place in _listed()["*"].items()}


@cache
def _codes() -> dict[str, str]:
    """ISO 3166-1 alpha-2 code -> name."""
    return {place.country: place.name for place in _listed()["*"].values()}
