"""Specs of language models and their options: ``hf:PATH_OR_ID``, ``openai:MODEL@URL`` and ``mock:TEXT|TEXT``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import unquote

from econzoo.baselines.language_model import LanguageModelPlayer
from econzoo.baselines.models import OpenAIChat, TransformersChat
from econzoo.baselines.models.mock_chat import CannedChat
from econzoo.baselines.models.token_counts import PRICES_ALLOWED, Prices, are_prices
from econzoo.baselines.parts.spec import OPTIONS, Parts, parts_of
from econzoo.baselines.presets import OPTION as PRESET
from econzoo.envs.core.contract.validation import from_json, unknown_name
from econzoo.envs.core.faces.finish import FINISHES

STOP = "stop"
"""How a reply ends by itself."""

Read = Callable[[str], Any]
"""Reads the value of an option, or raises a `ValueError` that says what it must be."""


def number(text: str) -> float:
    """A number."""
    try:
        return float(text)
    except ValueError:
        raise ValueError("a number") from None


def whole_number(text: str) -> int:
    """A number without a fraction."""
    try:
        return int(text)
    except ValueError:
        raise ValueError("a whole number") from None


def yes_or_no(text: str) -> bool:
    """``1``, ``true``, ``yes`` or their opposites."""
    known = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}
    if text.lower() not in known:
        raise ValueError("yes or no (1 or 0, true or false)")
    return known[text.lower()]


def prices(text: str) -> Prices:
    """Dollars per million tokens with commas between: read and written, or read, read from a cache, and written."""
    with suppress(ValueError):
        if are_prices(found := tuple(map(float, text.split(",")))):
            return found
    raise ValueError(PRICES_ALLOWED)


def json_object(text: str) -> dict[str, Any]:
    """An object as JSON has it."""
    try:
        found = from_json(text, finite=True)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise ValueError('a JSON object, such as {"key": 1}')
    return found


def finishes(text: str) -> tuple[str, ...]:
    """How canned replies end, one after the other: ``stop``, or one of `FINISHES`, with commas between."""
    names = text.split(",")
    if not {STOP, *FINISHES}.issuperset(names):
        raise ValueError(f"of {', '.join((STOP, *FINISHES))}, with commas between")
    return tuple("" if name == STOP else name for name in names)


def read_options(spec: str, given: Mapping[str, str], known: Mapping[str, Read]) -> dict[str, Any]:
    """The options behind the question mark of a spec.

    Raises:
        ValueError: Unknown name or unreadable value; the message says what is allowed.
    """
    out = {}
    for name, text in given.items():
        if name not in known:
            raise ValueError(f"player {spec!r}: {unknown_name('option', name, known)}")
        try:
            out[name] = known[name](text)
        except ValueError as error:
            raise ValueError(f"player {spec!r}: {name} is {text!r}; it must be {error}") from None
    return out


HF_OPTIONS: dict[str, Read] = {
    "temperature": number,
    "max_new_tokens": whole_number,
    "reasoning_tokens": whole_number,
    "constrained": yes_or_no,
    "device": str,
    "dtype": str,
    "context": whole_number,
    "batch_size": whole_number,
    "system": str,
    "thinking": yes_or_no,
    "chat_template_kwargs": json_object,
    "cache": whole_number,
}

OPENAI_OPTIONS: dict[str, Read] = {
    "temperature": number,
    "max_tokens": whole_number,
    "reasoning_tokens": whole_number,
    "top_p": number,
    "reasoning_effort": str,
    "stop": lambda text: tuple(text.split("|")),
    "system": str,
    "constrained": yes_or_no,
    "seed": yes_or_no,
    "thinking": yes_or_no,
    "chat_template_kwargs": json_object,
    "extra_body": json_object,
    "on_refused": str,
    "provider": str,
    "max_retries": whole_number,
    "requests_per_minute": number,
    "tokens_per_minute": number,
    "concurrency": whole_number,
    "price_per_million": prices,
    "timeout": number,
    "context": whole_number,
}


MOCK_OPTIONS: dict[str, Read] = {"constrained": yes_or_no, "finish": finishes, "price_per_million": prices}


def _split(spec: str, given: Mapping[str, str], known: Mapping[str, Read]) -> tuple[dict[str, Any], Parts]:
    """The options of the model, and the parts that the others name."""
    others = (*OPTIONS, PRESET)  # a preset is written out by now
    options = read_options(spec, given, {**known, **dict.fromkeys(others, str)})
    return {name: value for name, value in options.items() if name not in others}, parts_of(spec, given)


def hf_player(spec: str, path_or_id: str, given: Mapping[str, str]) -> LanguageModelPlayer:
    """``hf:PATH_OR_ID?temperature=0.7&constrained=yes``: a transformers model in this process."""
    options, parts = _split(spec, given, HF_OPTIONS)
    try:
        model = TransformersChat(path_or_id, **options)
    except ValueError as error:
        raise ValueError(f"player {spec!r}: {error}") from None
    return LanguageModelPlayer(spec, model, options.get("constrained"), parts)


def openai_player(spec: str, target: str, given: Mapping[str, str]) -> LanguageModelPlayer:
    """``openai:MODEL@URL?temperature=0.7``: any OpenAI-compatible server; without @URL, OpenAI's own."""
    name, _, url = target.rpartition("@") if "@" in target else (target, "", "")
    options, parts = _split(spec, given, OPENAI_OPTIONS)
    try:
        model = OpenAIChat(name, url or None, **options)
    except ValueError as error:
        raise ValueError(f"player {spec!r}: {error}") from None
    return LanguageModelPlayer(spec, model, options.get("constrained"), parts)


def mock_player(spec: str, texts: str, given: Mapping[str, str]) -> LanguageModelPlayer:
    """``mock:TEXT|TEXT?reasoning=cot``: canned replies in turn; %3F is a question mark.

    ``*`` is any legal move, ``=`` the first JSON object in what was asked, if there is one.
    """
    options, parts = _split(spec, given, MOCK_OPTIONS)
    model = CannedChat([unquote(text) for text in texts.split("|")], finishes=options.get("finish", ("",)))
    model.price_per_million = options.get("price_per_million", (0.0, 0.0))
    return LanguageModelPlayer(spec, model, options.get("constrained", True), parts)
