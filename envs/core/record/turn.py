"""One answer in the record of a match."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from econzoo.envs.core.faces.finish import FINISHES, NO_REPLY_REASONS
from econzoo.envs.core.faces.parse import Reply
from econzoo.envs.core.faces.replies import decode_reply

OPTIONAL_FIELDS = ("calls", "finish", "limit", "reasoning", "cached", "unmet")
"""Fields of a turn that its line has only where there is something in them."""


@dataclass
class Turn:
    """One answer of one seat, also an unusable one.

    Attributes:
        seat: Who answered.
        round: Round of the game, 1-based.
        reply: The answer as it came: text, plain dictionary or number.
        action: The move that was played, as a plain dictionary; None if the answer was unusable.
        prompt: What the seat read, on the text faces.
        error: ``[code, text]`` of an unusable answer.
        default: Whether `action` is the game's default that took the answer's place.
        tokens: Prompt and completion tokens.
        seconds: Wall time of the answer.
        cost: US dollars.
        dropped: Turns cut from the model's transcript because it was too long.
        closed: Whether the model's length limit came first and the grammar filled in the rest of the reply.
        calls: Calls of a model before the one that gave the reply, in order: ``purpose``, ``about`` (the seat in whose
            place it was asked, or None), ``prompt``, ``reply``, ``tokens``, ``seconds``, ``cost``. The turn's own
            tokens and cost are those of all calls together. Left out of the line if there are none. A call may have
            a ``finish``, a ``reasoning``, ``cached`` and ``unmet`` as well.
        finish: How the reply ended if not by itself, one of `econzoo.envs.core.faces.finish.FINISHES`, or why there is
            none, one of `econzoo.envs.core.faces.finish.NO_REPLY_REASONS`; left out of the line if empty, as are the
            next four.
        limit: Tokens that such a reply could have, or seconds within which none came; 0: nobody knows.
        reasoning: What a reasoning model thought before its reply, as far as its server tells.
        cached: Those of the prompt tokens that the provider had in its cache.
        unmet: What of its spec a model's server did not take in any of the calls, so that it was asked without:
            ``temperature``, ``seed``, ``constrained``, ``tools``, ``system``, ``reasoning_tokens``, ...; ``usage``
            where it told no tokens, so that they are an estimate.
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
    dropped: int = 0
    closed: bool = False
    calls: list[dict[str, Any]] = field(default_factory=list)
    finish: str = ""
    limit: int = 0
    reasoning: str = ""
    cached: int = 0
    unmet: list[str] = field(default_factory=list)

    @property
    def answer(self) -> Any:
        """The reply as it is played: as it came, with how it ended."""
        return restore_reply(self.reply, self.finish, self.limit)

    def fields(self) -> dict[str, Any]:
        """The turn as a dictionary, as it stands in the line of a record."""
        given = dict(vars(self))
        for name in OPTIONAL_FIELDS:
            if not given[name]:
                del given[name]
        return given


def restore_reply(reply: Any, finish: str = "", limit: int = 0) -> Any:
    """A reply as its player gave it, from what a turn keeps of it."""
    given = decode_reply(reply)
    return Reply(given, finish, limit) if finish in (*FINISHES, *NO_REPLY_REASONS) and isinstance(given, str) else given
