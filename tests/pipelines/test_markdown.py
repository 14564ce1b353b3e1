"""Words of a page in a table of Dagster: they neither break it nor become links, images or markup."""

from __future__ import annotations

import pytest
from markdown_it import MarkdownIt

from pipelines.markdown import bullets, table

HOSTILE = [
    "a | b",
    "two\nlines",
    "`code` and ``` fence",
    "<script>alert(1)</script><img src=x onerror=y>",
    "[cheap](javascript:alert(1)) ![x](https://tracker.example/p.gif)",
    "back\\slash \\| &lt;b&gt;",
    "# *heading*",
]


def _cells(markdown: str) -> list[str]:
    tokens = MarkdownIt("commonmark", {"html": True}).enable("table").parse(markdown)
    inlines = [token for token in tokens if token.type == "inline"]
    for token in inlines:
        assert {child.type for child in token.children or []} <= {"text", "text_special"}
    return ["".join(child.content for child in token.children or []) for token in inlines]


@pytest.mark.parametrize("words", HOSTILE)
def test_a_cell_shows_the_words_as_they_are(words: str) -> None:
    shown = " ".join(words.split())
    assert _cells(table(["sku", "price"], [(words, 1), ("next", words)])) == ["sku", "price", shown, "1", "next", shown]


@pytest.mark.parametrize("words", HOSTILE)
def test_a_list_shows_the_words_as_they_are(words: str) -> None:
    assert _cells(bullets([words, "next"])) == [" ".join(words.split()), "next"]
