"""What a page may hold that is nobody's business: keys, accounts, hosts, people. It goes before a page is for all.

Figures stay, whatever they are called: prices per token, counts of tokens, versions.
A page of a look is kept as the site gave it; recordings are for all.
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
    r"(?:[\w.-]{0,40}?(?:(?:token|secret)(?:[_-]?value)?|passw(?:or)?d|pwd|passphrase|csrf|xsrf|nonce|session(?:[_-]?(?:id|key))?|sessid"
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
_LISTED = re.compile(  # values of JSON in a list, or in an object of their own
    rf"""(?P<name>"{_SECRETS}"\s*:\s*)(?:\[(?P<list>[^\[\]{{}}]*)\]|\{{\s*"value"\s*:\s*"(?P<text>[^"\\{{}}]*)"\s*\}})""",
    re.IGNORECASE,
)
_NAME_BESIDE = re.compile(  # {"name": "apiKey", "value": "..."}
    rf"""(?P<name>"(?:name|key)"\s*:\s*"{_SECRETS}"\s*,\s*"value"\s*:\s*)"(?P<text>(?:[^"\\]|\\.)*)\"""", re.IGNORECASE
)
_STATED = re.compile(  # in text, or as a header; a word in front says how to read it
    rf"(?P<name>(?<![\w.-]){_SECRETS}[ \t]{{0,3}}[:=][ \t]{{0,3}}(?:(?:basic|bearer|token)[ \t]{{1,3}})?)"
    r"(?P<text>[\w+/=.~-]{16,})",
    re.IGNORECASE,
)
_IN_ADDRESS = re.compile(r"""(\b[a-z][a-z0-9+.-]{1,20}://[^\s/:@"'<>]{0,80}:)[^\s/@"'<>]{1,200}(?=@)""", re.IGNORECASE)
_PRIVATE_KEY = re.compile(
    r"""-----BEGIN[ ][A-Z ]{0,30}PRIVATE[ ]KEY-----(?:(?!-----|\\{1,4}")[^"'<>]){0,20000}"""
    r"(?:-----END[ ][A-Z ]{0,30}PRIVATE[ ]KEY-----)?"
)
_FIELD = re.compile(r"<(?:meta|input)\b[^<>]*>", re.IGNORECASE)
_NAMED = re.compile(
    rf"""\b(?:name|id|property|itemprop)\s*=\s*["']?(?P<name>{_OWNERS}|{_SECRETS})(?=["'\s/>])""", re.IGNORECASE
)
_FILLED = re.compile(r"""(\b(?:content|value)\s*=\s*)("[^"]*"|'[^']*'|[^\s"'>]+)""", re.IGNORECASE)
_IN_LINK = re.compile(
    rf"""(?P<name>[?&;](?:{_OWNERS}|{_SECRETS}|(?P<key>key))=)(?P<text>[^&"'\s<>#\\]{{6,}})""", re.IGNORECASE
)
_IN_TEXT = re.compile(
    r"\b((?:account|customer|tenant|subscription)(?:\s{1,9}(?:id|no\.?|number))?\s{0,9}[:#]?\s{0,9}|arn:aws[\w-]{0,40}:[\w-]{0,40}:[\w-]{0,40}:)"
    r"\d[\d-]{4,}\d\b",
    re.IGNORECASE,
)
_SHORTEST = 6  # characters of a secret
_FIGURE = re.compile(  # a price per token, say: 0.25, 1,234.56, 2.5e-7, USD15.00, 15.00/1M
    r"(?:USD|EUR|GBP|INR|CNY|[$\u20ac\u00a3])?\d{0,12}(?:,\d{3}){0,4}(?:[.,]\d+(?:e[+-]?\d{1,3})?|\de-\d{1,3})"
    r"(?:/\w{1,12}|USD|EUR|GBP|INR|CNY|\u20ac)?",
    re.IGNORECASE,
)
_COUNT = re.compile(r"\d[\d,]*[kmb]?", re.IGNORECASE)  # a figure under a name of figures, else perhaps a secret
_OF_FIGURES = {"price", "prices", "pricing", "cost", "costs", "rate", "usd", "eur", "per", "tokens", "context", "max"}
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")  # of a name: price_input_token, maxToken, USD_TOKEN
_RANDOM = 16  # letters and digits in a row that no word, size or name of a card has
_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", re.IGNORECASE)
_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}", re.IGNORECASE)
_BYTE = r"(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)"
_ADDRESS = re.compile(rf"(?<![\d.])(?!0\.|127\.)(?:{_BYTE}\.){{3}}{_BYTE}(?![\d.])")
_VERSION = re.compile(r"(?:driver|version|cuda|\bv)[\"'\s:=]{0,9}$", re.IGNORECASE)  # before four numbers
_ADDRESS_6 = re.compile(  # of the ranges in use: with a gap, or whole
    r"(?<![\w:.])(?:[23][0-9a-f]{3}|f[cd][0-9a-f]{2}|fe80):(?=[0-9a-f:]{0,40}::|:|(?:[0-9a-f]{1,4}:){6})"
    r"(?:[0-9a-f]{0,4}:){1,6}[0-9a-f]{1,4}(?![\w:])",
    re.IGNORECASE,
)
_KEYS = re.compile(  # of AWS, Google, OpenAI, GitHub, RunPod, Hugging Face, Stripe, GitLab, Slack, npm, DigitalOcean
    r"A[KS]IA[0-9A-Z]{16}|AIza[0-9A-Za-z_\-]{35}|\b(?P<named>sk-[0-9A-Za-z_\-]{20,})|\bgh[pousr]_[0-9A-Za-z]{30,}"
    r"|\bgithub_pat_[0-9A-Za-z_]{20,}|\brpa_[0-9A-Z]{30,}|\bhf_[0-9A-Za-z]{20,}|\b[sr]k_(?:live|test)_[0-9A-Za-z]{16,}"
    r"|\bglpat-[0-9A-Za-z_\-]{20,}|\bxox[abeoprs]-[0-9A-Za-z\-]{20,}|\bnpm_[0-9A-Za-z]{30,}|\bdo[opr]_v1_[0-9A-Za-z]{16,}"
    r"|\beyJ[0-9A-Za-z_\-]{20,1000}+\.[0-9A-Za-z_\-.]{10,}"
)
_BEARER = re.compile(r"(bearer\s+)[0-9a-z._\-]{16,}", re.IGNORECASE)


