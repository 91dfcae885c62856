"""Texts of a game with points instead of dollars, as in laboratory experiments."""

from __future__ import annotations

import re
from collections.abc import Mapping

from econzoo.envs.core import dollars
from econzoo.envs.core import game as find_game
from econzoo.envs.core.faces import load_templates
from econzoo.people.texts import Texts

SIGNED = re.compile(r"(-?)\$(\{\w+\}|\d(?:[\d,.]*\d)?)")
"""An amount of dollars, or its field, in a template."""

DOLLAR_WORD = re.compile(r"\b([Dd])ollar(s?)\b")


NBSP = "\N{NO-BREAK SPACE}"
"""Separates an amount from its unit without a line break."""

SINGULAR_NAMES = {"Punkte": "Punkt"}
"""Irregular singulars of the names of points."""


def singular_name(points: str) -> str:
    """Singular of the name of points: ``"point"``."""
    return SINGULAR_NAMES.get(points) or (points.removesuffix("s") if points.islower() else points)


def singularize(text: str, points: str) -> str:
    """Correct the singular of points in a text: ``"1 points"`` becomes ``"1 point"``."""
    return (
        re.sub(rf"(?<![\d.,])1(?:\.00)?([ {NBSP}]){re.escape(points)}\b", rf"1\1{singular_name(points)}", text)
        if points
        else text
    )


def format_points(points: str, amount: float) -> str:
    """Format an amount of points, with a no-break space: ``"446 points"``, ``"1 point"``."""
    return singularize(f"{dollars(amount)}{NBSP}{points}", points)


def replace_dollars(text: str, points: str) -> str:
    """Replace dollars by points in a text: ``"You get ${gain}."`` becomes ``"You get {gain} points."``."""

    def amount(match: re.Match[str]) -> str:
        return f"{match[1]}{match[2]} {singular_name(points) if match[2] == '1' else points}"

    def word(match: re.Match[str]) -> str:
        name = points if match[2] else singular_name(points)
        return name[0].upper() + name[1:] if match[1] == "D" else name

    return DOLLAR_WORD.sub(word, SIGNED.sub(amount, text))


def with_points(texts: Texts, game: str, points: str) -> Texts:
    """Return texts with points instead of a game's dollars; unchanged without a name of points or without dollars."""
    if not points or not find_game(game).facts.money:
        return texts
    prompts = prompts_with_points(game, texts.prompts.get(game, {}), points)
    return texts._replace(points=points, prompts={**texts.prompts, game: prompts})


def prompts_with_points(game: str, own: Mapping[str, str], points: str) -> dict[str, str]:
    """Return the prompts of a game of dollars with points instead; `own` replaces some of its templates."""
    rules = find_game(game)
    docs = {f"answer.docs.{name}": mark.doc for kind in rules.actions.kinds for name, mark in kind.marks.items()}
    templates = {**docs, **load_templates(rules.package, own)}
    signs = {"answer.thousands": ",", "answer.decimal": ".", **own, "answer.unit": points}
    changed = {
        name: replace_dollars(text, points) for name, text in templates.items() if not name.startswith("answer.unit")
    }
    return signs | {name: text for name, text in changed.items() if text != templates[name]}
