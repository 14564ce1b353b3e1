"""Our figure for a published claim about a run: small calculations by their name in claims.csv.

A calculation takes the inputs of a claim and returns the low and the high end of our figure, in the unit of the
claim. It calls the engine and nothing else, so no figure can be bent to fit. Prices, bills and
growth are in models.claims.prices.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

from models.constants import constants
from models.costs.bill import experiments_multiplier
from models.costs.inverse import implied_tokens
from models.costs.ownership import PublicRun, public_runs, published_gpu_hours
from models.costs.storage import checkpoint_gb
from models.gpus import gpus
from models.llms import Llm, llm_named
from models.peak import peak
from models.training.estimate import rental_usd
from models.training.flop import training_flop
from models.training.memory import min_gpus as gpus_for_state
from models.training.memory import training_state_gb, whole_nodes
from models.training.requirement import HOURS_PER_DAY, requirement

Figure = tuple[float, float]


# FLOP, hours and rent of a run


def flop(params: float, tokens: float) -> Figure:
    """6 N D."""
    return alike(float(training_flop(as_llm(params, tokens), "none").total))


def gpu_hours(params: float, tokens: float, gpu: str, utilisation: float, peak_tflops: float | None = None) -> Figure:
    return alike(_hours(params, tokens, gpu, utilisation, peak_tflops))


def gpu_hours_by_tokens(params: float, tokens_low: float, tokens_high: float, gpu: str, utilisation: float) -> Figure:
    return _hours(params, tokens_low, gpu, utilisation), _hours(params, tokens_high, gpu, utilisation)


def rent_by_tokens(
    params: float,
    tokens_low: float,
    tokens_high: float,
    gpu: str,
    utilisation: float,
    price: float,
    price_high: float,
) -> Figure:
    """What the fewest tokens cost at the lower price, and the most at the higher."""
    low, high = gpu_hours_by_tokens(params, tokens_low, tokens_high, gpu, utilisation)
    return rental_usd(low, as_price(price)), rental_usd(high, as_price(price_high))


def gpu_hours_by_gpu(params: float, tokens: float, fast: str, slow: str, utilisation: float) -> Figure:
    return _hours(params, tokens, fast, utilisation), _hours(params, tokens, slow, utilisation)


def predicted_gpu_hours(llm: str, gpu: str, gpus_used: float) -> Figure:
    """P10 to P90 of a named model by the prior of its chip."""
    need = requirement(llm_named(llm), gpus()[gpu], gpus=int(gpus_used))
    return need.gpu_hours_p10, need.gpu_hours_p90


def wall_hours(params: float, tokens: float, gpu: str, utilisation: float, gpus_low: float, gpus_high: float) -> Figure:
    hours = _hours(params, tokens, gpu, utilisation)
    return hours / gpus_high, hours / gpus_low


def run_usd(params: float, tokens: float, gpu: str, utilisation: float, price: float, peak_tflops: float) -> Figure:
    return alike(rental_usd(_hours(params, tokens, gpu, utilisation, peak_tflops), as_price(price)))


def rent(gpu_hours: float, price: float, price_high: float | None = None) -> Figure:
    """GPU-hours at a price, or at two."""
    return rental_usd(gpu_hours, as_price(price)), rental_usd(gpu_hours, as_price(price_high or price))


def rent_of_table(low: float, price: float, high: float, price_high: float) -> Figure:
    """The cheapest and the dearest cell of a table of hours and prices."""
    return rental_usd(low, as_price(price)), rental_usd(high, as_price(price_high))


def hours_of_run(gpus: float, hours: float, more: float = 0) -> Figure:
    """GPU-hours of a run, and of what was done beside it."""
    return alike(gpus * hours + more)


def rent_of_run(gpus: float, hours: float, more: float, price: float) -> Figure:
    return rent(hours_of_run(gpus, hours, more)[0], price)


def days_of_run(gpus: float, hours: float, more: float, on_gpus: float) -> Figure:
    """Days the same GPU-hours take on another number of GPUs."""
    return days(hours_of_run(gpus, hours, more)[0], on_gpus)


def days_at_throughput(flop: float, tflops: float, gpus: float) -> Figure:
    return days(hours_at_throughput(flop, tflops)[0], gpus)


def rent_at_throughput(flop: float, tflops: float, price: float) -> Figure:
    """Rent of FLOP at a sustained rate."""
    return alike(rental_usd(published_gpu_hours(flop=flop, peak_tflops=tflops, mfu=1), as_price(price)))


def hours_at_throughput(flop: float, tflops: float, mfu: float = 1) -> Figure:
    return alike(published_gpu_hours(flop=flop, peak_tflops=tflops, mfu=mfu))


def days(gpu_hours: float, gpus: float) -> Figure:
    return alike(gpu_hours / gpus / HOURS_PER_DAY)


def tokens_of_hours(gpu_hours: float, params: float, gpu: str, utilisation: float) -> Figure:
    return alike(implied_tokens(gpu_hours, params, peak(gpus()[gpu]).tflops, utilisation))


def tokens_per_parameter_of_table(utilisation: float, gpu: str, rows: str) -> Figure:
    """Least and most tokens per parameter along a table of sizes and hours, `rows` like 1e9:1000 2e9:3000."""
    pairs = [tuple(map(float, row.split(":"))) for row in rows.split()]
    tflops = peak(gpus()[gpu]).tflops
    ratios = [implied_tokens(hours, params, tflops, utilisation) / params for params, hours in pairs]
    return min(ratios), max(ratios)


def with_experiments(usd: float, low: float, high: float) -> Figure:
    return usd * experiments_multiplier(low), usd * experiments_multiplier(high)


def gpus_in_nodes(params: float, memory_gb: float, bytes_low: float, bytes_high: float, gpus_per_node: float) -> Figure:
    """Whole nodes that hold the state."""
    low, high = (
        gpus_for_state(training_state_gb(int(params), Decimal(size)), Decimal(memory_gb))
        for size in (bytes_low, bytes_high)
    )
    return whole_nodes(low, int(gpus_per_node)), whole_nodes(high, int(gpus_per_node))


def checkpoint(params: float, bytes_low: float, bytes_high: float) -> Figure:
    """GB."""
    return checkpoint_gb(int(params), bytes_per_parameter=bytes_low), checkpoint_gb(
        int(params), bytes_per_parameter=bytes_high
    )


def from_scratch_usd(params_low: float, params_high: float, utilisation: float, price: float, gpu: str) -> Figure:
    """Small models at 20 tokens per parameter."""
    ratio = constants()["tokens_per_parameter"].value
    low, high = (rental_usd(_hours(n, ratio * n, gpu, utilisation), as_price(price)) for n in (params_low, params_high))
    return low, high


def cost_of_size(params: float, larger: float) -> Figure:
    """How much more a larger model costs: at equal tokens, and at equal tokens per parameter."""
    ratio = larger / params
    return ratio, flop(larger, larger)[0] / flop(params, params)[0]


# public runs


def public_year(run: str) -> Figure:
    return alike(_public(run).published_on.year)


def public_gpus(run: str) -> Figure:
    return alike(_public(run).gpus)


def public_gpu_hours(run: str) -> Figure:
    return alike(_public(run).gpu_hours)


def public_days(run: str, gpus: float) -> Figure:
    """Days that the public hours take on a number of GPUs."""
    return days(_public(run).gpu_hours, gpus)


def public_cloud_usd(run: str, last: str | None = None) -> Figure:
    return _public(run).cloud_usd, _public(last or run).cloud_usd


def public_usd(run: str) -> Figure:
    """From the owner's amortised cost to the cloud's price."""
    return _public(run).amortised_usd, _public(run).cloud_usd


def _hours(params: float, tokens: float, gpu: str, utilisation: float, peak_tflops: float | None = None) -> float:
    need = requirement(as_llm(params, tokens), gpus()[gpu], utilisation=utilisation, peak_tflops=peak_tflops)
    return need.gpu_hours_p50


def _public(run: str) -> PublicRun:
    return next(known for known in public_runs() if known.run == run)


def as_llm(params: float, tokens: float) -> Llm:
    return Llm("claimed", "custom", int(params), int(params), int(tokens), None, None, None, "dense")


def as_price(usd: float) -> Decimal:
    return Decimal(str(usd))


def alike(value: float) -> Figure:
    return value, value


CALCULATIONS: dict[str, Callable[..., Figure]] = {
    found.__name__: found
    for found in (
        flop,
        gpu_hours,
        gpu_hours_by_tokens,
        gpu_hours_by_gpu,
        predicted_gpu_hours,
        wall_hours,
        run_usd,
        rent,
        rent_of_table,
        rent_by_tokens,
        hours_of_run,
        rent_of_run,
        days_of_run,
        days_at_throughput,
        rent_at_throughput,
        hours_at_throughput,
        days,
        tokens_of_hours,
        tokens_per_parameter_of_table,
        with_experiments,
        gpus_in_nodes,
        checkpoint,
        from_scratch_usd,
        cost_of_size,
        public_year,
        public_gpus,
        public_gpu_hours,
        public_days,
        public_cloud_usd,
        public_usd,
    )
}
