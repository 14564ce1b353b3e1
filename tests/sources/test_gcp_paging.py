"""Google's catalogue: how its pages are walked, and when they are no catalogue."""

from __future__ import annotations

from typing import Any

import pytest
from exchanges import NOW, Replay, Site, http_for
from gcp_answers import A2_HOST, A2_SPOT, A100, page, read, sku

from models.offers import Quote
from sources.providers.gcp import BOOKS, MACHINES, SOURCE, fetch, parse
from sources.providers.gcp.catalogue import ACCELERATORS
from sources.source import ErrorAnswer, LayoutChanged, MissingSecret, Page, TruncatedAnswer, Unreachable


def exchange(body: object, status: int = 200) -> dict[str, Any]:
    return {
        "request": {"method": "GET", "url": "https://x/v1/services/6F81-5844-456A/skus"},
        "response": {"status": status, "body": body},
    }


def walk(adapter: Replay | Site) -> list[Page]:
    return list(fetch(http_for(SOURCE, adapter, secrets={"GCP_API_KEY": "s3cret"})))


def test_the_walk_follows_the_tokens_and_keeps_the_key_to_itself() -> None:
    first = {"skus": [sku(A100, "GPU", "2.9")], "nextPageToken": "two"}
    second = {"skus": A2_HOST, "nextPageToken": ""}
    replay = Replay([exchange(first), exchange(second)])
    pages = walk(replay)
    assert [(page.book, page.name) for page in pages] == [
        (book, name) for book in BOOKS for name in ("skus-1.json", "skus-2.json")
    ]
    assert "pageToken=two" in (replay.requests[1].url or "")
    assert all("key=s3cret" in (request.url or "") for request in replay.requests)
    assert not any("s3cret" in page.url for page in pages)
    machines = [row for row in parse(pages[:2]) if isinstance(row, Quote)]
    assert {(row.sku, row.page_sha256) for row in machines} >= {("a2-highgpu-1g", pages[0].sha256)}


def test_without_a_key_nothing_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GCP_API_KEY", raising=False)
    assert not SOURCE.ready
    with pytest.raises(MissingSecret, match="GCP_API_KEY"):
        list(fetch(http_for(SOURCE, Replay([]))))


def test_a_walk_in_circles_or_a_refusal_is_an_error() -> None:
    page_one = {"skus": A2_HOST, "nextPageToken": "again"}
    with pytest.raises(TruncatedAnswer, match="circles"):
        walk(Site(lambda _: {"status": 200, "body": page_one}))
    with pytest.raises(Unreachable, match="400"):
        walk(Replay([exchange({"error": {"code": 400, "message": "API key not valid"}}, 400)]))
    with pytest.raises(ErrorAnswer, match="quota"):
        walk(Replay([exchange({"error": {"code": 429, "message": "quota exceeded"}})]))


def test_a_missing_page_is_an_error() -> None:
    with pytest.raises(TruncatedAnswer):
        list(parse([page(A2_HOST, token="two")]))
    with pytest.raises(TruncatedAnswer):
        list(parse([page(A2_HOST), page(A2_SPOT)]))
    full = [sku(A100, "GPU", "2.9")] * 5000  # a full page without a token: the field was renamed
    with pytest.raises(TruncatedAnswer):
        list(parse([page(full)]))


@pytest.mark.parametrize("name", ["description", "category", "serviceRegions", "pricingInfo"])
def test_a_renamed_field_is_a_changed_layout(name: str) -> None:
    renamed = {("new" + key if key == name else key): value for key, value in sku(A100, "GPU", "2.9").items()}
    with pytest.raises(LayoutChanged, match=name):
        read(renamed)


@pytest.mark.parametrize("name", ["units", "nanos", "currencyCode"])
def test_a_price_without_units_or_nanos_is_a_changed_layout_and_never_a_smaller_price(name: str) -> None:
    row = sku(A100, "GPU", "2.9")
    del row["pricingInfo"][0]["pricingExpression"]["tieredRates"][0]["unitPrice"][name]
    with pytest.raises(LayoutChanged, match="nanos"):
        read(row)


def test_an_answer_that_is_no_catalogue_names_what_is_wrong() -> None:
    bodies = {b"<html>Sign in</html>": ErrorAnswer, b"{}": LayoutChanged, b'{"skus": 3}': LayoutChanged}
    for body, error in bodies.items():
        with pytest.raises(error):
            list(parse([Page("https://x", body, NOW, "skus-1.json")]))


def test_every_machine_has_an_accelerator_that_the_catalogue_names() -> None:
    named = {accelerator.component: accelerator for accelerator in ACCELERATORS.values()}
    for machine in MACHINES:
        assert named[machine.component].kind in ("machine", "slice")
        assert (named[machine.component].kind == "slice") == (not machine.family)
