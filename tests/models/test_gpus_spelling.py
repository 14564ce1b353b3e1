"""However a name is spelled: the same card or unknown, never another card."""

from __future__ import annotations

import re
from decimal import Decimal

from hypothesis import assume, example, given
from hypothesis import strategies as st

from models.gpu_table import cards, families
from models.gpus import Resolved, gpus, resolve

# Text, what it names, and what may stand around it without changing it.
NAMES = {
    "H100 SXM5 80GB": "h100_sxm",
    "H100 PCIe 80GB": "h100_pcie",
    "H100 NVL 94GB": "h100_nvl",
    "H200 SXM 141GB": "h200_sxm",
    "H200 NVL": "h200_nvl",
    "GH200 96GB": "gh200",
    "B200 SXM6 180GB": "b200",
    "B300 288GB": "b300",
    "GB200 NVL72": "gb200",
    "A100 SXM4 40GB": "a100_sxm_40",
    "A100 PCIe 80GB": "a100_pcie_80",
    "A100 80GB": "a100_80",
    "A100X 80GB": "a100x",
    "A10 24GB": "a10",
    "A10G": "a10g",
    "L4 24GB": "l4",
    "L40 48GB": "l40",
    "L40S 48GB": "l40s",
    "V100 SXM2 32GB": "v100_sxm_32",
    "T4 16GB": "t4",
    "RTX A6000 48GB": "rtx_a6000",
    "RTX 6000 Ada 48GB": "rtx_6000_ada",
    "RTX PRO 6000 96GB": "rtx_pro_6000",
    "RTX 4000 SFF Ada": "rtx_4000_sff_ada",
    "RTX 4090 24GB": "rtx_4090",
    "RTX 4090 48GB": "rtx_4090_48",
    "RTX 4070 Ti SUPER 16GB": "rtx_4070_ti_super",
    "RTX 4070 SUPER 12GB": "rtx_4070_super",
    "RTX 3080 Ti": "rtx_3080_ti",
    "GTX 1660 SUPER": "gtx_1660_super",
    "Quadro RTX 6000 24GB": "quadro_rtx_6000",
    "MI300X 192GB": "mi300x",
    "MI355X 288GB": "mi355x",
    "Gaudi2 96GB": "gaudi2",
}
NAME = st.sampled_from(sorted(NAMES))
SEPARATORS = st.sampled_from([" ", "-", "_", "/", ",", "  ", " - ", " · ", " | "])
VENDOR_WORDS = {
    "NVIDIA": ["NVIDIA", "Nvidia", "GeForce", "Tesla", "GPU", "nvidia-"],
    "AMD": ["AMD", "AMD Instinct", "Instinct", "GPU", "amd-"],
    "Intel": ["Intel", "Habana", "GPU", "intel-"],
}
NOISE = st.sampled_from(["cloud instance", "baremetal", "spot", "on-demand", "high perf", "CC", "with AMD CPU", "ib"])


def cased(text: str, upper: list[bool]) -> str:
    return "".join(c.upper() if up else c.lower() for c, up in zip(text, upper, strict=False))


def slug(found: Resolved | None) -> str | None:
    return found and found.gpu.gpu


@given(NAME, SEPARATORS, st.lists(st.booleans(), min_size=40, max_size=40))
def test_case_and_separators_do_not_matter(text, separator, upper):
    assert slug(resolve(cased(text.replace(" ", separator), upper))) == NAMES[text]


@given(NAME, st.sampled_from(["PCI-E", "PCI E", "PCI_E", "PCI Express", "PCI-Express", "PCIExpress"]))
@example("A100 PCIe 80GB", "PCI-E")
def test_the_spelling_of_pcie_does_not_matter(text, pcie):
    assert slug(resolve(text.replace("PCIe", pcie))) == NAMES[text]


MODEL = st.sampled_from([family for family in families() if re.fullmatch(r"[a-z]+\d+[a-z]*", family)])


@given(MODEL, st.sampled_from(["{}s", "NVIDIA {}S", "8x {}s", "8x{}s", "{}s SXM5"]))
@example("h100", "{}s")
def test_the_plural_of_a_name_is_the_same_card(model, plural):
    if model + "s" not in families():  # V100S and L40S are cards
        assert resolve(plural.format(model)) == resolve(plural.replace("{}s", "{}").replace("{}S", "{}").format(model))


