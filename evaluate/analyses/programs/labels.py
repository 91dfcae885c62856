"""What judges say of programs: the categories of the rubric ``strategy``, and labels in a file.

A category is how a program answers the opponent's last one. The file has one JSON line for each program that a judge
has classified, and is only ever appended to.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

from econzoo.baselines.judges import answer_schema, read_answer
from econzoo.envs.core.contract.validation import Invalid, load_package_toml, short_repr
from econzoo.evaluate.run.folder import read_latest

PACKAGE = "econzoo.evaluate.analyses.programs"
FILE = "rubrics/strategy.toml"


class Category(NamedTuple):
    """One category.

    Attributes:
        key: Names it in answers and files.
        name: For people.
        short: Heads the columns of tables.
        meaning: What a judge reads.
    """

    key: str
    name: str
    short: str
    meaning: str


class Categories(NamedTuple):
    """The rubric.

    Attributes:
        source: Where the categories come from.
        categories: In their order.
        prompts: The texts that a model reads.
    """

    source: str
    categories: tuple[Category, ...]
    prompts: Mapping[str, str]

    @property
    def keys(self) -> list[str]:
        """Of the categories."""
        return [one.key for one in self.categories]

    @property
    def digest(self) -> str:
        """12 hexadecimal digits that depend on every word a judge reads."""
        return hashlib.sha256(json.dumps([self.categories, dict(self.prompts)]).encode()).hexdigest()[:12]

    @property
    def schema(self) -> Mapping[str, Any]:
        """JSON schema of an answer."""
        return answer_schema("category", {"enum": self.keys})

    def category_of(self, value: Any) -> str | Invalid:
        """The key that a value is: the key itself or the name, in capitals or not, with blanks, ``_`` or ``-``."""
        known = {_fold_case(word): one.key for one in self.categories for word in (one.key, one.name)}
        found = known.get(_fold_case(value)) if isinstance(value, str) else None
        if found is not None:
            return found
        return Invalid("unknown_label", f"the category {short_repr(value)} is unknown; allowed: {', '.join(self.keys)}")

    def read_answer(self, reply: str) -> tuple[str, str] | Invalid:
        """Category and reason of a reply with one JSON object, or what is wrong with it."""
        return read_answer(reply, "category", self.category_of)


def _fold_case(word: str) -> str:
    return " ".join(word.casefold().replace("_", " ").replace("-", " ").split())


@cache
def strategy_rubric() -> Categories:
    """The rubric that comes with the package."""
    given = load_package_toml(PACKAGE, FILE)
    every = tuple(Category(key, one["name"], one["short"], one["meaning"]) for key, one in given["category"].items())
    return Categories(given["source"], every, given["prompts"])


# Labels

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
        status: One of `LABELLED`, `UNPARSED`, `MISSING_TEXTS`.
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
    answers: list[dict[str, Any]] = field(default_factory=list)
    tokens: list[int] = field(default_factory=lambda: [0, 0])
    cost: float = 0.0
    schema: int = SCHEMA

    @property
    def about(self) -> str:
        """The program."""
        return self.submission

    def record_category(self, found: tuple[str, str]) -> None:
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
    return read_latest(path, partial(_label, rubric=rubric), "submission", "judge") if path.exists() else []


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
