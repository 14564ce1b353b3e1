"""The field's known mistakes with price lists: each on a recorded page that has the trap, with the right value.

Faults that users of such tools reported, each with the test of ours that stands on it: test_reported_faults.py.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from functools import cache

import pytest
from bs4 import BeautifulSoup
from trials import recorded_rates

from models.normalise import normalise
from models.offers import Offer, Quote, Rejected, Unreadable
from sources.pages import recorded_pages
from sources.source import Page, TruncatedAnswer, all_sources, in_books


def pages(provider: str, day: str, name: str = "") -> list[Page]:
    """The recorded pages of a provider's look of that day; those of one name where given."""
    look = next(found for moment, found in recorded_pages(provider).items() if f"{moment:%Y-%m-%d}" == day)
    return [recorded.page for recorded in look if not name or recorded.page.name == name]


def read(provider: str, found: Sequence[Page], at: datetime | None = None) -> tuple[list[Offer], list[Rejected]]:
    """What pages say: offers and rejections, at the rates that were known then."""
    offers: list[Offer] = []
    rejected: list[Rejected] = []
    for book, of_book in in_books(found).items():
        rows = all_sources()[provider].parse(of_book)
        these, others = normalise(
            (row for row in rows if isinstance(row, (Quote, Unreadable))),
            provider=provider,
            book=book,
            observed_at=at or of_book[0].observed_at,
            origin="recorded",
            rates=recorded_rates(),
            page_sha256="",
        )
        offers += these
        rejected += others
    return offers, rejected


@cache
def look(provider: str, day: str) -> list[Offer]:
    return read(provider, pages(provider, day))[0]


def per_gpu(provider: str, day: str, sku: str, **said: object) -> set[Decimal]:
    """USD per GPU-hour of the offers of a SKU that say this."""
    return {
        offer.usd_per_gpu_hour
        for offer in look(provider, day)
        if offer.sku == sku and all(getattr(offer, name) == value for name, value in said.items())
    }


def text(provider: str, day: str, name: str = "") -> str:
    return "".join(page.text for page in pages(provider, day, name))


def usd(amount: str) -> set[Decimal]:
    return {Decimal(amount)}


# --- what one figure covers


def test_price_per_gpu_and_price_per_instance():
    """RunPod prints 3.29 for one of eight H100, AWS 55.04 and CoreWeave 50.44 for all eight."""
    eight = {
        o.usd_per_hour for o in look("runpod", "2026-08-22") if o.sku == "NVIDIA H100 80GB HBM3" and o.gpu_count == 8
    }
    assert Decimal("26.32") in eight
    assert per_gpu("runpod", "2026-08-22", "NVIDIA H100 80GB HBM3", tier="secure") == usd("3.29")
    assert per_gpu("aws", "2026-07-20", "p5.48xlarge", region="us-east-1") == usd("6.88")
    assert per_gpu("coreweave", "2026-08-22", "hgx-h200", pricing="on_demand", region="EUROPE") == usd("6.305")


def test_cents_nanos_and_hundred_millionths():
    """Shadeform's A6000 at 392 cents for eight, Hyperbolic's H100 at 319; Google's units and nanos; OVH's 1e-8."""
    assert '"hourly_price": 392' in text("shadeform", "2026-08-22").replace('":392', '": 392')
    assert per_gpu("shadeform", "2026-08-22", "A6000x8", region="desmoines-usa-2") == usd("0.49")
    assert per_gpu("hyperbolic", "2026-08-29", "virtual-machine 1x h100 sxm5 ethernet", region="us-east-1") == usd(
        "3.19"
    )
    assert "933908000" in text("gcp", "2023-03-24")
    assert per_gpu("gcp", "2023-03-24", "a2-highgpu-1g", pricing="on_demand", region="us-central1") == usd("3.673385")
    assert "280000000" in text("ovh", "2026-08-22")
    assert {
        o.list_price
        for o in look("ovh", "2026-08-22")
        if (o.sku, o.unit, o.currency) == ("h100-380", "per_instance_hour", "EUR")
    } == usd("2.80")


