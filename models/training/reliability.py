"""What failures cost a run: how often it stops, how often to save, and the share of the time that is lost.

    MTBF = 24 h / (nodes x failures per node-day)          loss = C/tau + tau/(2 MTBF) + R/MTBF

C is the time of a save, tau the interval between saves, R the time of a restart. An effective utilisation
(models.training.utilisation) was measured on billed hours and already holds this loss: it is for a benchmark MFU, for
choosing the interval, and for interruptions beyond failures (models.training.spot). Money does not belong here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from models.constants import constant

HOURS_PER_DAY = 24
NEVER = 1e-15  # saves per MTBF below which no loss is left to speak of


@dataclass(frozen=True, slots=True)
class Loss:
    """Shares of the paid time that an interrupted run loses, at the best interval between saves."""

    mtbf_hours: float
    interval_hours: float  # between saves
    first_order: float  # C/tau + tau/2M + R/M; above 1 where it does not hold
    exact: float  # exponential failures, also during saves and restarts; below 1
    young_holds: bool  # interval and restart are short beside the MTBF
    share: float  # the figure to compute with

    @property
    def goodput(self) -> float:
        """Share of the paid time that moves the run on."""
        return 1 - self.share


def mtbf_hours(nodes: float, failures_per_1000_node_days: float | None = None) -> float:
    """Mean hours between failures of a run on `nodes` nodes; a failure of one stops all.

    The default rate is that of Llama 3.1 405B: 419 in 54 days on 2,048 nodes.
    """
    published = constant("failures_per_1000_node_days")
    rate = published if failures_per_1000_node_days is None else failures_per_1000_node_days
    if nodes <= 0 or rate <= 0:
        raise ValueError(f"nodes and their failure rate must be positive, not {nodes:g} and {rate:g}")
    return HOURS_PER_DAY / (nodes * rate / 1000)


def young_interval_hours(save_hours: float, mtbf: float) -> float:
    """Best interval between saves, tau = sqrt(2 C M) (Young 1974); for tau well below the MTBF."""
    return math.sqrt(2 * save_hours * mtbf)


def availability_interval_hours(save_hours: float, mtbf: float, restart_hours: float) -> float:
    """Best interval including the save, C + sqrt(2 (M + R) C + C^2) (arXiv 2410.18124)."""
    return save_hours + math.sqrt(2 * (mtbf + restart_hours) * save_hours + save_hours**2)


def exact_interval_hours(save_hours: float, mtbf: float) -> float:
    """Best interval for exponential failures (Daly 2006): the root of 1 - x = exp(-(x + C/M)), x = tau/M."""
    low, high = 0.0, 1.0
    for _ in range(60):  # halving: 60 steps reach the last bit
        middle = (low + high) / 2
        if middle < -math.expm1(-(middle + save_hours / mtbf)):
            low = middle
        else:
            high = middle
    return low * mtbf


def interruption_loss(mtbf: float, save_hours: float | None = None, restart_hours: float | None = None) -> Loss:
    """Loss at the best interval for a run that is stopped every `mtbf` hours on average.

    Young's interval and the first-order loss while the interval and the restart are at most half the MTBF;
    beyond that the exact form, and never less than where the first-order one last held, so that more
    interruptions never look cheaper. Defaults: 30 s to save, 10 minutes to restart.
    """
    save = constant("checkpoint_save_seconds") / 3600 if save_hours is None else save_hours
    restart = constant("restart_minutes") / 60 if restart_hours is None else restart_hours
    if mtbf <= 0 or save <= 0 or restart < 0:
        raise ValueError(f"MTBF and save time must be positive, not {mtbf:g} h and {save:g} h")
    if save / mtbf < NEVER:
        return Loss(mtbf, math.inf, 0.0, 0.0, True, 0.0)
    limit = constant("young_holds_below")
    shortest = max(2 * save / limit**2, restart / limit)  # the MTBF at which the first-order form ends
    holds = mtbf >= shortest
    first_order, exact = _first_order(mtbf, save, restart), _exact(mtbf, save, restart)
    return Loss(
        mtbf_hours=mtbf,
        interval_hours=young_interval_hours(save, mtbf) if holds else exact_interval_hours(save, mtbf),
        first_order=first_order,
        exact=exact,
        young_holds=holds,
        share=first_order if holds else max(exact, _first_order(shortest, save, restart)),
    )


def spare_nodes(nodes: int) -> int:
    """Nodes to keep in reserve so that a broken one is replaced at once."""
    return math.ceil(nodes * constant("spare_nodes_share"))


def _first_order(mtbf: float, save: float, restart: float) -> float:
    return math.sqrt(2 * save / mtbf) + restart / mtbf


def _exact(mtbf: float, save: float, restart: float) -> float:
    """Daly's expected time of an interval: M exp(R/M) (exp((tau + C)/M) - 1)."""
    interval = exact_interval_hours(save, mtbf)
    log_efficiency = math.log(interval / mtbf) - restart / mtbf - _log_expm1((interval + save) / mtbf)
    return -math.expm1(log_efficiency)


def _log_expm1(x: float) -> float:
    """ln(e^x - 1) without overflow."""
    return x + math.log(-math.expm1(-x))
