"""Variants of a request: how it is repeated for one reply, where a server spoils the reply or refuses the request.

What a server spoils is no reply of the model. A grammar that writes blanks up to the limit is left out, a reply that
was withheld or could not be read is requested once more, and thoughts that were not expected get room.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from econzoo.baselines.models.chat import Completion, Conversation, Message, fit_to_budget
from econzoo.baselines.models.token_counts import estimate
from econzoo.envs.core.contract import Invalid
from econzoo.envs.core.faces import LENGTH, find_object, has_tags

REPLIES = "replies"
"""Entry of `Completion.unsupported` for a conversation with a placeholder in place of a reply."""

_MIN_BLANKS = 16
"""Blanks behind an incomplete object that no model writes as indentation."""


class Variant(NamedTuple):
    """What is different when a request is repeated.

    Attributes:
        has_room: Whether there is room for thoughts of a model that has shown none so far.
    """

    is_free: bool = False
    has_room: bool = False
    withheld: int = 0
    is_second: bool = False


USUAL = Variant()


def variants(conversation: Conversation, can_be_free: bool) -> Iterator[Variant]:
    """Yield how to repeat a request that was refused for a reason that is not known.

    The schema may be the cause. If the conversation has replies of the model, one of them may be: after a second
    refusal the newest is withheld, then all.
    """
    if can_be_free:
        yield Variant(is_free=True)
    replies = sum(message["role"] == "assistant" for message in conversation)
    if replies:
        # Once more unchanged, since a refusal without a reason may have passed.
        yield USUAL
        yield Variant(withheld=1)
    if replies > 1:
        yield Variant(withheld=replies)


@dataclass
class Asking:
    """A conversation on its way to a reply.

    Attributes:
        waits: Waits for a busy server, which are no failures.
        attempts: Failed requests, for the log of calls: status, error and seconds.
        others: Variants left after a refusal without a known reason; None without one.
    """

    messages: list[Message]
    dropped: int = 0
    variant: Variant = USUAL
    others: Iterator[Variant] | None = None
    spoiled: list[Completion] = field(default_factory=list)
    failures: int = 0
    timeouts: int = 0
    waits: int = 0
    attempts: list[dict[str, Any]] = field(default_factory=list)

    def fit(self, budget: int) -> None:
        """Truncate the conversation to this many tokens, as estimated."""
        self.messages, dropped = fit_to_budget(self.messages, estimate, budget)
        self.dropped += dropped

    def shorten(self) -> bool:
        """Truncate the conversation to three quarters of its tokens; return whether it is shorter."""
        size = estimate(self.messages)
        self.fit(size * 3 // 4)
        return estimate(self.messages) < size

    def vary(self, can_be_free: bool) -> bool:
        """Take the next variant after a refusal; see `variants`. Return whether there was one."""
        self.others = self.others or variants(self.messages, can_be_free)
        other = next(self.others, None)
        self.variant = self.variant if other is None else other._replace(has_room=self.variant.has_room)
        return other is not None


def is_blank_loop(reply: Completion) -> bool:
    """Whether a reply under a schema is an incomplete object and blanks up to its end, as of vLLM's grammar."""
    text = reply.text.rstrip()
    blanks = len(reply.text) - len(text)
    if text and not isinstance(find_object(text), Invalid):
        return False
    if reply.finish == LENGTH:
        return blanks >= _MIN_BLANKS or blanks > len(text) > 0
    # Without a finish of the limit, prose that ends in blanks is no loop of a grammar.
    return blanks >= _MIN_BLANKS and text.startswith("{")


def is_free(reply: Completion) -> bool:
    """Whether a reply is in a form that no schema of moves allows: it begins with no object, and has no thoughts."""
    text = reply.text.strip()
    return reply.finish in ("", LENGTH) and bool(text) and not text.startswith("{") and not has_tags(text)
