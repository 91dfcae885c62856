"""A language model as judge: one question for each dimension, one JSON object as answer."""

from __future__ import annotations

import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from econzoo.baselines.models.chat import ChatModel, Completion, Message
from econzoo.envs.core.parse import find_object
from econzoo.envs.core.values import Invalid, clean, short
from econzoo.evaluate.judging.evidence import LENGTH, Evidence, evidence
from econzoo.evaluate.judging.items import Item, seeds
from econzoo.evaluate.judging.judgements import Judgement, new_judgement
from econzoo.evaluate.judging.rubric import PACKAGE, Dimension, Rubric
from econzoo.evaluate.judging.scale import HIGHEST, LOWEST, score_of

__all__ = ["ModelJudge"]

REASKS = 2
"""How often a dimension is asked again after an answer that is no score."""

LONGEST_REASON = 600
"""Characters of a reason that the JSON schema lets a model write."""

FENCE = "=" * 20

SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        # The score comes first: a reply that reaches its length limit loses words of its reason and not its score.
        "score": {"type": "integer", "minimum": LOWEST, "maximum": HIGHEST},
        "reason": {"type": "string", "minLength": 1, "maxLength": LONGEST_REASON},
    },
    "required": ["score", "reason"],
    "additionalProperties": False,
}
"""Of an answer."""


@cache
def prompts() -> Mapping[str, str]:
    """The texts that a model reads."""
    return tomllib.loads(files(PACKAGE).joinpath("prompts.toml").read_text(encoding="utf-8"))


def read_answer(reply: str) -> tuple[int, str] | Invalid:
    """Score and reason of a reply with one JSON object, or what is wrong with it."""
    found = find_object(reply)
    if isinstance(found, Invalid):
        return found
    missing = [key for key in SCHEMA["required"] if key not in found]
    if missing:
        return Invalid("missing_key", f'the key "{missing[0]}" is missing')
    score, reason = score_of(found["score"]), found["reason"]
    if isinstance(score, Invalid):
        return score
    if not isinstance(reason, str) or not any(map(str.isalpha, reason)):
        return Invalid("wrong_type", f"the reason {short(reason)} is no sentence; allowed: one or two sentences")
    return score, clean(reason.strip())


@dataclass
class _Question:
    """One dimension of one item, with the conversation about it."""

    judgement: Judgement
    dimension: Dimension
    conversation: list[Message] = field(default_factory=list)
    asked: int = 0
    open: bool = True

    def seed(self) -> int:
        """A function of the item and the question, not of the order."""
        parts = self.judgement.item, self.dimension.key, self.asked
        return int(np.random.SeedSequence(seeds(self.judgement.seed, *parts)).generate_state(1, np.uint32)[0])

    def take(self, completion: Completion) -> None:
        """Writes down an answer; one that is no score leaves the question open until it was asked too often."""
        one, found = self.judgement, read_answer(completion.text)
        self.asked += 1
        answer = {"dimension": self.dimension.key, "reply": completion.text}
        one.tokens = [one.tokens[0] + completion.prompt_tokens, one.tokens[1] + completion.completion_tokens]
        one.cost += completion.cost
        if isinstance(found, Invalid):
            one.answers.append({**answer, "problem": found.text})
            self.conversation += _again(completion.text, found)
            self.open = self.asked <= REASKS
            return
        one.answers.append(answer)
        one.scores[self.dimension.key], one.reasons[self.dimension.key] = found
        self.open = False


def _again(reply: str, problem: Invalid) -> list[Message]:
    told = prompts()["again"].format(problem=problem.text, lowest=LOWEST, highest=HIGHEST)
    return [{"role": "assistant", "content": reply}, {"role": "user", "content": told}]


class ModelJudge:
    """Asks a chat model.

    Args:
        spec: Names the judge.
        model: Answers.
        constrained: Whether the model is given the JSON schema of an answer, which its decoder then cannot leave.
        length: See `econzoo.evaluate.judging.evidence.evidence`.
        concurrent: Players whose questions are asked together.
    """

    def __init__(
        self, spec: str, model: ChatModel, constrained: bool = True, length: int = LENGTH, concurrent: int = 1
    ) -> None:
        self.spec, self.model, self.constrained = spec, model, constrained
        self._schema = SCHEMA if constrained else None
        self._length, self._concurrent = length, concurrent

    def judge(self, items: Sequence[Item], rubric: Rubric, seed: int) -> Iterator[Judgement]:
        """A judgement of every item.

        Args:
            items: In their order.
            rubric: What is asked.
            seed: Of the model's sampling.

        Raises:
            ModelError: The model cannot be used.
        """
        for start in range(0, len(items), self._concurrent):
            begun, part = time.perf_counter(), items[start : start + self._concurrent]
            made = [self._begun(item, rubric, seed) for item in part]
            self._answer([question for _, questions in made for question in questions])
            for one, _ in made:
                one.seconds = round((time.perf_counter() - begun) / len(part), 6)
                yield one

    def _begun(self, item: Item, rubric: Rubric, seed: int) -> tuple[Judgement, list[_Question]]:
        shown = evidence(item.record, item.seat, self._length)
        one = new_judgement(item, self.spec, rubric, seed)
        asked = rubric.asked(shown.persona)
        one.scores = {dimension.key: None for dimension in asked}
        return one, [_Question(one, d, conversation(d, shown)) for d in asked]

    def _answer(self, asked: Sequence[_Question]) -> None:
        """Asks until every question has its score or was asked too often."""
        while waiting := [question for question in asked if question.open]:
            replies = self.model.complete(
                [question.conversation for question in waiting],
                [self._schema] * len(waiting),
                [question.seed() for question in waiting],
            )
            for question, reply in zip(waiting, replies, strict=True):
                question.take(reply)


def conversation(dimension: Dimension, shown: Evidence) -> list[Message]:
    """What a model reads of a player for one dimension; the question stands last, where nothing is cut away.

    Args:
        dimension: What is asked.
        shown: What the judge reads.
    """
    texts = prompts()
    question = texts["question"].format(
        name=dimension.name, question=dimension.question, anchors="\n".join(dimension.scale)
    )
    item = texts["item"].format(
        game=shown.game,
        role=shown.role,
        evidence=shown,
        question=question,
        fence=FENCE,
        lowest=LOWEST,
        highest=HIGHEST,
    )
    return [{"role": "system", "content": texts["system"].format(fence=FENCE)}, {"role": "user", "content": item}]
