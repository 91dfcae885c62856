"""Sampling options and token limits of requests to OpenAI-compatible servers."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

DEFAULT_REPLY_TOKENS = 512
"""Default token limit of a reply."""

REASONING = {"none": 0, "minimal": 1_024, "low": 2_048, "medium": 4_096, "high": 16_384, "xhigh": 32_768}
"""Default extra tokens for reasoning by effort."""

DEFAULT_EFFORT = "medium"

_THINKERS = re.compile(
    r"\bo[134]\b|gpt-?[5-9](?!.*chat)|gpt-oss|deepseek-(?:reasoner|r\d|v[4-9])|\br1\b|qwen-?3(?!.*(?:instruct|coder))"
    r"|qwq|qvq|gemini-(?:2\.5(?!.*lite)|[3-9])|grok-(?:3-mini|[4-9]|code)|magistral|glm-(?:4\.[5-9]|[5-9]|z)"
    r"|claude-opus-4-[78]|claude-[a-z]+-[5-9]|minimax-m|kimi-k2\.|smollm3|seed-oss|exaone-deep|reka-flash|think|reason"
)
_NOT_THINKERS = re.compile(r"(?:non|no|without)[-_ ]?(?:think|reason)")
"""Names of models that think unless they are told not to, and of others that would match."""

_SWITCHES = ("type", "enabled", "effort", "max_tokens", "budget_tokens")
_OFF = (False, 0, None, "none", "disabled", "off")
"""Keys and values by which fields of requests turn thoughts off."""

SYSTEM = ("separate", "merge")
"""Placement of the system message: separate, or merged into the first user message."""

ON_REFUSED = ("end", "drop")
"""Response to a refused explicit option: end the run, or omit the option."""

MAX_STOPS = 4

TEMPERATURE = 0.7
"""Default sampling temperature."""


def check_all(*rules: tuple[str, object, bool, str]) -> None:
    """Check values by rules of name, value, validity, and expectation."""
    for name, value, valid, expected in rules:
        if not valid:
            raise ValueError(f"invalid {name}={value!r}: expected {expected}")


OWN_FIELDS = {"model", "messages", "n", "stream", "tools", "response_format"}
"""Reserved fields of a request."""


@dataclass(frozen=True)
class Sampling:
    """Sampling options of a model, as `econzoo.baselines.models.OpenAIChat` documents them."""

    temperature: float | None = None
    max_tokens: int | None = None
    reasoning_tokens: int | None = None
    top_p: float | None = None
    reasoning_effort: str | None = None
    stop: Sequence[str] = ()
    system: str | None = None
    seed: bool | None = None
    constrained: bool | None = None
    thinking: bool | None = None
    chat_template_kwargs: Mapping[str, Any] = field(default_factory=dict)
    extra_body: Mapping[str, Any] = field(default_factory=dict)
    on_refused: str = ON_REFUSED[0]

    def __post_init__(self) -> None:
        efforts, stops = ", ".join(REASONING), f"at most {MAX_STOPS} texts, none of them empty"
        rules: tuple[tuple[str, bool, str], ...] = (
            ("temperature", self.temperature is None or 0 <= self.temperature < math.inf, "0 or a positive number"),
            ("max_tokens", self.max_tokens is None or self.max_tokens >= 1, "1 or more"),
            ("reasoning_tokens", self.reasoning_tokens is None or self.reasoning_tokens >= 0, "0 or more"),
            ("top_p", self.top_p is None or 0 < self.top_p <= 1, "above 0 and at most 1"),
            ("reasoning_effort", self.reasoning_effort in (None, *REASONING), f"one of {efforts}"),
            ("stop", len(self.stop) <= MAX_STOPS and all(self.stop), stops),
            ("system", self.system in (None, *SYSTEM), " or ".join(SYSTEM)),
            ("thinking", None in (self.thinking, self.reasoning_effort), "no value together with reasoning_effort"),
            (
                "extra_body",
                not OWN_FIELDS & self.extra_body.keys(),
                f"fields other than {', '.join(sorted(OWN_FIELDS))}",
            ),
            ("on_refused", self.on_refused in ON_REFUSED, " or ".join(ON_REFUSED)),
        )
        check_all(*[(name, getattr(self, name), valid, expected) for name, valid, expected in rules])

    @property
    def thinking_tokens(self) -> int:
        """Extra tokens for reasoning."""
        if self.reasoning_tokens is not None:
            return self.reasoning_tokens
        return 0 if self.max_tokens else REASONING[self.reasoning_effort or DEFAULT_EFFORT]

    def has_thoughts(self, model: str) -> bool:
        """Whether a model thinks, by the options or else by its name, as far as known without a reply."""
        if self.reasoning_tokens is not None or self.reasoning_effort is not None:
            return True
        if self.thinking is not None:
            return self.thinking
        template = self.extra_body.get("chat_template_kwargs")
        given = {**self.extra_body, **(template if isinstance(template, Mapping) else {}), **self.chat_template_kwargs}
        switches = [value for name, value in given.items() if "think" in name or "reason" in name]
        if switches:
            return not any(map(_is_off, switches))
        name = model.lower()
        return _THINKERS.search(name) is not None and not _NOT_THINKERS.search(name)

    def max_reply_tokens(self, needed: int | None) -> int:
        """Return the token limit of a reply without reasoning."""
        return needed or self.max_tokens or DEFAULT_REPLY_TOKENS

    def fields(self) -> dict[str, Any]:
        """Return the fields of every request: the temperature and explicit options."""
        given = {"top_p": self.top_p, "reasoning_effort": self.reasoning_effort, "stop": list(self.stop) or None}
        temperature = TEMPERATURE if self.temperature is None else self.temperature
        return {"temperature": temperature, **{name: value for name, value in given.items() if value is not None}}


def _is_off(value: Any) -> bool:
    values = [value.get(name, True) for name in _SWITCHES] if isinstance(value, Mapping) else [value]
    return any(one in _OFF for one in values)
