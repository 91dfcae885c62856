"""A language model says which strategy a program follows, from what its author and the opponent wrote."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from textwrap import indent

import numpy as np

from econzoo.baselines.models.chat import ChatModel, Completion, Message
from econzoo.envs.core.record import Record
from econzoo.envs.core.values import Invalid, clean
from econzoo.evaluate.folder import writer
from econzoo.evaluate.judging.blinding import Blindfold, telltales
from econzoo.evaluate.judging.evidence import cut
from econzoo.evaluate.judging.items import seeds
from econzoo.evaluate.judging.model_judge import FENCE, REASKS, ModelJudge
from econzoo.evaluate.judging.panel import new_judge
from econzoo.evaluate.programs.categories import Categories
from econzoo.evaluate.programs.labels import LABELLED, MISSING, Label, read_labels
from econzoo.evaluate.programs.rows import before
from econzoo.evaluate.programs.submissions import Submission

LENGTH = 6000
"""Characters of each text and program that a model reads at most."""


class Classifier:
    """Asks a chat model.

    Args:
        spec: Names the judge.
        model: Answers.
        constrained: Whether the model is given the JSON schema of an answer, which its decoder then cannot leave.
    """

    def __init__(self, spec: str, model: ChatModel, constrained: bool = True) -> None:
        self.spec, self._model, self._constrained = spec, model, constrained

    def classify(self, given: Mapping[str, list[Message]], labels: Sequence[Label], rubric: Categories) -> None:
        """Fills labels, asking all at once.

        Args:
            given: Submission to the conversation that asks about it.
            labels: Of these submissions.
            rubric: What is asked.

        Raises:
            ModelError: The model cannot be used.
        """
        talks = {label.submission: list(given[label.submission]) for label in labels}
        waiting = list(labels)
        while waiting:
            replies = self._model.complete(
                [talks[one.submission] for one in waiting],
                [rubric.schema if self._constrained else None] * len(waiting),
                [_seed(one) for one in waiting],
            )
            for one, reply in zip(waiting, replies, strict=True):
                talks[one.submission] += _taken(one, reply, rubric)
            waiting = [one for one in waiting if one.category is None and len(one.answers) <= REASKS]


def _seed(one: Label) -> int:
    """A function of the submission and the answer before, not of the order."""
    entropy = seeds(one.seed, one.submission, len(one.answers))
    return int(np.random.SeedSequence(entropy).generate_state(1, np.uint32)[0])


def _taken(one: Label, reply: Completion, rubric: Categories) -> list[Message]:
    """Writes down an answer; what is said to the model if it was no category."""
    found = rubric.read_answer(reply.text)
    one.tokens = [one.tokens[0] + reply.prompt_tokens, one.tokens[1] + reply.completion_tokens]
    one.cost += reply.cost
    if isinstance(found, Invalid):
        one.answers.append({"reply": reply.text, "problem": found.text})
        told = rubric.prompts["again"].format(problem=found.text, keys=", ".join(rubric.keys))
        return [{"role": "assistant", "content": reply.text}, {"role": "user", "content": told}]
    one.answers.append({"reply": reply.text})
    (one.category, one.reason), one.status = found, LABELLED
    return []


def new_classifier(spec: str) -> Classifier:
    """The language model of a judge's spec.

    Raises:
        ValueError: The spec is unknown, a person, or no language model.
    """
    judge = new_judge(spec)
    if not isinstance(judge, ModelJudge):
        raise ValueError(f"judge {spec[:80]!r} is no language model; allowed: hf:PATH_OR_ID, openai:MODEL@URL")
    return Classifier(judge.spec, judge.model, judge.constrained)


def conversation(
    one: Submission, last: Submission | None, rubric: Categories, hide: Callable[[str], str] = str
) -> list[Message]:
    """What a model reads of a submission.

    Args:
        one: To be classified.
        last: What the opponent submitted in the meta-round before.
        rubric: What is asked.
        hide: Takes out of a text what tells who wrote it.
    """
    texts = rubric.prompts

    def shown(text: str | None, otherwise: str = texts["nothing"]) -> str:
        if not text or not text.strip():
            return otherwise
        # Indented, so that nothing that an author writes can look like a line of ours.
        return indent(cut(clean(hide(text.replace("\r", ""))), LENGTH), "  ")

    nobody = texts["first"] if one.round == 1 else texts["nothing"]
    item = texts["item"].format(
        round=one.round,
        text=shown(one.text),
        program=shown(one.source),
        other_text=shown(last.text, texts["nothing"]) if last else nobody,
        other_program=shown(last.source, texts["nothing"]) if last else nobody,
        categories="\n".join(f"{category.key}: {category.meaning}" for category in rubric.every),
        keys=", ".join(rubric.keys),
        fence=FENCE,
    )
    return [{"role": "system", "content": texts["system"].format(fence=FENCE)}, {"role": "user", "content": item}]


def classified(
    judges: Iterable[Classifier],
    records: Iterable[Record],
    submissions: Sequence[Submission],
    rubric: Categories,
    seed: int,
    out: Path,
    concurrent: int = 1,
    done: Callable[[int], None] = lambda count: None,
) -> list[Label]:
    """Every judge classifies every program that it has not classified yet; each label is written down at once.

    A program that was never submitted is not asked about: its label says `MISSING`.

    Args:
        judges: With different specs.
        records: The matches of the submissions.
        submissions: To be classified.
        rubric: What is asked.
        seed: Of sampling.
        out: The file; labels that are in it are not made again.
        concurrent: Programs that are asked about at once.
        done: Told of every label.

    Returns:
        The labels of all these judges on these submissions, old and new.

    Raises:
        ValueError: Two judges with one spec, or the file holds something else.
        ModelError: A model cannot be used.
    """
    judges = list(judges)
    specs = [judge.spec for judge in judges]
    twice = sorted({spec for spec in specs if specs.count(spec) > 1})
    if twice:
        raise ValueError(f"the judge {twice[0]!r} is named twice; allowed: judges with different specs")
    hiding = {record.id: Blindfold(telltales(record)) for record in records}
    at = {one.id: one for one in submissions}
    with writer(out) as file:
        known = {(one.submission, one.judge) for one in read_labels(out, rubric)}
        for judge in judges:
            todo = [one for one in submissions if (one.id, judge.spec) not in known]
            for start in range(0, len(todo), concurrent):
                part = todo[start : start + concurrent]
                file.append([label.to_json() for label in _labels(judge, part, at, rubric, seed, hiding)])
                done(len(part))
    wanted = {(one.id, spec) for one in submissions for spec in specs}
    return [one for one in read_labels(out, rubric) if (one.submission, one.judge) in wanted]


def _labels(
    judge: Classifier,
    part: Sequence[Submission],
    at: dict[str, Submission],
    rubric: Categories,
    seed: int,
    hiding: Mapping[str, Callable[[str], str]],
) -> Iterator[Label]:
    made = {one.id: _new(one, judge.spec, rubric, seed) for one in part}
    asked = {
        one.id: conversation(one, before(one, at, 1 - one.place["seat"]), rubric, hiding[one.place["match"]])
        for one in part
        if one.source is not None
    }
    judge.classify(asked, [made[name] for name in asked], rubric)
    return iter(made.values())


def _new(one: Submission, judge: str, rubric: Categories, seed: int) -> Label:
    made = Label(
        one.id, one.place["match"], one.place["game"], one.place["player"], one.round, judge, rubric.digest, seed
    )
    if one.source is None:
        made.status = MISSING
    return made
