"""Under HTTP 200 a challenge, a login or an error page is named as that, and a price page never is."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from pipelines.looks.keeping import keep_reading
from pipelines.looks.parsing import parse_files
from sources.challenges import refuse_other_pages
from sources.pages import Look, PageStore, recorded_pages
from sources.source import ErrorAnswer, Page, all_sources
from warehouse.offer_files import OfferFiles

DAY = datetime(2026, 10, 1, tzinfo=UTC)
PAGES = [name for name, source in all_sources().items() if source.access == "page" and recorded_pages(name)]
PAGES += ["gpuhunt", "skypilot", "thundercompute"]  # lists in CSV, and figures in a script
FORM = '<form action="/session"><input name="email"><input type="password" name="password"></form>'
CLOUDFLARE = (  # the head of its managed challenge
    '<!DOCTYPE html><html lang="en-US"><head><title>Just a moment...</title><meta name="robots" content="noindex">'
    '</head><body><noscript>Enable JavaScript and cookies to continue</noscript><script>window._cf_chl_opt = {cvId: "3"'
    "}</script></body></html>"
)
INSTEAD = {
    "a challenge ('Just a moment...')": CLOUDFLARE,
    "a challenge ('Attention Required! | Cloudflare')": "<html><head><title>Attention Required! | Cloudflare</title>",
    "a refusal ('Access Denied')": "<HTML><HEAD>\n<TITLE>Access Denied</TITLE>\n</HEAD><BODY>Reference #18.2d3</BODY>",
    "a login ('Sign in to Acme')": f"<html><head><title>Sign in to Acme</title></head><body>{FORM}</body></html>",
    "a login ('Acme Cloud | Login')": "<html><title>Acme Cloud | Login</title>New here? Start with $200 of credit.",
    "a login": f"<!doctype html><html><head><title>Acme Cloud</title></head><body>{FORM}</body></html>",
    "a challenge": '<html><head><title>acme.example</title></head><div class="cf-turnstile"></div></html>',
    "an error page ('503 Service Temporarily Unavailable')": (
        "<html><head><title>503 Service Temporarily Unavailable</title></head><center>nginx</center></html>"
    ),
}


@pytest.mark.parametrize(("what", "text"), INSTEAD.items(), ids=INSTEAD)
def test_what_stands_in_place_of_prices_is_named(what: str, text: str):
    with pytest.raises(ErrorAnswer) as refused:
        refuse_other_pages([Page("https://acme.example/pricing", text.encode(), DAY, "pricing")])
    assert str(refused.value) == f"acme.example/pricing answered {what} in place of prices"


@pytest.mark.parametrize("name", PAGES)
def test_every_page_source_names_a_challenge_and_a_login_and_no_redesign(name: str, tmp_path):
    store, files = PageStore(tmp_path / "raw"), OfferFiles(tmp_path / "offers")
    (recorded, *_) = list(recorded_pages(name).values())[-1]
    good = Look(name, DAY, "live", [recorded.page])
    bodies = (CLOUDFLARE, INSTEAD["a login"])
    bad = [
        Look(name, DAY + timedelta(days=day), "live", [Page(recorded.page.url, body.encode(), DAY, recorded.page.name)])
        for day, body in enumerate(bodies, start=1)
    ]
    for look in (good, *bad):
        store.keep(look)
    assert keep_reading(good, store, files, list(all_sources().values()))[0].code != "error_answer"
    for look in bad:
        scrape, _ = keep_reading(look, store, files, list(all_sources().values()))
        assert (scrape.status, scrape.code) == ("failed", "error_answer"), scrape.reason


def test_no_recorded_page_is_taken_for_one_with_a_login_in_its_head_or_not():
    for name in all_sources():
        for looks in recorded_pages(name).values():
            for recorded in looks:
                text = recorded.page.text
                with_login = text.replace("</body>", f'<a href="/login">Log in</a>{FORM}</body>')
                for body in (text, with_login):
                    refuse_other_pages([Page(recorded.page.url, body.encode(), DAY, recorded.page.name)])


def test_a_saved_challenge_is_named_as_that_too(tmp_path):
    (file := tmp_path / "pricing.html").write_text(CLOUDFLARE)
    with pytest.raises(ErrorAnswer, match="a challenge"):
        parse_files("crusoe", [file], DAY, None)
