"""The accelerators that are rented (gpus.csv), and which of them a provider's text names.

A row of `level` card is one product. A row of `level` group is what a site left open: `h100` is an H100 whose
form factor is not said, `a100_80` one of 80 GB; the row named as its family heads it. Figures of a group are
the least of its cards. `named_apart` marks a card that a plain family name never means (H100 NVL).

Rates are dense TFLOPS (TOPS for INT8), with FP32 accumulation on GeForce; memory is nominal GB; bandwidths are
GB/s. `trains`: at least 16 GB, a BF16 matrix rate or the FP16 tensor cores of Volta and Turing, on sale, and
not an inference part (Inferentia, T4, A2, A16).

How a text is taken apart is models.gpu_names; what a price may be is models.normalise.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from decimal import Decimal
from functools import cache, lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import TypeVar

from models.gpu_names import FORMS, VENDORS, Name, read, whole
from models.gpu_spellings import Spellings, spellings, vocabulary

T = TypeVar("T")

# A reading may be less than nominal by what the driver and ECC keep (22 of 24), and more by the 7.37% of a
# binary gigabyte printed as a decimal one. Between 40 and 80, or 24 and 48, nothing is both.
USABLE_LEAST, PRINTED_MOST = Decimal("0.915"), Decimal("1.074")
CARDS_IN_A_TOTAL = (2, 4, 6, 8, 10, 16, 32, 36, 64, 72)

# Words that make another card of the one they stand beside: unless the name takes them up, it is not known.
CHANGES_THE_CARD = frozenset(
    {"ti", "super", "sff", "laptop", "notebook", "mobile", "pro", "rtx", "gtx", "titan", "mini", "grid",
     "s", "x", "d"}
)
# Names of two characters are also machine sizes (a2-highgpu-1g): they count only where nothing else is said.
TOO_SHORT = frozenset({"a2", "p4", "l2"})
_UNKNOWN_MODEL = re.compile(r"(?:h|b|a|gb|gh|mi)\d{3}[a-z]*")


@dataclass(frozen=True, slots=True)
class Gpu:
    """One row of gpus.csv."""

    gpu: str
    gpu_family: str
    level: str  # card, or group: what a site left open
    name: str
    vendor: str
    architecture: str
    form_factor: str | None  # SXM, PCIe, NVL, OAM, Superchip; MIG and vGPU are slices, see Resolved
    edition: str | None  # server, workstation, max_q
    named_apart: bool
    kind: str  # datacenter, workstation, consumer, tpu, npu
    release_date: str
    memory_gb: Decimal | None  # nominal
    usable_memory_gb: Decimal | None  # least that is printed for it, where that is far below nominal
    memory_type: str
    mem_bw_gb_s: Decimal | None
    fp16_dense_tflops: Decimal | None
    bf16_dense_tflops: Decimal | None
    fp8_dense_tflops: Decimal | None
    fp4_dense_tflops: Decimal | None
    int8_dense_tops: Decimal | None
    sparse_16bit_tflops: Decimal | None  # as advertised: to recognise it, never to compute with it
    tdp_w: Decimal | None
    scaleup_bw_gb_s: Decimal | None  # NVLink, Infinity Fabric or PCIe, per GPU
    gpus_per_node_typical: int | None
    bf16_matmul_achieved_tflops: Decimal | None
    trains: bool
    usd_per_gpu_hour_low: Decimal  # outside these bounds a price is a unit error
    usd_per_gpu_hour_high: Decimal
    source_confidence: str  # high, medium, low
    source: str
    note: str


@dataclass(frozen=True, slots=True)
class Resolved:
    """What a text names. For a slice of a card (MIG, vGPU) `gpu` is the card it is cut from."""

    gpu: Gpu
    gpu_memory_gb: Decimal | None  # of the card, nominal; of the slice, as stated
    form_factor: str | None
    slice: bool = False
    fraction: Decimal | None = None  # the slice's share of the card, where its size tells


@cache
def gpus() -> Mapping[str, Gpu]:
    """Every row of gpus.csv by its slug, in the order of the file."""
    with Path(__file__).with_name("gpus.csv").open(encoding="utf-8", newline="") as lines:
        rows = [_gpu(row) for row in csv.DictReader(lines)]
    return MappingProxyType({row.gpu: row for row in rows})


@lru_cache(maxsize=65536)
def resolve(text: str, provider: str | None = None, memory_gb: Decimal | None = None) -> Resolved | None:
    """The card that `text` names at `provider`, at the finest level it states; None when unknown or ambiguous.

    `memory_gb` is what is stated beside the name for one GPU, usable or nominal (81559 MiB are 79.6). `provider`
    may carry more words ("runpod (gpuTypes.id)"): the first one counts. Never the nearest match: a text that
    contradicts itself, names two cards, or holds a word that makes another card of it, is unknown.
    """
    seller = _seller(provider)
    known = spellings(seller, tuple(_cards()))
    said = whole(text)
    if said in known.wholes:
        slug = known.wholes[said]
        return _stated_card(gpus()[slug], memory_gb) if slug else None
    name = read(text, vocabulary(tuple(_cards())))
    families, pinned, taken = _match(name, known)
    if not families or not _nothing_else(name, families, taken):
        return None
    cards = [card for family in families for card in _cards()[family]]
    if pinned is not None:
        cards = _agreeing(cards, pinned)
    cards = _said(cards, name)
    cards, slice_memory = _sized(cards, name, memory_gb, known.sliced)
    plain_cards = [card for card in cards if not card.named_apart]
    cards = _defaulted(plain_cards or cards, name, known.defaults, memory_gb)
    card = _finest(cards)
    if card is None:
        return None
    if name.slice_form or slice_memory is not None:
        return _slice(card, name, slice_memory)
    return Resolved(card, card.memory_gb, card.form_factor)


def _stated_card(gpu: Gpu, memory_gb: Decimal | None) -> Resolved | None:
    if memory_gb is not None and gpu.memory_gb is not None and not _fits(gpu, memory_gb):
        return None
    return Resolved(gpu, gpu.memory_gb, gpu.form_factor)


def _seller(provider: str | None) -> str:
    """`packet-ai`, `packet_ai` and `packetai (page)` are one provider."""
    first = re.split(r"[\s(]", (provider or "").strip(), maxsplit=1)[0]
    return re.sub(r"[^a-z0-9]", "", first.casefold())


# --- which models a text names ---------------------------------------------------------------------------


def _match(name: Name, known: Spellings) -> tuple[set[str], Gpu | None, list[str]]:
    """Families named, the row a provider's spelling pins, and the words taken. Longest spelling first."""
    words, families, pinned, taken = name.words, set[str](), None, list[str]()
    left: list[str] = []
    at = 0
    while at < len(words):
        for length in range(min(known.longest, len(words) - at), 0, -1):
            spelled = tuple(words[at : at + length])
            if spelled not in known.words:
                continue
            slugs = known.words[spelled]
            found = {gpus()[slug].gpu_family for slug in slugs if slug}
            if not found or (families and found != families):
                return set(), None, []  # known to be something else, or two models
            families = found
            if len(slugs) == 1 and gpus()[slugs[0]].gpu != gpus()[slugs[0]].gpu_family:
                pinned = gpus()[slugs[0]]
            taken += spelled
            at += length
            break
        else:
            left.append(words[at])
            at += 1
    name.numbers = [int(word) for word in left if word.isdigit() and len(word) < 8]
    name.forms = {FORMS[word] for word in left if word in FORMS}
    name.words = [word for word in left if not word.isdigit() and word not in FORMS]
    return families, pinned, taken


