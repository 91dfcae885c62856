"""How a form is filled: with what fits, as far as the page tells it; what does not is told by the next page."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping

from econzoo.envs.core.registry import game as find_game
from econzoo.people.bots.html import HtmlForm, Input, Page
from econzoo.people.study.declaration import Study
from econzoo.people.study.stages import PRACTICE

NUMERAL = re.compile(r"-?\d[\d.,\u202f\u00a0']*")
"""A number in a hint, in whatever language: ``10,000``, ``0.5``, ``10.000``."""

SPAN = 100.0
"""How far above its least value a number without a greatest one is filled."""

MOSTLY = 0.8
"""How often numbers are whole at first."""

USUAL = 30.0
"""A number where the page tells nothing."""

WORDS = ("I take what is fair.", "Let us share it.", "My last word.", "Why not?", "Let us both do well.")
"""Messages, and answers to open questions."""


def filled(
    page: Page, form: HtmlForm, button: str, luck: random.Random, known: Mapping[str, str], tries: int = 0
) -> dict[str, str]:
    """What is posted.

    Args:
        page: With the form.
        form: The form.
        button: Value of the button that is pressed; empty: one without a name.
        luck: Chooses.
        known: What to give, by the name of the input, or by the class of a text; chance gives the rest.
        tries: How often something else was refused: numbers become smaller, with and without decimals.
    """
    given = {form.named[form.buttons.index(button)]: button} if button else {}
    whole = bool(tries % 2) if tries else luck.random() < MOSTLY
    for name in dict.fromkeys(one.name for one in form.inputs if one.name):
        several = [one for one in form.inputs if one.name == name]
        value = known.get(name) or known.get(several[0].described)
        if value is None and several[0].kind == "decimal":
            hint = page.by_id.get(several[0].described, "")
            value = amount(hint, luck.uniform(0.1, 0.9) / (1 + tries // 2), whole)
        if (value := value or _chosen(several, luck)) is not None:
            given[name] = value
    return given


def _chosen(several: list[Input], luck: random.Random) -> str | None:
    """What fits an input, or several of one name, of which one is chosen."""
    one = several[0]
    if one.kind == "hidden":
        return one.value
    if one.kind == "radio":
        return luck.choice(several).value
    if one.kind == "checkbox":
        return one.value
    if one.kind == "range":
        least, most, step = map(float, one.bounds)
        return f"{least + step * luck.randint(0, int((most - least) / step)):.12g}"
    return luck.choice(WORDS) if one.kind in ("textarea", "input") else None


def programs(study: Study, match: int | None) -> list[str]:
    """Programs that can be played in a match of somebody, from 0, or in practice; none: its moves are no programs."""
    stages = [stage for stage in study.stages if stage.kind == PRACTICE]
    stages = stages if match is None else [study.stages[study.stage_of(match)]]
    sources = [find_game(stage.game).actions.source for stage in stages]
    return [program for source in sources if source for program in source[1].library()]


def amount(hint: str, part: float, whole: bool) -> str:
    """A number that a hint allows, as far as its numerals say: between two of them, or about the only one.

    Args:
        hint: ``"Whole number from 0 to 10,000"``, in any language.
        part: Where between least and greatest.
        whole: Whether it is a whole number.
    """
    low, high = bounds(hint)
    if low == high and part > 0.5:
        high = low + SPAN
    value = low + part * (high - low)
    if whole:
        return str(round(value))
    return f"{value:.2f}" if low <= round(value, 2) <= high else repr(value)


def bounds(hint: str) -> tuple[float, float]:
    """Least and greatest number, as the numerals of a hint tell them; where there is but one, that one twice."""
    told = [number for found in NUMERAL.findall(hint) if (number := read_number(found)) is not None]
    if not told:
        return USUAL, USUAL + SPAN
    return (told[0], told[1]) if len(told) > 1 and told[0] <= told[1] else (told[0], told[0])


def read_number(numeral: str) -> float | None:
    """A numeral with signs of any language: signs before three digits at a time part thousands."""
    text = re.sub(r"[^\d.,-]|[.,]$", "", numeral)
    if re.fullmatch(r"-?[1-9]\d{0,2}([.,]\d{3})+", text):
        return float(re.sub("[.,]", "", text))
    *whole, last = re.split("[.,]", text)
    return float(f"{''.join(whole)}.{last}") if whole else float(last)
