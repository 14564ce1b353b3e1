"""One training run, from its size to its bill, with every intermediate: what `gpuledger estimate` prints.

    compute = GPU-hours x price per GPU-hour
    total   = compute x overhead (failed and exploratory runs: one multiplier, applied once) + fees to set up

It needs a chip and, for money, a price; it knows no provider and reads no ledger.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from decimal import Decimal

from models.constants import constant, constants
from models.llms import Llm
from models.peak import Chip, Precision
from models.quantities import counted
from models.training.flop import Attention
from models.training.requirement import HOURS_PER_DAY, requirement


@dataclass(frozen=True, slots=True)
class Range:
    """P10, median and P90; all equal where nothing is uncertain. A low cost goes with a high utilisation."""

    low: float
    mid: float
    high: float

    def times(self, factor: float, plus: float = 0.0) -> Range:
        """All three times what is certain, and a sum that is."""
        return Range(self.low * factor + plus, self.mid * factor + plus, self.high * factor + plus)


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a run takes and costs; the field names are the keys of the JSON output."""

    params_total: int
    params_active: int
    tokens: int
    gpu: str
    precision: str
    peak_tflops: float
    flop: float
    flop_per_token: float
    attention: str
    attention_share: float
    utilisation: Range
    utilisation_basis: str
    scale_efficiency: float
    gpu_hours: Range
    state_gb: float
    min_gpus: int
    gpus: int
    fits_memory: bool
    wall_days: Range
    usd_per_gpu_hour: float | None
    compute_usd: Range | None
    overhead: Range
    total_usd: Range | None  # P10, median and P90 by the hours, at the middle overhead
    notes: tuple[str, ...]
    setup_usd: float = 0.0  # one-off fees of the instances, in total_usd
    goodput: float = 1.0  # share of the paid time that counts: on spot less than 1
    commitment_usd: float | None = None  # of the whole terms or blocks that hold the run and its experiments
    commitment: str | None = None  # how many they are
    due_usd: Range | None = None  # what is paid where they are: as many as the P10, median and P90 of the hours take

    def as_dict(self) -> dict[str, object]:
        """Plain values for JSON; ranges become {low, mid, high}."""
        return asdict(self)


def estimate(
    *,
    params: int,
    tokens: int,
    gpu: Chip,
    active_params: int | None = None,
    layers: int | None = None,
    width: int | None = None,
    attention_width: int | None = None,
    seq_len: int | None = None,
    attention: Attention | None = None,
    precision: Precision = "bf16",
    utilisation: float | None = None,
    peak_tflops: float | None = None,
    gpus: int | None = None,
    deadline_days: float | None = None,
    optimizer: str = "mixed_adam",
    gpu_memory_gb: Decimal | None = None,
    price: Decimal | None = None,
    overhead: float | None = None,
) -> Estimate:
    """Estimate one run of `params` parameters on `tokens` tokens.

    `active_params` makes it a mixture of experts. Attention is counted when layers, width and sequence length
    are all given, by `attention_width` (heads x head size) where that is not the width. `utilisation` is a share of
    the dense peak (0.40, not 40) and takes the spread away. `gpu_memory_gb` is for a chip whose memory is not
    known. `price` is USD per GPU-hour, an instance's price over
    its GPUs. `overhead` is a multiplier of at least 1; None takes 1.4, known to lie between 1.3 and 1.5. ValueError
    in one line for anything that cannot be.
    """
    llm = custom_llm(params, active_params, tokens, layers, width, seq_len, attention_width)
    if price is not None and not price > 0:
        raise ValueError(f"the price per GPU-hour must be positive, not {price}")
    need = requirement(
        llm,
        gpu,
        precision=precision,
        attention=attention,
        utilisation=utilisation,
        peak_tflops=peak_tflops,
        gpus=gpus,
        deadline_days=deadline_days,
        optimizer=optimizer,
        gpu_memory_gb=gpu_memory_gb,
    )
    hours = Range(need.gpu_hours_p10, need.gpu_hours_p50, need.gpu_hours_p90)
    days = Range(*(h / need.gpus / HOURS_PER_DAY for h in (hours.low, hours.mid, hours.high)))
    multiplier = _overhead(overhead)
    compute = None
    if price is not None:
        compute = Range(*(rental_usd(h, price) for h in (hours.low, hours.mid, hours.high)))
    result = Estimate(
        params_total=need.params_total,
        params_active=need.params_active,
        tokens=need.tokens,
        gpu=need.gpu,
        precision=need.precision,
        peak_tflops=need.peak_tflops,
        flop=need.flop,
        flop_per_token=need.flop_per_token,
        attention=need.attention,
        attention_share=need.attention_share,
        utilisation=Range(need.utilisation_low, need.utilisation_mid, need.utilisation_high),
        utilisation_basis=need.basis,
        scale_efficiency=need.scale_efficiency,
        gpu_hours=hours,
        state_gb=need.state_gb,
        min_gpus=need.min_gpus,
        gpus=need.gpus,
        fits_memory=need.gpus >= need.min_gpus,
        wall_days=days,
        usd_per_gpu_hour=None if price is None else float(price),
        compute_usd=compute,
        overhead=multiplier,
        total_usd=None if compute is None else _total(compute, multiplier),
        notes=(),
    )
    return replace(result, notes=tuple(_notes(result, precision)))


