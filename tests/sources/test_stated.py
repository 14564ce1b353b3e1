"""What an answer newly says of all its prices is never passed over: a currency, that it goes on, a condition of all."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from models.offers import Quote, Unreadable
from sources.pages import recorded_pages
from sources.rows import rows_read
from sources.source import LayoutChanged, Page, TruncatedAnswer, all_sources

NAMED_NOWHERE = ["hyperbolic", "runpod", "salad", "tensordock", "thundercompute", "voltagepark", "vultr", "shadeform"]


@pytest.mark.parametrize("name", NAMED_NOWHERE)
def test_a_currency_that_is_newly_named_is_a_redesign(name: str) -> None:
    *_, recorded = recorded_pages(name).values()
    pages = [one.page for one in recorded if one.page.book == recorded[0].page.book]
    assert rows_read(all_sources()[name], pages)
    stated = [replace(page, body=json.dumps(in_rupees(json.loads(page.body))).encode()) for page in pages]
    with pytest.raises(LayoutChanged, match="names INR, where prices were read as USD"):
        rows_read(all_sources()[name], stated)


def in_rupees(answer: Any) -> Any:
    """The answer with a currency in its object, or in each of its list."""
    return [in_rupees(one) for one in answer] if isinstance(answer, list) else {"currency": "INR", **answer}


def last_pages(name: str) -> list[Page]:
    *_, recorded = recorded_pages(name).values()
    return [one.page for one in recorded if one.page.book == recorded[0].page.book]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("oci", {"hasMore": True}),
        ("shadeform", {"next_cursor": "abc"}),
        ("salad", {"pagination": {"next": "/v2?page=2"}}),
        ("tensordock", {"total_count": 4_000}),
        ("cudo", {"nextPageToken": "CAE="}),
    ],
)
def test_a_list_that_says_it_goes_on_is_not_whole(name: str, said: dict[str, Any]) -> None:
    pages = [page for page in last_pages(name) if page.body.lstrip()[:1] == b"{"]
    assert rows_read(all_sources()[name], pages)
    *before, last = pages
    going_on = replace(last, body=json.dumps(said | json.loads(last.body)).encode())
    with pytest.raises(TruncatedAnswer, match=r"goes on|holds \d+ of the 4000"):
        rows_read(all_sources()[name], [*before, going_on])
    ended = {name: value if isinstance(value, dict) else None for name, value in said.items()} | {"pagination": {}}
    assert rows_read(
        all_sources()[name], [*before, replace(last, body=json.dumps(ended | json.loads(last.body)).encode())]
    )


@pytest.mark.parametrize(
    "sentence",
    [
        "Prices shown are with a 12-month commitment.",
        "All prices require an annual contract.",
        "All prices are in Canadian dollars (CAD)",
        "Pricing is in EUR, without VAT",
    ],
)
@pytest.mark.parametrize("name", ["crusoe", "lambda", "fal", "hotaisle", "modal"])
def test_a_sentence_that_binds_all_prices_of_a_page_is_a_redesign(name: str, sentence: str) -> None:
    pages = last_pages(name)
    said = [replace(page, body=page.text.replace("<body", f"<p>{sentence}</p><body", 1).encode()) for page in pages]
    with pytest.raises(LayoutChanged, match="says of its prices"):
        rows_read(all_sources()[name], said)


@pytest.mark.parametrize("name", ["crusoe", "fal", "hotaisle", "hyperstack", "lambda", "modal", "replicate"])
def test_prices_of_a_chosen_tab_are_those_of_its_name(name: str) -> None:
    chosen = '<button role="tab" aria-selected="true"><span>1-year reserved</span></button>'
    said = [replace(page, body=page.text.replace("</body>", f"{chosen}</body>").encode()) for page in last_pages(name)]
    with pytest.raises(LayoutChanged, match="shows the prices of '1-year reserved'"):
        rows_read(all_sources()[name], said)
    other = [replace(page, body=page.body.replace(b"true", b"false")) for page in said]
    assert rows_read(all_sources()[name], other)


@pytest.mark.parametrize(
    ("name", "title"), [("crusoe", ">On-demand<"), ("fal", ">List Price<"), ("replicate", ">Price<"), ("lambda", "*<")]
)
def test_a_note_to_a_title_that_binds_is_a_redesign(name: str, title: str) -> None:
    marked = [page.text.replace(title, title.rstrip("*<") + "*<") for page in last_pages(name)]
    noted = [text.replace("</body>", "<p>* with a 12-month commitment</p></body>") for text in marked]
    with pytest.raises(LayoutChanged, match="says of its prices"):
        rows_read(all_sources()[name], [replace(last_pages(name)[0], body=text.encode()) for text in noted])
    taxed = [text.replace("</body>", "<p>* plus taxes</p></body>") for text in marked]
    assert rows_read(all_sources()[name], [replace(last_pages(name)[0], body=text.encode()) for text in taxed])


@pytest.mark.parametrize(
    "sentence",
    [
        "Prices are in USD and exclude taxes.",
        "Our prices are for everybody: no commitment.",
        "Contact us for prices of reserved clusters, from one year on.",
        "Save 30% on list prices with a reserved contract.",
    ],
)
def test_other_sentences_about_prices_bind_none(sentence: str) -> None:
    pages = [replace(page, body=page.body + f"<p>{sentence}</p>".encode()) for page in last_pages("fal")]
    assert rows_read(all_sources()["fal"], pages)


@pytest.mark.parametrize("name", NAMED_NOWHERE)
def test_a_field_that_may_bind_a_price_and_that_nobody_reads_is_told_and_costs_no_price(name: str) -> None:
    pages = last_pages(name)
    before = rows_read(all_sources()[name], pages)
    said = {"commitment_months": 12, "is_spot": False, "billing_period": "monthly"}
    *others, last = pages
    answer = json.loads(last.body)
    answer = [said | one for one in answer] if isinstance(answer, list) else said | answer
    read = rows_read(all_sources()[name], [*others, replace(last, body=json.dumps(answer).encode())])
    told = [row.detail for row in read if isinstance(row, Unreadable) and row.reason == "unread_field"]
    assert [detail.rpartition(" ")[2] for detail in told] == ["'billing_period'", "'commitment_months'"]
    assert sum(isinstance(row, Quote) for row in read) == sum(isinstance(row, Quote) for row in before)
