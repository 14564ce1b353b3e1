"""Countries of regions: what a reader filters by, so a wrong one is worse than none."""

import csv
from pathlib import Path

import pytest

from models import regions
from models.regions import country_of, place_of

LISTED = list(csv.DictReader(Path(regions.__file__).with_name("regions.csv").open(encoding="utf-8")))


@pytest.mark.parametrize(
    ("provider", "region", "country"),
    [
        ("aws", "us-east-1", "US"),
        ("aws", "us-gov-west-1", "US"),
        ("aws", "sa-east-1", "BR"),
        ("aws", "ap-southeast-3", "ID"),
        ("aws", "Asia Pacific (Mumbai)", "IN"),
        ("aws-sagemaker", "ap-south-1", "IN"),
        ("azure", "westeurope", "NL"),
        ("azure", "northeurope", "IE"),
        ("azure", "attatlanta1", "US"),
        ("azure", "sgxsingapore1", "SG"),
        ("azure", "usgovvirginia", "US"),
        ("azure", "jioindiawest", "IN"),
        ("gcp", "europe-west4", "NL"),
        ("gcp", "asia-southeast1", "SG"),
        ("gcp", "me-central2", "SA"),
        ("oci", "af-casablanca-1", "MA"),
        ("oci", "eu-jovanovac-1", "RS"),
        ("lambda", "us-west-3", "US"),
        ("lambda", "europe-central-1", "DE"),
        ("lambda_labs", "me-west-1", "IL"),
        ("nebius", "eu-north1", "FI"),
        ("vultr", "ewr", "US"),
        ("vultr", "ord", "US"),
        ("vultr", "itm", "JP"),
        ("verda", "FIN-01", "FI"),
        ("verda", "ICE-01", "IS"),
        ("ovh", "GRA11", "FR"),
        ("ovh", "UK1", "GB"),
        ("ovh", "EU-WEST-PAR-A", "FR"),
        ("coreweave", "EU-SOUTH-04A", "ES"),
        ("coreweave", "EU-NORTH-05A", "DK"),
        ("coreweave", "US-EAST-04A", "US"),
        ("scaleway", "fr-par-2", "FR"),
        ("hyperstack", "CANADA-1", "CA"),
        ("digitalocean", "nyc2", "US"),
        ("digitalocean", "mem1", "US"),
        ("digitalocean", "mkc1", "US"),
        ("exoscale", "ch-gva-2", "CH"),
        ("exoscale", "hr-zag-1", "HR"),
        ("paperspace", "East Coast (NY2)", "US"),
        ("crusoe", "us-southcentral1-a", "US"),
        ("crusoe", "eu-iceland1-a", "IS"),
        ("otc", "eu-ch2", "CH"),
        ("fluidstack", "NORTH_DAKOTA_USA", "US"),
        ("fluidstack", "FINLAND", "FI"),
        ("jarvislabs", "IN2", "IN"),
        ("jarvislabs", "india-noida-01", "IN"),
        ("primeintellect", "united_states", "US"),
        ("primeintellect", "FI/FIN-02", "FI"),
        ("shadeform", "kristiansand-norway-2", "NO"),
        ("shadeform", "kansascity-usa-1", "US"),
        ("hyperbolic", "uk-southeast-3", "GB"),
        ("hyperbolic", "eu-north-5", None),
        ("hyperbolic", "us-east-2", "US"),
        ("cudo", "br-saopaulo-1", "BR"),
        ("acecloud", "India (Noida)", "IN"),
        ("tensordock", "Chubbuck, Idaho, United States", "US"),
    ],
)
def test_a_region_lies_in_its_country(provider, region, country):
    assert country_of(provider, region) == country


