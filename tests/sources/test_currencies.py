"""A currency that an answer newly names is never passed over: its prices are not dollars because they once were."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from sources.challenges import rows_read
from sources.pages import recorded_pages
from sources.source import LayoutChanged, all_sources

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
