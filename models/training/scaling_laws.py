"""How large a model to train, and on how many tokens, from fitted scaling laws.

    loss L(N, D) = E + A / N^alpha + B / D^beta        N parameters, D tokens, nats per token

Three sets of coefficients are kept by name, because the answer depends on them: the exponents printed by
Hoffmann et al. are rounded and drift to 140 tokens per parameter. What a size costs is models.costs.inverse.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, get_args

from models.constants import constant

CoefficientSet = Literal["hoffmann_printed", "hoffmann_unrounded", "epoch_2024"]
COEFFICIENT_SETS: tuple[CoefficientSet, ...] = get_args(CoefficientSet)
DEFAULT_SET: CoefficientSet = "epoch_2024"


@dataclass(frozen=True, slots=True)
class Coefficients:
    """One fit of the loss."""

    name: str
    e: float
    a: float
    b: float
    alpha: float
    beta: float

    def loss(self, params: float, tokens: float) -> float:
        """Nats per token after training `params` parameters on `tokens` tokens."""
        return self.e + self.a * math.pow(params, -self.alpha) + self.b * math.pow(tokens, -self.beta)

    def tokens_for(self, loss: float, params: float) -> float:
        """Tokens on which `params` parameters reach `loss`; infinite where they are too few to."""
        left = loss - self.e - self.a * math.pow(params, -self.alpha)
        return math.inf if left <= 0 else math.pow(self.b / left, 1 / self.beta)

    @property
    def balance(self) -> float:
        """G = (alpha A / (beta B))^(1 / (alpha + beta))."""
        return math.pow(self.alpha * self.a / (self.beta * self.b), 1 / (self.alpha + self.beta))


@dataclass(frozen=True, slots=True)
class Size:
    """A model and its training tokens."""

    params: float
    tokens: float

    @property
    def flop(self) -> float:
        """6 N D."""
        return constant("flop_per_parameter_token") * self.params * self.tokens

    @property
    def tokens_per_parameter(self) -> float:
        return self.tokens / self.params


@dataclass(frozen=True, slots=True)
class ForInference:
    """The size that is cheapest over its life, beside the one it replaces; equal loss."""

    coefficients: str
    replaced: Size
    best: Size
    inference_tokens: float
    replaced_cost: float  # FLOP, or USD where prices per FLOP were given
    best_cost: float

    @property
    def saving(self) -> float:
        return self.replaced_cost - self.best_cost

    @property
    def saving_share(self) -> float:
        return self.saving / self.replaced_cost


def coefficients(name: CoefficientSet = DEFAULT_SET) -> Coefficients:
    """A set by its name; ValueError for an unknown one."""
    if name not in COEFFICIENT_SETS:
        raise ValueError(f"coefficients {name!r} are not one of {', '.join(COEFFICIENT_SETS)}")
    return Coefficients(name, *(constant(f"scaling_{name}_{part}") for part in ("e", "a", "b", "alpha", "beta")))


def by_tokens_per_parameter(flop: float, tokens_per_parameter: float | None = None) -> Size:
    """The size that spends `flop` at a fixed ratio, 20 tokens per parameter unless given."""
    ratio = constant("tokens_per_parameter") if tokens_per_parameter is None else tokens_per_parameter
    if flop <= 0 or ratio <= 0:
        raise ValueError(f"FLOP and tokens per parameter must be positive, not {flop:g} and {ratio:g}")
    params = math.sqrt(flop / (constant("flop_per_parameter_token") * ratio))
    return Size(params, ratio * params)


def compute_optimal(flop: float, name: CoefficientSet = DEFAULT_SET) -> Size:
    """The size of least loss for `flop`: N = G (C/6)^(beta/(alpha+beta)), D = (C/6)^(alpha/(alpha+beta)) / G."""
    if flop <= 0:
        raise ValueError(f"FLOP must be positive, not {flop:g}")
    fit = coefficients(name)
    product = flop / constant("flop_per_parameter_token")
    return Size(
        params=fit.balance * product ** (fit.beta / (fit.alpha + fit.beta)),
        tokens=product ** (fit.alpha / (fit.alpha + fit.beta)) / fit.balance,
    )


def optimal_tokens(params: float, name: CoefficientSet = DEFAULT_SET) -> Size:
    """The budget at which `params` parameters are the optimum, as their tokens."""
    fit = coefficients(name)
    product = (params / fit.balance) ** ((fit.alpha + fit.beta) / fit.beta)
    return Size(params, product / params)


def best_for_inference(
    params: float,
    inference_tokens: float,
    name: CoefficientSet = DEFAULT_SET,
    *,
    tokens: float | None = None,
    training_usd_per_flop: float | None = None,
    serving_usd_per_flop: float | None = None,
) -> ForInference:
    """The smaller model that reaches the same loss cheapest, `inference_tokens` of serving included.

    Minimises 6 N D + 2 N D_inf at L(N, D) = L(N_0, D_0) (Sardana et al. 2024); D_0 is the optimum of `params`
    unless `tokens` are given. With a price per FLOP of training and of serving the sum is in USD.
    """
    if (training_usd_per_flop is None) != (serving_usd_per_flop is None):
        raise ValueError("give the price per FLOP of both training and serving, or of neither")
    if inference_tokens < 0:
        raise ValueError(f"inference tokens cannot be negative: {inference_tokens:g}")
    fit = coefficients(name)
    replaced = optimal_tokens(params, name) if tokens is None else Size(params, tokens)
    loss = fit.loss(replaced.params, replaced.tokens)
    training = constant("flop_per_parameter_token") * (training_usd_per_flop or 1)
    serving = constant("flop_per_parameter_token_inference") * (serving_usd_per_flop or 1)

    def cost(log_params: float) -> float:
        n = math.exp(log_params)
        return n * (training * fit.tokens_for(loss, n) + serving * inference_tokens)

    too_few = (fit.a / (loss - fit.e)) ** (1 / fit.alpha)  # parameters that never reach the loss
    best = math.exp(_lowest(cost, math.log(too_few * (1 + 1e-9)), math.log(params * 100)))
    return ForInference(
        coefficients=name,
        replaced=replaced,
        best=Size(best, fit.tokens_for(loss, best)),
        inference_tokens=inference_tokens,
        replaced_cost=cost(math.log(params)),
        best_cost=cost(math.log(best)),
    )


def _lowest(f: Callable[[float], float], low: float, high: float) -> float:
    """Where a function with one valley is lowest, by golden section."""
    ratio = (math.sqrt(5) - 1) / 2
    left, right = high - ratio * (high - low), low + ratio * (high - low)
    at_left, at_right = f(left), f(right)
    for _ in range(80):
        if at_left < at_right:
            high, right, at_right = right, left, at_left
            left = high - ratio * (high - low)
            at_left = f(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + ratio * (high - low)
            at_right = f(right)
    return (low + high) / 2
