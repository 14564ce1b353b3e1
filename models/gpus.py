"""Which accelerator a provider's text names, at the finest level it states; unknown rather than nearest.

How a text is taken apart is models.naming.names, how cards are spelled models.naming.spellings, what they are
models.gpu_table (its `Gpu` and `gpus` are offered here too). Prices do not belong here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from typing import TypeVar

from models.gpu_table import Gpu, cards, families, gpus, groups
from models.naming.contradictions import contradicted
from models.naming.names import FORMS, Name, read, whole
from models.naming.spellings import Spellings, spellings, vocabulary

__all__ = ["Gpu", "Resolved", "gpus", "resolve"]

T = TypeVar("T")

# A reading may be less than nominal by what the driver and ECC keep (22 of 24), and more by the 7.37% of a
# binary gigabyte printed as a decimal one. Between 40 and 80, or 24 and 48, nothing is both.
USABLE_LEAST, PRINTED_MOST = Decimal("0.915"), Decimal("1.074")
LONGEST_NAME = 300  # characters; longer texts are descriptions, not names
NO_COUNT_OF_CARDS = range(17, 1000)  # a number beside the name: the memory, or something else is meant
CARDS_IN_A_TOTAL = (2, 4, 6, 8, 10, 16, 32, 36, 64, 72)


@dataclass(frozen=True, slots=True)
class Resolved:
    """What a text names. Of a slice (MIG, vGPU), `gpu` is the card it is cut from, with the memory, form factor
    and lowest price of the slice, and it does not train: it can never pass for the whole card."""

    gpu: Gpu
    slice: bool = False
    fraction: Decimal | None = None  # the slice's share of the card's memory, where its size tells

    @property
    def gpu_memory_gb(self) -> Decimal | None:
        """Nominal memory of the card; of a slice, as stated."""
        return self.gpu.memory_gb

    @property
    def form_factor(self) -> str | None:
        """SXM, PCIe, NVL, OAM, Superchip, or MIG and vGPU of a slice; None where it is not told."""
        return self.gpu.form_factor


@lru_cache(maxsize=65536)
def resolve(text: str, provider: str | None = None, memory_gb: Decimal | None = None) -> Resolved | None:
    """The card that `text` names at `provider`, at the finest level it states; None when unknown or ambiguous.

    `memory_gb` is what is stated beside the name for one GPU, usable or nominal (81559 MiB are 79.6); zero says
    nothing. `provider` may carry more words ("runpod (gpuTypes.id)"): the first one counts. A text is unknown
    that contradicts itself, names two cards, or holds a word that makes another card of it.
    """
    if len(text) > LONGEST_NAME:
        return None
    if memory_gb is not None and not (memory_gb.is_finite() and memory_gb > 0):
        memory_gb = None
    known = spellings(_seller(provider), families())
    said = whole(text)
    if said in known.wholes:
        return _as_listed(known.wholes[said], memory_gb)
    name = read(text, vocabulary(families()))
    meant = _models(name, known)
    if not meant or name.either or name.another_good or contradicted(name, meant):
        return None
    fitting = _said(meant, name)
    fitting, slice_gb = _sized(fitting, name, memory_gb, known)
    fitting = [card for card in fitting if not card.named_apart] or fitting
    card = _finest(_as_usual(fitting, name, known.defaults))
    if card is None:
        return None
    if name.slice_form or slice_gb is not None:
        return _slice(card, name, slice_gb)
    return Resolved(card)


def _seller(provider: str | None) -> str:
    """`packet-ai`, `packet_ai` and `packetai (page)` are one provider."""
    first = re.split(r"[\s(]", (provider or "").strip(), maxsplit=1)[0]
    return re.sub(r"[^a-z0-9]", "", first.casefold())


def _as_listed(slug: str, memory_gb: Decimal | None) -> Resolved | None:
    if not slug:
        return None
    card = gpus()[slug]
    fits = memory_gb is None or card.memory_gb is None or _fits(card, memory_gb)
    return Resolved(card) if fits else None


# --- which models a text names ---------------------------------------------------------------------------


def _models(name: Name, known: Spellings) -> list[Gpu]:
    """The cards whose spelling stands in the text, the longest one first; none where two models do.

    Fills in `name` what is left over: its words, numbers and form factors.
    """
    found: list[tuple[str, ...]] = []
    left: list[str] = []
    at = 0
    while at < len(name.words):
        for length in range(min(known.longest, len(name.words) - at), 0, -1):
            spelled = tuple(name.words[at : at + length])
            if spelled in known.words:
                found.append(known.words[spelled])
                name.taken += spelled
                at += length
                break
        else:
            left.append(name.words[at])
            at += 1
    name.numbers = [int(word) for word in left if re.fullmatch(r"\d{1,7}", word)]
    name.forms = {FORMS[word] for word in left if word in FORMS}
    name.words = [word for word in left if not word.isdigit() and word not in FORMS]
    if len(set(found)) != 1:
        return []
    rows = [gpus()[slug] for slug in found[0]]
    return [card for row in rows for card in cards(row.gpu_family) if _may_be(card, row)]


def _may_be(card: Gpu, row: Gpu) -> bool:
    """Whether `row` is `card`, or leaves it open. The row named as its family leaves all of them open."""
    if row.gpu == row.gpu_family:
        return card.gpu_family == row.gpu_family
    return (
        card.gpu_family == row.gpu_family
        and row.form_factor in (None, card.form_factor)
        and row.memory_gb in (None, card.memory_gb)
        and row.edition in (None, card.edition)
    )


# --- which of their cards ------------------------------------------------------------------------------------


def _said(meant: list[Gpu], name: Name) -> list[Gpu]:
    """The cards that fit the generation, form factor, edition and memory type that the text states."""
    generations = name.generations | ({"ada"} & set(name.words))
    if generations:
        meant = [card for card in meant if card.architecture.split()[0].casefold() in generations]
    if "quadro" in name.words and len({card.gpu_family for card in meant}) > 1:
        meant = [card for card in meant if card.gpu_family.startswith("quadro")]
    meant = [card for card in meant if _form_fits(card, name.forms)]
    if any(card.edition for card in meant) and name.editions:
        editions = name.editions & {"max_q"} or name.editions  # Max-Q Workstation Edition
        meant = [card for card in meant if card.edition in editions or card.edition is None]
    elif "max_q" in name.editions:
        return []  # a laptop part
    typed = [card for card in meant if card.memory_type.casefold() in name.memory_types]
    # HBM3 on an H100 tells the form; it may not decide a size, since sites write HBM2 for HBM2e
    sizes = {card.memory_gb for card in meant if not card.named_apart}
    return typed if sizes and sizes <= {card.memory_gb for card in typed} else meant


def _form_fits(card: Gpu, stated: set[str]) -> bool:
    if not stated:
        return True
    if card.form_factor == "Superchip":  # NVL is its rack, SXM its socket
        return not stated & {"PCIe", "OAM"}
    if card.form_factor == "NVL":  # a PCIe card with a bridge
        return stated <= {"NVL", "PCIe"}
    if stated == {"SXM", "PCIe"}:  # one row for both
        return card.form_factor in stated
    return stated == {card.form_factor}


def _fits(card: Gpu, memory_gb: Decimal, forms: Collection[str] = ()) -> bool:
    """Whether a stated size can be the nominal memory of `card`; one named apart by its form is not stretched:
    the H100 PCIe of 96 GB is no H100 NVL of 94."""
    if card.memory_gb is None:
        return False
    least = min(card.memory_gb * USABLE_LEAST, card.usable_memory_gb or card.memory_gb)
    apart = card.form_factor == "NVL" and card.named_apart and "NVL" not in forms
    return least <= memory_gb <= card.memory_gb * (1 if apart else PRINTED_MOST)


def _sized(
    meant: list[Gpu], name: Name, memory_gb: Decimal | None, known: Spellings
) -> tuple[list[Gpu], Decimal | None]:
    """The cards of the stated size, and the size of the slice where less than a card is stated."""
    beside = [] if memory_gb is None else [memory_gb]
    if name.slice_form:
        sizes = {*name.memories, *beside}
        return (meant, max(sizes, default=None)) if len(sizes) < 2 else ([], None)
    for family in {card.gpu_family for card in meant} & known.sliced.keys():
        sold = gpus()[known.sliced[family]]
        sizes = set(beside or (name.memories if name.vram else ()))
        if sizes and sold.memory_gb:
            meant = [card for card in meant if _may_be(card, sold)]
            if max(sizes) < sold.memory_gb * USABLE_LEAST:
                return meant, max(sizes)
    for size in name.memories:
        fitting = [card for card in meant if _fits(card, size, name.forms)] or _of_total(meant, size, name)
        if not fitting and (printed := _as_printed(meant, size, known)):
            fitting = printed
        if fitting:
            meant = fitting
        elif not name.host:
            return [], None
    if not name.memories and not name.ends_in_vcpus and len(name.numbers) == 1:
        fitting = [card for card in meant if _fits(card, Decimal(name.numbers[0]))]  # A100-PCIE-80
        if not (fitting or beside or meant[0].kind == "tpu") and name.numbers[0] in NO_COUNT_OF_CARDS:
            return [], None  # A100-64: neither its memory nor a usual count
        meant = fitting or meant
    for size in beside:
        meant = [card for card in meant if _fits(card, size, name.forms)] or _as_printed(meant, size, known)
    return meant, None


def _of_total(meant: list[Gpu], size: Decimal, name: Name) -> list[Gpu]:
    """The cards of which some number makes `size`: the count stated, or where VRAM is said any usual one."""
    counts = name.counts or {n for n in name.numbers if 1 < n <= 72}
    if not counts and name.vram:
        counts = set(CARDS_IN_A_TOTAL)
    return [card for card in meant if any(_fits(card, size / n, name.forms) for n in counts if n > 1)]


def _as_printed(meant: list[Gpu], size: Decimal, known: Spellings) -> list[Gpu]:
    """The card for which a wrong or foreign size is printed: 480 GB on a GH200 are its CPU's."""
    slugs = {known.printed.get(f"{card.gpu_family} {size.normalize():f}") for card in meant}
    return [card for card in meant if card.gpu in slugs]


