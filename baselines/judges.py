"""Language models as judges: one question, one JSON object, with retries of invalid replies."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from typing import Any, NamedTuple, Protocol, TypeVar, cast
from urllib.parse import parse_qsl

import numpy as np

from econzoo.baselines.calls import BudgetSpentError
from econzoo.baselines.factory import arguments
from econzoo.baselines.factory import player as make_player
from econzoo.baselines.models import Call, ChatModel, Completion, Message, ServedModel, make_call
from econzoo.baselines.parts import OPTIONS
from econzoo.baselines.presets import OPTION as PRESET
from econzoo.baselines.scheduling import Pending, Scheduler, Task, catch_errors, run_tasks
from econzoo.envs.core.contract import Invalid, clean, short_repr
from econzoo.envs.core.faces import break_markup, find_object
from econzoo.envs.core.record import identity, split_name

MAX_RETRIES = 2
"""Maximum retries of a question after invalid replies."""

LONGEST_REASON = 600
"""Maximum characters of a reason in the JSON schema."""

CONTEXT = 32_768
"""Assumed context of a model in tokens, for servers without ``context``."""

TOKENS, CHARACTERS = 4, 11
"""Characters per tokens, a conservative ratio: small models use one token per digit."""

TRUNCATION_NOTE = "the beginning of the question, for which the model had no room"
"""Recorded note on an answer to a truncated question."""

FENCE = "=" * 20
"""Separates instructions from the judged text."""

MODELS = "hf:PATH_OR_ID, hf:smollm2, openai:MODEL@URL"

T = TypeVar("T")


def open_language_model(spec: str, allowed: str = MODELS) -> tuple[ChatModel, bool]:
    """Return the model of a player spec, and whether it gets the JSON schema of an answer."""
    if ":" not in split_name(spec).spec:
        raise ValueError(f"invalid judge {spec[:80]!r}: expected {allowed}")
    _check_no_parts(spec)
    player = make_player(spec)
    model = getattr(player, "model", None)
    if model is None or not hasattr(model, "complete"):
        raise ValueError(f"judge {spec[:80]!r} is not a language model: expected {allowed}")
    return model, player.wants_schema


def _check_no_parts(spec: str) -> None:
    """Refuse player parts such as personas, which a judge would silently ignore."""
    given = dict(parse_qsl(split_name(spec).spec.partition("?")[2]))
    parts = [name for name in given if name in (*OPTIONS, PRESET)]
    if parts:
        raise ValueError(f"judge {spec[:80]!r}: {parts[0]} is an option of players; expected options of the model")


def check_person(spec: str) -> None:
    """Raise `ValueError` for the spec of a person with any argument but a name."""
    _, call, rest = spec.strip().partition("(")
    args, named = arguments(spec, call + rest)
    values = [*args, *named.values()]
    if len(values) > 1 or set(named) - {"name"} or not all(isinstance(value, str) for value in values):
        raise ValueError(f"invalid judge {spec[:80]!r}: expected human or human(name='Ann')")


def character_limit(model: ChatModel) -> int:
    """Return the maximum characters of a conversation, from the model's context and reply length."""
    limit = getattr(model, "prompt_limit", None)
    return (CONTEXT if limit is None else int(limit)) * CHARACTERS // TOKENS


def check_distinct(specs: Sequence[str]) -> None:
    """Raise `ValueError` if two judges are the same."""
    known = [identity(spec) for spec in specs]
    twice = sorted({spec for spec in specs if known.count(identity(spec)) > 1})
    if twice:
        raise ValueError(f"duplicate judge {twice[0]!r}: expected distinct judges")


def seed_entropy(seed: int, *parts: str | int) -> list[int]:
    """Return the entropy of a generator: the seed and a hash of all parts."""
    digest = hashlib.sha256("\n".join(map(str, parts)).encode()).digest()
    return [seed, int.from_bytes(digest[:8], "big")]


