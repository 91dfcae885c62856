"""Interface of chat models, truncation of long conversations, and calls within a run's budget and journal."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from operator import itemgetter
from typing import Any, ClassVar, NamedTuple, Protocol, cast

from econzoo.baselines import Journal, Key, Need, Task, charge, check_budget, current_journal, log_call, log_start
from econzoo.baselines import reserve_call, run_tasks
from econzoo.envs.core.contract import check_arguments
from econzoo.envs.core.faces import Reply
from econzoo.envs.core.record import Probabilities, Served

Message = dict[str, str]
"""One turn of a chat: `{"role": "system" | "user" | "assistant" | "tool", "content": ...}`.

A message of role ``tool`` is the result of the call in the previous message. A system message may have ``functions``:
its content for models that get tools as functions. An assistant's call may have ``echo``, see `Completion`.
"""

Conversation = Sequence[Message]
Schema = Mapping[str, Any]
"""A JSON schema of replies as plain dictionaries."""


@dataclass(frozen=True)
class Completion:
    """One reply of a model.

    Attributes:
        text: Reply without special tokens.
        prompt_tokens: Tokens of the prompt.
        completion_tokens: Tokens of the reply, including those forced by the grammar.
        seconds: Wall time of the request that was answered, without failed attempts, rate limits and waiting for a free
            connection; a model in this process has no requests: its share of the batch's time.
        cost: US dollars.
        dropped_turns: Messages removed or shortened because the conversation was too long.
        closed_by_grammar: Whether the reply hit the token limit and the grammar completed its JSON.
        finish: Finish reason of an incomplete reply, one of `econzoo.envs.core.faces.finish.FINISHES`; else empty.
        limit: Token limit of the reply; 0 if unknown.
        reasoning: Reported reasoning ahead of the reply.
        cached_tokens: Prompt tokens read from the provider's cache.
        unsupported: Parts of the request that the server did not honour: names of omitted options (``temperature``,
            ``seed``, ``constrained``, ``tools``, ...), ``system`` if the system message was merged into the first user
            message, ``reasoning_tokens`` without extra tokens for reasoning, ``usage`` if tokens are estimated,
            ``replies`` if a placeholder was sent in place of replies, and ``context`` if the server seems to have cut
            the prompt.
        served: What served the reply, as told in the response; empty for a model in this process.
        probabilities: Probabilities of the kinds of move, if they are wanted (`econzoo.baselines.wants_logprobs`) and
            known.
        echo: What the server needs back with a reply that calls a tool, such as thoughts and signatures, as JSON.
        raw: Request and response as sent and received, without secrets; only the log of calls keeps it.
    """

    text: str
    prompt_tokens: int
    completion_tokens: int
    seconds: float
    cost: float = 0.0
    dropped_turns: int = 0
    closed_by_grammar: bool = False
    finish: str = ""
    limit: int = 0
    reasoning: str = ""
    cached_tokens: int = 0
    unsupported: tuple[str, ...] = ()
    served: Served = field(default_factory=lambda: cast("Served", {}))
    probabilities: Probabilities = field(default_factory=lambda: cast("Probabilities", {}))
    echo: str = ""
    raw: Mapping[str, Any] | None = None

    def to_journal(self) -> dict[str, Any]:
        """Return the fields that a journal keeps."""
        return {name: value for name, value in vars(self).items() if name != "raw"}

    @property
    def reply(self) -> str:
        """The text, with the finish reason of an incomplete reply."""
        return Reply(self.text, self.finish, self.limit) if self.finish else self.text


class ChatModel(Protocol):
    """A language model with a chat interface, batched over many matches.

    A class with ``takes_limits = True`` takes `limits` as a fourth argument of `complete`: for each chat the token
    limit of its reply, or None. One with ``native_tools = True`` gets messages of role ``tool``; others get tool
    results as user messages (`without_functions`). One in this process names its ``libraries``, whose versions are
    recorded.
    """

    @property
    def name(self) -> str:
        """Name for records and tables."""
        ...

    def complete(
        self, conversations: Sequence[Conversation], schemas: Sequence[Schema | None], seeds: Sequence[int]
    ) -> list[Completion]:
        """Complete every conversation.

        As far as the backend allows, a reply depends only on its own conversation, schema and seed, not on the rest
        of the batch.

        Args:
            conversations: Chats to continue.
            schemas: JSON schema of each reply, or None for free text.
            seeds: Sampling seed of each reply.

        Raises:
            ModelError: The model is unavailable.
        """
        ...


class ServedModel(Protocol):
    """A language model behind a server, whose calls are made in parallel threads."""

    @property
    def name(self) -> str:
        """Name for records and tables; calls of models with the same name are counted together."""
        ...

    @property
    def concurrency(self) -> int:
        """Maximum calls at once; it may change, and is read ahead of every call."""
        ...

    def answer(self, conversation: Conversation, schema: Schema | None, seed: int, limit: int | None) -> Completion:
        """Complete one conversation; blocks, and may be called by several threads at once.

        Args:
            conversation: Chat to continue.
            schema: JSON schema of the reply, or None for free text.
            seed: Sampling seed.
            limit: Token limit of the reply; None: the model's default.

        Raises:
            ModelError: The model is unavailable.
        """
        ...


def collect_completions(replies: Iterable[tuple[int, Completion | Exception]]) -> list[Completion]:
    """Collect the completions of a batch in order, from pairs of index and reply in any order.

    The first error of the batch is raised, after all replies have arrived.
    """
    ordered = [reply for _, reply in sorted(replies, key=itemgetter(0))]
    for reply in ordered:
        if isinstance(reply, Exception):
            raise reply
    return [reply for reply in ordered if isinstance(reply, Completion)]


def add_up(replies: Sequence[Completion]) -> Completion:
    """Return the last reply with the tokens, the time and the cost of all."""
    names = ("prompt_tokens", "completion_tokens", "cached_tokens", "seconds", "cost")
    return replace(replies[-1], **{name: sum(getattr(reply, name) for reply in replies) for name in names})


def check_lengths(conversations: Sequence[Conversation], schemas: Sequence[Any], seeds: Sequence[Any]) -> None:
    """Raise `ValueError` for a batch with unequal lengths or an empty conversation."""
    if not len(conversations) == len(schemas) == len(seeds):
        counts = f"{len(conversations)} conversations, {len(schemas)} schemas, {len(seeds)} seeds"
        raise ValueError(f"expected one schema (or None) and one seed per conversation, got {counts}")
    for number, conversation in enumerate(conversations):
        if not conversation:
            raise ValueError(f"conversation {number} is empty")


def without_functions(conversation: Conversation) -> list[Message]:
    """Convert a chat for models without functions."""
    return [
        {"role": "user" if message["role"] == "tool" else message["role"], "content": message["content"]}
        for message in conversation
    ]


def merge_system_message(conversation: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Merge the system message, if any, into the first user message."""
    rules, *turns = conversation
    if rules["role"] != "system":
        return list(map(dict, conversation))
    if not turns or turns[0]["role"] != "user":
        return [{"role": "user", "content": rules["content"]}, *map(dict, turns)]
    return [{"role": "user", "content": f"{rules['content']}\n\n{turns[0]['content']}"}, *map(dict, turns[1:])]