def _nothing_else(name: Name, families: Iterable[str], taken: list[str]) -> bool:
    """No word is left that makes another card of it, or names one that is not in the table."""
    left = set(name.words)
    if {"s"} & left and any(_cards()[family][0].edition for family in families):
        name.editions.add("server")  # RTX PRO 6000 S
        left.discard("s")
    if left & CHANGES_THE_CARD or any(_UNKNOWN_MODEL.fullmatch(word) for word in left):
        return False
    if TOO_SHORT & set(taken):
        return not left - VENDORS and not name.numbers
    return True


def _agreeing(cards: list[Gpu], row: Gpu) -> list[Gpu]:
    """The cards that a row of the table can mean: itself, or those it leaves open."""
    return [
        card
        for card in cards
        if card.gpu_family == row.gpu_family
        and (row.form_factor is None or card.form_factor == row.form_factor)
        and (row.memory_gb is None or card.memory_gb == row.memory_gb)
        and (row.edition is None or card.edition == row.edition)
    ]


# --- which of their cards ------------------------------------------------------------------------------------


def _said(cards: list[Gpu], name: Name) -> list[Gpu]:
    """The cards that fit the form factor, generation, memory type and edition that the text states."""
    generations = name.generations | ({"ada"} & set(name.words))
    if generations:
        cards = [card for card in cards if card.architecture.split()[0].casefold() in generations]
    if "quadro" in name.words and len({card.gpu_family for card in cards}) > 1:
        cards = [card for card in cards if card.gpu_family.startswith("quadro")]
    cards = [card for card in cards if _form_fits(card, name.forms)]
    if len({card.edition for card in cards}) > 1 and name.editions:
        cards = [card for card in cards if card.edition in name.editions]
    elif "max_q" in name.editions and not any(card.edition for card in cards):
        return []  # a laptop part, but for the RTX PRO 6000
    typed = [card for card in cards if card.memory_type.casefold() in name.memory_types]
    # HBM3 on an H100 tells the form; it may not decide a size, since sites write HBM2 for HBM2e
    sizes = {card.memory_gb for card in cards if not card.named_apart}
    return typed if sizes and sizes <= {card.memory_gb for card in typed} else cards


def _form_fits(card: Gpu, stated: set[str]) -> bool:
    if not stated:
        return True
    if card.form_factor == "Superchip":  # NVL is its rack, SXM its socket
        return "PCIe" not in stated and "OAM" not in stated
    if card.form_factor == "NVL":  # a PCIe card with a bridge
        return stated <= {"NVL", "PCIe"}
    return stated == {card.form_factor}


