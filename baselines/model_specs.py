"""Language models from specs: ``hf:PATH``, ``gguf:PATH``, ``openai:MODEL@URL``, ``anthropic:MODEL``, others."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any
from urllib.parse import unquote

from econzoo.baselines.calls import current_budget
from econzoo.baselines.language_model import LanguageModelPlayer
from econzoo.baselines.models import HALF, PRICES_ALLOWED, CannedChat, ChatModel, LlamaCppChat, NativeChat, OpenAIChat
from econzoo.baselines.models import Prices, TransformersChat, are_prices
from econzoo.baselines.parts import OPTIONS, Parts, parts_of
from econzoo.baselines.presets import OPTION as PRESET
from econzoo.envs.core.contract import parse_json, unknown_name
from econzoo.envs.core.faces import FINISHES
from econzoo.envs.core.record import identity, split_address

STOP = "stop"
"""Finish reason of a complete reply."""

OptionParser = Callable[[str], Any]
"""Parses an option, or raises a `ValueError` with what is expected."""


def parse_number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError("a number") from None


def parse_integer(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ValueError("an integer") from None


def parse_bool(text: str) -> bool:
    """Parse ``1``, ``true``, ``yes`` or their opposites."""
    known = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}
    if text.lower() not in known:
        raise ValueError("yes or no (1 or 0, true or false)")
    return known[text.lower()]


def parse_prices(text: str) -> Prices:
    """Parse comma-separated dollars per million tokens: input and output, or input, cached input and output."""
    with suppress(ValueError):
        if are_prices(prices := tuple(map(float, text.split(",")))):
            return prices
    raise ValueError(PRICES_ALLOWED)


def parse_json_object(text: str) -> dict[str, Any]:
    try:
        value = parse_json(text, finite=True)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise ValueError('a JSON object, such as {"key": 1}')
    return value


def parse_finishes(text: str) -> tuple[str, ...]:
    """Parse comma-separated finish reasons of canned replies: ``stop`` or one of `FINISHES`."""
    names = text.split(",")
    if not {STOP, *FINISHES}.issuperset(names):
        raise ValueError(f"a comma-separated list of {', '.join((STOP, *FINISHES))}")
    return tuple("" if name == STOP else name for name in names)


def read_options(spec: str, given: Mapping[str, str], known: Mapping[str, OptionParser]) -> dict[str, Any]:
    """Parse the options after the question mark of a spec."""
    out = {}
    for name, text in given.items():
        if name not in known:
            raise ValueError(f"player {spec!r}: {unknown_name('option', name, known)}")
        try:
            out[name] = known[name](text)
        except ValueError as error:
            raise ValueError(f"player {spec!r}: invalid {name}={text!r}: expected {error}") from None
    return out


HF_OPTIONS: dict[str, OptionParser] = {
    "temperature": parse_number,
    "max_new_tokens": parse_integer,
    "reasoning_tokens": parse_integer,
    "constrained": parse_bool,
    "device": str,
    "dtype": str,
    "context": parse_integer,
    "batch_size": parse_integer,
    "system": str,
    "thinking": parse_bool,
    "chat_template_kwargs": parse_json_object,
    "cache": parse_integer,
}

GGUF_OPTIONS: dict[str, OptionParser] = {
    **{name: parser for name, parser in HF_OPTIONS.items() if name not in ("device", "dtype")},
    "threads": parse_integer,
}

OPENAI_OPTIONS: dict[str, OptionParser] = {
    "temperature": parse_number,
    "max_tokens": parse_integer,
    "reasoning_tokens": parse_integer,
    "top_p": parse_number,
    "reasoning_effort": str,
    "stop": lambda text: tuple(text.split("|")),
    "system": str,
    "constrained": parse_bool,
    "seed": parse_bool,
    "thinking": parse_bool,
    "chat_template_kwargs": parse_json_object,
    "extra_body": parse_json_object,
    "on_refused": str,
    "provider": str,
    "max_retries": parse_integer,
    "requests_per_minute": parse_number,
    "tokens_per_minute": parse_number,
    "concurrency": parse_integer,
    "price_per_million": parse_prices,
    "batch_price": parse_number,
    "timeout": parse_number,
    "context": parse_integer,
}

NATIVE_OPTIONS = {name: one for name, one in OPENAI_OPTIONS.items() if name not in ("chat_template_kwargs", "provider")}

MOCK_OPTIONS: dict[str, OptionParser] = {
    "constrained": parse_bool,
    "finish": parse_finishes,
    "price_per_million": parse_prices,
}


def _split_options(
    spec: str, given: Mapping[str, str], known: Mapping[str, OptionParser]
) -> tuple[dict[str, Any], Parts]:
    """Split options into those of the model and the parts of the player."""
    others = (*OPTIONS, PRESET)  # a preset is expanded by now
    options = read_options(spec, given, {**known, **dict.fromkeys(others, str)})
    return {name: value for name, value in options.items() if name not in others}, parts_of(spec, given)


def wants_batches() -> bool:
    """Whether models of this run are asked by the batch interfaces of their providers."""
    own = current_budget()
    return own is not None and own.batch


def in_batches(
    spec: str, kind: Callable[..., OpenAIChat], *target: Any, batch_price: float = HALF, **options: Any
) -> ChatModel:
    """Return a served model, behind the batch interface of its provider if this run wants it."""
    if not 0 < batch_price <= 1:
        raise ValueError(
            f"invalid batch_price={batch_price!r}: expected a fraction of the price, above 0 and at most 1"
        )
    model = kind(*target, **options)
    return model.in_batches(f"{identity(spec)}@{model.base_url}", batch_price) if wants_batches() else model


def hf_player(spec: str, path_or_id: str, given: Mapping[str, str]) -> LanguageModelPlayer:
    """``hf:PATH_OR_ID?temperature=0.7&constrained=yes``: a transformers model in this process."""
    options, parts = _split_options(spec, given, HF_OPTIONS)
    if wants_batches():
        raise ValueError(
            f"player {spec!r}: --batch needs a provider with a batch interface, not a model in this process"
        )
    try:
        model = TransformersChat(path_or_id, **options)
    except ValueError as error:
        raise ValueError(f"player {spec!r}: {error}") from None
    return LanguageModelPlayer(spec, model, options.get("constrained"), parts)


def gguf_player(spec: str, path: str, given: Mapping[str, str]) -> LanguageModelPlayer:
    """``gguf:PATH?threads=2``: a GGUF model through llama.cpp in this process."""
    options, parts = _split_options(spec, given, GGUF_OPTIONS)
    try:
        model = LlamaCppChat(path, **options)
    except ValueError as error:
        raise ValueError(f"player {spec!r}: {error}") from None
    return LanguageModelPlayer(spec, model, options.get("constrained"), parts)


def openai_player(spec: str, target: str, given: Mapping[str, str]) -> LanguageModelPlayer:
    """``openai:MODEL@URL?temperature=0.7``: any OpenAI-compatible server; without @URL, OpenAI's own."""
    return _served_player(spec, OpenAIChat, target, given, OPENAI_OPTIONS)


