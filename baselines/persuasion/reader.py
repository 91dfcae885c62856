"""A language model that reads what sellers say in words: that they recommend a product, advise against it, or neither.

The same words are read once in a run. What was read stands in the record, among the calls of the buyer's turn, so that
nothing has to be read again: not in a replay, not by measures of behaviour.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any

from econzoo.baselines.judges import FENCE, Question, ask, language_model
from econzoo.baselines.models.chat import ChatModel
from econzoo.baselines.persuasion.signals import NOTHING, READING, SIGNALS, signal_in
from econzoo.envs.core.contract.validation import Invalid, load_package_toml
from econzoo.envs.games.persuasion.rules import SELLER

SCHEMA = {
    "type": "object",
    "properties": {"signal": {"type": "string", "enum": [*SIGNALS]}},
    "required": ["signal"],
    "additionalProperties": False,
}


@cache
def prompts() -> Mapping[str, Any]:
    """The texts that the model reads."""
    return load_package_toml(__package__, "reader.toml")


@dataclass
class Reading:
    """What a model made of a seller's words.

    Attributes:
        judge: Spec of the reader.
        prompt: The question.
        signal: What was heard; `NOTHING` where there was no usable answer.
        answers: As they came: ``reply`` and, if it could not be used, ``problem``.
        tokens: Prompt and completion tokens of all answers.
        cost: US dollars.
        seconds: Wall time.
    """

    judge: str
    prompt: str
    signal: int = NOTHING
    answers: list[dict[str, Any]] = field(default_factory=list)
    tokens: list[int] = field(default_factory=lambda: [0, 0])
    cost: float = 0.0
    seconds: float = 0.0

    def record_signal(self, found: tuple[int, str]) -> None:
        """Writes down what was heard."""
        self.signal = found[0]

    def to_record(self, new: bool) -> dict[str, Any]:
        """The call as a record keeps it; what was read before costs nothing again."""
        last = self.answers[-1]
        took = (self.tokens, self.seconds, self.cost) if new else ([0, 0], 0.0, 0.0)
        call = {"purpose": READING, "about": SELLER, "prompt": self.prompt, "reply": last["reply"]}
        call |= dict(zip(("tokens", "seconds", "cost"), took, strict=True))
        return call | {name: last[name] for name in ("problem", "unmet") if name in last}


class Reader:
    """Asks a chat model what words say.

    Args:
        spec: Names the reader.
        model: Answers.
        constrained: Whether the model is given the JSON schema of an answer, which its decoder then cannot leave.
    """

    def __init__(self, spec: str, model: ChatModel, constrained: bool = True) -> None:
        self.spec, self._model, self._schema = spec, model, SCHEMA if constrained else None
        self._known: dict[str, Reading] = {}

    def read(self, messages: Sequence[str]) -> list[tuple[Reading, bool] | Exception]:
        """What each message says, and whether it was read now; or the error of the model in its place."""
        new = {words: self._question(words) for words in dict.fromkeys(messages) if words not in self._known}
        begun = time.perf_counter()
        failed = {id(one): error for one, error in ask(self._model, [q for _, q in new.values()], self._schema)}
        errors = {words: failed[id(reading)] for words, (reading, _) in new.items() if id(reading) in failed}
        for words in new.keys() - errors:
            reading = self._known[words] = new[words][0]
            reading.seconds = round((time.perf_counter() - begun) / len(new), 6)
        # Of several that ask for the same words, the first one pays.
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
    """The reader of a language model's spec; the same for all buyers of a process.

    Raises:
        ValueError: The spec is unknown, or a player that is no language model.
    """
    spec = spec.strip()
    if spec not in _READERS:
        try:
            _READERS[spec] = Reader(spec, *language_model(spec))
        except ValueError as error:
            raise ValueError(str(error).replace("judge ", "reader ", 1)) from None
    return _READERS[spec]
