"""What stands beside a GPU's name and is none: CPUs, and words that only one maker's products carry.

Cuts CPUs out of a text and knows makers by their words. Which card a text names is models.gpus; how a name is
taken apart is models.naming.names.
"""

from __future__ import annotations

import re
from collections.abc import Collection

_GAP = r"[\s_,:/-]*"
_CPU_MAKER = r"(?:intel|amd|arm|aws|apple|ampere|ibm|oracle|fujitsu|google|microsoft|qualcomm|huawei|nvidia)"
_CPU_FAMILY = (
    r"(?:xeons?|epyc|ryzen|threadripper|opteron|athlon|phenom|sempron|pentium|celeron|itanium|altra|ampereone"
    r"|graviton|cobalt|axion|yitian|kunpeng|phytium|loongson|neoverse|cortex|sparc|power(?:pc)?(?=\W?\d)"
    r"|snapdragon|exynos|kirin|dimensity|helio|bionic|adreno|mali|core[\s_-]*(?:ultra|i)(?=\W?\d))"
)
_CPU_WORD = (
    r"(?:scalable|platinum|gold|silver|bronze|max|pro|ultra|phi|embedded|processors?|cpus?|family|series"
    r"|\d(?:st|nd|rd|th)|gen|generation)(?![a-z0-9])"
)
# The model of a CPU: 7763, E5-2680 v4, w9-3495X, 9 7950X, T4-1. "8x" after it counts cards.
_CPU_MODEL = (
    r"(?:\d(?=[\s_-]\d{4}))?[\s_-]*(?!\d{1,3}x(?:\d{4}|[a-z]|(?![a-z0-9])))[adeilmpqstwx]?-?\d[a-z0-9.+]*"
    r"(?:-(?!\d{1,2}x)\d{1,5}[a-z]{0,2}(?![a-z0-9]))?(?:\s?v\d(?!\w))?"
)
_CITIES = r"(?:genoa|milan|rome|naples|bergamo|turin|siena)"
_CODE_NAME = (
    r"(?:(?:sapphire|emerald|granite|diamond)[\s_-]*rapids|(?:ice|cascade|cooper|sky)[\s_-]*lake"
    r"|(?:ivy|sandy)[\s_-]*bridge|broadwell|haswell|sierra[\s_-]*forest|zen[\s_-]?\d?)"
)
_CPUS = tuple(
    re.compile(rf"(?<![a-z0-9])(?:(?:\d{{1,2}}\s?x|dual|quad)[\s_-]?)?(?<![a-z0-9]){pattern}(?![a-z])")
    for pattern in (
        r"(?:apple\s+)?a\d{1,2}x?[\s-]bionic",
        rf"(?:{_CPU_MAKER}{_GAP})?{_CPU_FAMILY}(?:{_GAP}{_CPU_WORD})*"
        rf"(?:{_GAP}{_CITIES}(?:{_GAP}\d{{4}}[a-z]{{0,2}}(?![a-z0-9]))?|{_GAP}{_CPU_MODEL})?",
        rf"(?:{_CPU_MAKER}{_GAP})?{_CODE_NAME}",
        rf"{_CPU_MAKER}{_GAP}(?:{_CITIES}|cpus?|processors?|hosts?)",
        rf"(?:cpus?|processors?|hosts?){_GAP}{_CPU_MAKER}",
        r"(?:amd\s+)?a(?:4|6|8|9|10|12)(?:[\s-]pro)?[\s-]\d{4}[kbpmeth]?(?![a-z0-9]|\s?[gm]i?b)",  # AMD A10-7850K
        r"i[3579]-?\d{4,5}[a-z]{0,2}",
    )
)

_WITHOUT_A_CARD_HERE = (
    *("apple", "ascend", "biren", "cambricon", "cerebras", "enflame", "furiosa", "graphcore", "groq", "hygon"),
    *("iluvatar", "imagination", "kunlun", "matrox", "metax", "moore", "mtia", "mtt", "powervr", "qualcomm"),
    *("rebellions", "sambanova", "samsung", "galaxy", "iphone", "ipad", "thinkpad", "allwinner"),
    *("amlogic", "sony"),
)
# Words that no card of another maker carries. Clouds that make chips (Google, AWS) rent those of others too.
MAKERS = {
    **dict.fromkeys(("nvidia", "geforce", "tesla", "quadro", "titan", "rtx", "gtx"), "NVIDIA"),
    **dict.fromkeys(("amd", "radeon", "instinct", "firepro", "rx", "rdna", "cdna"), "AMD"),
    **dict.fromkeys(("intel", "habana", "gaudi", "hl", "arc", "flex", "iris", "xe"), "Intel"),
    **dict.fromkeys(("tpu", "trillium", "ironwood"), "Google"),
    **dict.fromkeys(("trainium", "inferentia"), "AWS"),
    **dict.fromkeys(("tenstorrent", "grayskull", "wormhole", "blackhole"), "Tenstorrent"),
    **dict.fromkeys(_WITHOUT_A_CARD_HERE, "another"),
}


def without_cpus(text: str) -> str:
    """A plain text without the CPUs in it: `AMD EPYC 7763`, `Xeon E5-2680 v4`, `with Intel Ice Lake`."""
    for cpu in _CPUS:
        text = cpu.sub(" ", text)
    return text


def of_another_maker(words: Collection[str], vendor: str) -> bool:
    """Whether a word among `words` names another maker than that of the card."""
    return any(MAKERS.get(word, vendor) != vendor for word in words)
