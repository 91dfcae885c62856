"""Language models that judge what others wrote: one question, one JSON object, asked again until it can be used."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar
from urllib.parse import parse_qsl

import numpy as np

from econzoo.baselines.factory import arguments
from econzoo.baselines.factory import player as make_player
from econzoo.baselines.models.chat import ChatModel, Completion, Message
from econzoo.baselines.models.journal import Call, complete_calls
from econzoo.baselines.parts.spec import OPTIONS
from econzoo.baselines.presets import OPTION as PRESET
from econzoo.envs.core.contract.validation import Invalid, clean, short_repr
from econzoo.envs.core.faces.markup import break_markup
from econzoo.envs.core.faces.parse import find_object
from econzoo.envs.core.record.spec import identity, split_name

MAX_RETRIES = 2
"""How often a question is asked again after an answer that cannot be used."""

LONGEST_REASON = 600
"""Characters of a reason that the JSON schema lets a model write."""

CONTEXT = 32_768
"""Tokens that a model is taken to read where nobody says more: a server that was given no ``context``."""

TOKENS, CHARACTERS = 4, 11
"""So many characters make so many tokens, counted generously: small models take every digit for a token."""

TRUNCATION_NOTE = "the beginning of the question, for which the model had no room"
"""What is written beside an answer to a question that the model's own context has cut."""

FENCE = "=" * 20
"""Stands between our words and those that are judged."""

MODELS = "hf:PATH_OR_ID, hf:smollm2, openai:MODEL@URL"

T = TypeVar("T")


def language_model(spec: str, allowed: str = MODELS) -> tuple[ChatModel, bool]:
    """The bare model of a player's spec, and whether it is given the JSON schema of an answer.

    Args:
        spec: As for players.
        allowed: What a refusal names.

    Raises:
        ValueError: The spec is unknown, or a player that is no language model.
    """
    if ":" not in split_name(spec).spec:
        raise ValueError(f"judge {spec[:80]!r} is not allowed; allowed: {allowed}")
    _check_no_parts(spec)
    player = make_player(spec)
    model = getattr(player, "model", None)
    if model is None or not hasattr(model, "complete"):
        raise ValueError(f"judge {spec[:80]!r} is no language model; allowed: {allowed}")
    return model, player.wants_schema


def _check_no_parts(spec: str) -> None:
    """A judge is the bare model: what else a player is made of would be left out silently."""
    given = dict(parse_qsl(split_name(spec).spec.partition("?")[2]))
    parts = [name for name in given if name in (*OPTIONS, PRESET)]
    if parts:
        raise ValueError(f"judge {spec[:80]!r}: {parts[0]} is a part of players; allowed: options of the model")


def check_person(spec: str) -> None:
    """Raises `ValueError` for the spec of a person with anything but a name."""
    _, call, rest = spec.strip().partition("(")
    args, named = arguments(spec, call + rest)
    words = [*args, *named.values()]
    if len(words) > 1 or set(named) - {"name"} or not all(isinstance(word, str) for word in words):
        raise ValueError(f"judge {spec[:80]!r} is not allowed; allowed: human, or with a name: human(name='Ann')")


def character_limit(model: ChatModel) -> int:
    """Characters of a conversation that a model has room for, by its context and the length of its replies."""
    limit = getattr(model, "prompt_limit", None)
    return (CONTEXT if limit is None else int(limit)) * CHARACTERS // TOKENS


def check_distinct(specs: Sequence[str]) -> None:
    """Raises `ValueError` if two judges are one."""
    known = [identity(spec) for spec in specs]
    twice = sorted({spec for spec in specs if known.count(identity(spec)) > 1})
    if twice:
        raise ValueError(f"the judge {twice[0]!r} is named twice; allowed: judges with different specs")


def seed_entropy(seed: int, *parts: str | int) -> list[int]:
    """Entropy for a generator: the seed and a number that depends on all parts."""
    digest = hashlib.sha256("\n".join(map(str, parts)).encode()).digest()
    return [seed, int.from_bytes(digest[:8], "big")]


def answer_schema(key: str, values: Mapping[str, Any]) -> Mapping[str, Any]:
    """The JSON schema of a value and its reason; the value comes first, so that a long reason cannot cost it."""
    reason = {"type": "string", "minLength": 1, "maxLength": LONGEST_REASON}
    return {
        "type": "object",
        "properties": {key: values, "reason": reason},
        "required": [key, "reason"],
        "additionalProperties": False,
    }


