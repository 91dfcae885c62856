"""Strategy labels of programs: the categories of the rubric ``strategy``, and the file of labels.

A category describes how a program responds to the opponent's previous one. The file is append-only, with one JSON line
per program and judge.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

from econzoo.baselines import answer_schema, read_answer
from econzoo.envs.core import check_format
from econzoo.envs.core.contract import Invalid, load_package_toml, short_repr
from econzoo.evaluate.run import read_latest

PACKAGE = "econzoo.evaluate.analyses.programs"
FILE = "rubrics/strategy.toml"


class Category(NamedTuple):
    """Category of strategies.

    Attributes:
        short: Column head in tables.
        meaning: Definition in the prompt.
    """

    key: str
    name: str
    short: str
    meaning: str


class Categories(NamedTuple):
    source: str
    categories: tuple[Category, ...]
    prompts: Mapping[str, str]

    @property
    def keys(self) -> list[str]:
        return [one.key for one in self.categories]

    @property
    def digest(self) -> str:
        """Hash of all prompt texts, 12 hexadecimal digits; labels under other texts are refused."""
        return hashlib.sha256(json.dumps([self.categories, dict(self.prompts)]).encode()).hexdigest()[:12]

    @property
    def schema(self) -> Mapping[str, Any]:
        return answer_schema("category", {"enum": self.keys})

    def category_of(self, value: Any) -> str | Invalid:
        """Return the category key of a key or name, ignoring case and treating ``_`` and ``-`` as spaces."""
        known = {_fold_case(word): one.key for one in self.categories for word in (one.key, one.name)}
        found = known.get(_fold_case(value)) if isinstance(value, str) else None
        if found is not None:
            return found
        return Invalid("unknown_label", f"invalid category {short_repr(value)}: expected one of {', '.join(self.keys)}")

    def read_answer(self, reply: str) -> tuple[str, str] | Invalid:
        """Parse the category and reason of a reply with one JSON object, or return what is invalid."""
        return read_answer(reply, "category", self.category_of)


def _fold_case(word: str) -> str:
    return " ".join(word.casefold().replace("_", " ").replace("-", " ").split())


@cache
def strategy_rubric() -> Categories:
    given = load_package_toml(PACKAGE, FILE)
    every = tuple(Category(key, one["name"], one["short"], one["meaning"]) for key, one in given["category"].items())
    return Categories(given["source"], every, given["prompts"])


# Labels

LABELLED, UNPARSED, MISSING = "labelled", "unparsed", "missing"
"""Status of a label: a category; only invalid answers; not asked, because there was no program."""


@dataclass
class Label:
    """Label of one program by one judge.

    Attributes:
        submission: ``MATCH:SEAT:ROUND``.
        player: Spec of the author, hidden from the judge.
        category: Key of the category; None without one.
        answers: Raw answers: ``reply`` and, if invalid, ``problem``.
        tokens: Prompt and completion tokens of all answers.
        cost: Cost in US dollars.
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
    answers: list[dict[str, Any]] = field(default_factory=list)
    tokens: list[int] = field(default_factory=lambda: [0, 0])
    cost: float = 0.0
    format: int = 1

    @property
    def about(self) -> str:
        return self.submission

    def record_category(self, found: tuple[str, str]) -> None:
        (self.category, self.reason), self.status = found, LABELLED

    def to_json(self) -> str:
        """Return the label as one line of ASCII JSON."""
        return json.dumps(vars(self), ensure_ascii=True, allow_nan=False, separators=(",", ":"))


def read_labels(path: Path, rubric: Categories) -> list[Label]:
    """Read the labels of a file, the last one per program and judge; empty without a file."""
    return read_latest(path, partial(_label, rubric=rubric), "submission", "judge") if path.exists() else []


def _label(given: Any, rubric: Categories) -> Label:
    if not isinstance(given, dict):
        raise ValueError("not a label: expected a JSON object")
    # The format is first: a label of another version may have other keys, and the message is to name the version.
    check_format("the label", given.get("format"))
    if set(given) != {one.name for one in fields(Label)}:
        raise ValueError("not a label: expected a JSON object with the keys of one")
    for problem in _problems(given, rubric):
        raise ValueError(problem)
    return Label(**given)


def _problems(given: Mapping[str, Any], rubric: Categories) -> Iterator[str]:
    if given["digest"] != rubric.digest:
        yield f"invalid digest {given['digest']!r}: expected {rubric.digest}, the current rubric"
    if given["status"] not in (LABELLED, UNPARSED, MISSING):
        yield f"invalid status {given['status']!r}: expected {LABELLED}, {UNPARSED} or {MISSING}"
    if given["category"] not in (rubric.keys if given["status"] == LABELLED else [None]):
        yield f"invalid category {given['category']!r}: expected {', '.join(rubric.keys)}, or null without a label"
