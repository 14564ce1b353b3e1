"""What a GPU name says: its words, memory sizes, counts, form factor, generation and edition.

Reads one text and knows no cards beyond the vocabulary it is given; which card is meant is models.gpus.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from models.naming.goods import names_another_good
from models.naming.hosts import without_cpus
from models.naming.numbers import cut_counts, cut_machines
from models.naming.shares import cut_share

# Words that are written without a gap to the model ("geforcertx3060tilhr", "h100sxm5", "rtxpro6000bse").
BRANDS = frozenset(
    {
        *("nvidia", "geforce", "tesla", "quadro", "rtx", "gtx", "rx", "titan", "radeon"),
        *("instinct", "pro", "amd", "intel", "google", "aws", "tpu", "gpu"),
    }
)
VENDORS = frozenset(
    {
        *("nvidia", "geforce", "tesla", "amd", "instinct", "intel", "google"),
        *("aws", "habana", "radeon", "tenstorrent", "gpu", "gpus", "graphics"),
    }
)
SUFFIXES = frozenset({"ti", "super", "lhr", "ada", "sff", "s", "d", "xt", "xtx", "laptop", "mobile", "cc", "ac"})
FORMS = {
    "sxm": "SXM",
    "sxm2": "SXM",
    "sxm3": "SXM",
    "sxm4": "SXM",
    "sxm5": "SXM",
    "sxm6": "SXM",
    "hgx": "SXM",
    "dgx": "SXM",
    "pcie": "PCIe",
    "pci": "PCIe",
    "nvl": "NVL",
    "oam": "OAM",
    "superchip": "Superchip",
    "nvl72": "rack",
    "nvl36": "rack",
    "nvl4": "Superchip",
}
GENERATIONS = frozenset({"pascal", "volta", "turing", "ampere", "lovelace", "hopper", "blackwell"})
MEMORY_TYPES = frozenset({"hbm2", "hbm2e", "hbm3", "hbm3e", "hbm4", "gddr5", "gddr5x", "gddr6", "gddr6x", "gddr7"})
EDITIONS = {
    "server": "server",
    "se": "server",
    "bse": "server",
    "workstation": "workstation",
    "ws": "workstation",
    "wk": "workstation",
    "we": "workstation",
    "maxq": "max_q",
    "mq": "max_q",
}
SLICES = {"mig": "MIG", "vgpu": "vGPU"}

_SIGNS = str.maketrans({"×": "x", "✕": "x", "*": "x", "⁄": "/"})  # noqa: RUF001
LONGEST_WORD = 48  # a longer one is no name, and is not searched for names

_APART = re.compile(r"(?<![a-z0-9])(max|tpu)[\s_-](q|7x)(?![a-z0-9])")  # Max-Q, TPU 7x
_PCI_E = re.compile(r"(?<![a-z])pci(?:[\s_-]e|[\s_-]?express)(?![a-z])")
# A word by itself: L40-S, MI-300-X. In the id of a plan (gpu-3070-s) the letter is a size.
_HYPHENED = re.compile(r"(?<![^\s(])(?:[a-z]+-\d+(?:-?[a-z])?|[a-z]+\d+-[a-z])(?![^\s),])")
_CODE_OF_VERDA = re.compile(r"\d{1,2}[a-z0-9]+(\.\d+s)?\.\d+v")  # 1H100.80S.30V: 80 GB SXM, 30 vCPUs
_CODE_OF_LAMBDA = re.compile(r"gpu[\s_-]\d+x[\s_-]")  # gpu_1x_rtxa2000_24: a number at the end is vCPUs
_HOST_SHAPE = re.compile(r"\d+x\d+x(?=\d+[a-z])")  # gx2-80x1280x8a100: vCPUs x GB x cards
_NO_CARD = re.compile(
    r"(?<![a-z0-9])(?:no|non|without)[\s-]+(?=nvidia|geforce|tesla|amd|rtx|gpus?(?![a-z])|[a-z]{1,2}\d)"
)
_VCPUS = re.compile(r"(?<![a-z0-9.])\d+(?:[\s_-]?(?:vcpus?|cpus?|cores?|threads)|[cv])(?![a-z0-9])")
_RATES = re.compile(
    r"(?<![a-z0-9.])(?:\d+(?:\.\d+)?\s?(?:tb|tib|gbps|gbit|mhz|ghz|w|watts?)"
    r"|(?:ndr|hdr|xdr|edr|infiniband|ib|roce)[\s_-]?\d{2,4})(?![a-z0-9])"
)
_LANES = re.compile(r"(?<=pcie)(?:[\s_-]*gen)?[\s_-]*[3-6](?:\.0)?[\s_-]*x(?:4|8|16)(?![a-z0-9])")  # PCIe 5.0 x16
_EACH = re.compile(r"(?<![a-z0-9.])(\d{1,2}x)(?=\d+(?:\.\d+)?[\s_-]?(?:gi?b?|mi?b)(?![a-z0-9]))")  # 8x80GB
_WITH = re.compile(r"(?<![a-z0-9])w/")
# 40/80GB and 40-80 GB; "-1-48gb" in a plan's name is a count and a memory
_EITHER_MEMORY = re.compile(
    r"(?<![a-z0-9./-])\d{1,3}(?:\s?(?:/|&|or|and|to)\s?\d{1,3}|(?<=\d\d)\s?[-\u2013]\s?\d{2,3})\s?gi?b"
    r"(?![a-z0-9]|\W{0,2}(?:(?:host|system)|(?:ram|ssd|nvme|disk|storage|dram)(?![a-z])))"
)
_MEMORY = re.compile(
    r"(?<![a-z0-9.])(\d+(?:\.\d+)?)(?:[\s_-]?(gib|gb|mib|mb)|(gi|mi|g|vram))(?:x(\d{1,2}))?(?![a-z0-9])"
    r"(?:\W{0,2}((?:gpu|host|system)?\W?(?:ram|memory|ssd|nvme|disk|storage|vram|dram))(?![a-z0-9]))?"
)
_HOST_MEMORY = re.compile(r"(host|system)|^(ram|ssd|nvme|disk|storage|dram)$")
_COUNT_LAST = re.compile(r"(.+?)x([1-9]\d?)")
_COUNT_FIRST = re.compile(r"([1-9]\d?)(?:x(?=\d{4})|x?(?=[a-z]))(.*)")


@dataclass(slots=True)
class Name:
    """One text, taken apart. Memory in GB (MiB / 1024), as printed: of a card, of all cards, or of the host."""

    words: list[str] = field(default_factory=list)  # what is left to match against models
    taken: list[str] = field(default_factory=list)  # by the caller: the words that a model took,
    numbers: list[int] = field(default_factory=list)  # and the numbers that none did
    counts: set[int] = field(default_factory=set)
    machines: int = 0  # whole machines that are named, each of so many cards
    memories: list[Decimal] = field(default_factory=list)
    either: bool = False  # two memories are stated, of which the card has one: 40/80GB
    vram: bool = False  # the memories are said to be GPU memory
    host: bool = False  # vCPUs are named, so a memory that fits no card is the host's
    forms: set[str] = field(default_factory=set)  # by the caller, of the words that no model took
    generations: set[str] = field(default_factory=set)
    memory_types: set[str] = field(default_factory=set)
    editions: set[str] = field(default_factory=set)
    slice_form: str | None = None  # MIG or vGPU: a part of a card
    fraction: Decimal | None = None  # where the text itself says 1/n
    ends_in_vcpus: bool = False
    another_good: bool = False  # storage, traffic, a licence: what is sold beside a card


def plain(text: str) -> str:
    """Case, width and trade marks removed; separators kept: they tell whole words apart."""
    marks_off = re.sub(r"[™®©]|\((?:r|tm)\)", " ", text, flags=re.IGNORECASE)
    return unicodedata.normalize("NFKC", marks_off).translate(_SIGNS).casefold().strip()


def whole(text: str) -> str:
    """The words of a text and nothing else, for names that are known as a whole: `gpu 1x a100`."""
    return " ".join(re.findall(r"[a-z0-9]+", plain(text)))


def read(text: str, models: Mapping[str, str]) -> Name:
    """Takes `text` apart; `models` are the words that name cards (`h100`, `6000`, `h100s`), each with its singular."""
    name = Name()
    rest = _PCI_E.sub("pcie", _HYPHENED.sub(lambda found: _as_model(found[0], models), plain(text)))
    rest = _NO_CARD.sub("not ", _HOST_SHAPE.sub(" ", _APART.sub(r"\1\2", rest)))
    name.another_good = names_another_good(_VCPUS.sub(" ", rest))
    name.ends_in_vcpus = bool(_CODE_OF_LAMBDA.match(rest))
    rest = without_cpus(_LANES.sub(" ", _WITH.sub(" ", _EACH.sub(r"\1 ", rest))))
    if _CODE_OF_VERDA.fullmatch(rest):
        rest = re.sub(r"\.(\d+)s(?=\.)", r" \1gb sxm", rest)
        rest = re.sub(r"\.\d+v$", " ", rest)
    rest, share = cut_share(rest)
    if share is not None:
        name.slice_form, name.fraction = share.form, share.fraction
    rest, name.machines = cut_machines(_memories(rest, name))
    rest, said = cut_counts(rest)
    name.counts |= said
    for word in _joined(re.findall(r"[a-z0-9]+", rest), models):
        _word(word, name, models)
    _counts_before_x(name)
    return name


def _as_model(hyphened: str, models: Collection[str]) -> str:
    joined = hyphened.replace("-", "")
    return joined if joined in models else hyphened


def _joined(words: list[str], models: Collection[str]) -> list[str]:
    """`H-100` and `MI 300X` are one word; `T 4` is not, since a lone letter and digit may be anything."""
    joined: list[str] = []
    for word in words:
        before = joined[-1] if joined else ""
        if re.fullmatch(r"[a-z]{1,3}", before) and re.match(r"\d{3}", word) and before + word in models:
            joined[-1] += word
        else:
            joined.append(word)
    return joined


def _memories(rest: str, name: Name) -> str:
    """Cuts memory sizes and vCPU counts out; what is said to be host memory or storage is not GPU memory."""
    name.host = bool(_VCPUS.search(rest))
    rest = _RATES.sub(" ", _VCPUS.sub(" ", rest))
    name.either = bool(_EITHER_MEMORY.search(rest))
    vram: list[Decimal] = []
    for found in _MEMORY.finditer(rest):
        size, unit, count, what = Decimal(found[1]), found[2] or found[3], found[4], found[5] or ""
        if count:
            name.counts.add(int(count))
        if _HOST_MEMORY.search(what):
            name.host = True
        elif unit == "vram" or "vram" in what or what.startswith("gpu"):
            vram.append(size / 1024 if unit in ("mib", "mb", "mi") else size)
        else:
            name.memories.append(size / 1024 if unit in ("mib", "mb", "mi") else size)
    if vram:
        name.memories, name.vram = vram, True
    return _MEMORY.sub(" ", rest)


def _word(word: str, name: Name, models: Mapping[str, str]) -> None:
    if re.fullmatch(r"\d{1,4}x|x\d{1,2}|x(?:128|256|512|1024)", word):
        name.counts.add(int(word.strip("x")))
        return
    parts = _chain(word, models)
    if parts is None and (last := _COUNT_LAST.fullmatch(word)):
        # the X of MI300X can run into x8: mi300x8 is eight of them, as there is no MI300
        parts = _chain(last[1], models) or _chain(last[1] + "x", models)
        if parts:
            name.counts.add(int(last[2]))
    if parts is None and (first := _COUNT_FIRST.fullmatch(word)):
        parts = _chain(first[2], models)
        if parts and not SUFFIXES.issuperset(parts):  # 40S is no count
            name.counts.add(int(first[1]))
    for part in parts or [word]:
        if part in GENERATIONS:
            name.generations.add("ada" if part == "lovelace" else part)
        elif part in MEMORY_TYPES:
            name.memory_types.add(part)
        elif part in SLICES:
            name.slice_form = name.slice_form or SLICES[part]
        elif part in EDITIONS:
            name.editions.add(EDITIONS[part])
        else:
            name.words.append(models.get(part, part))


def _chain(word: str, models: Collection[str]) -> list[str] | None:
    """`word` as known words; a chain of neither a model nor brands is a word of its own ("ccs" is not CC and S)."""
    parts = _parts(word, models) if len(word) <= LONGEST_WORD else None
    if parts is None or len(parts) == 1:
        return parts
    return parts if BRANDS.issuperset(parts) or any(part in models for part in parts) else None


def _parts(word: str, models: Collection[str]) -> list[str] | None:
    """`word` as a chain of known words, longest first; None where any letter is left over.

    Never cuts between two digits, so h1000 and rtx40900 are unknown words and not an H100 or an RTX 4090.
    """
    if word in models or word in _GLUED:
        return [word]
    for end in range(len(word) - 1, 0, -1):
        head, tail = word[:end], word[end:]
        if (head in models or head in _GLUED) and not (head[-1].isdigit() and tail[0].isdigit()):
            rest = _parts(tail, models)
            if rest:
                return [head, *rest]
    return None


_GLUED = frozenset({*BRANDS, *SUFFIXES, *FORMS, *GENERATIONS, *EDITIONS, *SLICES, "generation", "edition", "nvlink"})


def _counts_before_x(name: Name) -> None:
    """`8 x H100` and `H100 x 8`: a lone x makes its neighbour a count."""
    words = name.words
    while "x" in words:
        at = words.index("x")
        near = [i for i in (at - 1, at + 1) if 0 <= i < len(words) and re.fullmatch(r"\d{1,2}", words[i])]
        if not near:
            return
        name.counts.add(int(words[near[-1]]))  # of "A100 40 x 8" the 8
        del words[max(at, near[-1])], words[min(at, near[-1])]
