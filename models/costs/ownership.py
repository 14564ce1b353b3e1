"""What hardware costs its owner per GPU-hour, and what a public run cost so: Epoch's method, from its rules.

    USD per GPU-hour = server value at the start x 0.14 ln 10 / 8766, + 0.19/0.81 of it for the network, + energy

A server loses value as hardware gets better: 0.14 orders of magnitude a year. Method and constants: Cottier et
al. 2024 (arXiv 2405.21015) and epoch-research/training-cost-trends (data CC-BY Epoch AI; written here from the
rules). Server prices are in servers.csv, public runs in public_runs.csv. Rental prices are in the ledger.
"""

from __future__ import annotations

import csv
import math
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Literal

from models.constants import constant, constants
from models.costs.energy import PoweredChip, electricity_usd_per_kwh, kwh_per_gpu_hour
from models.gpu_table import Gpu
from models.gpus import gpus
from models.training.requirement import SECONDS_PER_HOUR, TERA

Term = Literal["on_demand", "1y", "3y"]
DAYS_PER_YEAR = 365.25


@dataclass(frozen=True, slots=True)
class Server:
    """What one chip cost with its share of the server, and when."""

    gpu_family: str
    gpu: str  # the card that was priced
    usd: Decimal
    scope: str  # server, or chip: the rest of the server is added
    priced_on: date
    source: str


@dataclass(frozen=True, slots=True)
class Purchase:
    """What one chip with its share of the server was bought for, and since when it loses value."""

    server: Server
    server_over_chip: float  # 1 where the price holds the server already
    since: date

    @property
    def usd(self) -> float:
        return float(self.server.usd) * self.server_over_chip

    def value_usd(self, on: date) -> float:
        return self.usd * math.pow(10, -constant("hardware_ooms_per_year") * self._years(on))

    def outlay_usd(self, on: date) -> float:
        """What one chip is bought for on a day, with its share of the server and of the network of the cluster."""
        return self.value_usd(on) / (1 - constant("interconnect_share"))

    def line(self, on: date) -> str:
        """For people: the price, its date, the value on a day and the formula between them and the hour."""
        ooms, year = constant("hardware_ooms_per_year"), constant("hours_per_year_epoch")
        of_server = f" x {self.server_over_chip:g} for its server" if self.server_over_chip != 1 else ""
        bought = f"{self.server.usd:,f} USD a GPU ({self.server.scope}) on {self.server.priced_on}{of_server}"
        worth = f"worth {self.value_usd(on):,.0f} on {on}: x 10^(-{ooms:g} x {self._years(on):.2f} years)"
        hour = f"an hour of it: x {ooms:g} ln 10 / {year:,.0f} / (1 - {constant('interconnect_share'):g})"
        return f"{bought}, {worth} since {self.since}; {hour}; {self.server.source}"

    def _years(self, on: date) -> float:
        return max(0, (on - self.since).days) / DAYS_PER_YEAR


@dataclass(frozen=True, slots=True)
class OwnedHour:
    """USD of one GPU-hour of one's own, by part."""

    chip_usd: float
    server_usd: float  # the rest of the server
    interconnect_usd: float
    energy_usd: float
    server_value_usd: float  # of one chip with its share of the server, when the use begins

    @property
    def capital_usd(self) -> float:
        return self.chip_usd + self.server_usd + self.interconnect_usd

    @property
    def usd(self) -> float:
        return self.capital_usd + self.energy_usd


@dataclass(frozen=True, slots=True)
class PublicRun:
    """A run whose hours are public, with the figures that were published for its cost."""

    run: str
    developer: str
    published_on: date
    started_on: date
    gpu: str
    gpus: int
    gpu_hours: int
    hyperscaler: bool
    cloud: str
    cloud_usd_per_gpu_hour: Decimal  # three-year commitment
    cloud_price_source: str
    published_cloud_usd: float | None
    published_amortised_usd: float | None
    source: str
    note: str

    @property
    def cloud_usd(self) -> float:
        """Cost at the three-year price of the developer's cloud."""
        return float(self.gpu_hours * self.cloud_usd_per_gpu_hour)

    def owned_hour(self) -> OwnedHour:
        """Cost of one hour of its hardware to its owner; electricity at the price of the year of publication."""
        return owned_hour(gpus()[self.gpu], self.started_on, self.hyperscaler, year=self.published_on.year)

    @property
    def amortised_usd(self) -> float:
        return self.owned_hour().usd * self.gpu_hours


@cache
def servers() -> dict[str, Server]:
    """Server prices by family of chip."""
    return {
        row["gpu_family"]: Server(
            row["gpu_family"],
            row["gpu"],
            Decimal(row["usd"]),
            row["scope"],
            date.fromisoformat(row["priced_on"]),
            row["source"],
        )
        for row in _rows("servers.csv")
    }


@cache
def public_runs() -> tuple[PublicRun, ...]:
    """The runs of public_runs.csv; a start that is not known follows from the publication."""
    return tuple(_run(row) for row in _rows("public_runs.csv"))


def purchase(gpu_family: str) -> Purchase:
    """The earliest known price of one chip with its share of the server.

    Nobody has a GPU earlier than 90 days after its release, so an earlier day counts as that one. KeyError for a family
    without a price.
    """
    if gpu_family not in servers():
        raise KeyError(f"no purchase price of {gpu_family} is known; known: {', '.join(servers())}")
    server = servers()[gpu_family]
    if server.scope == "chip":
        return Purchase(server, _server_over_chip(gpu_family), server.priced_on)
    return Purchase(server, 1.0, max(server.priced_on, _released(gpu_family) + _days("delivery_days")))