@check_arguments
def fit_to_budget(
    conversation: Conversation, count_tokens: Callable[[Conversation], int], budget: int
) -> tuple[list[Message], int]:
    """Truncate a conversation to a number of tokens; never fails.

    The system message stays and the first turns are removed first, up to the next user message, so that roles
    alternate. The newest user message stays; if it alone is too long, its beginning is cut, because the question is at
    its end. The system message is cut last, at its end.

    Args:
        conversation: The full chat.
        count_tokens: Counts tokens of a rendered chat with markup; must be monotone in its messages.
        budget: Maximum number of tokens.

    Returns:
        The truncated chat, and the number of messages removed or shortened.
    """
    messages = [dict(message) for message in conversation]
    if not messages or count_tokens(messages) <= budget:
        return messages, 0
    rules, turns = (messages[:1], messages[1:]) if messages[0]["role"] == "system" else ([], messages)
    starts = [i for i, message in enumerate(turns) if message["role"] == "user"] or [max(len(turns) - 1, 0)]
    # Bisection, since every count renders and tokenizes the whole chat.
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
    """Return the longest end (or beginning) of a message that fits; possibly empty."""
    text = message["content"]

    def without(count: int) -> Message:
        return {**message, "content": text[count:] if keep_end else text[: len(text) - count]}

    count = _first_true(len(text), lambda n: fits(without(n)))
    return without(count), count > 0


def _first_true(count: int, holds: Callable[[int], bool]) -> int:
    """Return the first of 0..count-1 for which a monotone condition holds; `count` if none."""
    low, high = 0, count
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low


class Call(NamedTuple):
    """One call of a model.

    Attributes:
        match: Id of the match or other caller; empty: the call is not recorded.
        number: Index of the call among those of the seat in the match.
        limit: Token limit of the reply; None: the model's default. Not part of the key.
    """

    match: str
    seat: int
    number: int
    conversation: Conversation
    schema: Schema | None
    seed: int
    limit: int | None = None

    @property
    def key(self) -> Key:
        """Match, seat, number and a hash of the request."""
        # Sorted keys, so that equal requests have one hash whatever the order in which a schema was built.
        request = json.dumps([list(self.conversation), self.schema, self.seed], sort_keys=True, default=str)
        return self.match, self.seat, self.number, hashlib.sha256(request.encode()).hexdigest()[:16]