@given(MODEL)
@example("mi300x")
def test_a_hyphen_inside_a_name_does_not_matter(model):
    apart = re.sub(r"(?<=[a-z])(?=\d)", "-", model)
    assert resolve(apart) == resolve(re.sub(r"(?<=\d)(?=[a-z])", "-", apart)) == resolve(model)


COUNTED = st.sampled_from(["{n}x {t}", "{n}x{t}", "{n}{t}", "gpu_{n}x_{t}", "{t} x{n}", "{t}_{n}x", "{n} x {t}"])


@given(NAME, st.integers(1, 16), COUNTED)
def test_a_count_does_not_change_the_card(text, n, pattern):
    assert slug(resolve(pattern.format(n=n, t=text.replace(" ", "_")))) == NAMES[text]


@given(NAME, st.data(), NOISE)
def test_words_of_its_vendor_and_noise_do_not_change_the_card(text, data, noise):
    vendor = data.draw(st.sampled_from(VENDOR_WORDS[gpus()[NAMES[text]].vendor]))
    assert slug(resolve(f"{vendor} {text}")) == NAMES[text]
    assert slug(resolve(f"{vendor} {text} {noise}")) == NAMES[text]


@given(NAME, st.sampled_from(["{} GB", "{}GiB", "{}Gi", "{}G", "{} gb", "({}GB)", "{}GB VRAM"]))
def test_the_unit_of_memory_does_not_matter(text, unit):
    respelled = re.sub(r"(\d+)GB", lambda found: unit.format(found[1]), text)
    assert slug(resolve(respelled)) == NAMES[text]


@given(NAME)
def test_mebibytes_are_gibibytes_times_1024(text):
    respelled = re.sub(r"(\d+)GB", lambda found: f"{int(found[1]) * 1024} MiB", text)
    assert slug(resolve(respelled)) == NAMES[text]


@given(NAME, st.data())
def test_in_another_order_it_is_the_same_card_or_unknown(text, data):
    words = data.draw(st.permutations(text.split()))
    assert slug(resolve(" ".join(words))) in (NAMES[text], None)


@given(NAME, st.text(alphabet="befhjkqtuvyz0123456789", min_size=1, max_size=3))
@example("H100 SXM5 80GB", "t")
@example("H200 SXM 141GB", "ki")
@example("MI300X 192GB", "0")
def test_a_letter_or_digit_more_makes_another_card(text, tail):
    model = re.findall(r"[A-Za-z]*\d{1,4}[A-Z]?", text)[0]
    assume(not (model.endswith("X") and re.fullmatch(r"[1-9]\d?", tail)))  # MI300X8 is eight of them
    found = resolve(text.replace(model, model + tail, 1))
    assert found is None or found.gpu.gpu_family != gpus()[NAMES[text]].gpu_family


@given(st.sampled_from(["h", "b", "a", "gb", "gh", "mi", "rtx ", "rtx pro ", "rtx a", "gtx "]), st.integers(100, 9999))
def test_a_number_that_is_no_model_is_unknown(prefix, number):
    sold = {int(digits) for family in families() for digits in re.findall(r"\d{3,4}", family)}
    if number not in sold:
        assert resolve(f"{prefix}{number}") is None


@given(NAME, st.decimals(Decimal("0.5"), Decimal(400), places=1))
def test_memory_beside_the_name_confirms_it_or_makes_it_unknown(text, memory_gb):
    named = gpus()[NAMES[text]]
    found = resolve(text, None, memory_gb)
    if found is None:
        assert named.memory_gb is None or not Decimal("0.93") * named.memory_gb <= memory_gb <= named.memory_gb
    else:
        assert found.gpu.gpu == NAMES[text] or found.gpu.gpu_family == named.gpu_family
        assert found.gpu_memory_gb is not None
        assert abs(memory_gb / found.gpu_memory_gb - 1) < Decimal("0.1")


ANY_TEXT = st.text(max_size=80) | st.from_regex(r"[18]x? ?[AH]100[ .x/-]?[0-9]{0,3}(GB|V|/[0-9])?")


@given(ANY_TEXT, st.none() | st.text(max_size=20), st.none() | st.decimals())
def test_any_text_has_an_answer(text, provider, memory_gb):
    if memory_gb is None or not memory_gb.is_snan():
        found = resolve(text, provider, memory_gb)
        assert found is None or found.gpu.gpu in gpus()


def test_every_card_is_found_by_its_own_name():
    for family in families():
        for card in cards(family):
            found = resolve(card.name)
            assert found is not None, card.name
            assert found.gpu.gpu == card.gpu, card.name
