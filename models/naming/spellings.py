"""How cards are spelled: the words of each family, and spellings.csv for what no rule gives.

A row of the CSV holds for the providers it names, or for all where it names none:

- `words`: these words, anywhere in a text, name this card. Several rows of one spelling leave it open which.
- `whole`: the entire text means this card; an empty `gpu` says that it names none.
- `default`: what the provider means where its text does not say memory or form factor.
- `printed`: a size printed for this card, as `family GB`, that is not its memory.
- `sliced`: the provider sells fractions of this card, so less memory than the card's is a slice of it.

Every row gives its reason. Taking a text apart is models.naming.names; the cards are models.gpus.
"""

from __future__ import annotations

import csv
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import permutations
from pathlib import Path

_MODIFIERS = {"ti": ("ti",), "super": ("super", "s")}  # written in either order: 4070 Ti SUPER, 4070S Ti


@dataclass(frozen=True, slots=True)
class Spellings:
    """What a provider's texts can say; every target is a slug of gpus.csv."""

    words: Mapping[tuple[str, ...], tuple[str, ...]]  # spelling -> cards it can mean; none: not one of ours
    wholes: Mapping[str, str]  # entire text -> card, or empty
    defaults: Mapping[str, str]  # family -> what is meant where the text does not say
    printed: Mapping[str, str]  # family and GB -> the card
    sliced: Mapping[str, str]  # family -> the card that is sold in fractions
    longest: int  # words in the longest spelling


@cache
def spellings(seller: str, families: tuple[str, ...]) -> Spellings:
    """The spellings valid at `seller` (a bare lower-case name, or empty): its own go before the common ones."""
    words: dict[tuple[str, ...], tuple[str, ...]]
    words = {spelled: (family,) for family in families for spelled in _of_family(family)}
    tables: dict[str, dict[str, str]] = {"whole": {}, "default": {}, "printed": {}, "sliced": {}}
    for only in (False, True):  # common rows first, so that the seller's own replace them
        listed: defaultdict[tuple[str, ...], list[str]] = defaultdict(list)
        for row in _rows():
            if bool(row["providers"]) != only or (only and seller not in row["providers"].split()):
                continue
            if row["match"] == "words":
                listed[tuple(row["spelling"].split())] += [row["gpu"]] if row["gpu"] else []
            else:
                tables[row["match"]][row["spelling"]] = row["gpu"]
        words |= {spelled: tuple(slugs) for spelled, slugs in listed.items()}
    longest = max(map(len, words))
    return Spellings(words, tables["whole"], tables["default"], tables["printed"], tables["sliced"], longest)


@cache
def vocabulary(families: tuple[str, ...]) -> Mapping[str, str]:
    """The words that tell a model also where they are written without a gap: those with a number, but for the
    version numbers of TPUs, which stand on anything. Each with its singular: `h100s` is of H100, `l40s` of itself,
    and a number alone has no plural, as an S makes a SUPER or a server edition of it."""
    every = {word for family in families for spelled in _of_family(family) for word in spelled}
    every |= {word for row in _rows() if row["match"] == "words" for word in row["spelling"].split()}
    models = {word: word for word in every if re.search(r"\d", word) and not re.fullmatch(r"\d|v?\d\w?", word)}
    return {word + "s": word for word in models if not word.isdigit()} | models


@cache
def _rows() -> tuple[dict[str, str], ...]:
    with Path(__file__).with_name("spellings.csv").open(encoding="utf-8", newline="") as lines:
        return tuple(csv.DictReader(lines))


def _of_family(family: str) -> Iterable[tuple[str, ...]]:
    """The words of a family slug, and GeForce and RTX PRO numbers without their brand: 4090, pro 6000."""
    brand = re.match(r"(rtx|gtx|rx|quadro|intel|arc|radeon)_", family)
    words = tuple(family.split("_"))
    if words[0] == "tpu":
        yield ("".join(words),)
    plain = [word for word in words if word not in _MODIFIERS]
    turned = [word for word in words if word in _MODIFIERS]
    for order in permutations(turned):
        for last in _spelled(order):
            yield (*plain, *last)
            if brand and brand[1] != "quadro" and _tells_without_brand(plain[1:]):
                yield (*plain[1:], *last)


def _spelled(modifiers: tuple[str, ...]) -> Iterable[tuple[str, ...]]:
    if not modifiers:
        yield ()
        return
    for first in _MODIFIERS[modifiers[0]]:
        for rest in _spelled(modifiers[1:]):
            yield (first, *rest)


def _tells_without_brand(words: list[str]) -> bool:
    """4090, A6000, PRO 6000 and 6000 Ada are one card each; 6000 alone is four."""
    return len(words) > 1 or not re.fullmatch(r"\d000|\d500", words[0])
