"""Secrets out of whatever is kept or said, in the spellings in which sites and libraries write them back.

A key echoed as it was sent, percent-encoded (twice too), escaped as JSON or markup, in hex, or inside base64, as basic
authentication puts it. What else is private in a page is in private.py.
"""

from __future__ import annotations

import re
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Mapping
from functools import cache

_REMOVED = "***"
_NAMED = {
    "/": [r"\\{1,4}/"],
    '"': [r"\\{1,4}\"", "&quot;"],
    "&": ["&amp;"],
    "<": ["&lt;"],
    ">": ["&gt;"],
    " ": [r"\+"],
}
_SHORTEST_ENCODED = 8  # characters; of less, hex and base64 could be anybody's


def redact(text: str, secrets: Mapping[str, str]) -> str:
    """`text` without any secret in any spelling."""
    for secret in _parts(secrets):
        text = re.sub(_spellings(secret), _REMOVED, text)
    return text


def redact_bytes(body: bytes, secrets: Mapping[str, str]) -> bytes:
    """The same of a body."""
    for secret in _parts(secrets):
        body = re.sub(_spellings(secret).encode(), _REMOVED.encode(), body)
    return body


def _parts(secrets: Mapping[str, str]) -> list[str]:
    """Every secret, and of one such as organisation:key what stands after the colon, which may be sent alone."""
    whole = [secret for secret in secrets.values() if secret]
    return [*whole, *(part for secret in whole if len(part := secret.partition(":")[2]) >= _SHORTEST_ENCODED)]


@cache
def _spellings(secret: str) -> str:
    """An expression that matches every spelling."""
    encoded = {secret, secret.replace("\\", "\\\\")}
    if len(secret) >= _SHORTEST_ENCODED:
        raw = secret.encode()
        encoded |= {raw.hex(), *_in_base64(raw)}
    return "|".join("".join(map(_character, text)) for text in sorted(encoded, key=len, reverse=True))


def _in_base64(raw: bytes) -> set[str]:
    """What any base64 text that holds these bytes has in it: three ways, as three bytes make four characters."""
    found = set()
    for before in range(3):
        whole = (len(raw) + before) // 3 * 4  # characters; those past it mix with what follows
        for encode in (b64encode, urlsafe_b64encode):
            found.add(encode(bytes(before) + raw + b"\0\0").decode()[(0, 2, 3)[before] : whole])
    return found


def _character(character: str) -> str:
    """One character as it is, or encoded for an address, for JSON or for markup."""
    percent = "".join(f"%(?:25){{0,3}}{byte:02x}" for byte in character.encode())
    units = character.encode("utf-16-be").hex()  # JSON counts in them
    escaped = "".join(rf"\\{{1,4}}u{units[at : at + 4]}" for at in range(0, len(units), 4))
    entity = f"&#0{{0,4}}(?:{ord(character)}|x0{{0,4}}{ord(character):x});"
    spellings = [re.escape(character), f"(?i:{percent}|{escaped}|{entity})", *_NAMED.get(character, ())]
    return f"(?:{'|'.join(spellings)})"
