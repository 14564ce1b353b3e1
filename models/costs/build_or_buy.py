"""Serve a model oneself or buy its tokens: API bill, break-even volume, months until owned hardware has paid.

API prices are given as numbers (USD per million tokens); where they come from is for the caller.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from models.constants import constant
from models.costs.hosting import MILLION, Replica, capacity_per_month


@dataclass(frozen=True, slots=True)
class BreakEven:
    """Volume from which a replica paid by the month is cheaper than the API."""

    monthly_usd: float
    usd_per_million: float
    tokens_per_month: float
    capacity_per_month: float
    reachable: bool  # at most what the replica can generate

    @property
    def used_share(self) -> float:
        """Share of the capacity that has to be used."""
        return self.tokens_per_month / self.capacity_per_month


def api_usd(tokens: Mapping[str, float], usd_per_million: Mapping[str, Decimal]) -> float:
    """Bill of an API: tokens by kind (input, cached input, output) at the price of each kind.

    ValueError names a kind that has no price.
    """
    missing = tokens.keys() - usd_per_million.keys()
    if missing:
        raise ValueError(f"no API price for {', '.join(sorted(missing))} tokens")
    return sum(count / MILLION * float(usd_per_million[kind]) for kind, count in tokens.items())


def break_even_tokens(monthly_usd: float, usd_per_million: Decimal) -> float:
    """Tokens a month at which a fixed monthly cost equals the API's price."""
    if usd_per_million <= 0:
        raise ValueError(f"an API price must be positive, not {usd_per_million}")
    return monthly_usd / float(usd_per_million) * MILLION


def with_input_usd(input_usd: Decimal, output_usd: Decimal, input_per_output: float) -> Decimal:
    """API price of a million output tokens with the input tokens that belong to them."""
    if input_per_output < 0:
        raise ValueError(f"input tokens per output token cannot be negative: {input_per_output:g}")
    return output_usd + Decimal(str(input_per_output)) * input_usd


def break_even(
    one: Replica, usd_per_million: Decimal, input_per_output: float = 0, utilisation: float = 1.0
) -> BreakEven:
    """Break-even of one priced replica in output tokens, and whether it can generate that many at `utilisation`.

    With input tokens per output token, `usd_per_million` is the price of both (`with_input_usd`).
    """
    if one.usd_per_hour is None:
        raise ValueError("the replica has no price: give one")
    monthly = one.usd_per_hour * constant("hours_per_month")
    tokens = break_even_tokens(monthly, usd_per_million)
    capacity = capacity_per_month(one, input_per_output, utilisation)
    return BreakEven(monthly, float(usd_per_million), tokens, capacity, tokens <= capacity)


def months_to_pay_back(capex_usd: float, api_usd_per_month: float, opex_usd_per_month: float) -> float:
    """Months until bought hardware has paid: CapEx / (API bill - OpEx) (Pan et al. 2025, arXiv 2509.18101).

    Infinite where running it costs more than the API.
    """
    saved = api_usd_per_month - opex_usd_per_month
    return capex_usd / saved if saved > 0 else math.inf


def at_parity(own_score: float, api_score: float) -> bool:
    """Whether the open model is good enough to compare at all: benchmark scores within 20% of the API's."""
    return abs(own_score - api_score) <= constant("parity_threshold") * api_score