def answer_schema(key: str, values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the JSON schema of a value and its reason; the value is first, so that a long reason cannot cut it off."""
    reason = {"type": "string", "minLength": 1, "maxLength": LONGEST_REASON}
    return {
        "type": "object",
        "properties": {key: values, "reason": reason},
        "required": [key, "reason"],
        "additionalProperties": False,
    }


def read_answer(reply: str, key: str, value_of: Callable[[Any], T | Invalid]) -> tuple[T, str] | Invalid:
    """Parse the value and reason of a reply with one JSON object, or return what is invalid."""
    fields = find_object(reply)
    if isinstance(fields, Invalid):
        return fields
    missing = [name for name in (key, "reason") if name not in fields]
    if missing:
        return Invalid("missing_key", f'the key "{missing[0]}" is missing')
    value, reason = value_of(fields[key]), fields["reason"]
    if isinstance(value, Invalid):
        return value
    # A reason of blanks or punctuation fills the schema without giving one.
    if not isinstance(reason, str) or not any(map(str.isalpha, reason)):
        return Invalid("wrong_type", f"the reason {short_repr(reason)} is no sentence; allowed: one or two sentences")
    return value, clean(reason.strip())


class AnswerLog(Protocol):
    """Log of a judge's raw answers, with tokens and cost."""

    judge: str
    answers: list[dict[str, Any]]
    tokens: list[int]
    cost: float


@dataclass
class Question:
    """One question and its conversation.

    Attributes:
        conversation: Messages for the model; chat markup in them is neutralised.
        seed: Sampling seed with parts that identify the question, independent of the order of questions.
    """

    conversation: Sequence[Message]
    answer_log: AnswerLog
    seed: tuple[Any, ...]
    parse_reply: Callable[[str], tuple[Any, str] | Invalid]
    store_answer: Callable[[tuple[Any, str]], None]
    retry_prompt: Callable[..., str]
    labels: Mapping[str, str] = field(default_factory=dict)
    attempts: int = 0
    seconds: float = 0.0
    is_open: bool = True

    def __post_init__(self) -> None:
        # The judged text is written by players, who could pose as another role of the chat.
        self.conversation = [{**one, "content": break_markup(one["content"])} for one in self.conversation]

    def call(self, schema: Mapping[str, Any] | None) -> Call:
        """Return the next call of the model."""
        return Call(
            f"{identity(self.answer_log.judge)} {self.seed}",
            0,
            self.attempts,
            list(self.conversation),
            schema,
            self.next_seed(),
        )

    def next_seed(self) -> int:
        """Return the seed of the next answer."""
        return int(np.random.SeedSequence(seed_entropy(*self.seed, self.attempts)).generate_state(1, np.uint32)[0])

    def record_reply(self, reply: Completion) -> None:
        """Record a reply; an invalid one leaves the question open until retries run out."""
        log, answer = self.answer_log, self.parse_reply(reply.text)
        self.attempts, self.seconds = self.attempts + 1, self.seconds + reply.seconds
        log.tokens = [log.tokens[0] + reply.prompt_tokens, log.tokens[1] + reply.completion_tokens]
        log.cost += reply.cost
        cut = TRUNCATION_NOTE if reply.dropped_turns else ""
        notes = {"cut": cut, "unsupported": [*reply.unsupported], "served": reply.served}
        log.answers.append({**self.labels, "reply": reply.text, **{name: note for name, note in notes.items() if note}})
        if not isinstance(answer, Invalid):
            self.is_open = False
            return self.store_answer(answer)
        log.answers[-1]["problem"] = answer.text
        messages: list[Message] = [
            {"role": "assistant", "content": reply.text},
            {"role": "user", "content": self.retry_prompt(problem=answer.text)},
        ]
        self.conversation, self.is_open = [*self.conversation, *messages], self.attempts <= MAX_RETRIES


def ask(
    model: ChatModel, questions: Sequence[Question], schema: Mapping[str, Any] | None
) -> list[tuple[AnswerLog, Exception]]:
    """Ask all questions until each has an answer, no retries left, or an error.

    Returns:
        Logs of failed questions with the errors of the model.
    """
    failed: list[tuple[AnswerLog, Exception]] = []
    for place, error in run_tasks([partial(ask_until_answered, model, one, schema) for one in questions]):
        if error is not None:
            failed.append((questions[place].answer_log, error))
            questions[place].is_open = False
    return failed


class Inquiry(NamedTuple):
    """The questions of a judge about one item.

    Attributes:
        most: Maximum number of questions.
        start: Returns the log of the answers and the questions; called when the model has room for them.
        batch: Items about which a model of this process is asked at once.
    """

    model: ChatModel
    schema: Mapping[str, Any] | None
    most: int
    start: Callable[[], tuple[AnswerLog, Sequence[Question]]]
    batch: int = 1

    @property
    def is_served(self) -> bool:
        return hasattr(self.model, "answer")


Answered = tuple[Any, Sequence[Question], Exception | None]
"""The log of the answers about an item, the questions, and the error of the model if one failed."""


def ask_about(
    inquiries: Sequence[Inquiry], concurrent: int | None = None, on_end: Callable[[bool], None] = lambda is_whole: None
) -> Generator[Answered, None, None]:
    """Ask all questions about items: served models side by side, then the others in batches.

    Args:
        inquiries: Inquiries; served ones are yielded in this order.
        concurrent: Calls of each served model at once; None: as many as it answers at once.
        on_end: Called when all questions about an item have ended, with whether none failed.
    """
    served = [one for one in inquiries if one.is_served]
    yield from _ask_served(served, concurrent, on_end)
    for _, same in groupby((one for one in inquiries if not one.is_served), key=lambda one: id(one.model)):
        group = [*same]
        for first in range(0, len(group), group[0].batch):
            part = group[first : first + group[0].batch]
            started = [one.start() for one in part]
            questions = [question for _, asked in started for question in asked]
            failed = {id(log): error for log, error in ask(part[0].model, questions, part[0].schema)}
            for log, asked in started:
                on_end(id(log) not in failed)
                yield log, asked, failed.get(id(log))


def _ask_served(
    inquiries: Sequence[Inquiry], concurrent: int | None, on_end: Callable[[bool], None]
) -> Generator[Answered, None, None]:
    started: dict[int, tuple[Any, Sequence[Question]]] = {}
    errors: dict[int, Exception] = {}
    owners = [place for place, one in enumerate(inquiries) for _ in range(max(one.most, 1))]
    left, ended, place = Counter(owners), dict[int, Answered](), 0

    def answer(at: int, number: int) -> Task[Exception | None]:
        one = inquiries[at]
        if at not in started:
            started[at] = one.start()
        if number >= len(started[at][1]):
            return None
        return (yield from catch_errors(partial(ask_until_answered, one.model, started[at][1][number], one.schema)))

    def pending(at: int, number: int) -> Pending[Exception | None]:
        model = cast("ServedModel", inquiries[at].model)
        return Pending({model.name: lambda: model.concurrency}, partial(answer, at, number))

    tasks = [pending(at, number) for at, one in enumerate(inquiries) for number in range(max(one.most, 1))]
    try:
        for step in Scheduler(tasks, concurrent).run():
            for task, error in step:
                at = owners[task]
                left[at] -= 1
                if error is not None:
                    errors.setdefault(at, error)
                if not left[at]:
                    ended[at] = (*started.pop(at), errors.get(at))
                    on_end(at not in errors)
            while place in ended:
                yield ended.pop(place)
                place += 1
    except BudgetSpentError:
        # What has been paid is kept.
        yield from (ended[at] for at in sorted(ended))
        raise


def ask_until_answered(model: ChatModel, question: Question, schema: Mapping[str, Any] | None) -> Task[None]:
    """Ask a question until it has an answer or no retries are left."""
    while question.is_open:
        question.record_reply((yield from make_call(model, question.call(schema))))
