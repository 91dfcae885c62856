"""Classification of sellers' messages by a language model: recommends, advises against, or neither.

Each message is classified once per run. The result is recorded among the calls of the buyer's turn, so that replays and
measures of behaviour need no model.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any

from econzoo.baselines import FENCE, Question, ask, open_language_model
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
        """Return the call in the format of records; a repeated message costs nothing."""
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

    def read(self, messages: Sequence[str]) -> list[tuple[Reading, bool] | Exception]:
        """Return each message's classification and whether it is new, or the error of the model."""
        new = {words: self._question(words) for words in dict.fromkeys(messages) if words not in self._known}
        # By identity, since readings are mutable and have no hash.
        failed = {id(one): error for one, error in ask(self._model, [q for _, q in new.values()], self._schema)}
        errors = {words: failed[id(reading)] for words, (reading, _) in new.items() if id(reading) in failed}
        for words in new.keys() - errors:
            reading, question = new[words]
            reading.seconds, self._known[words] = round(question.seconds, 6), reading
        # The first of several equal messages is charged.
        first = {words: messages.index(words) for words in new}
        return [
            errors[words] if words in errors else (self._known[words], first.get(words) == at)
            for at, words in enumerate(messages)
        ]

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
