"""Clouds and machines as brokers name them: which provider of ours runs a machine, how many GPUs its name says.

Prices do not belong here.
"""

from __future__ import annotations

import re

# Names that differ from ours in more than case and separators.
_OTHER_NAMES = {
    "akamai": "linode",
    "crusoecloud": "crusoe",
    "cudocompute": "cudo",
    "datacrunch": "verda",
    "lambdalabs": "lambda",
    "opentelekomcloud": "otc",
    "oracle": "oci",
    "oraclecloud": "oci",
    "ovhcloud": "ovh",
}
# Ours of more than one word, which is written here as one.
_OF_TWO_WORDS = {
    "digitalocean", "hotaisle", "jarvislabs", "massedcompute", "primeintellect", "tensordock", "thundercompute",
    "voltagepark",
}  # fmt: skip


def provider_named(text: str) -> str:
    """Our name of a provider that a broker writes "lambdalabs", "data-crunch" or "massed-compute".

    One that we do not know keeps its own, in lower case; empty for empty.
    """
    name = re.sub(r"[\s-]+", "_", text.strip().lower())
    joined = name.replace("_", "")
    return joined if joined in _OF_TWO_WORDS else _OTHER_NAMES.get(joined, name)


def count_named(machine: str) -> int | None:
    """The GPUs that the name of a machine ends in, before its variant: 8 of "H100_sxm5x8" and "H100x8_NVLINK"."""
    count = re.fullmatch(r"\w+?x([1-9]\d*)(?:_[A-Za-z_]+)?", machine)
    return int(count[1]) if count else None
