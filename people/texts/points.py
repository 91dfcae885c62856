"""The texts of a game in which its dollars are points, as laboratories call them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from econzoo.envs.core.amounts import dollars
from econzoo.envs.core.faces.prompts import load_templates
from econzoo.envs.core.registry import game as find_game

if TYPE_CHECKING:
    from econzoo.people.texts import Texts

SIGNED = re.compile(r"(-?)\$(\{\w+\}|\d(?:[\d,.]*\d)?)")
"""An amount of dollars, or the field of one, in a template."""

DOLLAR_WORD = re.compile(r"\b([Dd])ollar(s?)\b")


NBSP = "\N{NO-BREAK SPACE}"
"""Between an amount and its unit, which stand on one line."""

SINGULAR_NAMES = {"Punkte": "Punkt"}
"""Names of one of some points, where it is not the name without an s."""


def singular_name(points: str) -> str:
    """The name of one of the points: ``"point"``."""
    return SINGULAR_NAMES.get(points) or (points.removesuffix("s") if points.islower() else points)


def singularize(text: str, points: str) -> str:
    """A text in which one of the points is called so: ``"1 points"`` becomes ``"1 point"``."""
    return (
        re.sub(rf"(?<![\d.,])1(?:\.00)?([ {NBSP}]){re.escape(points)}\b", rf"1\1{singular_name(points)}", text)
        if points
        else text
    )


def format_points(points: str, amount: float) -> str:
    """An amount with the name of the points, from which it is not parted: ``"446 points"``, ``"1 point"``."""
    return singularize(f"{dollars(amount)}{NBSP}{points}", points)


def replace_dollars(text: str, points: str) -> str:
    """A text with points for dollars: ``"You get ${gain}."`` becomes ``"You get {gain} points."``."""

    def amount(found: re.Match[str]) -> str:
        return f"{found[1]}{found[2]} {singular_name(points) if found[2] == '1' else points}"

    def word(found: re.Match[str]) -> str:
        name = points if found[2] else singular_name(points)
        return name[0].upper() + name[1:] if found[1] == "D" else name

    return DOLLAR_WORD.sub(word, SIGNED.sub(amount, text))


def with_points(texts: Texts, game: str, points: str) -> Texts:
    """Texts with points for the dollars of a game whose payoffs are some; without a name for them, as they are."""
    if not points or not find_game(game).facts.money:
        return texts
    told = prompts_with_points(game, texts.prompts.get(game, {}), points)
    return texts._replace(points=points, prompts={**texts.prompts, game: told})


def prompts_with_points(game: str, own: Mapping[str, str], points: str) -> dict[str, str]:
    """What the players of a game read, with points for its dollars.

    Args:
        game: A game whose payoffs are dollars.
        own: Templates that are not those that the game ships.
        points: Name of the points.
    """
    found = find_game(game)
    docs = {f"answer.docs.{name}": mark.doc for kind in found.actions.kinds for name, mark in kind.marks.items()}
    templates = {**docs, **load_templates(found.package, own)}
    signs = {"answer.thousands": ",", "answer.decimal": ".", **own, "answer.unit": points}
    changed = {
        name: replace_dollars(text, points) for name, text in templates.items() if not name.startswith("answer.unit")
    }
    return signs | {name: text for name, text in changed.items() if text != templates[name]}
