"""Pages that answer in place of a price list under HTTP 200: a challenge, a login, a refusal, an error page.

A parser finds none of its elements there and takes it for a redesign; told here is what the page says of itself. What a
price list must hold is the parser's business, and so is an answer that should have been JSON.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import unescape

from sources.connections import where
from sources.markup import pushed_text
from sources.source import ErrorAnswer, LayoutChanged, Page

# A page may be made to keep a search busy: what was passed is never gone back to, and every gap has an end.
_MARKUP = re.compile(
    rb"(?>(?:\s|\xef\xbb\xbf|<!--.*?-->|<\?xml[^>]*>)*)<(?:!doctype html|html|head|title)\b", re.I | re.S
)
_TITLE = re.compile(r"<title\b[^<>]{0,500}>([^<]{0,500})", re.IGNORECASE)
_TITLE_PARTS = re.compile(r"\s+[-\u2013\u2014\u00b7\u2022]\s+|\s*[|:\u2022\u00bb]\s*")
_FIRST_CHARACTERS = 1 << 16  # the title stands in the head
# By what they are: how a part of their title begins. Of Cloudflare, Akamai, Imperva, DataDome, PerimeterX, AWS WAF.
_TITLES = {
    "a challenge": (
        r"just a moment|attention required|checking your browser|verify(?:ing)? (?:that )?you are (?:a )?human"
        r"|human verification|security (?:check|verification|checkpoint)\b|vercel security"
        r"|are you (?:a )?(?:human|robot)|robot check|(?:re)?captcha\b|pardon our interruption|one more step"
        r"|ddos[- ](?:guard|protection)|bot verification"
    ),
    "a login": (
        r"(?:please )?(?:sign|log)[ -]?(?:in|on)(?: (?:to|with|or|and) .*| required| page)?$|login(?: page)?$"
        r"|authentication required|single sign[ -]on"
    ),
    "a refusal": (
        r"access (?:denied|to this page has been denied|restricted|blocked)|(?:error )?403\b|forbidden$"
        r"|request (?:unsuccessful|blocked|rejected)|you have been blocked|(?:the )?request could not be satisfied"
        r"|not available in your (?:country|region)"
    ),
    "an error page": (
        r"(?:error |http )?(?:404|500|502|503|504)\b|(?:page )?not found$|internal server error|bad gateway"
        r"|service (?:temporarily )?unavailable|gateway time-?out|(?:down for |under |scheduled )?maintenance$"
        r"|application error|something went wrong"
    ),
}
# What only such pages hold; a price page may have a form to log in beside its prices.
_INSTEAD_OF_PRICES = {
    "a challenge": r"_cf_chl_opt|captcha-delivery\.com|id=[\"']?px-captcha|g-recaptcha|h-captcha|cf-turnstile",
    "a login": r"<input\b[^<>]{0,2000}?\btype\s{0,9}=\s{0,9}[\"']?password\b",
}
_PRICE = re.compile(
    r"(?:[$\u20ac\u00a3\u00a5\u20b9\u20a9]|\b(?:USD|EUR|GBP|INR)\b)[^<>\w]{0,3}\d|\d\s{0,9}(?:USD|EUR|GBP|INR|\u20ac)\b"
    r"|(?:pric|cost|hour)\w{0,40}[\\\"']{0,9}\s{0,9}[:=]\s{0,9}(?:[\[{]|[\\\"'$]{0,9}\d)",  # in a script
    re.IGNORECASE,
)


def refuse_other_pages(pages: Iterable[Page]) -> None:
    """Raises ErrorAnswer for the first page that is no price list but a challenge, a login, a refusal or an error."""
    for page in pages:
        if what := _other_page(page):
            raise ErrorAnswer(f"{where(page.url)} answered {what} in place of prices")


def _other_page(page: Page) -> str:
    """What it is, with its title; "" for a price list, and for what is no markup."""
    if not _MARKUP.match(page.body[:2000]):
        return ""
    titled = _TITLE.search(page.text[:_FIRST_CHARACTERS])
    title = " ".join(unescape(titled[1]).split()) if titled else ""
    for what, signs in _TITLES.items():
        if any(re.match(signs, part, re.IGNORECASE) for part in _TITLE_PARTS.split(title)):
            return f"{what} ({title[:60]!r})"
    for what, signs in _INSTEAD_OF_PRICES.items():
        if re.search(signs, page.text, re.IGNORECASE) and not _prints_a_price(page):
            return what
    return ""


def _prints_a_price(page: Page) -> bool:
    """Also where the page hands it to its scripts in pieces."""
    try:
        return bool(_PRICE.search(page.text) or _PRICE.search(pushed_text(page)))
    except LayoutChanged:
        return False
