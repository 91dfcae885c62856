"""How a form is filled: with what fits, as far as the page tells it; what does not is told by the next page."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping

from econzoo.envs.core.registry import game as find_game
from econzoo.people.bots.html_page import HtmlForm, Input, Page
from econzoo.people.study.declaration import Study
from econzoo.people.study.stages import PRACTICE

NUMERAL = re.compile(r"-?\d[\d.,\u202f\u00a0']*")
"""A number in a hint, in whatever language: ``10,000``, ``0.5``, ``10.000``."""

DEFAULT_SPAN = 100.0
"""How far above its least value a number without a greatest one is filled."""

INTEGER_SHARE = 0.8
"""How often numbers are whole at first."""

DEFAULT_NUMBER = 30.0
"""A number where the page tells nothing."""

SAMPLE_MESSAGES = ("I take what is fair.", "Let us share it.", "My last word.", "Why not?", "Let us both do well.")
"""Messages, and answers to open questions."""


def fill_form(
    page: Page, form: HtmlForm, button: str, rng: random.Random, known_values: Mapping[str, str], refusals: int = 0
) -> dict[str, str]:
    """What is posted.

    Args:
        page: With the form.
        form: The form.
        button: Value of the button that is pressed; empty: one without a name.
        rng: Chooses.
        known_values: What to give, by the name of the input, or by the class of a text; chance gives the rest.
        refusals: How often something else was refused: numbers become smaller, with and without decimals.
    """
    given = {form.button_names[form.buttons.index(button)]: button} if button else {}
    whole = bool(refusals % 2) if refusals else rng.random() < INTEGER_SHARE
    for name in dict.fromkeys(one.name for one in form.inputs if one.name):
        several = [one for one in form.inputs if one.name == name]
        value = known_values.get(name) or known_values.get(several[0].described_by)
        if value is None and several[0].kind == "decimal":
            hint = page.by_id.get(several[0].described_by, "")
            value = amount_in_bounds(hint, rng.uniform(0.1, 0.9) / (1 + refusals // 2), whole)
        if (value := value or _choose_value(several, rng)) is not None:
            given[name] = value
    return given


def _choose_value(several: list[Input], rng: random.Random) -> str | None:
    """What fits an input, or several of one name, of which one is chosen."""
    one = several[0]
    if one.kind == "hidden":
        return one.value
    if one.kind == "radio":
        return rng.choice(several).value
    if one.kind == "checkbox":
        return one.value
    if one.kind == "range":
        least, most, step = map(float, one.bounds)
        return f"{least + step * rng.randint(0, int((most - least) / step)):.12g}"
    return rng.choice(SAMPLE_MESSAGES) if one.kind in ("textarea", "input") else None


def programs(study: Study, match: int | None) -> list[str]:
    """Programs that can be played in a match of somebody, from 0, or in practice; none: its moves are no programs."""
    stages = [stage for stage in study.stages if stage.kind == PRACTICE]
    stages = stages if match is None else [study.stages[study.stage_of(match)]]
    sources = [find_game(stage.game).actions.source for stage in stages]
    return [program for source in sources if source for program in source[1].library()]


def amount_in_bounds(hint: str, fraction: float, integer: bool) -> str:
    """A number that a hint allows, as far as its numerals say: between two of them, or about the only one.

    Args:
        hint: ``"Whole number from 0 to 10,000"``, in any language.
        fraction: Where between least and greatest.
        integer: Whether it is a whole number.
    """
    low, high = parse_bounds(hint)
    if low == high and fraction > 0.5:
        high = low + DEFAULT_SPAN
    value = low + fraction * (high - low)
    if integer:
        return str(round(value))
    return f"{value:.2f}" if low <= round(value, 2) <= high else repr(value)


def parse_bounds(hint: str) -> tuple[float, float]:
    """Least and greatest number, as the numerals of a hint tell them; where there is but one, that one twice."""
    told = [number for found in NUMERAL.findall(hint) if (number := parse_number(found)) is not None]
    if not told:
        return DEFAULT_NUMBER, DEFAULT_NUMBER + DEFAULT_SPAN
    return (told[0], told[1]) if len(told) > 1 and told[0] <= told[1] else (told[0], told[0])


def parse_number(numeral: str) -> float | None:
    """A numeral with signs of any language: signs before three digits at a time part thousands."""
    text = re.sub(r"[^\d.,-]|[.,]$", "", numeral)
    if re.fullmatch(r"-?[1-9]\d{0,2}([.,]\d{3})+", text):
        return float(re.sub("[.,]", "", text))
    *whole, last = re.split("[.,]", text)
    return float(f"{''.join(whole)}.{last}") if whole else float(last)
