"""How much arithmetic a pre-training run needs, in FLOP.

C = 6 N_active D, plus the attention term where the shape is known. Activation recomputation is no part of it:
it lowers the utilisation instead. Hours and money do not belong here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from models.constants import constant
from models.llms import Llm

Attention = Literal["full", "causal", "none"]
ATTENTIONS: tuple[str, ...] = get_args(Attention)


@dataclass(frozen=True, slots=True)
class Flop:
    """FLOP per token, split in the part of the parameters (6 N_active) and the part of attention."""

    parameters_per_token: int
    attention_per_token: int
    tokens: int
    attention: Attention  # the convention that was counted

    @property
    def per_token(self) -> int:
        """FLOP of one token, forward and backward."""
        return self.parameters_per_token + self.attention_per_token

    @property
    def total(self) -> int:
        """FLOP of the whole run; exact, whatever its size."""
        return self.per_token * self.tokens

    @property
    def attention_share(self) -> float:
        """Attention over 6 N_active: 0.083 is 8.3% on top."""
        return self.attention_per_token / self.parameters_per_token


def counted_attention(llm: Llm, attention: Attention | None = None) -> Attention:
    """The attention convention that applies to `llm`.

    The default is `full`, 12 L d s per token, the convention of published MFU figures: it reproduces
    MosaicML's tables to 1%, and an MFU from a paper can be put in as it stands. `causal` halves it, as the
    kernels do. A size class is a parameter count and not an architecture, so it counts plain 6ND, and so does
    a model of unknown shape; the utilisation is restated to it (models.training.utilisation), so the hours are
    the same. ValueError when attention is asked for and the shape is unknown.
    """
    if attention is not None and attention not in ATTENTIONS:
        raise ValueError(f"attention {attention!r} is not one of {', '.join(ATTENTIONS)}")
    if attention is None:
        return "full" if llm.has_shape and llm.kind != "size_class" else "none"
    if attention != "none" and not llm.has_shape:
        raise ValueError(f"{llm.llm}: counting attention takes layers, width and sequence length")
    return attention


def training_flop(llm: Llm, attention: Attention | None = None) -> Flop:
    """FLOP of one pass over the tokens of `llm` (Kaplan et al. 2020; PaLM appendix B for attention)."""
    convention = counted_attention(llm, attention)
    attention_per_token = 0
    if convention != "none":
        assert llm.layers is not None
        assert llm.width is not None
        assert llm.seq_len is not None
        factor = int(constant(f"attention_flop_{convention}"))
        attention_per_token = factor * llm.layers * (llm.attention_width or llm.width) * llm.seq_len
    return Flop(
        parameters_per_token=int(constant("flop_per_parameter_token")) * llm.params_active,
        attention_per_token=attention_per_token,
        tokens=llm.tokens,
        attention=convention,
    )
