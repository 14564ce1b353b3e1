"""Whether the rest of a text contradicts the card whose name stands in it: right or unknown, never near.

A word that makes another card, another maker, a bare number among other things. Which cards a name can mean is
models.gpus; CPUs are cut out before, by models.naming.hosts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from models.gpu_table import Gpu, families
from models.naming.hosts import of_another_maker
from models.naming.names import VENDORS, Name
from models.naming.spellings import vocabulary

# Words that make another card of the one they stand beside: where no spelling takes them up, it is not known.
CHANGES_THE_CARD = frozenset(
    {
        *("ti", "super", "sff", "laptop", "notebook", "mobile", "mxm", "embedded", "lite", "mini", "next", "ceo"),
        *("pro", "rtx", "gtx", "rx", "titan", "grid", "cpx", "cnx", "ultra", "nvl2", "nvl576", "half", "quarter"),
        *("equivalent", "alternative", "comparable", "compatible", "class", "like", "than", "vs", "not", "fake"),
        *("successor", "predecessor", "replacement", "killer", "clone", "emulator", "emulated", "similar", "unlike"),
        *("gcd", "gcds", "tile", "tiles", "chiplet", "chiplets"),  # half an MI250 or Max 1550
        *("layer", "balancer", "tegra", "jetson", "orin", "agx", "xavier", "thor", "drive", "spark", "dojo"),
    }
)
# Letters of their own: "N" and "A" end names of plans (gpu_8x_v100_n, gpu-b200-sxm-a), all others name a card.
NAMES_NO_CARD = frozenset("an")
# These names are machine sizes too (a2-highgpu-1g, t4g.micro): they count where nothing else is said.
NEEDS_TO_STAND_ALONE = frozenset({"a2", "p4", "l2", "t4g"})
# GeForce numbers are numbers of anything else too (port 5060): their brand stands beside them, or nothing does.
BESIDE_A_BARE_NUMBER = frozenset({"nvidia", "geforce"})
_MODEL_NOT_OURS = re.compile(r"(?:(?:h|b|a|gb|gh|mi)\d{3,4}|l\d{2,3})[a-z]*")


def contradicted(name: Name, meant: Sequence[Gpu]) -> bool:
    """Whether a word or number that is left makes another card of those `meant`, or names one not in the table."""
    left = set(name.words)
    if "s" in left and any(card.edition for card in meant):
        name.editions.add("server")  # RTX PRO 6000 S
        left.discard("s")
    if "ultra" in left and all(card.architecture.endswith("Ultra") for card in meant):
        left.discard("ultra")
    if left & CHANGES_THE_CARD or any(_MODEL_NOT_OURS.fullmatch(word) for word in left):
        return True
    if any(len(word) == 1 and word not in NAMES_NO_CARD for word in left):
        return True  # L40 D, A100 X
    models = vocabulary(families())
    if any(word + letter in models for word in name.taken for letter in left if len(letter) == 1):
        return True
    if of_another_maker({*name.words, *name.taken}, meant[0].vendor):
        return True
    if _is_bare(name.taken) and not left & BESIDE_A_BARE_NUMBER:
        return bool(left - VENDORS - {"card", "cards"} or name.numbers or name.editions or name.host)
    if NEEDS_TO_STAND_ALONE & set(name.taken):
        return bool(left - VENDORS or name.numbers)
    return False


def _is_bare(taken: Sequence[str]) -> bool:
    """4090 or 4080 S; Ti, SUPER and XTX stand on nothing but cards."""
    return bool(taken) and taken[0].isdigit() and not set(taken[1:]) - {"s", "d"}
