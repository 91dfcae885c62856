"""Rubrics (dimensions and scales, from TOML files), and parsing of scores."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

from econzoo.envs.core import read_text, reason
from econzoo.envs.core.contract import Invalid, check_arguments, load_package_toml, parse_toml, short_repr

__all__ = ["Dimension", "Rubric", "load_rubric", "rubric_names"]

PACKAGE = "econzoo.evaluate.analyses.judging"
FOLDER = "rubrics"
PERSONA = "persona"
"""The only requirement of a dimension: that the player has a persona."""

LOWEST, HIGHEST = 1, 5
SCORES = tuple(range(LOWEST, HIGHEST + 1))
"""The scale of every rubric."""

ALLOWED = f"allowed: whole numbers from {LOWEST} to {HIGHEST}"
_WHOLE = re.compile(r"[+-]?\d{1,9}(?:\.0*)?", re.ASCII)

HEADS = ("source", "introduction")
TEXTS = ("name", "short", "question")
ANCHORS = tuple(map(str, SCORES))
MAX_SHORT_NAME = 6
"""Maximum characters of a dimension's short name, which is a column heading."""


class Dimension(NamedTuple):
    """One question about a player.

    Attributes:
        key: Key of the dimension in files.
        name: Display name.
        short: Column heading.
        question: Question to the judge.
        anchors: Meanings of the scores 1 to 5.
        needs: ``"persona"`` if the question applies only to players with a persona, else None.
    """

    key: str
    name: str
    short: str
    question: str
    anchors: tuple[str, ...]
    needs: str | None = None

    @property
    def scale(self) -> list[str]:
        """One line per score."""
        return [f"{score}: {meaning}" for score, meaning in zip(SCORES, self.anchors, strict=True)]


class Rubric(NamedTuple):
    """Dimensions in order.

    Attributes:
        name: Name, e.g. ``"alympics"``.
        source: Source of the rubric.
        dimensions: At least one dimension.
        introduction: Text ahead of every question; may be empty.
    """

    name: str
    source: str
    dimensions: tuple[Dimension, ...]
    introduction: str = ""

    @property
    def digest(self) -> str:
        """Hash of all texts of the rubric: 12 hexadecimal digits."""
        words = [self.dimensions, self.introduction] if self.introduction else self.dimensions
        return hashlib.sha256(json.dumps(words).encode()).hexdigest()[:12]

    def applicable_dimensions(self, persona: bool) -> list[Dimension]:
        """Return the dimensions that apply to a player with or without a persona."""
        return [d for d in self.dimensions if d.needs is None or persona]

    def find(self, word: str) -> Dimension | None:
        """Find a dimension by key, name or short name, ignoring case."""
        wanted = word.strip().casefold()
        return next((d for d in self.dimensions if wanted in {n.casefold() for n in (d.key, d.name, d.short)}), None)


@check_arguments
def rubric_names() -> list[str]:
    """Return the names of the rubrics of the package."""
    return sorted(f.name.removesuffix(".toml") for f in files(PACKAGE).joinpath(FOLDER).iterdir())


@check_arguments
def load_rubric(name: str) -> Rubric:
    """Load a rubric by name or from a file.

    Args:
        name: One of `rubric_names`, or the path of a TOML file.

    Raises:
        ValueError: The name is unknown, or the file is not a valid rubric.
    """
    own = name.endswith(".toml")
    if not own and name not in rubric_names():
        raise ValueError(
            f"unknown rubric {name[:80]!r}; allowed: {', '.join(rubric_names())}, or the path of a .toml file"
        )
    try:
        given = parse_toml(read_text(name)) if own else load_package_toml(PACKAGE, f"{FOLDER}/{name}.toml")
    except (OSError, ValueError) as error:
        raise ValueError(f"rubric {name!r} cannot be read: {reason(error)}; allowed: a TOML file") from None
    try:
        return _rubric(Path(name).stem if own else name, given)
    except ValueError as error:
        raise ValueError(f"rubric {name!r}: {error}") from None


