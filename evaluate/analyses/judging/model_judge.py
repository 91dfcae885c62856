"""A language model as judge: one question for each dimension, one JSON object as answer."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial

from econzoo.baselines import judges
from econzoo.baselines.judges import FENCE, LONGEST_REASON, MAX_RETRIES, Question, answer_schema, ask
from econzoo.baselines.models.chat import ChatModel, Message
from econzoo.envs.core.contract.validation import Invalid, load_package_toml
from econzoo.evaluate.analyses.judging.evidence import Evidence, Item, evidence
from econzoo.evaluate.analyses.judging.judgements import Judgement, new_judgement
from econzoo.evaluate.analyses.judging.rubric import HIGHEST, LOWEST, PACKAGE, Dimension, Rubric, parse_score

__all__ = ["ModelJudge"]

SCHEMA = answer_schema("score", {"type": "integer", "minimum": LOWEST, "maximum": HIGHEST})
"""Of an answer."""

SHORTEST = 500
"""Characters of a transcript that are shown however little room a model has."""


@cache
def prompts() -> Mapping[str, str]:
    """The texts that a model reads."""
    return load_package_toml(PACKAGE, "prompts.toml")


def read_answer(reply: str) -> tuple[int, str] | Invalid:
    """Score and reason of a reply with one JSON object, or what is wrong with it."""
    return judges.read_answer(reply, "score", parse_score)


class ModelJudge:
    """Asks a chat model.

    Args:
        spec: Names the judge.
        model: Answers.
        constrained: Whether the model is given the JSON schema of an answer, which its decoder then cannot leave.
        length: Characters of a transcript that it reads at most; None: what it has room for.
        concurrent: Players whose questions are asked together.
    """

    def __init__(
        self, spec: str, model: ChatModel, constrained: bool = True, length: int | None = None, concurrent: int = 1
    ) -> None:
        self.spec, self.model, self.constrained = spec, model, constrained
        self._schema = SCHEMA if constrained else None
        self._length, self._concurrent = length, concurrent

    def judge(self, items: Sequence[Item], rubric: Rubric, seed: int) -> Iterator[Judgement | Exception]:
        """A judgement of every item, or the error of the model in its place.

        Args:
            items: In their order.
            rubric: What is asked.
            seed: Of the model's sampling.
        """
        for start in range(0, len(items), self._concurrent):
            begun, part = time.perf_counter(), items[start : start + self._concurrent]
            made = [self._start_judgement(item, rubric, seed) for item in part]
            failed = ask(self.model, [question for _, questions in made for question in questions], self._schema)
            errors = {one.item: error for one, error in failed if isinstance(one, Judgement)}
            for one, _ in made:
                one.seconds = round((time.perf_counter() - begun) / len(part), 6)
                yield errors.get(one.item, one)

    def room(self, rubric: Rubric, shown: Evidence) -> int:
        """Characters that a transcript may have, so that the longest question about it fits with all its answers."""
        if self._length is not None:
            return self._length
        bare, texts = shown._replace(transcript=""), prompts()
        asked = [conversation(dimension, bare, rubric.introduction) for dimension in rubric.dimensions]
        longest = max(sum(len(message["content"]) for message in one) for one in asked)
        return max(
            SHORTEST,
            judges.character_limit(self.model) - longest - MAX_RETRIES * (LONGEST_REASON + 2 * len(texts["again"])),
        )

    def _start_judgement(self, item: Item, rubric: Rubric, seed: int) -> tuple[Judgement, list[Question]]:
        shown = evidence(item.record, item.seat, partial(self.room, rubric))
        one = new_judgement(item, self.spec, rubric, seed)
        one.record_evidence(shown)
        asked = rubric.applicable_dimensions(shown.has_persona)
        one.scores = {dimension.key: None for dimension in asked}
        return one, [_question(one, dimension, shown, rubric.introduction) for dimension in asked]


def _question(one: Judgement, dimension: Dimension, shown: Evidence, introduction: str) -> Question:
    key, again = dimension.key, partial(prompts()["again"].format, lowest=LOWEST, highest=HIGHEST)
    keep = partial(one.record_score, key)
    asked, drawn = conversation(dimension, shown, introduction), (one.seed, one.item, key)
    return Question(asked, one, drawn, read_answer, keep, again, {"dimension": key})


def conversation(dimension: Dimension, shown: Evidence, introduction: str = "") -> list[Message]:
    """What a model reads of a player for one dimension; the question stands last, where nothing is cut away.

    Args:
        dimension: What is asked.
        shown: What the judge reads.
        introduction: Of the rubric, if it has one.
    """
    texts = prompts()
    asked = texts["question"].format(
        name=dimension.name, question=dimension.question, anchors="\n".join(dimension.scale)
    )
    item = texts["item"].format(
        game=shown.game,
        role=shown.role,
        evidence=shown,
        question=f"{introduction}\n\n{asked}" if introduction else asked,
        fence=FENCE,
        lowest=LOWEST,
        highest=HIGHEST,
    )
    return [{"role": "system", "content": texts["system"].format(fence=FENCE)}, {"role": "user", "content": item}]