def test_euros_rupees_and_yuan():
    """Scaleway's H100 PCIe at 2.8665 EUR, E2E's H100 at 362 INR, and AWS's list as its partition in China states it."""
    scaleway = next(o for o in look("scaleway", "2026-08-22") if o.sku == "H100-1-80G")
    assert (scaleway.list_price, scaleway.currency) == (Decimal("2.8665"), "EUR")
    assert scaleway.usd_per_hour == Decimal("2.8665") * Decimal("1.1699")  # the bank's rate of the day before
    e2e = next(o for o in look("e2e", "2026-08-22") if o.sku == "nvidia-h100")
    assert (e2e.list_price, e2e.currency) == (Decimal(362), "INR")
    assert e2e.usd_per_gpu_hour == pytest.approx(Decimal("3.7826"), abs=Decimal("0.0001"))
    (page,) = pages("aws", "2026-07-20", "us-east-1.json")
    chinese = replace(page, body=page.body.replace(b'"currencyCode":"USD"', b'"currencyCode":"CNY"'))
    offers, _ = read("aws", [chinese], at=datetime(2026, 10, 7, 12, tzinfo=UTC))
    p5 = next(o for o in offers if o.sku == "p5.48xlarge")
    assert (p5.list_price, p5.currency) == (Decimal("55.04"), "CNY")
    assert p5.usd_per_hour < Decimal("8.5")


def test_a_month_and_a_whole_term_are_no_hour():
    """OVH's H100 at 1,940 EUR a month; Azure's year of an A100 at 21,033 USD for "1 Hour"; Latitude's year."""
    monthly = per_gpu("ovh", "2026-08-22", "h100-380", tier="monthly")
    assert monthly == {(Decimal(1940) / 730 * Decimal("1.1699")).quantize(Decimal("0.00000001"))}
    year = per_gpu(
        "azure", "2026-08-22", "Standard_NC24ads_A100_v4", pricing="reserved", term_months=12, region="eastus2"
    )
    assert year == {(Decimal(21033) / 8760).quantize(Decimal("0.00000001"))}
    assert per_gpu("latitude", "2026-08-22", "g4-b300-large", term_months=12) == usd("5.6")


def test_windows_and_licences_are_other_products():
    """Azure's T4 at 1.204 under Linux and 1.94 under Windows, with one SKU name; OVH's win- plans."""
    assert "NCasT4 v3 Series Windows" in text("azure", "2026-08-22", "eastus2-1.json")
    linux = per_gpu("azure", "2026-08-22", "Standard_NC16as_T4_v3", pricing="on_demand", region="eastus2")
    assert linux == usd("1.204")
    assert '"win-' in text("ovh", "2026-08-22")
    assert not [offer for offer in look("ovh", "2026-08-22") if offer.sku.startswith("win-")]


def test_a_part_is_not_the_machine():
    """Google's A100 alone is 2.933908; with 12 cores and 85 GB it is 3.673385. Modal's seconds are the GPU alone."""
    assert min(o.usd_per_gpu_hour for o in look("gcp", "2023-03-24") if o.pricing == "on_demand") > Decimal("2.933908")
    assert {(o.tier, o.pricing) for o in look("modal", "2026-08-22")} == {("gpu_part", "serverless")}
    assert {offer.tier for offer in look("tensordock", "2026-03-21")} == {"composed"}
    assert all(offer.vcpus and offer.memory_gb for offer in look("tensordock", "2026-03-21"))


# --- which card it is


def test_a_fraction_of_a_card():
    """Azure's NV6ads is a sixth of an A10 at 0.454, AWS's g6f.xlarge an eighth of an L4 at 0.2375."""
    sixth = next(o for o in look("azure", "2026-06-18") if (o.sku, o.region) == ("Standard_NV6ads_A10_v5", "eastus"))
    assert sixth.gpu_count == pytest.approx(Decimal(1) / 6, abs=Decimal("0.001"))
    assert (sixth.usd_per_hour, sixth.usd_per_gpu_hour) == (
        Decimal("0.454"),
        pytest.approx(Decimal("2.724"), rel=Decimal("0.001")),
    )
    assert per_gpu("aws", "2026-07-20", "g6f.xlarge", region="us-east-1") == usd("1.9")