def _as_usual(fitting: list[Gpu], name: Name, defaults: Mapping[str, str]) -> list[Gpu]:
    """What the provider means where it does not say: its only A100, the form its H100 always has."""
    if len(fitting) < 2 or fitting[0].gpu_family not in defaults:
        return fitting
    usual = gpus()[defaults[fitting[0].gpu_family]]
    if usual.form_factor and not name.forms:
        fitting = [card for card in fitting if card.form_factor == usual.form_factor] or fitting
    if usual.memory_gb:
        fitting = [card for card in fitting if card.memory_gb == usual.memory_gb] or fitting
    return fitting


def _finest(fitting: list[Gpu]) -> Gpu | None:
    """The row that says what all of `fitting` share; None where they are of several families."""
    if len(fitting) == 1:
        return fitting[0]
    if len({card.gpu_family for card in fitting}) != 1:
        return None
    form_factor = _shared(fitting, lambda card: card.form_factor)
    memory_gb = _shared(fitting, lambda card: card.memory_gb)
    edition = _shared(fitting, lambda card: card.edition)
    return groups().get((fitting[0].gpu_family, form_factor, memory_gb, edition))


def _shared(fitting: list[Gpu], of: Callable[[Gpu], T]) -> T | None:
    values = {of(card) for card in fitting}
    return values.pop() if len(values) == 1 else None


def _slice(card: Gpu, name: Name, memory_gb: Decimal | None) -> Resolved | None:
    """A part of `card`, never the card: its size must be below the card's."""
    share = name.fraction
    if memory_gb is not None and card.memory_gb:
        share = memory_gb / card.memory_gb
        if share >= 1:
            return None
    part = replace(
        card,
        form_factor=name.slice_form or "vGPU",
        memory_gb=memory_gb,
        trains=False,
        usd_per_gpu_hour_low=card.usd_per_gpu_hour_low * (share or Decimal("0.05")),
    )
    return Resolved(part, slice=True, fraction=share)