@pytest.mark.parametrize(
    ("region", "country"),
    [
        ("US-KS-2", "US"),
        ("US-DE-1", "US"),  # Delaware
        ("CA-MTL-3", "CA"),
        ("EU-RO-1", "RO"),
        ("EUR-IS-2", "IS"),
        ("SEA-SG-1", "SG"),
        ("OC-AU-1", "AU"),
        ("AP-JP-1", "JP"),
        ("NL", "NL"),
        ("any", None),
    ],
)
def test_runpod_data_centre_names_carry_the_country(region, country):
    assert country_of("runpod", region) == country


@pytest.mark.parametrize(
    ("region", "country", "place"),
    [
        ("California, US", "US", "California"),
        (", US", "US", "United States"),
        ("US", "US", "United States"),
        ("Michigan, US, NA", "US", "Michigan"),  # NA is the continent, not Namibia
        (", US, NA", "US", "United States"),
        (", CN, AS", "CN", "China"),  # AS is the continent, not American Samoa
        ("Georgia, US", "US", "Georgia"),
        ("The Netherlands, NL", "NL", "The Netherlands"),
        ("Windhoek, NA", "NA", "Windhoek"),
        ("Nowhere, XX", None, None),
    ],
)
def test_vast_geolocations_end_in_the_country_code(region, country, place):
    assert (country_of("vast", region), place_of("vast", region)) == (country, place)


@pytest.mark.parametrize(
    ("region", "country", "place"),
    [
        ("us-east-1-atl-1", "US", "Atlanta"),
        ("us-east-1-chi-2", "US", "Chicago"),
        ("us-east-1a", "US", "Northern Virginia"),
        ("us-east-1-bue-1", "AR", "Buenos Aires"),  # sold under a US region, stands in Argentina
        ("eu-west-3-wl1-cmn1", "MA", "Casablanca"),
        ("us-west-2-xyz-1", "US", "Oregon"),  # not listed, but every zone of Oregon is in the US
        ("us-east-1-xyz-1", None, None),  # not listed, and Virginia's zones lie in five countries
        ("eu-central-9", None, None),
    ],
)
def test_aws_zones_are_where_they_stand_not_where_they_are_sold(region, country, place):
    assert (country_of("aws", region), place_of("aws", region)) == (country, place)


def test_a_longer_region_number_is_not_a_zone_of_the_shorter():
    assert country_of("gcp", "europe-west1-b") == "BE"
    assert country_of("gcp", "europe-west10-a") == "DE"
    assert country_of("gcp", "europe-west19") is None


@pytest.mark.parametrize(
    "region", ["", "  ", "global", "Global (lowest)", "EU / US", "NORTH AMERICA", "Mumbai / global list", "europe-01"]
)
def test_what_the_text_does_not_say_stays_unknown(region):
    for provider in ("runpod", "nebius", "oci", "coreweave", "jarvislabs", "nobody"):
        assert country_of(provider, region) is None
        assert place_of(provider, region) is None


def test_a_price_without_a_region_has_the_country_of_a_provider_that_is_in_one_alone():
    assert (country_of("e2e", ""), place_of("hotaisle", "")) == ("IN", "Michigan")
    assert country_of("e2e", "Frankfurt") is None  # what a region text says is not overruled
    assert country_of("verda", "") is None  # Finland and Iceland


def test_a_name_that_is_two_places_is_not_guessed():
    assert country_of("fluidstack", "Georgia") is None
    assert country_of("hyperbolic", "new-jersey-1") is None
    assert country_of("somecloud", "Los Angeles, CA") is None


def test_case_and_blanks_do_not_matter():
    assert country_of("vultr", " EWR ") == country_of("vultr", "ewr") == "US"


def test_the_list_is_clean():
    codes = {row["country"] for row in LISTED if row["provider"] == "*"}
    assert len(codes) == 249  # ISO 3166-1
    keys = [(row["provider"], row["region"].casefold()) for row in LISTED]
    assert len(keys) == len(set(keys))
    for row in LISTED:
        assert row["country"] in codes, row
        assert row["place"].strip() == row["place"] != "", row