def read_answer(reply: str, key: str, value_of: Callable[[Any], T | Invalid]) -> tuple[T, str] | Invalid:
    """Value and reason of a reply with one JSON object, or what is wrong with it."""
    found = find_object(reply)
    if isinstance(found, Invalid):
        return found
    missing = [name for name in (key, "reason") if name not in found]
    if missing:
        return Invalid("missing_key", f'the key "{missing[0]}" is missing')
    value, reason = value_of(found[key]), found["reason"]
    if isinstance(value, Invalid):
        return value
    if not isinstance(reason, str) or not any(map(str.isalpha, reason)):
        return Invalid("wrong_type", f"the reason {short_repr(reason)} is no sentence; allowed: one or two sentences")
    return value, clean(reason.strip())


class AnswerLog(Protocol):
    """Where every answer of a judge is written down as it came, with what it took."""

    judge: str
    answers: list[dict[str, Any]]
    tokens: list[int]
    cost: float


@dataclass
class Question:
    """One question, with the conversation about it.

    Attributes:
        conversation: What the model reads; markup of turns in it is broken up.
        answer_log: Where its answers are written down.
        seed: Of the model's sampling, with what tells the question from others: not the order in which it is asked.
        parse_reply: Value and reason of a reply, or what is wrong with it.
        store_answer: Given value and reason.
        retry_prompt: What is said after an answer that cannot be used, from its ``problem``.
        labels: Written beside every answer.
    """

    conversation: Sequence[Message]
    answer_log: AnswerLog
    seed: tuple[Any, ...]
    parse_reply: Callable[[str], tuple[Any, str] | Invalid]
    store_answer: Callable[[tuple[Any, str]], None]
    retry_prompt: Callable[..., str]
    labels: Mapping[str, str] = field(default_factory=dict)
    attempts: int = 0
    is_open: bool = True

    def __post_init__(self) -> None:
        self.conversation = [{**one, "content": break_markup(one["content"])} for one in self.conversation]

    def call(self, schema: Mapping[str, Any] | None) -> Call:
        """The next call of the model."""
        return Call(
            f"{identity(self.answer_log.judge)} {self.seed}",
            0,
            self.attempts,
            list(self.conversation),
            schema,
            self.next_seed(),
        )

    def next_seed(self) -> int:
        """The seed of the next answer."""
        return int(np.random.SeedSequence(seed_entropy(*self.seed, self.attempts)).generate_state(1, np.uint32)[0])

    def record_reply(self, reply: Completion) -> None:
        """Writes down an answer; an unusable one leaves the question open until it was asked too often."""
        one, found = self.answer_log, self.parse_reply(reply.text)
        self.attempts += 1
        one.tokens = [one.tokens[0] + reply.prompt_tokens, one.tokens[1] + reply.completion_tokens]
        one.cost += reply.cost
        beside = {"cut": TRUNCATION_NOTE if reply.truncated_turns else "", "unmet": [*reply.unmet]}
        one.answers.append(
            {**self.labels, "reply": reply.text, **{name: said for name, said in beside.items() if said}}
        )
        if not isinstance(found, Invalid):
            self.is_open = False
            return self.store_answer(found)
        one.answers[-1]["problem"] = found.text
        told: list[Message] = [
            {"role": "assistant", "content": reply.text},
            {"role": "user", "content": self.retry_prompt(problem=found.text)},
        ]
        self.conversation, self.is_open = [*self.conversation, *told], self.attempts <= MAX_RETRIES


def ask(
    model: ChatModel, questions: Sequence[Question], schema: Mapping[str, Any] | None
) -> list[tuple[AnswerLog, Exception]]:
    """Asks all at once until every question has its answer, was asked too often, or met an error.

    Returns:
        Where something was to be written down and could not, with the error of the model.
    """
    failed: list[tuple[AnswerLog, Exception]] = []
    while waiting := [question for question in questions if question.is_open]:
        for place, reply in complete_calls(model, [question.call(schema) for question in waiting]):
            question = waiting[place]
            if isinstance(reply, Completion):
                question.record_reply(reply)
            else:
                failed.append((question.answer_log, reply))
                question.is_open = False
    return failed
