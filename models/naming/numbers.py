"""How many cards a text says, and whether of whole machines of cards: in figures, words and units of either.

Cuts them out of a text. Counts glued to a name or beside an x are read by models.naming.names; what they add up to,
and whether a row agrees with it, is models.naming.counts.
"""

from __future__ import annotations

import re

_WORDS = {
    word: number
    for number, words in (
        *((1, "single one 单"), (2, "dual twin two double duo pair couple 双"), (3, "three triple")),
        *((4, "four quad quadruple quartet 四"), (5, "five"), (6, "six"), (7, "seven"), (9, "nine"), (10, "ten")),
        *((8, "eight octa octo octal octuple octet 八"), (12, "dozen twelve"), (16, "sixteen")),
    )
    for word in words.split()
}
_CARDS = (
    r"(?:gpu'?s|cards|accelerators|chips|way|fold|pcs|pieces|units|pack|bundle|modules|devices|times"
    r"|[卡张块枚片장개])(?![a-z0-9])"
)
_CARD = r"(?:gpu|card|accelerator|chip|module|oam)(?![a-z0-9])"
# What holds several cards. A server is an edition of RTX PRO; a host's memory and a virtual machine hold none.
_MACHINE = (
    r"(?:(?:(?:super|base)?(?:node|pod|cluster)|rack|(?:ultra)?server(?!\W*edition)|(?<!virtual.)machine|box(?:e(?=s))?"
    r"|(?:system|host)(?!\W*(?:ram|memory|dram|disk|storage|os(?![a-z])))|cabinet|station|appliance|tray|baseboard"
    r"|platform|ubb)s?"
    r"|chassis|packs|packages|bundles|节点|服务器|集群|机柜|台)(?![a-z0-9])"
)
_SEVERAL = re.compile(
    rf"(?<![a-z0-9])(?:{_MACHINE}|(?:pack|package|bundle|several|multi(?:ple)?)(?!\W?instance|[a-z0-9])"
    r"|(?:full|whole|entire|complete)[\s_-]+(?:nvidia[\s_-]+)?[dh]gx(?![a-z0-9]))"
)
_SERVER_EDITION = re.compile(r"(?<![a-z])(pro(?:[\s_-]*\d{4}\D*)?)[\s_-]*server(?!s)")  # RTX PRO 6000 Blackwell Server
_ALONE = r"(?<![a-z0-9.])(?<!gaudi.)(?<!trainium.)(?<!inferentia.)"  # a number, and none of a model
_DIGITS = rf"{_ALONE}([1-9]\d{{0,2}})"
_KIND = r"(?:nvidia|amd|intel|instinct|geforce|tesla|hgx|dgx|sxm\d?|pcie|nvlink|rtx|pro|full|whole|bare|metal)"
_NAME = rf"(?:(?:{_KIND}|[a-z]{{0,3}}\d{{1,4}}[a-z]?)[\s_-]+){{1,5}}"
_IN_ALL = re.compile(rf"(?<![a-z])(?:across|over|in|on)\s{_DIGITS}\s?(?={_MACHINE})")  # 16 H100 in 2 nodes
_HOW_MANY_MACHINES = re.compile(
    rf"{_DIGITS}[\s_-]*(?:x[\s_-]*)?"
    rf"(?=(?:{_KIND}[\s_-]+)*{_MACHINE}|(?:nvidia[\s_-]*)?[dh]gx(?![a-z0-9])"  # 2 x HGX nodes; 2x DGX H100
    rf"|{_NAME}{_MACHINE}(?<=s))"  # 2 H100 nodes
)
# 1x H100 node, one H100 server: one of these, or with one of those? Of "1 GPU" it is told.
_OF_WHICH_ONE = re.compile(
    rf"(?<![a-z0-9])(?:(?:1\s?x|(?:1|one|single)(?=[\s_-]))(?![\s_-]*(?:{_CARD}|\d))|x\s?1(?!\d))"
)
_BEFORE_A_UNIT = re.compile(
    rf"(?<![a-z0-9])({'|'.join(_WORDS)})(?=[\s_-]*(?:{_CARDS}|{_CARD}|(?:{_KIND}[\s_-]+)*{_MACHINE}))"
    rf"|(?<=\bof )({'|'.join(_WORDS)})(?![a-z])"
)
_BRAND = r"(?:nvidia|geforce|tesla|quadro|amd|radeon|instinct|intel|rtx|gtx|hgx|gaudi|tpu|trainium|inferentia"
_COUNTS = (
    re.compile(rf"{_ALONE}(\d{{1,4}})[\s_-]?{_CARDS}"),
    re.compile(rf"{_ALONE}(1?\d)[\s_-]?{_CARD}"),
    re.compile(r"(?<=hgx)[\s_-]?(4|8|16)(?![a-z0-9])"),
    # cluster of 8; 2 years are none
    re.compile(r"(?<![a-z])of\s(\d{1,3})(?![a-z0-9.%]|\W*(?:(?:min|hour|day|week|month|year)s?(?![a-z])))"),
    re.compile(
        r"(?<![a-z])(?:(?:qty|quantity|count)\W{0,2}|(?:gpus?|cards|accelerators)\s?[:=]\s?)(\d{1,3})(?![a-z0-9.])"
    ),
    re.compile(r"(?<=[a-z\d]):\s*([1-9]\d{0,3})$"),  # H100:8
    re.compile(r"\(\s*([1-8])\s*\)$"),  # H100 (8), where (24) is memory
    # 8 NVIDIA H100, [8] H100, 8 of the H100; in brackets behind the name it may be a footnote's mark
    re.compile(rf"^[(\[]?\s*([1-9]\d{{0,2}})\s*[)\]]?[\s_·-]+(?:of\s(?:the\s)?)?(?={_BRAND}|[a-z]{{1,3}}\d))"),
    re.compile(
        r"(?<=[had] )(?:(?<=\bwith )|(?<=\bnvidia )|(?<=\bamd ))([1-9]\d?)"
        r"(?=\s(?:nvidia|amd|rtx|(?:[ahlbpvt]|g[bh]|mi)\d))"
    ),
)
_NODES = (
    re.compile(r"(?<![a-z0-9.])([1-9]\d?)x([248])(?=\s(?:nvidia|amd|(?:[ahlbpvt]|g[bh]|mi)\d))"),  # 2x4 H100: 8
    re.compile(
        r"(?<![a-z0-9.])([1-9]\d?)\s?x\s?([248])\s?x(?=\s?(?:nvidia|amd|(?:[ahlbpvt]|g[bh]|mi)\d))"
    ),  # 8 x 8xH100
)
_IN_WORDS = re.compile(
    rf"(?<![a-z0-9])({'|'.join(_WORDS)})(?:\s+of)?"
    rf"(?=[\s_-]*[)\]]?$|[\s_-]+(?:{_BRAND}|gpus?(?![a-z])|[a-z]{{0,3}}\d)))"
)