def with_setup(result: Estimate, usd: float) -> Estimate:
    """The estimate with one-off fees of `usd` in its total: due once, whatever the hours and the experiments."""
    total = result.total_usd
    if total is not None:
        total = total.times(1.0, usd)
    return replace(result, total_usd=total, setup_usd=usd)


def interrupted(result: Estimate, gpu_hours: Range, wall_days: Range) -> Estimate:
    """The estimate with the hours to pay and the days that interruptions of its cluster leave."""
    compute = total = None
    if result.usd_per_gpu_hour is not None:
        price, fees = result.usd_per_gpu_hour, result.setup_usd
        compute = gpu_hours.times(price)
        total = _total(compute, result.overhead, fees)
    return replace(
        result,
        gpu_hours=gpu_hours,
        wall_days=wall_days,
        compute_usd=compute,
        total_usd=total,
        goodput=result.gpu_hours.mid / gpu_hours.mid,
    )


def rental_usd(gpu_hours: float | Decimal, usd_per_gpu_hour: Decimal) -> float:
    """GPU-hours at a price, multiplied exactly: 16 GPUs x 500 h x $2.75 is $22,000."""
    return float(Decimal(gpu_hours) * usd_per_gpu_hour)


def custom_llm(
    params: int,
    active_params: int | None,
    tokens: int,
    layers: int | None = None,
    width: int | None = None,
    seq_len: int | None = None,
    attention_width: int | None = None,
) -> Llm:
    """A model by its counts; attention is counted where layers, width and sequence length are given."""
    given = {"layers": layers, "width": width, "seq-len": seq_len}
    missing = [name for name, value in given.items() if value is None]
    if 0 < len(missing) < len(given):
        raise ValueError(f"attention takes layers, width and seq-len together; {', '.join(missing)} missing")
    active = params if active_params is None else active_params
    return Llm(
        llm="this model",
        kind="custom",
        params_total=params,
        params_active=active,
        tokens=tokens,
        layers=layers,
        width=width,
        seq_len=seq_len,
        attention_width=attention_width,
        architecture="dense" if active == params else "moe",
    )


def _total(compute: Range, overhead: Range, fees_usd: float = 0.0) -> Range:
    """P10, median and P90 by the spread of the hours, the overhead by its middle, as the closed form takes it."""
    return compute.times(overhead.mid, fees_usd)


def _overhead(given: float | None) -> Range:
    if given is None:
        preset = constants()["overhead"]
        return Range(preset.low, preset.value, preset.high)
    if not 1 <= given <= 10:
        raise ValueError(f"overhead is a multiplier of at least 1 (1.4 adds 40%), not {given:g}")
    return Range(given, given, given)


def _notes(result: Estimate, asked: Precision) -> list[str]:
    """What a careful reader would ask about the result, one line each."""
    notes = []
    if result.precision != asked:
        notes.append(f"{result.gpu} has no {asked.upper()}: its {result.precision.upper()} rate is used")
    if not result.fits_memory:
        notes.append(
            f"{counted(result.gpus, 'GPU')} cannot hold the {result.state_gb:,.0f} GB of training state: "
            f"{result.min_gpus:,} are needed"
        )
    longest = constant("longest_run_days")
    if result.wall_days.mid > longest:
        notes.append(f"runs beyond {longest:g} days are outrun by later ones: no published run tells of these hours")
    if result.utilisation.mid > constant("utilisation_impossible_above"):
        notes.append(f"no published run reached {result.utilisation.mid:.2f} of the peak: the hours are a bound")
    elif result.utilisation.mid > constant("utilisation_needs_evidence_above"):
        notes.append(f"{result.utilisation.mid:.2f} of the peak is above most benchmarks and any billed run")
    if result.tokens < result.params_total:
        notes.append("less than one token per parameter: is the token count right?")
    return notes
