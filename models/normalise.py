"""From what a page printed to what it means: quotes become offers in USD per hour, or rejections with a reason.

The only place that divides by a GPU count or converts a currency. Reading pages (sources), comparing with
yesterday (models.weighing) and storing (warehouse) do not belong here.

A bad row never raises and never costs a good one: every row handed in comes out once, as an Offer or as a
Rejected. The output does not depend on the order of the rows.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from decimal import Context, Decimal, localcontext
from hashlib import blake2b
from typing import Literal

from models.billing import COMMITTED, LONGEST_TERM_MONTHS, TOO_LARGE, NotAnOffer, amounts_per_hour, figure_text
from models.currencies import NoRate, Rates, UnknownCurrency
from models.gpus import Gpu, gpus, resolve
from models.moments import is_after, utc_day
from models.naming.conditions import names_commitment, names_interruptible, not_to_be_had, sold_out
from models.naming.counts import agrees, can_be_rented, fits_machines
from models.offers import PRICINGS, Offer, Quote, Rejected, Unreadable
from models.regions import country_of
from models.rivals import one_price_each, without_one_total, without_swapped_spot

# The whole market of 2024 to 2026 lies between an old card at 0.01 and a rack GPU near 30 USD per hour.
LOWEST_USD_PER_GPU_HOUR = Decimal("0.001")
HIGHEST_USD_PER_GPU_HOUR = Decimal(1000)

_CENT = Decimal("0.00000001")  # eight places, as stored
_KEY_COUNT = Decimal("0.0001")  # 1/6 is one size, however many digits a page gives it
# Nothing traps: a figure beyond arithmetic turns into Infinity or NaN and is rejected as a price.
_MONEY = Context(prec=40, traps=[])


@dataclass(frozen=True, slots=True)
class _Look:
    """What all rows of one look share."""

    provider: str
    book: str
    observed_at: datetime
    origin: Literal["live", "recorded"]
    rates: Rates
    page_sha256: str
    rates_used: dict[str, tuple[Decimal, date | None]] = field(default_factory=dict)


def normalise(
    rows: Iterable[Quote | Unreadable],
    *,
    provider: str,
    book: str,
    observed_at: datetime,
    origin: Literal["live", "recorded"],
    rates: Rates,
    page_sha256: str,
    one_seller: bool = False,
) -> tuple[list[Offer], list[Rejected]]:
    """Offers and rejections of one look at one book; together as many as rows came in.

    `one_seller`: the book is the list of one seller, so that two prices for one offer contradict each other; on a
    market they are those of several, and the lower stands.
    `observed_at` must be aware (ValueError otherwise). Prices are USD with eight decimal places:
    `usd_per_hour` of the whole instance, `usd_per_gpu_hour` = that / GPU count, which for a fraction of a
    card is the equivalent of the whole card. Reason codes: unknown_gpu, not_a_price, unknown_unit,
    unknown_pricing, missing_term, unknown_currency, no_rate, bad_count, out_of_bounds, future_price,
    superseded, duplicate, ambiguous, spot_above_on_demand, unreadable, or what the parser gave its Unreadable.
    """
    if observed_at.tzinfo is None:
        raise ValueError("observed_at has no time zone; give UTC")
    look = _Look(provider, book, observed_at, origin, rates, page_sha256)
    read: list[tuple[Quote, Offer]] = []
    rejected: list[Rejected] = []
    with localcontext(_MONEY):
        for row in rows:
            if isinstance(row, Unreadable):
                rejected.append(_unreadable(row, look))
                continue
            try:
                read.append((row, _offer(row, look)))
            except NotAnOffer as problem:
                rejected.append(_rejection(row, look, problem.reason, problem.detail))
        kept, beaten = one_price_each(read, one_seller=one_seller)
        kept, alike = without_one_total(kept) if one_seller else (kept, [])
        kept, swapped = without_swapped_spot(kept)
        gone = (*beaten, *alike, *swapped)
        rejected += (_rejection(quote, look, reason, detail) for quote, reason, detail in gone)
    return [offer for _, offer in kept], rejected


def _offer(quote: Quote, look: _Look) -> Offer:
    """One quote understood by itself. Raises NotAnOffer."""
    sku, region = _text(quote.sku), _text(quote.region)
    if not sku:
        raise NotAnOffer("unreadable", "the row names no SKU")
    gpu, count = _card(quote, look.provider)
    if quote.pricing not in PRICINGS:
        raise NotAnOffer("unknown_pricing", f"unknown pricing {_text(quote.pricing)!r}")
    named = f"{sku} {_text(quote.gpu)}".replace("_", " ")
    _check_conditions(named, quote)
    per_hour, upfront_per_hour = amounts_per_hour(quote)
    fx_rate, fx_date = _rate(quote.currency, look)
    if quote.effective_from is not None and is_after(quote.effective_from, look.observed_at):
        raise NotAnOffer("future_price", f"announced for {quote.effective_from.isoformat()}, not yet a price")

    per_gpu = quote.unit.startswith("per_gpu_")
    # a per-GPU price of slices is a price per slice, so it counts them as printed
    usd_per_hour = ((per_hour * quote.gpu_count if per_gpu else per_hour) + upfront_per_hour) * fx_rate
    usd_per_gpu_hour = usd_per_hour / count
    _check_bounds(usd_per_gpu_hour, gpu)

    tier, broker_of, currency = _text(quote.tier), _text(quote.broker_of), quote.currency.strip().upper()
    term_months = _whole(quote.term_months, LONGEST_TERM_MONTHS)
    upfront = quote.upfront or Decimal(0)
    return Offer(
        offer_key=_key(
            look.provider,
            sku,
            gpu.gpu,
            f"{count.quantize(_KEY_COUNT).normalize():f}",
            region,
            quote.pricing,
            str(term_months or ""),
            tier,
            "none" if upfront == 0 else "all" if quote.amount == 0 else "partial",
            broker_of,
            currency,
            "month" if quote.unit.endswith("_month") else "",
        ),
        provider=look.provider,
        book=look.book,
        sku=sku,
        region=region,
        country=country_of(look.provider, region) or (country_of(broker_of, region) if broker_of else None),
        gpu=gpu.gpu,
        gpu_family=gpu.gpu_family,
        form_factor=gpu.form_factor,
        gpu_memory_gb=gpu.memory_gb,
        gpu_count=count,
        vcpus=_size(quote.vcpus),
        memory_gb=_size(quote.memory_gb),
        pricing=quote.pricing,
        term_months=term_months,
        tier=tier,
        list_price=_stored(quote.amount),
        upfront=None if quote.upfront is None else _stored(quote.upfront),
        currency=currency,
        unit=quote.unit,
        usd_per_hour=usd_per_hour.quantize(_CENT),
        usd_per_gpu_hour=usd_per_gpu_hour.quantize(_CENT),
        fx_rate=fx_rate,
        fx_date=fx_date,
        available=False if sold_out(named) else quote.available,
        quantity=_whole(quote.quantity),
        minimum_gpus=_whole(quote.minimum_gpus),
        fabric=quote.fabric,
        cluster_gpus=_whole(quote.cluster_gpus),
        effective_from=None if quote.effective_from is None else utc_day(quote.effective_from),
        minimum_hours=_size(quote.minimum_hours),
        offered_until=quote.offered_until,
        broker_of=broker_of,
        machine=_text(quote.machine),
        gpu_text=_text(quote.gpu),
        observed_at=look.observed_at,
        origin=look.origin,
        page_sha256=quote.page_sha256 or look.page_sha256,
    )


def _card(quote: Quote, provider: str) -> tuple[Gpu, Decimal]:
    """The card or slice the text names, and how many cards that is. A slice counts as its share of the card,
    whether the page says "1/6 of an A10", "1 vGPU with 4 GB" or "1 MIG 1g.10gb". Raises NotAnOffer."""
    count = quote.gpu_count
    if not can_be_rented(count):
        raise NotAnOffer("bad_count", f"{figure_text(count)} GPUs is not a size that can be rented")
    if not agrees(quote.gpu, count):
        raise NotAnOffer("bad_count", f"{_text(quote.gpu)[:80]!r} counted as {figure_text(count)} GPUs")
    memory = quote.gpu_memory_gb
    if memory is not None and not (memory.is_finite() and 0 < memory < 10_000):
        memory = None
    found = resolve(quote.gpu, provider, memory)
    if found is None and memory is not None and count < 1:
        whole = resolve(quote.gpu, provider, Decimal(round(memory / count)))
        if whole is not None:
            return replace(whole.gpu, form_factor="vGPU", trains=False), count
    if found is None:
        stated = "" if memory is None else f" with {figure_text(memory)} GB"
        raise NotAnOffer("unknown_gpu", f"no GPU is known as {_text(quote.gpu)[:80]!r}{stated}")
    if not fits_machines(count, found.gpu, quote.fabric):
        raise NotAnOffer("bad_count", f"no machine has {figure_text(count)} of {found.gpu.gpu}")
    if found.slice and count >= 1:
        if found.fraction is None:
            raise NotAnOffer("unknown_gpu", f"a slice of a {found.gpu.gpu} of unknown size: {_text(quote.gpu)[:80]!r}")
        count *= found.fraction
    if found.slice:  # its memory is the share of the card's that the count tells
        return replace(found.gpu, memory_gb=gpus()[found.gpu.gpu].memory_gb), count
    return found.gpu, count


def _check_conditions(named: str, quote: Quote) -> None:
    """Raises NotAnOffer where a name says what the price does not: that it binds, may be interrupted or is not sold."""
    if quote.pricing not in COMMITTED and not (quote.term_months or quote.minimum_hours) and names_commitment(named):
        raise NotAnOffer("missing_term", f"{named[:120]!r} names a commitment")
    if quote.pricing != "spot" and names_interruptible(f"{named} {quote.tier} {quote.region}".replace("_", " ")):
        raise NotAnOffer("unknown_pricing", f"{named[:120]!r} may be interrupted, at a price {quote.pricing}")
    if not_to_be_had(named):
        raise NotAnOffer("not_a_price", f"{named[:120]!r} is not sold")


def _rate(currency: str, look: _Look) -> tuple[Decimal, date | None]:
    """USD per unit of the currency as known at the look, and the day of that rate. Raises NotAnOffer."""
    if currency not in look.rates_used:
        try:
            look.rates_used[currency] = look.rates.usd_per(currency, utc_day(look.observed_at))
        except UnknownCurrency as problem:
            raise NotAnOffer("unknown_currency", str(problem)) from None
        except NoRate as problem:
            raise NotAnOffer("no_rate", str(problem)) from None
    return look.rates_used[currency]


def _check_bounds(usd_per_gpu_hour: Decimal, gpu: Gpu) -> None:
    low = max(LOWEST_USD_PER_GPU_HOUR, gpu.usd_per_gpu_hour_low)
    high = min(HIGHEST_USD_PER_GPU_HOUR, gpu.usd_per_gpu_hour_high)
    if not low <= usd_per_gpu_hour <= high:
        raise NotAnOffer(
            "out_of_bounds",
            f"{usd_per_gpu_hour:.6g} USD per GPU-hour is outside {low} to {high} for {gpu.gpu}",
        )


def _key(*identity: str) -> str:
    """128 bits in hex over what stays the same while an offer's price moves.

    The book and the page are no part of it. The currency is, since a list in another currency is another
    list, and so is billing by the month, which is sold beside the hourly price of the same machine.
    """
    return blake2b("\x1f".join(identity).encode(), digest_size=16).hexdigest()


def _rejection(quote: Quote, look: _Look, reason: str, detail: str) -> Rejected:
    amount = quote.amount
    return Rejected(
        provider=look.provider,
        book=look.book,
        observed_at=look.observed_at,
        reason=reason,
        detail=detail,
        sku=_text(quote.sku),
        region=_text(quote.region),
        gpu_text=_text(quote.gpu),
        amount=_stored(amount) if amount.is_finite() and abs(amount) < TOO_LARGE else None,
        currency=_text(quote.currency),
        unit=_text(quote.unit),
        pricing=_text(quote.pricing),
        page_sha256=quote.page_sha256 or look.page_sha256,
    )


def _unreadable(row: Unreadable, look: _Look) -> Rejected:
    return Rejected(
        provider=look.provider,
        book=look.book,
        observed_at=look.observed_at,
        reason=_text(row.reason) or "unreadable",
        detail=" ".join(_text(row.detail).split()),
        sku=_text(row.sku),
        region=_text(row.region),
        gpu_text=_text(row.gpu),
        amount=None,
        currency="",
        unit="",
        pricing="",
        page_sha256=row.page_sha256 or look.page_sha256,
    )


def _stored(money: Decimal) -> Decimal:
    return money.quantize(_CENT)


def _size(figure: Decimal | None) -> Decimal | None:
    """A host size that can be true: a nonsense one costs the row its size, not its price."""
    return figure if figure is not None and figure.is_finite() and 0 < figure < 1_000_000 else None


def _whole(figure: int | None, most: int = 1_000_000_000) -> int | None:
    return figure if figure is not None and 0 <= figure <= most else None


def _text(text: str) -> str:
    """Stripped, and without the lone surrogates that JSON can carry and no file can hold."""
    text = text.strip()
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
