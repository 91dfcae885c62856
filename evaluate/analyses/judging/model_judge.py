"""A language model as judge: one question per dimension, answered by one JSON object."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial

from econzoo.baselines import FENCE, LONGEST_REASON, MAX_RETRIES, Answered, Inquiry, Question, answer_schema, ask_about
from econzoo.baselines import judges
from econzoo.baselines.models import ChatModel, Message
from econzoo.envs.core.contract import Invalid, load_package_toml
from econzoo.evaluate.analyses.judging.evidence import Evidence, Item, evidence
from econzoo.evaluate.analyses.judging.judgements import Judgement, new_judgement
from econzoo.evaluate.analyses.judging.rubric import HIGHEST, LOWEST, PACKAGE, Dimension, Rubric, parse_score

__all__ = ["ModelJudge"]

SCHEMA = answer_schema("score", {"type": "integer", "minimum": LOWEST, "maximum": HIGHEST})

SHORTEST = 500
"""Minimum characters of a transcript, however short the context of a model."""


@cache
def prompts() -> Mapping[str, str]:
    return load_package_toml(PACKAGE, "prompts.toml")


def read_answer(reply: str) -> tuple[int, str] | Invalid:
    """Parse score and reason from a reply with one JSON object."""
    return judges.read_answer(reply, "score", parse_score)


class ModelJudge:
    """A chat model as judge.

    Args:
        spec: Spec of the judge.
        model: Chat model.
        constrained: Whether decoding is constrained to the JSON schema of an answer.
        length: Maximum characters of a transcript. Default: by the context of the model.
        concurrent: Number of players judged together.
    """

    def __init__(
        self, spec: str, model: ChatModel, constrained: bool = True, length: int | None = None, concurrent: int = 1
    ) -> None:
        self.spec, self.model, self.constrained = spec, model, constrained
        self._schema = SCHEMA if constrained else None
        self._length, self._concurrent = length, concurrent

    def judge(self, items: Sequence[Item], rubric: Rubric, seed: int) -> Iterator[Judgement | Exception]:
        """Yield a judgement of every item, or the model's error.

        Args:
            items: Items, in order.
            rubric: Rubric.
            seed: Sampling seed of the model.
        """
        return map(read_outcome, ask_about([self.inquiry(item, rubric, seed) for item in items]))

    def inquiry(self, item: Item, rubric: Rubric, seed: int) -> Inquiry:
        """Return the questions about an item; see `read_outcome`."""
        start = partial(self._start_judgement, item, rubric, seed)
        return Inquiry(self.model, self._schema, len(rubric.dimensions), start, self._concurrent)

    def room(self, rubric: Rubric, shown: Evidence) -> int:
        """Maximum characters of a transcript, so that the longest question fits with all retries."""
        if self._length is not None:
            return self._length
        bare, texts = shown._replace(transcript=""), prompts()
        asked = [conversation(dimension, bare, rubric.introduction) for dimension in rubric.dimensions]
        longest = max(sum(len(message["content"]) for message in one) for one in asked)
        # Each retry adds an invalid reply, taken to be as long as the longest reason, and the request to correct it,
        # whose length is doubled to leave room for the problem that it names.
        return max(
            SHORTEST,
            judges.character_limit(self.model) - longest - MAX_RETRIES * (LONGEST_REASON + 2 * len(texts["again"])),
        )

    def _start_judgement(self, item: Item, rubric: Rubric, seed: int) -> tuple[Judgement, list[Question]]:
        shown = evidence(item.record, item.seat, partial(self.room, rubric))
        one = new_judgement(item, self.spec, rubric, seed)
        one.record_evidence(shown)
        asked = rubric.applicable_dimensions(shown.has_persona)
        # All keys in the rubric's order, whichever is answered first; None stays where no answer is valid.
        one.scores = {dimension.key: None for dimension in asked}
        return one, [_question(one, dimension, shown, rubric.introduction) for dimension in asked]


def read_outcome(answered: Answered) -> Judgement | Exception:
    """Return the judgement, or the model's error."""
    one, questions, error = answered
    if error is not None:
        # Without one of the answers there is no judgement, and all are asked again: the journal has the replies.
        return error
    judgement: Judgement = one
    judgement.seconds = round(sum(question.seconds for question in questions), 6)
    # In the order of the dimensions, first all first answers, in whatever order they came.
    places, tries = {key: place for place, key in enumerate(judgement.scores)}, Counter[str]()
    ranks: list[tuple[int, int]] = []
    for answer in judgement.answers:
        ranks.append((tries[answer["dimension"]], places[answer["dimension"]]))
        tries[answer["dimension"]] += 1
    judgement.answers = [judgement.answers[at] for at in sorted(range(len(ranks)), key=ranks.__getitem__)]
    keys = [answer["dimension"] for answer in judgement.answers if "problem" not in answer]
    judgement.reasons = {key: judgement.reasons[key] for key in keys if key in judgement.reasons}
    return judgement


def _question(one: Judgement, dimension: Dimension, shown: Evidence, introduction: str) -> Question:
    key, again = dimension.key, partial(prompts()["again"].format, lowest=LOWEST, highest=HIGHEST)
    keep = partial(one.record_score, key)
    # The seed depends on player and dimension, not on what else is asked: an interrupted run gives the same answers.
    asked, drawn = conversation(dimension, shown, introduction), (one.seed, one.item, key)
    return Question(asked, one, drawn, read_answer, keep, again, {"dimension": key})


def conversation(dimension: Dimension, shown: Evidence, introduction: str = "") -> list[Message]:
    """Return the conversation about a player for one dimension; the question is last, where nothing is truncated.

    Args:
        introduction: Introduction of the rubric; may be empty.
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
