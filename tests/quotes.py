"""One row of a price list and what becomes of it; not a test by itself."""

from datetime import UTC, date, datetime
from decimal import Decimal

from models.currencies import Rates
from models.normalise import normalise
from models.offers import CurrencyRate, Quote

NOW = datetime(2026, 12, 1, 6, tzinfo=UTC)
RATES = Rates.of([CurrencyRate(date(2026, 11, 30), "USD", Decimal("1.10"))])


def quote(amount="98.00", **said):
    said = {
        "sku": "Standard_ND96isr_H100_v5",
        "gpu": "H100 SXM",
        "gpu_count": Decimal(8),
        "unit": "per_instance_hour",
        "pricing": "on_demand",
        "region": "eastus",
        **said,
    }
    return Quote(amount=Decimal(amount), **said)


def read(*rows, provider="azure", now=NOW, rates=RATES, one_seller=False):
    return normalise(
        rows,
        provider=provider,
        book="",
        observed_at=now,
        origin="live",
        rates=rates,
        page_sha256="ab" * 32,
        one_seller=one_seller,
    )


def only_offer(*rows, **look):
    (offer,), rejected = read(*rows, **look)
    assert not rejected
    return offer


def only_reason(*rows, **look):
    offers, (rejected,) = read(*rows, **look)
    assert not offers
    assert rejected.detail
    assert "\n" not in rejected.detail
    return rejected.reason
