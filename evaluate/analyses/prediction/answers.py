"""Language models that predict: one question about each decision, one JSON object as answer, kept in a file."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cache
from pathlib import Path
from typing import Any

from econzoo.baselines import judges
from econzoo.baselines.judges import FENCE, LONGEST_REASON, MAX_RETRIES, Question, answer_schema, ask
from econzoo.baselines.models.chat import ChatModel, Message
from econzoo.envs.core.contract.parameters import Real
from econzoo.envs.core.contract.validation import Invalid, load_package_toml, short_repr
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.analyses.prediction.decisions import Decision, PlayerKnowledge, format_kind
from econzoo.evaluate.run.folder import read_latest
from econzoo.evaluate.run.remote_models import model_of
from econzoo.evaluate.show.escapes import shorten_middle

PACKAGE = "econzoo.evaluate.analyses.prediction"

PROBABILITY = Real(0.0, 1.0)
SCHEMA = answer_schema("probability", {"type": "number", "minimum": 0, "maximum": 1})

FILE = Path("judging", "predictions.jsonl")
"""Where answers go, beside the records, but not among them."""

MIN_CHARACTERS = 500
"""Characters of what was read that are shown however little room a model has."""


@cache
def prompts() -> Mapping[str, str]:
    """The texts that a model reads."""
    return load_package_toml(PACKAGE, "prompts.toml")


@cache
def digest() -> str:
    """12 hexadecimal digits that depend on every word of the prompts."""
    return hashlib.sha256(json.dumps(dict(prompts()), sort_keys=True).encode()).hexdigest()[:12]


@dataclass
class Answer:
    """What one model said about one decision.

    Attributes:
        item: Id of the decision.
        judge: The model's spec.
        digest: See `digest`.
        seed: Of the model's sampling.
        probability: Of yes; None: no answer could be used.
        reason: The model's words.
        answers: Every answer as it came: ``reply`` and, where there are any, ``problem`` (why it could not be used),
            ``cut`` and ``unmet`` (see `econzoo.baselines.judges.Question`).
        tokens: Prompt and completion tokens of all answers.
        cost: US dollars.
        left_out: Characters of what the player read that were left out for lack of room.
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

    @property
    def about(self) -> str:
        """The decision."""
        return self.item

    @property
    def usable_probability(self) -> float | None:
        """The probability, unless the model's context has cut the question: it has not read it then."""
        return None if any("cut" in one for one in self.answers) else self.probability

    def record_reply(self, found: tuple[float, str]) -> None:
        """Writes down a probability and its reason."""
        self.probability, self.reason = found

    def to_json(self) -> str:
        """One line of ASCII JSON."""
        return json.dumps(vars(self), ensure_ascii=True, allow_nan=False, separators=(",", ":"))


def read_answers(path: Path) -> list[Answer]:
    """The answers of a file; of several on one decision by one model the last counts. No file: none.

    Raises:
        ValueError: A line is no answer, or to other words; the message names file and line.
    """
    return read_latest(path, _answer, "item", "judge") if path.exists() else []


def _answer(given: Any) -> Answer:
    names = {one.name for one in fields(Answer)}
    if not isinstance(given, dict) or set(given) != names:
        raise ValueError("not a prediction; allowed: a JSON object with the keys of one")
    if given["digest"] != digest():
        raise ValueError(f"answered to other words of the prompt ({given['digest']}); allowed: {digest()}")
    if given["probability"] is not None and isinstance(problem := parse_probability(given["probability"]), Invalid):
        raise ValueError(problem.text)
    return Answer(**given)


def parse_probability(value: Any) -> float | Invalid:
    """A probability, or what is wrong with it."""
    try:
        return PROBABILITY(value)
    except (TypeError, ValueError):
        return Invalid(
            "outside", f"the probability {short_repr(value)} is not allowed; allowed: {PROBABILITY.value_range}"
        )


def _read_reply(reply: str) -> tuple[float, str] | Invalid:
    return judges.read_answer(reply, "probability", parse_probability)


class ModelPredictor:
    """Asks a chat model.

    Args:
        spec: Names the model.
        model: Answers.
        constrained: Whether the model is given the JSON schema of an answer, which its decoder then cannot leave.
    """

    def __init__(self, spec: str, model: ChatModel, constrained: bool = True) -> None:
        self.spec, self._model, self._schema = spec, model, SCHEMA if constrained else None

    def predict(
        self, decisions: Sequence[Decision], shown: Mapping[str, PlayerKnowledge], seed: int
    ) -> Iterator[Answer | Exception]:
        """An answer about each decision, or the error of the model in its place; all are asked about at once.

        Args:
            decisions: To be predicted.
            shown: What the players knew, by the id of the decision.
            seed: Of the model's sampling.
        """
        made = [self._question(one, shown[one.id], seed) for one in decisions]
        failed = {id(answer): error for answer, error in ask(self._model, [one for _, one in made], self._schema)}
        yield from (failed.get(id(answer), answer) for answer, _ in made)

    def _question(self, decision: Decision, shown: PlayerKnowledge, seed: int) -> tuple[Answer, Question]:
        bare = sum(len(one["content"]) for one in conversation(decision, shown._replace(past="")))
        room = judges.character_limit(self._model) - bare - MAX_RETRIES * (LONGEST_REASON + 2 * len(prompts()["again"]))
        past = shorten_middle(shown.past, max(MIN_CHARACTERS, room))
        answer = Answer(decision.id, self.spec, digest(), seed, left_out=max(0, len(shown.past) - len(past)))
        asked, again = conversation(decision, shown._replace(past=past)), prompts()["again"].format
        return answer, Question(asked, answer, (seed, decision.id), _read_reply, answer.record_reply, again)


def new_predictor(spec: str) -> ModelPredictor:
    """The language model of a spec.

    Raises:
        ValueError: The spec is unknown, or no language model.
    """
    return ModelPredictor(spec.strip(), *model_of(spec))


def conversation(decision: Decision, shown: PlayerKnowledge) -> list[Message]:
    """What a model reads about a decision."""
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