def native_player(spec: str, target: str, given: Mapping[str, str]) -> LanguageModelPlayer:
    """``anthropic:MODEL``, ``google:MODEL``, ``bedrock:MODEL`` ...: a model behind its provider's own interface."""
    return _served_player(spec, partial(NativeChat, spec.partition(":")[0]), target, given, NATIVE_OPTIONS)


def _served_player(
    spec: str, make: Callable[..., OpenAIChat], target: str, given: Mapping[str, str], known: Mapping[str, OptionParser]
) -> LanguageModelPlayer:
    name, url = split_address(target)
    options, parts = _split_options(spec, given, known)
    try:
        model = in_batches(spec, make, name, url or None, **options)
    except ValueError as error:
        raise ValueError(f"player {spec!r}: {error}") from None
    return LanguageModelPlayer(spec, model, options.get("constrained"), parts)


def mock_player(spec: str, texts: str, given: Mapping[str, str]) -> LanguageModelPlayer:
    """``mock:TEXT|TEXT?reasoning=cot``: canned replies in turn; %3F is a question mark.

    ``*`` is a random legal move, ``=`` the first JSON object in the prompt, if there is one.
    """
    options, parts = _split_options(spec, given, MOCK_OPTIONS)
    model = CannedChat([unquote(text) for text in texts.split("|")], finishes=options.get("finish", ("",)))
    model.price_per_million = options.get("price_per_million", (0.0, 0.0))
    return LanguageModelPlayer(spec, model, options.get("constrained", True), parts)
