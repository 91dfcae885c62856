"""What every chat model offers to the players, and the policy of memory that all of them share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, Protocol

from econzoo.envs.core.faces.parse import Reply

Message = dict[str, str]
"""One turn of a chat: `{"role": "system" | "user" | "assistant" | "tool", "content": ...}`.

A message of the role ``tool`` is the result of the call that the message before it is. A system message may have
``functions``: what it says in place of its content to a model that is offered its tools as functions.
"""

Conversation = Sequence[Message]
Schema = Mapping[str, Any]
"""A JSON schema as plain dictionaries, which a reply has to obey."""


class ModelError(RuntimeError):
    """A model could not be loaded or could not answer; the text says why and what to do."""


class RefusedError(ModelError):
    """What was asked for by name is refused: no match can be played as asked, so that the run ends."""


@dataclass(frozen=True)
class Completion:
    """One reply of a model.

    Attributes:
        text: the reply, without special tokens.
        prompt_tokens: tokens that the model read.
        completion_tokens: tokens that it wrote, forced ones included.
        seconds: time that this reply took; a batch's time is shared out equally among its replies.
        cost: US dollars.
        truncated_turns: messages that were cut away, or cut short, because the conversation was too long.
        closed: the token limit came first and the rest of the JSON was filled in by the grammar, not by the model.
        finish: how the reply ended if not by itself, one of `econzoo.envs.core.faces.finish.FINISHES`; else empty.
        limit: tokens that the reply could have; 0 if nobody knows.
        reasoning: what a reasoning model thought before it replied, as far as its server tells.
        cached_tokens: those of `prompt_tokens` that the provider had read before.
        unmet: what of the question its server did not take or tell: names of options that were left out
            (``temperature``, ``seed``, ``constrained``, ``tools``, ...), ``system`` where its message opened the first
            question, ``reasoning_tokens`` where thoughts had no room of their own, and ``usage`` where the tokens are
            an estimate.
    """

    text: str
    prompt_tokens: int
    completion_tokens: int
    seconds: float
    cost: float = 0.0
    truncated_turns: int = 0
    closed: bool = False
    finish: str = ""
    limit: int = 0
    reasoning: str = ""
    cached_tokens: int = 0
    unmet: tuple[str, ...] = ()

    @property
    def reply(self) -> str:
        """The text, with how it ended where that was not by itself."""
        return Reply(self.text, self.finish, self.limit) if self.finish else self.text


class ChatModel(Protocol):
    """A language model behind a chat interface, batched over many matches.

    A model whose class says ``takes_limits = True`` takes `limits` as a fourth argument of `complete`: for each chat
    the most tokens of its reply, or None. One that says ``native_tools = True`` gets messages of the role ``tool``; to
    others their results are told by the user (`without_functions`).
    """

    @property
    def name(self) -> str:
        """The name for records and tables."""
        ...

    def complete(
        self, conversations: Sequence[Conversation], schemas: Sequence[Schema | None], seeds: Sequence[int]
    ) -> list[Completion]:
        """Answer every conversation.

        A reply is a function of its own conversation, schema and seed, as far as the backend allows: not of the
        other conversations of the batch.

        Args:
            conversations: chats whose last message waits for an answer.
            schemas: for each chat the JSON schema that the reply has to obey, or None for free text.
            seeds: for each chat the seed of its sampling.

        Raises:
            ModelError: the model cannot be used at all.
        """
        ...


def collect_completions(replies: Iterable[tuple[int, Completion | Exception]]) -> list[Completion]:
    """The completions of a batch in its order, from what comes of it with its place in any order.

    Raises:
        Exception: The first that stands in the place of one; not before all have come.
    """
    found = [reply for _, reply in sorted(replies, key=itemgetter(0))]
    for reply in found:
        if isinstance(reply, Exception):
            raise reply
    return [reply for reply in found if isinstance(reply, Completion)]


def check_lengths(conversations: Sequence[Conversation], schemas: Sequence[Any], seeds: Sequence[Any]) -> None:
    """Refuse a batch whose parts do not belong together, before any work is done."""
    if not len(conversations) == len(schemas) == len(seeds):
        counts = f"{len(conversations)} conversations, {len(schemas)} schemas, {len(seeds)} seeds"
        raise ValueError(f"a batch needs one schema (or None) and one seed for each conversation; got {counts}")
    for number, conversation in enumerate(conversations):
        if not conversation:
            raise ValueError(f"conversation {number} is empty: there is nothing to answer")


def without_functions(conversation: Conversation) -> list[Message]:
    """The same chat for a model that knows no functions."""
    return [
        {"role": "user" if message["role"] == "tool" else message["role"], "content": message["content"]}
        for message in conversation
    ]


def merge_system_message(conversation: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The same chat with the system message, if there is one, at the beginning of the first user message."""
    rules, *turns = conversation
    if rules["role"] != "system":
        return list(map(dict, conversation))
    if not turns or turns[0]["role"] != "user":
        return [{"role": "user", "content": rules["content"]}, *map(dict, turns)]
    return [{"role": "user", "content": f"{rules['content']}\n\n{turns[0]['content']}"}, *map(dict, turns[1:])]


def fit_to_budget(
    conversation: Conversation, count_tokens: Callable[[Conversation], int], budget: int
) -> tuple[list[Message], int]:
    """Cut a conversation down to a number of tokens; it never fails.

    The system message stays and the oldest turns go first, always up to the next user message, so that the roles
    still alternate. The newest user message stays; if it alone is too long, its beginning is cut, because what is
    asked stands at its end. Only if the rules themselves do not fit are they cut too, at their end.

    Args:
        conversation: the whole chat.
        count_tokens: tokens of a rendered chat, markup included; must not grow when messages are cut.
        budget: the most tokens allowed.

    Returns:
        The chat to send, and how many messages were removed or shortened.
    """
    whole = [dict(message) for message in conversation]
    if not whole or count_tokens(whole) <= budget:
        return whole, 0
    rules, turns = (whole[:1], whole[1:]) if whole[0]["role"] == "system" else ([], whole)
    starts = [i for i, message in enumerate(turns) if message["role"] == "user"] or [max(len(turns) - 1, 0)]
    pick = _first_true(len(starts), lambda i: count_tokens(rules + turns[starts[i] :]) <= budget)
    dropped = starts[min(pick, len(starts) - 1)]
    turns = turns[dropped:]
    if pick < len(starts):
        return rules + turns, dropped
    shortened = 0
    if turns:
        turns[0], cut = _truncate_message(
            turns[0], lambda m: count_tokens([*rules, m, *turns[1:]]) <= budget, keep_end=True
        )
        shortened += cut
    if rules and count_tokens(rules + turns) > budget:
        rules[0], cut = _truncate_message(rules[0], lambda m: count_tokens([m, *turns]) <= budget, keep_end=False)
        shortened += cut
    return rules + turns, dropped + shortened


def _truncate_message(message: Message, fits: Callable[[Message], bool], keep_end: bool) -> tuple[Message, bool]:
    """The longest end (or beginning) of a message that fits; empty if not even one character does."""
    text = message["content"]

    def without(count: int) -> Message:
        return {**message, "content": text[count:] if keep_end else text[: len(text) - count]}

    count = _first_true(len(text), lambda n: fits(without(n)))
    return without(count), count > 0


def _first_true(count: int, holds: Callable[[int], bool]) -> int:
    """The first of 0..count-1 for which a condition holds that stays true from then on; `count` if none."""
    low, high = 0, count
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low
