"""The table of models, and the constants every formula reads."""

from __future__ import annotations

from dataclasses import replace

import pytest

from models.constants import constants
from models.llms import llm_named, llms


def test_counts_are_exact():
    # 540.35e9 and 0.78e12 have no exact product in binary floats
    palm = llm_named("PaLM 540B")
    assert (palm.params_total, palm.tokens) == (540_350_000_000, 780_000_000_000)
    assert llm_named("Megatron-LM 8.3B").tokens == 157_200_000_000


def test_size_classes_follow_their_sources():
    tokens_t = {model.llm: model.tokens / 1e12 for model in llms() if model.kind == "size_class"}
    # Pythia-1B, the worked example, Llama 2 13B, Llama 3.1 70B and 405B, 20 tokens per parameter
    assert tokens_t == {"1B": 0.3, "7B": 1, "13B": 2, "70B": 15, "405B": 15.6, "1T": 20}


def test_a_model_is_found_whatever_its_case():
    assert llm_named(" 7b ").llm == "7B"
    assert llm_named("deepseek-v3").params_active == 37 * 10**9


def test_an_unknown_model_brings_the_nearest_names():
    with pytest.raises(KeyError, match=r"did you mean .*Llama 3.1 405B"):
        llm_named("llama 3 405b")


def test_every_model_says_where_it_is_from():
    names = [model.llm for model in llms()]
    assert len(names) == len(set(map(str.casefold, names)))
    for model in llms():
        assert model.source, model.llm
        assert model.confidence in ("high", "medium", "low", "definition"), model.llm


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"params_active": 0}, "must be positive"),
        ({"params_active": 700 * 10**9}, "active at most the total"),
        ({"tokens": 0}, "tokens must be positive"),
        ({"layers": -1}, "layers, width and sequence length must be positive"),
        ({"architecture": "dense"}, "a dense model uses all its parameters"),
        ({"architecture": "rnn"}, "not dense or moe"),
    ],
)
def test_impossible_models_are_refused(wrong, said):
    with pytest.raises(ValueError, match=said):
        replace(llm_named("DeepSeek-V3"), **wrong)


def test_every_constant_has_a_unit_and_a_source_and_lies_in_its_range():
    for constant in constants().values():
        assert constant.unit, constant.name
        assert constant.source, constant.name
        assert constant.low <= constant.value <= constant.high, constant.name


def test_a_model_is_found_with_hyphens_for_spaces() -> None:
    assert llm_named("llama-3.1-405b").llm == "Llama 3.1 405B"
    assert llm_named("DeepSeek V3").llm == "DeepSeek-V3"
    assert len({model.llm.casefold().replace("-", " ") for model in llms()}) == len(llms())
