"""What judges said in a file: one JSON line for each program that a judge has classified, only ever appended to."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import partial
from pathlib import Path
from typing import Any

from econzoo.evaluate.analyses.programs.categories import Categories
from econzoo.evaluate.run.folder import last_said

SCHEMA = 1

LABELLED, UNPARSED, MISSING = "labelled", "unparsed", "missing"
"""What came of a question: a category; answers that were none; no question, because there was no program."""


@dataclass
class Label:
    """What one judge said about one program.

    Attributes:
        submission: ``MATCH:SEAT:ROUND``.
        match: Id of the match.
        game: Name.
        player: The author's spec, which the judge did not see.
        round: Meta-round.
        judge: The judge's spec.
        digest: Of the rubric's words (`Categories.digest`).
        seed: Of the model's sampling.
        status: One of `LABELLED`, `UNPARSED`, `MISSING`.
        category: Key, if there is one.
        reason: The judge's words.
        answers: Every answer as it came: ``reply`` and, if it could not be used, ``problem``.
        tokens: Prompt and completion tokens of all answers.
        cost: US dollars.
        schema: Of this line.
    """

    submission: str
    match: str
    game: str
    player: str
    round: int
    judge: str
    digest: str
    seed: int
    status: str = UNPARSED
    category: str | None = None
    reason: str = ""
    answers: list[dict[str, str]] = field(default_factory=list)
    tokens: list[int] = field(default_factory=lambda: [0, 0])
    cost: float = 0.0
    schema: int = SCHEMA

    def take(self, found: tuple[str, str]) -> None:
        """Writes down a category and its reason."""
        (self.category, self.reason), self.status = found, LABELLED

    def to_json(self) -> str:
        """One line of ASCII JSON."""
        return json.dumps(vars(self), ensure_ascii=True, allow_nan=False, separators=(",", ":"))


def read_labels(path: Path, rubric: Categories) -> list[Label]:
    """The labels of a file; of several on one program by one judge the last counts. No file: none.

    Args:
        path: The file.
        rubric: That all were made with.

    Raises:
        ValueError: A line is no label, or was made with other words; the message names file and line.
    """
    return last_said(path, partial(_label, rubric=rubric), "submission", "judge") if path.exists() else []


def _label(given: Any, rubric: Categories) -> Label:
    names = {one.name for one in fields(Label)}
    if not isinstance(given, dict) or set(given) != names or given["schema"] != SCHEMA:
        raise ValueError(f"not a label; allowed: a JSON object with schema {SCHEMA} and the keys of a label")
    for problem in _problems(given, rubric):
        raise ValueError(problem)
    return Label(**given)


def _problems(given: Mapping[str, Any], rubric: Categories) -> Iterator[str]:
    """What is wrong with a line, the first thing first."""
    if given["digest"] != rubric.digest:
        yield f"judged by other words of the rubric ({given['digest']}); allowed: {rubric.digest}"
    if given["status"] not in (LABELLED, UNPARSED, MISSING):
        yield f"status {given['status']!r} is not allowed; allowed: {LABELLED}, {UNPARSED}, {MISSING}"
    if given["category"] not in (rubric.keys if given["status"] == LABELLED else [None]):
        yield f"category {given['category']!r} is not allowed; allowed: {', '.join(rubric.keys)}, if there is one"
