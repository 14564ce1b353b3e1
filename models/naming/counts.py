"""How many cards a row can be the price of: what its own text says, and what is rented at all.

Reading a count out of a text is models.naming.names; dividing by it models.normalise.
"""

from __future__ import annotations

import re
from collections import defaultdict
from decimal import Decimal
from functools import cache, lru_cache
from math import prod

from models.gpu_table import Gpu, families, gpus
from models.naming.names import Name, read
from models.naming.spellings import vocabulary
from models.offers import Fabric

FEWEST_GPUS = Decimal("0.01")  # the smallest slice sold is 1/40 of a card
MOST_GPUS = Decimal(100_000)  # the largest clusters that exist
MOST_IN_A_MACHINE = 16  # HGX-2, DGX-2, a2-megagpu-16g, sixteen Trainium chips
# Beyond a machine whole nodes are joined: of eight, or racks of 36 and 72 superchips. 41 is a 4 and a footnote.
NODE, RACK = 8, 36
TRAY = 4  # superchips are rented by the tray of a rack: fewer of a rack are racks
_JOINED_KINDS = ("tpu", "npu")  # their chips are joined by what they are made of


def counts_said(text: str) -> frozenset[int]:
    """The counts in a text (`8x H100`, `H100 x8`, `(8 GPUs)`, `2 nodes x 8 H100`); none where it says none."""
    return _said(text)[0]


def agrees(text: str, count: Decimal) -> bool:
    """Whether `count` is what the text says, where it says one: of "2 x 8xH100" the 16, of "1x" also a part. A node or
    a rack of which it does not say how many it holds has more than one."""
    said, machines = _said(text)
    if said:
        return prod(said) == count or (count < 1 and said == {1})
    return count > machines and (machines < 2 or count % machines == 0)


@lru_cache(maxsize=65536)
def _said(text: str) -> tuple[frozenset[int], int]:
    """The counts in a text, and the number of whole machines where it says no count."""
    if len(text) > 300:
        return frozenset(), 0
    name = read(text, vocabulary(families()))
    counts, machines = name.counts or _beside_the_model(text, name), name.machines
    rack = next((int(word.removeprefix("nvl")) for word in name.words if re.fullmatch(r"nvl\d+", word)), 0)
    if rack and counts and prod(counts) % TRAY:
        counts, machines = set(), prod(counts)  # 1x GB200 NVL72
    if rack and machines and not counts:
        counts = {rack}
    if (machines > 1 and counts and max(counts) <= MOST_IN_A_MACHINE) or rack in counts:
        counts = {prod(counts) * max(machines, 1)}
    return frozenset(counts), machines


def _beside_the_model(text: str, name: Name) -> set[int]:
    """The 8 of `H100 - 8` and `H100/8`, where no card of that name has 8 GB."""
    if len(name.words) < 2 or name.ends_in_vcpus or not re.fullmatch(r"[2-9]|1[0-6]", name.words[-1]):
        return set()
    models, before, number = vocabulary(families()), name.words[-2], int(name.words[-1])
    at_a_distance = re.search(r"(?:\s[-\u2013\u2014]|[/,|])\s*\d+\W*$", text)
    if before not in models and not re.fullmatch(r"sxm\d", before) and not at_a_distance:
        return set()
    return set() if any(number in _memories().get(word, ()) for word in name.words if word in models) else {number}


@cache
def _memories() -> dict[str, set[Decimal]]:
    """The sizes of the cards that a word can name: 6000 has 24, 48 and 96 GB."""
    sizes: defaultdict[str, set[Decimal]] = defaultdict(set)
    for card in gpus().values():
        for word in card.gpu_family.split("_"):
            if card.memory_gb is not None:
                sizes[word].add(card.memory_gb)
    return dict(sizes)


def can_be_rented(count: Decimal) -> bool:
    """Whether any row can be of so many cards: a part of one, or whole ones."""
    in_range = count.is_finite() and FEWEST_GPUS <= count <= MOST_GPUS
    return in_range and (count < 1 or count == count.to_integral_value())


def fits_machines(count: Decimal, gpu: Gpu, fabric: Fabric | None) -> bool:
    """Whether so many cards stand in one machine, or are whole nodes where nothing says that none are joined."""
    if count <= MOST_IN_A_MACHINE:
        return True
    joined = fabric != "single_node" or gpu.kind in _JOINED_KINDS or gpu.form_factor == "Superchip"
    return joined and (count % NODE == 0 or count % RACK == 0)
