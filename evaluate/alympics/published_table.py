"""The table of published games beside what the paper says of all of them."""

from __future__ import annotations

from collections.abc import Sequence

from econzoo.evaluate.alympics.indicator_table import IndicatorTable
from econzoo.evaluate.alympics.published import Published
from econzoo.evaluate.alympics.water_games import SETTINGS, WaterGame, of_published
from econzoo.evaluate.alympics.water_table import water_table


def published_table(games: Sequence[Published]) -> IndicatorTable:
    """Survival, RSR and minimum successful bids as printed in the files.

    Args:
        games: At least one; those that have other residents than the first are left out.
    """
    alike = [game for game in games if game.rules.residents == games[0].rules.residents]
    made = [of_published(game, number) for number, game in enumerate(alike)]
    return water_table(sorted(made, key=_place), "Published games, as printed")


def _place(game: WaterGame) -> tuple[int, str]:
    """The paper's settings first, in its order."""
    at = SETTINGS.index(game.setting) if game.setting in SETTINGS else len(SETTINGS)
    return at, game.setting
