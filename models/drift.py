"""How far one look at a provider lies from the last good one: rows, medians, SKUs, unknown names, refused rows.

Prices do move and lists do shrink, so drift is told and flagged and never costs a row. A single price that cannot be
true is judged in `models.weighing`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from statistics import median

ROWS_FELL_TO = Decimal("0.5")  # of the rows of the last good look
SKUS_VANISHED = Decimal("0.5")  # of the SKUs of the last good look
MEDIAN_MOVED = 3  # times, up or down

Kind = tuple[str, str]  # GPU family and pricing: medians of different kinds of price are not mixed


@dataclass(frozen=True, slots=True)
class Listed:
    """What drift needs of one offer."""

    sku: str
    gpu_family: str
    pricing: str
    usd_per_gpu_hour: Decimal


@dataclass(frozen=True, slots=True)
class Profile:
    """One look in numbers, over the books that both looks read."""

    rows: int
    refused: int
    skus: frozenset[str]
    medians: Mapping[Kind, Decimal]  # USD per GPU-hour
    unknown_names: frozenset[str]  # GPU names and SKUs that nobody has mapped yet

    @property
    def refused_share(self) -> float:
        """Of all rows that looked like a price, those that were refused."""
        return self.refused / max(self.rows + self.refused, 1)


@dataclass(frozen=True, slots=True)
class MedianMove:
    """The median of one kind of price in both looks, USD per GPU-hour."""

    gpu_family: str
    pricing: str
    before: Decimal
    now: Decimal

    @property
    def times(self) -> Decimal:
        return self.now / self.before

    @property
    def far(self) -> bool:
        return self.times >= MEDIAN_MOVED or self.times * MEDIAN_MOVED <= 1


@dataclass(frozen=True, slots=True)
class Drift:
    """From the last good look to this one."""

    before: Profile
    now: Profile
    moves: Sequence[MedianMove]  # the largest first; only kinds that both looks list

    @property
    def new_skus(self) -> frozenset[str]:
        return self.now.skus - self.before.skus

    @property
    def vanished_skus(self) -> frozenset[str]:
        return self.before.skus - self.now.skus

    @property
    def new_unknown_names(self) -> frozenset[str]:
        return self.now.unknown_names - self.before.unknown_names

    @property
    def flags(self) -> list[str]:
        """What somebody should look at, one line each."""
        flags = []
        if self.before.rows and self.now.rows <= ROWS_FELL_TO * self.before.rows:
            flags.append(f"{self.now.rows:,} rows where there were {self.before.rows:,}")
        elif self.before.skus and len(self.vanished_skus) >= SKUS_VANISHED * len(self.before.skus):
            gone, new = len(self.vanished_skus), len(self.new_skus)
            flags.append(f"{gone:,} of {len(self.before.skus):,} SKUs vanished and {new:,} are new")
        flags += [
            f"the median of {move.gpu_family} {move.pricing} went from {float(move.before):.4g}"
            f" to {float(move.now):.4g} USD per GPU-hour"
            for move in self.moves
            if move.far
        ]
        return flags


def profile(
    listed: Iterable[Listed], refused: int = 0, unknown_names: Iterable[str] = (), held: Sequence[str] = ()
) -> Profile:
    """A look in numbers; `refused` are its rows in quarantine, `unknown_names` those of them that nobody has mapped.

    `held` are the SKUs of offers that stand though this look gave no price of theirs to believe.
    """
    offers = list(listed)
    prices: dict[Kind, list[Decimal]] = {}
    for offer in offers:
        prices.setdefault((offer.gpu_family, offer.pricing), []).append(offer.usd_per_gpu_hour)
    return Profile(
        rows=len(offers) + len(held),
        refused=refused,
        skus=frozenset((*(offer.sku for offer in offers), *held)),
        medians={kind: median(found) for kind, found in sorted(prices.items())},
        unknown_names=frozenset(unknown_names),
    )


def drift(before: Profile, now: Profile) -> Drift:
    """What moved between two looks."""
    moves = [
        MedianMove(*kind, before.medians[kind], value) for kind, value in now.medians.items() if kind in before.medians
    ]
    return Drift(before, now, sorted(moves, key=lambda move: max(move.times, 1 / move.times), reverse=True))
