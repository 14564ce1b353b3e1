"""Our figure for a published claim about prices, bills or growth: small calculations by their name in claims.csv.

A calculation takes the inputs of a claim and returns the low and the high end of our figure, in the unit of the
claim. It calls the engine and nothing else, so no figure can be bent to fit. Runs are in models.claims.runs.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from typing import cast

from models.claims.runs import Figure, alike, as_llm, as_price
from models.constants import constant, constants
from models.costs.bill import by_split, people_usd
from models.costs.build_or_buy import break_even_tokens
from models.costs.hosting import annual_usd
from models.costs.past import fixed_capability_usd
from models.costs.storage import egress_usd
from models.gpus import gpus
from models.llms import llm_named
from models.peak import Precision, peak
from models.training.estimate import rental_usd
from models.training.finetuning import Method, fine_tune, flop_per_token, min_gpus
from models.training.scaling_laws import CoefficientSet, best_for_inference
from models.training.spot import spot_price

PERCENT = 100


# prices by the month and by the hour


def month_at(price: float, price_high: float | None = None) -> Figure:
    """A month of 730 hours at a price per hour."""
    return price * constant("hours_per_month"), (price_high or price) * constant("hours_per_month")


def twelve_months(low: float, high: float | None = None) -> Figure:
    """A year of 8,760 hours at a monthly price."""
    return low / constant("hours_per_month") * constant("hours_per_year"), (high or low) / constant(
        "hours_per_month"
    ) * constant("hours_per_year")


def saving_percent(of: float, low: float, high: float | None = None) -> Figure:
    """Saving against `of`, of the dearer and of the cheaper."""
    return (1 - low / of) * PERCENT, (1 - (high or low) / of) * PERCENT


def premium_percent(dear: float, low: float, high: float) -> Figure:
    """What `dear` costs more than the dearer and the cheaper: 1/(1-s) - 1, not s."""
    return (dear / low - 1) * PERCENT, (dear / high - 1) * PERCENT


def ratio(over: float, under: float, over_high: float | None = None, under_high: float | None = None) -> Figure:
    return over / under, (over_high or over) / (under_high or under)


def agent_saving_percent(before: float, after: float, quality: float) -> Figure:
    """What a cheaper agent saves by run, and by passed task at `quality` of the passes."""
    return (1 - after / before) * PERCENT, (1 - after / quality / before) * PERCENT


def difference_usd(dear: float, cheap: float, hours: float, hours_high: float | None = None) -> Figure:
    """Two monthly prices over a number of hours."""
    per_hour = (dear - cheap) / constant("hours_per_month")
    return per_hour * hours, per_hour * (hours_high or hours)


def months_in_year() -> Figure:
    return alike(constant("hours_per_year") / 12)


def spot_saving_percent(discount_low: float, discount_high: float, interruptions_per_hour: float) -> Figure:
    low, high = (
        spot_price(Decimal(1) - as_price(discount), interruptions_per_hour, Decimal(1)).saving or 0.0
        for discount in (discount_low, discount_high)
    )
    return low * PERCENT, high * PERCENT


def network_usd(gb: float, price_low: float, price_high: float) -> Figure:
    return egress_usd(gb, as_price(price_low)), egress_usd(gb, as_price(price_high))


def hosting_usd(gpus_low: float, price_low: float, gpus_high: float, price_high: float) -> Figure:
    """A year of the smallest and of the largest set of GPUs."""
    return annual_usd(int(gpus_low), as_price(price_low)), annual_usd(int(gpus_high), as_price(price_high))


def break_even(usd_per_month: float, price_low: float, price_high: float) -> Figure:
    """Tokens a month."""
    return break_even_tokens(usd_per_month, as_price(price_high)), break_even_tokens(usd_per_month, as_price(price_low))


# the parts of a bill


def whole_bill(compute_usd: float) -> Figure:
    """What a compute-only figure stands for by the split of the guide."""
    return alike(next(line.usd.mid for line in by_split(compute_usd, "guide") if line.part == "total"))


def guide_part_usd(total_usd: float, part: str) -> Figure:
    return alike(total_usd * constants()[f"split_guide_{part}"].value)


def measured_percent(part: str) -> Figure:
    share = constants()[f"split_measured_{part}"]
    return share.low * PERCENT, share.high * PERCENT


def staff_usd(heads_low: float, heads_high: float, usd_per_year: float, days: float) -> Figure:
    months = 12 * days / 365
    return people_usd(heads_low, usd_per_year, months), people_usd(heads_high, usd_per_year, months)


# fine-tuning, mixtures, precision, scaling laws


def fine_tune_usd(params: float, tokens_low: float, tokens_high: float, price: float, gpu: str) -> Figure:
    low, high = (
        fine_tune(as_llm(params, 1), gpus()[gpu], int(tokens), utilisation=0.35).gpu_hours.mid
        for tokens in (tokens_low, tokens_high)
    )
    return rental_usd(low, as_price(price)), rental_usd(high, as_price(price))


def adapter_gain(params: float, memory_gb: float, method: str = "lora") -> Figure:
    """Against a full fine-tune: FLOP, and GPUs needed for its memory."""
    llm, adapter = as_llm(params, 1), cast(Method, method)
    by_memory = min_gpus(llm, "full", memory_gb) / min_gpus(llm, adapter, memory_gb)
    return flop_per_token(llm, "full") / flop_per_token(llm, adapter), by_memory


def fewer_flop(first: str, last: str | None = None) -> Figure:
    """Total over active parameters of named mixtures."""
    one, other = llm_named(first), llm_named(last or first)
    return one.params_total / one.params_active, other.params_total / other.params_active


def peak_tflops(gpu: str) -> Figure:
    return alike(peak(gpus()[gpu]).tflops)


def peak_gain(first: str, precision: str, last: str, last_precision: str) -> Figure:
    """A lower precision's peak over the BF16 one, of two chips."""
    return _gain(first, precision), _gain(last, last_precision)


