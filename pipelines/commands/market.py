"""The market a question is asked of: the offers that the options of a command leave, GPU by GPU.

Imported by commands when they run: it opens the ledger. What can be rented of these offers is in pipelines.answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

import click

from models.gpu_table import Gpu
from models.gpus import gpus
from models.training.clusters import RentalOffer
from pipelines.answers.prices import rental_offers
from pipelines.commands.naming import asked_countries, chip_named, refuse_with_price
from pipelines.home import home
from warehouse.database import opened_to_read


def offers_by_chip(
    gpu: str | None,
    provider: str | None,
    pricings: Sequence[str],
    country: Sequence[str] | None,
    price: Decimal | None,
) -> list[tuple[Gpu, list[RentalOffer]]]:
    """The cheapest offers of each GPU, one of each kind a provider has; with `price`, any number of `gpu`."""
    chip = None if gpu is None else chip_named(gpu)
    refuse_with_price(price, provider, country)
    if price is not None:
        if chip is None:
            raise click.UsageError("--price takes --gpu")
        return [(chip, [RentalOffer("", "given", chip.gpu, Decimal(1), price, "on_demand", fabric="multi_node")])]
    wanted = None if chip is None else chip.gpu
    countries = asked_countries(country, gpu=wanted, provider=provider, pricings=pricings)
    with opened_to_read(home().ledger) as ledger:
        offers = rental_offers(ledger, gpu=wanted, provider=provider, pricings=pricings, countries=countries)
    cheapest: dict[tuple[object, ...], RentalOffer] = {}
    for offer in offers:
        size = (offer.gpu, offer.provider, offer.pricing, offer.gpu_count, offer.fabric, offer.cluster_gpus)
        # a month is no price of a job of hours, nor a cluster of a machine
        lease = (offer.term_months, offer.minimum_hours, offer.offered_until)
        key = (*size, *lease, offer.minimum_gpus, offer.setup_usd, bool(offer.machine), offer.quantity)
        cheapest.setdefault(key, offer)
    found: dict[str, list[RentalOffer]] = {}
    for offer in cheapest.values():
        found.setdefault(offer.gpu, []).append(offer)
    return [(gpus()[name], offers) for name, offers in found.items()]
