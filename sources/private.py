"""What a page may hold that is nobody's business: keys, accounts, hosts, people. It goes before a page is for all.

Prices never stand on it. A page of a look is kept as the site gave it; recordings are for all.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from sources.redaction import redact

_OWNER_FIELDS = (
    r"account_?id|customer_?id|user_?id|owner_?id|host_?id|tenant_?id|email|hotkey|coldkey|wallet(?:_?address)?"
    r"|ip_?address|public_?ip(?:_?addr)?|ssh_?host|hostname"
)
_OWNER = re.compile(rf'("(?:{_OWNER_FIELDS})"\s*:\s*)(?:"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?)', re.IGNORECASE)
_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}", re.IGNORECASE)
_ADDRESS = re.compile(r"(?<![\d.])(?!0\.|127\.)(?:\d{1,3}\.){3}\d{1,3}(?![\d.])")
_KEYS = re.compile(
    r"AKIA[0-9A-Z]{16}|AIza[0-9A-Za-z_\-]{35}|\bsk-[0-9A-Za-z_\-]{20,}|\bgh[pousr]_[0-9A-Za-z]{30,}|\brpa_[0-9A-Z]{30,}"
    r"|\beyJ[0-9A-Za-z_\-]{20,}\.[0-9A-Za-z_\-.]{10,}"
)
_BEARER = re.compile(r"(bearer\s+)[0-9a-z._\-]{16,}", re.IGNORECASE)


def without_private(text: str, secrets: Mapping[str, str] | None = None) -> str:
    """The text without secrets, keys, addresses and the ids of accounts and hosts; JSON stays JSON, markup markup."""
    text = redact(text, secrets or {})
    text = _OWNER.sub(r"\1null", text)
    text = _BEARER.sub(r"\1***", _KEYS.sub("***", text))
    return _ADDRESS.sub("0.0.0.0", _EMAIL.sub("removed", text))
