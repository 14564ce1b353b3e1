"""What a page may hold that is nobody's business: keys, accounts, hosts, people. It goes before a page is for all.

Prices never stand on it. A page of a look is kept as the site gave it; recordings are for all.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from sources.redaction import redact

_OWNERS = (
    r"(?:data-)?(?:account(?:[_-]?(?:id|number|no))?|customer[_-]?id|user[_-]?id|owner[_-]?id|host[_-]?id|tenant[_-]?id"
    r"|org(?:anization)?[_-]?id|subscription[_-]?id|email|hotkey|coldkey|wallet(?:[_-]?address)?|ip[_-]?address"
    r"|public[_-]?ip(?:[_-]?addr)?|ssh[_-]?host|hostname)"
)
# Whatever ends so, in whichever spelling: apiToken, access_token, X-Amz-Signature, csrfmiddlewaretoken, PHPSESSID.
_SECRETS = (
    r"(?:[\w.-]{0,40}?(?:token|secret|passw(?:or)?d|passphrase|csrf|xsrf|nonce|session(?:[_-]?(?:id|key))?|sessid"
    r"|viewstate|signature|credentials?|cookie|authorization|(?:api|access|private|auth|client|subscription|account)[_-]?key)"
    r"|sid|sig|jwt|auth)"
)
# A name and its value in JSON, plain, in a string of a script, or in an attribute; of numbers only owners are private.
_PAIRS = [
    re.compile(
        rf"(?P<name>{mark}(?:(?P<owner>{_OWNERS})|{_SECRETS}){mark}\s*:\s*)"
        rf"(?:{mark}(?P<text>{text}){mark}|-?\d+(?:\.\d+)?)",
        re.IGNORECASE,
    )
    for mark, text in (('"', r'(?:[^"\\]|\\.)*'), (r'\\{1,4}"', r'[^"\\]*'), ("&quot;", r"(?:(?!&quot;)[^<>])*"))
]
_ASSIGNED = re.compile(  # an attribute, or a variable or field of a script
    rf"""(?P<name>(?<![\w.-])(?:(?P<owner>{_OWNERS})|{_SECRETS})\s*[:=]\s*)(?P<mark>["'])(?P<text>[^"'<>]*)(?P=mark)""",
    re.IGNORECASE,
)
_FIELD = re.compile(r"<(?:meta|input)\b[^<>]*>", re.IGNORECASE)
_NAMED = re.compile(
    rf"""\b(?:name|id|property|itemprop)\s*=\s*["']?(?:{_OWNERS}|{_SECRETS})(?=["'\s/>])""", re.IGNORECASE
)
_FILLED = re.compile(r"""(\b(?:content|value)\s*=\s*)("[^"]*"|'[^']*'|[^\s"'>]+)""", re.IGNORECASE)
_IN_LINK = re.compile(rf"""([?&;](?:{_OWNERS}|{_SECRETS}|key)=)[^&"'\s<>#\\]{{6,}}""", re.IGNORECASE)
_IN_TEXT = re.compile(
    r"\b((?:account|customer|tenant|subscription)(?:\s{1,9}(?:id|no\.?|number))?\s{0,9}[:#]?\s{0,9}|arn:aws[\w-]{0,40}:[\w-]{0,40}:[\w-]{0,40}:)"
    r"\d[\d-]{4,}\d\b",
    re.IGNORECASE,
)
_SHORTEST = 6  # characters of a secret
_FIGURE = re.compile(r"[$\u20ac\u00a3]?\d*[.,]\d+")  # a price per token, say
_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}", re.IGNORECASE)
_ADDRESS = re.compile(r"(?<![\d.])(?!0\.|127\.)(?:\d{1,3}\.){3}\d{1,3}(?![\d.])")
_KEYS = re.compile(
    r"AKIA[0-9A-Z]{16}|AIza[0-9A-Za-z_\-]{35}|\bsk-[0-9A-Za-z_\-]{20,}|\bgh[pousr]_[0-9A-Za-z]{30,}|\brpa_[0-9A-Z]{30,}"
    r"|\beyJ[0-9A-Za-z_\-]{20,1000}+\.[0-9A-Za-z_\-.]{10,}"
)
_BEARER = re.compile(r"(bearer\s+)[0-9a-z._\-]{16,}", re.IGNORECASE)


def without_private(text: str, secrets: Mapping[str, str] | None = None) -> str:
    """The text without secrets, keys, addresses and the ids of accounts and hosts; JSON stays JSON, markup markup."""
    text = redact(text, secrets or {})
    for pair in _PAIRS:
        text = pair.sub(lambda found: f"{found['name']}null" if _is_private(found) else found[0], text)
    text = _ASSIGNED.sub(
        lambda found: f"{found['name']}{found['mark']}removed{found['mark']}" if _is_private(found) else found[0], text
    )
    text = _FIELD.sub(lambda tag: _FILLED.sub(r'\1"removed"', tag[0]) if _NAMED.search(tag[0]) else tag[0], text)
    text = _IN_TEXT.sub(r"\1removed", _IN_LINK.sub(r"\1removed", text))
    text = _BEARER.sub(r"\1***", _KEYS.sub("***", text))
    return _ADDRESS.sub("0.0.0.0", _EMAIL.sub("removed", text))


def _is_private(found: re.Match[str]) -> bool:
    """Whether the value of a name is one: of an owner any, of a secret neither a number nor words."""
    text = found["text"]
    if found["owner"]:
        return text != ""
    return text is not None and len(text) >= _SHORTEST and not re.search(r"\s", text) and not _FIGURE.fullmatch(text)
