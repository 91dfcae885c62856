"""Files of judgements: one JSON line per judge and player, append-only."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from econzoo.envs.core import check_format
from econzoo.envs.core.contract import Invalid, check_arguments, short_repr
from econzoo.evaluate.analyses.judging.compact import CUT
from econzoo.evaluate.analyses.judging.rubric import Rubric, parse_score
from econzoo.evaluate.run import read_latest

if TYPE_CHECKING:
    from econzoo.evaluate.analyses.judging.evidence import Evidence, Item

__all__ = ["Judgement", "new_judgement", "read_judgements"]

JUDGEMENTS = {False: Path("judging", "judgements.jsonl"), True: Path("judging", "judgements-reasoning.jsonl")}
"""Files of judgements beside the records, by whether judges read reasoning traces. They have their own folder, because
they are not records."""


@dataclass
class Judgement:
    """Scores by one judge of one player of one match.

    Attributes:
        item: ``MATCH:SEAT``.
        match: Id of the match.
        seat: Seat of the player.
        role: Name of the seat.
        game: Name.
        player: Spec of the player, hidden from the judge.
        judge: Spec of the judge.
        rubric: Name of the rubric.
        digest: Hash of the rubric (`Rubric.digest`).
        seed: Seed of the item order and of sampling.
        scores: Dimension to score; None without a valid answer.
        reasons: Dimension to the judge's reason.
        answers: Raw answers of a model: ``dimension``, ``reply`` and optionally ``problem`` (why it is invalid),
            ``cut``, ``unsupported`` and ``served`` (see `Completion`).
        skipped: Dimensions that a person skipped.
        tokens: Prompt and completion tokens of all answers.
        seconds: Wall time: of a person, or of all calls of a model.
        cost: US dollars.
        form: Form of the evidence, see `econzoo.evaluate.analyses.judging.compact`.
        characters: Characters of the full transcript.
        left_out: Characters of the match that the judge did not read.
        format: Format of this line.
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
    format: int = 1

    @property
    def invalid_answers(self) -> int:
        """Number of answers without a valid score."""
        return sum("problem" in answer for answer in self.answers)

    @property
    def read_form(self) -> str:
        """Form of the evidence as read: `form`, or ``"cut"`` if a question exceeded the model's context."""
        return CUT if any("cut" in answer for answer in self.answers) else self.form

    def record_evidence(self, shown: Evidence) -> None:
        """Record the form and size of the evidence."""
        self.form, self.characters, self.left_out = shown.form, shown.full_length, shown.omitted_characters

    def record_score(self, dimension: str, found: tuple[int, str]) -> None:
        """Record a score and its reason."""
        self.scores[dimension], self.reasons[dimension] = found

    def to_json(self) -> str:
        """Return one line of ASCII JSON."""
        return json.dumps(vars(self), ensure_ascii=True, allow_nan=False, separators=(",", ":"))


@check_arguments
def new_judgement(item: Item, judge: str, rubric: Rubric, seed: int) -> Judgement:
    """Return a judgement without scores."""
    record = item.record
    identity = item.id, record.id, item.seat, item.role, record.game, item.player
    return Judgement(*identity, judge, rubric.name, rubric.digest, seed)


@check_arguments
def read_judgements(path: str | Path, rubric: Rubric) -> list[Judgement]:
    """Read the judgements of a file; the last of a judge on a player counts.

    Args:
        path: File.
        rubric: Rubric of all judgements.

    Raises:
        ValueError: A line is not a judgement, used another rubric, or has a score off the scale; the message names file
            and line.
        FileNotFoundError: The file does not exist.
    """
    return read_latest(Path(path), partial(_judgement, rubric=rubric), "item", "judge")


_KINDS: Mapping[str, type | tuple[type, ...]] = {
    **dict.fromkeys(("item", "match", "role", "game", "player", "judge", "rubric", "digest", "form"), str),
    **dict.fromkeys(("seat", "seed", "characters", "left_out"), int),
    **dict.fromkeys(("scores", "reasons"), dict),
    **dict.fromkeys(("answers", "skipped", "tokens"), list),
    **dict.fromkeys(("seconds", "cost"), (int, float)),
}


def _judgement(given: Any, rubric: Rubric) -> Judgement:
    if not isinstance(given, dict):
        raise ValueError("not a judgement: expected a JSON object")
    # The format is first: a line of another version may have other keys, and the message is to name the version.
    check_format("the judgement", given.get("format"))
    for problem in _problems(given, rubric):
        raise ValueError(problem)
    return Judgement(**given)


def _problems(given: Mapping[str, Any], rubric: Rubric) -> Iterator[str]:
    """Yield the problems of a line; only the first is valid, since each check relies on those before it."""
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
