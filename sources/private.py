"""What a page may hold that is nobody's business: keys, accounts, hosts, people. It goes before a page is for all.

Figures stay, whatever they are called: prices per token, counts of tokens, versions.
A page of a look is kept as the site gave it; recordings are for all. Here is what is known by its form; what is known
by the name of its field is in private_names.py and private_fields.py.
"""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Mapping
from html import unescape

from sources.private_fields import without_private_fields
from sources.private_names import Kind, is_figure, is_private_text, is_random, kind_of, names_figures
from sources.redaction import redact

_IN_ADDRESS = re.compile(r"""(\b[a-z][a-z0-9+.-]{1,20}://[^\s/:@"'<>]{0,80}:)[^\s/@"'<>]{1,200}(?=@)""", re.IGNORECASE)
_PRIVATE_KEY = re.compile(
    r"""-----BEGIN[ ][A-Z\d ]{0,30}PRIVATE[ ]KEY(?:[ ]BLOCK)?-----(?:(?!-----|\\{1,4}")[^"'<>]){0,20000}"""
    r"(?:-----END[ ][A-Z\d ]{0,30}PRIVATE[ ]KEY(?:[ ]BLOCK)?-----)?"
)
_SSH_KEY = re.compile(  # the public half too, it names its owner; with the comment behind it
    r"(?:\b[\w.@-]{5,40}(?:\s|\\{1,4}u0020|%20|\+){1,3})?(?<![A-Za-z+/])AAAA(?:[BC]3NzaC1|E2VjZHNh|[GI]nNrL)"
    r"(?:[\w+/=]|\\{1,4}/|%2[BF]|%3D){20,20000}+"
    r"""(?:[ \t]{1,3}[^\s"'`<>\\,;&]{1,200})?"""
)
_SLASH = r"(?:\\{0,4}/|%2F|\\{1,4}u002f|&#(?:47|x2f);)"
_WEBHOOK = re.compile(  # whoever knows the address of one may write there: Slack, Discord, Teams, Zapier
    rf"""(?P<kept>{_SLASH}{{2}}(?:hooks?\.[\w.-]{{1,80}}|[\w.-]{{1,80}}{_SLASH}(?:[\w.-]{{1,40}}{_SLASH}){{0,4}}"""
    rf"""(?:web)?hooks?\w{{0,3}}){_SLASH})(?P<text>(?:[\w.~@:%=-]|{_SLASH}){{1,1000}}+)""",
    re.IGNORECASE,
)
_BOT = re.compile(r"(\bbot)\d{6,12}:[\w-]{30,}")  # of Telegram
_IN_PATH = re.compile(  # an account whose resource it is
    r"(?P<kept>\b(?:accounts|billingAccounts|organi[sz]ations|orgs|projects|workspaces|teams|tenants|subscriptions"
    rf"|users|customers|owners|hosts){_SLASH})(?P<text>[\w.~@:-]{{3,200}}+)"
    rf"(?P<of>{_SLASH}(?:zones|regions|global|locations)\b)?",
    re.IGNORECASE,
)
_RESOURCE = re.compile(
    r"(\bocid1\.(?:tenancy|user|compartment|group)\.)[\w.-]{10,}|(\bcrn:[\w:.-]{1,100}:a/)[0-9a-f]{32}\b"
)
_TAG = re.compile(r"<(?:meta|input)\b[^<>]*>", re.IGNORECASE)
_NAMED = re.compile(r"""\b(?:name|id|property|itemprop|type)\s*=\s*["']?([\w.:-]{1,80})(?=["'\s/>])""", re.IGNORECASE)
_FILLED = re.compile(r"""(\b(?:content|value)\s*=\s*)("[^"]*"|'[^']*'|[^\s"'>]+)""", re.IGNORECASE)
_ELEMENT = re.compile(
    r"<(?P<name>[a-z][\w.:-]{1,60}+)(?P<kept>\s[^<>]{0,400}|)>(?P<text>[^<>]{1,4000}+)</(?P=name)>", re.IGNORECASE
)
_GAP = r"(?:\s|[:#=]|<[^<>]{0,200}>){0,9}"
_KEY_IN_TEXT = re.compile(  # behind its name, in the next cell of a table too
    rf"(?P<name>\b(?:api|access|secret|private)[ _-]?key\b|\b(?:token|secret|password)\b)(?P<gap>{_GAP})"
    r"(?P<text>[\w+/=.~-]{16,4000}+)",
    re.IGNORECASE,
)
_IN_TEXT = re.compile(
    r"(\b(?:account|customer|tenant|subscription|organi[sz]ation|workspace|project|team|owner|user|host)\s{1,9}"
    rf"(?:id|no\.?|number)\b{_GAP}|\b(?:account|customer|tenant|subscription)\s{{0,9}}[:#]?\s{{0,9}}"
    r"|arn:aws[\w-]{0,40}:[\w-]{0,40}:[\w-]{0,40}:)\d[\d-]{4,}\d\b",
    re.IGNORECASE,
)
_KEYS = re.compile(  # of AWS, Google, OpenAI, GitHub, RunPod, Hugging Face, Stripe, GitLab, Slack, npm, DigitalOcean
    r"A[KS]IA[0-9A-Z]{16}|AIza[0-9A-Za-z_\-]{35}|\b(?P<named>sk-[0-9A-Za-z_\-]{20,})|\bgh[pousr]_[0-9A-Za-z]{30,}"
    r"|\bgithub_pat_[0-9A-Za-z_]{20,}|\brpa_[0-9A-Z]{30,}|\bhf_[0-9A-Za-z]{20,}|\b[sr]k_(?:live|test)_[0-9A-Za-z]{16,}"
    r"|\bglpat-[0-9A-Za-z_\-]{20,}|\bxox[abeoprs]-[0-9A-Za-z\-]{20,}|\bnpm_[0-9A-Za-z]{30,}|\bdo[opr]_v1_[0-9A-Za-z]{16,}"
    r"|\beyJ[0-9A-Za-z_\-]{20,1000}+\.[0-9A-Za-z_\-.]{10,}"
)
_BEARER = re.compile(r"(bearer\s+)[0-9a-z._\-]{16,}", re.IGNORECASE)
_BASIC = re.compile(r"(\bbasic(?:\s|%20|\+){1,3})([0-9a-z+/_-]{6,4000}+={0,2})", re.IGNORECASE)
_AT = r"(?:@|\\{1,4}(?:u0040|x40)|%(?:25){0,2}40|&(?:amp;)?(?:commat|#0{0,4}64|#x0{0,4}40);|[ ]?[\[(]at[\])][ ]?)"
_DOT = r"(?:\.|\\{1,4}(?:u002e|x2e)|%(?:25){0,2}2e|&(?:amp;)?(?:period|#0{0,4}46|#x0{0,4}2e);|[ ]?[\[(]dot[\])][ ]?)"
_EMAIL = re.compile(  # does not begin inside an escaped character
    rf"(?:(?<=%[0-9a-f]{{2}})|(?<=\\u[0-9a-f]{{4}})|(?<=\\[nrt])|(?<![\\\w.+%-])(?<!%[0-9a-f]))"
    rf"(?:[\w.+-]++(?:{_DOT}[\w.+-]++){{0,5}}){_AT}[\w-]+(?:{_DOT}[\w-]+)*{_DOT}"
    r"(?!(?:png|jpe?g|webp|svg|gif|avif|m?js|css)\b)[a-z]{2,}",
    re.IGNORECASE,
)
_CODED = re.compile(r"(?:&#x?[0-9a-f]{2,5};[\w.+@-]{0,64}+){4,}+", re.IGNORECASE)  # letter by letter
_OF_CLOUDFLARE = re.compile(r"""(\bdata-cfemail=["']|/email-protection#)[0-9a-f]{10,400}""", re.IGNORECASE)
_BYTE = r"(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)"
_ADDRESS = re.compile(rf"(?<![\d.])(?!0\.|127\.)(?:{_BYTE}\.){{3}}{_BYTE}(?![\d.])")
_VERSION = re.compile(r"(?:driver|version|cuda|\bv)[\"'\s:=]{0,9}$", re.IGNORECASE)  # before four numbers
_ADDRESS_6 = re.compile(  # of the ranges in use: with a gap, or whole
    r"(?<![\w:.])(?:[23][0-9a-f]{3}|f[cd][0-9a-f]{2}|fe80):(?=[0-9a-f:]{0,40}::|:|(?:[0-9a-f]{1,4}:){6})"
    r"(?:[0-9a-f]{0,4}:){1,6}[0-9a-f]{1,4}(?![\w:])",
    re.IGNORECASE,
)


