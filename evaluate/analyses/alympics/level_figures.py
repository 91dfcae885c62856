"""Figures of the K-level experiments."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from econzoo.evaluate.analyses.alympics import estimates
from econzoo.evaluate.analyses.alympics.levels import LevelGame, paired
from econzoo.evaluate.show.figure_labels import legend, wrapped
from econzoo.evaluate.show.figures import WIDTH, mean_with_band, styled, whole_numbers
from econzoo.evaluate.show.palette import looks


@styled
def deviation_figure(games: Sequence[LevelGame], off: str, step: str) -> Figure:
    """How far each tested player was off, round by round, a line for each kind of opponent: mean over matches.

    Args:
        games: See `econzoo.evaluate.analyses.alympics.levels.level_game`.
        off: What the deviation is the distance to.
        step: ``"round"`` or ``"day"``.
    """
    tested = list(dict.fromkeys(game.tested for game in games))
    figure = Figure(figsize=(WIDTH, 0.6 + 2.0 * len(tested)), layout="constrained")
    panels = figure.subplots(len(tested), 1, squeeze=False, sharex=True)[:, 0]
    seen = looks([*(game.opponent for game in games), *tested])
    for (player, opponent), found in paired(games).items():
        mean_with_band(panels[tested.index(player)], estimates.means(_by_round(found)), seen[opponent], opponent)
    for player, ax in zip(tested, panels, strict=True):
        ax.set_title(wrapped(player, WIDTH - 1, 9), fontsize=9, loc="left")
        ax.set_ylim(bottom=0.0)
    panels[-1].set_xlabel(step)
    figure.supylabel(f"distance to {off}", fontsize=9.5)
    whole_numbers(panels[-1])
    legend(figure, 8.5)
    return figure


def _by_round(games: Sequence[LevelGame]) -> np.ndarray:
    """Deviations, shape (matches, rounds); NaN for rounds that were not played."""
    out = np.full((len(games), max((len(game.deviations) for game in games), default=0)), math.nan)
    for at, game in enumerate(games):
        out[at, : len(game.deviations)] = game.deviations
    return out
