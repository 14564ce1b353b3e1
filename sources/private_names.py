"""Which fields are private by their name, and whether what stands under such a name is to go.

A name is read in any spelling (accountId, account_id, X-Account-ID), with the names it stands under: the `id` of an
`owner` is an owner_id. How names and values are written in a page is in private_fields.py.
"""

from __future__ import annotations

import re
from enum import Enum
from functools import lru_cache


class Kind(Enum):
    """What a private name says about its value."""

    OWNER = "whose it is: an id or a name of an account, a host, a person"
    GROUP = "whose it is, or the name of a plan: a team, a project"
    PHONE = "a number to call, or something else that is mobile"
    PASSWORD = "any text, with blanks too"
    SECRET = "a key; no number of few digits, no sentence"
    TOKEN = "a key, or something that is counted and priced"
    KEY = "a key, or what a plan is known by"


_OWNERS = r"account|customer|user|owner|tenant|member|creator|seller"
_PEOPLE = rf"{_OWNERS}|client|contact|employee|principal"
_GROUPS = r"org|organi[sz]ation|team|project|workspace"
_DETAIL = (
    r"(?:i_?d|uu_?id|u_?id|guid|no|nr|num|number|slug|handle|key|e_?mail|ref|login|alias|[auc]rn|address|street"
    r"|(?:(?:first|last|full|display|given|family|nick|user|real|legal)_?)?names?)s?"
)
_NAMES = {  # the first that fits; of a name in words: account_id
    Kind.PASSWORD: r".*(?:passw(?:or)?d|passphrase|passcode|pwd|pw_?hash|(?:db|smtp|ftp|ssh|user|admin|root)_?pass"
    r"|authorization|mnemonic|(?:recovery|seed)_?(?:code|phrase)|connection_?string)s?"
    r"(?:_?(?:hash|hashed|digest|salt|hint|value|encrypted))?",
    Kind.OWNER: rf"(?:.*_)?(?:(?:{_PEOPLE}|{_GROUPS})s?_?{_DETAIL}"
    r"|(?:host|subscription)s?_?(?:uu_?id|i_?d|number|key)s?"
    r"|created_by|updated_by|e?_?mail(?:_?address)?(?:es)?|hot_?key|cold_?key|wallet(?:_?address)?"
    r"|(?:ip|mac)_?address(?:es)?|public_?ip(?:_?addr)?|ssh_?host|host_?name|user_?name|screen_?name|first_?name"
    r"|last_?name|surname)"
    rf"|(?:(?:data|x|current|my|parent|billing|cloud)_)?(?:{_OWNERS})|login(?:_?name)?",
    Kind.GROUP: rf"(?:(?:data|x|current|my|parent|billing|cloud)_)?(?:{_GROUPS})",
    Kind.PHONE: r"(?:.*_)?(?:(?:tele|mobile_?|cell_?)?phone|mobile|tel|fax|msisdn|whats_?app)"
    r"s?(?:_?(?:no|nr|num|number))?s?",
    Kind.SECRET: r".*(?:secret|csrf|xsrf|(?:api|access|private|auth|client|subscription|account|secret|signing"
    r"|encryption|master|publishable|license|consumer|shared|ssh|admin|deploy)_?key|web_?hook)s?"
    r"(?:_?(?:i_?d|value|hash|digest|ur[il]))?|jwt",
    Kind.TOKEN: r".*(?:token|nonce|session(?:_?key)?|sess|view_?state|signature|credential|cookie)s?"
    r"(?:_?(?:i_?d|value|hash|digest))?|sid|sig|auth",
    Kind.KEY: r"(?:.*_)?(?:app|application|service|storage|public|write|project|license)_?keys?",
}
_KINDS = [(kind, re.compile(pattern)) for kind, pattern in _NAMES.items()]
_LIST_OF_OWNERS = re.compile(rf"(?:.*_)?(?:{_PEOPLE}|{_GROUPS})s")
_OF_GROUP = re.compile(rf"(?:.*_)?(?:{_GROUPS})s?")
_BETWEEN_WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[^0-9A-Za-z]+")
_SAYS_NOTHING = {"profile", "info", "detail", "details", "data", "attributes", "node", "edges", "nodes", "items"}
_LONGEST = 80  # characters of a name