def _fits(card: Gpu, memory_gb: Decimal) -> bool:
    """Whether a stated size can be the nominal memory of `card`."""
    if card.memory_gb is None:
        return False
    least = min(card.memory_gb * USABLE_LEAST, card.usable_memory_gb or card.memory_gb)
    return least <= memory_gb <= card.memory_gb * PRINTED_MOST


def _sized(
    cards: list[Gpu], name: Name, memory_gb: Decimal | None, sliced: Mapping[str, str]
) -> tuple[list[Gpu], Decimal | None]:
    """The cards of the stated size, and the size of the slice where less than a card is stated."""
    stated = [] if memory_gb is None else [memory_gb]
    if name.slice_form:
        sizes = set(name.memories + stated)
        return (cards, max(sizes, default=None)) if len(sizes) <= 1 else ([], None)
    for family in {card.gpu_family for card in cards} & sliced.keys():
        whole_card = gpus()[sliced[family]]
        sizes = set(stated or (name.memories if name.vram else ()))
        if sizes and whole_card.memory_gb:
            cards = _agreeing(cards, whole_card)
            if max(sizes) < whole_card.memory_gb * USABLE_LEAST:
                return cards, max(sizes)
    for size in name.memories:
        fitting = [card for card in cards if _fits(card, size)] or _of_total(cards, size, name)
        if fitting:
            cards = fitting
        elif not name.host:
            return [], None
    if not name.memories and not name.ends_in_vcpus and len(name.numbers) == 1:
        cards = [card for card in cards if card.memory_gb == name.numbers[0]] or cards  # A100-PCIE-80
    for size in stated:
        cards = [card for card in cards if _fits(card, size)]
    return cards, None


def _of_total(cards: list[Gpu], size: Decimal, name: Name) -> list[Gpu]:
    """The cards of which some number makes `size`: the count stated, or where VRAM is said any usual one."""
    counts = name.counts or {n for n in name.numbers if 1 < n <= 72}
    if not counts and name.vram:
        counts = set(CARDS_IN_A_TOTAL)
    return [card for card in cards if any(_fits(card, size / n) for n in counts if n > 1)]


def _defaulted(
    cards: list[Gpu], name: Name, defaults: Mapping[str, str], memory_gb: Decimal | None
) -> list[Gpu]:
    """What the provider means where it does not say: its only A100, the form its H100 always has."""
    if len(cards) < 2 or (family := cards[0].gpu_family) not in defaults:
        return cards
    usual = gpus()[defaults[family]]
    if usual.form_factor and not name.forms:
        cards = [card for card in cards if card.form_factor == usual.form_factor] or cards
    if usual.memory_gb:
        cards = [card for card in cards if card.memory_gb == usual.memory_gb] or cards
    return cards


def _finest(cards: list[Gpu]) -> Gpu | None:
    """The row that says what all of `cards` share; None where they are of several families."""
    if len(cards) == 1:
        return cards[0]
    if len({card.gpu_family for card in cards}) != 1:
        return None
    shared = (
        cards[0].gpu_family,
        _shared(cards, lambda card: card.form_factor),
        _shared(cards, lambda card: card.memory_gb),
        _shared(cards, lambda card: card.edition),
    )
    return _groups().get(shared)


def _shared(cards: list[Gpu], of: Callable[[Gpu], T]) -> T | None:
    values = {of(card) for card in cards}
    return values.pop() if len(values) == 1 else None


def _slice(card: Gpu, name: Name, memory_gb: Decimal | None) -> Resolved | None:
    """A part of `card`, never the card: its size must be below the card's."""
    fraction = name.fraction
    if memory_gb is not None and card.memory_gb:
        fraction = memory_gb / card.memory_gb
        if fraction >= 1:
            return None
    return Resolved(card, memory_gb, name.slice_form or "vGPU", slice=True, fraction=fraction)


@cache
def _cards() -> Mapping[str, tuple[Gpu, ...]]:
    """The cards of each family; a group row is not a card."""
    families: dict[str, list[Gpu]] = {}
    for row in gpus().values():
        families.setdefault(row.gpu_family, [])
        if row.level == "card":
            families[row.gpu_family].append(row)
    return {family: tuple(cards) for family, cards in families.items()}


@cache
def _groups() -> Mapping[tuple[str, str | None, Decimal | None, str | None], Gpu]:
    """Group rows by what they do say: family, form factor, memory, edition."""
    return {
        (row.gpu_family, row.form_factor, row.memory_gb, row.edition): row
        for row in gpus().values()
        if row.level == "group"
    }


def _gpu(row: Mapping[str, str]) -> Gpu:
    values: dict[str, object] = {}
    for column in fields(Gpu):
        text, kind = row[column.name], str(column.type)
        if kind.startswith("bool"):
            values[column.name] = text == "true"
        elif "None" in kind and not text:
            values[column.name] = None
        elif kind.startswith("Decimal"):
            values[column.name] = Decimal(text)
        elif kind.startswith("int"):
            values[column.name] = int(text)
        else:
            values[column.name] = text
    return Gpu(**values)  # type: ignore[arg-type]
