"""A language model says which strategy a program follows, from what its author and the opponent wrote."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from textwrap import indent
from typing import Any

from econzoo.baselines.judges import FENCE, Question, ask
from econzoo.baselines.models.chat import ChatModel, Message
from econzoo.envs.core.contract.validation import clean
from econzoo.envs.core.record.record import Record
from econzoo.evaluate.analyses.blinding import Blindfold, telltales
from econzoo.evaluate.analyses.model_queries import ask_all
from econzoo.evaluate.analyses.programs.labels import MISSING, Categories, Label, read_labels
from econzoo.evaluate.analyses.programs.rows import previous_submission
from econzoo.evaluate.analyses.programs.submissions import Submission
from econzoo.evaluate.run.failures import FailureCounter
from econzoo.evaluate.run.remote_models import model_of
from econzoo.evaluate.show.escapes import shorten_middle

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

    def classify(
        self, given: Mapping[str, list[Message]], labels: Sequence[Label], rubric: Categories
    ) -> list[tuple[Any, Exception]]:
        """Fills labels, asking all at once.

        Args:
            given: Submission to the conversation that asks about it.
            labels: Of these submissions.
            rubric: What is asked.

        Returns:
            Those that could not be filled, with the error of the model.
        """
        again = partial(rubric.prompts["again"].format, keys=", ".join(rubric.keys))
        asked = [
            Question(
                given[one.submission], one, (one.seed, one.submission), rubric.read_answer, one.record_category, again
            )
            for one in labels
        ]
        return ask(self._model, asked, rubric.schema if self._constrained else None)


def new_classifier(spec: str) -> Classifier:
    """The language model of a judge's spec.

    Raises:
        ValueError: The spec is unknown, a person, or no language model.
    """
    return Classifier(spec.strip(), *model_of(spec))


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

    def or_default(text: str | None, otherwise: str = texts["nothing"]) -> str:
        if not text or not text.strip():
            return otherwise
        # Indented, so that nothing that an author writes can look like a line of ours.
        return indent(shorten_middle(clean(hide(text.replace("\r", ""))), LENGTH), "  ")

    nobody = texts["first"] if one.round == 1 else texts["nothing"]
    item = texts["item"].format(
        round=one.round,
        text=or_default(one.text),
        program=or_default(one.source),
        other_text=or_default(last.text, texts["nothing"]) if last else nobody,
        other_program=or_default(last.source, texts["nothing"]) if last else nobody,
        categories="\n".join(f"{category.key}: {category.meaning}" for category in rubric.categories),
        keys=", ".join(rubric.keys),
        fence=FENCE,
    )
    return [{"role": "system", "content": texts["system"].format(fence=FENCE)}, {"role": "user", "content": item}]


def classify_all(
    judges: Iterable[Classifier],
    records: Iterable[Record],
    submissions: Sequence[Submission],
    rubric: Categories,
    seed: int,
    out: Path,
    concurrent: int = 1,
    on_progress: Callable[[int], None] = lambda count: None,
    watch: FailureCounter | None = None,
) -> list[Label]:
    """Every judge classifies every program that it has not classified yet; each label is written down at once.

    A program that was never submitted is not asked about: its label says `MISSING_TEXTS`.

    Args:
        judges: With different specs.
        records: The matches of the submissions.
        submissions: To be classified.
        rubric: What is asked.
        seed: Of sampling.
        out: The file; labels that are in it are not made again.
        concurrent: Programs that are asked about at once.
        on_progress: Told of every label.
        watch: Counts the labels that could not be given.

    Returns:
        The labels of all these judges on these submissions, old and new.

    Raises:
        ValueError: Two judges with one spec, or the file holds something else.
        StoppedError: Too many labels in a row could not be given, or none could.
    """
    hiding = {record.id: Blindfold(telltales(record)) for record in records}
    at = {one.id: one for one in submissions}

    made = partial(_labels, at=at, rubric=rubric, seed=seed, hiding=hiding)
    known, watch = partial(read_labels, out, rubric), watch or FailureCounter("label")
    how = (out, watch, "label", concurrent, on_progress, lambda one: one.source is not None)
    return ask_all(list(judges), submissions, made, known, *how)


def _labels(
    judge: Classifier,
    part: Sequence[Submission],
    at: dict[str, Submission],
    rubric: Categories,
    seed: int,
    hiding: Mapping[str, Callable[[str], str]],
) -> Iterator[Label | Exception]:
    made = {one.id: _new_label(one, judge.spec, rubric, seed) for one in part}
    asked = {
        one.id: conversation(
            one, previous_submission(one, at, 1 - one.place["seat"]), rubric, hiding[one.place["match"]]
        )
        for one in part
        if one.source is not None
    }
    failed = judge.classify(asked, [made[name] for name in asked], rubric)
    found: dict[str, Label | Exception] = {**made, **{label.submission: error for label, error in failed}}
    return iter(found.values())


def _new_label(one: Submission, judge: str, rubric: Categories, seed: int) -> Label:
    made = Label(
        one.id, one.place["match"], one.place["game"], one.place["spec"], one.round, judge, rubric.digest, seed
    )
    if one.source is None:
        made.status = MISSING
    return made
