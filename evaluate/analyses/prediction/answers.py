"""Language models as predictors: one question and one JSON answer per decision, saved in a file."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cache, partial
from pathlib import Path
from typing import Any

from econzoo.baselines import FENCE, LONGEST_REASON, MAX_RETRIES, Inquiry, Question, answer_schema, judges
from econzoo.baselines.models import ChatModel, Message
from econzoo.envs.core import check_format
from econzoo.envs.core import game as find_game
from econzoo.envs.core.contract import Invalid, Real, load_package_toml, short_repr
from econzoo.evaluate.analyses.prediction.decisions import Decision, PlayerKnowledge, format_kind
from econzoo.evaluate.run import model_of, read_latest
from econzoo.evaluate.show import shorten_middle

PACKAGE = "econzoo.evaluate.analyses.prediction"

PROBABILITY = Real(0.0, 1.0)
SCHEMA = answer_schema("probability", {"type": "number", "minimum": 0, "maximum": 1})

FILE = Path("judging", "predictions.jsonl")
"""File of answers, outside the records."""

MIN_CHARACTERS = 500
"""Minimum characters of the past in a prompt, however short the context."""


@cache
def prompts() -> Mapping[str, str]:
    return load_package_toml(PACKAGE, "prompts.toml")


@cache
def digest() -> str:
    """Return the hash of the prompt templates, 12 hexadecimal digits."""
    return hashlib.sha256(json.dumps(dict(prompts()), sort_keys=True).encode()).hexdigest()[:12]


@dataclass
class Answer:
    """Prediction of one decision by one model.

    Attributes:
        item: Id of the decision.
        probability: Probability of yes; None without a valid answer.
        answers: Raw answers: ``reply`` and, if any, ``problem`` (why it is invalid), ``cut`` and ``unsupported`` (see
            `econzoo.baselines.judges.Question`).
        tokens: Prompt and completion tokens of all answers.
        cost: Cost in US dollars.
        left_out: Characters of the past omitted to fit the context.
    """

    item: str
    judge: str
    digest: str
    seed: int
    probability: float | None = None
    reason: str = ""
    answers: list[dict[str, Any]] = field(default_factory=list)
    tokens: list[int] = field(default_factory=lambda: [0, 0])
    cost: float = 0.0
    left_out: int = 0
    format: int = 1

    @property
    def about(self) -> str:
        return self.item

    @property
    def usable_probability(self) -> float | None:
        """Probability; None without a valid answer or if the context truncated the question."""
        return None if any("cut" in one for one in self.answers) else self.probability

    def record_reply(self, answer: tuple[float, str]) -> None:
        self.probability, self.reason = answer

    def to_json(self) -> str:
        """Return the answer as one line of ASCII JSON."""
        return json.dumps(vars(self), ensure_ascii=True, allow_nan=False, separators=(",", ":"))


def read_answers(path: Path) -> list[Answer]:
    """Read the answers of a file, the last one per decision and model; empty without a file."""
    return read_latest(path, _answer, "item", "judge") if path.exists() else []


def _answer(given: Any) -> Answer:
    if not isinstance(given, dict):
        raise ValueError("not a prediction: expected a JSON object")
    # The format is first: a line of another version may have other keys, and the message is to name the version.
    check_format("the prediction", given.get("format"))
    if set(given) != {one.name for one in fields(Answer)}:
        raise ValueError("not a prediction: expected a JSON object with the keys of one")
    if given["digest"] != digest():
        raise ValueError(f"invalid digest {given['digest']!r}: expected {digest()}, the current prompts")
    if given["probability"] is not None and isinstance(problem := parse_probability(given["probability"]), Invalid):
        raise ValueError(problem.text)
    return Answer(**given)


def parse_probability(value: Any) -> float | Invalid:
    try:
        return PROBABILITY(value)
    except (TypeError, ValueError):
        return Invalid("outside", f"invalid probability {short_repr(value)}: expected {PROBABILITY.value_range}")


def _read_reply(reply: str) -> tuple[float, str] | Invalid:
    return judges.read_answer(reply, "probability", parse_probability)


class ModelPredictor:
    """Chat model that predicts decisions."""

    def __init__(self, spec: str, model: ChatModel, constrained: bool = True) -> None:
        self.spec, self._model, self._schema = spec, model, SCHEMA if constrained else None

    def inquiry(self, decision: Decision, shown: PlayerKnowledge, seed: int) -> Inquiry:
        """Return the question about a decision, whose answer is logged in an `Answer`."""
        return Inquiry(self._model, self._schema, 1, partial(self._start, decision, shown, seed))

    def _start(self, decision: Decision, shown: PlayerKnowledge, seed: int) -> tuple[Answer, list[Question]]:
        bare = sum(len(one["content"]) for one in conversation(decision, shown._replace(past="")))
        # As for judges: each retry adds an invalid reply and the request to correct it, with the problem that it names.
        room = judges.character_limit(self._model) - bare - MAX_RETRIES * (LONGEST_REASON + 2 * len(prompts()["again"]))
        past = shorten_middle(shown.past, max(MIN_CHARACTERS, room))
        answer = Answer(decision.id, self.spec, digest(), seed, left_out=max(0, len(shown.past) - len(past)))
        messages, again = conversation(decision, shown._replace(past=past)), prompts()["again"].format
        return answer, [Question(messages, answer, (seed, decision.id), _read_reply, answer.record_reply, again)]


def new_predictor(spec: str) -> ModelPredictor:
    return ModelPredictor(spec.strip(), *model_of(spec))


def conversation(decision: Decision, shown: PlayerKnowledge) -> list[Message]:
    """Return the prompt that asks for the probability of yes."""
    texts = prompts()
    choices = [format_kind(kind) for kind in decision.allowed_kinds]
    item = texts["item"].format(
        role=find_game(decision.game).facts.role_with_part(decision.role),
        game=format_kind(decision.game),
        rules=shown.rules,
        past=shown.past,
        choices=", ".join(choices),
        yes=choices[0],
        fence=FENCE,
    )
    return [{"role": "system", "content": texts["system"].format(fence=FENCE)}, {"role": "user", "content": item}]