_SHORTEST = 6  # characters of a secret
_SHORTEST_OF_GROUP = 4  # digits of its id; fewer are the price of a plan
_CURRENCY = r"(?:USD|EUR|GBP|INR|CNY|[$\u20ac\u00a3])"
_FIGURE = re.compile(  # a price per token, say: 0.25, 1,234.56, 2.5e-7, USD15.00, 15.00/1M
    rf"{_CURRENCY}?\d{{0,12}}(?:,\d{{3}}){{0,4}}(?:[.,]\d+(?:e[+-]?\d{{1,3}})?|\de-\d{{1,3}})"
    rf"(?:/\w{{1,12}}|{_CURRENCY})?",
    re.IGNORECASE,
)
_PRICE = re.compile(rf"{_CURRENCY}\s?\d|\d\s?{_CURRENCY}", re.IGNORECASE)  # $20 / month
_COUNT = re.compile(r"\d[\d,]*[kmb]?", re.IGNORECASE)  # a figure under a name of figures, else perhaps a secret
_OF_FIGURES = {"price", "prices", "pricing", "cost", "costs", "rate", "usd", "eur", "per", "tokens", "context", "max"}
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")  # of a name: price_input_token, maxToken, USD_TOKEN
_RANDOM = 16  # letters and digits in a row that no word, size or name of a card has
_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", re.IGNORECASE)
_SENT = re.compile(r"(?i:basic|bearer|digest|token|negotiate)\s+(?=\S*[\d=+/A-Z])\S{6,}|[\w-]+=\S", re.ASCII)
_DIALLED = re.compile(r"(?:\+|\\{1,4}u002b|%2b|&#43;|&plus;)?[\d\s()./-]{6,40}(?:(?:ext|x)\.?\s?\d+)?", re.IGNORECASE)


@lru_cache(maxsize=20_000)
def kind_of(name: str, above: str = "") -> Kind | None:
    """What a field of that name holds that is private, if anything; `above`: the names it stands under."""
    if len(name) > _LONGEST:
        return None
    own = _in_words(name)
    for words in (own, f"{above}_{own}") if above else (own,):
        for kind, pattern in _KINDS:
            if pattern.fullmatch(words):
                return kind
    return None


@lru_cache(maxsize=20_000)
def joined(above: str, name: str) -> str:
    """The names that a field of an object stands under, as kind_of takes them."""
    words = [word for word in (above, _in_words(name)) if word and word not in _SAYS_NOTHING]
    return "_".join(words)[-_LONGEST:]


def lists_owners(above: str) -> bool:
    """Whether the texts of a list are owners by the name of the list: `users`."""
    return bool(_LIST_OF_OWNERS.fullmatch(above))


def is_group(above: str) -> bool:
    """Whether that is a group, or a list of them: what is in it may be a plan."""
    return bool(_OF_GROUP.fullmatch(above))


def names_offer(name: str) -> bool:
    """Whether an object with such a field is something for sale: then its name and id are those of a plan."""
    return not _OF_FIGURES.isdisjoint(_in_words(name).split("_")) or bool(re.search("gpu|hourly", name, re.IGNORECASE))


def names_figures(name: str) -> bool:
    """Whether whole numbers under it are figures, and no secret."""
    return not _OF_FIGURES.isdisjoint(word.lower() for word in _WORDS.findall(name))


def is_private_text(kind: Kind, text: str, name: str, *, listed: bool = False) -> bool:
    """Whether a text under a name of that kind is to go; `listed`: as one of several, or under a name for several."""
    match kind:
        case Kind.PASSWORD:
            return text.strip() != ""
        case Kind.OWNER:
            return text.strip() != "" and not _PRICE.search(text)
        case Kind.GROUP:
            return text.strip() != "" and not (
                _PRICE.search(text) or is_figure(text, counts=len(text) < _SHORTEST_OF_GROUP)
            )
        case Kind.PHONE:
            digits = sum(map(str.isdigit, text))
            return digits >= _SHORTEST and bool(_DIALLED.fullmatch(text.strip())) and not _FIGURE.fullmatch(text)
        case Kind.KEY:
            return is_random(text)
    if kind is Kind.TOKEN and (listed or name.endswith("s")):
        return is_random(text)
    if re.search(r"\s", text):
        return is_random(text) or bool(_SENT.match(text))
    return len(text) >= _SHORTEST and not is_figure(text, counts=names_figures(name))


def is_private_number(kind: Kind, digits: str) -> bool:
    """Whether a number under a name of that kind is to go."""
    match kind:
        case Kind.OWNER | Kind.PASSWORD:
            return True
        case Kind.GROUP:
            return digits.isdigit() and len(digits) >= _SHORTEST_OF_GROUP
        case Kind.PHONE | Kind.SECRET:
            return digits.isdigit() and len(digits) >= _SHORTEST
    return False


def is_figure(text: str, *, counts: bool) -> bool:
    """`counts`: whether whole numbers are figures here, and no secret."""
    return bool(_FIGURE.fullmatch(text) or (counts and _COUNT.fullmatch(text)))


def is_random(text: str) -> bool:
    """Whether letters and digits stand mixed in it as in a key; the words of a SKU stand apart."""
    return bool(_UUID.search(text)) or any(
        len(run) >= _RANDOM and not run.isdigit() and not run.isalpha() for run in re.findall(r"[0-9A-Za-z]+", text)
    )


def _in_words(name: str) -> str:
    return _BETWEEN_WORDS.sub("_", name).strip("_").lower()
