"""The table of `econzoo.evaluate.behaviour.channel` for the terminal."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from econzoo.envs.core.plurals import plural
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate import console, formats
from econzoo.evaluate.behaviour.channel import Worth
from econzoo.evaluate.escapes import short, visible

SHOWN = (
    ("self_gain", "gain"),
    ("efficiency", "effic."),
    ("fairness", "fair"),
    ("agreed", "{agreements}"),
    ("rounds", "rounds"),
)
"""(metric, heading); the first with its interval."""

NOTE = (
    "Mean difference between twin matches, with its 95% interval: what it is worth to have messages (on - off), and "
    "what their meaning is worth (on - scrambled). n: pairs of twins."
)


def worth_tables(found: Sequence[Worth]) -> list[Any]:
    """A table for each contrast and the note."""
    contrasts = list(dict.fromkeys(row.contrast for row in found))
    return [*(_table(contrast, [row for row in found if row.contrast == contrast]) for contrast in contrasts), NOTE]


def _table(contrast: str, rows: Sequence[Worth]) -> Any:
    """One line for every player and opponent, all seats together."""
    by_place: dict[tuple[str, str], dict[str, Worth]] = {}
    for row in pooled(rows):
        by_place.setdefault((row.player, row.opponent), {})[row.metric] = row
    agreements = plural(find_game(rows[0].game).facts.agreement)
    gain, *others = (head.format(agreements=agreements) for _, head in SHOWN)
    heads = ["player (opponent)", gain, "95%", *others, "n"]
    lines = [
        _line(visible(f"{short(player)} ({short(other)})"), by_place[player, other])
        for player, other in sorted(by_place)
    ]
    return console.table(f"{rows[0].game}: {contrast}", heads, lines)


def pooled(rows: Sequence[Worth]) -> list[Worth]:
    """The rows over all seats that a player took."""
    return [row for row in rows if not row.role]


def _line(name: str, found: dict[str, Worth]) -> list[str]:
    gain = found[SHOWN[0][0]]
    others = [_signed(found[metric].difference) for metric, _ in SHOWN[1:]]
    return [name, _signed(gain.difference), _span(gain), *others, str(gain.n)]


def _signed(value: float) -> str:
    if math.isnan(value):
        return formats.NOTHING
    value = round(value, 3) + 0.0
    return f"{value:+.3f}" if value else "0"


def _span(row: Worth) -> str:
    return formats.NOTHING if math.isnan(row.low) else f"{_signed(row.low)} to {_signed(row.high)}"
