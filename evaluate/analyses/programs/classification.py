"""Classification of the strategies of programs by language models."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from textwrap import indent

from econzoo.baselines import FENCE, Inquiry, Question
from econzoo.baselines.models import ChatModel, Message
from econzoo.envs.core.contract import clean
from econzoo.envs.core.record import Record
from econzoo.evaluate.analyses import Blindfold, ask_all, telltales
from econzoo.evaluate.analyses.programs.labels import MISSING, Categories, Label, read_labels
from econzoo.evaluate.analyses.programs.rows import previous_submission
from econzoo.evaluate.analyses.programs.submissions import Submission
from econzoo.evaluate.run import FailureCounter, model_of
from econzoo.evaluate.show import shorten_middle

LENGTH = 6000
"""Maximum characters of each text and program in a prompt."""


class Classifier:
    """Chat model that classifies strategies."""

    def __init__(self, spec: str, model: ChatModel, constrained: bool = True) -> None:
        self.spec, self._model, self._constrained = spec, model, constrained

    def inquiry(self, rubric: Categories, start: Callable[[], tuple[Label, list[Question]]]) -> Inquiry:
        """Return the question about a submission, which `start` makes."""
        return Inquiry(self._model, rubric.schema if self._constrained else None, 1, start)


def new_classifier(spec: str) -> Classifier:
    return Classifier(spec.strip(), *model_of(spec))


def conversation(
    one: Submission, last: Submission | None, rubric: Categories, hide: Callable[[str], str] = str
) -> list[Message]:
    """Return the prompt that asks for the category of a submission.

    Args:
        last: Opponent's submission in the previous meta-round; None without one.
        hide: Removes hints at the author from a text.
    """
    texts = rubric.prompts

    def or_default(text: str | None, otherwise: str = texts["nothing"]) -> str:
        if not text or not text.strip():
            return otherwise
        # Indented, so that an author's text cannot imitate a line of the prompt.
        return indent(shorten_middle(clean(hide(text.replace("\r", ""))), LENGTH), "  ")

    missing = texts["first"] if one.round == 1 else texts["nothing"]
    item = texts["item"].format(
        round=one.round,
        text=or_default(one.text),
        program=or_default(one.source),
        other_text=or_default(last.text, texts["nothing"]) if last else missing,
        other_program=or_default(last.source, texts["nothing"]) if last else missing,
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
    concurrent: int | None = None,
    on_progress: Callable[[int], None] = lambda count: None,
    watch: FailureCounter | None = None,
) -> list[Label]:
    """Classify all submissions with all judges, saving each new label at once.

    A missing program is labelled `MISSING` without a query.
    """
    # One per match, whose names it hides; it compiles a pattern, which all submissions of the match share.
    hiding = {record.id: Blindfold(telltales(record)) for record in records}
    at = {one.id: one for one in submissions}

    def start(judge: Classifier, one: Submission) -> tuple[Label, list[Question]]:
        label = _new_label(one, judge.spec, rubric, seed)
        if one.source is None:
            return label, []
        last = previous_submission(one, at, 1 - one.place["seat"])
        asked = conversation(one, last, rubric, hiding[one.place["match"]])
        again = partial(rubric.prompts["again"].format, keys=", ".join(rubric.keys))
        return label, [Question(asked, label, (seed, one.id), rubric.read_answer, label.record_category, again)]

    def inquire(judge: Classifier, one: Submission) -> Inquiry:
        return judge.inquiry(rubric, partial(start, judge, one))

    known, watch = partial(read_labels, out, rubric), watch or FailureCounter("label")
    # The last argument keeps missing programs out of the estimate of costs.
    how = (out, watch, "label", concurrent, on_progress, lambda one: one.source is not None)
    return ask_all(list(judges), submissions, inquire, known, *how)


def _new_label(one: Submission, judge: str, rubric: Categories, seed: int) -> Label:
    label = Label(
        one.id, one.place["match"], one.place["game"], one.place["spec"], one.round, judge, rubric.digest, seed
    )
    if one.source is None:
        label.status = MISSING
    return label