def without_private(text: str, secrets: Mapping[str, str] | None = None) -> str:
    """The text without secrets, keys, addresses and the ids of accounts and hosts; JSON stays JSON, markup markup."""
    text = redact(text, secrets or {})
    text = _SSH_KEY.sub("***", _PRIVATE_KEY.sub("***", text))
    text = _IN_ADDRESS.sub(r"\1removed", _BOT.sub(r"\1removed", text))
    text = _WEBHOOK.sub(lambda found: f"{found['kept']}removed" if re.search(r"\d", found["text"]) else found[0], text)
    text = without_private_fields(text)
    text = _TAG.sub(lambda tag: _emptied(tag[0]), text)
    text = _ELEMENT.sub(_without_text, text)
    text = _IN_PATH.sub(_without_owner, text)
    text = _RESOURCE.sub(lambda found: f"{found[1] or found[2]}removed", text)
    text = _KEY_IN_TEXT.sub(
        lambda found: f"{found['name']}{found['gap']}removed" if is_random(found["text"]) else found[0], text
    )
    text = _IN_TEXT.sub(r"\1removed", text)
    text = _KEYS.sub(lambda found: found[0] if found["named"] and not is_random(found[0]) else "***", text)
    text = _BASIC.sub(lambda found: f"{found[1]}***" if _is_user_and_password(found[2]) else found[0], text)
    text = _ADDRESS_6.sub("::", _BEARER.sub(r"\1***", text))
    text = _OF_CLOUDFLARE.sub(r"\1removed", _EMAIL.sub("removed", text))
    text = _CODED.sub(lambda found: "removed" if _EMAIL.search(unescape(found[0])) else found[0], text)
    return _ADDRESS.sub(lambda found: found[0] if _is_version(found) else "0.0.0.0", text)