def test_a100_of_40_and_of_80_gb():
    """Lambda's eight A100 at 1.99 with 40 GB and 2.79 with 80."""
    found = {
        (o.gpu, o.usd_per_gpu_hour) for o in look("lambda", "2026-08-22") if o.gpu_family == "a100" and o.gpu_count == 8
    }
    assert found == {("a100_sxm_40", Decimal("1.99")), ("a100_sxm_80", Decimal("2.79"))}


def test_h100_sxm_pcie_and_nvl():
    """RunPod's three, in its secure cloud."""
    found = {
        (o.gpu, o.gpu_memory_gb, o.usd_per_gpu_hour)
        for o in look("runpod", "2026-08-22")
        if o.gpu_family == "h100" and o.tier == "secure" and o.pricing == "on_demand"
    }
    assert found == {
        ("h100_sxm", 80, Decimal("3.29")),
        ("h100_pcie", 80, Decimal("2.89")),
        ("h100_nvl", 94, Decimal("3.19")),
    }


def test_gh200_is_no_h200():
    """CoreWeave's GH200 at 6.50 and eight H200 at 50.44; Lambda's GH200 at 2.29."""
    cards = {(o.sku, o.gpu_family) for o in look("coreweave", "2026-08-22") if "h200" in o.sku}
    assert cards == {("nvidia-gh200", "gh200"), ("hgx-h200", "h200")}
    assert {o.gpu for o in look("lambda", "2026-08-22") if o.usd_per_gpu_hour == Decimal("2.29")} == {"gh200"}


# --- what is no price


def mithril_h200(spot_cents: int, floor_cents: int) -> list[Decimal]:
    """USD per hour of a machine of 2026-09-20, with nothing said of what is free; no look of its auctions is kept."""
    machine = (
        '[{"fid": "m", "name": "m", "num_gpus": 1, "gpu_type": "H200", "gpu_memory_gb": 141, "gpu_socket": "SXM5"}]'
    )
    prices = f'{{"spot_price_cents": {spot_cents}, "minimum_price_cents": {floor_cents}, "available_capacity": null}}'
    on = datetime(2026, 9, 20, tzinfo=UTC)
    asked = "https://api.mithril.ai/v2/pricing/current?instance_type=m&region=us-central2-b"
    answers = [
        Page(asked, machine.encode(), on, "instance-types.json"),
        Page(asked, prices.encode(), on, "prices.json"),
    ]
    return [row.amount for row in all_sources()["mithril"].parse(answers) if isinstance(row, Quote)]


def test_placeholders_of_half_a_dollar_of_nothing_and_of_one_dollar():
    """RunPod's 0.5 and 0 where a cloud does not offer the card, and 0.5 where it does; Mithril's floor of 100 cents
    and the 101 that its pricing page had as the average of a week."""
    cards = {card["id"]: card for card in json.loads(text("runpod", "2026-07-18", "gpuTypes.json"))["data"]["gpuTypes"]}
    assert (cards["NVIDIA GeForce GTX 1050"]["securePrice"], cards["AMD Instinct MI300X OAM"]["communityPrice"]) == (
        0.5,
        0.5,
    )
    assert cards["NVIDIA A100-SXM4-40GB"]["securePrice"] == 0
    assert per_gpu("runpod", "2026-07-18", "NVIDIA GeForce GTX 1050") == set()
    assert per_gpu("runpod", "2026-07-18", "AMD Instinct MI300X OAM", tier="community") == set()
    assert per_gpu("runpod", "2026-07-18", "NVIDIA A100-SXM4-40GB", tier="secure") == set()
    assert per_gpu("runpod", "2026-08-22", "NVIDIA GeForce RTX 3090", tier="secure") == usd("0.5")
    assert mithril_h200(100, 100) == []
    assert mithril_h200(101, 100) == []
    assert mithril_h200(1726, 800) == [Decimal("17.26")]


