"""Goods that are sold beside cards and named after them: storage, traffic, licences, support, a host without cards.

Their price is not that of the card, so a text that names one is unknown, but where it says that it comes with the card.
"""

from __future__ import annotations

import re

_GOOD = re.compile(
    r"(?<![a-z0-9])(?:storage|disks?|volumes?|snapshots?|backups?|(?<!low.)(?<!high.)ram|egress|ingress|bandwidth"
    r"|traffic|(?:data[\s_-]?)?transfers?|public[\s_-]ips?|electricity|licen[cs](?:es?|ing)|support|maintenance"
    r"|warrant(?:y|ies)|insurance|set-?up|install(?:ation)?|fees?|deposits?|credits?|vouchers?|colo(?:cation)?"
    r"|courses?|consulting|workshops?|purchase|resale|spare|parts?|cables?|coolers?|brackets?|backplates?|risers?"
    r"|water\s?blocks?|heat\s?sinks?|motherboards?|chassis|enclosures?"
    r"|(?<!shared.)(?<!dedicated.)vcpus?(?!\s?[:=])"
    r"|(?:v?cpus?|cores?|hosts?|vms?|machines?|nodes?|servers?|network(?:ing)?)[\s_-]+only|only[\s_-]+v?cpus?|gpu-?less"
    r"|(?:gpus?|cards?|accelerators?)[\s_-]+(?:is |are )?(?:not|sold)[\s_-]+(?:included|separately))(?![a-z0-9])"
)
# What follows one of these comes with the card: with NVMe storage, + 10 TB traffic, no egress fees, 2 TB storage.
_WITH = re.compile(
    r"(?<![a-z0-9])(?:with(?!out)|w/|incl(?:ud\w*|usive|\.)?|plus|and|no|free|zero|unlimited|unmetered|optional|local"
    r"|\d+(?:\.\d+)?\s?tb|\d{3,}\s?gi?b|\d+\s?gbps)(?![a-z0-9])|[+&]|[,/;|(]\s*(?:\d+\s?/\s?)?\d+\s?gi?b"
)
_INCLUDED = re.compile(r"[\s_:-]*(?:is |are )?(?:incl|free|optional|supported)")
_LEFT_OUT = re.compile(r"(?<![a-z])(?:excl(?:ud\w*|\.)?|sans|minus)[\s_-]+(?:the[\s_-]+)?(?:gpu|card|accelerator)")


def names_another_good(text: str) -> bool:
    """Whether a plain text is of something that is sold beside a card: `H100 storage`, but not `H100, 2 TB storage`."""
    if (good := _GOOD.search(text)) is None:
        return bool(_LEFT_OUT.search(text))
    return not _WITH.search(text, 0, good.start()) and not _INCLUDED.match(text, good.end())