def _emptied(tag: str) -> str:
    """A tag whose name is private without its value, unless that is a figure."""
    names = [name for name in _NAMED.findall(tag) if kind_of(name)]
    counts = all(map(names_figures, names))
    owns = [(kind, name) for name in names if (kind := kind_of(name)) not in (Kind.PASSWORD, Kind.SECRET, Kind.TOKEN)]

    def removed(found: re.Match[str]) -> str:
        text = found[2].strip("\"'")
        if len(owns) == len(names):
            stays = not any(kind and is_private_text(kind, text, name) for kind, name in owns)
        else:
            stays = is_figure(text, counts=counts)
        return found[0] if stays else f'{found[1]}"removed"'

    return _FILLED.sub(removed, tag)


def _without_text(element: re.Match[str]) -> str:
    """`<AccountId>12</AccountId>`"""
    name, text = element["name"], element["text"]
    kind = kind_of(name)
    if kind is None or not is_private_text(kind, text, name):
        return element[0]
    return f"<{name}{element['kept']}>removed</{name}>"


def _without_owner(path: re.Match[str]) -> str:
    text = path["text"]
    is_owner = path["of"] or is_random(text) or re.search(r"\d{6}", text)
    return f"{path['kept']}removed{path['of'] or ''}" if is_owner else path[0]


def _is_user_and_password(encoded: str) -> bool:
    try:
        text = b64decode(encoded + "=" * (-len(encoded) % 4), altchars=b"-_" if set("-_") & set(encoded) else None)
    except ValueError:
        return False
    return b":" in text and text.isascii() and text.decode().isprintable()


def _is_version(address: re.Match[str]) -> bool:
    return bool(_VERSION.search(address.string[max(0, address.start() - 20) : address.start()]))
