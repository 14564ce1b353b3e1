"""Clouds as brokers name them: which provider of ours runs the machine. Prices do not belong here."""

from __future__ import annotations

import re

# Spellings that differ from our name in more than case and separators.
_OURS = {
    "crusoecloud": "crusoe",
    "datacrunch": "verda",
    "lambdalabs": "lambda",
    "massedcompute": "massedcompute",
    "voltagepark": "voltagepark",
}


def provider_named(text: str) -> str:
    """Our name of a provider that a broker writes "lambdalabs", "data-crunch" or "massed-compute".

    One that we do not know keeps its own, in lower case; empty for empty.
    """
    name = re.sub(r"[\s-]+", "_", text.strip().lower())
    return _OURS.get(name.replace("_", ""), name)
