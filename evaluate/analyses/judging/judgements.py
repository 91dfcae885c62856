"""Judgements in a file: one JSON line for each player that a judge has scored, only ever appended to."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from econzoo.envs.core.contract.validation import Invalid, short_repr
from econzoo.evaluate.analyses.judging.compact import CUT
from econzoo.evaluate.analyses.judging.rubric import Rubric, parse_score
from econzoo.evaluate.run.folder import read_latest

if TYPE_CHECKING:
    from econzoo.evaluate.analyses.judging.evidence import Evidence, Item

__all__ = ["Judgement", "new_judgement", "read_judgements"]

JUDGEMENTS = {False: Path("judging", "judgements.jsonl"), True: Path("judging", "judgements-reasoning.jsonl")}
"""Where judgements go, beside the records, by whether judges read what models thought: who has read less has judged
something else. They lie in a folder of its own, because they are no records."""

SCHEMA = 2
"""Of a line; lines of the first do not say how the match was told."""


@dataclass
class Judgement:
    """What one judge said about one player of one match.

    Attributes:
        item: ``MATCH:SEAT``.
        match: Id of the match.
        seat: Of the player.
        role: Name of the seat.
        game: Name.
        player: The player's spec, which the judge did not see.
        judge: The judge's spec.
        rubric: Name of the rubric.
        digest: Of the rubric's words (`Rubric.digest`).
        seed: Of the order and of a model's sampling.
        scores: Dimension to score; None where there was no usable answer.
        reasons: Dimension to the judge's words.
        answers: Every answer of a model as it came: ``dimension``, ``reply`` and, where there are any, ``problem`` (why
            it could not be used), ``cut`` and ``unmet`` (see `Completion`).
        skipped: Dimensions that a person left out.
        tokens: Prompt and completion tokens of all answers.
        seconds: Wall time.
        cost: US dollars.
        form: How the match was told to the judge, see `econzoo.evaluate.analyses.judging.compact`; empty: not known.
        characters: Of the whole transcript.
        left_out: Characters of what was written in the match that the judge did not read.
        schema: Of this line.
    """

    item: str
    match: str
    seat: int
    role: str
    game: str
    player: str
    judge: str
    rubric: str
    digest: str
    seed: int
    scores: dict[str, int | None] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    answers: list[dict[str, Any]] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    tokens: list[int] = field(default_factory=lambda: [0, 0])
    seconds: float = 0.0
    cost: float = 0.0
    form: str = ""
    characters: int = 0
    left_out: int = 0
    schema: int = SCHEMA

    @property
    def invalid_answers(self) -> int:
        """Answers that were no score."""
        return sum("problem" in answer for answer in self.answers)

    @property
    def read_form(self) -> str:
        """How the match reached the judge: `form`, or ``"cut"`` if a model's own context has cut a question."""
        return CUT if any("cut" in answer for answer in self.answers) else self.form

    def record_evidence(self, shown: Evidence) -> None:
        """Writes down what the judge has read."""
        self.form, self.characters, self.left_out = shown.form, shown.full_length, shown.omitted_characters

    def record_score(self, dimension: str, found: tuple[int, str]) -> None:
        """Writes down a score and its reason."""
        self.scores[dimension], self.reasons[dimension] = found

    def to_json(self) -> str:
        """One line of ASCII JSON."""
        return json.dumps(vars(self), ensure_ascii=True, allow_nan=False, separators=(",", ":"))


def new_judgement(item: Item, judge: str, rubric: Rubric, seed: int) -> Judgement:
    """A judgement without scores."""
    record = item.record
    who = item.id, record.id, item.seat, item.role, record.game, item.player
    return Judgement(*who, judge, rubric.name, rubric.digest, seed)


def read_judgements(path: str | Path, rubric: Rubric) -> list[Judgement]:
    """The judgements of a file; of several on one player by one judge the last counts.

    Args:
        path: The file.
        rubric: That all were made with.

    Raises:
        ValueError: A line is no judgement, was made with other words, or has a score off the scale; the message names
            file and line.
        FileNotFoundError: No such file.
    """
    return read_latest(Path(path), partial(_judgement, rubric=rubric), "item", "judge")


_KINDS: Mapping[str, type | tuple[type, ...]] = {
    **dict.fromkeys(("item", "match", "role", "game", "player", "judge", "rubric", "digest", "form"), str),
    **dict.fromkeys(("seat", "seed", "schema", "characters", "left_out"), int),
    **dict.fromkeys(("scores", "reasons"), dict),
    **dict.fromkeys(("answers", "skipped", "tokens"), list),
    **dict.fromkeys(("seconds", "cost"), (int, float)),
}


def _judgement(given: Any, rubric: Rubric) -> Judgement:
    if not isinstance(given, dict) or not {"item", "judge"} <= set(given) or given.get("schema") not in (1, SCHEMA):
        raise ValueError(f"not a judgement; allowed: a JSON object with schema 1 or {SCHEMA}")
    if given["schema"] == 1:
        given = {"form": "", "characters": 0, "left_out": 0, **given, "schema": SCHEMA}
    for problem in _problems(given, rubric):
        raise ValueError(problem)
    return Judgement(**given)


def _problems(given: Mapping[str, Any], rubric: Rubric) -> Iterator[str]:
    """What is wrong with a line, the first thing first."""
    names = {f.name for f in fields(Judgement)}
    yield from (f"the key {name!r} is missing" for name in sorted(names - set(given)))
    yield from (f"unknown key {short_repr(name)}" for name in sorted(set(given) - names))
    yield from (
        f"{name} is {short_repr(given[name])}" for name, kind in _KINDS.items() if not isinstance(given[name], kind)
    )
    if (given["rubric"], given["digest"]) != (rubric.name, rubric.digest):
        words = "other words of the rubric" if given["rubric"] == rubric.name else "the rubric"
        yield f"judged by {words} {given['rubric']!r} ({given['digest']}); allowed: {rubric.name!r} ({rubric.digest})"
    for key, score in given["scores"].items():
        if rubric.find(key) is None:
            yield f"unknown dimension {short_repr(key)}; allowed: {', '.join(d.key for d in rubric.dimensions)}"
        found = None if score is None else parse_score(score)
        if isinstance(found, Invalid):
            yield f"{key}: {found.text}"
