"""`largest_on` on the offers of the recordings: what holds of any budget."""

from __future__ import annotations

from collections import defaultdict
from functools import cache

from hypothesis import given
from hypothesis import strategies as st

from models.gpus import gpus
from models.training.clusters import RentalOffer
from pipelines.answers.instances import largest_on, spent_usd
from pipelines.answers.prices import rental_offers
from pipelines.home import Home
from warehouse.database import opened_to_read

KINDS = ("on_demand", "spot", "reserved", "capacity_block")


@cache
def _markets(home: Home) -> list[tuple[str, list[RentalOffer]]]:
    """The offers of each chip that trains, by kind of price."""
    found: dict[tuple[str, str], list[RentalOffer]] = defaultdict(list)
    with opened_to_read(home.ledger) as ledger:
        for offer in rental_offers(ledger, pricings=KINDS):
            if gpus()[offer.gpu].trains:
                found[offer.gpu, offer.pricing].append(offer)
    return [(gpu, offers) for (gpu, _), offers in sorted(found.items())]


@given(data=st.data(), budgets=st.lists(st.floats(100, 1e9), min_size=2, max_size=6))
def test_more_money_never_trains_less_and_no_more_is_spent(recorded_home: Home, data, budgets: list[float]) -> None:
    gpu, offers = data.draw(st.sampled_from(_markets(recorded_home)))
    before = 0.0
    for budget in sorted(budgets):
        found = largest_on(gpus()[gpu], offers, budget)
        if found is None:
            assert not before, f"{gpu}: {budget:,.0f} USD train nothing, and less does"
            continue
        offer, best = found
        assert best.params.mid >= before * (1 - 1e-9)
        assert spent_usd(offer, best) <= budget * (1 + 1e-9)
        assert best.min_gpus <= best.gpus
        before = best.params.mid
