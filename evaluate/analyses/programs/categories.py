"""The rubric ``strategy``: categories for how a program answers the opponent's last one, and what is taken for one."""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from econzoo.baselines.judges import answer_schema, read_answer
from econzoo.envs.core.contract.validation import Invalid, short

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
        every: In their order.
        prompts: The texts that a model reads.
    """

    source: str
    every: tuple[Category, ...]
    prompts: Mapping[str, str]

    @property
    def keys(self) -> list[str]:
        """Of the categories."""
        return [one.key for one in self.every]

    @property
    def digest(self) -> str:
        """12 hexadecimal digits that depend on every word a judge reads."""
        return hashlib.sha256(json.dumps([self.every, dict(self.prompts)]).encode()).hexdigest()[:12]

    @property
    def schema(self) -> Mapping[str, Any]:
        """JSON schema of an answer."""
        return answer_schema("category", {"enum": self.keys})

    def category_of(self, value: Any) -> str | Invalid:
        """The key that a value is: the key itself or the name, in capitals or not, with blanks, ``_`` or ``-``."""
        known = {_folded(word): one.key for one in self.every for word in (one.key, one.name)}
        found = known.get(_folded(value)) if isinstance(value, str) else None
        if found is not None:
            return found
        return Invalid("unknown_label", f"the category {short(value)} is unknown; allowed: {', '.join(self.keys)}")

    def read_answer(self, reply: str) -> tuple[str, str] | Invalid:
        """Category and reason of a reply with one JSON object, or what is wrong with it."""
        return read_answer(reply, "category", self.category_of)


def _folded(word: str) -> str:
    return " ".join(word.casefold().replace("_", " ").replace("-", " ").split())


@cache
def strategy() -> Categories:
    """The rubric that comes with the package."""
    given = tomllib.loads(files(PACKAGE).joinpath(FILE).read_text(encoding="utf-8"))
    every = tuple(Category(key, one["name"], one["short"], one["meaning"]) for key, one in given["category"].items())
    return Categories(given["source"], every, given["prompts"])
