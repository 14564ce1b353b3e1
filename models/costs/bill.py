"""Everything in the bill of a model: the final run, experiments, storage, egress, data, people, infrastructure.

    total = compute x experiments + storage + egress + data + people + infrastructure + teacher (+ energy if owned)

Experiments are one multiplier. The two in circulation (add 30-50%, or two to three times) say the same thing
and are never multiplied. Electricity is a term of owned hardware only: a rent holds it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from models.constants import constant, constants
from models.costs.bases import Basis
from models.quantities import counted
from models.training.estimate import Range

Experiments = Literal["lean", "usual", "first_time", "exploratory"]
Split = Literal["guide", "measured"]
NOTHING = Range(0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Term:
    """One line of a bill, in USD, with what it was computed from."""

    name: str
    usd: Range
    formula: str  # one line for people, with the figures in it
    source: str


@dataclass(frozen=True, slots=True)
class Bill:
    """The lines of a bill; the total is their sum."""

    basis: Basis
    terms: tuple[Term, ...]

    @property
    def total(self) -> Range:
        return _sum([term.usd for term in self.terms])

    def share(self, name: str) -> float:
        """Share of the middle total that the lines called `name` make up."""
        return sum(term.usd.mid for term in self.terms if term.name == name) / self.total.mid


@dataclass(frozen=True, slots=True)
class SplitLine:
    """One part of a bill when only its compute is known."""

    part: str
    share: Range
    usd: Range


def experiments_multiplier(preset: Experiments | float | None = None) -> float:
    """Multiplier on the final run for failed and exploratory ones: a preset, or a number of at least 1.

    None takes the usual 1.4. ValueError for a number that is no multiplier.
    """
    if preset is None:
        return constant("overhead")
    if isinstance(preset, str):
        name = f"experiments_{preset}"
        if name not in constants():
            raise ValueError(f"experiments {preset!r} is not lean, usual, first_time or exploratory")
        return constant(name)
    if not 1 <= preset <= 10:
        raise ValueError(f"experiments are a multiplier of at least 1 (1.5 adds 50%), not {preset:g}")
    return float(preset)


def people_usd(heads: float, usd_per_year: float, months: float) -> float:
    """Salaries with all that comes on top of them, heads x loaded cost x months / 12."""
    return heads * usd_per_year * months / 12


def people_term(heads: float, usd_per_year: float | None, months: float, months_from: str = "as given") -> Term:
    """`heads` people full time for `months`, as a line of a bill; None takes the usual loaded cost of a year."""
    usual = constants()["salary_usd_per_year"]
    salary = usual.value if usd_per_year is None else usd_per_year
    usd = people_usd(heads, salary, months)
    formula = f"{counted(heads, 'head')} full time x {salary:,.0f} USD a year x {counted(months, 'month')} / 12"
    source = f"heads as given, months {months_from}; salary {'as given' if usd_per_year is not None else usual.source}"
    return Term("people", Range(usd, usd, usd), formula, source)


def data_usd(fixed_usd: float, tokens: int = 0, usd_per_million_tokens: float = 0.0) -> float:
    """Licences and labelling, fixed and by the token."""
    return fixed_usd + tokens / 1e6 * usd_per_million_tokens


def bill(
    compute: Range,
    *,
    basis: Basis = "rented",
    compute_formula: str = "GPU-hours x price per GPU-hour",
    compute_source: str = "",
    experiments: Experiments | float | None = None,
    extras: Mapping[str, float] | None = None,
    lines: Sequence[Term] = (),
    energy_usd: Range | None = None,
) -> Bill:
    """The bill of a run whose final compute costs `compute` (before experiments).

    `extras` are lines given in USD: data, people, infrastructure, teacher, or any other; `lines` are computed ones.
    `compute` of the owned basis is its capital; `energy_usd` is refused on any other basis. ValueError for a
    negative line.
    """
    if energy_usd is not None and basis != "owned":
        raise ValueError(f"a {basis} price holds the electricity already: do not add it")
    multiplier = experiments_multiplier(experiments)
    terms = [Term("compute", compute, compute_formula, compute_source)]
    if multiplier > 1:
        source = constants()["overhead"].source
        terms.append(Term("experiments", compute.times(multiplier - 1), f"compute x {multiplier - 1:.2g}", source))
    if energy_usd is not None:
        how = "kWh x price, experiments included"
        terms.append(Term("energy", energy_usd.times(multiplier), how, "models.costs.energy"))
    terms.extend(lines)
    terms.extend(Term(name, Range(usd, usd, usd), "given", "given") for name, usd in (extras or {}).items())
    for term in terms:
        if term.usd.low < 0:
            raise ValueError(f"{term.name} cannot cost less than nothing: {term.usd.low:g}")
    return Bill(basis, tuple(terms))


def by_split(compute_usd: float, split: Split) -> tuple[SplitLine, ...]:
    """The whole bill behind a compute-only figure: total = compute / its share.

    `guide` is the 65/15/12/8 of cost guides, `measured` what Cottier et al. found; they disagree on people.
    """
    whole = constants()[f"split_{split}_compute"]
    total = Range(compute_usd / whole.high, compute_usd / whole.value, compute_usd / whole.low)
    lines = []
    for name, share in constants().items():
        if name.startswith(f"split_{split}_"):
            part = name.removeprefix(f"split_{split}_")
            usd = (
                Range(compute_usd, compute_usd, compute_usd)
                if part == "compute"
                else Range(total.low * share.low, total.mid * share.value, total.high * share.high)
            )
            lines.append(SplitLine(part, Range(share.low, share.value, share.high), usd))
    return (*lines, SplitLine("total", Range(1.0, 1.0, 1.0), total))


def _sum(ranges: list[Range]) -> Range:
    return Range(sum(r.low for r in ranges), sum(r.mid for r in ranges), sum(r.high for r in ranges))