def cut_machines(text: str) -> tuple[str, int]:
    """A plain text without the number of whole machines that it names, and that number: 2 of `2 nodes x 8 H100`, 1 of
    `HGX B300 node`, 0 where it names none."""
    text = _BEFORE_A_UNIT.sub(lambda found: str(_WORDS[found[1] or found[2]]), text)
    named = _SEVERAL.search(_SERVER_EDITION.sub(r"\1 edition", text))
    text = _IN_ALL.sub(" in ", text)
    # the number goes, the machine stays: it may tell an edition, or that a bare number is no card
    if found := _HOW_MANY_MACHINES.search(text):
        return _HOW_MANY_MACHINES.sub(" ", text), int(found[1])
    return (_OF_WHICH_ONE.sub(" ", text), 1) if named else (text, 0)


def cut_counts(text: str) -> tuple[str, set[int]]:
    """A plain text without the counts of cards that it says in full, and those: `8 GPUs`, `8-way`, `(8)`."""
    counts: set[int] = set()
    for nodes in _NODES:
        if found := nodes.findall(text):
            counts |= {int(number) * int(cards) for number, cards in found}
            text = nodes.sub(" ", text)
    for said in _COUNTS:
        if found := said.findall(text):
            counts |= {int(number) for number in found} - {0}
            text = said.sub(" ", text)
    counts |= {_WORDS[word] for word in _IN_WORDS.findall(text)}
    return _IN_WORDS.sub(" ", text), counts