def complete_calls(model: ChatModel, calls: Sequence[Call]) -> Iterator[tuple[int, Completion | Exception]]:
    """Yield the replies to calls as they arrive, with their index; a failed call yields its error."""
    return run_tasks([partial(make_call, model, call) for call in calls])


def make_call(model: ChatModel | ServedModel, call: Call) -> Task[Completion]:
    """Make one call, or find its reply in the journal.

    Raises:
        BudgetSpentError: The budget is spent.
    """
    book = _journal_for(model, call)
    known = book and _find_recorded(book, call)
    if known:
        return known
    check_budget()
    if hasattr(model, "answer"):
        served = cast("ServedModel", model)
        outcome = yield Need(model.name, call, partial(_answer_call, served), lambda: served.concurrency)
    else:
        answer, is_patient = partial(_answer_batch, model), getattr(model, "patient", False)
        outcome = yield Need(id(model), call, batch=answer, is_patient=is_patient)
    if isinstance(outcome, Exception):
        raise outcome
    reply: Completion = outcome
    return reply


def _journal_for(model: Any, call: Call) -> Journal | None:
    # A model with state per match counts its calls, so all of them must be made.
    return None if hasattr(model, "fresh_copy") or not call.match else current_journal()


def _find_recorded(book: Journal, call: Call) -> Completion | None:
    with suppress(TypeError):  # no reply, or one with other fields
        return Completion(**(book.find(call.key) or {}))
    return None


def _record_reply(model: Any, call: Call, reply: Completion) -> None:
    """Charge and store a reply; called where it arrives, so that this is done even if nobody takes it."""
    charge(vars(reply))
    if book := _journal_for(model, call):
        book.add(call.key, reply.to_journal())


def _answer_call(model: ServedModel, call: Call) -> Completion:
    """Answer a call in the thread of its request."""
    with reserve_call():
        started, begin = time.time(), time.perf_counter()
        log_start(call, started)
        try:
            reply = model.answer(_convert(model, call.conversation), call.schema, call.seed, call.limit)
        except Exception as error:
            log_call(call, error, started, time.perf_counter() - begin)
            raise
        # Charged while reserved: otherwise the next call would see the budget with neither.
        _record_reply(model, call, reply)
        log_call(call, reply, started, time.perf_counter() - begin)
        return reply


def _answer_batch(model: ChatModel, calls: Sequence[Call]) -> Iterator[tuple[int, Completion | Exception]]:
    """Yield the replies to a batch as they arrive, with their index."""
    parts = [
        list(part) for part in zip(*((_convert(model, c.conversation), c.schema, c.seed) for c in calls), strict=True)
    ]
    limits = {"limits": [call.limit for call in calls]} if getattr(model, "takes_limits", False) else {}
    started, begin = time.time(), time.perf_counter()
    for call in calls:
        log_start(call, started)

    def record(at: int, reply: Completion) -> None:
        _record_reply(model, calls[at], reply)

    one_by_one = getattr(model, "completions", None)
    if one_by_one is not None:
        replies: Iterable[tuple[int, Completion | Exception]] = one_by_one(*parts, record, **limits)
    else:
        complete: Any = model.complete
        try:
            replies = list(zip(range(len(calls)), complete(*parts, **limits), strict=True))
        except Exception as error:  # cannot be attributed to one call
            replies = enumerate([error] * len(calls))
    for at, reply in replies:
        if one_by_one is None and isinstance(reply, Completion):
            record(at, reply)
        log_call(calls[at], reply, started, time.perf_counter() - begin)
        yield at, reply


def _convert(model: Any, conversation: Conversation) -> Conversation:
    return conversation if getattr(model, "native_tools", False) else without_functions(conversation)


class ServedChat:
    """Base of served models: makes batches from `ServedModel.answer`."""

    native_tools: ClassVar[bool] = True
    concurrency: int

    @property
    def name(self) -> str:
        """See `ServedModel.name`."""
        raise NotImplementedError

    def answer(self, conversation: Conversation, schema: Schema | None, seed: int, limit: int | None) -> Completion:
        """See `ServedModel.answer`."""
        raise NotImplementedError

    def complete(
        self,
        conversations: Sequence[Conversation],
        schemas: Sequence[Schema | None],
        seeds: Sequence[int],
        limits: Sequence[int | None] | None = None,
    ) -> list[Completion]:
        """See `ChatModel.complete`; the first error is raised after all requests."""
        check_lengths(conversations, schemas, seeds)
        parts = zip(conversations, schemas, seeds, limits or [None] * len(seeds), strict=True)
        return collect_completions(complete_calls(self, [Call("", 0, 0, *one) for one in parts]))
