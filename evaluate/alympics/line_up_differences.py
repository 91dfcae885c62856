"""How far line-ups are behind the best one of their setting, game by game: all of a setting meet the same luck."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

from econzoo.evaluate.columns import Columns
from econzoo.evaluate.console import TextTable
from econzoo.evaluate.escapes import called
from econzoo.evaluate.formats import number, span
from econzoo.evaluate.statistics import Difference, differences

HEADS = ("setting", "best", "line_up", "behind", "low", "high", "distinct")
"""Columns of the CSV."""


class Played(NamedTuple):
    """A game.

    Attributes:
        setting: What line-ups have in common that are compared.
        lineup: Who played.
        seed: Of its luck.
        value: What is compared; NaN where it is not defined.
    """

    setting: str
    lineup: str
    seed: int
    value: float


class Behind(NamedTuple):
    """A comparison.

    Attributes:
        setting: See `Played`.
        best: The line-up with the highest mean there.
        lineup: Another one.
        gap: How far it is behind.
    """

    setting: str
    best: str
    lineup: str
    gap: Difference


def behind_best(games: Iterable[Played]) -> list[Behind]:
    """Paired differences to the best line-up of every setting; all of them are counted together (Holm).

    Args:
        games: Those without a value are left out.
    """
    known = [game for game in games if not math.isnan(game.value)]
    rows = [
        {"both": _both(g.setting, g.lineup), "market": g.setting, "cluster": f"{g.setting}#{g.seed}", "value": g.value}
        for g in known
    ]
    means: dict[str, dict[str, float]] = {}
    for setting, lineup in dict.fromkeys((game.setting, game.lineup) for game in known):
        own = [game.value for game in known if (game.setting, game.lineup) == (setting, lineup)]
        means.setdefault(setting, {})[lineup] = sum(own) / len(own)
    best = {setting: max(found, key=found.__getitem__) for setting, found in means.items()}
    pairs = [
        ((setting, best[setting]), (setting, lineup))
        for setting, found in means.items()
        for lineup in found
        if lineup != best[setting]
    ]
    keys = [(_both(*one), _both(*other)) for one, other in pairs]
    gaps = differences(Columns.of_rows(rows), keys, "value", by="both", over="seeds")
    return [Behind(*one, other[1], gaps[key]) for key, (one, other) in zip(keys, pairs, strict=True)]


def _both(setting: str, lineup: str) -> str:
    return f"{setting}\n{lineup}"


def difference_tables(found: Iterable[Behind], measure: str) -> list[TextTable]:
    """One row for each comparison of which an interval says how sure it is; no table without a row."""
    rows = [
        [
            *(called(name) for name in one[:3]),
            *(number(one.gap.mean, 2), span(one.gap)),
            "yes" if one.gap.distinct else "no",
        ]
        for one in found
        if not math.isnan(one.gap.low)
    ]
    heads = ["setting", "best", "line-up", "behind", "95%", "Holm"]
    title = f"{measure[:1].upper()}{measure[1:]} less than that of the best line-up, game by game"
    note = "Line-ups of a setting meet the same luck. Holm: not by chance, all differences of the table counted."
    return [TextTable(title, heads, rows, note)] if rows else []
