"""What share of the peak a training run gets for the hours it is billed.

Effective utilisation = FLOP / (billed GPU-hours x peak), measured on published runs: it holds restarts, idle
time and side phases. Benchmark MFU is higher (0.40 to 0.55) and is never used as if it were this: an MFU of a
paper may be put in by hand, and is then taken as the share of the billed hours.

A utilisation belongs to a peak (precision) and to a FLOP convention (attention counted or not). The priors are
shares of 6ND; what attention their runs had is in them, so counting it restates the share and leaves the hours. Only
sequences longer than any of those runs cost more.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

from models.constants import constant, constants
from models.llms import Architecture
from models.peak import Chip, Peak, Precision, peak, sixteen_bit_peak

# Families whose published runs form a group: the export chips differ in their links only.
RUN_GROUP = {
    "a100": "a100",
    "a800": "a100",
    "h100": "h100",
    "h800": "h100",
    "tpu_v3": "tpu",
    "tpu_v4": "tpu",
}
P90 = NormalDist().inv_cdf(0.9)  # 1.2816 standard deviations


@dataclass(frozen=True, slots=True)
class Utilisation:
    """Share of `peak`, lognormal: low is P10 and high is P90 of the utilisation."""

    low: float
    mid: float
    high: float
    sigma: float  # standard deviation of its natural logarithm; 0 when given by hand
    peak: Peak
    basis: str  # one line for people: where the figure comes from

    def scaled(self, factor: float) -> Utilisation:
        """The same with every share multiplied by `factor`."""
        return Utilisation(self.low * factor, self.mid * factor, self.high * factor, self.sigma, self.peak, self.basis)


def effective_utilisation(chip: Chip, architecture: Architecture, precision: Precision = "bf16") -> Utilisation:
    """The prior for a run on `chip`, of 6ND, before any loss of scale (scale_efficiency).

    From the runs of its family where there are any; else H100's, times the ratio of the measured matmul
    ceilings; else the median of all runs, at most H100's. NoPeak where the chip cannot do `precision`.
    """
    base = sixteen_bit_peak(chip)
    mid, sigma, basis = _sixteen_bit_prior(chip, architecture)
    chosen = peak(chip, precision)
    basis += f", of the {base.precision.upper()} dense peak"
    if precision in ("fp8", "fp4"):
        speedup = constants()[f"{precision}_speedup"]
        gain = min(speedup.value, chosen.tflops / base.tflops)
        mid = restated(mid * gain, base.tflops, chosen.tflops)
        # the range of the measured gain, read as P10 to P90
        sigma = math.hypot(sigma, math.log(speedup.high / speedup.low) / (2 * P90))
        basis += f"; {precision.upper()} at {gain:g}x its speed"
    spread = math.exp(P90 * sigma)
    return Utilisation(mid / spread, mid, min(1.0, mid * spread), sigma, chosen, basis)


def counting_attention(prior: Utilisation, attention_share: float, seq_len: int | None) -> Utilisation:
    """The prior as a share of FLOP that count attention, `attention_share` of 6ND at sequences of `seq_len`.

    The attention of sequences up to the longest of the published runs is in their hours already.
    """
    if not attention_share or not seq_len:
        return prior
    share = attention_share * min(1.0, constant("prior_longest_seq_len") / seq_len)
    basis, counted = f"{prior.basis}; {share:.1%} higher as attention is counted", 1 + share
    high = min(1.0, prior.high * counted)
    return Utilisation(prior.low * counted, prior.mid * counted, high, prior.sigma, prior.peak, basis)


def given_utilisation(share: float, of: Peak) -> Utilisation:
    """A utilisation stated by the user, without spread; ValueError outside 0 < share <= 1."""
    if not 0 < share <= 1:
        percent = f"; {share:g}% is {share / 100:g}" if 1 < share <= 100 else ""
        raise ValueError(f"utilisation is a share of the peak, above 0 and at most 1, not {share:g}{percent}")
    return Utilisation(share, share, share, 0.0, of, f"given, of the {of.precision.upper()} dense peak")


def restated(share: float, from_tflops: float, to_tflops: float) -> float:
    """A utilisation of one peak as that of another: 38.9% of the BF16 peak is 19.4% of an FP8 peak twice as high."""
    return share * from_tflops / to_tflops


def scale_efficiency(gpus: float, reference_gpus: int) -> float:
    """Relative utilisation on `gpus` GPUs: a loss per doubling beyond `reference_gpus`, never below the floor.

    The reference is 128 for a benchmark MFU and 1,024 for an effective utilisation, which already holds what
    its own clusters lost (constants scale_loss_from_gpus_*).
    """
    if gpus <= reference_gpus:
        return 1.0
    loss = constant("scale_loss_per_doubling") * math.log2(gpus / reference_gpus)
    return max(constant("scale_efficiency_floor"), 1 - loss)


def _sixteen_bit_prior(chip: Chip, architecture: Architecture) -> tuple[float, float, str]:
    """Median share in 6ND, log-sd and its basis."""
    group = f"{RUN_GROUP.get(chip.gpu_family, '')}_{architecture}"
    if f"utilisation_{group}" in constants():
        prior = constants()[f"utilisation_{group}"]
        runs = prior.source.split(" (")[0]
        return prior.value, constant("utilisation_sigma_group"), f"{runs}: {prior.value:g} in 6ND"
    sigma = constant("utilisation_sigma_all")
    bf16, achieved = chip.bf16_dense_tflops, chip.bf16_matmul_achieved_tflops
    if bf16 and achieved:
        group = f"h100_{architecture}"
        ceiling = float(achieved) / float(bf16)
        median = constant(f"utilisation_{group}") * ceiling / constant("matmul_ceiling_h100")
        return median, sigma, f"H100 runs by the matmul ceiling {ceiling:.2f}: {median:.2f} in 6ND"
    # a chip nobody has published a run on is not taken to be easier to feed than the H100
    median = min(constant("utilisation_all"), constant(f"utilisation_h100_{architecture}"))
    return median, sigma, f"no published run on this chip: at most that of H100 runs, {median:g} in 6ND"
