"""What a text says of a part of a card: MIG and vGPU profiles, fractions in figures and in words.

Which card is cut is models.gpus; what a part costs is models.normalise.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

_MIG_PROFILE = re.compile(r"(?<![a-z0-9])[1-7]g\.(\d+)gb")
# L40S-12Q: 12 GB; the letter is the licence. A trailing C may follow vCPUs elsewhere (vcg-a100-1c-6g-4vram).
_VGPU_PROFILE = re.compile(r"(?<=[a-z0-9])[\s_-](?:\d-)?(\d{1,3})(?:[abq]|c(?=(?:me)?\W*$))(?:me)?(?![a-z0-9])")
_VGPU_PROFILE_NAMED = re.compile(r"(?<=[a-z0-9])[\s_-](?:\d-)?(\d{1,3})[abcq](?:me)?(?![a-z0-9])")
_ONE_OF = re.compile(r"(?<![\d/.])1/([2-9]|[1-9]\d)(?![\d/])")
_SOME_OF = re.compile(r"(?<![\w/.])[2-9]/([2-9]|[1-9]\d)(?![\w/])")
_DECIMAL = re.compile(r"(?<![\w.])0?(\.\d+)(?:[\s_-]?(?:x|gpus?)(?![a-z0-9])|x?(?=[\s_]*(?:nvidia|amd|[a-z]+\d)))")
_TIMES_DECIMAL = re.compile(r"(?:(?<![a-z0-9])x[\s_-]?|(?<=[a-z\d]):\s*)0?(\.\d+)(?![\w.])")  # H100 x 0.5, H100:0.5
_PERCENT = re.compile(r"(?<![\d.])([1-9]\d?)\s?%")
_PARTS = {
    "half": 2,
    "third": 3,
    "quarter": 4,
    "fifth": 5,
    "sixth": 6,
    "seventh": 7,
    "eighth": 8,
    "tenth": 10,
}
_IN_WORDS = re.compile(
    rf"(?<![a-z0-9])(?:(?:one|an?)[\s-]+)?({'|'.join(_PARTS)})"
    r"(?![a-z0-9]|[\s-]+(?:rack|pod|node|server|machine)(?![a-z]))"
)
_OF_SOME_SIZE = re.compile(
    r"(?<![a-z0-9])(?:(?:two|three)[\s-](?:thirds|quarters)|fraction(?:al|s)?|partial|sliced?|partition(?:ed)?"
    r"|shared(?![\s-]*(?:v?cpu|core|host|storage|memory|network))|time[\s-]?slic(?:ed|ing)|mps)(?![a-z0-9])"
)
# Half the price, a third party, 20% off and a partial upfront are parts of other things than a card.
_OF_NO_CARD = re.compile(
    rf"(?<![\w.])(?:(?:one|an?)[\s-]+)?(?:{'|'.join(_PARTS)}|fraction|partial|[1-9]/\d{{1,2}}|0?\.\d+x?"
    r"|\d{1,3}(?:\.\d+)?\s?%)"
    r"[\s-]+(?:of[\s-]+)?(?:(?:the|an?|its|list|on[\s-]?demand|regular|standard|market)[\s-]+)*"
    r"(?:pric(?:ed?|es|ing)|costs?|rates?|off|discount(?:ed)?|less|cheaper|savings?|fees?|tariff"
    r"|(?:pre)?pa(?:id|y(?:ment)?s?)|upfront|refunds?|commit(?:ment)?s?|uptime|sla|availability|utili[sz]ation|renewable|green"
    r"|(?:minute|hour|day|week|month|year)s?(?:ly)?|daily|quarter|terms?|periods?|party"
    r"|gen(?:eration)?|height|length|width|precision|duplex|20\d\d)(?![a-z0-9])"
    r"|(?<![a-z])(?:sav(?:e|es|ing)|discount(?:ed)?|up\sto)\W{1,3}\d{1,2}(?:\.\d+)?\s?%"
)
_TPU = re.compile(r"(?<![a-z])tpu|litepod")
_GRID = re.compile(r"(?<![a-z0-9])(?:grid|vgpu)(?![a-z0-9])")


@dataclass(frozen=True, slots=True)
class Share:
    """A part of a card: its form, and its share where the text says that as a number."""

    form: str  # MIG or vGPU
    fraction: Decimal | None = None


def cut_share(text: str) -> tuple[str, Share | None]:
    """A plain text without what it says of a part, sizes of profiles left as memory; None: it says nothing."""
    if _TPU.search(text):
        return text, None  # a slice of a TPU pod is made of whole chips
    text = _OF_NO_CARD.sub(" ", text)
    if _MIG_PROFILE.search(text):
        return _MIG_PROFILE.sub(r" \1gb ", text), Share("MIG")
    named = bool(_GRID.search(text))
    profile = _VGPU_PROFILE_NAMED if named else _VGPU_PROFILE
    if profile.search(text):
        return _GRID.sub(" ", profile.sub(r" \1gb ", text)), Share("vGPU")
    for pattern, share in (
        (_ONE_OF, lambda found: 1 / Decimal(found[1])),
        (_DECIMAL, lambda found: Decimal("0" + found[1])),
        (_TIMES_DECIMAL, lambda found: Decimal("0" + found[1])),
        (_IN_WORDS, lambda found: 1 / Decimal(_PARTS[found[1]])),
        (_SOME_OF, lambda found: None),
        (_PERCENT, lambda found: None),
        (_OF_SOME_SIZE, lambda found: None),
    ):
        if found := pattern.search(text):
            return pattern.sub(" ", text), Share("vGPU", share(found))
    return text, None
