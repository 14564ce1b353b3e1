"""Clouds as brokers name them: which provider of ours runs the machine. Prices do not belong here."""

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