def bought_chip(chip: Gpu) -> Gpu:
    """The card that is bought for `chip` at the price of its family: itself, or of a group that card which was priced.

    One of more memory counts as one of less. KeyError where no price is known, or that of another form factor.
    """
    priced = gpus()[purchase(chip.gpu_family).server.gpu]
    if chip.form_factor not in (None, priced.form_factor):
        raise KeyError(f"no purchase price of {chip.gpu} is known; known of its family: {priced.gpu}")
    if chip.level == "card" or chip.form_factor is None is priced.form_factor:
        return chip
    if chip.memory_gb in (None, priced.memory_gb):
        return priced
    family = (other for other in gpus().values() if other.gpu_family == chip.gpu_family and other.level == "card")
    return next(o for o in family if (o.form_factor, o.memory_gb) == (priced.form_factor, chip.memory_gb))


def server_value_usd(gpu_family: str, on: date) -> float:
    """Value of one chip with its share of the server on a day. KeyError for a family without a price."""
    return purchase(gpu_family).value_usd(on)


def amortised_usd_per_gpu_hour(server_value: float) -> float:
    """Capital of one GPU-hour, the network of the cluster included; without energy."""
    lost_per_year = constant("hardware_ooms_per_year") * math.log(10)
    return server_value * lost_per_year / constant("hours_per_year_epoch") / (1 - constant("interconnect_share"))


def owned_hour(
    chip: PoweredChip, on: date, hyperscaler: bool = True, *, year: int | None = None, usd_per_kwh: float | None = None
) -> OwnedHour:
    """One GPU-hour of hardware put to use on a day, by part; electricity of that year unless `year` is given."""
    value = server_value_usd(chip.gpu_family, on)
    capital = amortised_usd_per_gpu_hour(value)
    interconnect = capital * constant("interconnect_share")
    card = (capital - interconnect) / _server_over_chip(chip.gpu_family)
    price = electricity_usd_per_kwh(year or on.year) if usd_per_kwh is None else usd_per_kwh
    return OwnedHour(
        chip_usd=card,
        server_usd=capital - interconnect - card,
        interconnect_usd=interconnect,
        energy_usd=kwh_per_gpu_hour(chip, hyperscaler) * price,
        server_value_usd=value,
    )


def published_gpu_hours(
    *,
    reported: float | None = None,
    gpus: int | None = None,
    hours: float | None = None,
    flop: float | None = None,
    peak_tflops: float | None = None,
    mfu: float | None = None,
) -> float:
    """GPU-hours by Epoch's order: reported, else chips x hours, else FLOP over peak and MFU (0.375 unless given)."""
    if reported is not None:
        return reported
    if gpus is not None and hours is not None:
        return gpus * hours
    if flop is None or peak_tflops is None:
        raise ValueError("GPU-hours take the hours reported, or GPUs and hours, or FLOP and the peak")
    return flop / (peak_tflops * TERA * (constant("mfu_epoch") if mfu is None else mfu) * SECONDS_PER_HOUR)


def training_start(published_on: date, training_hours: float | None = None) -> date:
    """Publication, less 60 days, less the training time (793.5 h where it is not known)."""
    hours = constant("training_hours_epoch") if training_hours is None else training_hours
    return published_on - _days("publication_lag_days") - timedelta(days=math.ceil(hours / 24))


def rented_on(started_on: date) -> date:
    """The day whose price counts for the cloud basis: 60 days before the start."""
    return started_on - _days("acquisition_lead_days")


def price_in_term(usd: Decimal, cloud: str, given: Term, wanted: Term) -> float:
    """A price of one term as that of another: (1 - d_wanted) / (1 - d_given) with the usual discounts of a cloud."""
    return float(usd) * (1 - _discount(cloud, wanted)) / (1 - _discount(cloud, given))


def restated_usd(usd: float, index_then: float, index_now: float) -> float:
    """USD of one month in those of another by a price index (Epoch: producer price series PCU518210518210)."""
    return usd * index_now / index_then


def _discount(cloud: str, term: Term) -> float:
    return 0.0 if term == "on_demand" else constant(f"epoch_discount_{cloud}_{term}")


def _server_over_chip(family: str) -> float:
    specific = constants().get(f"server_over_chip_{family}")
    return constant("server_over_chip_other") if specific is None else specific.value


def _released(family: str) -> date:
    return min(date.fromisoformat(gpu.release_date) for gpu in gpus().values() if gpu.gpu_family == family)


def _days(name: str) -> timedelta:
    return timedelta(days=constant(name))


def _rows(name: str) -> list[dict[str, str]]:
    with Path(__file__).with_name(name).open(newline="", encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


def _run(row: dict[str, str]) -> PublicRun:
    published, chips, hours = date.fromisoformat(row["published_on"]), int(row["gpus"]), int(row["gpu_hours"])
    return PublicRun(
        run=row["run"],
        developer=row["developer"],
        published_on=published,
        started_on=date.fromisoformat(row["started_on"])
        if row["started_on"]
        else training_start(published, hours / chips),
        gpu=row["gpu"],
        gpus=chips,
        gpu_hours=hours,
        hyperscaler=row["hyperscaler"] == "true",
        cloud=row["cloud"],
        cloud_usd_per_gpu_hour=Decimal(row["cloud_usd_per_gpu_hour"]),
        cloud_price_source=row["cloud_price_source"],
        published_cloud_usd=float(row["published_cloud_usd"]) if row["published_cloud_usd"] else None,
        published_amortised_usd=float(row["published_amortised_usd"]) if row["published_amortised_usd"] else None,
        source=row["source"],
        note=row["note"],
    )
