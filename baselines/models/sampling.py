"""What a request to an OpenAI-compatible server says about how to reply: sampling, and how many tokens there may be."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

DEFAULT_REPLY_TOKENS = 512
"""Tokens of a reply where nobody says how many it needs."""

REASONING = {"none": 0, "minimal": 1_024, "low": 2_048, "medium": 4_096, "high": 16_384, "xhigh": 32_768}
"""Effort of a reasoning model to the tokens that it may think for on top of its reply, unless they are given."""

DEFAULT_EFFORT = "medium"

SYSTEM = ("separate", "merge")
"""Where the system message goes: it stays as it is, or it opens the first user message."""

ON_REFUSED = ("end", "drop")
"""What follows where a server refuses an option that was asked for by name: the run ends, or goes on without it."""

MAX_STOPS = 4

TEMPERATURE = 0.7
"""Where nobody names one."""


def check_all(*rules: tuple[str, object, bool, str]) -> None:
    """Checks values by rules of name, value, whether it is good, and what it must be.

    Raises:
        ValueError: One is not good; the message names it, its value and what it must be.
    """
    for name, value, good, wanted in rules:
        if not good:
            raise ValueError(f"{name} is {value!r}; it must be {wanted}")


OWN_FIELDS = {"model", "messages", "n", "stream", "tools", "response_format"}
"""Fields of a request that say what is asked, and how it is answered."""


@dataclass(frozen=True)
class Sampling:
    """How a model is to reply.

    Attributes:
        temperature: Of the sampling; None: `TEMPERATURE`, where the server takes one.
        max_tokens: The most tokens of a reply; None: what the question says that it needs, else `DEFAULT_REPLY_TOKENS`.
        reasoning_tokens: Tokens for thoughts of the model's own, on top; None: by the effort (`REASONING`), but none
            where `max_tokens` is given, which then is the whole.
        top_p: Probability mass that is sampled from; None: not sent.
        reasoning_effort: A key of `REASONING`; None: not sent.
        stop: Texts that end a reply; not sent if empty.
        system: One of `SYSTEM`; None: as it is, or merged where a server wants that.
        seed: Whether the seed is sent; None: where the server takes one.
        constrained: Whether replies have to obey their schemas; None: where the server can see to it.
        thinking: Whether the model thinks before it replies; None: as it does by itself.
        chat_template_kwargs: For the chat template of an open model.
        extra_body: Fields of the request besides, none of `OWN_FIELDS`; they replace others of the same name.
        on_refused: One of `ON_REFUSED`.

    Raises:
        ValueError: A value is not allowed.
    """

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
            ("thinking", None in (self.thinking, self.reasoning_effort), "left out beside reasoning_effort"),
            (
                "extra_body",
                not OWN_FIELDS & self.extra_body.keys(),
                f"fields other than {', '.join(sorted(OWN_FIELDS))}",
            ),
            ("on_refused", self.on_refused in ON_REFUSED, " or ".join(ON_REFUSED)),
        )
        check_all(*[(name, getattr(self, name), good, wanted) for name, good, wanted in rules])

    @property
    def thinking_tokens(self) -> int:
        """Tokens for thoughts, on top of a reply."""
        if self.reasoning_tokens is not None:
            return self.reasoning_tokens
        return 0 if self.max_tokens else REASONING[self.reasoning_effort or DEFAULT_EFFORT]

    def max_reply_tokens(self, needed: int | None) -> int:
        """The most tokens of a reply without its thoughts.

        Args:
            needed: What the question says; None: nothing.
        """
        return needed or self.max_tokens or DEFAULT_REPLY_TOKENS

    def fields(self) -> dict[str, Any]:
        """What stands in every request; nothing that nobody has asked for but the temperature."""
        given = {"top_p": self.top_p, "reasoning_effort": self.reasoning_effort, "stop": list(self.stop) or None}
        temperature = TEMPERATURE if self.temperature is None else self.temperature
        return {"temperature": temperature, **{name: value for name, value in given.items() if value is not None}}
