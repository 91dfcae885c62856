"""What is printed of the effects: a table for each player, question and measure."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from econzoo.evaluate.console import table
from econzoo.evaluate.formats import NOTHING, percent

if TYPE_CHECKING:
    from econzoo.evaluate.prompt_anchoring.effects import Effect

HEADS = ["asked by", "answers", "legal", "median", "quartiles", "copied", "shift", "95%"]
KIND_HEADS = ["asked by", "answers", "legal", "share", "shift, points", "95%"]

LEGEND = (
    "answers: first answers, one a match. legal: could be played as they came; the columns after it are of these. "
    "copied: exactly what the example says. shift: mean difference from the answers by placeholder, seed by seed, "
    "with its 95% interval over seeds."
)


def effect_tables(found: Sequence[Effect]) -> Iterator[Any]:
    """A table for every measure: amounts with quartiles, kinds with their share."""
    for (player, role, measure), rows in groupby(found, lambda one: (one.player, one.role, one.measure)):
        kind = " " not in measure
        heads, row = (KIND_HEADS, _kind) if kind else (HEADS, _amount)
        yield table(f"{player} as {role}: {measure}", heads, [row(one) for one in rows])


def _kind(one: Effect) -> list[str]:
    points = _signed(100 * one.shift), _between(100 * one.shift_low, 100 * one.shift_high)
    return [one.format, str(one.answers), percent(one.legal), percent(one.mean), *points]


def _amount(one: Effect) -> list[str]:
    spread = _between(one.low_quartile, one.high_quartile)
    shift = _signed(one.shift), _between(one.shift_low, one.shift_high)
    return [one.format, str(one.answers), percent(one.legal), _plain(one.median), spread, percent(one.copied), *shift]


def _plain(value: float) -> str:
    return NOTHING if math.isnan(value) else f"{value:,.4g}" if abs(value) < 10_000 else f"{value:,.0f}"


def _signed(value: float) -> str:
    return NOTHING if math.isnan(value) else f"+{_plain(value)}" if value > 0 else _plain(value)


def _between(low: float, high: float) -> str:
    return NOTHING if math.isnan(low) else f"{_plain(low)} to {_plain(high)}"
