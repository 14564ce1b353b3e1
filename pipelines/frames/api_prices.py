"""Token prices of model APIs for the models we know, from the maintained list of the package genai-prices.

The package brings its list with it: nothing is fetched, and its version is the provenance. Names differ by
provider, so a model is found by its plain name: maker, precision and `instruct` aside.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from models.llms import Llm

if TYPE_CHECKING:
    from genai_prices.types import ModelInfo, Provider

# what providers add to the name of the same weights
_ADDED = re.compile(
    r"(?<=-)(instruct|chat|it|hf|turbo|lite|fp8|fp4|fp16|bf16|awq|base|reference|reasoning|tee|fast"
    r"|17b|16e|128e|\d{4}|maas|versatile|instant)(?=-|$)"
)


@dataclass(frozen=True, slots=True)
class ApiPrice:
    """USD per million tokens of one model at one API."""

    llm: str
    api_provider: str
    api_model: str
    input_usd_per_million: Decimal
    output_usd_per_million: Decimal
    pricing_url: str
    list_version: str


def api_prices(llms: Sequence[Llm], now: datetime | None = None) -> list[ApiPrice]:
    """Every listed price of the open ones of these models: above zero, and the same for every token of its kind."""
    from genai_prices import __version__

    wanted = {plain_name(llm.llm): llm.llm for llm in llms if llm.kind == "named" and llm.kv_heads}
    found = {
        (price.llm, price.api_provider, price.input_usd_per_million, price.output_usd_per_million): price
        for provider, model in _models()
        if (llm := wanted.get(plain_name(model.id)))
        and (price := _price(llm, provider, model, now or datetime.now(UTC), __version__))
    }
    return sorted(found.values(), key=lambda price: (price.llm, price.output_usd_per_million, price.api_provider))


def api_prices_of(name: str, now: datetime | None = None) -> list[ApiPrice]:
    """Prices of the API models whose id is `name`, with or without the maker; ValueError where none is."""
    from genai_prices import __version__

    asked = name.casefold()
    found = [
        price
        for provider, model in _models()
        if asked in (model.id.casefold(), model.id.casefold().rpartition("/")[2])
        and (price := _price(model.id, provider, model, now or datetime.now(UTC), __version__))
    ]
    if not found:
        from difflib import get_close_matches

        ids = {model.id.rpartition("/")[2].casefold() for _, model in _models()}
        near = ", ".join(get_close_matches(asked, ids, n=3, cutoff=0.4)) or "gpt-5, claude-sonnet-4-5"
        raise ValueError(f"no API lists a price for {name!r}; did you mean {near}?")
    return sorted(found, key=lambda price: (price.output_usd_per_million, price.api_provider))


def plain_name(name: str) -> str:
    """A model's name without its maker and what providers add: meta-llama/Llama-3.1-70B-Instruct is llama3170b."""
    text = re.sub(r"[ _.:@]", "-", name.casefold().rpartition("/")[2])
    text = re.sub(r"-v3p1-", "-3-1-", text).removeprefix("meta-").removesuffix("-free")
    return re.sub(r"[^a-z0-9]", "", _ADDED.sub("", text))


def _models() -> Iterator[tuple[Provider, ModelInfo]]:
    from genai_prices.data_snapshot import get_snapshot

    for provider in get_snapshot().providers:
        for model in provider.models:
            yield provider, model


def _price(llm: str, provider: Provider, model: ModelInfo, now: datetime, version: str) -> ApiPrice | None:
    price = model.get_prices(now)
    given, generated = _flat(price.input_mtok), _flat(price.output_mtok)
    if not given or not generated:  # free trials, and prices that depend on the length of the request
        return None
    url = (provider.pricing_urls or [""])[0]
    return ApiPrice(llm, provider.id, model.id, given, generated, url, f"genai-prices {version}")


def _flat(amount: Any) -> Decimal | None:
    return amount if isinstance(amount, Decimal) and amount > 0 else None