def test_an_announced_price_waits_for_its_day():
    """Azure's list of 22 August 2026 with an A100 at half its 3.673 from September on."""
    (page,) = pages("azure", "2026-08-22", "eastus2-1.json")
    body = json.loads(page.body)
    plain = next(item for item in body["Items"] if item["retailPrice"] == 3.673 and "Linux" in item["productName"])
    body["Items"] = [plain, {**plain, "retailPrice": 1.8365, "effectiveStartDate": "2026-09-01T00:00:00Z"}]
    announced = replace(page, body=json.dumps(body | {"Count": 2}).encode())
    offers, rejected = read("azure", [announced])
    assert {offer.usd_per_hour for offer in offers if offer.pricing == "on_demand"} == usd("3.673")
    assert [row.reason for row in rejected if row.pricing == "on_demand"] == ["future_price"]
    later, _ = read("azure", [announced], at=datetime(2026, 9, 2, tzinfo=UTC))
    assert {offer.usd_per_hour for offer in later if offer.pricing == "on_demand"} == usd("1.8365")


# --- whether it is all of it


def test_a_row_on_both_sides_of_a_page_border_counts_once():
    """Azure's list of a region in two pages, the last row of the first again as the first of the second."""
    (page,) = pages("azure", "2026-08-22", "eastus2-1.json")
    body = json.loads(page.body)
    middle = len(body["Items"]) // 2
    halves = [
        replace(
            page, body=json.dumps({**body, "Items": rows, "Count": len(rows)}).encode(), name=f"eastus2-{number}.json"
        )
        for number, rows in enumerate((body["Items"][:middle], body["Items"][middle - 1 :]))
    ]
    whole, split = read("azure", [page])[0], read("azure", halves)[0]
    assert sorted((o.offer_key, o.usd_per_hour) for o in split) == sorted((o.offer_key, o.usd_per_hour) for o in whole)


def test_a_list_that_says_it_is_longer_is_truncated():
    """Vultr's plans with one lost on the way, and an Azure page whose next never came."""
    (page,) = pages("vultr", "2026-09-28", "plans.json")
    body = json.loads(page.body)
    assert body["meta"]["total"] == len(body["plans"])
    with pytest.raises(TruncatedAnswer):
        list(
            all_sources()["vultr"].parse(
                [replace(page, body=json.dumps({**body, "plans": body["plans"][1:]}).encode())]
            )
        )


@pytest.mark.parametrize(
    ("provider", "day"), [("digitalocean", "2026-08-18"), ("fal", "2026-08-22"), ("lambda", "2026-08-22")]
)
def test_columns_in_another_order_are_read_by_their_titles(provider: str, day: str):
    """Recorded tables of HTML with their columns the other way round."""
    (page,) = pages(provider, day)
    soup = BeautifulSoup(page.body, "lxml")
    for row in soup.select("table tr"):
        cells = [cell.extract() for cell in row.find_all(["th", "td"], recursive=False)]
        row.extend(reversed(cells))
    offers, _ = read(provider, [replace(page, body=str(soup).encode())])
    assert [(o.offer_key, o.usd_per_hour) for o in offers] == [
        (o.offer_key, o.usd_per_hour) for o in look(provider, day)
    ]


def test_a_hidden_copy_for_phones_counts_once():
    """Massed Compute prints each machine as a card for phones too, CoreWeave a hidden column with the figures again."""
    assert "-mobile-x " in text("massedcompute", "2026-08-22")
    for provider in ("massedcompute", "coreweave"):
        offers, rejected = read(provider, pages(provider, "2026-08-22"))
        assert len({offer.offer_key for offer in offers}) == len(offers)
        assert not [row for row in rejected if row.reason == "duplicate"]
    assert per_gpu("coreweave", "2026-08-22", "hgx-h200", pricing="spot", region="EUROPE") == usd("2.58")