def without_private(text: str, secrets: Mapping[str, str] | None = None) -> str:
    """The text without secrets, keys, addresses and the ids of accounts and hosts; JSON stays JSON, markup markup."""
    text = redact(text, secrets or {})
    text = _IN_ADDRESS.sub(r"\1removed", _PRIVATE_KEY.sub("***", text))
    for pair in (*_PAIRS, _LISTED, _NAME_BESIDE):
        text = pair.sub(lambda found: f"{found['name']}null" if _is_private(found) else found[0], text)
    text = _ASSIGNED.sub(
        lambda found: f"{found['name']}{found['mark']}removed{found['mark']}" if _is_private(found) else found[0], text
    )
    text = _FIELD.sub(lambda tag: _emptied(tag[0]), text)
    text = _IN_LINK.sub(lambda found: f"{found['name']}removed" if _is_private_in_link(found) else found[0], text)
    text = _STATED.sub(lambda found: f"{found['name']}removed" if _is_random(found["text"]) else found[0], text)
    text = _IN_TEXT.sub(r"\1removed", text)
    text = _KEYS.sub(lambda found: found[0] if found["named"] and not _is_random(found[0]) else "***", text)
    text = _ADDRESS_6.sub("::", _BEARER.sub(r"\1***", text))
    return _ADDRESS.sub(lambda found: found[0] if _is_version(found) else "0.0.0.0", _EMAIL.sub("removed", text))


def _is_private(found: re.Match[str]) -> bool:
    """Whether the value of a name is one: of an owner any, of a secret neither a number nor words."""
    groups = found.groupdict()
    text = found["text"]
    if groups.get("owner"):
        return text != ""
    if listed := groups.get("list"):
        return _is_random(listed)
    if text is None or len(text) < _SHORTEST or re.search(r"\s", text):
        return False
    return not _is_figure(text, counts=_names_figures(found["name"]))


def _is_private_in_link(found: re.Match[str]) -> bool:
    """A key may be that of a plan: `?key=h100-sxm-80gb`."""
    if found["key"]:
        return _is_random(found["text"])
    return not _is_figure(found["text"], counts=_names_figures(found["name"]))


def _emptied(tag: str) -> str:
    """A tag whose name is private without its value, unless that is a figure."""
    names = {found["name"] for found in _NAMED.finditer(tag)}
    counts = all(map(_names_figures, names))

    def removed(found: re.Match[str]) -> str:
        text = found[2].strip("\"'")
        return found[0] if not names or _is_figure(text, counts=counts) else f'{found[1]}"removed"'

    return _FILLED.sub(removed, tag)


def _is_figure(text: str, *, counts: bool) -> bool:
    """`counts`: whether whole numbers are figures here, and no secret."""
    return bool(_FIGURE.fullmatch(text) or (counts and _COUNT.fullmatch(text)))


def _names_figures(name: str) -> bool:
    return not _OF_FIGURES.isdisjoint(word.lower() for word in _WORDS.findall(name))


def _is_random(text: str) -> bool:
    """Whether letters and digits stand mixed in it as in a key; the words of a SKU stand apart."""
    return bool(_UUID.search(text)) or any(
        len(run) >= _RANDOM and not run.isdigit() and not run.isalpha() for run in re.findall(r"[0-9A-Za-z]+", text)
    )


def _is_version(address: re.Match[str]) -> bool:
    return bool(_VERSION.search(address.string[max(0, address.start() - 20) : address.start()]))
