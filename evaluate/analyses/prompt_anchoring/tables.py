"""What is printed of the effects: a table for each player, question and measure."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from econzoo.evaluate.show.console import table
from econzoo.evaluate.show.numbers import NOTHING, percent

if TYPE_CHECKING:
    from econzoo.evaluate.analyses.prompt_anchoring.effects import Effect

HEADS = ["asked by", "legal", "median", "quartiles", "copied", "shift", "95%"]
KIND_HEADS = ["asked by", "legal", "95%", "share", "shift, points", "95%"]

LEGEND = (
    "Answers are first answers, one a match. legal: could be played as they came; the columns after it are of these. "
    "copied: exactly what the example says. shift: mean difference from the answers by placeholder, seed by seed, "
    "numbers beyond their usual range counted as its end, with its 95% interval over seeds."
)


def effect_tables(found: Sequence[Effect]) -> Iterator[Any]:
    """A table for every measure: amounts with quartiles, kinds with their share."""
    for (player, role, measure), rows in groupby(found, lambda one: (one.player, one.role, one.measure)):
        kind, own = " " not in measure, list(rows)
        heads, row = (KIND_HEADS, _kind) if kind else (HEADS, _amount)
        answers = " to ".join(dict.fromkeys(str(end(one.answers for one in own)) for end in (min, max)))
        yield table(f"{player} as {role}: {measure}, {answers} answers a form", heads, [row(one) for one in own])


def _kind(one: Effect) -> list[str]:
    legal = percent(one.legal), f"{percent(one.legal_low)} to {percent(one.legal_high)}"
    shift, low, high = (_points(end) for end in (one.shift, one.shift_low, one.shift_high))
    return [one.format, *legal, percent(one.mean), shift, NOTHING if low == NOTHING else f"{low} to {high}"]


def _points(share: float) -> str:
    return NOTHING if math.isnan(share) else f"{100 * share:+.0f}"


def _amount(one: Effect) -> list[str]:
    spread = _between(one.low_quartile, one.high_quartile)
    shift = _signed(one.shift), _between(one.shift_low, one.shift_high)
    return [one.format, percent(one.legal), _plain(one.median), spread, percent(one.copied), *shift]


def _plain(value: float) -> str:
    return NOTHING if math.isnan(value) else f"{value:,.4g}" if abs(value) < 10_000 else f"{value:,.0f}"


def _signed(value: float) -> str:
    return NOTHING if math.isnan(value) else f"+{_plain(value)}" if value > 0 else _plain(value)


def _between(low: float, high: float) -> str:
    return NOTHING if math.isnan(low) else f"{_plain(low)} to {_plain(high)}"
