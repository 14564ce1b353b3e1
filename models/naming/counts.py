"""How many cards a row can be the price of: what its own text says, and what is rented at all.

Reading a count out of a text is models.naming.names; dividing by it models.normalise.
"""

from __future__ import annotations

from decimal import Decimal
from functools import lru_cache
from math import prod

from models.gpu_table import Gpu, families
from models.naming.names import read
from models.naming.spellings import vocabulary
from models.offers import Fabric

FEWEST_GPUS = Decimal("0.01")  # the smallest slice sold is 1/40 of a card
MOST_GPUS = Decimal(100_000)  # the largest clusters that exist
MOST_IN_A_MACHINE = 16  # HGX-2, DGX-2, a2-megagpu-16g, sixteen Trainium chips
# Beyond a machine whole nodes are joined: of eight, or racks of 36 and 72 superchips. 41 is a 4 and a footnote.
NODE, RACK = 8, 36
_JOINED_KINDS = ("tpu", "npu")  # their chips are joined by what they are made of


@lru_cache(maxsize=65536)
def counts_said(text: str) -> frozenset[int]:
    """The counts in a text (`8x H100`, `H100 x8`, `(8 GPUs)`); none where it says none."""
    return frozenset(read(text, vocabulary(families())).counts) if len(text) <= 300 else frozenset()


def agrees(text: str, count: Decimal) -> bool:
    """Whether `count` is what the text says, where it says one: of "2 x 8xH100" the 16, of "1x" also a part."""
    said = counts_said(text)
    return not said or prod(said) == count or (count < 1 and said == {1})


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
