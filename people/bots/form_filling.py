"""Form filling of bots, from the information on the page; invalid values are corrected after an error."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping

from econzoo.envs.core import game as find_game
from econzoo.people.bots.html_page import HtmlForm, Input, Page
from econzoo.people.study import PRACTICE, Study

NUMERAL = re.compile(r"-?\d[\d.,\u202f\u00a0']*")
"""A number in a hint, in any language: ``10,000``, ``0.5``, ``10.000``."""

DEFAULT_SPAN = 100.0
"""Range above the minimum for numbers without maximum."""

INTEGER_SHARE = 0.8
"""Probability of an integer in the first attempt."""

DEFAULT_NUMBER = 30.0
"""Default number without information on the page."""

SAMPLE_MESSAGES = ("I take what is fair.", "Let us share it.", "My last word.", "Why not?", "Let us both do well.")
"""Messages, also used as answers to open questions."""


def fill_form(
    page: Page, form: HtmlForm, button: str, rng: random.Random, known_values: Mapping[str, str], refusals: int = 0
) -> dict[str, str]:
    """Return the form values to post.

    Args:
        button: Value of the pressed button; empty: a button without name.
    """
    given = {form.button_names[form.buttons.index(button)]: button} if button else {}
    integer = bool(refusals % 2) if refusals else rng.random() < INTEGER_SHARE
    for name in dict.fromkeys(one.name for one in form.inputs if one.name):
        several = [one for one in form.inputs if one.name == name]
        value = known_values.get(name) or known_values.get(several[0].described_by)
        if value is None and several[0].kind == "decimal":
            hint = page.by_id.get(several[0].described_by, "")
            value = amount_in_bounds(hint, rng.uniform(0.1, 0.9) / (1 + refusals // 2), integer)
        if (value := value or _choose_value(several, rng)) is not None:
            given[name] = value
    return given


def _choose_value(several: list[Input], rng: random.Random) -> str | None:
    """Return a valid value for the inputs of one name."""
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
    """Return programs to play in a match, from 0, or in practice (None); empty: moves are not programs."""
    stages = [stage for stage in study.stages if stage.kind == PRACTICE]
    stages = stages if match is None else [study.stages[study.stage_of(match)]]
    sources = [find_game(stage.game).actions.source for stage in stages]
    return [program for source in sources if source for program in source[1].library()]


def amount_in_bounds(hint: str, fraction: float, integer: bool) -> str:
    """Return a number within the bounds in a hint.

    Args:
        hint: Hint in any language, such as ``"Integer from 0 to 10,000"``.
        fraction: Position between minimum and maximum.
    """
    low, high = parse_bounds(hint)
    # The single number of a hint may be a minimum, a maximum or the only value: half of the attempts go above it.
    if low == high and fraction > 0.5:
        high = low + DEFAULT_SPAN
    value = low + fraction * (high - low)
    if integer:
        return str(round(value))
    # Rounding to cents may leave narrow bounds.
    return f"{value:.2f}" if low <= round(value, 2) <= high else repr(value)


def parse_bounds(hint: str) -> tuple[float, float]:
    """Return minimum and maximum from the numbers in a hint; a single number counts as both."""
    numbers = [number for numeral in NUMERAL.findall(hint) if (number := parse_number(numeral)) is not None]
    if not numbers:
        return DEFAULT_NUMBER, DEFAULT_NUMBER + DEFAULT_SPAN
    return (numbers[0], numbers[1]) if len(numbers) > 1 and numbers[0] <= numbers[1] else (numbers[0], numbers[0])


def parse_number(numeral: str) -> float | None:
    """Parse a number in any language; separators that precede three digits are thousands separators."""
    text = re.sub(r"[^\d.,-]|[.,]$", "", numeral)
    # No thousands begin with 0: 0.500 is a half.
    if re.fullmatch(r"-?[1-9]\d{0,2}([.,]\d{3})+", text):
        return float(re.sub("[.,]", "", text))
    *whole, last = re.split("[.,]", text)
    return float(f"{''.join(whole)}.{last}") if whole else float(last)
