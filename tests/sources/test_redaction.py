"""A key in any spelling in which a site may write it back is neither kept nor said."""

from __future__ import annotations

import html
import json
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable
from typing import Any
from urllib.parse import quote, quote_plus

import pytest
import requests
from exchanges import Site, http_for

from sources.private import without_private
from sources.redaction import redact, redact_bytes
from sources.source import Source, SourceError, all_sources

SECRET = 'sk/4711+open=="sesame&<é😀>'
SOURCE: Source = all_sources()["novita"]
SPELLINGS: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "in an address": lambda text: quote(text, safe=""),
    "in a path": quote,
    "in a form": quote_plus,
    "in lower case": lambda text: quote(text, safe="").replace("%2F", "%2f").replace("%2B", "%2b"),
    "in an address in an address": lambda text: quote(quote(text, safe=""), safe=""),
    "in JSON": lambda text: json.dumps(text)[1:-1],
    "in JSON in JSON": lambda text: json.dumps(json.dumps(text)[1:-1])[1:-1],
    "in JSON with slashes escaped": lambda text: json.dumps(text)[1:-1].replace("/", "\\/"),
    "in JSON with markup escaped": lambda text: json.dumps(text)[1:-1].replace("+", "\\u002B").replace("&", "\\u0026"),
    "in markup": html.escape,
    "in markup by number": lambda text: "".join(f"&#{ord(letter)};" for letter in text),
    "in hex": lambda text: text.encode().hex(),
}


@pytest.mark.parametrize("spell", SPELLINGS.values(), ids=SPELLINGS)
def test_every_spelling_is_removed_and_nothing_beside_it(spell: Callable[[str], str]):
    text = f"before {spell(SECRET)} after"
    assert redact(text, {"KEY": SECRET}) == "before *** after"
    assert redact_bytes(text.encode(), {"KEY": SECRET}) == b"before *** after"


@pytest.mark.parametrize("encode", [b64encode, urlsafe_b64encode])
@pytest.mark.parametrize("user", ["", "a", "ab", "abc"])
def test_a_key_inside_base64_cannot_be_read_back(encode: Callable[[bytes], bytes], user: str):
    """As basic authentication puts it; what is left are the characters that hold a part of the key's two ends."""
    secret = "0123456789abcdefghij"
    written = encode(f"{user}:{secret}:rest".encode()).decode()
    left = redact(written, {"KEY": secret})
    assert "***" in left
    assert len(left) - len("***") <= len(written) - (len(secret) - 2) // 3 * 4


@pytest.mark.parametrize(
    "text", ["\\" * 20_000, "%25" * 20_000, "&#0" * 20_000, "+" * 20_000], ids=lambda text: text[:3]
)
def test_a_page_made_to_keep_the_search_busy_is_searched_once(text: str):
    """With spellings of any length this would not end."""
    assert redact(text, {"KEY": "/\\\\\\\\\\\\%25abc"}) == text


def test_texts_without_the_key_stay_as_they_are():
    text = '{"gpu": "H100", "price": 2.49, "next": "/v1?page=2&sort=%2Bprice"}'
    assert redact(text, {"KEY": SECRET, "UNSET": ""}) == text
    assert without_private(text, {"KEY": SECRET}) == text


@pytest.mark.parametrize("spell", SPELLINGS.values(), ids=SPELLINGS)
def test_a_site_that_echoes_the_key_everywhere_gets_it_into_no_page(spell: Callable[[str], str]):
    echo = spell("sk/4711+open==sesame")

    def respond(request: requests.PreparedRequest) -> dict[str, Any]:
        headers = {"ETag": f'"{echo}"', "Last-Modified": echo, "Content-Type": echo}
        return {"headers": headers, "body": f'{{"next": "{echo}"}}'}

    http = http_for(SOURCE, Site(respond), secrets={"KEY": "sk/4711+open==sesame"})
    page = http.get("https://api.novita.ai/prices", secret_params={"key": http.secret("KEY")})
    assert page.body == b'{"next": "***"}'
    assert (page.etag, page.last_modified) == ("", ""), "a changed validator would ask for another page"


@pytest.mark.parametrize("spell", SPELLINGS.values(), ids=SPELLINGS)
@pytest.mark.parametrize("where", ["{}.elsewhere.test/", "api.novita.ai/{}", "[{}/"])
def test_a_redirect_to_the_key_does_not_tell_it(spell: Callable[[str], str], where: str):
    secret = "sk-4711+open==sesame"
    site = Site(lambda request: {"status": 302, "headers": {"Location": f"https://{where.format(spell(secret))}"}})
    with pytest.raises(SourceError) as failure:
        http_for(SOURCE, site, secrets={"KEY": secret}).get("https://api.novita.ai/prices")
    assert "4711" not in str(failure.value)
    assert spell(secret) not in str(failure.value)


def test_a_key_that_no_header_can_carry_is_named_without_being_told():
    http = http_for(SOURCE, Site(lambda request: {}), secrets={"KEY": "ключ"})
    page = http.get("https://api.novita.ai/prices", secret_params={"key": "ключ"})
    assert "%D0" not in page.url


def test_a_key_behind_its_organisation_is_removed_when_it_stands_alone():
    assert redact("you sent a-secret-key", {"CLIENT": "my-org:a-secret-key"}) == "you sent ***"