def _rubric(name: str, given: Mapping[str, Any]) -> Rubric:
    unknown = sorted(set(given) - {*HEADS, "scale", "dimension"})
    if unknown:
        raise ValueError(
            f"unknown key {short_repr(unknown[0])}; allowed: {', '.join(HEADS)}, [scale], and tables [dimension.KEY]"
        )
    texts = {name: given.get(name, "") for name in HEADS}
    wrong = next((name for name, text in texts.items() if not isinstance(text, str)), None)
    if wrong:
        raise ValueError(f"{wrong} = {short_repr(texts[wrong])} is no text; allowed: a text in quotes")
    scale, tables = _scale(given.get("scale", {})), given.get("dimension")
    if not isinstance(tables, Mapping) or not tables:
        raise ValueError("missing dimensions: expected at least one table [dimension.KEY]")
    dimensions = tuple(_dimension(key, table, scale) for key, table in tables.items())
    # A set per dimension: a key may be the name of its own dimension, but of no other.
    words = [word.casefold() for d in dimensions for word in {d.key.casefold(), d.name.casefold(), d.short.casefold()}]
    twice = sorted({word for word in words if words.count(word) > 1})
    if twice:
        raise ValueError(
            f"{short_repr(twice[0])} names two dimensions; allowed: keys, names and short names that differ"
        )
    return Rubric(name, texts["source"], dimensions, texts["introduction"].strip())


MAX_SHOWN_KEY = 40
"""Maximum characters of a dimension's key in messages."""


def _scale(given: Any) -> Mapping[str, Any]:
    """Default meanings of the scores."""
    unknown = sorted(set(given) - {*ANCHORS}) if isinstance(given, Mapping) else ["scale"]
    if unknown:
        raise ValueError(f"[scale]: invalid {short_repr(unknown[0])}: expected texts for {', '.join(ANCHORS)}")
    return given


def _dimension(key: str, given: Any, scale: Mapping[str, Any]) -> Dimension:
    place = f"[dimension.{key[:MAX_SHOWN_KEY]}]"
    if not isinstance(given, Mapping):
        raise ValueError(f"{place} is not a table")
    given = {**scale, **given}
    wanted = (*TEXTS, *ANCHORS)
    bad = next((n for n in wanted if not isinstance(given.get(n), str) or not given[n].strip()), None)
    if bad is not None:
        also = ", or one for all in [scale]" if bad in ANCHORS else ""
        raise ValueError(f"{place} needs the text {bad!r}{also}; allowed: {', '.join(wanted)}, needs")
    unknown = sorted(set(given) - {*wanted, "needs"})
    if unknown:
        raise ValueError(f"{place}: unknown key {short_repr(unknown[0])}; allowed: {', '.join(wanted)}, needs")
    needs = given.get("needs")
    if needs not in (None, PERSONA):
        raise ValueError(f"{place}: invalid needs = {short_repr(needs)}: expected {PERSONA!r}")
    if len(given["short"]) > MAX_SHORT_NAME:
        raise ValueError(
            f"{place}: short = {short_repr(given['short'])} is too long; allowed: {MAX_SHORT_NAME} characters"
        )
    anchors = tuple(given[n] for n in ANCHORS)
    return Dimension(key, given["name"], given["short"], given["question"], anchors, needs)


# Scores


def parse_score(value: Any) -> int | Invalid:
    """Parse a score from a JSON value.

    Args:
        value: 4 and 4.0 are the score 4; true, "4", 2.5, 0 and 6 are invalid.
    """
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if number and value in SCORES:
        return int(value)
    return Invalid(
        "out_of_range" if number else "wrong_type", f"the score {short_repr(value)} is off the scale; {ALLOWED}"
    )


def parse_score_text(text: str) -> int | Invalid:
    """Parse a score typed by a person: ``4`` or ``4.0``."""
    found = _WHOLE.fullmatch(text.strip())
    if found and int(float(found[0])) in SCORES:
        return int(float(found[0]))
    return Invalid("out_of_range", f"the score {short_repr(text.strip())} is off the scale; {ALLOWED}")