def parameters(llm: str) -> Figure:
    return alike(llm_named(llm).params_total)


def tokens(llm: str) -> Figure:
    return alike(llm_named(llm).tokens)


def inference_saving_flop(params: float, tokens: float, coefficients: str) -> Figure:
    return alike(best_for_inference(params, tokens, cast(CoefficientSet, coefficients)).saving)


def inference_saving_percent(params: float, tokens: float, coefficients: str) -> Figure:
    return alike(best_for_inference(params, tokens, cast(CoefficientSet, coefficients)).saving_share * PERCENT)


def training_over_inference() -> Figure:
    """FLOP of training a token over FLOP of generating one."""
    return alike(
        constants()["flop_per_parameter_token"].value / constants()["flop_per_parameter_token_inference"].value
    )


# growth


def known(constant: str, scale: float = 1) -> Figure:
    """The range of a constant."""
    found = constants()[constant]
    return found.low * scale, found.high * scale


def doubling_months(constant: str) -> Figure:
    """Months to double at a yearly growth."""
    rate = constants()[constant]
    return 12 / math.log2(rate.high), 12 / math.log2(rate.low)


def price_of_flop_fall(spending: str, compute: str) -> Figure:
    """Yearly fall of the price of a FLOP: growth of compute over growth of spending."""
    spent, computed = constants()[spending], constants()[compute]
    return computed.low / spent.value, computed.high / spent.value


def grown(usd: float, constant: str, years: float) -> Figure:
    return alike(usd * math.pow(constants()[constant].value, years))


def same_capability_usd(usd: float, years: float, hardware: float, algorithms: float) -> Figure:
    return alike(fixed_capability_usd(usd, years, hardware, algorithms))


def _gain(gpu: str, precision: str) -> float:
    chip = gpus()[gpu]
    return peak(chip, cast(Precision, precision)).tflops / peak(chip).tflops


CALCULATIONS: dict[str, Callable[..., Figure]] = {
    found.__name__: found
    for found in (
        month_at,
        twelve_months,
        saving_percent,
        premium_percent,
        ratio,
        agent_saving_percent,
        difference_usd,
        months_in_year,
        spot_saving_percent,
        network_usd,
        hosting_usd,
        break_even,
        whole_bill,
        guide_part_usd,
        measured_percent,
        staff_usd,
        fine_tune_usd,
        adapter_gain,
        fewer_flop,
        peak_tflops,
        peak_gain,
        parameters,
        tokens,
        inference_saving_flop,
        inference_saving_percent,
        training_over_inference,
        known,
        doubling_months,
        price_of_flop_fall,
        grown,
        same_capability_usd,
    )
}
