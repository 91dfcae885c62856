"""One answer in a record."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypedDict

from econzoo.envs.core.faces.finish import FINISHES, NO_REPLY_REASONS
from econzoo.envs.core.faces.parse import Reply
from econzoo.envs.core.faces.replies import decode_reply

OPTIONAL_TURN_FIELDS = ("calls", "finish", "limit", "reasoning", "cached_tokens", "unsupported", "served")
"""Fields that are written only if they are not empty."""


class Served(TypedDict, total=False):
    """What served a reply, as the server told; untold parts are missing.

    Attributes:
        model: Model of the response.
        fingerprint: ``system_fingerprint`` of the response.
        provider: Upstream provider that a router such as OpenRouter chose.
        id: Id of the response.
        finish: Finish reason in the provider's own spelling.
    """

    model: str
    fingerprint: str
    provider: str
    id: str
    finish: str


@dataclass
class Turn:
    """One answer of a seat, valid or not.

    Fields in `OPTIONAL_TURN_FIELDS` are omitted from the line if they are empty.

    Attributes:
        seat: Seat that answered.
        round: Round, counted from 1.
        reply: Raw answer: text, plain dictionary or number.
        action: Move as a plain dictionary; None if the answer was invalid.
        prompt: Prompt, on the text faces.
        error: ``[code, text]`` of an invalid answer.
        default: Whether `action` is the default action that replaced the answer.
        tokens: Prompt and completion tokens.
        seconds: Wall time of the answer: of a served model the sum over its requests that were answered, without
            failed attempts and waiting; of a model in this process its share of the batch.
        cost: Cost in US dollars.
        dropped_turns: Turns cut from the model's transcript because it was too long.
        closed_by_grammar: Whether the reply reached the token limit and the grammar completed it.
        calls: Calls of a model ahead of the one that gave the reply, in order: ``purpose``, ``about_seat`` (the
            simulated seat, or None), ``prompt``, ``reply``, ``tokens``, ``seconds``, ``cost``, and optionally
            ``problem``, ``finish``, ``reasoning``, ``cached_tokens``, ``unsupported`` and ``served``. The turn's own
            tokens, seconds and cost are totals over all calls.
        finish: Finish reason other than completion, one of `econzoo.envs.core.faces.finish.FINISHES`, or why there is
            no reply, one of `econzoo.envs.core.faces.finish.NO_REPLY_REASONS`.
        limit: Token limit, or timeout in seconds; 0: unknown.
        reasoning: Reasoning text, as reported by the server.
        cached_tokens: Prompt tokens read from the provider's cache.
        unsupported: Options of the spec that the server did not support in any of the calls: ``temperature``, ``seed``,
            ``constrained``, ``tools``, ``system``, ``reasoning_tokens``, ...; ``usage`` if token counts are estimates,
            ``replies`` if a placeholder was sent in place of replies, ``context`` if a prompt seems to have been cut.
        served: What served the reply; each of the `calls` has its own.
    """

    seat: int
    round: int
    reply: Any
    action: dict[str, Any] | None
    prompt: str | None = None
    error: list[str] | None = None
    default: bool = False
    tokens: list[int] = field(default_factory=lambda: [0, 0])
    seconds: float = 0.0
    cost: float = 0.0
    dropped_turns: int = 0
    closed_by_grammar: bool = False
    calls: list[dict[str, Any]] = field(default_factory=list)
    finish: str = ""
    limit: int = 0
    reasoning: str = ""
    cached_tokens: int = 0
    unsupported: list[str] = field(default_factory=list)
    served: Served = field(default_factory=Served)

    @property
    def answer(self) -> Any:
        """The reply with its finish reason, as it is played."""
        return restore_reply(self.reply, self.finish, self.limit)

    def fields(self) -> dict[str, Any]:
        """Return the turn as a dictionary for the line of a record."""
        given = dict(vars(self))
        for name in OPTIONAL_TURN_FIELDS:
            if not given[name]:
                del given[name]
        return given


def restore_reply(reply: Any, finish: str = "", limit: int = 0) -> Any:
    """Reconstruct a reply from a turn."""
    given = decode_reply(reply)
    return Reply(given, finish, limit) if finish in (*FINISHES, *NO_REPLY_REASONS) and isinstance(given, str) else given
