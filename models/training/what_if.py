"""One estimate told otherwise: as a mixture of experts, in low precision, distilled from a teacher.

Each answer is a whole requirement, so memory and hours move together: a mixture computes with fewer parameters
and stores all of them; low precision never halves the hours by itself; a teacher's passes are a line of their
own. Fine-tuning with adapters is models.training.finetuning.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal

from models.constants import constant
from models.llms import BILLION, Llm
from models.peak import Chip, NoPeak, Precision
from models.training.estimate import Range, rental_usd
from models.training.requirement import Requirement, requirement


@dataclass(frozen=True, slots=True)
class Variant:
    """The same model told otherwise; `hours_ratio` is against the model as it is."""

    name: str
    gpu_hours: Range
    hours_ratio: float
    min_gpus: int
    compute_usd: Range | None
    note: str  # one line for people


def what_if(
    llm: Llm,
    gpu: Chip,
    *,
    price: Decimal | None = None,
    active_params: int | None = None,
    student_params: int | None = None,
    gpus: int | None = None,
) -> list[Variant]:
    """The model as it is, in FP8 and FP4 where the chip has them, and where given as a mixture or distilled.

    All on one cluster, that of the model as it is where `gpus` does not give it: a smaller one for fewer hours would
    lose less to its size, and that is no gain of the telling. `active_params` of its parameters are active in the
    mixture. `student_params` are those of a student that sees the same tokens, with one forward pass of the model as
    teacher for each.
    """
    as_is = requirement(llm, gpu, gpus=gpus)
    gpus = as_is.gpus
    found = [_variant("as it is", as_is, as_is, price, as_is.basis)]
    for precision in ("fp8", "fp4"):
        lower = _in_precision(llm, gpu, precision, gpus)
        if lower is not None:
            found.append(_variant(f"in {precision.upper()}", lower, as_is, price, lower.basis))
    if active_params is not None:
        sparse = replace(llm, params_active=active_params, architecture="moe")
        need = requirement(sparse, gpu, gpus=gpus)
        ratio = llm.params_active / active_params
        note = f"{_billions(active_params)} active, {ratio:.1f}x fewer FLOP, all experts in memory; another quality"
        found.append(_variant("as a mixture", need, as_is, price, note))
    if student_params is not None:
        found.append(_distilled(llm, gpu, student_params, as_is, price))
    return found


def _in_precision(llm: Llm, gpu: Chip, precision: Precision, gpus: int) -> Requirement | None:
    try:
        return requirement(llm, gpu, precision=precision, gpus=gpus)
    except NoPeak:
        return None


def _distilled(llm: Llm, gpu: Chip, student_params: int, as_is: Requirement, price: Decimal | None) -> Variant:
    student = replace(llm, params_total=student_params, params_active=student_params, architecture="dense")
    student = replace(student, layers=None)  # its shape is not the teacher's
    need = requirement(student, gpu, gpus=as_is.gpus)
    forward = constant("flop_per_parameter_token_inference") / constant("flop_per_parameter_token")
    teacher = replace(llm, layers=None)
    passes = _hours(requirement(teacher, gpu, gpus=as_is.gpus), forward)
    own = _hours(need)
    hours = Range(own.low + passes.low, own.mid + passes.mid, own.high + passes.high)
    student_is = f"student of {_billions(student_params)}, {own.mid:,.0f} h"
    note = f"{student_is}, passes of the teacher {passes.mid:,.0f} h; the teacher's training is not in it"
    return _variant("distilled", need, as_is, price, note, hours)


def _variant(
    name: str, need: Requirement, as_is: Requirement, price: Decimal | None, note: str, hours: Range | None = None
) -> Variant:
    hours = hours or _hours(need)
    usd = None if price is None else Range(*(rental_usd(h, price) for h in (hours.low, hours.mid, hours.high)))
    return Variant(name, hours, hours.mid / as_is.gpu_hours_p50, need.min_gpus, usd, note)


def _billions(params: int) -> str:
    return f"{params / BILLION:.3g}B"


def _hours(need: Requirement, factor: float = 1.0) -> Range:
    return Range(need.gpu_hours_p10 * factor, need.gpu_hours_p50 * factor, need.gpu_hours_p90 * factor)
