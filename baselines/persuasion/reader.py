"""Classification of sellers' messages by a language model: recommends, advises against, or neither.

Each message is classified once per run. The result is recorded among the calls of the buyer's turn, so that replays and
measures of behaviour need no model. Every match that hears a message has the whole cost of its classification, once: a
record would otherwise depend on which match came first.
"""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any

from econzoo.baselines import FENCE, Question, Shared, Task, ask_until_answered, catch_errors, open_language_model
from econzoo.baselines import outcomes_of
from econzoo.baselines.models import ChatModel
from econzoo.baselines.persuasion.signals import NOTHING, READING, SIGNALS, signal_in
from econzoo.envs.core.contract import Invalid, load_package_toml
from econzoo.envs.games.persuasion.rules import SELLER

SCHEMA = {
    "type": "object",
    "properties": {"signal": {"type": "string", "enum": [*SIGNALS]}},
    "required": ["signal"],
    "additionalProperties": False,
}


@cache
def prompts() -> Mapping[str, Any]:
    """Return the texts for the model."""
    return load_package_toml(__package__, "reader.toml")


@dataclass
class Reading:
    """A model's classification of a message.

    Attributes:
        tokens: Prompt and completion tokens of all answers.
        cost: US dollars.
    """

    judge: str
    prompt: str
    signal: int = NOTHING
    answers: list[dict[str, Any]] = field(default_factory=list)
    tokens: list[int] = field(default_factory=lambda: [0, 0])
    cost: float = 0.0
    seconds: float = 0.0

    def record_signal(self, answer: tuple[int, str]) -> None:
        self.signal = answer[0]

    def to_record(self, new: bool) -> dict[str, Any]:
        """Return the call in the format of records; a message repeated in a match costs nothing."""
        last = self.answers[-1]
        usage = (self.tokens, self.seconds, self.cost) if new else ([0, 0], 0.0, 0.0)
        call = {"purpose": READING, "about_seat": SELLER, "prompt": self.prompt, "reply": last["reply"]}
        call |= dict(zip(("tokens", "seconds", "cost"), usage, strict=True))
        return call | {name: last[name] for name in ("problem", "unsupported", "served") if name in last}


class Reader:
    """Classifies messages with a chat model."""

    def __init__(self, spec: str, model: ChatModel, constrained: bool = True) -> None:
        self.libraries: tuple[str, ...] = getattr(model, "libraries", ())
        self.spec, self._model, self._schema = spec, model, SCHEMA if constrained else None
        self._known: dict[str, Reading] = {}

    @property
    def call_key(self) -> Hashable:
        """See `Player.call_key`."""
        return self._model.name if self.is_served else id(self._model)

    @property
    def concurrency(self) -> int:
        """See `Player.concurrency`."""
        return int(getattr(self._model, "concurrency", 0))

    @property
    def is_served(self) -> bool:
        """See `Player.is_served`."""
        return hasattr(self._model, "answer")

    def read(self, messages: Sequence[str]) -> list[Reading | Exception]:
        """Return each message's classification, or the error of the model."""
        return outcomes_of([partial(self.read_in_steps, words) for words in messages])

    def read_in_steps(self, words: str) -> Task[Reading]:
        """Return a task that classifies a message; tasks with equal messages wait for the same calls."""
        if words not in self._known:
            found = yield Shared((id(self), words), partial(catch_errors, partial(self._classify, words)))
            if isinstance(found, Exception):
                raise found
        return self._known[words]

    def _classify(self, words: str) -> Task[None]:
        reading, question = self._question(words)
        yield from ask_until_answered(self._model, question, self._schema)
        reading.seconds, self._known[words] = round(question.seconds, 6), reading

    def _question(self, words: str) -> tuple[Reading, Question]:
        texts, names = prompts(), ", ".join(f'"{name}"' for name in SIGNALS)
        signals = "\n".join(f"{name}: {meaning}" for name, meaning in texts["signals"].items())
        item = texts["item"].format(fence=FENCE, words=words, signals=signals, names=names)
        system = {"role": "system", "content": texts["system"].format(fence=FENCE)}
        reading = Reading(self.spec, item)
        return reading, Question(
            [system, {"role": "user", "content": item}],
            reading,
            (0, READING, hashlib.sha256(words.encode()).hexdigest()),
            _parse_signal,
            reading.record_signal,
            partial(texts["again"].format, names=names),
        )


def _parse_signal(reply: str) -> tuple[int, str] | Invalid:
    found = signal_in(reply)
    return found if isinstance(found, Invalid) else (found, "")


_READERS: dict[str, Reader] = {}


def reader_of(spec: str) -> Reader:
    """Return the reader of a language model's spec, shared within the process."""
    spec = spec.strip()
    if spec not in _READERS:
        try:
            _READERS[spec] = Reader(spec, *open_language_model(spec))
        except ValueError as error:
            raise ValueError(str(error).replace("judge ", "reader ", 1)) from None
    return _READERS[spec]
